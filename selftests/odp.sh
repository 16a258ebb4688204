#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: odp.sh [-n] [-k] PROGRAM [ARGUMENTS]
#
# Runs one of the odp_* programs on a device of its own; -n: on none, it brings
# its own. -k: against the running kernel's own functions; what these get wrong
# is reported, not counted as a failure.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

device=1
native=
while :; do
	case $1 in
	-n) device= ;;
	-k) native=1 ;;
	*) break ;;
	esac
	shift
done
program=$1
shift
rs_need_root
[ -z "$device" ] || rs_device_up
if [ -n "$native" ]; then
	export ODP_API=native
	rs_need_module ib_uverbs rdma_shim_odp_native
else
	rs_need_module ib_uverbs rdma_shim rdma_shim_odp_test
	[ "$program" != odp_chain ] || rs_need_module rdma_cm rdma_shim_odp_chain
fi
export RS_NETDEV RS_ADDR
"$RS_HERE/$program" "$@"
