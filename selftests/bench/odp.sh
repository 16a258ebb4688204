#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What ib_umem_odp_map_dma_and_lock() costs, the kernel's own and the package's.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../lib.sh
. "$RS_HERE/lib.sh"

rs_need_root
rs_device_up
rs_need_module ib_uverbs rdma_shim rdma_shim_odp_test rdma_shim_odp_native
export RS_NETDEV
"$RS_HERE/odp_bench"
