# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a guest starts from: the kernel, and an initramfs of busybox, the
# handful of modules its disks need, and the two guest scripts.

BOOT_MODULES="virtio_pci virtio_blk ext4 overlay virtio_console"

# module_order ROOT KVER: the files to insert, each after what it needs.
module_order()
{
	local m

	for m in $BOOT_MODULES; do
		in_root "$1" modprobe -S "$2" --show-depends "$m" | awk '$1 == "insmod" { print $2 }'
	done | awk '!seen[$0]++'
}

# unpacked FILE: a module as busybox can load it.
unpacked()
{
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

make_initramfs()
{
	local root=$1 kver=$2 out=$3 dir=$3.dir file name

	rm -rf "$dir"
	mkdir -p "$dir/bin" "$dir/modules" "$dir/dev" "$dir/proc" "$dir/sys"
	cp "$root/bin/busybox" "$dir/bin/" || die "no busybox in $root."
	cp "$LAB/guest/init" "$LAB/guest/agent" "$dir/"
	while read -r file; do
		name=$(basename "$file")
		name=${name%%.ko*}.ko
		unpacked "$root$file" > "$dir/modules/$name" || die "cannot unpack $file."
		echo "$name"
	done < <(module_order "$root" "$kver") > "$dir/modules/order"
	[ -s "$dir/modules/order" ] || die "found none of the modules $BOOT_MODULES for $kver."
	(cd "$dir" && find . | cpio -o -H newc --quiet) | gzip -1 > "$out.part"
	rm -rf "$dir"
	mv "$out.part" "$out"
}

# initramfs ROOT_DIR KVER: names the file.
initramfs()
{
	local out

	out=$1/initramfs-$2-$(cat "$LAB/guest/init" "$LAB/guest/agent" "$LAB/initramfs.sh" | key)
	[ -e "$out" ] || with_lock "initramfs-$2" make_initramfs "$1/root" "$2" "$out" >&2 || exit 1
	echo "$out"
}
