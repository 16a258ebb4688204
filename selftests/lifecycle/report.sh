# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # OUT is set in run
#
# Events and their results: TAP while they run, a table at the end.

events=()	# in the order of their first run
declare -A result
count=0

# event NAME FUNCTION...: runs it on $system, in a shell of its own.
event()
{
	local name=$1 log=$OUT/$system-$1.log from=$SECONDS code

	shift
	[[ -z ${EVENTS:-} || " $EVENTS " == *" $name "* ]] || return 0
	count=$((count + 1))
	[[ " ${events[*]} " == *" $name "* ]] || events+=("$name")
	# Not as a condition: there bash forgets set -e.
	(set -e; "$@") > "$log" 2>&1
	code=$?
	if [ $code = 0 ]; then
		result[$system,$name]=ok
		echo "ok $count - $system $name ($((SECONDS - from)) s)"
	else
		result[$system,$name]=FAILED
		echo "not ok $count - $system $name"
		tail -n 25 "$log" | sed 's/^/# /'
	fi
}

report()
{
	local name system row bad=0

	echo "1..$count"
	printf '\n%-10s' ''
	printf ' %s' "${events[@]}"
	echo
	for system in $(printf '%s\n' "${!result[@]}" | cut -d, -f1 | sort -u); do
		printf '%-10s' "$system"
		for name in "${events[@]}"; do
			row=${result[$system,$name]:--}
			[ "$row" != FAILED ] || bad=1
			printf " %-${#name}s" "$row"
		done
		echo
	done
	return $bad
}
