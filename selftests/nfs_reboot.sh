#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client that holds a lock loses power and comes back. Its lease would live on
# for more than a minute, but the server knows by what it says on its return
# that nobody is there to hold anything (RFC 8881 section 8.4.2), and gives it
# the lock at once. The client's device is on the other end of a wire; what it
# has in memory goes with the modules of its file system.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"

lease=90
at_once=$((lease / 2))
holder=

reboot_cleanup()
{
	[ -z "$holder" ] || kill -9 "$holder"
	rs_wire_down
	nfs_cleanup
} 2> /dev/null

mounts()
{
	nfs_mount 4.1 "$NFS_PORT" "$RS_ADDR" soft,timeo=20,retrans=1
}

by_wire()
{
	rdma resource show qp | grep rpcrdma
	rdma resource show qp | grep -q "link $RS_PEER_IBDEV/.*comm \[rpcrdma\]"
}

# states PATTERN: state of any client on the server.
states()
{
	cat /proc/fs/nfsd/clients/*/states | grep -c "$1"
} 2> /dev/null

locked()
{
	[ "$(states 'type: lock')" = 1 ]
}

takes_lock()
{
	flock -x "$NFS_MNT/held" sleep 1000 &
	holder=$!
	nfs_wait 20 locked || { echo "the server knows of no lock"; return 1; }
}

client_modules_leave()
{
	modprobe -r nfsv4 nfsv3 nfs && [ ! -d /sys/module/nfs ]
}

# Nothing that it says from here on gets out.
loses_power()
{
	ip link set "$RS_PEER_NETDEV" down
	kill -9 "$holder"
	umount -f "$NFS_MNT"
	umount -f -l "$NFS_MNT"
	holder=
	nfs_wait 120 client_modules_leave || { echo "the client's modules are still in use"; return 1; }
	locked || { echo "the server has dropped the lock"; states type; return 1; }
} 2>&1

comes_back()
{
	ip link set "$RS_PEER_NETDEV" up
	rs_wire_path "$RS_ADDR" "$RS_PEER_ADDR" "$RS_NETDEV" "$RS_PEER_NETDEV" 901
	rs_wire_path "$RS_PEER_ADDR" "$RS_ADDR" "$RS_PEER_NETDEV" "$RS_NETDEV" 902
	nfs_wait 20 mounts
}

locks_at_once()
{
	local start=$SECONDS

	timeout $at_once flock -x "$NFS_MNT/held" true || { echo "not within $at_once s"; return 1; }
	echo "after $((SECONDS - start)) s"
	[ "$(states 'type: lock')" = 0 ] || { echo "the server still has a lock"; return 1; }
}

rs_need_command flock sysctl
nfs_up
trap reboot_cleanup EXIT
echo $lease > /proc/fs/nfsd/nfsv4leasetime
ip addr add "$RS_PEER_ADDR/24" dev "$RS_PEER_NETDEV"
rs_link_up "$RS_PEER_NETDEV" "rs$$p"
RS_PEER_IBDEV=$RS_IBDEV
rs_wire_up
: > "$NFS_EXPORT/held"
echo "TAP version 13"
rs_try "the server starts" nfs_serve_new
rs_try "a client mounts" mounts
rs_try "over the wire" by_wire
rs_try "locks a file" takes_lock
rs_try "loses power, and the server keeps its lock" loses_power
rs_try "comes back" comes_back
rs_try "has its lock at once" locks_at_once
rs_try "unmounts" nfs_umount
rs_try "no connection is left" nfs_wait 30 nfs_no_connection
rs_try "the server stops" timeout 60 rpc.nfsd 0
rs_try "the module leaves" modprobe -r svcrdma_shim
rs_finish
