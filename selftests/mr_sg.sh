#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: mr_sg.sh [native]
#
# ib_map_mr_sg() on one device: contract M1 to M12, as far as a peer's bytes.
# With "native" the running kernel's own functions run instead, and what they
# get wrong is reported, not counted as a failure.
#
# SEED= and LISTS= choose the random lists (SCALE= divides their number).

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

api=${1:-ours}
rs_device_up
if [ "$api" = native ]; then
	rs_mr_module rdma_shim_mr_native
else
	rs_mr_module rdma_shim_mr_test
fi

echo "TAP version 13"
rs_mr run "$api" "${SEED:-1}" "${LISTS:-$((400 / SCALE))}"
