# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The tree under test, installed in a root as a user would: packages by apt,
# modules by dkms, for every kernel there. Only what that changes goes into a
# small disk image, which a guest puts over the root's. Named by hashes of
# the root and of the tree.

SELFTESTS=/usr/lib/rdma-shim/selftests

# tree_files: what the tree consists of, whatever lies around beside it.
tree_files()
{
	# Under sudo the tree belongs to somebody else, which git minds.
	local git=(git -c "safe.directory=*" -C "$TREE")

	if [ -e "$TREE/.git" ] && "${git[@]}" rev-parse --git-dir > /dev/null 2>&1; then
		"${git[@]}" ls-files -co --exclude-standard
	else
		(cd "$TREE" && find . -type f ! -path './build/*' ! -path './.git/*' \
			! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '.*.cmd') | sed 's,^\./,,'
	fi | LC_ALL=C sort | while read -r f; do [ ! -f "$TREE/$f" ] || echo "$f"; done
}

# tree_hash: of all that can change what a guest does. A run takes it once, so
# that editing meanwhile does not mix two trees.
tree_hash()
{
	if [ -n "${TREE_HASH:-}" ]; then
		echo "$TREE_HASH"
		return
	fi
	(cd "$TREE" && tree_files | grep -vE '^(selftests/lab/|selftests/unit/|selftests/bench/results/|\.ci/|[^/]*\.md$|selftests/[^/]*\.md$)' |
		tr '\n' '\0' | xargs -0 sha256sum) | key
}

# export_tree DIR: a copy of the tree's own files.
export_tree()
{
	mkdir -p "$1"
	(cd "$TREE" && tree_files | tar -cf - --no-recursion -T -) | tar -xf - -C "$1"
}

# root_releases ROOT: the kernels installed there that have headers.
root_releases()
{
	local dir

	for dir in "$1"/lib/modules/*/; do
		[ ! -L "$dir/build" ] || basename "$dir"
	done
}

# only_kernels ROOT_DIR TARGET KERNEL...: takes the headers of the others away,
# so that nothing is built for kernels nobody is going to boot.
only_kernels()
{
	local root=$1 target=$2 kernel kver

	shift 2
	while read -r _ kernel kver _; do
		[[ " $* " == *" $kernel "* ]] || rm -f "$target/lib/modules/$kver/build"
	done < <(grep ^kernel "$root/inputs")
}

# install_package ROOT LOG: apt installs it, dkms builds it. A failed build
# does not fail apt, so the files are looked at.
install_package()
{
	local root=$1 log=$2 kver bad=0

	in_root "$root" make -C /var/tmp/tree deb >> "$log" 2>&1 || return 1
	in_root "$root" sh -c 'apt-get -y -q -o Dpkg::Use-Pty=0 install /var/tmp/tree/build/*.deb' \
		>> "$log" 2>&1 || return 1
	for kver in $(root_releases "$root"); do
		in_root "$root" sh -c "
			[ -e /var/lib/rdma-shim/$kver/Module.symvers ] &&
				ls /lib/modules/$kver/updates/dkms/rdma_shim.ko*" >> "$log" 2>&1 && continue
		echo "ERROR: no modules for $kver" >> "$log"
		cat "$root"/var/lib/dkms/rdma-shim/*/build/make.log >> "$log"
		bad=1
	done
	return $bad
}

# install_selftests ROOT LOG: programs and, for each kernel, modules.
install_selftests()
{
	local root=$1 log=$2 dir kver

	dir=$root$SELFTESTS
	mkdir -p "$dir"
	cp -a "$root/var/tmp/tree/selftests/." "$dir/"
	rm -rf "$root/var/tmp/tree" "$dir/lab"
	in_root "$root" make -j "$(nproc)" -C "$SELFTESTS" programs >> "$log" 2>&1 || return 1
	for kver in $(root_releases "$root"); do
		in_root "$root" make -j "$(nproc)" -C "$SELFTESTS" test-modules KVER="$kver" >> "$log" 2>&1 || return 1
	done
}

# first_error LOG
first_error()
{
	grep -m 1 -aE '(error:|ERROR:|^E: |Error [0-9]|No such file|^rdma-shim: no )' "$1" ||
		tail -n 1 "$1"
}

# make_tree SUITE ROOT_DIR OUT KERNEL...
make_tree()
{
	local suite=$1 root=$2 out=$3 work=$3.part log=$CACHE/log/tree-$1-$LAB_ID.$BASHPID t=$SECONDS

	shift 3
	[ -e "$out/disk" ] && return
	need_space
	umount -R "$work/m" 2>/dev/null
	rm -rf "$work"
	mkdir -p "$CACHE/log"
	: > "$log"
	say "building $TREE in the Debian $suite root for $* (log: $log)"
	layer_up "$root/root" "$work"
	chroot_prepare "$work/m"
	only_kernels "$root" "$work/m" "$@"
	export_tree "$work/m/var/tmp/tree"
	install_package "$work/m" "$log" ||
		die "the package does not build in Debian $suite: $(first_error "$log") (log: $log)"
	took "$t" "package build for $suite"
	t=$SECONDS
	siw_into "$root" "$work/m" "$@"
	rdma_core_into "$root" "$work/m" "$@"
	install_selftests "$work/m" "$log" ||
		die "the selftests do not build in Debian $suite: $(first_error "$log") (log: $log)"
	chroot_done "$work/m"
	layer_down "$work"
	disk_image "$work/up" "$work/disk" tree
	rm -rf "$work/up"
	cp "$log" "$work/log"
	rm -f "$log"
	took "$t" "selftests build and image for $suite"
	rm -rf "$out"
	mv "$work" "$out"
}

# tree_disk SUITE ROOT_DIR KERNEL...: names the image, which is made where
# missing.
tree_disk()
{
	local suite=$1 root=$2 out made

	shift 2
	made=$({ cat "$root/inputs" "$LAB/tree.sh"; echo "$*"; siw_ready "$root" "$@"; rdma_core_tests "$root" "$@"; } | key)
	out=$CACHE/tree/$suite-$made-$(tree_hash)
	mkdir -p "$CACHE/tree"
	[ -e "$out/disk" ] ||
		with_lock "$(basename "$out")" make_tree "$suite" "$root" "$out" "$@" >&2 || exit 1
	touch "$out"
	echo "$out/disk"
}
