# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# siw for kernels that do not ship it, built from the source package of the
# very same build. Kept in the cache; only a file that is there counts.

siw_file()
{
	echo "$CACHE/siw/$1-$2.ko"
}

# shipped_siw ROOT KVER
shipped_siw()
{
	[ -n "$(find "$1/lib/modules/$2/kernel" -name 'siw.ko*' 2>/dev/null)" ]
}

# fetch_source SERIES VERSION FILE
fetch_source()
{
	local url

	[ -s "$3" ] && return
	url=$(find_source "$1" "$2") || { echo "the mirror has no linux-source-$1 $2"; return 1; }
	mkdir -p "$(dirname "$3")"
	say "fetching linux-source-$1 $2"
	fetch "$url" > "$3.part" 2> "$3.err" || { echo "could not fetch $url"; return 1; }
	mv "$3.part" "$3"
}

# make_siw SERIES VERSION KVER ROOT OUT: prints the reason when it cannot.
make_siw()
{
	local series=$1 version=$2 kver=$3 root=$4 out=$5 t=$SECONDS deb work log=$CACHE/log/siw-$3 ret

	[ -s "$out" ] && return
	deb=$CACHE/src/linux-source-${series}_$version.deb
	fetch_source "$series" "$version" "$deb" || return 1
	work=$CACHE/tmp/siw-$kver
	rm -rf "$work"
	layer_up "$root/root" "$work"
	chroot_prepare "$work/m"
	: > "$work/m/var/tmp/source.deb"
	mount --bind "$deb" "$work/m/var/tmp/source.deb"
	in_root "$work/m" bash -ec "
		mkdir /tmp/s && cd /tmp/s
		dpkg-deb --fsys-tarfile /var/tmp/source.deb |
			tar -xO ./usr/src/linux-source-$series.tar.xz | xz -T0 -dc |
			tar -x --wildcards --strip-components=1 '*/drivers/infiniband/sw/siw/*'
		make -C /lib/modules/$kver/build M=/tmp/s/drivers/infiniband/sw/siw CONFIG_RDMA_SIW=m modules
		cp /tmp/s/drivers/infiniband/sw/siw/siw.ko /var/tmp/" > "$log" 2>&1
	ret=$?
	mkdir -p "$CACHE/siw"
	[ $ret = 0 ] && cp "$work/m/var/tmp/siw.ko" "$out.part" && mv "$out.part" "$out"
	umount "$work/m/var/tmp/source.deb"
	chroot_done "$work/m"
	layer_down "$work"
	rm -rf "$work"
	[ $ret = 0 ] || { echo "siw does not build for $kver: $(first_error "$log")"; return 1; }
	took "$t" "siw for $kver"
}

# siw_missing KERNEL ROOT_DIR: why there is no siw for it; nothing when there is.
siw_missing()
{
	local kver version out

	read -r _ _ kver version <<< "$(grep "^kernel $1 " "$2/inputs")"
	shipped_siw "$2/root" "$kver" && return
	out=$(siw_file "$kver" "$version")
	[ -s "$out" ] || with_lock "siw-$kver" make_siw "$1" "$version" "$kver" "$2" "$out"
}

# siw_ready ROOT_DIR KERNEL...: builds what is missing; names the files there are.
siw_ready()
{
	local root=$1 kernel kver version why out

	shift
	for kernel; do
		read -r _ _ kver version <<< "$(grep "^kernel $kernel " "$root/inputs")"
		why=$(siw_missing "$kernel" "$root")
		[ -z "$why" ] || say "no siw for $kver: $why"
		out=$(siw_file "$kver" "$version")
		[ ! -s "$out" ] || echo "$kver $out"
	done
}

# siw_into ROOT_DIR TARGET KERNEL...: puts them where modprobe finds them.
siw_into()
{
	local root=$1 target=$2 kver file

	shift 2
	while read -r kver file; do
		mkdir -p "$target/lib/modules/$kver/extra"
		cp "$file" "$target/lib/modules/$kver/extra/siw.ko"
		in_root "$target" depmod "$kver"
	done < <(siw_ready "$root" "$@")
}
