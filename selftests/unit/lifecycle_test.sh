#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC1090,SC1091,SC2034,SC2317 # sourced parts and their globals
#
# The plan of the life-cycle tests: what runs before what, what is repeated,
# and that no failure gets lost. Systems are stand-ins here.

set -u

here=$(cd "$(dirname "$0")/../lifecycle" && pwd)
. "$here/../tap.sh"
. "$here/../lab/common.sh"
. "$here/states.sh"
. "$here/report.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
CACHE=$tmp/cache
base=$tmp/base
packages=1
unset EVENTS RESUME

# An event writes down that it ran, and where it began.
state_up() { mkdir -p "$2/up"; layers "$1" > "$2/below"; }
state_down() { :; }
passes() { echo "$1" >> "$tmp/ran"; }
changed() { echo "$1" >> "$tmp/ran"; }
fails() { echo "$1" >> "$tmp/ran"; false; echo never >> "$tmp/ran"; }
cannot() { give_up 'there is none here'; }

# plan_of DOES: one system whose event b does that.
plan_of()
{
	suite=stand-in
	event alone - passes alone
	event a base passes a
	event b a "$1" b
	event c b passes c
	event d a passes d
	run_plan
}

# try SYSTEM DOES: fresh results, as in a run of its own. No subshell, so that
# they stay.
try()
{
	system=$1
	result=()
	reason=()
	columns=()
	count=0
	: > "$tmp/ran"
	plan_of "$2" > "$tmp/said"
	report_events "$1" >> "$tmp/said"
	code=$?
}

ran()
{
	[ "$(xargs < "$tmp/ran")" = "$1" ]
}

says()
{
	grep -qxE -- "$1" "$tmp/said"
}

tap_said=$tmp/said
tap_begin
try one passes
ok 'every event runs once, in order' ran 'alone a b c d'
ok 'and a run without failure is good' test $code = 0
ok 'an event begins on what those before it left, down to the base' \
	grep -qE '^[^:]*-b-[0-9a-f]*/up:[^:]*-a-[0-9a-f]*/up:.*/base/root$' "$CACHE"/lifecycle/stand-in-c-*/below
try one passes
ok 'what passed is not repeated' ran ''
ok 'and is said to be from earlier' says 'ok 3 - one b .*earlier.'
RESUME=0 try one passes
ok 'RESUME=0 repeats all' ran 'alone a b c d'
try one changed
ok 'what changed is repeated, and what begins from it' ran 'b c'
packages=2
try one passes
ok 'another package: all but what knows of none' ran 'alone b c d'

try one fails
ok 'a failure stops what begins from it, and nothing else' ran 'b'
ok 'set -e holds inside an event' sh -c "! grep -q never '$tmp/ran'"
ok 'what could not begin has failed, too' says 'not ok 4 - one c .begins where b ends.'
ok 'and so has the run' test $code = 1
try one fails
ok 'a failure is repeated' ran b

try one cannot
ok 'what cannot be tried is skipped, with the reason' says 'ok 3 - one b # SKIP there is none here'
ok 'and what begins from it' says 'ok 4 - one c # SKIP begins where b ends'
ok 'the reason stands below the table' says 'skipped: one b: there is none here'
ok 'and the run is good' test $code = 0

rm -rf "$CACHE"
EVENTS=c try one passes
ok 'one event alone takes those it begins from along' ran 'a b c'

wide=$(printf '%080d' 0)
system=two
result=()
columns=()
for name in a "$wide" b c; do
	event "$name" - passes "$name"
done
run_plan > "$tmp/said"
report_events two >> "$tmp/said"
ok 'a table that is too wide is cut into strips' says " +a $wide b "
ok 'which lose no event' says ' +c '

tap_finish
