# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # settings for boot.sh and suites.sh
#
# make bench: the programs of selftests/bench, here in real time or in guests
# whose clock counts instructions. A full run in guests leaves its table, JSON
# and plots in selftests/bench/results; any other leaves those alone.

BENCH_UNIT=nanoseconds

# bench_lines: KERNEL RELEASE DEVICE SUBJECT ROW [WHOSE MIDDLE LEAST MOST]...
bench_lines()
{
	local kernel device suite release tap

	all_results | while read -r kernel device suite _; do
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

# bench_write DIR: everything a run has to say, as files.
bench_write()
{
	local from=$TREE/selftests/bench subject

	mkdir -p "$1"
	bench_lines > "$1/lines"
	[ -s "$1/lines" ] || return
	awk -v unit="$BENCH_UNIT" -f "$from/table.awk" "$1/lines" > "$1/results.md"
	awk -v unit="$BENCH_UNIT" -f "$from/json.awk" "$1/lines" > "$1/results.json"
	cut -d' ' -f4 "$1/lines" | sort -u | while read -r subject; do
		awk -v subject="$subject" -f "$from/plot.awk" "$1/lines" > "$1/plot.data"
		gnuplot -e "data='$1/plot.data'; out='$1/$subject.svg'; subject='$subject'" \
			"$from/plot.gp" || exit
	done || die "gnuplot could not draw a plot."
	rm -f "$1/plot.data"
}

# bench_publish RET: shows the table; keeps a full run's in the tree.
bench_publish()
{
	local ret=$1 partial=$2 out=$RESULTS/bench

	bench_write "$out" || return 1
	echo
	cat "$out/results.md"
	[ "$ret" = 0 ] || partial=${partial:-the run failed}
	if [ -n "$partial" ]; then
		say "selftests/bench/results is left as it is: $partial (this run: $out)"
	else
		mkdir -p "$TREE/selftests/bench/results"
		cp "$out"/*.md "$out"/*.json "$out"/*.svg "$TREE/selftests/bench/results/"
		say "wrote selftests/bench/results"
	fi
	return "$ret"
}

bench_in_guests()
{
	local partial

	need_tools gnuplot:gnuplot-nox:gnuplot
	partial=$(conformance_partial "${KERNELS:-}" "${DEVICES:-}" | head -n 1)
	SUITES_FILE=$TREE/selftests/bench/subjects
	BENCH_UNIT=instructions
	export GUEST_ICOUNT=1
	# One emulated processor does what elsewhere two do side by side.
	BOOT_SECONDS=900 SLOW=5
	test_in_guests
	bench_publish $? "$partial"
}

bench_on_host()
{
	need_tools gnuplot:gnuplot-nox:gnuplot
	SUITES_FILE=$TREE/selftests/bench/subjects
	test_on_host
	bench_publish $? "it is this machine's, not that of the guests"
}
