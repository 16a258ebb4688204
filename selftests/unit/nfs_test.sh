#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rdma-shim nfs in every state, on an nfsd made of a few files: the real one is
# asked in guests (nfs.sh).

# shellcheck disable=SC2016,SC2115 # scripts in quotes; tmp is set

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"

admin=$(cd "$(dirname "$0")/../../src/admin" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
K=6.1.0-1-amd64

export RDMA_SHIM_MODULES="$tmp/modules" RDMA_SHIM_STATE="$tmp/state" \
	RDMA_SHIM_SHARE="$tmp/share" RDMA_SHIM_DKMS="$tmp/dkms" \
	RDMA_SHIM_SYS_MODULE="$tmp/sys" RDMA_SHIM_RUNNING="$K" \
	RDMA_SHIM_NFSD="$tmp/nfsd" RDMA_SHIM_SYS_IB="$tmp/ib" TMP="$tmp"
mkdir -p "$tmp/bin" "$tmp/share"
ln -s "$admin" "$tmp/share/admin"
sed 's/@VERSION@/1.0/' "$admin/rdma-shim" > "$tmp/bin/rdma-shim"

# command NAME SCRIPT: something that rdma-shim calls.
command_is()
{
	printf '#!/bin/sh\n%s\n' "$2" > "$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
chmod +x "$tmp/bin/rdma-shim"
PATH=$tmp/bin:$PATH

fresh()
{
	rm -rf "$tmp/modules" "$tmp/sys" "$tmp/nfsd" "$tmp/ib" "$tmp/log"
	mkdir -p "$tmp/nfsd" "$tmp/ib/rxe0" "$tmp/modules/$K/updates/dkms" \
		"$tmp/sys/svcrdma_shim/parameters"
	echo 'srcversion=AAAA' > "$tmp/modules/$K/updates/dkms/svcrdma_shim.ko"
	echo AAAA > "$tmp/sys/svcrdma_shim/srcversion"
	printf '%s\n' 'messages 7' 'connections_closed 2' \
		'connections_accepted 5' > "$tmp/sys/svcrdma_shim/parameters/counters"
	echo 8 > "$tmp/nfsd/threads"
	printf '%s\n' 'tcp 2049' 'tcp 2049' > "$tmp/nfsd/portlist"
	command_is id 'echo 0'
	command_is modinfo 'sed -n "s/^$2=//p" "$3"'
	command_is modprobe 'echo "modprobe $*" >> "$TMP/log"
[ "$1" != -r ] || rm -rf "$TMP/sys/$2"'
	command_is systemctl 'echo "systemctl $*" >> "$TMP/log"; exit 3'
	# Its 0 closes every listener, the number after it opens TCP again.
	command_is rpc.nfsd 'echo "rpc.nfsd $*" >> "$TMP/log"
echo "$1" > "$TMP/nfsd/threads"
[ "$1" = 0 ] && : > "$TMP/nfsd/portlist" || echo "tcp 2049" >> "$TMP/nfsd/portlist"'
	command_is sleep ''
}

served()
{
	printf '%s\n' 'rdma-shim 20049' 'rdma-shim 20049' >> "$tmp/nfsd/portlist"
}

# expect NAME CODE TEXT COMMAND...: rdma-shim nfs COMMAND exits so and says so.
expect()
{
	name=$1 want=$2 text=$3
	shift 3
	said=$(rdma-shim nfs "$@" 2>&1)
	code=$?
	right=0
	[ $code -eq "$want" ] && echo "$said" | grep -q -e "$text" || right=1
	tap_result $right "$name"
	[ $right -eq 0 ] || echo "exit $code, wanted $want and '$text': $said" | tap_explain
}

# The command has left this in file $1.
left()
{
	grep -q -e "$2" "$tmp/$1"
	tap_result $? "$3"
}

json_says()
{
	rdma-shim nfs status --json | python3 -c "import json, sys
d = json.load(sys.stdin)
sys.exit(not ($1))"
	tap_result $? "as JSON: $2"
}

tap_begin

fresh
expect 'no verb' 2 usage:
expect 'no port' 2 usage: start
expect 'not a port' 2 usage: start 20049x
expect 'port 0' 2 'from 1 to 65535' start 0
expect 'port 65536' 2 'from 1 to 65535' start 65536
expect 'starts' 0 'serves NFS/RDMA on port 20049. On a client: mount' start 20049
left nfsd/portlist '^rdma-shim 20049$' 'writes one line to nfsd'

fresh
served
expect 'is started already' 0 'already serves NFS/RDMA on port 20049' start 20049
left nfsd/portlist '^tcp 2049$' 'and nothing is written then'
expect 'another port' 0 'serves NFS/RDMA on port 20050' start 20050

fresh
command_is id 'echo 1000'
expect 'not root' 1 'nfs start needs root: run it with sudo' start 20049
expect 'not root, stop' 1 'nfs stop needs root' stop

fresh
echo 0 > "$tmp/nfsd/threads"
expect 'nfsd has no threads' 3 'nfsd does not run: start it' start 20049
rm -r "$tmp/nfsd"
expect 'no nfsd at all' 3 'nfsd does not run: start it' start 20049
expect 'status without nfsd' 3 'no-nfsd: nfsd does not run' status

fresh
echo 'rdma 20049' >> "$tmp/nfsd/portlist"
expect "the kernel's own is there" 5 "by the kernel's own transport" start 20049
command_is env 'echo "echo: write error: Address already in use" >&2; exit 1'
expect 'the port is taken' 5 'taken by another RDMA service' start 20050
command_is env 'echo "echo: write error: Cannot allocate memory" >&2; exit 1'
expect 'nfsd refuses' 1 'does not listen on port 20050 (Cannot allocate memory)' start 20050
rm "$tmp/bin/env"

fresh
rm -r "$tmp/sys/svcrdma_shim"
expect 'the module is loaded first' 0 'serves NFS/RDMA' start 20049
left log '^modprobe svcrdma_shim$' 'by modprobe'
command_is modprobe 'echo "modprobe: ERROR: could not insert: Key was rejected" >&2; exit 1'
expect 'the module does not load' 4 'does not load (Key was rejected)' start 20049

fresh
rm -r "$tmp/ib/rxe0"
expect 'no device' 0 'there is no RDMA device yet' start 20049
served
expect 'status without a device' 8 'no-device' status

fresh
expect 'stop, when not served' 0 'does not serve' stop
left log '^modprobe -r svcrdma_shim$' 'unloads the module'
tap_result "$(grep -c 'rpc.nfsd' "$tmp/log")" 'and leaves nfsd alone'

fresh
served
expect 'stop says what it takes' 6 'stays open: the kernel closes a listener only together with all of nfsd.*rdma-shim nfs stop --restart' stop
[ ! -e "$tmp/log" ]
tap_result $? 'and does nothing'
expect 'stop --restart' 0 'does not serve' stop --restart
left log '^rpc.nfsd 8$' 'restarts nfsd with its threads'
left nfsd/portlist '^tcp 2049$' 'other transports are back'

fresh
served
command_is systemctl 'echo "systemctl $*" >> "$TMP/log"
case $1 in restart) [ -e "$TMP/dropin" ] || sed -i /rdma-shim/d "$TMP/nfsd/portlist" ;; esac'
touch "$tmp/dropin"
expect 'the drop-in opens it again' 1 'take the drop-in' stop --restart
rm "$tmp/dropin"
expect 'restarts the unit' 0 'does not serve' stop --restart
left log '^systemctl restart nfs-server$' 'by systemctl'

fresh
served
command_is rpc.nfsd 'exit 1'
expect 'nfsd does not restart' 1 'nfsd did not restart: try' stop --restart

fresh
command_is modprobe 'echo "modprobe: FATAL: Module svcrdma_shim is in use." >&2; exit 1'
expect 'the module stays' 1 'stays in memory (Module svcrdma_shim is in use.)' stop

fresh
expect 'status: not served' 7 'not-served' status
served
expect 'status: served' 0 'ports: 20049; ' status
expect 'status counts' 0 'connections: 3 now, 5 since' status
expect 'status, wrongly called' 2 usage: status --xml
rm "$tmp/modules/$K/updates/dkms/svcrdma_shim.ko"
expect 'status: not built' 4 'is not built for' status

if command -v python3 > /dev/null; then
	fresh
	served
	json_says 'd["state"] == "served" and d["ports"] == [20049] and d["connections"] == 3 and d["counters"]["messages"] == 7 and d["devices"] == ["rxe0"]' served
	fresh
	rm -r "$tmp/sys/svcrdma_shim" "$tmp/ib/rxe0"
	json_says 'd["state"] == "not-served" and d["ports"] == [] and d["counters"] == {} and d["devices"] == []' 'not served'
fi

tap_finish
