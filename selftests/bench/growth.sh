#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How the cost of the server's transport grows, in calls of the test module's
# service that do nothing: with the Read chunks of a call, with connections, and
# by a connection that is idle; the kernel's own transport and ours.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=selftests/lib.sh
. "$RS_HERE/lib.sh"
# shellcheck source=selftests/svc_lib.sh
. "$RS_HERE/svc_lib.sh"

native_port=$((SVC_PORT + 2))
# rows of 64 KiB in several chunks are ours alone: no kernel's own transport
# takes them on all kernels, and some warn (6.12, 7.3).
rows="chunks 1 native ours
chunks 4 ours
chunks 16 ours
calls 1 native ours
calls 8 native ours
calls 64 native ours
idle 64 native ours"

# measure WHAT AMOUNT WHOSE
measure()
{
	local port=$SVC_PORT

	[ "$3" = ours ] || port=$native_port
	timeout 600 "$RS_HERE/wire_growth" "$RS_ADDR" "$port" "$DEVICE" "$1" "$2" |
		grep -v '^#'
}

# row WHAT AMOUNT WHOSE...: its figures to stdout.
row()
{
	local what=$1 amount=$2 whose figures line

	line="# bench $what $what-$amount"
	shift 2
	for whose; do
		figures=$(measure "$what" "$amount" "$whose")
		[ -n "$figures" ] || return
		line+=" $whose $figures"
	done
	echo "$line"
}

echo 'TAP version 13'
svc_up 2
echo "rdma $native_port" > "$SVC_PARAMETERS/listen" ||
	rs_skip "the kernel's own transport does not listen"
while read -r what amount whose; do
	# shellcheck disable=SC2086 # one word for each
	row "$what" "$amount" $whose
	rs_result $? "$what $amount"
done <<< "$rows"
rs_finish
