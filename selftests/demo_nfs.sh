#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: demo_nfs.sh STEP
#
# The part of `make demo` about NFS, in a guest: nfsd serves an export over our
# transport, the stock client writes a file, and both sides have its checksum.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"

n=$(($1 - 1))

step()
{
	n=$((n + 1))
	echo "demo: $n. $*"
}

fail()
{
	echo "demo: failed: $*" >&2
	exit 1
}

sum()
{
	sha256sum < "$1" | cut -d ' ' -f 1
}

nfs_up
nfs_serve_new > /dev/null || fail "nfsd does not serve: 'rdma-shim nfs start $NFS_PORT' says why."
step "NFS: started nfsd, then: rdma-shim nfs start $NFS_PORT"
nfs_mount 4.2 || fail "the export cannot be mounted."
nfs_mounted_as "$NFS_PORT" > /dev/null || fail "the mount is not by RDMA."
step "the stock client mounted it: $(findmnt -n -o SOURCE,OPTIONS "$NFS_MNT" | tr -s ' ')"
head -c 10000000 /dev/urandom > /tmp/file
cp /tmp/file "$NFS_MNT/file" || fail "the file cannot be written."
sync -f "$NFS_MNT"
ours=$(sum /tmp/file) theirs=$(sum "$NFS_EXPORT/file")
step "wrote a file of 10 MB through it, in $(nfs_count read_lists) calls with RDMA Reads; SHA-256"
echo "demo:      of what was written   $ours"
echo "demo:      on the server's disk  $theirs"
[ "$ours" = "$theirs" ] || fail "the two differ."
nfs_umount || fail "the export cannot be unmounted."
step "unmounted; $(nfs_connections) connections are left"
