# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The suites on this very machine: only those that leave it as it was, on
# devices and addresses they make themselves.

# host_can: can this machine load modules and build them?
host_can()
{
	[ -e /proc/modules ] && [ -e "/lib/modules/$(uname -r)/build/Makefile" ]
}

# choose_where: host or vm, as make kselftest is to run.
choose_where()
{
	if [ -n "${WHERE:-}" ]; then
		echo "$WHERE"
	elif [ -z "${KERNELS:-}" ] && host_can; then
		echo host
	else
		echo vm
	fi
}

host_needs()
{
	[ "$(id -u)" = 0 ] || die "the tests load modules and make network devices: run them with sudo."
	[ -e /proc/modules ] ||
		die "this machine's kernel cannot load modules: use guests instead (WHERE=vm)."
	need_tools make:make:make gcc:gcc:gcc dkms:dkms:dkms rdma:iproute2:iproute \
		modprobe:kmod:kmod ibv_devinfo:ibverbs-utils:libibverbs-utils
	[ -e /usr/include/infiniband/verbs.h ] ||
		need_tools ibverbs-headers:libibverbs-dev:rdma-core-devel
	[ -e /usr/include/rdma/rdma_cma.h ] ||
		need_tools rdmacm-headers:librdmacm-dev:rdma-core-devel
	[ -e "/lib/modules/$(uname -r)/build/Makefile" ] ||
		die "no headers of the running kernel: install linux-headers-$(uname -r) (dnf: kernel-devel-$(uname -r)), or use guests (WHERE=vm)."
}

# host_modules: this tree's, by dkms; or those of the installed package.
host_modules()
{
	if [ -x "$TREE/src/admin/install" ]; then
		say "installing this tree by dkms for $(uname -r) (undo: make uninstall)"
		"$TREE/src/admin/install" > "$CACHE/log/host-install" 2>&1 ||
			die "the package does not build here: $(first_error "$CACHE/log/host-install") (log: $CACHE/log/host-install)"
	fi
	modinfo rdma_shim > /dev/null 2>&1 ||
		die "rdma_shim is not built for kernel $(uname -r): 'rdma-shim status' says why."
}

# host_selftests: built in a folder of their own, so the tree stays clean.
host_selftests()
{
	local log=$CACHE/log/host-selftests

	HOST_DIR=$CACHE/host/selftests
	rm -rf "$HOST_DIR"
	mkdir -p "$HOST_DIR"
	(cd "$TREE/selftests" && tar -cf - --exclude=./lab .) | tar -xf - -C "$HOST_DIR"
	: > "$log"
	if ! make -C "$HOST_DIR" programs >> "$log" 2>&1 ||
	   ! make -C "$HOST_DIR" test-modules >> "$log" 2>&1; then
		die "the selftests do not build here: $(first_error "$log") (log: $log)"
	fi
}

# host_skips SUITE DEVICE: why it does not run here; nothing when it does.
host_skips()
{
	if suite_has "$1" native; then
		echo "drives the kernel's own functions: in guests only"
	elif [ "$(suite_field "$1" 5)" = vm ]; then
		[ "${WHERE:-}" = host ] || { echo "in guests only (WHERE=vm)"; return; }
		[ ! -e /proc/fs/nfsd/threads ] && ! grep -qs '^[^#]' /etc/exports ||
			echo "this machine is an NFS server"
	elif [ "$2" != none ] && ! modprobe -n "$(device_module "$2")" 2>/dev/null; then
		echo "kernel $(uname -r) has no $2"
	fi
}

device_module()
{
	case $1 in
	rxe) echo rdma_rxe ;;
	*) echo "$1" ;;
	esac
}

# host_suite DEVICE SUITE
host_suite()
{
	local kernel device=$1 suite=$2 out why code t=$SECONDS mark

	kernel=$(uname -r)
	out=$(result_dir "$kernel" "$device" "$suite")
	rm -rf "$out"
	mkdir -p "$out"
	why=$(host_skips "$suite" "$device")
	if [ -n "$why" ]; then
		skip_result "$kernel" "$device" "$suite" "$why"
		return
	fi
	mark="rdma-shim selftest: begin $suite $LAB_ID.$BASHPID"
	echo "$mark" > /dev/kmsg
	(cd "$HOST_DIR" && timeout -k 10 "$(suite_field "$suite" 3)" \
		bash -c "$(suite_command "$suite" "$device")" < /dev/null > "$out/tap" 2>&1)
	code=$?
	dmesg | awk -v mark="$mark" 'index($0, mark) { on = 1; next } on' > "$out/klog"
	why=$(klog_bad "$suite" "$out/klog" | head -n 1)
	store_result "$kernel" "$device" "$suite" "$code" $((SECONDS - t)) "${why:+kernel log: $why}"
}

test_on_host()
{
	local device suite all=$SECONDS

	host_needs
	[ -z "${KERNELS:-}" ] || [ "$KERNELS" = "$(uname -r)" ] ||
		die "this machine runs kernel $(uname -r): KERNELS= is for guests (WHERE=vm)."
	KERNELS=$(uname -r)
	DEVICES=${DEVICES:-rxe siw}
	DEVICES=${DEVICES//,/ }
	check_devices
	check_suites
	mkdir -p "$CACHE/log" || die "cannot make $CACHE: name another folder with CACHE=."
	RESULTS=$CACHE/results/host
	mkdir -p "$RESULTS"
	host_modules
	host_selftests
	for device in none $DEVICES; do
		for suite in $(suites_on "$device"); do
			host_suite "$device" "$suite"
		done
	done
	took "$all" "the whole run"
	report
}
