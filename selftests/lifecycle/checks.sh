# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # root is the system under test
#
# What must be true of a system, looked at in its files: what dkms says in its
# exit codes means something else in every version. Each check says what it
# missed and returns 1.

miss()
{
	echo "MISSED: $*"
	return 1
}

# The file of module $2 for kernel $1, as seen inside.
module_of()
{
	find "$root/lib/modules/$1/updates/dkms" -name "$2.ko*" 2> /dev/null |
		sed "s,^$root,," | head -n 1
}

modules()
{
	sed -n 's/^BUILT_MODULE_NAME.*="\(.*\)"/\1/p' "$TREE/dkms.conf"
}

# built KERNEL VERSION: the module is there, for that kernel, of that version,
# depmod knows it, and consumers find what they need.
built()
{
	local file name field

	for name in $(modules); do
		file=$(module_of "$1" "$name")
		[ -n "$file" ] || miss "no $name for $1" || return
		field=$(inside modinfo -F version "$file")
		[ "$field" = "$2" ] || miss "$file has version '$field', not $2" || return
		field=$(inside modinfo -F vermagic "$file")
		[ "${field%% *}" = "$1" ] || miss "$file is for '$field'" || return
		grep -q "/$name.ko" "$root/lib/modules/$1/modules.dep" ||
			miss "modules.dep of $1 does not know $name" || return
	done
	inside grep -q rdma_shim_ib_map_mr_sg "/var/lib/rdma-shim/$1/Module.symvers" ||
		miss "no symbols published for $1" || return
	inside grep -q RDMA_SHIM_CONFIG_H "/var/lib/rdma-shim/$1/config.h" ||
		miss "no config.h published for $1" || return
	inside test -e "/var/lib/rdma-shim/$1/include/rdma-shim/config.h" ||
		miss "no include folder published for $1"
}

# gone KERNEL: nothing of ours for that kernel.
gone()
{
	[ -z "$(module_of "$1" 'rdma_shim')$(module_of "$1" svcrdma_shim)" ] ||
		miss "a module of ours is left for $1" || return
	if [ -e "$root/var/lib/rdma-shim/$1" ] || [ -L "$root/var/lib/rdma-shim/$1" ]; then
		miss "something is still published for $1"
	fi
}

# one_version VERSION: dkms knows that one and no other.
one_version()
{
	local known

	known=$(cd "$root/var/lib/dkms/rdma-shim" && printf '%s\n' */ | tr -d / | grep -v ^kernel- | tr '\n' ' ')
	[ "$known" = "$1 " ] || miss "dkms knows the versions: $known"
}

# kernels_built VERSION: every kernel that has headers.
kernels_built()
{
	local kernel

	for kernel in $(kernels); do
		inside test -e "/lib/modules/$kernel/build/Makefile" || continue
		built "$kernel" "$1" || return
	done
}

kernels()
{
	local dir

	for dir in "$root"/lib/modules/*/kernel; do
		dir=${dir%/kernel}
		echo "${dir##*/}"
	done
}

# same_crcs KERNEL: the consumer was built against the symbols of our module.
same_crcs()
{
	local file name crc

	file=$(module_of "$1" rdma_shim_consumer)
	[ -n "$file" ] || miss "no consumer for $1" || return
	grep -q '^CONFIG_MODVERSIONS=y' "$root/boot/config-$1" || return 0
	crc=$(inside modprobe --dump-modversions "$file" | grep rdma_shim_ib_map_mr_sg) ||
		miss "the consumer for $1 does not use ours" || return
	name=$(inside cat "/var/lib/rdma-shim/$1/Module.symvers" |
		awk '$2 == "rdma_shim_ib_map_mr_sg" { print $1 }')
	[ "${crc%%[[:space:]]*}" = "$name" ] ||
		miss "symbol versions differ for $1: $crc, published $name"
}

# snapshot: every file that a package may not leave behind or change, with
# what it contains; depmod's indexes are made anew each time.
snapshot()
{
	(cd "$root" && find etc usr lib/modules boot var/lib root -xdev \
		\( -path var/lib/apt -o -path var/lib/dpkg -o -path var/lib/systemd \
		   -o -path usr/share/man -o -path var/lib/rpm -o -path var/lib/dnf -o -path root/.rpmdb \
		   -o -name 'modules.*' -o -name 'mok.*' -o -name ld.so.cache \
		   -o -name resolv.conf -o -name 01autoremove-kernels \) -prune \
		-o \( -type f -o -type l \) -printf '%p %s %l\n' | LC_ALL=C sort)
}
