#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With the package loaded, programs that know nothing of it work between two
# devices as they do without it.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

port=$((20000 + $$ % 1000))

# both SERVER_COMMAND CLIENT_COMMAND: the client once the server is up; fails
# when either does.
both()
{
	local server ret=0
	timeout 60 bash -c "$1" > "$work/server" 2>&1 &
	server=$!
	sleep 2
	timeout 60 bash -c "$2" > "$work/client" 2>&1 || ret=$?
	if [ "$ret" = 0 ]; then
		wait "$server" || ret=$?
	else
		kill "$server" 2> /dev/null
		wait "$server" 2> /dev/null
	fi
	[ "$ret" = 0 ] && return
	echo "server:"
	tail -n 6 "$work/server"
	echo "client:"
	tail -n 6 "$work/client"
	return 1
}

ping_pong()
{
	both "ibv_rc_pingpong -d $dev_b -g $(rs_gid_index "$dev_b") -p $port -n 200 -c" \
		"ibv_rc_pingpong -d $dev_a -g $(rs_gid_index "$dev_a") -p $port -n 200 -c $addr_b"
}

# iWARP needs a connection manager; RoCE can do without, and older versions of
# the program have no way to tell the manager where from.
write_bandwidth()
{
	local how=-R
	[ "$DEVICE" = siw ] ||
		how="-x $(rs_gid_index "$dev_a")"
	both "ib_write_bw -F -d $dev_b $how -p $port -n 50 -s 65536" \
		"ib_write_bw -F -d $dev_a $how -p $port -n 50 -s 65536 $addr_b"
}

packets()
{
	cat "/sys/class/net/$netdev_a/statistics/tx_packets"
}

# Otherwise this would be a test of one device with itself.
over_the_wire()
{
	[ "$(packets)" -gt $((packets_before + 50)) ] && return
	echo "only $(($(packets) - packets_before)) packets left $netdev_a"
	return 1
}

rs_need_command rping ibv_rc_pingpong ib_write_bw sysctl
rs_pair_up
netdev_a=$RS_NETDEV dev_a=$RS_IBDEV addr_a=$RS_ADDR
dev_b=$RS_PEER_IBDEV addr_b=$RS_PEER_ADDR
work=$(mktemp -d)
trap 'rm -rf "$work"; rs_wire_down; rs_cleanup' EXIT
rs_wire_up

# The package can only be blamed for what works without it: Debian 11's
# ib_write_bw crashes in its own librdmacm on siw.
stock=
if ! [ -d /sys/module/rdma_shim ]; then
	stock=$(write_bandwidth) && stock=
fi
rs_need_module rdma_shim
rs_mr_module rdma_shim_mr_test
packets_before=$(packets)

echo "TAP version 13"
rs_try "rping between two $DEVICE devices" \
	both "rping -s -a $addr_b -p $port -C 20 -V" \
	"rping -c -a $addr_b -I $addr_a -p $port -C 20 -V"
if [ "$DEVICE" = siw ]; then
	rs_pass_over "ibv_rc_pingpong" "it connects queue pairs by hand, which iWARP cannot"
else
	rs_try "ibv_rc_pingpong between two $DEVICE devices" ping_pong
fi
if [ -n "$stock" ]; then
	rs_pass_over "ib_write_bw" "it fails without the package too: $(tail -n 1 <<< "$stock")"
else
	rs_try "ib_write_bw between two $DEVICE devices" write_bandwidth
fi
rs_try "the packets went over the wire" over_the_wire
rs_finish
