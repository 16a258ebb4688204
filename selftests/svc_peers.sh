#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two guests, of which a has the clients and b serves NFS with one thread.
# Clients freeze, packets are lost and links go down; the others must not
# notice, and in the end all is answered once and right (contract R7, R8).
#
#	a: 10.77.0.1, and .3 for what freezes		b: 10.77.0.2

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/nfs_lib.sh"
. "$RS_HERE/many_lib.sh"
. "$RS_HERE/pair_lib.sh"

NFS_EXPORT=/scratch/export
NFS_THREADS=1
patience=60	# seconds until a transport has given up
bytes=3000000	# of a file that is written

# ---- guest b

serve()
{
	mkdir -p $NFS_EXPORT
	rs_need_module loop
	truncate -s 64M /scratch/disk
	mke2fs -q -t ext4 /scratch/disk
	mount -o loop /scratch/disk $NFS_EXPORT || rs_skip "no file system to export"
	rs_need_module sch_prio sch_netem cls_u32
	ulimit -l unlimited
	nfs_up
	pair_serve
	umount $NFS_EXPORT
	pair_over
}

# ---- guest a

# loses GUEST WHAT: a tc filter for packets that GUEST is not to send.
prio="tc qdisc replace dev $NETDEV root handle 1: prio priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
void="tc qdisc replace dev $NETDEV parent 1:3 handle 30: netem loss 100%"
far="tc qdisc replace dev $NETDEV parent 1:3 handle 30: netem delay 300ms limit 10000"
lose="tc filter add dev $NETDEV parent 1: protocol ip"
nothing="tc qdisc del dev $NETDEV root"

count_on_b()
{
	on_b "sed -n 's/^$1 //p' $NFS_COUNTERS"
}

# It is far away before, so that its calls arrive long before its data.
freezes()
{
	$prio && $far && $lose prio 1 u32 match ip src "$frozen/32" flowid 1:3 &&
		STALL=$void many_stalls "$PEER" "$frozen" elsewhere
}

thaws()
{
	$nothing
	many_goes_on 200
}

reads_wait()
{
	[ "$(count_on_b waited_for_slots)" -gt "$waited" ]
}

thread_idle()
{
	on_b "! ps -eo stat=,comm= | grep ' nfsd$' | grep -v '^[SI]'"
}

served_at_once()
{
	many_at_once "$PEER" "$SELF" elsewhere
}

no_connection_on_b()
{
	[ "$(count_on_b connections_accepted)" = "$(count_on_b connections_closed)" ]
}

nfsd_stops()
{
	on_b 'timeout 20 rpc.nfsd 0 || { echo "rpc.nfsd 0 hangs"; exit 1; }'
}

nfsd_starts()
{
	on_b "rpc.nfsd $NFS_THREADS && rdma-shim nfs start $NFS_PORT"
}

mounts()
{
	nfs_mount 3 "$NFS_PORT" "$PEER" nolock,timeo=100
}

# writes_through COMMAND...: what happens while a file is written.
writes_through()
{
	local writer

	head -c "$bytes" /dev/urandom > "$work/file"
	rm -f "$NFS_MNT/file"
	timeout 200 dd if="$work/file" of="$NFS_MNT/file" bs=256k conv=fsync 2> "$work/dd" &
	writer=$!
	sleep 0.5
	"$@" || return
	wait $writer || { cat "$work/dd"; return 1; }
	tail -n 1 "$work/dd"
	[ "$(on_b "md5sum < $NFS_EXPORT/file")" = "$(md5sum < "$work/file")" ] || { echo "other bytes on b"; return 1; }
	umount "$NFS_MNT" && mounts || return
	cmp "$work/file" "$NFS_MNT/file"
}

link_goes()
{
	ip link set "$NETDEV" down
	sleep 5
	ip link set "$NETDEV" up
}

all_is_lost()
{
	tc qdisc replace dev "$NETDEV" root netem loss 100% || return
	sleep 10
	$nothing
}

some_is_lost()
{
	tc qdisc replace dev "$NETDEV" root netem loss 5% &&
		on_b "tc qdisc replace dev $NETDEV root netem loss 5%"
}

# RoCE waits a second or more for each of them.
few_packets_lost()
{
	local bytes=150000 ret=0

	writes_through some_is_lost || ret=1
	$nothing
	nfs_wait 20 on_b "$nothing"
	return $ret
}

nfsd_blocked()
{
	on_b "ps -eo stat=,comm= | grep ' nfsd$' | grep -q '^D'"
}

drc_hits()
{
	on_b "awk '\$1 == \"rc\" { print \$2 }' /proc/net/rpc/nfsd"
}

# The link is made while b can say nothing but what it is asked here, and a
# second one would be an error.
lost_reply()
{
	local target hits lists writer ret=0

	target=$(printf 'x%.0s' $(seq 4050))
	hits=$(drc_hits) lists=$(count_on_b read_lists)
	on_b "fsfreeze -f $NFS_EXPORT" || return
	timeout 200 ln -s "$target" "$NFS_MNT/link" 2> "$work/ln" &
	writer=$!
	nfs_wait 20 nfsd_blocked || { echo "the call does not reach the disk"; ret=1; }
	on_b "$prio && $void && $lose prio 1 u32 match ip sport $PAIR_CONTROL 0xffff flowid 1:1 && $lose prio 2 u32 match ip dst $SELF/32 flowid 1:3" || ret=1
	on_b "fsfreeze -u $NFS_EXPORT" || ret=1
	nfs_wait 20 on_b "[ -L $NFS_EXPORT/link ]" || { echo "no link on the disk"; ret=1; }
	sleep 15
	on_b "$nothing"
	wait $writer || { cat "$work/ln"; ret=1; }
	echo "$(($(drc_hits) - hits)) answers out of the cache, $(($(count_on_b read_lists) - lists)) Read lists"
	[ "$(drc_hits)" -gt "$hits" ] && [ "$(count_on_b read_lists)" -gt $((lists + 1)) ] || ret=1
	[ "$(on_b "readlink $NFS_EXPORT/link")" = "$target" ] || ret=1
	return $ret
}

peers_cleanup()
{
	pair_end "$patience"
	many_kill
	timeout 30 umount -f "$NFS_MNT"
	rs_cleanup
	rm -rf "$work"
} 2> /dev/null

drive()
{
	frozen=${SELF%.*}.3
	ip addr add "$frozen/24" dev "$NETDEV"
	rs_need_command tc
	rs_need_module sch_prio sch_netem cls_u32
	rs_device_up
	ulimit -l unlimited
	rs_need_module nfs nfsv3 rpcrdma
	mkdir -p "$NFS_MNT"
	work=$(mktemp -d)
	trap peers_cleanup EXIT
	pair_wait || rs_skip "guest b does not serve"

	echo "TAP version 13"
	rs_try "a client of the other guest is served" served_at_once
	waited=$(count_on_b waited_for_slots)
	rs_try "a client freezes with 64 calls under way" freezes
	rs_try "its calls fill the Send Queue" nfs_wait 20 reads_wait
	rs_try "another client is served at once by the only thread" served_at_once
	rs_try "which is idle within 5 s" nfs_wait 5 thread_idle
	rs_try "its calls are answered when it thaws" thaws
	rs_try "no connection is left" nfs_wait "$patience" no_connection_on_b
	rs_try "a client freezes again" freezes
	rs_try "nfsd stops meanwhile" nfsd_stops
	rs_try "nfsd starts" nfsd_starts
	rs_try "another client is served" served_at_once
	rs_try "and the frozen one when it thaws" thaws

	rs_try "mounts" mounts
	rs_try "a file is written while the link is down for 5 s" writes_through link_goes
	rs_try "a file is written while all is lost for 10 s" writes_through all_is_lost
	rs_try "a file is written with 5 % of the packets lost" few_packets_lost
	rs_try "a call whose reply is lost is done once" lost_reply
	rs_try "unmounts" nfs_umount
	rs_try "no connection is left" nfs_wait "$patience" no_connection_on_b
	on_b "sed 's/^/# /' $NFS_COUNTERS"
	rs_try "nfsd stops" nfsd_stops
	rs_finish
}

if [ "$ROLE" = b ]; then
	serve
else
	drive
fi
