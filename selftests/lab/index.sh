# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which kernel packages does Debian offer today? A small index per suite,
# fetched once a day; an older one serves while the mirror is out of reach.

INDEX_HOURS=${INDEX_HOURS:-24}

# The kernel packages of one Packages file: name, version, what it needs, file.
index_filter()
{
	awk -v RS= -v FS='\n' -v OFS='\t' '/^Package: linux-(image|headers|source)-/ {
		name = version = needs = file = "-"
		for (i = 1; i <= NF; i++) {
			at = index($i, ": ")
			tag = substr($i, 1, at - 1)
			text = substr($i, at + 2)
			if (tag == "Package") name = text
			if (tag == "Version") version = text
			if (tag == "Depends") needs = text
			if (tag == "Filename") file = text
		}
		if (name !~ /-(dbg|unsigned)$/) print name, version, needs, file
	}'
}

fetch()
{
	curl -fsSL --retry 3 --connect-timeout 20 "$1"
}

# index SUITE: names the index file, which is made or refreshed first.
index()
{
	local suite=$1 file=$CACHE/index/$1 new=$CACHE/index/$1.$LAB_ID.$BASHPID url

	if [ -n "$(find "$file" -mmin "-$((INDEX_HOURS * 60))" 2>/dev/null)" ]; then
		echo "$file"
		return
	fi
	mkdir -p "$CACHE/index"
	url=$(suite_url "$suite") || exit 1
	url=$url/dists/$suite/main/binary-amd64/Packages.xz
	if (set -o pipefail; fetch "$url" | xz -dc | index_filter > "$new") 2> "$file.err" &&
	   [ -s "$new" ]; then
		mv "$new" "$file"
	elif [ -s "$file" ]; then
		say "could not fetch $url ($(head -n 1 "$file.err")): using the index of $(date -r "$file" +%F)"
		rm -f "$new"
	else
		rm -f "$new"
		die "could not fetch $url: $(head -n 1 "$file.err"). Is the mirror reachable? MIRROR= names another."
	fi
	echo "$file"
}

# newest FILE REGEX: name and version of the newest package called so.
newest()
{
	awk -F '\t' -v re="^$2\$" '$1 ~ re { print $2, $1 }' "$1" | sort -V | tail -n 1 |
		awk '{ print $2, $1 }'
}

# find_kernel KERNEL: its release (uname -r) and package version. The meta
# package is asked first; where it has moved on to the next series, the newest
# package of the series is taken.
find_kernel()
{
	local kernel=$1 from suite file meta re best=

	kernel_root "$kernel" > /dev/null || exit 1
	from=$(table "$LAB/kernels" | awk -v k="$kernel" '$1 == k { print $3 }')
	re="linux-image-${kernel//./[.]}[.][0-9][^ ]*[0-9]-amd64"
	for suite in ${from//,/ }; do
		file=$(index "$suite") || exit 1
		meta=$(awk -F '\t' '$1 == "linux-image-amd64" { print $2 "\t" $3 }' "$file" |
			sort -V | tail -n 1 | cut -f 2 | grep -oE -m 1 "^$re( |$)" | tr -d ' ')
		meta=${meta//./[.]}
		meta=${meta//+/[+]}
		best=$(newest "$file" "${meta:-$re}")
		[ -n "$best" ] && break
	done
	[ -n "$best" ] || die "no kernel $kernel in the suites $from of the mirror $(mirror_main)."
	echo "${best#linux-image-}"
}

# find_source SERIES VERSION: address of the source package of one build.
find_source()
{
	local suite file path url

	for suite in $(table "$LAB/kernels" | awk -v k="$1" '$1 == k { print $3 }' | tr ',' ' '); do
		file=$(index "$suite") || exit 1
		path=$(awk -F '\t' -v n="linux-source-$1" -v v="$2" \
			'$1 == n && $2 == v { print $4; exit }' "$file")
		[ -n "$path" ] || continue
		url=$(suite_url "$suite") || exit 1
		echo "$url/$path"
		return
	done
	return 1
}
