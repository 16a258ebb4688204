# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# TAP for test scripts in POSIX sh (lib.sh, for bash, adds devices to it).

TAP_TESTS=0
TAP_FAILED=0

tap_begin()
{
	echo 'TAP version 13'
}

# tap_result CODE NAME: one line; 0 is good.
tap_result()
{
	TAP_TESTS=$((TAP_TESTS + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $TAP_TESTS - $2"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_TESTS - $2"
	fi
}

# tap_explain: remarks on the last result, from stdin.
tap_explain()
{
	sed 's/^/# /' | tail -n 20
}

# ok NAME COMMAND...: good when the command is. $tap_said names a file that
# explains a bad one, if there is one.
ok()
{
	tap_name=$1
	shift
	if "$@"; then
		tap_result 0 "$tap_name"
	else
		tap_result 1 "$tap_name"
		[ ! -s "${tap_said:-}" ] || tap_explain < "$tap_said"
	fi
}

# tap_pass_over NAME WHY: a result that is left out here.
tap_pass_over()
{
	TAP_TESTS=$((TAP_TESTS + 1))
	echo "ok $TAP_TESTS - $1 # SKIP $2"
}

# tap_skip WHY: the whole program is.
tap_skip()
{
	tap_begin
	echo "1..0 # SKIP $*"
	exit 4
}

# tap_finish: the plan, and the exit code. Nothing tried is no success.
tap_finish()
{
	echo "1..$TAP_TESTS"
	[ "$TAP_TESTS" -gt 0 ] && [ "$TAP_FAILED" -eq 0 ]
	exit
}
