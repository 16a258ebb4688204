#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: odp.sh [-n] PROGRAM [ARGUMENTS]
#
# Runs one of the odp_* programs on a device of its own; -n: on none, it brings
# its own.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

device=1
if [ "$1" = -n ]; then
	device=
	shift
fi
program=$1
shift
rs_need_root
[ -z "$device" ] || rs_device_up
rs_need_module ib_uverbs rdma_shim rdma_shim_odp_test
export RS_NETDEV RS_ADDR
"$RS_HERE/$program" "$@"
