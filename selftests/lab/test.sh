# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # ROOT and DISK are for group.sh
#
# make kselftest in guests: roots, trees, boots, report; two of each at once.

JOBS=${JOBS:-2}

# each FUNCTION: calls it with the words of every line of stdin, JOBS at a time.
each()
{
	local line running=0

	while read -r line; do
		if [ "$running" -ge "$JOBS" ]; then
			wait -n
			running=$((running - 1))
		fi
		# shellcheck disable=SC2086
		("$@" $line) < /dev/null &
		running=$((running + 1))
	done
	wait
}

# needed_suites: the Debian suites of the chosen kernels.
needed_suites()
{
	local k

	for k in $KERNELS; do
		kernel_root "$k" || exit 1
	done | sort -u
}

# chosen_kernels SUITE: those of them that live in one root.
chosen_kernels()
{
	local k

	for k in $KERNELS; do
		[ "$(kernel_root "$k")" != "$1" ] || echo "$k"
	done
}

stage_root()
{
	local dir log=$RUN/tree-$1.log

	dir=$(root "$1" 2> >(tee "$log" >&2)) && echo "$dir" > "$RUN/root-$1"
}

stage_tree()
{
	local dir disk log=$RUN/tree-$1.log

	dir=$(cat "$RUN/root-$1" 2>/dev/null) || return
	# shellcheck disable=SC2046
	disk=$(tree_disk "$1" "$dir" $(chosen_kernels "$1") 2> >(tee "$log" >&2)) && echo "$disk" > "$RUN/disk-$1"
}

# stage_boot KERNEL DEVICES
stage_boot()
{
	local kernel=$1 suite

	suite=$(kernel_root "$kernel")
	ROOT=$(cat "$RUN/root-$suite")
	DISK=$(cat "$RUN/disk-$suite" 2>/dev/null)
	run_group "$kernel" "$2"
}

# give_up KERNEL REASON: every suite of a kernel that cannot be tried.
give_up()
{
	local device suite

	for device in none $DEVICES; do
		for suite in $(suites_on "$device"); do
			store_result "$1" "$device" "$suite" 1 0 "$2"
		done
	done
}

# paired KERNEL DEVICE: is this pair to be tried? PAIRS="6.1/rxe 7.3/siw" picks
# some of all pairs, where there is no time for all.
paired()
{
	[ -z "${PAIRS:-}" ] || [[ " $PAIRS " == *" $1/$2 "* ]]
}

# groups: KERNEL DEVICES, one line per boot to make. What needs no device runs
# with the first device of each kernel.
groups()
{
	local kernel device suite why s
	local -A seen

	for device in $DEVICES; do
		for kernel in $KERNELS; do
			paired "$kernel" "$device" || continue
			suite=$(kernel_root "$kernel")
			if [ ! -e "$RUN/disk-$suite" ]; then
				[ -n "${seen[$kernel]:-}" ] ||
					give_up "$kernel" "no image: $(sed 's/^lab: //' "$RUN/tree-$suite.log" | tail -n 1)" >&2
				seen[$kernel]=1
				continue
			fi
			why=
			[ "$device" != siw ] || why=$(siw_missing "$kernel" "$(cat "$RUN/root-$suite")")
			if [ -n "$why" ]; then
				for s in $(suites_on siw); do
					skip_result "$kernel" siw "$s" "$why" >&2
				done
				[ -n "${seen[$kernel]:-}" ] || echo "$kernel none"
			elif [ -n "${seen[$kernel]:-}" ]; then
				echo "$kernel $device"
			else
				echo "$kernel none,$device"
			fi
			seen[$kernel]=1
		done
	done
}

check_devices()
{
	local d

	for d in $DEVICES; do
		case $d in
		rxe|siw) ;;
		*) die "unknown device '$d': DEVICES= takes rxe and siw." ;;
		esac
	done
}

test_in_guests()
{
	local kernel device suite t all=$SECONDS

	KERNELS=${KERNELS:-5.10 6.1 6.12 7.3}
	DEVICES=${DEVICES:-rxe siw}
	KERNELS=${KERNELS//,/ }
	DEVICES=${DEVICES//,/ }
	for kernel in $KERNELS; do
		kernel_root "$kernel" > /dev/null || exit 1
		[[ " ${EXTRA_KERNELS:-} " == *" $kernel "* ]] || EXTRA_KERNELS="${EXTRA_KERNELS:-} $kernel"
	done
	check_devices
	check_suites
	need_space
	TREE_HASH=$(tree_hash)
	RESULTS=$CACHE/results/$(results_key)
	mkdir -p "$RESULTS"
	# What this run alone knows: which root, which image.
	RUN=$CACHE/run/test-$LAB_ID
	mkdir -p "$RUN"
	cp "$SUITES_FILE" "$RUN/suites"
	SUITES_FILE=$RUN/suites
	for kernel in $KERNELS; do
		for device in none $DEVICES; do
			for suite in $(suites_on "$device"); do
				forget_results "$kernel" "$device" "$suite"
			done
		done
	done

	t=$SECONDS
	needed_suites | each stage_root
	took "$t" "stage 1, roots,"
	t=$SECONDS
	needed_suites | each stage_tree
	took "$t" "stage 2, building the tree for all kernels,"
	# From here on a run is one with a warm cache.
	touch "$CACHE/ready"
	t=$SECONDS
	groups | each stage_boot
	took "$t" "stage 3, tests in guests,"
	took "$all" "the whole run"
	report
	t=$?
	find "$RESULTS" -name result -execdir touch reported \;
	return $t
}
