#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What an NFS call costs, client and wire included: through the kernel's own
# RDMA transport, then through ours, to the same server and the same file.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=selftests/lib.sh
. "$RS_HERE/lib.sh"
# shellcheck source=selftests/nfs_lib.sh
. "$RS_HERE/nfs_lib.sh"

native_port=20049
declare -A figures

# OPERATION SIZE CALLS PROCEDURE
operations()
{
	cat <<-END
	write 4096 50 WRITE
	write 65536 20 WRITE
	write 1048576 4 WRITE
	read 4096 50 READ
	read 1048576 4 READ
	stat 0 100 GETATTR
	END
}

row()
{
	case $2 in
	0) echo "$1" ;;
	1048576) echo "$1-1M" ;;
	*) echo "$1-$(($2 / 1024))K" ;;
	esac
}

# measure WHOSE PORT: each operation, and that the server saw every call.
measure()
{
	local verb size calls procedure before seen

	nfs_mount 4.1 "$2" "$RS_ADDR" noac || return
	while read -r verb size calls procedure; do
		before=$(nfs_calls "$procedure")
		figures[$1,$(row "$verb" "$size")]=$("$RS_HERE/bench_nfs" \
			"$NFS_MNT/file" "$verb" "$size" "$calls") || return
		seen=$(($(nfs_calls "$procedure") - before))
		[ "$seen" -ge $((calls * 6)) ] ||
			{ echo "# $1: $seen calls of $procedure instead of $((calls * 6))"; return 1; }
	done < <(operations)
	nfs_umount
}

echo 'TAP version 13'
nfs_up
# In memory: what a disk does in the background is not the transport's.
mount -t tmpfs -o mode=1777 tmpfs "$NFS_EXPORT" && exportfs -r &&
	exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 "*:$NFS_EXPORT"
nfs_serve_new || rs_skip "nfsd cannot be started on our port"
echo "rdma $native_port" > /proc/fs/nfsd/portlist || rs_skip "no RDMA transport of the kernel's own"
echo '1..2'
failed=0
n=0
for whose in native ours; do
	port=$native_port
	[ $whose = native ] || port=$NFS_PORT
	n=$((n + 1))
	if measure $whose "$port"; then
		echo "ok $n - $whose"
	else
		echo "not ok $n - $whose"
		failed=1
	fi
done
while read -r verb size _; do
	name=$(row "$verb" "$size")
	echo "# bench nfs $name native ${figures[native,$name]} ours ${figures[ours,$name]}"
done < <(operations)
exit $failed
