# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# One root file system per Debian suite: a folder that chroots are layered
# on, and the same as a disk image. Named by a hash of all that went in.

# wanted_kernels SUITE: those of its kernels that this root is to have.
wanted_kernels()
{
	local k

	for k in $(root_kernels "$1"); do
		table "$LAB/kernels" | grep -qE "^${k}[[:space:]].*on-request" &&
			[[ " ${EXTRA_KERNELS:-} " != *" $k "* ]] && continue
		echo "$k"
	done
}

# packages_of SUITE
packages_of()
{
	table "$LAB/packages" | awk -v s="$1" 'NF == 1 || index("," $2 ",", "," s ",") { print $1 }' | sort
}

# root_inputs SUITE: everything a root is made of.
root_inputs()
{
	local suite=$1 k found

	echo "recipe 1 $suite"
	packages_of "$suite"
	for k in $(wanted_kernels "$suite"); do
		found=$(find_kernel "$k") || exit 1
		echo "kernel $k $found"
	done
}

# sources SUITE: apt's list in that root.
sources()
{
	local main security suite=$1

	main=$(mirror_main) && security=$(mirror_security) || exit 1
	echo "deb $main $suite main"
	echo "deb $security $suite-security main"
	for from in $(table "$LAB/kernels" | awk -v s="$suite" '$2 == s { print $3 }' | tr ',' '\n' | sort -u); do
		case $from in *-backports) echo "deb $main $from main" ;; esac
	done
}

# bootstrap SUITE DIR: a minimal Debian.
bootstrap()
{
	local suite=$1 dir=$2 main log=$CACHE/log/bootstrap-$1 include=()

	main=$(mirror_main) || exit 1
	case $main in https:*) include=(--include=ca-certificates) ;; esac
	mkdir -p "$CACHE/apt/$suite"
	debootstrap --variant=minbase "${include[@]}" --cache-dir="$CACHE/apt/$suite" \
		--keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
		"$suite" "$dir" "$main" > "$log" 2>&1 < /dev/null ||
		die "could not make a Debian $suite from $main: $(grep -E '^(E|W):' "$log" | tail -n 1 || tail -n 1 "$log") (log: $log)"
}

# apt_in ROOT LOG ARGUMENTS...
apt_in()
{
	local root=$1 log=$2

	shift 2
	in_root "$root" apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >> "$log" 2>&1 ||
		die "apt-get $1 failed in $root: $(grep -m 1 -E '^(E|Err):?' "$log" || tail -n 1 "$log") (log: $log)"
}

# furnish SUITE DIR: packages and kernels.
furnish()
{
	local suite=$1 dir=$2 log=$CACHE/log/furnish-$1 k kver from

	: > "$log"
	sources "$suite" > "$dir/etc/apt/sources.list"
	apt_settings > "$dir/etc/apt/apt.conf.d/90lab"
	printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/locale/*' \
		'path-exclude=/usr/share/doc/*' 'path-include=/usr/share/doc/rdma-shim*' \
		> "$dir/etc/dpkg/dpkg.cfg.d/lab"
	chroot_prepare "$dir"
	archives_in "$suite" "$dir"
	apt_in "$dir" "$log" update
	# shellcheck disable=SC2046
	apt_in "$dir" "$log" install $(packages_of "$suite")
	for k in $(wanted_kernels "$suite"); do
		read -r kver _ <<< "$(find_kernel "$k")"
		from=$(table "$LAB/kernels" | awk -v k="$k" '$1 == k { print $3 }')
		case $from in *-backports*) from=(-t "$suite-backports") ;; *) from=() ;; esac
		apt_in "$dir" "$log" install "${from[@]}" "linux-image-$kver" "linux-headers-$kver"
	done
	archives_out "$suite" "$dir"
	rm -rf "$dir"/var/lib/apt/lists/*
	chroot_done "$dir"
}

# disk_image FOLDER FILE LABEL: that folder as an ext4 file system.
disk_image()
{
	local size

	size=$(du -sm --apparent-size "$1" | cut -f1)
	size=$((size + size / 4 + 64))
	rm -f "$2.part"
	mke2fs -q -t ext4 -O '^has_journal' -m 0 -N $((size * 128)) -L "$3" \
		-d "$1" "$2.part" "${size}M" > "$2.log" 2>&1 ||
		die "could not make a disk image from $1: $(tail -n 1 "$2.log")"
	rm -f "$2.log"
	mv "$2.part" "$2"
}

# make_root SUITE DIR: all of it, then the name that makes it valid.
make_root()
{
	local suite=$1 dir=$2 t=$SECONDS

	[ -e "$dir/done" ] && return
	need_space
	rm -rf "$dir.part"
	mkdir -p "$dir.part/root" "$CACHE/log"
	say "making the Debian $suite root (log: $CACHE/log/furnish-$suite)"
	bootstrap "$suite" "$dir.part/root"
	took "$t" "debootstrap of $suite"
	t=$SECONDS
	furnish "$suite" "$dir.part/root"
	took "$t" "packages of $suite"
	t=$SECONDS
	disk_image "$dir.part/root" "$dir.part/disk" root
	took "$t" "disk image of $suite"
	root_inputs "$suite" > "$dir.part/inputs"
	touch "$dir.part/done"
	rm -rf "$dir"
	mv "$dir.part" "$dir"
	forget_roots "$suite" "$dir"
}

# Roots that no one has used for two days make place.
forget_roots()
{
	local old

	for old in "$CACHE/root/$1"-*; do
		if [ "$old" != "$2" ] && [ -e "$old/done" ] &&
		   [ -z "$(find "$old/done" -mtime -2)" ]; then
			rm -rf "$old"
		fi
	done
}

# root SUITE: names the folder, which is made first where it is missing.
root()
{
	local suite=$1 inputs dir

	inputs=$(root_inputs "$suite") || exit 1
	dir=$CACHE/root/$suite-$(key <<< "$inputs")
	mkdir -p "$CACHE/root"
	[ -e "$dir/done" ] || with_lock "root-$suite" make_root "$suite" "$dir" >&2 || exit 1
	touch -c "$dir/done"
	echo "$dir"
}
