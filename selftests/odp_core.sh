#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where rxe has on-demand paging of its own, programs that use it behave with
# the package loaded as they do without: rdma-core's own tests, and programs
# with memory registered on demand.

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"

port=$((20000 + $$ % 1000))

# both PROGRAM ARGUMENTS...: a server and a client of one device.
both()
{
	local server ret=0
	timeout 40 "$@" > "$work/server" 2>&1 &
	server=$!
	sleep 2
	timeout 40 "$@" "$RS_ADDR" > "$work/client" 2>&1 || ret=$?
	[ "$ret" = 0 ] || kill "$server" 2> /dev/null
	wait "$server" || ret=1
	return "$ret"
}

ping_pong()
{
	both "$1" -d "$RS_IBDEV" -g "$gid" -p "$port" -n 100 -s 16384 "${@:2}"
}

bandwidth()
{
	both "$1" -F -d "$RS_IBDEV" -x "$gid" -p "$port" -n 50 -s 65536 --odp
}

# outcome NAME COMMAND...: one line, and what the program said on the other fd.
outcome()
{
	local name=$1 ret=works
	shift
	"$@" || ret=fails
	echo "$name: $ret"
	port=$((port + 1))
}

# The names of rdma-core's tests with what became of them.
rdma_core()
{
	local dir=$RS_HERE/rdma-core
	[ -e "$dir/tests/run_tests.py" ] || return
	(cd "$dir" && PYTHONPATH=$dir timeout 120 python3 tests/run_tests.py -v \
		--dev "$RS_IBDEV" --gid "$gid" > "$work/rdma-core" 2>&1)
	sed -nE 's/^(test_[^ ]+) .*\.\.\. *(ok|FAIL|ERROR|skipped).*/rdma-core \1: \2/p' "$work/rdma-core"
}

outcomes()
{
	outcome "ibv_rc_pingpong" ping_pong ibv_rc_pingpong -c -o
	outcome "ibv_rc_pingpong, prefetch" ping_pong ibv_rc_pingpong -c -o -P
	outcome "ibv_rc_pingpong, implicit" ping_pong ibv_rc_pingpong -c -O
	outcome "ibv_srq_pingpong" ping_pong ibv_srq_pingpong -c -o
	outcome "ib_write_bw" bandwidth ib_write_bw
	outcome "ib_read_bw" bandwidth ib_read_bw
	outcome "ib_send_bw" bandwidth ib_send_bw
	rdma_core
}

same()
{
	grep -qxF "$1" "$work/with" && return
	echo "without the package: $1"
	echo "with it: $(grep -F "${1%: *}: " "$work/with")"
	return 1
}

rs_need_root
rs_need_command ibv_rc_pingpong ibv_srq_pingpong ib_write_bw ib_read_bw ib_send_bw ibv_devinfo
rs_device_up
work=$(mktemp -d)
trap 'rm -rf "$work"; rs_cleanup' EXIT
ibv_devinfo -v -d "$RS_IBDEV" | grep -q 'ODP_SUPPORT$' ||
	rs_skip "$DEVICE of this kernel has no on-demand paging of its own"
[ ! -d /sys/module/rdma_shim ] || rs_skip "rdma_shim is loaded already: try it before any other suite"
gid=$(rs_gid_index "$RS_IBDEV")
outcomes > "$work/without"
rs_need_module rdma_shim rdma_shim_odp_test
outcomes > "$work/with"

echo "TAP version 13"
while IFS= read -r line; do
	rs_try "the same as without: $line" same "$line"
done < "$work/without"
rs_try "programs that use it do work" grep -q 'ibv_rc_pingpong: works' "$work/with"
if [ -e "$work/rdma-core" ]; then
	rs_try "rdma-core's tests do run" grep -q 'rdma-core.*: ok' "$work/with"
else
	rs_pass_over "rdma-core's own tests" "their source could not be fetched"
fi
rs_finish
