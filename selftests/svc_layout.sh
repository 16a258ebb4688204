#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: svc_layout.sh [long]
#
# Calls cut into chunks in every way: what the service got is what TCP would
# have delivered (contract R3, R4). The second half goes through a transport
# class that is not ours and calls svc_rdma_process_read_list() itself.
#
# SEED= and LAYOUTS= choose the random layouts.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/svc_lib.sh"

layouts=${LAYOUTS:-$((1000 / SCALE))}
[ "$1" != long ] || layouts=${LAYOUTS:-10000}
svc_up 2

echo "TAP version 13"
echo "# class rdma-shim"
svc_tap 3000 "$RS_HERE/wire_layout" "$RS_ADDR" $SVC_PORT "$DEVICE" "${SEED:-1}" "$layouts"
ours=$?
echo "# class rs-consumer"
svc_tap 3000 "$RS_HERE/wire_layout" "$RS_ADDR" $((SVC_PORT + 1)) "$DEVICE" "$((${SEED:-1} + layouts))" "$((layouts / 4))"
consumer=$?
sed 's/^/# /' $SVC_COUNTERS

rs_try "nothing of the service stays behind" svc_down
svc_promise R3 $((ours + consumer))
svc_promise R4 $((ours + consumer))
rs_finish
