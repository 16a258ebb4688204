# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # settings for boot.sh and suites.sh
#
# make bench: the programs of selftests/bench, here in real time or in guests
# whose clock counts instructions. What a run in guests on all kernels and devices
# (or any, with KEEP=1) measured goes into selftests/bench/results; what it did
# not measure stays there.

BENCH_UNIT=nanoseconds

# bench_lines [KERNEL/DEVICE/SUITE...]: KERNEL RELEASE DEVICE SUBJECT ROW [WHOSE
# MIDDLE LEAST MOST]... of all but these.
bench_lines()
{
	local kernel device suite release tap

	all_results | while read -r kernel device suite _; do
		[[ " $* " != *" $kernel/$device/$suite "* ]] || continue
		tap=$(result_dir "$kernel" "$device" "$suite")/tap
		release=$(bench_release "$kernel")
		sed -n "s/^ *# bench /$kernel $release $device /p" "$tap"
	done
}

bench_release()
{
	if [ -n "${RUN:-}" ]; then
		releases | sed -n "s/^$1=//p"
	else
		echo "$1"
	fi
}

# bench_write DIR: everything that DIR/lines has to say, as files.
bench_write()
{
	local from=$TREE/selftests/bench subject kind

	[ -s "$1/lines" ] || return
	for kind in table:md json:json; do
		awk -v unit="$BENCH_UNIT" -v units="$from/units" -f "$from/${kind%:*}.awk" \
			"$1/lines" > "$1/results.${kind#*:}"
	done
	cut -d' ' -f4 "$1/lines" | sort -u | while read -r subject; do
		awk -v subject="$subject" -f "$from/plot.awk" "$1/lines" > "$1/plot.data"
		gnuplot -e "data='$1/plot.data'; out='$1/$subject.svg'; subject='$subject'" \
			"$from/plot.gp" || exit
	done || die "gnuplot could not draw a plot."
	rm -f "$1/plot.data"
}

# bench_keep: what passed takes the place of what selftests/bench/results says of
# the same subject on the same kernel and device.
bench_keep()
{
	local kept=$TREE/selftests/bench/results new=$RESULTS/bench/new failed

	mkdir -p "$kept" "$new"
	touch "$kept/lines"
	mapfile -t failed < <(all_results | awk '$4 != "pass" { print $1 "/" $2 "/" $3 }')
	bench_lines "${failed[@]}" > "$new/passed"
	awk 'NR == FNR { seen[$1, $3, $4] = 1; next } !(($1, $3, $4) in seen)' \
		"$new/passed" "$kept/lines" |
		cat - "$new/passed" | sort -s -k 4,4 -k 1,1V -k 3,3 > "$new/lines"
	bench_write "$new" || return
	rm "$new/passed"
	cp "$new"/* "$kept/"
	say "wrote selftests/bench/results${failed[*]:+, but for ${failed[*]}}"
}

# bench_publish RET PARTIAL: shows the table; keeps what is of all kernels.
bench_publish()
{
	local ret=$1 partial=$2 out=$RESULTS/bench

	mkdir -p "$out"
	bench_lines > "$out/lines"
	bench_write "$out" || return 1
	echo
	cat "$out/results.md"
	if [ -n "$partial" ] && [ -z "${KEEP:-}" ]; then
		say "selftests/bench/results is left as it is: $partial (this run: $out)"
	else
		bench_keep
	fi
	return "$ret"
}

# bench_suites YES|NO: those about wall time, or the others.
bench_suites()
{
	local device suite wall

	for device in none rxe siw; do
		for suite in $(suites_on "$device"); do
			wall=NO
			if suite_has "$suite" two || suite_has "$suite" chroot; then wall=YES; fi
			[ $wall != "$1" ] || echo "$suite"
		done
	done | sort -u | xargs
}

bench_in_guests()
{
	local partial counted wall ret=0

	need_tools gnuplot:gnuplot-nox:gnuplot
	SUITES_FILE=$TREE/selftests/bench/subjects
	BENCH_UNIT=instructions
	check_suites
	partial=$(SUITES='' conformance_partial "${KERNELS:-}" "${DEVICES:-}" | head -n 1)
	counted=$(bench_suites NO)
	wall=$(bench_suites YES)
	export GUEST_ICOUNT=1
	# One emulated processor does what elsewhere two do side by side.
	BOOT_SECONDS=900 SLOW=5
	if [ -n "$counted" ]; then
		SUITES=$counted
		test_in_guests || ret=1
	fi
	if [ -n "$wall" ]; then
		SUITES_FILE=$TREE/selftests/bench/subjects
		SUITES=$wall JOBS=1
		test_in_guests || ret=1
	fi
	# shellcheck disable=SC2034 # for all_results
	SUITES="$counted $wall"
	bench_publish $ret "$partial"
}

bench_on_host()
{
	need_tools gnuplot:gnuplot-nox:gnuplot
	SUITES_FILE=$TREE/selftests/bench/subjects
	test_on_host
	bench_publish $? "it is this machine's, not that of the guests"
}
