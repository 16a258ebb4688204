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
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$RS_HERE/lib.sh"

api=${1:-ours}
rs_device_up
[ "$api" = native ] || rs_need_module rdma_shim
rs_need_module rdma_shim_mr_test

lists=${LISTS:-$((400 / SCALE))}
echo "TAP version 13"
exec 3<> /dev/rdma-shim-mr || exit 1
status=0
echo "run $RS_ADDR 18515 $api $DEVICE ${SEED:-1} $lists" >&3 || status=1
output=$(timeout 60 cat <&3)
exec 3>&-
printf '%s\n' "$output"
[ "$status" = 0 ] || exit 1
! grep -q '^not ok' <<< "$output"
