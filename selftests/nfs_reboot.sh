#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client that holds a lock loses power and comes back: guest a, whose plug is
# pulled. Its lease lives on for more than a minute, but guest b knows by what it
# says on its return that nobody is there to hold anything (RFC 8881 section
# 8.4.1), and gives it the lock at once.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"
. "$RS_HERE/pair_lib.sh"

NFS_EXPORT=/scratch/export
lease=90
at_once=$((lease / 3))

# ---- guest b

serve()
{
	nfs_up
	echo $lease > /proc/fs/nfsd/nfsv4leasetime
	: > "$NFS_EXPORT/held"
	pair_serve
	pair_over
}

# ---- guest a

mounts()
{
	nfs_mount 4.1 "$NFS_PORT" "$PEER"
}

# b knows of so many locks.
locks_on_b()
{
	[ "$(on_b "cat /proc/fs/nfsd/clients/*/states | grep -c 'type: lock'")" = "$1" ]
}

# The end of this boot, unless something is wrong.
take_lock()
{
	local said

	said=$(mounts 2>&1) || rs_result 1 "mounts: $said"
	flock -x "$NFS_MNT/held" sleep 1000 > /dev/null 2>&1 &
	nfs_wait 60 locks_on_b 1 || rs_result 1 "takes a lock"
	[ "$TAP_FAILED" = 0 ] || rs_finish
	trap - EXIT
	exit "$PAIR_AGAIN"
}

locks_at_once()
{
	local start=$SECONDS

	timeout $at_once flock -x "$NFS_MNT/held" true || { echo "not within $at_once s"; return 1; }
	echo "after $((SECONDS - start)) s"
}

reboot_cleanup()
{
	timeout 30 umount -f "$NFS_MNT"
	pair_end 60
	rs_cleanup
} 2> /dev/null

drive()
{
	rs_need_command flock
	rs_device_up
	rs_need_module nfs nfsv4 rpcrdma
	mkdir -p "$NFS_MNT"
	trap reboot_cleanup EXIT
	pair_wait || rs_skip "guest b does not serve"
	[ "$BOOT" = 2 ] || take_lock

	echo "TAP version 13"
	rs_try "the server keeps the lock of a client that lost power" locks_on_b 1
	rs_try "the client mounts when it is back" mounts
	rs_try "and has the lock at once" locks_at_once
	rs_try "of its life before nothing is left" nfs_wait 10 locks_on_b 0
	rs_try "it unmounts" nfs_umount
	rs_finish
}

if [ "$ROLE" = b ]; then
	serve
else
	drive
fi
