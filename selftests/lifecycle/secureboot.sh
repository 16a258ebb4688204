# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2153,SC2154 # system is set in run
#
# A guest that enforces module signatures (module.sig_enforce=1, as lockdown
# does under Secure Boot): with a key that its kernel does not know, and with
# one that it trusts.

secureboot_system()
{
	system=$1
	event key-rejected secureboot_rejected
	event key-trusted secureboot_trusted
}

# in_guest COMMANDS [QEMU_ARGUMENT...]: exits as they do.
in_guest()
{
	local base tree dir=$OUT/guest ret

	base=$(root bookworm) || exit 1
	tree=$(tree_disk bookworm "$base" 6.1) || exit 1
	guest_start "$dir" 6.1 "$base" "$tree" "${@:2}"
	if ! guest_wait_ready; then
		guest_last_words
		guest_kill
		miss 'the guest did not boot'
		return
	fi
	ret=0
	GUEST_ECHO=1 guest_run secureboot 300 "$1" "$dir/out" "$dir/klog" || ret=$?
	guest_stop || true
	[ $ret = 0 ] && [ "$GUEST_CODE" = 0 ]
}

secureboot_rejected()
{
	GUEST_APPEND=module.sig_enforce=1 in_guest '
		set -e
		! modprobe rdma_shim
		dmesg | grep "unsigned module is rejected\|unavailable key is rejected"
		code=0
		said=$(rdma-shim status) || code=$?
		echo "$said"
		[ $code = 6 ]
		echo "$said" | grep key-rejected
		advice=$(rdma-shim doctor) || true
		echo "$advice" | grep "mokutil --import"'
}

# dkms signs with the key; the kernel was given its certificate in place of the
# one that its own modules are signed for, so they are loaded before it enforces.
secureboot_trusted()
{
	local base kver

	need_tools python3:python3:python3 openssl:openssl:openssl
	base=$(root bookworm) || exit 1
	read -r kver _ <<< "$(find_kernel 6.1)"
	"$TREE/selftests/lifecycle/trust" "$base/root/boot/vmlinuz-$kver" "$OUT"
	signed_module "$base" "$kver"
	in_guest "
		set -e
		file=/lib/modules/$kver/updates/dkms/rdma_shim.ko
		base64 -d <<< '$(gzip -9 < "$OUT/signed.ko" | base64 -w0)' | gunzip > \$file
		modinfo -F signer rdma_shim
		modprobe ib_core
		echo Y > /sys/module/module/parameters/sig_enforce
		! modprobe rdma_rxe
		modprobe rdma_shim
		rdma-shim status" -kernel "$OUT/vmlinux"
}

# signed_module BASE KERNEL: dkms signs where it builds, in a chroot.
signed_module()
{
	make_deb 1.0
	system_up "$1" bookworm
	mkdir -p "$root/var/lib/dkms"
	cp "$OUT/mok.key" "$OUT/mok.pub" "$root/var/lib/dkms/"
	apt_ours 1.0
	cp "$root$(module_of "$2" rdma_shim)" "$OUT/signed.ko"
	system_down
	grep -q 'Module signature appended' "$OUT/signed.ko" || miss 'dkms did not sign'
}
