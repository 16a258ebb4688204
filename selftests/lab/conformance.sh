# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # CONFORMANCE is for suites.sh
#
# make conformance: every suite that speaks of promises on the full matrix,
# native runs included, and from it selftests/CONFORMANCE.md. A partial or
# failed run shows its table and leaves the file alone.

# Suites by their programs: these print a line for each promise of contract
# sections 1 and 2, here and natively. (Section 3 has no native column.)
promising_suites()
{
	table "$SUITES_FILE" |
		awk '$2 ~ /^(mr_sg|odp)\.sh/ && $6 !~ /long/ { print $1 }' | xargs
}

# conformance_lines: KERNEL DEVICE and each line of the tests about a promise.
conformance_lines()
{
	local kernel device suite tap

	all_results | while read -r kernel device suite _; do
		tap=$(result_dir "$kernel" "$device" "$suite")/tap
		[ -e "$tap" ] || continue
		sed -n "s/^ *# conformance /$kernel $device # conformance /p" "$tap"
	done
}

# in_order LIST: its words, versions ascending.
in_order()
{
	tr ', ' '\n\n' <<< "$1" | sort -Vu | xargs
}

# conformance_partial: why this run is not the full one; nothing if it is.
conformance_partial()
{
	[ -z "$1" ] || [ "$(in_order "$1")" = '5.10 6.1 6.12 7.3' ] ||
		echo "KERNELS=$1 is not the full matrix"
	[ -z "$2" ] || echo "DEVICES=$2 is not the full matrix"
	[ -z "${SUITES:-}" ] || echo "SUITES=$SUITES is not the full matrix"
}

releases()
{
	local kernel

	for kernel in $KERNELS; do
		echo "$kernel=$(awk -v k="$kernel" '$1 == "kernel" && $2 == k { print $3 }' \
			"$(cat "$RUN/root-$(kernel_root "$kernel")")/inputs")"
	done
}

conformance()
{
	local partial ret table

	partial=$(conformance_partial "${KERNELS:-}" "${DEVICES:-}" | head -n 1)
	SUITES=${SUITES:-$(promising_suites)}
	CONFORMANCE=1
	test_in_guests
	ret=$?
	[ $ret = 0 ] || partial=${partial:-"the run failed"}
	all_results | grep -q ' siw [^ ]* skip .*no siw' && partial=${partial:-"siw could not be built"}
	KERNELS=$(in_order "$KERNELS")
	table=$RESULTS/conformance.md
	conformance_lines | awk -v promises="$LAB/promises" -v kernels="$KERNELS" \
		-v devices="$DEVICES" -v releases="$(releases | xargs)" \
		-f "$LAB/conformance.awk" > "$table" || {
		ret=1
		partial=${partial:-"a promise is not kept with the package"}
	}
	echo
	if [ -n "$partial" ]; then
		cat "$table"
		say "selftests/CONFORMANCE.md is left as it is: $partial (this run's table: $table)"
	else
		cp "$table" "$TREE/selftests/CONFORMANCE.md"
		say "wrote selftests/CONFORMANCE.md"
	fi
	return $ret
}
