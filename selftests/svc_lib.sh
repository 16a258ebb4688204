# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The RPC service of the test module, for the suites of the server transport.

SVC_PARAMETERS=/sys/module/rdma_shim_svc_test/parameters
SVC_COUNTERS=/sys/module/svcrdma_shim/parameters/counters
SVC_PORT=20999

# svc_up THREADS: a device, and the service on SVC_PORT (class rdma-shim) and
# SVC_PORT + 1 (the outside consumer's class).
svc_up()
{
	rs_device_up
	# siw asks nobody's capabilities.
	ulimit -l unlimited
	rs_need_module svcrdma_shim rdma_shim_svc_test
	trap svc_cleanup EXIT
	echo "$1" > $SVC_PARAMETERS/threads ||
		rs_skip "the service has no threads"
	echo "rdma-shim $SVC_PORT" > $SVC_PARAMETERS/listen ||
		rs_skip "the class rdma-shim does not listen"
	echo "rs-consumer $((SVC_PORT + 1))" > $SVC_PARAMETERS/listen ||
		rs_skip "the class of the test module does not listen"
}

# svc_down: the service goes and leaves nothing; fails when something holds it.
svc_down()
{
	local i
	echo 1 > $SVC_PARAMETERS/close || return 1
	# Connections are freed a little later.
	for i in $(seq 100); do
		timeout 60 rmmod rdma_shim_svc_test 2> /dev/null && return
		sleep 0.1
	done
	echo "after $i tries:"
	timeout 60 rmmod rdma_shim_svc_test
}

svc_cleanup()
{
	[ ! -d $SVC_PARAMETERS ] || svc_down
	rs_cleanup
}

# svc_count NAME: one of the transport's counters.
svc_count()
{
	sed -n "s/^$1 //p" $SVC_COUNTERS
}

# svc_promise PROMISE STATUS [REASON]: a line of the table of conformance.
svc_promise()
{
	local word=pass
	[ "$2" = 0 ] || word=fail
	echo "# conformance $1 ours $word${3:+ $3}"
}

# svc_tap SECONDS PROGRAM...: one that prints TAP, as a part of this one's.
# SVC_OUTPUT is what it printed.
svc_tap()
{
	local line status=1
	SVC_OUTPUT=
	while IFS= read -r line; do
		SVC_OUTPUT+=$line$'\n'
		case $line in
		"ok "*) rs_result 0 "${line#*- }" ;;
		"not ok "*) rs_result 1 "${line#*- }" ;;
		1..*) ;;
		"svc_tap ends "*) status=${line##* } ;;
		"#"*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done < <(timeout "$@" 2>&1; echo "svc_tap ends $?")
	if [ "$status" != 0 ] && ! grep -q '^not ok' <<< "$SVC_OUTPUT"; then
		rs_result 1 "$(basename "$2") ends well (exit $status)"
	fi
	return "$status"
}
