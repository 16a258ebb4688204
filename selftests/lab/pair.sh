# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153 # globals of callers and for them
#
# Two guests with a wire between them, one processor each:
#
#	guest a, eth0 10.77.0.1  <-- unix socket -->  10.77.0.2 eth0, guest b
#
# Both run the same command line with ROLE=a or b, PEER and NETDEV set; what a
# prints is the result. When a ends with PAIR_AGAIN its plug is pulled, and it
# boots and runs that line once more, with BOOT=2.

PAIR_GRACE=${PAIR_GRACE:-20}
PAIR_AGAIN=75

# pair_job ROLE BOOT COMMAND
pair_job()
{
	local own=1 peer=2

	[ "$1" = a ] || { own=2; peer=1; }
	cat <<-END
	modprobe virtio_net
	ip addr add 10.77.0.$own/24 dev eth0
	ip link set eth0 up
	export ROLE=$1 BOOT=$2 PAIR_AGAIN=$PAIR_AGAIN NETDEV=eth0 SELF=10.77.0.$own PEER=10.77.0.$peer
	$3
	END
}

# pair_boot ROLE BOOT KERNEL ROOT_DIR TREE_DISK DIR SECONDS COMMAND [NETDEV_OPTION]:
# returns as guest_run does, 3 if it does not boot.
pair_boot()
{
	local role=$1 boot=$2 dir=$6 n=1

	[ "$role" = a ] || n=2
	guest_start "$dir" "$3" "$4" "$5" \
		-netdev "stream,id=wire,addr.type=unix,addr.path=${dir%/*}/wire${9:-}" \
		-device "virtio-net-pci,netdev=wire,mac=52:54:00:00:00:0$n"
	echo "$GUEST_PID" > "$dir/pid"
	guest_wait_ready || return 3
	guest_run "pair-$role" "$7" "$(pair_job "$role" "$boot" "$8")" "$dir/new.out" "$dir/new.klog"
}

# pair_guest ROLE KERNEL ROOT_DIR TREE_DISK DIR SECONDS COMMAND [NETDEV_OPTION]
# Leaves out, klog, console and "end" (RET CODE) in DIR.
pair_guest()
{
	local role=$1 dir=$5 boot ret
	# Two clocks that count would not agree.
	local GUEST_ICOUNT=

	GUEST_CPUS=1
	for boot in 1 2; do
		GUEST_CODE=255
		pair_boot "$role" $boot "${@:2}"
		ret=$?
		cat "$dir/new.out" >> "$dir/out"
		cat "$dir/new.klog" >> "$dir/klog"
		[ "$role-$boot-$ret-$GUEST_CODE" = "a-1-0-$PAIR_AGAIN" ] || break
		guest_kill
	done
	if [ $ret = 0 ]; then guest_stop; else guest_kill; fi
	echo "$ret $GUEST_CODE ${GUEST_SECONDS:-0}" > "$dir/end"
}

# pair KERNEL ROOT_DIR TREE_DISK DIR SECONDS COMMAND_A COMMAND_B: PAIR_BAD is
# what went wrong, PAIR_CODE the exit code of a, PAIR_SECONDS its time.
pair()
{
	local dir=$4 ret i a b bad

	mkdir -p "$dir/a" "$dir/b"
	pair_guest b "$1" "$2" "$3" "$dir/b" "$5" "$7" ,server=on &
	b=$!
	for ((i = 0; i < 100; i++)); do
		[ -S "$dir/wire" ] && break
		sleep 0.2
	done
	pair_guest a "$1" "$2" "$3" "$dir/a" "$5" "$6" &
	a=$!
	wait "$a"
	for ((i = 0; i < PAIR_GRACE * 5; i++)); do
		[ -e "$dir/b/end" ] && break
		sleep 0.2
	done
	# b waits for a that is gone: nothing more is to come.
	[ -e "$dir/b/end" ] || kill -9 "$(cat "$dir/b/pid")" 2>/dev/null
	wait "$b"
	PAIR_BAD=
	read -r ret PAIR_CODE PAIR_SECONDS < "$dir/a/end"
	case $ret in
	0) ;;
	1) PAIR_BAD="guest a died: $(last_panic "$dir/a/console")" ;;
	2) PAIR_BAD="guest a was killed: no answer $(($5 + 60)) s after the start" ;;
	*) PAIR_BAD="guest a did not boot within $BOOT_SECONDS s" ;;
	esac
	for i in a b; do
		bad=$(klog_bad pair "$dir/$i/klog" 2>/dev/null | head -n 1)
		[ -z "$bad" ] || PAIR_BAD=${PAIR_BAD:-"kernel log of guest $i: $bad"}
	done
	bad=$(grep -aE -m 1 'BUG: |Oops|Kernel panic' "$dir/b/console")
	[ -z "$bad" ] || PAIR_BAD=${PAIR_BAD:-"guest b died: $bad"}
}

# run_pair KERNEL DEVICE SUITE: a suite with the flag "two".
run_pair()
{
	local out limit dir cmd

	out=$(result_dir "$@")
	dir=$CACHE/run/pair-$1-$LAB_ID.$BASHPID
	mkdir -p "$out"
	limit=$(($(suite_field "$3" 3) * ${SLOW:-1}))
	cmd=$(suite_command "$3" "$2")
	pair "$1" "$ROOT" "$DISK" "$dir" "$limit" "$cmd" "$cmd"
	cp "$dir/a/out" "$out/tap" 2>/dev/null
	for i in a b; do
		cp "$dir/$i/out" "$out/out.$i" 2>/dev/null
		cp "$dir/$i/klog" "$out/klog.$i" 2>/dev/null
		sed 's/\r$//' "$dir/$i/console" > "$out/console.$i"
	done
	rm -rf "$dir"
	store_result "$1" "$2" "$3" "$PAIR_CODE" "$PAIR_SECONDS" "$PAIR_BAD"
}

# two_guests KERNEL COMMAND_A [COMMAND_B]
two_guests()
{
	local suite root tree dir i

	[ $# -ge 2 ] || die "usage: lab two-guests KERNEL 'COMMANDS OF A' ['COMMANDS OF B']"
	suite=$(kernel_root "$1") && root=$(root "$suite") || exit 1
	tree=$(tree_disk "$suite" "$root" "$1") || exit 1
	dir=$CACHE/run/pair-$LAB_ID.$BASHPID
	pair "$1" "$root" "$tree" "$dir" "${LIMIT:-300}" "$2" "${3:-$2}"
	for i in a b; do
		sed "s/^/$i: /" "$dir/$i/out"
	done
	[ -z "$PAIR_BAD" ] || die "$PAIR_BAD (consoles: $dir/a/console, $dir/b/console)"
	rm -rf "$dir"
	exit "$PAIR_CODE"
}
