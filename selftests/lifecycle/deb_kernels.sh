# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # variables of run and report.sh
#
# Kernels come and go while ours is installed.

# second_kernel: the newest release of the cloud flavour, which is quick to
# install.
second_kernel()
{
	inside apt-cache depends linux-image-cloud-amd64 |
		sed -n 's/.*Depends: linux-image-\(.*\)/\1/p' | head -n 1
}

deb_two_kernels()
{
	local second

	second=$(second_kernel)
	apt install "linux-image-$second" "linux-headers-$second"
	[ "$(kernels | wc -l)" = 2 ] || miss "kernels: $(kernels)"
	apt_ours 1.0
	one_version 1.0
	kernels_built 1.0
	built "$second" 1.0
}

# The consumer is a dkms package whose name sorts before ours.
deb_consumer()
{
	local kernel

	kernel=$(kernels)
	cp -r "$TREE/selftests/consumer" "$root/usr/src/rdma-consumer-1.0"
	inside dkms add -m rdma-consumer -v 1.0
	inside dkms install -m rdma-consumer -v 1.0 -k "$kernel"
	same_crcs "$kernel"
}

deb_new_kernel()
{
	local first second

	first=$(kernels)
	second=$(second_kernel)
	apt install "linux-image-$second" "linux-headers-$second"
	configured
	built "$second" 1.0
	built "$first" 1.0
	same_crcs "$second"
	same_crcs "$first"
}

deb_old_kernel_goes()
{
	local first second

	second=$(second_kernel)
	first=$(kernels | grep -vFx "$second")
	purge_kernel "$first"
	configured
	gone "$first"
	[ ! -e "$root/lib/modules/$first" ] || miss "/lib/modules/$first is left"
	built "$second" 1.0
	same_crcs "$second"
}

deb_headers_later()
{
	local second said

	second=$(second_kernel)
	apt install "linux-image-$second"
	configured
	gone "$second"
	said=$(RDMA_SHIM_RUNNING=$second inside rdma-shim status) &&
		miss 'status is content without headers'
	[[ $said == *"headers-missing"*"linux-headers-$second"* ]] ||
		miss "status does not name the headers: $said"
	apt install "linux-headers-$second"
	configured
	built "$second" 1.0
}

# dkms before 3.2 forgets a package together with its last kernel.
deb_last_kernel()
{
	local kernel second

	second=$(second_kernel)
	for kernel in $(kernels); do
		inside dkms remove -m rdma-shim -v 1.0 -k "$kernel" || true
		gone "$kernel"
	done
	apt install --reinstall "linux-headers-$second"
	configured
	built "$second" 1.0
	inside rdma-shim build
	kernels_built 1.0
}

# The release that Debian 11 began its last year with: its headers differ from
# the newest ones.
deb_oldest_kernel()
{
	local kernel

	kernel=$(inside apt-cache pkgnames linux-headers-5.10.0- |
		sed -n 's/^linux-headers-\(5.10.0-[0-9]*-amd64\)$/\1/p' | sort -V | head -n 1)
	[ "$kernel" != "$(kernels)" ] || give_up "the mirror has one 5.10 only, $kernel"
	apt install "linux-image-$kernel" "linux-headers-$kernel"
	configured
	inside dpkg-query -W "linux-image-$kernel"
	kernels_built 1.0
	built "$kernel" 1.0
}

# twin_of KERNEL NAME: one more, KERNEL-NAME, with headers of its own.
twin_of()
{
	local source twin=$1-$2

	source=$(inside readlink -f "/lib/modules/$1/build")
	cp -a "$root$source" "$root$source-$2"
	sed -i "s/$1/$twin/" "$root$source-$2/.kernelvariables" \
		"$root$source-$2/include/generated/utsrelease.h" \
		"$root$source-$2/include/config/kernel.release"
	mkdir -p "$root/lib/modules/$twin/kernel"
	touch "$root/lib/modules/$twin/modules.order" "$root/lib/modules/$twin/modules.builtin"
	# Relative: the tests edit it from outside.
	ln -s -r "$root$source-$2" "$root/lib/modules/$twin/build"
	echo "$twin"
}

# A kernel without CONFIG_INFINIBAND: its modules say so.
deb_no_infiniband()
{
	local first kernel

	first=$(kernels)
	kernel=$(twin_of "$first" noib)
	sed -i '/CONFIG_INFINIBAND/d' "$root/lib/modules/$kernel/build/.config" \
		"$root/lib/modules/$kernel/build/include/config/auto.conf" \
		"$root/lib/modules/$kernel/build/include/generated/autoconf.h"
	apt_ours 1.0 --reinstall
	[ -n "$(module_of "$kernel" rdma_shim)" ] || miss 'no module for a kernel without INFINIBAND'
	inside modinfo -F description "$(module_of "$kernel" rdma_shim)" |
		grep 'lacks CONFIG_INFINIBAND' || miss 'the module does not say what is missing'
	RDMA_SHIM_RUNNING=$kernel inside rdma-shim status |
		grep "^$kernel (running): unsupported: .*CONFIG_INFINIBAND" ||
		miss 'status does not say what is missing'
	built "$first" 1.0
	inside dkms remove -m rdma-shim -v 1.0 -k "$kernel"
	gone "$kernel"
	built "$first" 1.0
}
