#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory that is not to be had: every allocation that the transport makes from
# the connect request to the reply fails once, by itself (contract R1, R2, R7).
# For that it is loaded from a second build, see scarce/.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/svc_lib.sh"

module=$RS_HERE/modules/$(uname -r)/scarce/svcrdma_shim.ko

scarce_cleanup()
{
	svc_cleanup
	timeout 20 rmmod svcrdma_shim
}

rs_device_up
[ -e "$module" ] ||
	rs_skip "the transport has no second build: the package's source is not there"
# The package's own brings with it what both need, and leaves again.
rs_need_module svcrdma_shim
timeout 20 rmmod svcrdma_shim || rs_skip "svcrdma_shim is in use"
insmod "$module" || rs_skip "the second build cannot be loaded"
trap scarce_cleanup EXIT
svc_serve 2 rdma-shim

echo "TAP version 13"
svc_tap 900 "$RS_HERE/wire_scarce" "$RS_ADDR" $SVC_PORT "$DEVICE"
scarce=$?
rs_try "nothing of the service stays behind" svc_down
rs_try "nor of the transport" timeout 20 rmmod svcrdma_shim
trap rs_cleanup EXIT
for promise in R1 R2 R7; do
	svc_promise $promise $scarce
done
rs_finish
