# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Where results are kept: one folder per (tree and settings, kernel, device,
# suite) with tap, klog, console and, written last, result:
#	STATE PASSED FAILED SKIPPED REASON
# A result without the file "reported" belongs to a run that was interrupted,
# which the next run continues.

results_key()
{
	{
		tree_hash
		echo "${LONG:-} ${SCALE:-1} ${GUEST_ICOUNT:-}"
	} | key
}

# result_dir KERNEL DEVICE SUITE
result_dir()
{
	echo "$RESULTS/$1/$2/$3"
}

# forget_results KERNEL DEVICE SUITE: what this run has to do again.
forget_results()
{
	local dir

	dir=$(result_dir "$@")
	if [ -e "$dir/result" ] && [ "${RESUME:-}" != 0 ]; then
		[ "${RESUME:-}" = 1 ] && grep -q ^pass "$dir/result" && return
		[ -e "$dir/reported" ] || ! grep -q ^pass "$dir/result" || return
	fi
	rm -rf "$dir"
}

# store_result KERNEL DEVICE SUITE CODE SECONDS [WHAT_ELSE_WENT_WRONG]
store_result()
{
	local dir

	dir=$(result_dir "$1" "$2" "$3")
	mkdir -p "$dir"
	[ -e "$dir/tap" ] || : > "$dir/tap"
	awk -v code="$4" -v bad="${6:-}" -f "$LAB/tap.awk" "$dir/tap" > "$dir/result.part"
	echo "$5" > "$dir/seconds"
	mv "$dir/result.part" "$dir/result"
	progress "$1" "$2" "$3"
}

# skip_result KERNEL DEVICE SUITE REASON
skip_result()
{
	local dir

	dir=$(result_dir "$1" "$2" "$3")
	mkdir -p "$dir"
	printf 'TAP version 13\n1..0 # SKIP %s\n' "$4" > "$dir/tap"
	store_result "$1" "$2" "$3" 4 0
}

# progress KERNEL DEVICE SUITE: one line as soon as it is known.
progress()
{
	local dir state passed failed skipped why

	dir=$(result_dir "$@")
	read -r state passed failed skipped why < "$dir/result"
	printf '%s  %-5s %-4s %-14s %s: %s passed, %s failed, %s skipped in %s s%s\n' \
		"$(date +%T)" "$1" "$2" "$3" "${state^^}" "$passed" "$failed" "$skipped" \
		"$(cat "$dir/seconds")" "${why:+ ($why)}"
	[ "$state" = fail ] || return 0
	awk '/^ *#/ && on { print "\t" $0 } !/^ *#/ { on = 0 } /^not ok/ { print "\t" $0; on = 1 }' \
		"$dir/tap" | head -n 12
}
