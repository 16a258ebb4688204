# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# An NFS server that exports a folder over our transport, and the stock client,
# on one guest:
#
#	NFS_MNT  --proto=rdma-->  RS_ADDR:NFS_PORT  --nfsd-->  NFS_EXPORT

NFS_PORT=${NFS_PORT:-20050}
NFS_THREADS=4
NFS_EXPORT=/scratch/export-$$
NFS_MNT=/mnt/rs$$
NFS_COUNTERS=/sys/module/svcrdma_shim/parameters/counters
NFS_PIDS=()

nfs_mount_quietly()
{
	mountpoint -q "$2" || { mkdir -p "$2" && mount -t "$1" "$1" "$2"; } 2> /dev/null
}

# nfs_daemon COMMAND...: one of the server's, where this system has it.
nfs_daemon()
{
	command -v "$1" > /dev/null || return 0
	"$@" > /dev/null 2>&1 && NFS_PIDS+=("$1")
}

# nfs_up: everything but nfsd's threads and our listener.
nfs_up()
{
	rs_device_up
	rs_need_command rpcbind rpc.mountd rpc.nfsd exportfs mount.nfs rdma-shim
	rs_need_module nfsd nfs nfsv3 nfsv4 rpcrdma svcrdma_shim
	trap nfs_cleanup EXIT
	mkdir -p "$NFS_EXPORT" "$NFS_MNT" /var/lib/nfs/v4recovery
	chmod 1777 "$NFS_EXPORT"
	nfs_mount_quietly nfsd /proc/fs/nfsd
	nfs_mount_quietly rpc_pipefs /run/rpc_pipefs
	nfs_mount_quietly rpc_pipefs /var/lib/nfs/rpc_pipefs
	nfs_daemon rpcbind -w
	nfs_daemon rpc.statd
	nfs_daemon nfsdcld
	nfs_daemon rpc.mountd
	exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 "*:$NFS_EXPORT" ||
		rs_skip "a folder cannot be exported"
	# What clients wait for after a restart, in seconds.
	echo 10 > /proc/fs/nfsd/nfsv4leasetime
	echo 10 > /proc/fs/nfsd/nfsv4gracetime
	{ echo 10 > /proc/sys/fs/nfs/nlm_grace_period; } 2> /dev/null
	echo 1048576 > /proc/fs/nfsd/max_block_size
}

nfs_cleanup()
{
	timeout 30 umount -f "$NFS_MNT" "$NFS_MNT-native" 2> /dev/null
	timeout 60 rpc.nfsd 0
	exportfs -ua
	[ ${#NFS_PIDS[@]} = 0 ] || killall -q "${NFS_PIDS[@]}"
	timeout 20 modprobe -r svcrdma_shim
	rs_cleanup
}

# nfs_serve: nfsd runs, on our port too.
nfs_serve()
{
	rpc.nfsd "$NFS_THREADS" && timeout 60 rdma-shim nfs start "$NFS_PORT"
}

# nfs_serve_new: nobody is there to reclaim anything. The kernel says no where
# it found that out by itself.
nfs_serve_new()
{
	nfs_serve || return
	{ echo Y > /proc/fs/nfsd/v4_end_grace; } 2> /dev/null
	return 0
}

# nfs_mount VERSION [PORT [ADDRESS [OPTIONS]]]
nfs_mount()
{
	local port=${2:-$NFS_PORT} addr=${3:-$RS_ADDR} proto=rdma path=/ options

	case $addr in
	*:*) proto=rdma6 addr="[$addr]" ;;
	esac
	options=vers=$1,proto=$proto,port=$port,rsize=1048576,wsize=1048576${4:+,$4}
	if [ "$1" = 3 ]; then
		path=$NFS_EXPORT
		options=$options,mountproto=tcp${proto#rdma}
	fi
	timeout 60 mount -t nfs -o "$options" "$addr:$path" "$NFS_MNT"
}

nfs_umount()
{
	timeout 60 umount "$NFS_MNT"
}

# The part of mountstats about our mount.
nfs_stats()
{
	awk -v at="$NFS_MNT" '$1 == "device" { on = $5 == at } on' /proc/self/mountstats
}

# nfs_mounted_as PORT [PROTO]: through that port, by RDMA, with 1 MiB calls.
nfs_mounted_as()
{
	local opts

	opts=$(nfs_stats | sed -n 's/^\topts:\t//p')
	echo "options: $opts"
	nfs_stats | grep -q '^	xprt:	rdma ' &&
		[[ ",$opts," == *,proto=${2:-rdma},* ]] &&
		[[ ",$opts," == *,port=$1,* ]] &&
		[[ ",$opts," == *,rsize=1048576,wsize=1048576,* ]]
}

# nfs_stat NAME: a number of the client's transport.
nfs_stat()
{
	local -A field=([sends]=8 [recvs]=9 [bad_xids]=10 [reads]=13 [writes]=14
		[replies]=15 [bad_replies]=22 [long_calls]=23)

	nfs_stats | awk -v f="${field[$1]}" '$1 == "xprt:" && $2 == "rdma" { sum += $f } END { print sum + 0 }'
}

# nfs_calls PROCEDURE: how often the client called it.
nfs_calls()
{
	nfs_stats | awk -v p="$1:" '$1 == p { n = $2 } END { print n + 0 }'
}

# nfs_count NAME: a counter of our transport.
nfs_count()
{
	sed -n "s/^$1 //p" "$NFS_COUNTERS"
}

nfs_connections()
{
	echo $(($(nfs_count connections_accepted) - $(nfs_count connections_closed)))
}

# nfs_wait SECONDS COMMAND...: until the command succeeds.
nfs_wait()
{
	local tries=$(($1 * 5))

	shift
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.2
	done
}

nfs_no_connection()
{
	[ "$(nfs_connections)" = 0 ]
}

# What the stock client found wrong in our answers, and we in its calls.
nfs_nothing_wrong()
{
	local name bad=0

	for name in bad_xids bad_replies; do
		[ "$(nfs_stat $name)" = 0 ] || { echo "client: $name: $(nfs_stat $name)"; bad=1; }
	done
	for name in refused_version refused_chunks reads_failed sends_failed; do
		[ "$(nfs_count $name)" = 0 ] || { echo "server: $name: $(nfs_count $name)"; bad=1; }
	done
	return $bad
}
