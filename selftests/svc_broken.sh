#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Clients that break, with NFSD behind the transport: 32 that come and go all
# at once, and one whose queue pair dies while the server has 64 of its calls
# and more Reads to do than its Send Queue holds (contract R7, R8).

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"
. "$RS_HERE/many_lib.sh"

at_once=5	# seconds
patience=20

storm_client()
{
	timeout 200 "$RS_HERE/wire_many" "$RS_ADDR" "$NFS_PORT" "$DEVICE" "$RS_ADDR" storm 16 nfs
}

# Two processes of 16: one whose queue the kernel maps at 0x90000 does not get
# it, for libsiw takes that for the mark of an error.
storm()
{
	local first ret=0

	storm_client > "$work/storm" 2>&1 &
	first=$!
	storm_client || ret=1
	wait "$first" || ret=1
	cat "$work/storm"
	return "$ret"
}

# Threads that do not wait for work: they run, or something keeps them.
busy_threads()
{
	ps -eo stat=,comm= | awk '$2 == "nfsd" && $1 !~ /^[SI]/' | grep -c .
}

threads_idle()
{
	[ "$(busy_threads)" = 0 ]
}

slots_full()
{
	[ "$(nfs_count waited_for_slots)" -gt "$1" ]
}

# The server may learn that the queue pair is gone before its queue is full:
# then another client tries.
stalled_full()
{
	local waited

	for _ in $(seq 10); do
		waited=$(nfs_count waited_for_slots)
		many_stalls "$RS_ADDR" "$RS_ADDR" || return
		nfs_wait 1 slots_full "$waited" && return
		many_kill && nfs_wait "$patience" nfs_no_connection || return
	done
	echo "no call waited for slots"
	return 1
}

nfsd_starts()
{
	rpc.nfsd 1 && timeout 60 rdma-shim nfs start "$NFS_PORT" > "$work/start" 2>&1 && return
	cat "$work/start"
	return 1
}

nfsd_stops()
{
	local start=$SECONDS

	timeout "$patience" rpc.nfsd 0 || { echo "rpc.nfsd 0 hangs"; return 1; }
	echo "$((SECONDS - start)) s"
}

broken_cleanup()
{
	many_kill
	timeout 60 rpc.nfsd 0
	[ ${#NFS_PIDS[@]} = 0 ] || killall -q "${NFS_PIDS[@]}"
	timeout 20 modprobe -r svcrdma_shim
	rs_cleanup
	rm -rf "$work"
} 2> /dev/null

rs_need_command rpcbind rpc.nfsd rdma-shim killall
work=$(mktemp -d)
rs_device_up
trap broken_cleanup EXIT
ulimit -l unlimited
rs_need_module nfsd svcrdma_shim
nfs_mount_quietly nfsd /proc/fs/nfsd
nfs_daemon rpcbind -w

echo "TAP version 13"
rs_try "one thread of nfsd serves" nfsd_starts
rs_try "32 clients come, are dropped and come again, five times" storm
rs_try "no connection is left of them" nfs_wait "$patience" nfs_no_connection

rs_try "a queue pair dies with 64 calls under way and a full Send Queue" stalled_full
rs_try "the thread is idle within $at_once s" nfs_wait "$at_once" threads_idle
rs_try "another client is served at once" many_at_once "$RS_ADDR" "$RS_ADDR"
rs_try "the client's calls are answered when it comes again" many_goes_on 60
rs_try "no connection is left of it" nfs_wait "$patience" nfs_no_connection

rs_try "it dies once more" stalled_full
rs_try "nfsd stops meanwhile" nfsd_stops
rs_try "no connection is left" nfs_wait "$patience" nfs_no_connection
many_kill
rs_try "nfsd starts again" nfsd_starts
rs_try "and serves" many_at_once "$RS_ADDR" "$RS_ADDR"
sed 's/^/# /' "$NFS_COUNTERS"
rs_try "nfsd stops" nfsd_stops
rs_try "the module leaves" timeout "$patience" rdma-shim nfs stop
rs_finish
