# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2153,SC2154 # variables of run and report.sh
#
# What only a running kernel shows. Guests that enforce module signatures
# (module.sig_enforce=1, as lockdown does under Secure Boot), with a key that
# their kernel does not know and with one that it trusts; another module in
# memory than on disk; and the suites on the flavours of a kernel.

guests_system()
{
	suite=$1
	base=$(root "$suite") || exit 1
	make_deb 1.0
	make_deb 1.1

	event ready base deb_ready
	event key-rejected - guests_rejected "$suites"
	event key-trusted ready guests_trusted "$suites"
	event reload-pending ready guests_reload
	event rt ready guests_flavour rt "$suites"
	event cloud ready guests_flavour cloud "$suites"
	event autopkgtest-vm ready guests_autopkgtest "$suites"
	run_plan
}

# in_guest DIR KERNEL BASE TREE_DISK COMMANDS [QEMU_ARGUMENT...]: exits as they do.
in_guest()
{
	local dir=$1 commands=$5 ret=0

	guest_start "${@:1:4}" "${@:6}"
	if ! guest_wait_ready; then
		guest_last_words
		guest_kill
		miss 'the guest did not boot'
		return
	fi
	GUEST_CODE=1
	GUEST_ECHO=1 guest_run lifecycle "${LIMIT:-300}" "$commands" "$dir/out" "$dir/klog" || ret=$?
	guest_stop || true
	[ $ret = 0 ] && [ "$GUEST_CODE" = 0 ]
}

guests_rejected()
{
	local tree

	tree=$(tree_disk "$suite" "$base" 6.1)
	GUEST_APPEND=module.sig_enforce=1 in_guest "$dir/guest" 6.1 "$base" "$tree" '
		set -e
		! modprobe rdma_shim
		dmesg | grep "unsigned module is rejected\|unavailable key is rejected"
		code=0
		said=$(rdma-shim status) || code=$?
		echo "$said"
		[ $code = 6 ]
		echo "$said" | grep key-rejected
		advice=$(rdma-shim doctor) || true
		echo "$advice" | grep "mokutil --import"
		code=0
		said=$(rdma-shim selftest) || code=$?
		[ $code = 4 ]
		echo "$said" | grep "SKIP.*key-rejected"'
}

# dkms signs with the key; the kernel was given its certificate in place of the
# one that its own modules are signed for, so they are loaded before it enforces.
guests_trusted()
{
	local kernel

	need_tools python3:python3:python3 openssl:openssl:openssl
	kernel=$(kernels)
	"$TREE/selftests/lifecycle/trust" "$root/boot/vmlinuz-$kernel" "$dir"
	mkdir -p "$root/var/lib/dkms"
	cp "$dir/mok.key" "$dir/mok.pub" "$root/var/lib/dkms/"
	apt_ours 1.0
	grep -q 'Module signature appended' "$root$(module_of "$kernel" rdma_shim)" ||
		miss 'dkms did not sign'
	layer_disk
	in_guest "$dir/guest" 6.1 "$base" "$dir/disk" '
		set -e
		modinfo -F signer rdma_shim
		modprobe ib_core
		echo Y > /sys/module/module/parameters/sig_enforce
		! modprobe rdma_rxe
		code=0
		rdma-shim status || code=$?
		[ $code = 3 ]
		modprobe rdma_shim
		rdma-shim status' -kernel "$dir/vmlinux"
}

# Version 1.0 is loaded, then the file is that of 1.1.
guests_reload()
{
	local kernel kept

	kernel=$(kernels)
	apt_ours 1.0
	mkdir "$root/root/kept"
	kept=$(module_of "$kernel" rdma_shim)
	cp "$root$kept" "$root/root/kept/"
	apt_ours 1.1
	layer_disk
	in_guest "$dir/guest" 6.1 "$base" "$dir/disk" '
		set -e
		state()
		{
			code=0
			rdma-shim status > /tmp/said || code=$?
			cat /tmp/said
			[ $code = $1 ] && grep "(running): $2" /tmp/said
		}
		state 3 built
		modprobe ib_core
		insmod /root/kept/rdma_shim.ko*
		state 7 reload-pending
		next=$(rdma-shim doctor) || true
		echo "next: $next"
		sh -c "$next"
		state 0 active
		modprobe -r rdma_shim
		state 3 built
		modprobe svcrdma_shim
		state 0 active
		modprobe -r svcrdma_shim'
}

# layer_disk: what this event changed, as the disk a guest puts over its root.
layer_disk()
{
	rm -rf "$root"/var/lib/apt/lists/*
	disk_image "$dir/up" "$dir/disk" tree
	rm -rf "$dir/guest"
}

# The suites on another flavour of this kernel: all that its devices allow.
guests_flavour()
{
	local kernel version name series=6.1

	kernel=$(inside apt-cache depends "linux-image-$1-amd64" |
		sed -n 's/.*Depends: linux-image-\(.*\)/\1/p' | head -n 1)
	[ -n "$kernel" ] || give_up "the mirror has no $1 flavour"
	apt install "linux-image-$kernel" "linux-headers-$kernel"
	rm -r "$root/lib/modules/$(kernels | grep -vFx "$kernel")/build"
	apt_ours 1.0
	built "$kernel" 1.0

	# A root that knows this kernel: the base, and our layer on it.
	version=$(inside dpkg-query -W -f '${Version}' "linux-image-$kernel")
	mkdir "$dir/boot"
	ln -s "$root" "$dir/boot/root"
	ln -s "$base/disk" "$dir/boot/disk"
	echo "kernel $series $kernel $version" > "$dir/boot/inputs"
	siw_into "$dir/boot" "$root" $series
	mkdir "$root/var/tmp/tree"
	export_tree "$root/var/tmp/tree"
	install_selftests "$root" "$dir/selftests.log" ||
		miss "the selftests do not build: $(first_error "$dir/selftests.log")"
	layer_disk
	RESULTS=$dir/results
	ROOT=$dir/boot
	DISK=$dir/disk
	mkdir "$RESULTS"
	SUITES=$(table "$TREE/selftests/suites" | awk '$6 !~ /two|long|native/ { print $1 }' | xargs)
	export SUITES SLOW=2
	run_all_suites
	# Some results are about time, and this machine may be busy: once more.
	grep -rl ^fail "$RESULTS" --include=result | xargs -r -n 1 dirname | xargs -r rm -r
	run_all_suites
	if grep -rl ^fail "$RESULTS" --include=result; then
		miss 'a suite failed'
		return
	fi
	[ "$(grep -rl ^pass "$RESULTS" --include=result | wc -l)" -gt 0 ] || miss 'no suite ran' || return
	case $1 in
	rt) grep -rl ^pass "$RESULTS"/*/rxe --include=result ;;
	cloud)
		grep -rl '^skip.*rdma_rxe' "$RESULTS"/*/rxe --include=result
		in_guest "$dir/guest" $series "$dir/boot" "$dir/disk" '
			set -e
			modprobe svcrdma_shim
			grep ^svcrdma_shim /proc/modules
			modprobe -r svcrdma_shim'
		;;
	esac
}

# The lab does not run under set -e.
run_all_suites()
{
	set +e
	run_group "$series" none,rxe
	run_group "$series" siw
	set -e
}

# Debian's test of an installed package, on a machine of its own: what
# debian/tests asks for is installed, and nothing is fetched.
guests_autopkgtest()
{
	apt_ours 1.0
	cp -r "$TREE/debian/tests" "$root/root/tests"
	layer_disk
	LIMIT=1800 in_guest "$dir/guest" 6.1 "$base" "$dir/disk" '
		ip link set lo up
		/root/tests/selftest'
}
