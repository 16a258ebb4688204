#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Eight threads allocate, map, register, read, write, invalidate and free
# regions of random shape on one device; afterwards nothing is left of them.
#
# SOAK= seconds (LONG=1: 60, otherwise 15 / SCALE), SEED= the shapes.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

seconds=${SOAK:-$((${LONG:+60} + 0))}
[ "$seconds" -gt 0 ] || seconds=$((15 / SCALE > 2 ? 15 / SCALE : 3))

# Regions of the kernel that the device has now.
regions_alive()
{
	rdma resource show mr 2> /dev/null | grep -c "dev $RS_IBDEV "
}

# Objects of the general caches. Nobody else allocates here by the thousand.
objects()
{
	# Frees of records wait for a grace period.
	sleep 2
	awk '/^kmalloc-/ { n += $2 } END { print n + 0 }' /proc/slabinfo
}

soak()
{
	rs_mr soak ours "$1" "$2" > "$work"
}

used()
{
	sed -n 's/^# regions //p' "$work"
}

nothing_wrong()
{
	soak "$1" "$2" && [ "$(used)" -gt 0 ] && return
	grep -E -A 1 '^not ok' "$work"
	return 1
}

regions_level()
{
	[ "$(regions_alive)" = "$regions_before" ] && return
	echo "$regions_before regions before, $(regions_alive) afterwards"
	return 1
}

# A leak of one object a region would show as many times what is allowed.
objects_level()
{
	local after grown allowed
	after=$(objects)
	grown=$((after - objects_before))
	allowed=$(($(used) / 4))
	echo "# $(used) regions, objects $objects_before before, $after after"
	[ "$grown" -le "$allowed" ] && return
	echo "$grown objects more than before; $allowed would be chance"
	return 1
}

rs_device_up
[ -r /proc/slabinfo ] || rs_skip "the kernel has no /proc/slabinfo"
rs_mr_module rdma_shim_mr_test
work=$(mktemp)

echo "TAP version 13"
# The first run fills what stays filled: tables, caches, queues.
rs_try "8 threads for 2 s" nothing_wrong "${SEED:-1}" 2
regions_before=$(regions_alive)
objects_before=$(objects)
rs_try "8 threads for $seconds s: all data right" nothing_wrong "$((${SEED:-1} + 100))" "$seconds"
echo "# $(used) regions"
rs_try "as many regions as before" regions_level
rs_try "as many objects as before" objects_level
rm -f "$work"
rs_finish
