#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With the package loaded, NVMe over RDMA with stock modules works: a target
# and a host on one device, and fio, which compares what it reads with what it
# wrote.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

nqn=rdma-shim-$$
port=$((4420 + $$ % 500))
target=/sys/kernel/config/nvmet
size=$((16 / SCALE > 4 ? 16 / SCALE : 4))

put()
{
	echo "$2" > "$target/$1"
}

make_target()
{
	truncate -s 128M "$work/disk"
	loop=$(losetup --find --show "$work/disk") || return 1
	mkdir "$target/subsystems/$nqn" &&
		put "subsystems/$nqn/attr_allow_any_host" 1 &&
		mkdir "$target/subsystems/$nqn/namespaces/1" &&
		put "subsystems/$nqn/namespaces/1/device_path" "$loop" &&
		put "subsystems/$nqn/namespaces/1/enable" 1 &&
		mkdir "$target/ports/$port" &&
		put "ports/$port/addr_adrfam" ipv4 &&
		put "ports/$port/addr_trtype" rdma &&
		put "ports/$port/addr_traddr" "$RS_ADDR" &&
		put "ports/$port/addr_trsvcid" "$port" &&
		ln -s "$target/subsystems/$nqn" "$target/ports/$port/subsystems/$nqn"
}

remove_target()
{
	timeout 60 nvme disconnect -n "$nqn" > /dev/null 2>&1
	rm -f "$target/ports/$port/subsystems/$nqn"
	rmdir "$target/ports/$port" 2> /dev/null
	rmdir "$target/subsystems/$nqn/namespaces/1" "$target/subsystems/$nqn" 2> /dev/null
	[ -z "${loop:-}" ] || losetup -d "$loop"
	rm -rf "$work"
	rs_cleanup
}

# The namespace appears a little after the connection.
find_disk()
{
	local tries=100 name
	while [ $((tries -= 1)) -gt 0 ]; do
		for name in /sys/class/nvme/nvme*; do
			[ "$(cat "$name/subsysnqn" 2> /dev/null)" = "$nqn" ] || continue
			disk=/dev/$(cd /sys/block && echo "nvme${name##*/nvme}n"* | cut -d ' ' -f 1)
			[ ! -b "$disk" ] || return 0
		done
		sleep 0.1
	done
	return 1
}

connect()
{
	timeout 60 nvme connect -t rdma -a "$RS_ADDR" -s "$port" -n "$nqn" -i 2
}

verify()
{
	timeout 150 fio --name=verify --filename="$disk" --size="${size}M" \
		--rw=randwrite "$@" --iodepth=8 --ioengine=libaio --direct=1 \
		--verify=crc32c --verify_fatal=1 --randseed="${SEED:-1}" --minimal
}

rs_need_command nvme fio losetup
rs_device_up
rs_need_module loop nvmet nvmet_rdma nvme_rdma rdma_shim
rs_mr_module rdma_shim_mr_test
[ -d "$target" ] || mount -t configfs none /sys/kernel/config ||
	rs_skip "configfs cannot be mounted"
work=$(mktemp -d)
trap remove_target EXIT

echo "TAP version 13"
rs_try "the target" make_target
rs_try "the host connects" connect
if find_disk; then
	rs_result 0 "the disk appears"
	rs_try "fio: $size MiB in 4K, compared" verify --bs=4k
	rs_try "fio: $size MiB in pieces of 4K to 256K, compared" verify --bsrange=4k-256k
	rs_try "the host disconnects" timeout 60 nvme disconnect -n "$nqn"
else
	rs_result 1 "the disk appears"
fi
rs_finish
