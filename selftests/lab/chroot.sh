# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Layers and chroots. All of it happens in the private mount and process
# namespace that ./lab put itself into, so whatever ends the run, nothing
# stays mounted and nothing keeps running.

# enter_namespace COMMAND...: runs it so, and does not return.
enter_namespace()
{
	[ -z "${LAB_INSIDE:-}" ] || return 0
	export LAB_INSIDE=1
	exec unshare --mount --propagation private --pid --fork --kill-child \
		--mount-proc "$@"
}

# overlay_works: can this machine put one folder over another?
overlay_works()
{
	local dir=$CACHE/tmp/overlay.$LAB_ID.$BASHPID ret

	[ -n "${LAB_OVERLAY:-}" ] && return "$((LAB_OVERLAY == 0))"
	mkdir -p "$dir/l" "$dir/u" "$dir/w" "$dir/m"
	mount -t overlay overlay -o "lowerdir=$dir/l,upperdir=$dir/u,workdir=$dir/w" "$dir/m" 2>/dev/null
	ret=$?
	umount "$dir/m" 2>/dev/null
	rm -rf "$dir"
	LAB_OVERLAY=$((ret == 0))
	return $ret
}

# layer_up ROOT WORK: WORK/m is ROOT, written through to WORK/up only.
# Without overlayfs WORK/up is a whole copy.
layer_up()
{
	local root=$1 work=$2

	mkdir -p "$work/up" "$work/work" "$work/m"
	if overlay_works; then
		mount -t overlay overlay -o \
			"lowerdir=$root,upperdir=$work/up,workdir=$work/work,redirect_dir=off,metacopy=off,index=off" \
			"$work/m" || die "cannot mount an overlay on $work/m."
	else
		cp -a "$root/." "$work/up/" || die "cannot copy $root: is the disk full?"
		mount --bind "$work/up" "$work/m"
	fi
}

layer_down()
{
	umount -R "$1/m" 2>/dev/null
	rm -rf "$1/work" "$1/m"
}

# chroot_prepare ROOT: what programs in there need from the outside.
chroot_prepare()
{
	local root=$1

	mount -t proc proc "$root/proc" || die "cannot mount /proc in $root."
	mount -t tmpfs tmpfs "$root/tmp" || die "cannot mount /tmp in $root."
	mount -t tmpfs tmpfs "$root/run" || die "cannot mount /run in $root."
	rm -f "$root/etc/resolv.conf"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
	grep -q "$(hostname)" "$root/etc/hosts" 2>/dev/null ||
		echo "127.0.0.1 localhost $(hostname)" > "$root/etc/hosts"
	printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
}

chroot_done()
{
	umount "$1/proc" "$1/tmp" "$1/run"
}

# archives_in SUITE ROOT: packages fetched before. Links in a folder of its
# own, because apt locks the folder it uses.
archives_in()
{
	local own=$CACHE/tmp/apt-$1-$LAB_ID.$BASHPID

	mkdir -p "$CACHE/apt/$1" "$own"
	find "$CACHE/apt/$1" -maxdepth 1 -name '*.deb' -exec ln -f -t "$own" {} +
	mount --bind "$own" "$2/var/cache/apt/archives" || die "cannot mount $own in $2."
}

# archives_out SUITE ROOT: keeps what was fetched now.
archives_out()
{
	local own=$CACHE/tmp/apt-$1-$LAB_ID.$BASHPID

	umount "$2/var/cache/apt/archives"
	find "$own" -maxdepth 1 -name '*.deb' -exec ln -f -t "$CACHE/apt/$1" {} +
	rm -rf "$own"
}

# in_root ROOT COMMAND...
in_root()
{
	local root=$1

	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive INITRD=No TMPDIR=/tmp \
		${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" "$@" < /dev/null
}
