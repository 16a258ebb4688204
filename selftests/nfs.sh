#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: nfs.sh [-s] VERSION...
#
# A stock client mounts an export over our transport with that version of NFS:
# bytes, long calls and replies, locks, delegations; then it leaves. With -s
# fewer offsets and lengths.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"

bytes()
{
	local mode offset

	for mode in buffered direct; do
		for offset in $offsets; do
			# shellcheck disable=SC2086 # a word each
			rs_try "$1: bytes equal, $mode, offset $offset" \
				timeout 120 "$RS_HERE/nfs_bytes" "$NFS_MNT" "$NFS_EXPORT" \
				$mode "$offset" $lengths
		done
	done
}

# 4 MiB are 4 calls either way, and each call that writes has a Read list.
big_calls()
{
	local lists reads writes

	lists=$(nfs_count read_lists)
	reads=$(nfs_calls READ)
	writes=$(nfs_calls WRITE)
	dd if=/dev/zero of="$NFS_MNT/big" bs=1M count=4 oflag=direct 2> /dev/null &&
		dd if="$NFS_MNT/big" of=/dev/null bs=1M count=4 iflag=direct 2> /dev/null || return 1
	lists=$(($(nfs_count read_lists) - lists))
	reads=$(($(nfs_calls READ) - reads))
	writes=$(($(nfs_calls WRITE) - writes))
	rm "$NFS_MNT/big"
	echo "$writes calls wrote by $lists Read lists, $reads read"
	[ "$lists" = 4 ] && [ "$writes" = 4 ] && [ "$reads" = 4 ]
}

# With little room inline, calls become chunks, and replies too.
names()
{
	local long replies

	long=$(nfs_stat long_calls)
	replies=$(nfs_stat replies)
	timeout 120 "$RS_HERE/nfs_names" "$NFS_MNT" "$NFS_EXPORT" "$1" || return 1
	long=$(($(nfs_stat long_calls) - long))
	replies=$(($(nfs_stat replies) - replies))
	echo "$long calls and $replies replies were chunks"
	[ "$long" -gt 0 ] && [ "$replies" -gt 0 ]
}

small_inline()
{
	echo "$1" > /sys/module/svcrdma_shim/parameters/inline_size
}

locks()
{
	: > "$NFS_EXPORT/locked"
	timeout 90 "$RS_HERE/nfs_locks" "$NFS_MNT/locked" "$NFS_EXPORT/locked"
}

delegated()
{
	cat /proc/fs/nfsd/clients/*/states | grep -q 'type: deleg.*delegated-'
}

# Sets file to one that the client has a delegation of, and has open as 9. By a
# hash of few bits nfsd takes files for ones with a conflict a moment ago, so it
# is not always the first.
delegated_file()
{
	for file in delegated-{1..10}; do
		echo before > "$NFS_EXPORT/$file"
		exec 9< "$NFS_MNT/$file" && cat <&9 > /dev/null
		! delegated || return 0
		exec 9<&-
	done
	echo "no delegation was given"
	cat /proc/fs/nfsd/clients/*/{info,states}
	return 1
}

# Somebody else writes: the server asks the client to give back what it has.
# Without an answer that takes the lease time, 10 s, at least.
delegation()
{
	local file start took

	delegated_file || return
	start=$(date +%s%N)
	echo after >> "$NFS_EXPORT/$file"
	took=$((($(date +%s%N) - start) / 1000000))
	exec 9<&-
	echo "recalled in $took ms"
	! delegated || { echo "the client still has it"; return 1; }
	[ "$took" -lt 5000 ] && [ "$(tail -n 1 "$NFS_MNT/$file")" = after ]
}

offsets='0 1 511 4095'
lengths=
if [ "$1" = -s ]; then
	shift
	offsets='0 511'
	lengths='1 511 4095 4097 65535 1048576'
fi
nfs_up
echo "TAP version 13"
rs_try "the server starts" nfs_serve_new
for version; do
	rs_try "$version: mounts" nfs_mount "$version"
	rs_try "$version: by RDMA, port $NFS_PORT, calls of 1 MiB" nfs_mounted_as "$NFS_PORT"
	rs_try "$version: 4 MiB are 4 calls" big_calls
	bytes "$version"
	rs_try "$version: locks" locks
	[ "$version" = 3 ] || rs_try "$version: a delegation is recalled" delegation
	rs_try "$version: nothing was refused or failed" nfs_nothing_wrong
	rs_try "$version: unmounts" nfs_umount
	rs_try "$version: its connection goes" nfs_wait 10 nfs_no_connection

	small_inline 1024
	rs_try "$version: mounts with 1 KiB inline" nfs_mount "$version"
	rs_try "$version: long names, links, lists" names "$version"
	rs_try "$version: nothing was refused or failed" nfs_nothing_wrong
	rs_try "$version: unmounts" nfs_umount
	small_inline 4096
	rm -rf "${NFS_EXPORT:?}"/*
done
rs_try "the server stops" timeout 60 rpc.nfsd 0
rs_try "no connection is left" nfs_wait 10 nfs_no_connection
rs_try "the module leaves" modprobe -r svcrdma_shim
rs_finish
