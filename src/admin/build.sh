# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # its variables are set in rdma-shim
#
# rdma-shim build and remove: what dkms is told, by everybody.

# Complete: the file, what consumers need, depmod ran, and dkms knows of it.
is_built()
{
	[ -n "$(module_file "$1")" ] && is_published "$1" &&
		grep -qs '^updates/dkms/rdma_shim\.ko' "$MODULES/$1/modules.dep" &&
		case $(readlink -f "$STATE/$1") in
		"$(readlink -f "$DKMS/$VERSION")"/*) true ;;
		*) false ;;
		esac
}

# The sentence in the log of the last failed build, if it was for kernel $1.
build_failure()
{
	for log in "$DKMS"/*/build/make.log; do
		grep -qs "for kernel $1 " "$log" || continue
		grep -m 1 '^rdma-shim: [^w]' "$log" ||
			grep -m 1 -E 'error|Error' "$log" ||
			echo "see $log"
		return
	done
}

# An interrupted dkms leaves pieces that it then takes for a finished build.
forget_pieces()
{
	rm -rf "${DKMS:?}/$VERSION/build"
	for dir in "$DKMS/$VERSION/$1"/*/; do
		[ -d "$dir" ] || continue
		dkms remove -m rdma-shim -v "$VERSION" -k "$1" > /dev/null 2>&1
		rm -rf "${DKMS:?}/$VERSION/$1"
		break
	done
	dir=$MODULES/$1/updates/dkms
	rm -f "$dir"/rdma_shim.ko* "$dir"/svcrdma_shim.ko*
	# Removing the last kernel makes older dkms forget the source as well.
	add_source
}

add_source()
{
	[ -e "$DKMS/$VERSION/source/dkms.conf" ] && return
	rm -rf "${DKMS:?}/$VERSION"
	dkms add -m rdma-shim -v "$VERSION" > /dev/null ||
		die "dkms does not take /usr/src/rdma-shim-$VERSION."
}

build_one()
{
	kernel=$1

	if [ -z "$again" ] && is_built "$kernel"; then
		say "kernel $kernel: already built."
		return 0
	fi
	if ! has_headers "$kernel"; then
		say "kernel $kernel: no headers, so nothing was built; install linux-headers-$kernel and it will be."
		return 0
	fi
	forget_pieces "$kernel"
	echo "rdma-shim: building for kernel $kernel."
	# dkms' exit codes mean different things in each version; what counts
	# is what is there afterwards.
	output=$(dkms install -m rdma-shim -v "$VERSION" -k "$kernel" 2>&1)
	if is_built "$kernel"; then
		say "kernel $kernel: built."
		return 0
	fi
	why=$(build_failure "$kernel")
	echo "rdma-shim: the build for kernel $kernel failed: ${why:-$(echo "$output" | tail -n 1)}" >&2
	echo "rdma-shim: once that is put right, type: rdma-shim build $kernel" >&2
	return 1
}

say()
{
	[ -n "$quiet" ] || echo "rdma-shim: $*"
}

build()
{
	need_root build
	command -v dkms > /dev/null || die "dkms is not installed."
	quiet=
	again=
	case ${1:-} in
	--quiet)
		quiet=1
		shift
		[ ! -e /etc/dkms/no-autoinstall ] || exit 0
		;;
	--again)
		again=1
		shift
		;;
	esac
	for kernel; do
		[ -d "$MODULES/$kernel" ] || die "no kernel $kernel is installed; there is: $(installed_kernels | tr '\n' ' ')"
	done
	add_source
	# shellcheck disable=SC2046 # one kernel a word
	[ $# -gt 0 ] || set -- $(installed_kernels)
	[ $# -gt 0 ] || say "no kernel is installed here (a container or chroot?); each one that comes with headers will be built for."
	failed=0
	for kernel; do
		build_one "$kernel" || failed=1
	done
	return $failed
}

# Takes this version out of dkms, or all with --all. Never half: what dkms
# leaves after an interrupted run goes too.
remove()
{
	need_root remove
	versions=$VERSION
	if [ "${1:-}" = --all ]; then
		versions=$(for dir in "$DKMS"/*/source; do
			dir=${dir%/source}
			echo "${dir##*/}"
		done)
	fi
	for version in $versions; do
		[ -e "$DKMS/$version" ] || continue
		dkms remove -m rdma-shim -v "$version" --all > /dev/null 2>&1
		rm -rf "${DKMS:?}/$version"
	done
	remove_orphans
}

# Does dkms have a version installed for kernel $1? Its link is named
# kernel-KERNEL-ARCH, and an ARCH has no dash.
has_version()
{
	for link in "$DKMS/kernel-$1"-*; do
		case ${link#"$DKMS/kernel-$1-"} in *-*) continue ;; esac
		[ ! -e "$link" ] || return 0
		rm -f "$link"
	done
	return 1
}

# Files and links that belong to no version any more.
remove_orphans()
{
	for dir in "$MODULES"/*/updates/dkms; do
		kernel=${dir%/updates/dkms}
		kernel=${kernel##*/}
		has_version "$kernel" && continue
		rm -f "$STATE/$kernel"
		[ -n "$(module_file "$kernel")" ] || continue
		rm -f "$dir"/rdma_shim.ko* "$dir"/svcrdma_shim.ko*
		rmdir --ignore-fail-on-non-empty -p "$dir" 2> /dev/null
		depmod "$kernel"
	done
	rmdir --ignore-fail-on-non-empty "$DKMS" "$STATE" 2> /dev/null
	return 0
}
