#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: nfs_server.sh [ROUNDS]
#
# What an operator does: start, stop and status of rdma-shim nfs, IPv6, the
# kernel's own transport on another port, and restarts of nfsd under a client
# that writes, ROUNDS times.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"

rounds=${1:-1}
NFS_NATIVE_PORT=20049
addr6=fd00:$((RANDOM % 10000))::1

# says CODE TEXT ARGUMENT...: rdma-shim nfs exits so, and says that.
says()
{
	local want=$1 text=$2 said code

	shift 2
	said=$(timeout 60 rdma-shim nfs "$@" 2>&1)
	code=$?
	echo "exit $code: $said"
	[ "$code" = "$want" ] && grep -q -e "$text" <<< "$said"
}

# A file through the mount is the one on the server.
copies()
{
	head -c 300000 /dev/urandom > "$NFS_EXPORT/from-server" &&
		cp "$NFS_MNT/from-server" "$NFS_MNT/from-client" &&
		cmp "$NFS_EXPORT/from-server" "$NFS_EXPORT/from-client" &&
		rm "$NFS_MNT/from-server" "$NFS_MNT/from-client"
}

# The messages that reach us while a command runs.
messages_of()
{
	local before

	before=$(nfs_count messages)
	"$@" > /dev/null || return
	echo $(($(nfs_count messages) - before))
}

ours_served()
{
	local n

	n=$(messages_of copies) && echo "$n messages" && [ "$n" -gt 5 ]
}

# on_native COMMAND...: with the mount of the kernel's own transport.
on_native()
{
	local NFS_MNT=$native_mnt

	"$@"
}

# What keeps a lease of ours alive meanwhile is a message or two.
native_served()
{
	local n

	n=$(messages_of on_native copies) && echo "$n messages to ours" && [ "$n" -lt 3 ]
}

both_mounted()
{
	nfs_mounted_as "$NFS_PORT" && on_native nfs_mounted_as "$NFS_NATIVE_PORT"
}

both_unmount()
{
	nfs_umount && on_native nfs_umount
}

# Lines that go on through a restart; the last one is in $work/lines.
writer()
{
	local n=0

	while [ ! -e "$work/stop" ]; do
		n=$((n + 1))
		echo "line $n" >> "$NFS_MNT/lines" || { echo "line $n failed" >> "$work/errors"; }
		[ $((n % 20)) != 0 ] || dd if=/dev/zero of="$NFS_MNT/much" bs=256k count=4 conv=fsync 2>> "$work/dd" || echo "much $n failed" >> "$work/errors"
		echo $n > "$work/lines"
	done
}

lines()
{
	cat "$work/lines" 2> /dev/null || echo 0
}

wrote_more_than()
{
	[ "$(lines)" -gt "$1" ]
}

# Nobody serves for a second; the client may then take back what it had.
restart()
{
	local start=$SECONDS now

	now=$(lines)
	nfs_wait 30 wrote_more_than $((now + 20)) || { echo "the client does not write"; return 1; }
	timeout 30 rpc.nfsd 0 || { echo "nfsd does not stop"; return 1; }
	nfs_wait 10 nfs_no_connection || { echo "a connection outlives nfsd"; return 1; }
	sleep 1
	nfs_serve || return
	now=$(lines)
	nfs_wait 60 wrote_more_than $((now + 20)) || { echo "the client does not go on"; return 1; }
	echo "$((SECONDS - start)) s"
}

writer_was_right()
{
	touch "$work/stop"
	wait "$writer"
	sync -f "$NFS_MNT"
	[ ! -s "$work/errors" ] || { cat "$work/errors"; return 1; }
	seq -f 'line %g' "$(lines)" | cmp - "$NFS_EXPORT/lines" &&
		[ "$(stat -c %s "$NFS_EXPORT/much")" = 1048576 ]
}

# siw of 5.10 listens for IPv6 and IPv4 at once, or not at all, and the
# kernel's own transport wants both.
own_transport()
{
	echo "rdma $NFS_NATIVE_PORT" > /proc/fs/nfsd/portlist && return
	[ "$DEVICE" != siw ] && rs_result 1 "the kernel's own transport listens"
	return 1
} 2> /dev/null

beside()
{
	local versions native ours

	rs_try "no start on a port of the kernel's own" says 5 "the kernel's own transport" start "$NFS_NATIVE_PORT"
	for versions in '3 4.1' '4.1 3'; do
		native=${versions% *} ours=${versions#* }
		rs_try "version $native on the kernel's own" on_native nfs_mount "$native" "$NFS_NATIVE_PORT"
		rs_try "version $ours on ours" nfs_mount "$ours"
		rs_try "each is what it should be" both_mounted
		rs_try "ours serves" ours_served
		rs_try "the kernel's own serves" native_served
		rs_try "both unmount" both_unmount
	done
}

by_ipv6()
{
	rs_try "mounts by IPv6" nfs_mount 4.2 "$NFS_PORT" "$addr6"
	rs_try "by RDMA on IPv6" nfs_mounted_as "$NFS_PORT" rdma6
	rs_try "serves by IPv6" ours_served
	rs_try "unmounts IPv6" nfs_umount
}

only_tcp()
{
	cat /proc/fs/nfsd/portlist
	grep -q '^tcp 2049' /proc/fs/nfsd/portlist && ! grep -q rdma-shim /proc/fs/nfsd/portlist
}

nfs_up
work=$(mktemp -d)
native_mnt=$NFS_MNT-native
mkdir "$native_mnt"
ip addr add "$addr6/64" dev "$RS_NETDEV" nodad
echo "TAP version 13"

rs_try "without nfsd: no start" says 3 'nfsd does not run: start it' start "$NFS_PORT"
rs_try "without nfsd: status" says 3 no-nfsd status
rpc.nfsd "$NFS_THREADS"
rs_try "with nfsd: status" says 7 'not-served' status
rs_try "start" says 0 "serves NFS/RDMA on port $NFS_PORT" start "$NFS_PORT"
rs_try "start again" says 0 'already serves' start "$NFS_PORT"
rs_try "status" says 0 "ports: $NFS_PORT;" status
rs_try "stop says what it takes" says 6 'closes a listener only together' stop
echo Y 2> /dev/null > /proc/fs/nfsd/v4_end_grace

if own_transport; then
	beside
else
	rs_pass_over "the kernel's own transport beside ours" "it does not listen here"
fi

if [ "$(grep -c "^rdma-shim $NFS_PORT\$" /proc/fs/nfsd/portlist)" = 2 ]; then
	by_ipv6
else
	rs_pass_over "mounts by IPv6" "a device here cannot listen for both"
fi
ip addr add "$RS_PEER_ADDR/24" dev "$RS_PEER_NETDEV"
rs_link_up "$RS_PEER_NETDEV" "rs$$p"
rs_try "mounts by a device that came later" nfs_mount 3 "$NFS_PORT" "$RS_PEER_ADDR"
rs_try "serves by that device" ours_served
rs_try "unmounts" nfs_umount
rs_try "no connection is left" nfs_wait 10 nfs_no_connection

rs_try "mounts for the restarts" nfs_mount 4.1
writer &
writer=$!
for round in $(seq "$rounds"); do
	rs_try "restart $round under a client that writes" restart
done
rs_try "every line and byte is there" writer_was_right
rs_try "status counts the connection" says 0 'connections: 1 now' status
rs_try "unmounts" nfs_umount

rs_try "stop --restart" says 0 'does not serve' stop --restart
rs_try "nfsd runs on" grep -q "^$NFS_THREADS\$" /proc/fs/nfsd/threads
rs_try "without our port" only_tcp
rs_try "the module has left" [ ! -d /sys/module/svcrdma_shim ]
rs_try "start loads it" says 0 'serves NFS/RDMA' start "$NFS_PORT"
rs_try "nfsd stops" timeout 60 rpc.nfsd 0
rs_try "stop without nfsd unloads the module" says 0 'does not serve' stop
rm -rf "$work"
rs_finish
