#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC1090,SC2016,SC2034,SC2317 # sourced parts and their globals
#
# The parts of the lab that decide something: which mirror, which kernel, is a
# log clean, did a program pass, what stands in the tables.

set -u

. "$(dirname "$0")/../tap.sh"
LAB_DIR=$(cd "$(dirname "$0")/../lab" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset KERNELS DEVICES SUITES LONG MIRROR MIRROR_SECURITY CONFORMANCE
TREE=$tmp/tree
CACHE=$tmp/cache
for part in common mirror index klog suites; do
	. "$LAB_DIR/$part.sh"
done

# is NAME WANTED COMMAND...: what it prints is what is wanted.
is()
{
	local name=$1 wanted=$2 got
	shift 2
	got=$("$@" 2>&1)
	if [ "$got" = "$wanted" ]; then
		tap_result 0 "$name"
	else
		tap_result 1 "$name"
		printf 'wanted: %s\ngot: %s\n' "$wanted" "$got" | tap_explain
	fi
}

sources()
{
	rm -rf "$tmp/apt"
	mkdir -p "$tmp/apt/sources.list.d"
	cat > "$tmp/apt/$1"
	APT_DIR=$tmp/apt
}

tap()
{
	awk -v code="$1" -v bad="${2:-}" -f "$LAB_DIR/tap.awk"
}

tap_of()
{
	printf '%b' "$1" | tap "$2" "${3:-}"
}

klog_of()
{
	printf '%b' "$2" > "$tmp/klog"
	klog_bad "$1" "$tmp/klog"
}

table_of()
{
	printf '%b' "$1" | awk -f "$LAB_DIR/table.awk" | tail -n 1
}

table_exit()
{
	printf '%b' "$1" | awk -f "$LAB_DIR/table.awk" > /dev/null
	echo $?
}

conformance_of()
{
	printf '%b' "$1" | awk -v promises="$LAB_DIR/promises" -v kernels=6.1 \
		-v devices='rxe siw' -v releases=6.1=6.1.0-1 -f "$LAB_DIR/conformance.awk" > "$tmp/table"
	echo "exit $?: $(grep -F "| $2 |" "$tmp/table" | sed 's/^| [A-Z0-9]* | [^|]*|//')"
}

tap_begin

# Which mirror?
sources sources.list <<'END'
# deb http://wrong.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian/ bookworm main
deb http://two.example/debian-security bookworm-security main
END
is 'one-line sources: the mirror' http://one.example/debian mirror_main
is 'one-line sources: the security mirror' http://two.example/debian-security mirror_security
sources sources.list.d/debian.sources <<'END'
Types: deb
URIs: https://three.example/x/debian http://four.example/debian
Suites: bookworm

Types: deb
URIs: http://five.example/debian-security/
Suites: bookworm-security
END
is 'deb822 sources: the mirror' https://three.example/x/debian mirror_main
is 'deb822 sources: the security mirror' http://five.example/debian-security mirror_security
MIRROR=http://six.example/debian/
is 'MIRROR= wins' http://six.example/debian mirror_main
is 'and names the security mirror beside it' http://six.example/debian-security mirror_security
unset MIRROR
sources sources.list <<'END'
deb http://seven.example/ubuntu noble main
END
is 'no Debian mirror is one sentence' \
	"lab: no Debian mirror in this machine's apt configuration: name one with MIRROR=http://HOST/debian." mirror_main

# Which kernel?
mkdir -p "$CACHE/index"
MIRROR=http://six.example/debian
for suite in bookworm-security trixie-security trixie trixie-backports; do
	: > "$CACHE/index/$suite"
done
printf '%s\t%s\t%s\t%s\n' linux-image-amd64 6.1.99-1 'linux-image-6.1.0-9-amd64 (= 6.1.99-1)' - \
	linux-image-amd64 6.1.100-1 'linux-image-6.1.0-10-amd64 (= 6.1.100-1)' - \
	linux-image-6.1.0-9-amd64 6.1.99-1 - - linux-image-6.1.0-10-amd64 6.1.100-1 - - \
	linux-image-6.1.0-11-rt-amd64 6.1.101-1 - - > "$CACHE/index/bookworm-security"
is 'the newest meta package names the kernel' '6.1.0-10-amd64 6.1.100-1' find_kernel 6.1
printf '%s\t%s\t%s\t%s\n' linux-image-amd64 7.4.1-1 'linux-image-7.4.1+deb13-amd64 (= 7.4.1-1)' - \
	linux-image-7.3.4+deb13-amd64 7.3.4-1 - - linux-image-7.3.12+deb13-amd64 7.3.12-1 - - \
	linux-image-7.3.13+deb13-cloud-amd64 7.3.13-1 - - > "$CACHE/index/trixie-backports"
is 'where it moved on: the newest of the series' '7.3.12+deb13-amd64 7.3.12-1' find_kernel 7.3
is 'a series that is gone is one sentence' \
	'lab: no kernel 6.12 in the suites trixie-security,trixie of the mirror http://six.example/debian.' find_kernel 6.12
is 'an unknown kernel is one sentence' \
	"lab: unknown kernel '9.9': KERNELS= takes any of 5.10 6.1 6.12 7.3 7.2." find_kernel 9.9

# Did a program pass?
is 'a pass' 'pass 2 0 0 ' tap_of '1..2\nok 1 a\nok 2 b\n' 0
is 'a pass with a skip' 'pass 1 0 1 ' tap_of '1..2\nok 1 a\nok 2 b # SKIP not here\n' 0
is 'a failed case' 'fail 1 1 0 failed: b' tap_of '1..2\nok 1 a\nnot ok 2 - b\n' 0
is 'an exit code' 'fail 1 1 0 exit code 3' tap_of '1..1\nok 1 a\n' 3
is 'a short run' 'fail 1 1 0 printed 1 of 2 results' tap_of '1..2\nok 1 a\n' 0
is 'no plan' 'fail 1 1 0 no plan: it may have ended early' tap_of 'ok 1 a\n' 0
is 'nothing at all' 'fail 0 1 0 no plan: it may have ended early' tap_of '' 0
is 'an empty plan' 'fail 0 1 0 no result at all' tap_of '1..0\n' 0
is 'a program that skips' 'skip 0 0 1 no device' tap_of '1..0 # SKIP no device\n' 4
is 'a time-out' 'fail 1 1 0 took longer than it may' tap_of '1..2\nok 1 a\n' 124
is 'a bad kernel log' 'fail 1 1 0 kernel log: BUG' tap_of '1..1\nok 1 a\n' 0 'kernel log: BUG'
is 'indented results are of a subtest' 'pass 1 0 0 ' tap_of '1..1\n    not ok 1 x\nok 1 a\n' 0

# Is a kernel log clean?
is 'a clean log' '' klog_of ours '[    1.0] rdma_shim: loading out-of-tree module taints kernel.\n[ 2.0] debugging: warnings on\n'
is 'a warning' 'WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2' klog_of ours '[    1.0] WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2\n'
for line in 'BUG: unable to handle page fault' 'INFO: task sh:1 blocked for more than 120 seconds.' \
	'rcu: INFO: rcu_preempt self-detected stall on CPU' 'WARNING: possible circular locking dependency detected' \
	'BUG: KASAN: use-after-free in f' 'Oops: 0000 [#1]' 'watchdog: BUG: soft lockup - CPU#0 stuck for 60s!' \
	'general protection fault, probably for non-canonical address 0x1' 'refcount_t: underflow; use-after-free.'; do
	is "a log with: $line" "$line" klog_of ours "[    1.0] $line\n"
done
flush='check_flush_dependency+0x1/0x2'
is 'a stock driver may flush what the list says' '' klog_of ours "[ 1.0] workqueue: WQ_MEM_RECLAIM iw_cm_wq:cm_work_handler [iw_cm] is flushing !WQ_MEM_RECLAIM events:0x0\n[ 1.0] WARNING: CPU: 1 PID: 7 at kernel/workqueue.c:2620 $flush\n"
is 'nobody else' "WARNING: CPU: 1 PID: 7 at kernel/workqueue.c:2620 $flush (workqueue: WQ_MEM_RECLAIM ours:f is flushing !WQ_MEM_RECLAIM events:0x0)" \
	klog_of ours "[ 1.0] workqueue: WQ_MEM_RECLAIM ours:f is flushing !WQ_MEM_RECLAIM events:0x0\n[ 1.0] WARNING: CPU: 1 PID: 7 at kernel/workqueue.c:2620 $flush\n"
LAB=$tmp
cp "$LAB_DIR"/klog.{patterns,stock} "$tmp/"
echo 'WARNING: CPU: [0-9]+ PID: [0-9]+ at known[.]c:[0-9]+ f[+]0x.*' > "$tmp/klog.native"
is 'a native run may warn where the list says so' '' klog_of native '[ 1.0] WARNING: CPU: 0 PID: 1 at known.c:1 f+0x1/0x2\n'
is 'and nowhere else' 'WARNING: CPU: 0 PID: 1 at other.c:1 f+0x1/0x2' klog_of native '[ 1.0] WARNING: CPU: 0 PID: 1 at other.c:1 f+0x1/0x2\n'
is 'the list is for native runs only' 'WARNING: CPU: 0 PID: 1 at known.c:1 f+0x1/0x2' klog_of ours '[ 1.0] WARNING: CPU: 0 PID: 1 at known.c:1 f+0x1/0x2\n'
LAB=$LAB_DIR

# Which suites?
mkdir -p "$TREE/selftests"
printf '%s\n' 'load load.sh 60 none any' 'mr mr.sh,fast 60 rxe,siw any' \
	'slow mr.sh 60 rxe any long' 'native_mr mr.sh,native 60 rxe vm own,native' > "$TREE/selftests/suites"
is 'suites of a device' 'mr' suites_on rxe
LONG=1
is 'LONG=1' $'mr\nslow' suites_on rxe
CONFORMANCE=1
is 'native ones for the table only' $'mr\nslow\nnative_mr' suites_on rxe
unset LONG CONFORMANCE
SUITES='load slow'
is 'SUITES= names them' slow suites_on rxe
is 'an unknown suite is one sentence' \
	"lab: unknown suite 'nope': SUITES= takes any of load mr slow native_mr." eval 'SUITES=nope; check_suites'
unset SUITES
is 'a command with arguments' $'export DEVICE=siw SCALE=1 LONG=\nexec ./mr.sh fast' suite_command mr siw

# The tables.
good='6.1 none load pass 4 0 0 \n6.1 rxe mr pass 10 0 2 x\n6.12 rxe mr skip 0 0 1 y\n'
is 'the closing line' '14 passed, 0 failed, 3 skipped' table_of "$good"
is 'good' 0 table_exit "$good"
is 'one failure' 1 table_exit "$good"'6.1 siw mr fail 3 1 0 z\n'
is 'nothing ran' 1 table_exit ''
kept='6.1 rxe # conformance M2 native fail takes it\n6.1 rxe # conformance M2 ours pass\n6.1 siw # conformance M2 ours pass\n'
is 'native / with the package' 'exit 0:  **no** / yes | - / yes |' conformance_of "$kept" M2
is 'one case is enough to break a promise' 'exit 1:  **no** / **no** | - / yes |' \
	conformance_of "$kept"'6.1 rxe # conformance M2 ours fail x\n6.1 rxe # conformance M2 ours pass\n' M2
is 'no line at all is no table' 'exit 1: ' conformance_of '' M2

# What calls cost: one line of a program through the table, JSON and plot.
bench_of()
{
	printf '%b' "$2" | awk -v unit=instructions -v units="${3:-}" -v subject=mr -f "$LAB_DIR/../bench/$1.awk"
}
counted='6.1 6.1.0-9 rxe mr 16x4K native 100 100 100 ours 150 150 151 bare 90 90 90\n7.3 7.3.4 siw mr 16x4K ours 70 70 70\n'
is 'a row with what else there is' '| 16x4K | 6.1 | rxe | 100 | 150 (150 to 151) | 1.500 | bare 90 |' \
	eval 'bench_of table "$counted" | grep "| 6.1 |"'
is 'without a native figure there is no ratio' '| 16x4K | 7.3 | siw | - | 70 | - |  |' \
	eval 'bench_of table "$counted" | grep "| 7.3 |"'
is 'what is counted' 'In instructions a call.' eval 'bench_of table "$counted" | grep ^In'
is 'what is measured otherwise' 'In bytes a thing.' \
	eval 'bench_of table "$counted" <(printf "# x\nmr\tbytes a thing\n") | grep ^In'
is 'units in JSON' '{"unit": "instructions a call", "units": {"mr": "bytes a thing"}, "rows": [' \
	eval 'bench_of json "$counted" <(printf "# x\nmr\tbytes a thing\n") | sed -n 1p'
is 'the releases' 'Kernels: 6.1.0-9, 7.3.4.' eval 'bench_of table "$counted" | grep ^Kernels'
is 'a row as JSON' '{"subject": "mr", "row": "16x4K", "kernel": "7.3.4", "device": "siw", "ours": {"median": 70, "min": 70, "max": 70}}' \
	eval 'bench_of json "$counted" | sed -n 3p'
is 'a plot has a column for each kernel and device' $'row "6.1/rxe" "7.3/siw"\n"16x4K" 1.5 ?' \
	bench_of plot "$counted"

tap_finish
