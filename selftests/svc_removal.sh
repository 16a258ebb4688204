#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: svc_removal.sh [ROUNDS]
#
# Under 0, 1 and 16 connections that call, the device is removed, or its netdev
# below it, or somebody wants the module unloaded and nfsd stopped. Each time
# all connections end, nothing is kept, and the next client is served by what
# comes instead (contract R7, R9). The clients are on a device that stays, at the
# other end of a wire: one that goes under its clients as well can leave them in
# cm_destroy_id() of a stock 6.1 for good.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/svc_lib.sh"
. "$RS_HERE/nfs_lib.sh"

rounds=${1:-1}
at_once=20	# seconds for what must not hang
holder=

# hold COUNT PORT [nfs]: connections that call all the time.
hold()
{
	holder=
	[ "$1" -gt 0 ] || return 0
	"$RS_HERE/wire_many" "$RS_ADDR" "$2" "$DEVICE" "$RS_PEER_ADDR" hold "$1" ${3:+"$3"} > "$work/holder" 2>&1 &
	holder=$!
	nfs_wait 60 grep -q -e ^holding -e ^# "$work/holder" && grep -q ^holding "$work/holder" && return
	echo "the clients do not get as far:"
	cat "$work/holder"
	return 1
}

holder_gone()
{
	! kill -0 "$holder" 2> /dev/null
}

# All of its connections were closed, and the clients noticed.
released()
{
	[ -n "$holder" ] || return 0
	nfs_wait 60 holder_gone || { echo "the clients hang"; kill -9 "$holder"; return 1; }
	grep -q ^released "$work/holder" && return
	cat "$work/holder"
	return 1
}

# Verbs objects of the transport that are there, on any device.
objects()
{
	{ rdma resource show qp; rdma resource show cq; rdma resource show pd; rdma resource show mr; } 2> /dev/null |
		grep -c 'comm \[svcrdma_shim\]'
}

no_objects()
{
	[ "$(objects)" = 0 ]
}

all_given_back()
{
	nfs_wait "$at_once" nfs_no_connection || { echo "$(nfs_connections) connections are left"; return 1; }
	nfs_wait "$at_once" no_objects || { echo "$(objects) verbs objects are left"; return 1; }
}

# served PORT [nfs]: one client, once.
served()
{
	timeout 60 "$RS_HERE/wire_many" "$RS_ADDR" "$1" "$DEVICE" "$RS_PEER_ADDR" ask 1 ${2:+"$2"} > "$work/served" 2>&1 &&
		return
	echo "the next client is not served:"
	cat "$work/served"
	return 1
}

no_device()
{
	[ -z "$(rs_device_on "$RS_NETDEV")" ]
}

remove_link()
{
	timeout "$at_once" rdma link del "$(rs_device_on "$RS_NETDEV")" || { echo "rdma link del hangs"; return 1; }
}

restore_link()
{
	rs_link_up "$RS_NETDEV" "rs$$"
}

remove_netdev()
{
	timeout "$at_once" ip link del "$RS_NETDEV" || { echo "ip link del hangs"; return 1; }
}

restore_netdev()
{
	nfs_wait "$at_once" no_device || { echo "the device outlives its netdev"; return 1; }
	server_up
	rs_wire_paths
}

# removal KIND COUNT: link or netdev.
removal()
{
	local kind=$1 n

	for n in $(seq "$rounds"); do
		hold "$2" "$SVC_PORT" &&
			"remove_$kind" &&
			released &&
			all_given_back &&
			"restore_$kind" &&
			served "$SVC_PORT" && continue
		echo "round $n"
		return 1
	done
}

# The server's device, on a netdev that can go without the clients' one.
server_up()
{
	ip link add link "$lower" name "$RS_NETDEV" type macvlan mode bridge
	ip addr add "$RS_ADDR/24" dev "$RS_NETDEV"
	ip link set "$RS_NETDEV" up
	rs_link_up "$RS_NETDEV" "rs$$"
}

refuses_to_unload()
{
	local said

	said=$(LC_ALL=C timeout "$at_once" rmmod svcrdma_shim 2>&1) && { echo "it unloads under $1 connections"; return 1; }
	echo "rmmod: $said"
	grep -q 'in use' <<< "$said" || return
	said=$(timeout "$at_once" rdma-shim nfs stop 2>&1)
	[ $? = 6 ] || { echo "nfs stop: $said"; return 1; }
	[ -z "$holder" ] || ! holder_gone || { echo "and the clients lose their connections"; return 1; }
}

nfsd_stops()
{
	timeout "$at_once" rpc.nfsd 0 || { echo "rpc.nfsd 0 hangs"; return 1; }
}

unloads()
{
	timeout "$at_once" rdma-shim nfs stop > "$work/stop" 2>&1
	[ ! -d /sys/module/svcrdma_shim ] || { cat "$work/stop"; return 1; }
}

nfsd_starts()
{
	rpc.nfsd 2 && timeout 60 rdma-shim nfs start "$NFS_PORT" > "$work/start" 2>&1 && return
	cat "$work/start"
	return 1
}

# unloading COUNT: the module is in use until nfsd stops, then it leaves.
unloading()
{
	local n

	for n in $(seq "$rounds"); do
		hold "$1" "$NFS_PORT" nfs &&
			refuses_to_unload "$1" &&
			served "$NFS_PORT" nfs &&
			nfsd_stops &&
			released &&
			all_given_back &&
			unloads &&
			nfsd_starts &&
			served "$NFS_PORT" nfs && continue
		echo "round $n"
		return 1
	done
}

# Nfsd has not served a call of its clients' device since it went.
stops_without_device()
{
	hold 16 "$NFS_PORT" nfs && remove_link && nfsd_stops && released && all_given_back &&
		unloads && restore_link && nfsd_starts && served "$NFS_PORT" nfs
}

removal_cleanup()
{
	[ -z "$holder" ] || holder_gone || kill -9 "$holder"
	timeout 60 rpc.nfsd 0
	[ ${#NFS_PIDS[@]} = 0 ] || killall -q "${NFS_PIDS[@]}"
	rs_wire_down
	svc_cleanup
	rm -rf "$work"
} 2> /dev/null

rs_need_command rpcbind rpc.nfsd rdma-shim killall sysctl
work=$(mktemp -d)
rs_netdevs_up
rs_need_module macvlan
trap removal_cleanup EXIT
lower=$RS_NETDEV
RS_NETDEV=rs$$-c
ip addr del "$RS_ADDR/24" dev "$lower"
ip addr add "$RS_PEER_ADDR/24" dev "$RS_PEER_NETDEV"
rs_link_up "$RS_PEER_NETDEV" "rs$$p"
server_up
rs_wire_up
svc_serve 2 rdma-shim

echo "TAP version 13"
rs_try "a client is served over the wire" served "$SVC_PORT"
before=$(svc_memory)
for kind in link netdev; do
	for count in 0 1 16; do
		start=$SECONDS
		rs_try "the $kind is removed under $count connections" removal $kind $count
		echo "# $rounds times in $((SECONDS - start)) s"
	done
done
rs_try "memory is level" svc_level "$before" 0
sed 's/^/# /' $SVC_COUNTERS
rs_try "nothing of the service stays behind" svc_down

rs_need_module nfsd
nfs_mount_quietly nfsd /proc/fs/nfsd
nfs_daemon rpcbind -w
rs_try "nfsd serves" nfsd_starts
for count in 0 1 16; do
	start=$SECONDS
	rs_try "the module is unloaded after $count connections, not under them" unloading $count
	echo "# $rounds times in $((SECONDS - start)) s"
done
rs_try "nfsd stops, its device gone under 16 connections" stops_without_device
rs_try "nfsd stops" nfsd_stops
rs_try "the module leaves" unloads
rs_finish
