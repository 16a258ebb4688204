#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What ib_map_mr_sg() costs, the kernel's own and the package's.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=selftests/lib.sh
. "$RS_HERE/lib.sh"

rs_device_up
rs_mr_module rdma_shim_mr_test

echo "TAP version 13"
rs_mr bench ours 1 0
