# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2154 # dkms.conf; variables of run
#
# What goes wrong: somebody pulls the plug, neighbours are broken.

# killed_at PATTERN COMMAND...: all its processes die at once when one of them
# has a command line like PATTERN. They are in a process namespace of their
# own, because apt puts dpkg into a session.
killed_at()
{
	local pid child forget

	# The compiler has to run for that.
	[[ $1 != *cc1* ]] || forget=1
	inside_namespace "${@:2}" &
	pid=$!
	until pgrep -f -- "$1"; do
		kill -0 $pid || miss "'${*:2}' ended without '$1'" || return
		sleep 0.01
	done
	child=$(cat "/proc/$pid/task/$pid/children")
	kill -KILL "$child"
	echo "killed at '$1'"
	wait $pid || true
}

inside_namespace()
{
	exec unshare --pid --fork env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No TMPDIR=/tmp \
		${forget:+CCACHE_DISABLE=1} chroot "$root" "$@" < /dev/null
}

# When the probes begin, while the modules are compiled, while dkms puts them
# into place and our hook publishes. killed-apt has more moments.
deb_killed_dkms()
{
	local moment

	for moment in 'src/probe/run' 'cc1 .*verbs/[a-z]*[.]c' 'dkms-hook sync'; do
		inside rdma-shim remove
		inside dkms add -m rdma-shim -v 1.0 || true
		killed_at "$moment" dkms install -m rdma-shim -v 1.0 -k "$(kernels)"
		inside rdma-shim build
		kernels_built 1.0
		one_version 1.0
	done
}

# A reinstallation: while dpkg unpacks, in each of our scripts, while dkms
# builds and puts into place.
deb_killed_apt()
{
	local moment

	for moment in 'dpkg.* --unpack' 'rdma-shim-dkms.prerm' 'rdma-shim-dkms.postinst' \
		'cc1 .*verbs/[a-z]*[.]c' 'depmod'; do
		cp "$OUT/rdma-shim-dkms_1.0_all.deb" "$root/root/"
		killed_at "$moment" apt-get -y -q -o Dpkg::Use-Pty=0 \
			install --reinstall /root/rdma-shim-dkms_1.0_all.deb
		# Killed before it was unpacked, dpkg asks for the file again.
		inside dpkg --configure -a || true
		[ -z "$(inside dpkg --audit)" ] ||
			apt install --reinstall /root/rdma-shim-dkms_1.0_all.deb
		configured
		one_version 1.0
		kernels_built 1.0
	done
}

# A foreign package that does not build, and sorts before ours.
deb_broken_neighbour()
{
	local source=$root/usr/src/a-broken-1.0 second

	mkdir "$source"
	echo 'int broken(' > "$source/a_broken.c"
	echo 'obj-m := a_broken.o' > "$source/Makefile"
	printf '%s\n' 'PACKAGE_NAME="a-broken"' 'PACKAGE_VERSION="1.0"' \
		'BUILT_MODULE_NAME[0]="a_broken"' 'AUTOINSTALL="yes"' \
		'DEST_MODULE_LOCATION[0]="/updates/dkms"' \
		'MAKE[0]="make -C $kernel_source_dir M=$dkms_tree/a-broken/1.0/build"' \
		> "$source/dkms.conf"
	inside dkms add -m a-broken -v 1.0
	second=$(second_kernel)
	# apt may well complain here: of the neighbour.
	apt install "linux-image-$second" "linux-headers-$second" || true
	built "$second" 1.0
	inside dkms remove -m a-broken -v 1.0 --all || true
	rm -rf "$source" "$root/var/lib/dkms/a-broken"
	inside dpkg --configure -a
	configured
	kernels_built 1.0
}

deb_ofed()
{
	mkdir "$root/usr/src/ofa_kernel"
	apt_ours 1.0 --reinstall
	inside modinfo -F description "$(module_of "$(kernels)" rdma_shim)" |
		grep OFED || miss 'built beside an OFED'
	inside rdma-shim status | grep 'OFED is installed' || miss 'status is silent about it'
	rmdir "$root/usr/src/ofa_kernel"
	apt_ours 1.0 --reinstall
	kernels_built 1.0
	inside modinfo -F description "$(module_of "$(kernels)" rdma_shim)" |
		grep OFED && miss 'the module still speaks of an OFED'
	return 0
}

# Nothing of ours goes into an initramfs. Where somebody put it there, status
# says so, and what it tells to type puts that right.
deb_initramfs()
{
	local kernel image next code

	kernel=$(kernels)
	image=/boot/initrd.img-$kernel
	update_initramfs -c -k "$kernel"
	inside lsinitramfs "$image" | grep 'kernel/' > /dev/null || miss 'no initramfs was made'
	inside lsinitramfs "$image" | grep 'rdma_shim' && miss 'ours is in the initramfs'
	code=0
	RDMA_SHIM_RUNNING=$kernel inside rdma-shim status || code=$?
	[ $code = 3 ] || miss "status exits with $code"

	# Copying most modules takes minutes, and was seen above.
	sed -i 's/^MODULES=.*/MODULES=list/' "$root/etc/initramfs-tools/initramfs.conf"
	echo rdma_shim >> "$root/etc/initramfs-tools/modules"
	update_initramfs -u -k "$kernel"
	inside lsinitramfs "$image" | grep 'rdma_shim' || miss 'the initramfs has no copy'
	code=0
	next=$(RDMA_SHIM_RUNNING=$kernel inside rdma-shim doctor) || code=$?
	[ "$code" = 10 ] || miss "doctor exits with $code"
	[ "$next" = "update-initramfs -u -k $kernel" ] || miss "doctor says $next"
	sed -i '/rdma_shim/d' "$root/etc/initramfs-tools/modules"
	inside env -u INITRD sh -c "$next"
	code=0
	RDMA_SHIM_RUNNING=$kernel inside rdma-shim status || code=$?
	[ $code = 3 ] || miss "status still exits with $code"
}

# The other events do without (INITRD=No).
update_initramfs()
{
	inside env -u INITRD update-initramfs "$@"
}
