# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The suites of one kernel and device, in as few boots as may be.

# run_group KERNEL DEVICES: DEVICES is one device or "none,DEVICE".
run_group()
{
	local kernel=$1 devices=$2 device suite shared=() own=() item

	for device in ${devices//,/ }; do
		for suite in $(suites_on "$device"); do
			[ -e "$(result_dir "$kernel" "$device" "$suite")/result" ] && continue
			if suite_has "$suite" own || suite_has "$suite" native ||
			   suite_has "$suite" two || suite_has "$suite" chroot; then
				own+=("$device:$suite")
			else
				shared+=("$device:$suite")
			fi
		done
	done
	[ ${#shared[@]} = 0 ] || run_boots "$kernel" "${shared[@]}"
	for item in "${own[@]}"; do
		run_own "$kernel" "${item%%:*}" "${item#*:}"
	done
}

# run_own KERNEL DEVICE SUITE
run_own()
{
	local GUEST_APPEND=${GUEST_APPEND:-} GUEST_ARGS=${GUEST_ARGS:-}

	suite_machine "$3"
	if suite_has "$3" two; then
		run_pair "$@"
	elif suite_has "$3" chroot; then
		run_chroot "$@"
	else
		run_boots "$1" "$2:$3"
	fi
}

# run_chroot KERNEL DEVICE SUITE: in the root that a guest boots from, which
# has the tree in /var/tmp.
run_chroot()
{
	local out limit work kver code t=$SECONDS

	out=$(result_dir "$@")
	work=$CACHE/run/chroot-$1-$LAB_ID.$BASHPID
	limit=$(($(suite_field "$3" 3) * ${SLOW:-1}))
	kver=$(awk -v k="$1" '$1 == "kernel" && $2 == k { print $3 }' "$ROOT/inputs")
	mkdir -p "$out"
	layer_up "$ROOT/root" "$work"
	chroot_prepare "$work/m"
	only_kernels "$ROOT" "$work/m" "$1"
	export_tree "$work/m/var/tmp/tree"
	in_root "$work/m" env LONG="${LONG:-}" timeout "$limit" \
		"/var/tmp/tree/selftests/$(suite_field "$3" 2)" "$kver" > "$out/tap" 2>&1
	code=$?
	chroot_done "$work/m"
	layer_down "$work"
	rm -rf "$work"
	store_result "$1" "$2" "$3" "$code" $((SECONDS - t)) ""
}

# run_boots KERNEL DEVICE:SUITE...: a boot that dies costs the suite that ran
# in it; the rest goes on in a new one.
run_boots()
{
	local kernel=$1 left dir n=0

	shift
	left=("$@")
	while [ ${#left[@]} -gt 0 ]; do
		n=$((n + 1))
		dir=$CACHE/run/$kernel-$LAB_ID.$BASHPID-$n
		BOOT_DONE=0
		run_boot "$kernel" "$dir" "${left[@]}"
		left=("${left[@]:$BOOT_DONE}")
		rm -rf "$dir"
	done
}

# boot_twice DIR KERNEL: before user space nothing of ours has run, so one more
# try is fair to a busy machine.
boot_twice()
{
	local try

	for try in first second; do
		guest_start "$1" "$2" "$ROOT" "$DISK"
		guest_wait_ready && return
		guest_kill
		guest_last_words
		say "the $try boot of kernel $2 failed"
	done
	return 1
}

# run_boot KERNEL DIR DEVICE:SUITE...: BOOT_DONE says how many have a result.
run_boot()
{
	local kernel=$1 dir=$2 item t=$SECONDS

	shift 2
	if ! boot_twice "$dir" "$kernel"; then
		for item; do
			store_result "$kernel" "${item%%:*}" "${item#*:}" 1 0 \
				"the guest did not boot within $BOOT_SECONDS s"
			cp "$dir/console" "$(result_dir "$kernel" "${item%%:*}" "${item#*:}")/"
			BOOT_DONE=$((BOOT_DONE + 1))
		done
		return
	fi
	echo "$((SECONDS - t))" >> "$RESULTS/boot-seconds"
	for item; do
		BOOT_DONE=$((BOOT_DONE + 1))
		run_suite "$kernel" "${item%%:*}" "${item#*:}" || return
	done
	guest_stop
}

# run_suite KERNEL DEVICE SUITE: returns 1 when the guest is gone, or better
# not used any more.
run_suite()
{
	local kernel=$1 device=$2 suite=$3 out limit bad='' ret t=$SECONDS

	out=$(result_dir "$kernel" "$device" "$suite")
	mkdir -p "$out"
	limit=$(($(suite_field "$suite" 3) * ${SLOW:-1}))
	GUEST_CODE=255
	GUEST_SECONDS=0
	guest_run "$suite" "$limit" "$(suite_command "$suite" "$device")" "$out/tap" "$out/klog"
	ret=$?
	case $ret in
	0) ;;
	1) bad="the guest died: $(last_panic "$GUEST_DIR/console")" ;;
	*) bad="the guest was killed: no answer $((limit + 60)) s after the start" ;;
	esac
	if [ $ret != 0 ]; then
		GUEST_SECONDS=$((SECONDS - t))
		sed 's/\r$//' "$GUEST_DIR/console" > "$out/console"
		cp "$out/console" "$out/klog"
		guest_kill
		guest_last_words
	else
		bad=$(klog_bad "$(suite_kind "$suite")" "$out/klog" | head -n 1)
		bad=${bad:+kernel log: $bad}
	fi
	store_result "$kernel" "$device" "$suite" "$GUEST_CODE" "$GUEST_SECONDS" "$bad"
	[ $ret = 0 ] || return 1
	[ -z "$bad" ] && [ "$GUEST_CODE" != 124 ] && [ "$GUEST_CODE" != 137 ] && return
	guest_stop
	return 1
}

# last_panic CONSOLE: the line that says it best.
last_panic()
{
	local line

	line=$(grep -aE 'BUG: |Oops|Kernel panic|general protection|kernel BUG' "$1" | head -n 1 | tr -d '\r')
	echo "${line:-nothing on its console says why}"
}
