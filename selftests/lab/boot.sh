# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2054
#
# One guest: start it, hand it jobs over a virtio port, notice when it dies or
# takes too long. Its files are in a folder of its own: console (what the
# serial line said), port.in and port.out (fifos), scratch (its disk).

GUEST_MIB=${GUEST_MIB:-2560}
BOOT_SECONDS=${BOOT_SECONDS:-240}
GUEST_PID=

# guest_scratch FILE: an empty disk that takes all writes of one guest.
guest_scratch()
{
	truncate -s 6G "$1"
	mke2fs -q -t ext4 -O '^has_journal' -m 0 -E lazy_itable_init=1,nodiscard \
		-L scratch "$1" || die "could not make a scratch disk: is $CACHE full?"
}

# guest_processor KERNEL_IMAGE INITRD: sets the caller's how, cpu and cpus. With
# GUEST_ICOUNT=1 the guest's clock counts its instructions, one a nanosecond,
# which needs a single emulated processor.
guest_processor()
{
	cpu=max
	cpus=${GUEST_CPUS:-2}
	if [ -n "${GUEST_ICOUNT:-}" ]; then
		how=(-accel tcg,thread=single -icount "shift=0,sleep=off")
		cpus=1
	elif [ "$(accel "$1" "$2")" = kvm ]; then
		how=(-accel kvm)
		cpu=host
	else
		how=(-accel tcg,thread=multi)
	fi
}

# guest_start DIR KERNEL ROOT_DIR TREE_DISK [QEMU_ARGUMENT...]
# TREE_DISK may be -, which boots the root alone.
guest_start()
{
	local dir=$1 kernel=$2 root=$3 tree=$4 kver initrd how=() cpu cpus append args=()

	shift 4
	mkdir -p "$dir"
	rm -f "$dir/port.in" "$dir/port.out"
	mkfifo "$dir/port.in" "$dir/port.out" || die "cannot write to $dir."
	read -r kver _ <<< "$(awk -v k="$kernel" '$1 == "kernel" && $2 == k { print $3 }' "$root/inputs")"
	[ -n "$kver" ] || die "kernel $kernel is not in $root."
	initrd=$(initramfs "$root" "$kver") || exit 1
	guest_processor "$root/root/boot/vmlinuz-$kver" "$initrd"
	append="console=ttyS0 loglevel=6 panic=-1 oops=panic mitigations=off"
	append+=" printk.devkmsg=on log_buf_len=8M audit=0 random.trust_cpu=on"
	# A busy machine must not look like a broken timer.
	append+=" no_timer_check watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60 ${GUEST_APPEND:-}"
	args=(-drive "file=$root/disk,format=raw,if=none,id=root,readonly=on"
		-device virtio-blk-pci,drive=root,serial=root)
	if [ "$tree" != - ]; then
		append+=" lab.tree"
		args+=(-drive "file=$tree,format=raw,if=none,id=tree,readonly=on"
			-device virtio-blk-pci,drive=tree,serial=tree)
	fi
	guest_scratch "$dir/scratch"
	args+=(-drive "file=$dir/scratch,format=raw,if=none,id=scratch,cache=unsafe"
		-device virtio-blk-pci,drive=scratch,serial=scratch)
	exec {GUEST_IN}<> "$dir/port.in" {GUEST_OUT}<> "$dir/port.out"
	# shellcheck disable=SC2086
	qemu-system-x86_64 "${how[@]}" -cpu "$cpu" -smp "$cpus" -m "$GUEST_MIB" ${GUEST_ARGS:-} \
		-display none -no-reboot -nic none -serial "file:$dir/console" \
		-kernel "$root/root/boot/vmlinuz-$kver" -initrd "$initrd" -append "$append" \
		-device virtio-serial-pci -chardev "pipe,id=lab,path=$dir/port" \
		-device virtserialport,chardev=lab,name=rdma-shim.lab \
		"${args[@]}" "$@" > "$dir/qemu.log" 2>&1 < /dev/null &
	GUEST_PID=$!
	GUEST_DIR=$dir
}

# guest_line VARIABLE DEADLINE: the next line, at latest when SECONDS is
# DEADLINE. Returns 1 when the guest is gone, 2 when the time is up.
guest_line()
{
	local _part _all=

	while :; do
		IFS= read -r -t 2 -u "$GUEST_OUT" _part && break
		_all+=$_part
		if ! kill -0 "$GUEST_PID" 2>/dev/null; then
			# Dead; what it sent before may still be in the pipe.
			IFS= read -r -t 0.2 -u "$GUEST_OUT" _part || return 1
			break
		fi
		[ "$SECONDS" -lt "$2" ] || return 2
	done
	printf -v "$1" '%s' "$_all${_part%$'\r'}"
}

guest_wait_ready()
{
	local line end=$((SECONDS + BOOT_SECONDS))

	while guest_line line "$end"; do
		case $line in @ready*) return 0 ;; esac
	done
	return 1
}

# guest_run NAME SECONDS COMMAND OUT_FILE KLOG_FILE: runs it; the exit code of
# the command is in GUEST_CODE. Returns as guest_line does.
guest_run()
{
	local name=$1 limit=$2 out=$4 klog=$5 line ret end

	printf 'run %s %s %s\n' "$name" "$limit" "$(base64 -w0 <<< "$3")" >&"$GUEST_IN"
	end=$((SECONDS + limit + 60))
	: > "$out"
	: > "$klog"
	while :; do
		guest_line line "$end"
		ret=$?
		[ $ret = 0 ] || return $ret
		case $line in
		:*)
			printf '%s\n' "${line#:}" >> "$out"
			[ -z "${GUEST_ECHO:-}" ] || printf '%s\n' "${line#:}"
			;;
		\>*) printf '%s\n' "${line#>}" >> "$klog" ;;
		"@end $name "*) read -r _ _ GUEST_CODE GUEST_SECONDS <<< "$line" ;;
		"@done $name") return 0 ;;
		esac
	done
}

# guest_stop: switches it off, or pulls the plug after 20 seconds.
guest_stop()
{
	local i

	[ -n "$GUEST_PID" ] || return 0
	echo off >&"$GUEST_IN"
	for ((i = 0; i < 100; i++)); do
		kill -0 "$GUEST_PID" 2>/dev/null || break
		sleep 0.2
	done
	guest_kill
}

guest_kill()
{
	[ -n "$GUEST_PID" ] || return 0
	kill -9 "$GUEST_PID" 2>/dev/null
	wait "$GUEST_PID" 2>/dev/null
	GUEST_PID=
	exec {GUEST_IN}>&- {GUEST_OUT}>&-
	rm -f "$GUEST_DIR/scratch" "$GUEST_DIR/port.in" "$GUEST_DIR/port.out"
}

# guest_last_words: what a person wants to see of a guest that died.
guest_last_words()
{
	sed 's/\r$//; s/^/lab: console| /' "$GUEST_DIR/console" "$GUEST_DIR/qemu.log" | tail -n "${1:-25}" >&2
}
