# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Does hardware acceleration work here? /dev/kvm may open and the guest still
# hang, so it is tried once per machine with a boot that may take 20 seconds.

trial_boot()
{
	timeout 20 qemu-system-x86_64 -accel kvm -cpu host -smp 2 -m 512 -display none \
		-no-reboot -nic none -serial stdio -kernel "$1" -initrd "$2" \
		-append 'console=ttyS0 panic=-1 lab.trial' < /dev/null 2>&1 |
		grep -q 'lab: trial boot reached user space'
}

# accel KERNEL_FILE INITRAMFS: prints kvm or tcg.
accel()
{
	local machine file

	if [ -n "${ACCEL:-}" ]; then
		echo "$ACCEL"
		return
	fi
	[ -w /dev/kvm ] || { echo tcg; return; }
	machine=$(cat /etc/machine-id /proc/sys/kernel/osrelease /proc/cpuinfo 2>/dev/null |
		grep -vE 'MHz|bogomips' | key)
	file=$CACHE/accel/$machine
	mkdir -p "$CACHE/accel"
	if [ ! -s "$file" ]; then
		say "trying hardware acceleration once"
		if trial_boot "$1" "$2"; then echo kvm; else echo tcg; fi > "$file.$LAB_ID"
		mv "$file.$LAB_ID" "$file"
		say "guests will run with $(cat "$file")"
	fi
	cat "$file"
}
