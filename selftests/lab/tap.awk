# SPDX-License-Identifier: GPL-2.0
#
# One program's TAP to one line: STATE PASSED FAILED SKIPPED REASON.
# code is the program's exit code; bad what else went wrong, if anything.

function strip(s) {
	sub(/^[ \t]*[0-9]*[ \t]*-?[ \t]*/, "", s)
	return s
}

/^1\.\.[0-9]+/ {
	planned = substr($1, 4) + 0
	has_plan = 1
	if (planned == 0 && match($0, /# *[Ss][Kk][Ii][Pp]/))
		skip_reason = substr($0, RSTART + RLENGTH)
}
/^Bail out!/ { bail = $0 }
/^ok([ \t]|$)/ {
	seen++
	if ($0 ~ /# *[Ss][Kk][Ii][Pp]/) {
		skipped++
		skip_reason = $0
		sub(/.*# *[Ss][Kk][Ii][Pp]/, "", skip_reason)
	} else
		passed++
}
/^not ok([ \t]|$)/ {
	seen++
	failed++
	if (first == "") first = strip(substr($0, 7))
}

END {
	passed += 0; failed += 0; skipped += 0; seen += 0
	sub(/^[ \t]*/, "", skip_reason)
	if (bad != "") why = bad
	else if (failed) why = "failed: " first
	else if (bail != "") why = bail
	else if (code == 124 || code == 137) why = "took longer than it may"
	else if (code == 4) why = ""
	else if (code != 0) why = "exit code " code (seen ? "" : " and no result at all")
	else if (!has_plan) why = "no plan: it may have ended early"
	else if (planned != seen) why = "printed " seen " of " planned " results"
	else if (!seen && skip_reason == "") why = "no result at all"
	if (why != "") {
		if (!failed) failed = 1
		state = "fail"
	} else if (code == 4 || !passed) {
		state = "skip"
		why = skip_reason != "" ? skip_reason : "no reason given"
		if (!skipped) skipped = 1
	} else
		state = "pass"
	print state, passed, failed, skipped, why
}
