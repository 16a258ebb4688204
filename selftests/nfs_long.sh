#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hard use over our transport: fio with 8 jobs of mixed sizes, which compares
# what it reads, and random operations against a model, both on each version.
# SECONDS_EACH= is how long the random ones take.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"

each=${SECONDS_EACH:-60}
size=$((8 / SCALE > 2 ? 8 / SCALE : 2))

fio_verifies()
{
	timeout 300 fio --name=mixed --directory="$NFS_MNT" --numjobs=8 --size="${size}M" \
		--rw=randrw --bsrange=512-1M --bs_unaligned=1 --ioengine=psync \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="${SEED:-1}" \
		--group_reporting --minimal "$@" &&
		rm -f "$NFS_MNT"/mixed.*
}

random()
{
	timeout $((each + 120)) "$RS_HERE/nfs_random" "$NFS_MNT" "$NFS_EXPORT" "$each" ${SEED:+"$SEED"}
}

rs_need_command fio
nfs_up
echo "TAP version 13"
rs_try "the server starts" nfs_serve_new
for version in 3 4.0 4.1 4.2; do
	rs_try "$version: mounts" nfs_mount "$version"
	rs_try "$version: fio, 8 jobs, mixed sizes, buffered" fio_verifies
	rs_try "$version: fio, 8 jobs, mixed sizes, direct" fio_verifies --direct=1
	rs_try "$version: random operations for $each s" random
	rs_try "$version: nothing was refused or failed" nfs_nothing_wrong
	rs_try "$version: unmounts" nfs_umount
done
rs_try "no connection is left" nfs_wait 10 nfs_no_connection
rs_try "the server stops" timeout 60 rpc.nfsd 0
rs_try "the module leaves" modprobe -r svcrdma_shim
rs_finish
