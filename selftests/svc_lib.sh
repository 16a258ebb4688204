# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The RPC service of the test module, for the suites of the server transport.

SVC_PARAMETERS=/sys/module/rdma_shim_svc_test/parameters
SVC_COUNTERS=/sys/module/svcrdma_shim/parameters/counters
SVC_PORT=20999

# svc_serve THREADS CLASS...: the service, on SVC_PORT for the first class of
# transports, on the port after it for the second.
svc_serve()
{
	local class port=$SVC_PORT

	# siw asks nobody's capabilities.
	ulimit -l unlimited
	rs_need_module svcrdma_shim rdma_shim_svc_test
	echo "$1" > $SVC_PARAMETERS/threads ||
		rs_skip "the service has no threads"
	shift
	for class; do
		echo "$class $port" > $SVC_PARAMETERS/listen ||
			rs_skip "the class $class does not listen"
		port=$((port + 1))
	done
}

# svc_up THREADS: a device, and the service on SVC_PORT (class rdma-shim) and
# SVC_PORT + 1 (the outside consumer's class).
svc_up()
{
	rs_device_up
	trap svc_cleanup EXIT
	svc_serve "$1" rdma-shim rs-consumer
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

# Objects of each slab cache and pages in use; the tests' own processes are gone.
# Thousands of free pages come and go between the zones and the lists that each
# processor has of its own, and only those in the zones are nr_free_pages.
svc_memory()
{
	# Connections are freed a little after their client has gone.
	sleep 2
	echo 3 > /proc/sys/vm/drop_caches
	echo 1 > /proc/sys/vm/compact_memory
	awk '$1 ~ /^kmalloc|^vmap_area/ { print $1, $2 }' /proc/slabinfo
	awk '$1 == "nr_free_pages" || $1 == "count:" { free += $2 }
		END { print "pages", -free }' /proc/zoneinfo
	echo "regions $(rdma resource show mr 2> /dev/null | wc -l)"
}

# svc_grown BEFORE AFTER CALLS: what grew by more than a hundredth of the calls,
# and by more than what comes and goes by itself.
svc_grown()
{
	join <(sort <<< "$1") <(sort <<< "$2") | awk -v calls="$3" '
		{ most = calls / 100 + ($1 == "pages" ? 500 : 600) }
		$1 == "regions" { most = 0 }
		$3 - $2 > most { print $1, "grew by", $3 - $2; bad = 1 }
		END { exit bad }'
}

# svc_level BEFORE CALLS: what only comes back late is not lost.
svc_level()
{
	local i
	for i in 1 2 3; do
		svc_grown "$1" "$(svc_memory)" "$2" > /dev/null && return
		sleep 3
	done
	echo "after $i looks:"
	svc_grown "$1" "$(svc_memory)" "$2"
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
