# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # its variables are set in rdma-shim
#
# rdma-shim nfs: the running NFS server on one more transport. What there is to
# read and write is nfsd's portlist, which lists a line per address family and
# takes new lines only.

NFSD=${RDMA_SHIM_NFSD:-/proc/fs/nfsd}
SYS_IB=${RDMA_SHIM_SYS_IB:-/sys/class/infiniband}
CLASS=rdma-shim

nfs_fail()
{
	status=$1
	shift
	echo "rdma-shim: $*" >&2
	exit "$status"
}

# Ports that class $1 (rdma-shim, rdma, tcp) listens on.
nfs_ports()
{
	sed -n "s/^$1 \([0-9][0-9]*\)\$/\1/p" "$NFSD/portlist" 2> /dev/null | sort -nu
}

nfs_threads()
{
	threads=$(cat "$NFSD/threads" 2> /dev/null)
	echo "${threads:-0}"
}

nfs_need_nfsd()
{
	[ "$(nfs_threads)" -gt 0 ] ||
		nfs_fail 3 "nfsd does not run: start it (systemctl start nfs-server), then again: rdma-shim nfs start $1"
}

nfs_need_module()
{
	[ ! -d "$SYS_MODULE/svcrdma_shim" ] || return 0
	output=$(modprobe svcrdma_shim 2>&1) && return
	nfs_fail 4 "module svcrdma_shim does not load (${output##*: }): 'rdma-shim doctor' and dmesg say why."
}

# nfs_write_portlist LINE: what the kernel says to that, as text. Not the
# shell's own echo, some of which keep the reason for themselves.
nfs_write_portlist()
{
	LC_ALL=C env echo "$1" 2>&1 > "$NFSD/portlist"
}

nfs_start()
{
	port=${1:-}
	case $port in
	'' | *[!0-9]* | ??????*) usage >&2; exit 2 ;;
	esac
	[ "$port" -ge 1 ] && [ "$port" -le 65535 ] ||
		nfs_fail 2 "port $port is none: name one from 1 to 65535; clients try 20049 by themselves."
	need_root 'nfs start'
	nfs_need_nfsd "$port"
	for taken in $(nfs_ports rdma); do
		[ "$taken" != "$port" ] ||
			nfs_fail 5 "port $port is served by the kernel's own transport: take another, or turn that one off (rdma=n under [nfsd] in /etc/nfs.conf) and restart nfs-server."
	done
	nfs_need_module
	nfs_listen
	[ -n "$(ls "$SYS_IB" 2> /dev/null)" ] ||
		echo "rdma-shim: there is no RDMA device yet, so nobody can connect: make or plug in one ('rdma link' lists them); nothing has to be started again then." >&2
}

nfs_listen()
{
	for taken in $(nfs_ports $CLASS); do
		[ "$taken" != "$port" ] || {
			echo "rdma-shim: nfsd already serves NFS/RDMA on port $port."
			return
		}
	done
	said=$(nfs_write_portlist "$CLASS $port") || case $said in
	*'Address already in use'* | *'Address in use'*)
		nfs_fail 5 "port $port is taken by another RDMA service: name another port." ;;
	*)
		nfs_fail 1 "nfsd does not listen on port $port (${said##*: }): dmesg says more." ;;
	esac
	echo "rdma-shim: nfsd serves NFS/RDMA on port $port. On a client: mount -o proto=rdma,port=$port SERVER:/EXPORT DIRECTORY"
}

# nfsd closes a listener with all others, when it stops.
nfs_stop()
{
	case ${1:-} in
	'' | --restart) ;;
	*) usage >&2; exit 2 ;;
	esac
	need_root 'nfs stop'
	ports=$(nfs_ports $CLASS | xargs)
	if [ -n "$ports" ] && [ "$(nfs_threads)" -gt 0 ]; then
		[ -n "${1:-}" ] ||
			nfs_fail 6 "port $ports stays open: the kernel closes a listener only together with all of nfsd, and clients on other transports wait meanwhile. To do that: rdma-shim nfs stop --restart"
		nfs_restart
		ports=$(nfs_ports $CLASS | xargs)
		[ -z "$ports" ] ||
			nfs_fail 1 "nfsd was restarted, and port $ports was opened again: take the drop-in rdma-shim.conf out of nfs-server.service (rdma-shim-nfs(8)), then again: rdma-shim nfs stop --restart"
	fi
	nfs_unload
	echo "rdma-shim: nfsd does not serve NFS/RDMA by rdma-shim."
}

# The way it was started: by systemd, or with as many threads as now.
nfs_restart()
{
	if command -v systemctl > /dev/null && systemctl -q is-active nfs-server; then
		systemctl restart nfs-server ||
			nfs_fail 1 "nfs-server did not restart: 'systemctl status nfs-server' says why."
		return
	fi
	threads=$(nfs_threads)
	rpc.nfsd 0 && rpc.nfsd "$threads" ||
		nfs_fail 1 "nfsd did not restart: try 'rpc.nfsd 0', then 'rpc.nfsd $threads'."
}

# Connections end a little after their listener.
nfs_unload()
{
	tries=50
	while [ -d "$SYS_MODULE/svcrdma_shim" ]; do
		said=$(modprobe -r svcrdma_shim 2>&1) && return
		[ $((tries -= 1)) -gt 0 ] ||
			nfs_fail 1 "nothing listens any more, but module svcrdma_shim stays in memory (${said##*: }): try 'modprobe -r svcrdma_shim' later."
		sleep 0.2
	done
}

# nfs_count NAME: one of the module's counters.
nfs_count()
{
	count=$(sed -n "s/^$1 //p" "$SYS_MODULE/svcrdma_shim/parameters/counters" 2> /dev/null)
	echo "${count:-0}"
}

nfs_judge()
{
	ports=$(nfs_ports $CLASS | xargs)
	native=$(nfs_ports rdma | xargs)
	threads=$(nfs_threads)
	module=$(module_state "$RUNNING" svcrdma_shim)
	connections=$(($(nfs_count connections_accepted) - $(nfs_count connections_closed)))
	devices=$(ls "$SYS_IB" 2> /dev/null | xargs)
	next="rdma-shim nfs start PORT"
	if [ "$module" = absent ]; then
		set_state unavailable 4 "svcrdma_shim is not built for $RUNNING" "rdma-shim doctor"
	elif [ "$threads" -eq 0 ]; then
		set_state no-nfsd 3 "nfsd does not run" "systemctl start nfs-server"
	elif [ -z "$ports" ]; then
		set_state not-served 7 "nfsd runs, but not on this transport" "rdma-shim nfs start 20049"
	elif [ -z "$devices" ]; then
		set_state no-device 8 "nfsd listens, but there is no RDMA device to be reached by" "rdma link"
	else
		set_state served 0 "" ""
	fi
}

nfs_status()
{
	case ${1:-} in
	'') show=nfs_show_text ;;
	--json) show=nfs_show_json ;;
	*) usage >&2; exit 2 ;;
	esac
	nfs_judge
	$show
	return "$code"
}

nfs_show_text()
{
	echo "NFS/RDMA by rdma-shim: $state${why:+: $why}"
	[ -z "$next" ] || echo "	next: $next"
	echo "	ports: ${ports:-none}; the kernel's own transport: ${native:-none}"
	echo "	nfsd: $threads threads; RDMA devices: ${devices:-none}; module: $module"
	[ -d "$SYS_MODULE/svcrdma_shim" ] || return 0
	echo "	connections: $connections now, $(nfs_count connections_accepted) since the module was loaded"
	for name in messages read_lists write_chunks waited_for_slots \
		refused_version refused_chunks reads_failed sends_failed; do
		echo "	$name: $(nfs_count $name)"
	done
}

nfs_show_json()
{
	printf '{"state": %s, "why": %s, "next": %s, "ports": [%s], "native_ports": [%s], "threads": %s, "module": %s, "connections": %s, "counters": {' \
		"$(quote "$state")" "$(quote "$why")" "$(quote "$next")" \
		"$(echo "$ports" | sed 's/ /, /g')" "$(echo "$native" | sed 's/ /, /g')" \
		"$threads" "$(quote "$module")" "$connections"
	sed -n 's/^\([a-z_]*\) \([0-9][0-9]*\)$/"\1": \2/p' \
		"$SYS_MODULE/svcrdma_shim/parameters/counters" 2> /dev/null |
		paste -s -d , - | tr -d '\n'
	printf '}, "devices": ['
	sep=
	for name in $devices; do
		printf '%s%s' "$sep" "$(quote "$name")"
		sep=', '
	done
	printf ']}\n'
}

nfs()
{
	verb=${1:-}
	[ $# -eq 0 ] || shift
	case $verb in
	start) nfs_start "$@" ;;
	stop) nfs_stop "$@" ;;
	status) nfs_status "$@" ;;
	*) usage >&2; exit 2 ;;
	esac
}
