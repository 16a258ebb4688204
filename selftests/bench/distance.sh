#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a WRITE takes over a long wire, 16 of them under way: guest b serves
# files in memory through the kernel's own transport and through ours, guest a
# writes. The round trip is that of netem, 100 ms each way, so that computing
# hardly counts. Microseconds of wall time a WRITE.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=selftests/lib.sh
. "$RS_HERE/lib.sh"
# shellcheck source=selftests/nfs_lib.sh
. "$RS_HERE/nfs_lib.sh"

native_port=20049
delay=100ms
seconds=${DISTANCE_SECONDS:-12}
last=over

far_away()
{
	modprobe sch_netem &&
		tc qdisc replace dev "$NETDEV" root netem delay $delay limit 100000
}

# serve: does what the client writes into a file: a number is one of threads.
serve()
{
	local want have=

	nfs_up
	mount -t tmpfs -o mode=1777,size=512m tmpfs "$NFS_EXPORT" && exportfs -r &&
		exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 "*:$NFS_EXPORT"
	truncate -s 64M "$NFS_EXPORT/data"
	nfs_serve_new || exit 1
	echo "rdma $native_port" > /proc/fs/nfsd/portlist
	echo up > "$NFS_EXPORT/have"
	until [ "$have" = $last ]; do
		sleep 0.3
		want=$(cat "$NFS_EXPORT/want" 2> /dev/null)
		if [ -z "$want" ] || [ "$want" = "$have" ]; then continue; fi
		case $want in
		far) far_away ;;
		near) tc qdisc del dev "$NETDEV" root ;;
		[0-9]*) echo "$want" > /proc/fs/nfsd/threads ;;
		esac
		have=$want
		echo "$have" > "$NFS_EXPORT/have"
	done
	sleep 3
}

server_did()
{
	[ "$(cat "$NFS_MNT/have")" = "$1" ]
}

# ask WHAT: the server does it.
ask()
{
	echo "$1" > "$NFS_MNT/want"
	nfs_wait 60 server_did "$1"
}

# write_all BYTES: microseconds a WRITE.
write_all()
{
	timeout 300 fio --name=w --filename="$NFS_MNT/data" --rw=write --bs="$1" \
		--size=64M --iodepth=16 --ioengine=libaio --direct=1 --time_based \
		--runtime="$seconds" --ramp_time=3 --minimal 2> /dev/null |
		awk -F ';' -v bs="$1" '$47 > 0 { printf "%d\n", $50 * 1000 / ($47 * 1024 / bs) }'
}

# rounds_of BYTES: the middle, the least and the most.
rounds_of()
{
	local i

	for i in 1 2 3; do
		write_all "$1"
	done | sort -n | awk '{ v[NR] = $1 } END { if (NR < 3) exit 1; print v[2], v[1], v[3] }'
}

client()
{
	local whose port threads bytes name

	nfs_wait 120 nfs_mount 4.1 "$native_port" "$PEER" noac,timeo=6000 || return
	nfs_wait 60 server_did up || return
	nfs_umount
	for threads in 1 2 8; do
		for whose in native ours; do
			port=$native_port
			[ $whose = native ] || port=$NFS_PORT
			nfs_mount 4.1 "$port" "$PEER" noac,timeo=6000 && ask "$threads" &&
				ask far && far_away || return
			for bytes in 65536 1048576; do
				name=$((bytes / 1024))K-$threads
				[ $bytes = 65536 ] || [ $threads = 8 ] || continue
				figures[$whose,$name]=$(rounds_of $bytes)
				rs_result $? "$whose $name"
			done
			tc qdisc del dev "$NETDEV" root
			ask near || return
			nfs_umount
		done
	done
	nfs_mount 4.1 "$native_port" "$PEER" noac,timeo=6000 && ask $last
	nfs_umount
}

echo 'TAP version 13'
if [ "$ROLE" = b ]; then
	serve
	exit
fi
declare -A figures
rs_need_command fio tc
rs_device_up
rs_need_module nfs nfsv4 rpcrdma
mkdir -p "$NFS_MNT"
client
rs_result $? "the server did what it was asked"
for name in 64K-1 64K-2 64K-8 1024K-8; do
	[ -z "${figures[native,$name]}" ] || [ -z "${figures[ours,$name]}" ] ||
		echo "# bench distance $name native ${figures[native,$name]} ours ${figures[ours,$name]}"
done
rs_finish
