#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: odp.sh PROGRAM [ARGUMENTS]
#
# Runs one of the odp_* programs on a device of its own.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

program=$1
shift
rs_device_up
rs_need_module rdma_shim rdma_shim_odp_test
export RS_IBDEV RS_ADDR
"$RS_HERE/$program" "$@"
