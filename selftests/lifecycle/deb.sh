# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2016 # system is set in run; dkms.conf
#
# The life of the .deb under real apt.

# make_deb VERSION: builds the tree as if it had that version, into $OUT.
make_deb()
{
	local copy=$OUT/tree-$1

	[ ! -e "$OUT/rdma-shim-dkms_$1_all.deb" ] || return 0
	"$TREE/src/admin/stage" "$copy" > /dev/null
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$copy/dkms.conf"
	"$copy/debian/make-deb" > "$OUT/make-deb-$1.log" 2>&1 ||
		die "make deb failed: $(tail -n 1 "$OUT/make-deb-$1.log")"
	mv "$copy"/build/*.deb "$OUT/"
	rm -rf "$copy"
}

# reproducible SCRIPT: two builds, by people with different habits and in
# different folders, give the same bytes.
reproducible()
{
	local copy epoch built

	for copy in one another/place; do
		epoch=$("$TREE/src/admin/stage" "$OUT/same/$copy")
		(cd "$OUT/same/$copy" && { [ $copy = one ] || umask 077; } &&
			TZ=Asia/Tokyo SOURCE_DATE_EPOCH=$epoch "./$1")
		sleep 2
	done
	for built in "$OUT"/same/one/build/*.deb "$OUT"/same/one/build/*.rpm; do
		[ ! -e "$built" ] ||
			cmp "$built" "$OUT/same/another/place/build/${built##*/}" ||
			miss 'two builds differ'
	done
	[ -n "$(find "$OUT/same/one/build" -maxdepth 1 -name 'rdma-shim-dkms*')" ]
	rm -rf "$OUT/same"
}

apt()
{
	in_root "$root" apt-get -y -q -o Dpkg::Use-Pty=0 "$@"
}

# Our package in version $1, the way a user installs it.
apt_ours()
{
	cp "$OUT/rdma-shim-dkms_$1_all.deb" "$root/root/"
	apt install --allow-downgrades "/root/rdma-shim-dkms_$1_all.deb" "${@:2}"
	rm "$root/root/rdma-shim-dkms_$1_all.deb"
	configured
}

# Nothing is half installed.
configured()
{
	[ -z "$(in_root "$root" dpkg --audit)" ] || miss "$(in_root "$root" dpkg --audit)"
}

# The newest release of the cloud flavour: a second kernel, quick to install.
cloud_release()
{
	apt-cache_in depends linux-image-cloud-amd64 |
		sed -n 's/.*Depends: linux-image-\(.*\)/\1/p' | head -n 1
}

apt-cache_in()
{
	in_root "$root" apt-cache "$@"
}

deb_system()
{
	local suite=$2 base

	system=$1
	base=$(root "$suite") || exit 1
	make_deb 1.0
	make_deb 1.1
	system_up "$base" "$suite"
	apt update > "$OUT/$system-update.log" 2>&1 ||
		die "apt update fails in $system (log: $OUT/$system-update.log)"
	cloud=$(cloud_release)
	first=$(kernels | head -n 1)

	event reproducible reproducible debian/make-deb
	snapshot > "$OUT/$system.before"
	event install deb_install
	event consumer deb_consumer
	event new-kernel deb_new_kernel
	event old-kernel-goes deb_old_kernel_goes
	event headers-later deb_headers_later
	event last-kernel deb_last_kernel
	event upgrade deb_upgrade
	event reinstall deb_reinstall
	event downgrade deb_downgrade
	event killed-dkms deb_killed_dkms
	event killed-apt deb_killed_apt
	event broken-neighbour deb_broken_neighbour
	event no-infiniband deb_no_infiniband
	event ofed deb_ofed
	event remove deb_remove
	event purge deb_purge
	event from-source deb_from_source

	system_down
}

# system_up BASE SUITE: $root is a system on top of that root file system.
system_up()
{
	work=$OUT/work/$system
	layer_up "$1/root" "$work"
	root=$work/m
	chroot_prepare "$root"
	mkdir -p "$CACHE/apt/$2"
	mount --bind "$CACHE/apt/$2" "$root/var/cache/apt/archives"
}

# What is still in use keeps its mount, and is not reached by rm.
system_down()
{
	umount -R "$root" || true
	rm -rf --one-file-system "$work"
}

deb_install()
{
	apt_ours 1.0
	one_version 1.0
	kernels_built 1.0
}

# The consumer is a dkms package whose name sorts before ours.
deb_consumer()
{
	cp -r "$TREE/selftests/consumer" "$root/usr/src/rdma-consumer-1.0"
	in_root "$root" dkms add -m rdma-consumer -v 1.0
	in_root "$root" dkms install -m rdma-consumer -v 1.0 -k "$first"
	same_crcs "$first"
}

deb_new_kernel()
{
	apt install "linux-image-$cloud" "linux-headers-$cloud"
	configured
	built "$cloud" 1.0
	built "$first" 1.0
	same_crcs "$cloud"
	in_root "$root" dkms remove -m rdma-consumer -v 1.0 --all || true
	rm -rf "$root/usr/src/rdma-consumer-1.0" "$root/var/lib/dkms/rdma-consumer"
}

deb_old_kernel_goes()
{
	apt purge "linux-image-$cloud" "linux-headers-$cloud"
	configured
	gone "$cloud"
	[ ! -e "$root/lib/modules/$cloud" ] || miss "/lib/modules/$cloud is left"
	built "$first" 1.0
}

deb_headers_later()
{
	local said

	apt install "linux-image-$cloud"
	configured
	gone "$cloud"
	said=$(in_root "$root" env RDMA_SHIM_RUNNING="$cloud" rdma-shim status) &&
		miss 'status is content without headers'
	[[ $said == *"headers-missing"*"linux-headers-$cloud"* ]] ||
		miss "status does not name the headers: $said"
	apt install "linux-headers-$cloud"
	configured
	built "$cloud" 1.0
}

# dkms before 3.2 forgets a package together with its last kernel.
deb_last_kernel()
{
	local kernel

	for kernel in $(kernels); do
		in_root "$root" dkms remove -m rdma-shim -v 1.0 -k "$kernel" || true
		gone "$kernel"
	done
	apt install --reinstall "linux-headers-$cloud"
	configured
	built "$cloud" 1.0
	in_root "$root" rdma-shim build
	kernels_built 1.0
	apt purge "linux-image-$cloud" "linux-headers-$cloud"
	gone "$cloud"
}

deb_upgrade()
{
	apt_ours 1.1
	one_version 1.1
	kernels_built 1.1
	[ ! -e "$root/usr/src/rdma-shim-1.0" ] || miss 'the old source is left'
}

deb_reinstall()
{
	apt_ours 1.1 --reinstall
	one_version 1.1
	kernels_built 1.1
}

deb_downgrade()
{
	apt_ours 1.0
	one_version 1.0
	kernels_built 1.0
}

# kill_in SECONDS COMMAND...: all its processes die at once after that time.
# They are in a process namespace of their own: apt puts dpkg into a session.
kill_in()
{
	local pid child

	unshare --pid --fork env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive INITRD=No \
		chroot "$root" "${@:2}" < /dev/null &
	pid=$!
	sleep "$1"
	child=$(cat "/proc/$pid/task/$pid/children") || true
	[ -z "$child" ] || kill -KILL "$child" && echo "killed after $1 s"
	wait "$pid" || true
	sleep 1
}

# At several moments: while the probes run, while the modules are built, while
# dkms copies them.
deb_killed_dkms()
{
	local after

	for after in 0.5 1.5 2.5 3.5 4.5; do
		in_root "$root" dkms remove -m rdma-shim -v 1.0 -k "$first" || true
		in_root "$root" dkms add -m rdma-shim -v 1.0 || true
		kill_in $after dkms install -m rdma-shim -v 1.0 -k "$first"
		in_root "$root" rdma-shim build
		kernels_built 1.0
		one_version 1.0
	done
}

deb_killed_apt()
{
	local after

	cp "$OUT/rdma-shim-dkms_1.0_all.deb" "$root/root/"
	for after in 1 2 4; do
		kill_in $after apt-get -y -q -o Dpkg::Use-Pty=0 \
			install --reinstall /root/rdma-shim-dkms_1.0_all.deb
		# Killed before it was unpacked, dpkg asks for the file again.
		in_root "$root" dpkg --configure -a || true
		[ -z "$(in_root "$root" dpkg --audit)" ] ||
			apt install --reinstall /root/rdma-shim-dkms_1.0_all.deb
		configured
		one_version 1.0
		kernels_built 1.0
	done
	rm "$root/root/rdma-shim-dkms_1.0_all.deb"
}

# A foreign package that does not build, and sorts before ours.
deb_broken_neighbour()
{
	local source=$root/usr/src/a-broken-1.0

	mkdir "$source"
	echo 'int broken(' > "$source/a_broken.c"
	echo 'obj-m := a_broken.o' > "$source/Makefile"
	printf '%s\n' 'PACKAGE_NAME="a-broken"' 'PACKAGE_VERSION="1.0"' \
		'BUILT_MODULE_NAME[0]="a_broken"' 'AUTOINSTALL="yes"' \
		'DEST_MODULE_LOCATION[0]="/updates/dkms"' \
		'MAKE[0]="make -C $kernel_source_dir M=$dkms_tree/a-broken/1.0/build"' \
		> "$source/dkms.conf"
	in_root "$root" dkms add -m a-broken -v 1.0
	# apt may well complain here: of the neighbour.
	apt install "linux-image-$cloud" "linux-headers-$cloud" || true
	built "$cloud" 1.0
	in_root "$root" dkms remove -m a-broken -v 1.0 --all || true
	rm -rf "$source" "$root/var/lib/dkms/a-broken"
	in_root "$root" dpkg --configure -a
	configured
	apt purge "linux-image-$cloud" "linux-headers-$cloud"
}

# A kernel like the first one, but without CONFIG_INFINIBAND.
deb_no_infiniband()
{
	local source kernel=$first-noib

	source=$(in_root "$root" readlink -f "/lib/modules/$first/build")
	cp -a "$root$source" "$root$source-noib"
	sed -i "s/$first/$kernel/" "$root$source-noib/.kernelvariables" \
		"$root$source-noib/include/generated/utsrelease.h" \
		"$root$source-noib/include/config/kernel.release"
	sed -i '/CONFIG_INFINIBAND/d' "$root$source-noib/.config" \
		"$root$source-noib/include/config/auto.conf" \
		"$root$source-noib/include/generated/autoconf.h"
	mkdir -p "$root/lib/modules/$kernel/kernel"
	touch "$root/lib/modules/$kernel/modules.order" "$root/lib/modules/$kernel/modules.builtin"
	ln -s "$source-noib" "$root/lib/modules/$kernel/build"
	apt_ours 1.0 --reinstall
	[ -n "$(module_of "$kernel" rdma_shim)" ] || miss 'no module for a kernel without INFINIBAND'
	in_root "$root" modinfo -F description "$(module_of "$kernel" rdma_shim)" |
		grep 'lacks CONFIG_INFINIBAND' || miss 'the module does not say what is missing'
	in_root "$root" env RDMA_SHIM_RUNNING="$kernel" rdma-shim status |
		grep "^$kernel (running): unsupported: .*CONFIG_INFINIBAND" ||
		miss 'status does not say what is missing'
	in_root "$root" dkms remove -m rdma-shim -v 1.0 -k "$kernel"
	rm -r "$root$source-noib" "$root/lib/modules/$kernel"
	built "$first" 1.0
}

deb_ofed()
{
	mkdir "$root/usr/src/ofa_kernel"
	apt_ours 1.0 --reinstall
	in_root "$root" modinfo -F description "$(module_of "$first" rdma_shim)" |
		grep OFED || miss 'built beside an OFED'
	in_root "$root" rdma-shim status | grep 'OFED is installed' || miss 'status is silent about it'
	rmdir "$root/usr/src/ofa_kernel"
	apt_ours 1.0 --reinstall
	built "$first" 1.0
}

deb_remove()
{
	local kernel

	apt remove rdma-shim-dkms
	configured
	for kernel in $(kernels); do
		gone "$kernel"
	done
	[ ! -e "$root/var/lib/rdma-shim" ] || miss '/var/lib/rdma-shim is left'
	[ ! -e "$root/var/lib/dkms/rdma-shim" ] || miss 'dkms still knows us'
}

deb_purge()
{
	apt purge rdma-shim-dkms
	configured
	snapshot > "$OUT/$system.after"
	diff "$OUT/$system.before" "$OUT/$system.after" || miss 'the system is not as it was'
	in_root "$root" dpkg --verify "linux-image-$first" "linux-headers-$first" |
		grep -v /usr/share/doc/ && miss 'files of the kernel packages changed'
	return 0
}

# make install and make uninstall, without a package.
deb_from_source()
{
	local kernel version

	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$TREE/dkms.conf")
	"$TREE/src/admin/stage" "$OUT/source" > /dev/null
	cp -r "$OUT/source" "$root/tmp/source"
	rm -rf "$OUT/source"
	in_root "$root" make -C /tmp/source install
	one_version "$version"
	kernels_built "$version"
	in_root "$root" make -C /tmp/source uninstall
	for kernel in $(kernels); do
		gone "$kernel"
	done
	snapshot > "$OUT/$system.after"
	diff "$OUT/$system.before" "$OUT/$system.after" || miss 'the system is not as it was'
}
