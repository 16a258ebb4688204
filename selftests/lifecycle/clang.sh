# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # system is set in run
#
# A kernel built by clang: the probes and the modules are, too. The kernel is
# Debian's source with a small config, as far as modules need it.

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

clang_system()
{
	local suite=$2 base

	system=$1
	base=$(root "$suite") || exit 1
	make_deb 1.0
	system_up "$base" "$suite"

	event clang-kernel clang_build

	system_down
}

clang_build()
{
	local kernel=6.1.0-clang source=/usr/src/linux-source-6.1 kdir=/usr/src/clang

	apt update
	apt install clang lld llvm flex bison bc libelf-dev linux-source-6.1
	in_root "$root" tar -xJf "$source.tar.xz" -C /usr/src
	mkdir "$root$kdir"
	clang_config > "$root$kdir.config"
	in_root "$root" make -s -C "$source" O="$kdir" LLVM=1 \
		KCONFIG_ALLCONFIG="$kdir.config" allnoconfig
	echo "$kernel" > "$root$kdir/localversion"
	in_root "$root" make -s -C "$source" O="$kdir" LLVM=1 modules_prepare
	kernel=$(cat "$root$kdir/include/config/kernel.release")
	mkdir -p "$root/lib/modules/$kernel/kernel"
	touch "$root/lib/modules/$kernel/modules.order" \
		"$root/lib/modules/$kernel/modules.builtin"
	ln -s "$kdir" "$root/lib/modules/$kernel/build"

	apt_ours 1.0
	[ -n "$(module_of "$kernel" rdma_shim)" ] || miss 'no module for the clang kernel'
	in_root "$root" readelf -p .comment "$(module_of "$kernel" rdma_shim)" |
		tee /dev/stderr | grep clang || miss 'the module was not built by clang'
	in_root "$root" readelf -p .comment "$(module_of "$kernel" rdma_shim)" |
		grep GCC && miss 'a part of it was built by gcc'
	# The kernels that Debian built by gcc keep theirs.
	kernel=$(kernels | head -n 1)
	in_root "$root" readelf -p .comment "$(module_of "$kernel" rdma_shim)" |
		grep GCC || miss "the module for $kernel was not built by gcc"
}
