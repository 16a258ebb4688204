#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: svc_hostile.sh [long]
#
# Messages that no honest client sends: each has one answer, and everybody else
# is served (contract R2, R5 to R7); and valid ones changed at random, the same
# for the same SEED= (MUTANTS= is how many). Then calls that are refused, many
# of them (REFUSED=), after which as much memory is in use as before (R1, R9).

RS_HERE=$(cd "$(dirname "$0")" && pwd)
. "$RS_HERE/lib.sh"
. "$RS_HERE/svc_lib.sh"

refused=${REFUSED:-$((3000 / SCALE))}
mutants=${MUTANTS:-$((400 / SCALE))}
if [ "$1" = long ]; then
	refused=${REFUSED:-100000}
	mutants=${MUTANTS:-20000}
fi

# refuse NAME PORT
refuse()
{
	local before
	svc_tap 3000 "$RS_HERE/wire_hostile" "$RS_ADDR" "$2" "$DEVICE" refuse $((refused / 5)) ||
		return 1
	before=$(svc_memory)
	svc_tap 3000 "$RS_HERE/wire_hostile" "$RS_ADDR" "$2" "$DEVICE" refuse "$refused" ||
		return 1
	rs_try "$1: memory is level after $refused refused calls" svc_level "$before" "$refused"
}

# promise_of GROUP PROMISE...: kept when all results of the group are good.
promise_of()
{
	local status=0 promise
	grep -q "^ok .* - $1:" <<< "$SVC_OUTPUT" || status=1
	! grep -q "^not ok .* - $1:" <<< "$SVC_OUTPUT" || status=1
	shift
	for promise; do
		svc_promise "$promise" $status
	done
}

svc_up 2
echo "TAP version 13"
svc_tap 600 "$RS_HERE/wire_hostile" "$RS_ADDR" $SVC_PORT "$DEVICE"
table=$?
promise_of table R2 R5
promise_of limit R6
promise_of close R7
[ "$table" = 0 ] || sed 's/^/# /' $SVC_COUNTERS

for port in $SVC_PORT $((SVC_PORT + 1)); do
	svc_tap 3000 "$RS_HERE/wire_hostile" "$RS_ADDR" "$port" "$DEVICE" \
		mutate "$mutants" "${SEED:-1}"
	promise_of mutate R5
done

failed=$TAP_FAILED
refuse "class rdma-shim" $SVC_PORT
refuse "class rs-consumer" $((SVC_PORT + 1))
svc_promise R9 $((TAP_FAILED - failed))
sed 's/^/# /' $SVC_COUNTERS
rs_try "nothing of the service stays behind" svc_down
svc_promise R1 $((TAP_FAILED - failed))
rs_finish
