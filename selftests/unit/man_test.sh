#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every exported function has a man page that says what it takes, in which
# context it may be called, and what it returns.

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

cd "$top" || exit 1
files=$(grep -rl '^EXPORT_SYMBOL_GPL' src --include='*.c')
# shellcheck disable=SC2086 # one file a word
src/admin/man9 "$tmp" $files 2> /dev/null

# page_complete NAME: its parts, and an entry for each argument.
page_complete()
{
	page=$tmp/$1.9
	[ -s "$page" ] || return 1
	parts='NAME SYNOPSIS CONTEXT RETURN'
	! grep -q "^void $1(" "$page" || parts='NAME SYNOPSIS CONTEXT'
	for part in $parts; do
		grep -qx ".SH $part" "$page" || return 1
	done
	args=$(sed -n '/^.SH SYNOPSIS/,/^.fi/p' "$page" | grep -o ',' | wc -l)
	if ! grep -q '(void)' "$page"; then
		args=$((args + 1))
		[ "$(grep -c '^\.I ' "$page")" -eq "$args" ] || return 1
	fi
}

tap_begin
# shellcheck disable=SC2086,SC2013 # one file a word, one name a word
for name in $(sed -n 's/^EXPORT_SYMBOL_GPL(\(.*\));/\1/p' $files | sort); do
	# An exported variable has no page.
	grep -q "$name(" $files || continue
	ok "$name(9): all parts, and every argument" page_complete "$name"
done
tap_finish
