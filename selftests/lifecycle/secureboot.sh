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
	local root tree dir=$OUT/guest ret

	root=$(root bookworm) || exit 1
	tree=$(tree_disk bookworm "$root") || exit 1
	guest_start "$dir" 6.1 "$root" "$tree" "${@:2}"
	if ! guest_wait_ready; then
		guest_last_words
		guest_kill
		miss 'the guest did not boot'
		return
	fi
	ret=0
	GUEST_ECHO=1 guest_run secureboot 900 "$1" "$dir/out" "$dir/klog" || ret=$?
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
	in_guest "
		set -e
		base64 -d > /var/lib/dkms/mok.key <<< '$(base64 -w0 "$OUT/mok.key")'
		base64 -d > /var/lib/dkms/mok.pub <<< '$(base64 -w0 "$OUT/mok.pub")'
		rdma-shim build --again
		modinfo -F signer rdma_shim
		modprobe ib_core
		echo Y > /sys/module/module/parameters/sig_enforce
		! modprobe rdma_rxe
		modprobe rdma_shim
		rdma-shim status" -kernel "$OUT/vmlinux"
}
