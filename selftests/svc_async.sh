#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One thread, one client that answers no Read, and others that must be served
# at once; a Send Queue that is full, or needed as a whole (contract R7, R8).

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/svc_lib.sh"

svc_up 1
source=${RS_ADDR%.1}.9
ip addr add "$source/24" dev "$RS_NETDEV"
sleep 2

echo "TAP version 13"
svc_tap 400 "$RS_HERE/wire_async" "$RS_ADDR" $SVC_PORT "$DEVICE" "$source"
async=$?
sed 's/^/# /' $SVC_COUNTERS
rs_try "nothing of the service stays behind" svc_down
svc_promise R7 $async
svc_promise R8 $async
rs_finish
