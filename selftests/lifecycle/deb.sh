# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # variables of run and report.sh
#
# The life of the .deb under real apt: what is planned for each Debian, and
# what all its events need.

deb_system()
{
	suite=$1
	base=$(root "$suite") || exit 1
	make_deb 1.0
	make_deb 1.1

	event reproducible base reproducible debian/make-deb
	case $suite in
	trixie) event ready base deb_ready_of_two ;;
	*) event ready base deb_ready ;;
	esac
	event install ready deb_install
	event two-kernels ready deb_two_kernels
	event consumer install deb_consumer
	event new-kernel consumer deb_new_kernel
	event old-kernel-goes new-kernel deb_old_kernel_goes
	event headers-later install deb_headers_later
	event last-kernel headers-later deb_last_kernel
	[ "$suite" != bullseye ] || event oldest-5.10 install deb_oldest_kernel
	event no-infiniband install deb_no_infiniband
	event upgrade install deb_upgrade
	event downgrade upgrade deb_downgrade
	event reinstall install deb_reinstall
	event killed-dkms install deb_killed_dkms
	event killed-apt install deb_killed_apt
	event broken-neighbour install deb_broken_neighbour
	event ofed install deb_ofed
	event initramfs install deb_initramfs
	event remove install deb_remove
	event purge remove deb_purge
	event purge-at-once install deb_purge
	event from-source ready deb_from_source
	event autopkgtest ready deb_autopkgtest
	run_plan
}

# make_deb VERSION: the tree as if it had that version, in $OUT.
make_deb()
{
	local copy=$OUT/tree-$1

	[ ! -e "$OUT/source-$1" ] || return 0
	"$TREE/src/admin/stage" "$copy" > /dev/null
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$copy/dkms.conf"
	"$copy/debian/make-deb" > "$OUT/make-deb-$1.log" 2>&1 ||
		die "make deb failed: $(tail -n 1 "$OUT/make-deb-$1.log")"
	mv "$copy"/build/*.deb "$OUT/"
	mv "$copy/build/deb/rdma-shim-$1" "$OUT/source-$1"
	rm -rf "$copy"
}

# reproducible SCRIPT: two builds, by people with different habits and in
# different folders, give the same bytes.
reproducible()
{
	local copy epoch built tmp=$root/tmp

	for copy in one another/place; do
		epoch=$("$TREE/src/admin/stage" "$tmp/$copy")
		inside env TZ=Asia/Tokyo SOURCE_DATE_EPOCH="$epoch" sh -c "
			[ $copy = one ] || umask 077
			/tmp/$copy/$1"
		sleep 2
	done
	[ -n "$(find "$tmp/one/build" -maxdepth 1 -name 'rdma-shim-dkms*')" ]
	for built in "$tmp"/one/build/*.deb "$tmp"/one/build/*.rpm; do
		[ ! -e "$built" ] ||
			cmp "$built" "$tmp/another/place/build/${built##*/}" ||
			miss 'two builds differ'
	done
}

apt()
{
	inside apt-get -y -q -o Dpkg::Use-Pty=0 "$@"
}

# apt_ours VERSION [APT_ARGUMENT...]: our package, the way a user installs it.
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
	[ -z "$(inside dpkg --audit)" ] || miss "$(inside dpkg --audit)"
}

# One kernel, lists of packages, a compiler that remembers, and a list of all
# files.
deb_ready()
{
	local kernel first

	apt update
	apt install ccache
	remember_compilations
	first=$(kernels | head -n 1)
	for kernel in $(kernels | tail -n +2); do
		apt purge "linux-image-$kernel" "linux-headers-$kernel"
	done
	[ "$(kernels)" = "$first" ] || miss "kernels: $(kernels)"
	snapshot > "$dir/before"
}

# Newer kernels consist of more packages.
deb_ready_of_two()
{
	local kernel

	for kernel in $(kernels | tail -n +2); do
		purge_kernel "$kernel"
	done
	deb_ready
}

# purge_kernel KERNEL: all of its packages; how many there are differs.
purge_kernel()
{
	local names

	names=$(inside dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "linux-*-$1" |
		awk '$1 == "ii" { print $2 }')
	# shellcheck disable=SC2086 # one package a word
	apt purge $names
}

# One installation after the other compiles the same files. In place of the
# compiler, because apt and dkms have search paths of their own.
remember_compilations()
{
	local gcc

	for gcc in "$root"/usr/bin/gcc-[0-9]*; do
		gcc=${gcc##*/}
		rm "$root/usr/bin/$gcc"
		printf '#!/bin/sh\nexec ccache x86_64-linux-gnu-%s "$@"\n' "$gcc" \
			> "$root/usr/bin/$gcc"
		chmod 755 "$root/usr/bin/$gcc"
	done
	echo 'cache_dir = /var/cache/ccache' >> "$root/etc/ccache.conf"
}

# as_before: every file of the system is what it was when it was ready, nothing
# bears our name, and every package that brought a kernel finds it intact.
as_before()
{
	local kernel left path

	snapshot > "$dir/after"
	diff "${state[$system,ready]}/before" "$dir/after" ||
		miss 'the system is not as it was'
	# Somebody may have worked in the lab's root.
	left=$(find "$root" -xdev -name '*rdma[-_]shim*' | while read -r path; do
		[ -e "$base/root/${path#"$root/"}" ] || echo "$path"
	done)
	[ -z "$left" ] || miss "left: $left"
	for kernel in $(kernels); do
		# No documentation was unpacked in the lab's root.
		inside dpkg --verify "linux-image-$kernel" "linux-headers-$kernel" |
			grep -v /usr/share/doc/ && miss "files of kernel $kernel changed"
	done
	return 0
}
