# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lab build-check: does the tree build against kernels that are not booted?
# Their headers lie in a layer of their own over the fitting root.

# headers_in ROOT: NAME PACKAGE FROM of each set that belongs to one root.
headers_in()
{
	local name from re which suite file package

	while read -r name from re which; do
		package=
		for suite in ${from//,/ }; do
			file=$(index "$suite") || exit 1
			package=$(awk -F '\t' -v re="^$re\$" '$1 ~ re { print $2, $1 }' "$file" | sort -V |
				{ if [ "$which" = oldest ]; then head -n 1; else tail -n 1; fi; } | cut -d ' ' -f 2)
			[ -n "$package" ] && break
		done
		echo "$name ${package:--} $suite"
	done < <(table "$LAB/headers" | awk -v r="$1" '$2 == r { print $1, $3, $4, $5 }')
}

# fetch_headers SUITE ROOT_DIR LIST OUT: OUT/up is the layer.
fetch_headers()
{
	local suite=$1 root=$2 list=$3 out=$4 work=$4.part log=$CACHE/log/headers-$1 t=$SECONDS
	local package from main opts

	[ -e "$out/up" ] && return
	rm -rf "$work"
	main=$(mirror_main) || exit 1
	layer_up "$root/root" "$work"
	chroot_prepare "$work/m"
	archives_in "$suite" "$work/m"
	: > "$log"
	awk '$2 != "-" { print $3 }' <<< "$list" | sort -u | while read -r from; do
		grep -q " $from main" "$work/m/etc/apt/sources.list" ||
			echo "deb $main $from main"
	done > "$work/m/etc/apt/sources.list.d/headers.list"
	printf 'Package: *\nPin: release n=sid\nPin-Priority: 90\n' \
		> "$work/m/etc/apt/preferences.d/lab"
	apt_in "$work/m" "$log" update
	while read -r _ package from; do
		[ "$package" != - ] || continue
		opts=()
		case $from in *-backports) opts=(-t "$from") ;; esac
		apt_in "$work/m" "$log" install "${opts[@]}" "$package"
	done <<< "$list"
	archives_out "$suite" "$work/m"
	chroot_done "$work/m"
	layer_down "$work"
	rm -rf "$out"
	mv "$work" "$out"
	took "$t" "headers for build checks in $suite"
}

# build_one ROOT NAME RELEASE COMMAND: one line of the outcome.
build_one()
{
	local root=$1 name=$2 release=$3 t=$SECONDS log=$CACHE/log/build-$2

	if in_root "$root" bash -c "$4" > "$log" 2>&1 && ! grep -E 'modpost.*undefined|warning: ' "$log"; then
		echo "pass $name ($release) in $((SECONDS - t)) s"
	else
		echo "fail $name ($release): $(first_error "$log") (log: $log)"
	fi
}

# build_in SUITE: everything that is to be built in one root.
build_in()
{
	local suite=$1 root list out work name package release

	root=$(root "$suite") && list=$(headers_in "$suite") || exit 1
	out=$CACHE/headers/$suite-$(cat "$root/inputs" - <<< "$list" | key)
	mkdir -p "$CACHE/headers"
	with_lock "headers-$suite" fetch_headers "$suite" "$root" "$list" "$out" >&2 || exit 1
	work=$CACHE/tmp/build-$suite-$LAB_ID.$BASHPID
	if overlay_works; then
		layer_up "$out/up:$root/root" "$work"
	else
		layer_up "$out/up" "$work"
	fi
	chroot_prepare "$work/m"
	export_tree "$work/m/var/tmp/tree"
	while read -r name package _; do
		if [ "$package" = - ]; then
			echo "skip $name: no suite of the mirror has its headers any more"
			continue
		fi
		release=${package#linux-headers-}
		build_one "$work/m" "$name" "$release" \
			"make -C /var/tmp/tree modules KVER=$release KDIR=/lib/modules/$release/build"
	done <<< "$list"
	read -r _ _ release _ <<< "$(grep '^kernel 7\.3 ' "$root/inputs")"
	[ -z "$release" ] || build_one "$work/m" consumer-without-us "$release" \
		"make -C /lib/modules/$release/build M=/var/tmp/tree/selftests/consumer modules"
	chroot_done "$work/m"
	layer_down "$work"
	rm -rf "$work"
}

build_or_fail()
{
	(build_in "$1") || echo "fail $1: its root or its headers could not be made"
}

build_check()
{
	local out t=$SECONDS

	need_space
	mkdir -p "$CACHE/tmp" "$CACHE/log"
	out=$CACHE/tmp/build-check.$LAB_ID.$BASHPID
	table "$LAB/headers" | awk '{ print $2 }' | sort -u | each build_or_fail | tee "$out"
	took "$t" "build check"
	awk '{ n[$1]++ } END {
		printf "\n%d passed, %d failed, %d skipped\n", n["pass"], n["fail"], n["skip"]
		exit n["fail"] > 0 || !n["pass"]
	}' "$out"
	t=$?
	rm -f "$out"
	return $t
}
