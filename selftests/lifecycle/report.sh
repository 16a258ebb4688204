# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run and states.sh
#
# The plan of a system, its events and their results: TAP while they run, a
# table at the end.

declare -A plan_after	# SYSTEM,EVENT: the event whose state it begins from
declare -A plan_does	# the same: function and arguments
declare -A state	# the same: folder of the state it left
declare -A result	# the same: ok, skip or FAILED
declare -A reason	# the same: why it was skipped
plan=()			# the events of this system
columns=()		# those of all systems
count=0

# event NAME AFTER FUNCTION...: AFTER is the event whose state this one begins
# from, base for the lab's root file system, or - when it needs no system.
event()
{
	plan+=("$1")
	plan_after[$system,$1]=$2
	plan_does[$system,$1]=${*:3}
}

# run_plan: every event, or those of EVENTS= and what they begin from.
run_plan()
{
	local name

	for name in "${plan[@]}"; do
		[[ -n ${EVENTS:-} && " $EVENTS " != *" $name "* ]] || run_event "$name"
	done
	plan=()
}

# Does another event of the plan begin where this one ends?
is_begun_from()
{
	local name

	for name in "${plan[@]}"; do
		[ "${plan_after[$system,$name]}" != "$1" ] || return 0
	done
	return 1
}

run_event()
{
	local name=$1 at=$system,$1 after=${plan_after[$system,$1]} from=$SECONDS dir does code

	[ -z "${result[$at]:-}" ] || return 0
	if [[ $after != base && $after != - ]]; then
		run_event "$after"
		if [ "${result[$system,$after]}" != ok ]; then
			result[$at]=${result[$system,$after]}
			tell "$name" "begins where $after ends"
			return
		fi
	fi
	read -r -a does <<< "${plan_does[$at]}"
	dir=$CACHE/lifecycle/$suite-$name-$(state_key "$after" "${does[@]}")
	state[$at]=$dir
	if [ -e "$dir/ok" ] && [ "${RESUME:-1}" != 0 ] &&
	   { [ -d "$dir/up" ] || ! is_begun_from "$name"; }; then
		touch "$dir"
		result[$at]=ok
		tell "$name" "$(cat "$dir/ok"), earlier"
		return
	fi
	rm -rf --one-file-system "$dir"
	mkdir -p "$dir"
	[ "$after" = - ] || state_up "$after" "$dir"
	# Not as a condition: there bash forgets set -e.
	(set -e; "${does[@]}") > "$dir/log" 2>&1
	code=$?
	[ "$after" = - ] || state_down "$dir"
	case $code in
	0)
		result[$at]=ok
		is_begun_from "$name" || rm -rf --one-file-system "$dir/up"
		echo "$((SECONDS - from)) s" > "$dir/ok"
		tell "$name" "$(cat "$dir/ok")"
		;;
	4)
		result[$at]=skip
		tell "$name" "$(sed -n 's/^SKIP: //p' "$dir/log" | tail -n 1)"
		;;
	*)
		result[$at]=FAILED
		tell "$name" "log: $dir/log"
		tail -n 25 "$dir/log" | sed 's/^/# /'
		;;
	esac
}

# tell EVENT REMARK: its line of TAP.
tell()
{
	local word=ok remark="($2)"

	count=$((count + 1))
	[[ " ${columns[*]} " == *" $1 "* ]] || columns+=("$1")
	case ${result[$system,$1]} in
	FAILED) word='not ok' ;;
	skip)
		remark="# SKIP $2"
		reason[$system,$1]=$2
		;;
	esac
	echo "$word $count - $system $1 $remark"
}

# give_up SENTENCE: the event cannot be tried here, and why.
give_up()
{
	echo "SKIP: $*"
	exit 4
}

# report_events SYSTEM...: systems down, events across, in strips that fit a screen;
# fails when a cell does.
report_events()
{
	local name at strip=() width=0

	echo "1..$count"
	for name in "${columns[@]}"; do
		width=$((width + ${#name} + 1))
		if [ $width -gt 86 ]; then
			report_strip "$@"
			strip=()
			width=$((${#name} + 1))
		fi
		strip+=("$name")
	done
	report_strip "$@"
	echo
	for at in "${!reason[@]}"; do
		echo "skipped: ${at/,/ }: ${reason[$at]}"
	done | sort
	[[ " ${result[*]} " != *" FAILED "* ]]
}

# A dot: not an event of this system, or not asked for.
report_strip()
{
	local name at

	printf '\n%-12s' ''
	printf '%s ' "${strip[@]}"
	echo
	for at; do
		printf '%-12s' "$at"
		for name in "${strip[@]}"; do
			printf "%-${#name}s " "${result[$at,$name]:-.}"
		done
		echo
	done
}
