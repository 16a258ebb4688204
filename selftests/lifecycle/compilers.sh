# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run and report.sh
#
# A kernel built by clang: the probes and the modules are, too. The kernel is
# Debian's source with a small config, as far as modules need it. And a kernel
# built by a gcc that is newer than any here.

# Just enough for ib_core and sunrpc.
clang_config()
{
	local option

	for option in 64BIT MODULES MODULE_UNLOAD PCI NET INET IPV6 SMP MULTIUSER \
		BLOCK FILE_LOCKING PROC_FS MMU INFINIBAND_ADDR_TRANS \
		INFINIBAND_ON_DEMAND_PAGING NETWORK_FILESYSTEMS; do
		echo "CONFIG_$option=y"
	done
	printf 'CONFIG_%s=m\n' INFINIBAND INFINIBAND_USER_ACCESS
}

compilers_system()
{
	suite=$1
	base=$(root "$suite") || exit 1
	make_deb 1.0

	event ready base clang_ready
	event clang ready clang_build
	event older-gcc ready older_gcc_build
	run_plan
}

# The kernel's tree, prepared for modules.
clang_ready()
{
	local kernel source=/usr/src/linux-source-6.1 kdir=/usr/src/clang

	deb_ready
	apt install clang lld llvm flex bison bc libelf-dev linux-source-6.1
	inside tar -xJf "$source.tar.xz" -C /usr/src
	mkdir "$root$kdir"
	clang_config > "$root$kdir.config"
	inside make -s -C "$source" O="$kdir" LLVM=1 \
		KCONFIG_ALLCONFIG="$kdir.config" allnoconfig
	echo 6.1.0-clang > "$root$kdir/localversion"
	inside make -s -C "$source" O="$kdir" LLVM=1 modules_prepare
	kernel=$(cat "$root$kdir/include/config/kernel.release")
	mkdir -p "$root/lib/modules/$kernel/kernel"
	touch "$root/lib/modules/$kernel/modules.order" \
		"$root/lib/modules/$kernel/modules.builtin"
	ln -s "$kdir" "$root/lib/modules/$kernel/build"
}

# The kernel that Debian built by gcc keeps that.
clang_build()
{
	local kernel gcc_kernel

	kernel=$(kernels | grep clang)
	gcc_kernel=$(kernels | grep -v clang)
	apt_ours 1.0
	[ -n "$(module_of "$kernel" rdma_shim)" ] || miss 'no module for the clang kernel'
	inside readelf -p .comment "$(module_of "$kernel" rdma_shim)" |
		grep clang || miss 'the module was not built by clang'
	inside readelf -p .comment "$(module_of "$kernel" rdma_shim)" |
		grep GCC && miss 'a part of it was built by gcc'
	inside readelf -p .comment "$(module_of "$gcc_kernel" rdma_shim)" |
		grep GCC || miss "the module for $gcc_kernel was not built by gcc"
}

# One warning, from us, and modules.
older_gcc_build()
{
	local kernel said

	kernel=$(twin_of "$(kernels | grep -v clang)" newer-gcc)
	rm "$root/lib/modules/$kernel/build/.kernelvariables"
	sed -i 's/^CONFIG_GCC_VERSION=.*/CONFIG_GCC_VERSION=990000/
		s/^CONFIG_CC_VERSION_TEXT=.*/CONFIG_CC_VERSION_TEXT=gcc-99 (a later one)/' \
		"$root/lib/modules/$kernel/build/include/config/auto.conf"
	said=$(apt_ours 1.0 2>&1)
	echo "$said"
	built "$kernel" 1.0
	cat "$root/var/lib/dkms/rdma-shim/1.0/$kernel/x86_64/log/make.log"
	said=$(cat "$root/var/lib/dkms/rdma-shim/1.0/$kernel/x86_64/log/make.log")
	[ "$(grep -c 'rdma-shim: warning: gcc .* is older than the kernel' <<< "$said")" = 1 ] ||
		miss 'there is not one warning'
	grep 'error:' <<< "$said" && miss 'there are errors'
	return 0
}
