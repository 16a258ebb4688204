# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lab in-tree: selftests/ copied to tools/testing/selftests/rdma-shim of a
# kernel's source package builds and runs there by the kernel's own make.

IN_TREE=${IN_TREE:-6.1}

# make_skeleton SERIES VERSION ROOT OUT: a disk with what of the source the
# kselftest makefiles use, its headers installed.
make_skeleton()
{
	local series=$1 version=$2 root=$3 out=$4 deb work log=$CACHE/log/in-tree t=$SECONDS

	[ -s "$out" ] && return
	deb=$CACHE/src/linux-source-${series}_$version.deb
	fetch_source "$series" "$version" "$deb" || return 1
	work=$CACHE/tmp/in-tree-$LAB_ID.$BASHPID
	layer_up "$root/root" "$work"
	chroot_prepare "$work/m"
	: > "$work/m/var/tmp/source.deb"
	mount --bind "$deb" "$work/m/var/tmp/source.deb"
	in_root "$work/m" bash -ec "
		mkdir /var/tmp/linux && cd /var/tmp/linux
		dpkg-deb --fsys-tarfile /var/tmp/source.deb |
			tar -xO ./usr/src/linux-source-$series.tar.xz | xz -T0 -dc |
			tar -x --wildcards --strip-components=1 \
				'*/Makefile' '*/Kbuild' '*/scripts/*' '*/include/uapi/*' \
				'*/arch/x86/*' '*/tools/include/*' '*/tools/testing/selftests/*.mk' \
				'*/tools/testing/selftests/*.sh' '*/tools/testing/selftests/kselftest*'
		cd /var/tmp/linux && make headers" > "$log" 2>&1
	ret=$?
	umount "$work/m/var/tmp/source.deb"
	[ $ret = 0 ] && disk_image "$work/m/var/tmp/linux" "$out" source
	chroot_done "$work/m"
	layer_down "$work"
	rm -rf "$work"
	[ $ret = 0 ] || { say "no source tree of kernel $series: $(first_error "$log") (log: $log)"; return 1; }
	took "$t" "source skeleton of $series"
}

in_tree()
{
	local suite root tree version disk dir ret

	suite=$(kernel_root "$IN_TREE") && root=$(root "$suite") || exit 1
	tree=$(tree_disk "$suite" "$root" "$IN_TREE") || exit 1
	read -r _ _ _ version <<< "$(grep "^kernel $IN_TREE " "$root/inputs")"
	disk=$CACHE/src/in-tree-$version-$(key < "$LAB/intree.sh").disk
	with_lock in-tree make_skeleton "$IN_TREE" "$version" "$root" "$disk" || exit 1
	dir=$CACHE/run/in-tree-$LAB_ID.$BASHPID
	guest_start "$dir" "$IN_TREE" "$root" "$tree" \
		-drive "file=$disk,format=raw,if=none,id=source,readonly=on" \
		-device virtio-blk-pci,drive=source,serial=source
	guest_wait_ready || { guest_kill; guest_last_words; die "the guest did not boot."; }
	GUEST_ECHO=1 guest_run in-tree 900 "$(cat "$LAB/guest/in-tree")" "$dir/out" "$dir/klog"
	ret=$?
	[ $ret != 0 ] || ret=${GUEST_CODE:-1}
	guest_stop
	rm -rf "$dir"
	return "$ret"
}
