# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the test programs share: TAP, what they need, and a device of their own.
#
# A device stands on one end of a veth pair:
#
#	rsPID-a  10.X.Y.1/24  <-- rxe or siw, named rsPID
#	   |
#	rsPID-b  10.X.Y.2/24  <-- a second one, named rsPIDp, if a test wants two

RS_DEVICES=()
RS_NETDEVS=()
RS_MODULES=()
DEVICE=${DEVICE:-rxe}
SCALE=${SCALE:-1}

# shellcheck source=selftests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

rs_skip() { tap_skip "$@"; }
rs_result() { tap_result "$@"; }
rs_pass_over() { tap_pass_over "$@"; }
rs_finish() { tap_finish; }

# rs_try NAME COMMAND...: one result; what the command said when it fails.
rs_try()
{
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		rs_result 0 "$name"
	else
		rs_result 1 "$name"
		printf '%s\n' "$output" | tap_explain
	fi
}

rs_need_root()
{
	[ "$(id -u)" = 0 ] || rs_skip "needs root: run it with sudo"
}

rs_need_command()
{
	local name
	for name; do
		command -v "$name" > /dev/null || rs_skip "$name is not installed"
	done
}

# rs_need_module NAME...: loads them; they stay loaded.
rs_need_module()
{
	local name output
	for name; do
		output=$(modprobe "$name" 2>&1) && continue
		# A test module that was not installed lies beside the programs.
		if [ -e "$RS_HERE/modules/$(uname -r)/$name.ko" ]; then
			grep -q "^${name//-/_} " /proc/modules && continue
			output=$(insmod "$RS_HERE/modules/$(uname -r)/$name.ko" 2>&1) &&
				continue
		fi
		rs_skip "module $name cannot be loaded: ${output##*: }"
	done
}

rs_cleanup()
{
	local name
	for name in "${RS_MODULES[@]}"; do
		timeout 20 rmmod "$name"
	done
	for name in "${RS_DEVICES[@]}"; do
		timeout 20 rdma link del "$name" 2> /dev/null
	done
	for name in "${RS_NETDEVS[@]}"; do
		timeout 20 ip link del "$name" 2> /dev/null
	done
}

# The verbs name of the device on a netdev; udev may have renamed it.
rs_device_on()
{
	rdma link show 2> /dev/null | sed -n "s,^link \([^ /]*\)/1 .* netdev $1 *\$,\1,p"
}

# rs_link_up NETDEV NAME: a device named NAME on NETDEV; RS_IBDEV is what it is
# called in the end.
rs_link_up()
{
	local i gid
	rdma link add "$2" type "$DEVICE" netdev "$1" ||
		rs_skip "a $DEVICE device cannot be made"
	RS_IBDEV=$(rs_device_on "$1")
	[ -n "$RS_IBDEV" ] || rs_skip "the new $DEVICE device is not listed"
	RS_DEVICES+=("$RS_IBDEV")

	# Addresses reach the device's table of GIDs a little later.
	for i in $(seq 100); do
		gid=$(cat "/sys/class/infiniband/$RS_IBDEV/ports/1/gids/1" \
			"/sys/class/infiniband/$RS_IBDEV/ports/1/gids/0" 2> /dev/null |
			grep -v '^0000:0000:0000:0000:0000:0000:0000:0000$')
		[ -n "$gid" ] && [ "$(cat "/sys/class/infiniband/$RS_IBDEV/ports/1/state")" = "4: ACTIVE" ] &&
			return
		sleep 0.1
	done
	rs_skip "the new $DEVICE device has no address after 10 s ($i tries)"
}

# rs_gid_index IBDEV: the device's entry for its IPv4 address.
rs_gid_index()
{
	local file
	for file in "/sys/class/infiniband/$1/ports/1/gids/"*; do
		[[ "$(cat "$file" 2> /dev/null)" == 0000:0000:0000:0000:0000:ffff:* ]] || continue
		basename "$file"
		return
	done
	echo 0
}

rs_need_device()
{
	rs_need_root
	rs_need_command ip rdma
	rs_need_module ib_uverbs rdma_ucm
	if [ "$DEVICE" = siw ]; then
		rs_need_module siw
	else
		rs_need_module rdma_rxe
	fi
	trap rs_cleanup EXIT
}

# rs_netdevs_up: a veth pair, RS_NETDEV with RS_ADDR and RS_PEER_NETDEV.
rs_netdevs_up()
{
	rs_need_device
	rs_need_module veth
	RS_NETDEV=rs$$-a
	RS_PEER_NETDEV=rs$$-b
	RS_ADDR=10.$((100 + $$ % 100)).$(($$ / 100 % 250)).1
	RS_PEER_ADDR=${RS_ADDR%.1}.2
	ip link add "$RS_NETDEV" type veth peer name "$RS_PEER_NETDEV" ||
		rs_skip "a veth pair cannot be made"
	RS_NETDEVS+=("$RS_NETDEV")
	ip addr add "$RS_ADDR/24" dev "$RS_NETDEV"
	ip link set "$RS_PEER_NETDEV" up
	ip link set "$RS_NETDEV" up
}

# rs_device_up: RS_IBDEV, RS_NETDEV and RS_ADDR of a new device. In one of two
# guests (lab/pair.sh) it stands on the wire between them.
rs_device_up()
{
	if [ -n "${ROLE:-}" ]; then
		rs_need_device
		RS_NETDEV=$NETDEV
		RS_ADDR=$SELF
	else
		rs_netdevs_up
	fi
	rs_link_up "$RS_NETDEV" "rs$$"
}

# rs_pair_up: a device on either end: RS_PEER_IBDEV and RS_PEER_ADDR as well.
rs_pair_up()
{
	rs_netdevs_up
	ip addr add "$RS_PEER_ADDR/24" dev "$RS_PEER_NETDEV"
	rs_link_up "$RS_PEER_NETDEV" "rs$$p"
	# shellcheck disable=SC2034 # for the caller
	RS_PEER_IBDEV=$RS_IBDEV
	rs_link_up "$RS_NETDEV" "rs$$"
}

# rs_wire_up: packets between the two ends leave on one and arrive on the other,
# although both addresses are of this machine: its routes have to be told so,
# and its rules that what arrives there is for itself. Only for guests.
rs_wire_up()
{
	rs_wire_paths
	ip rule add pref 20 iif lo to "$RS_PEER_ADDR" lookup 901
	ip rule add pref 20 iif lo to "$RS_ADDR" lookup 902
	ip rule add pref 10 iif "$RS_NETDEV" lookup local
	ip rule add pref 10 iif "$RS_PEER_NETDEV" lookup local
	ip rule add pref 30 lookup local
	ip rule del pref 0
}

# rs_wire_paths: what goes with the netdevs; to be called again for a new one.
rs_wire_paths()
{
	rs_wire_path "$RS_ADDR" "$RS_PEER_ADDR" "$RS_NETDEV" "$RS_PEER_NETDEV" 901
	rs_wire_path "$RS_PEER_ADDR" "$RS_ADDR" "$RS_PEER_NETDEV" "$RS_NETDEV" 902
}

# rs_wire_path SOURCE DESTINATION NETDEV PEER_NETDEV TABLE
rs_wire_path()
{
	ip route replace "$2/32" dev "$3" src "$1" table "$5"
	ip neigh replace "$2" lladdr "$(cat "/sys/class/net/$4/address")" dev "$3" nud permanent
	sysctl -qw "net.ipv4.conf.$3.accept_local=1" "net.ipv4.conf.$3.rp_filter=0"
}

rs_wire_down()
{
	ip rule add pref 0 lookup local
	for _ in 1 2; do
		ip rule del pref 10
		ip rule del pref 20
	done
	ip rule del pref 30
} 2> /dev/null

# rs_mr_module NAME: loads a test module that makes /dev/rdma-shim-mr, and sees
# to it that it leaves.
rs_mr_module()
{
	local other
	for other in rdma_shim_mr_test rdma_shim_mr_native; do
		! grep -q "^$other " /proc/modules || rmmod "$other"
	done
	[ "$1" = rdma_shim_mr_native ] || rs_need_module rdma_shim
	rs_need_module ib_core rdma_cm "$1"
	RS_MODULES+=("$1")
}

# rs_mr VERB API SEED AMOUNT: one run of the loaded test module; its TAP to
# stdout. Fails when a result does.
rs_mr()
{
	local output status=0
	exec 3<> /dev/rdma-shim-mr || return 1
	echo "$1 $RS_ADDR $((18515 + $$ % 1000)) $2 $DEVICE $3 $4" >&3 || status=1
	output=$(timeout 60 cat <&3)
	exec 3>&-
	printf '%s\n' "$output"
	[ "$status" = 0 ] && ! grep -q '^not ok' <<< "$output"
}
