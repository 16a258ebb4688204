# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a person reads at the end.

# all_results: KERNEL DEVICE SUITE STATE PASSED FAILED SKIPPED REASON
all_results()
{
	local kernel device suite file

	for kernel in $KERNELS; do
		for device in none $DEVICES; do
			for suite in $(suites_on "$device"); do
				file=$(result_dir "$kernel" "$device" "$suite")/result
				[ -e "$file" ] && echo "$kernel $device $suite $(cat "$file")"
			done
		done
	done
}

# report: failures and skips with their reasons, the table, the closing line.
# Returns 1 when something failed or nothing ran.
report()
{
	local list=$RESULTS/list.$LAB_ID.$BASHPID ret

	all_results > "$list"
	echo
	awk -v dir="$RESULTS" '
		$4 == "fail" || $4 == "skip" {
			why = $0
			for (i = 0; i < 7; i++) sub(/^[^ ]+ /, "", why)
			at = $4 == "fail" ? "  (" dir "/" $1 "/" $2 "/" $3 ")" : ""
			printf "%s %s %s %s: %s%s\n", toupper($4), $1, $2, $3, why, at
		}' "$list"
	awk -f "$LAB/table.awk" "$list"
	ret=$?
	rm -f "$list"
	return $ret
}
