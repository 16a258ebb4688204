# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every part of the lab needs: where things are, how to speak, how to
# stop, how to lock. Sourced by ./lab.

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TREE=${TREE:-$(cd "$LAB/../.." && pwd)}
CACHE=${CACHE:-/var/cache/rdma-shim}
# Names this run: process numbers begin anew in the namespace it enters.
export LAB_ID=${LAB_ID:-$$}

say()
{
	echo "lab: $*" >&2
}

# die SENTENCE: what is wrong and what to do next.
die()
{
	echo "lab: $*" >&2
	exit 1
}

# took SECONDS_AT_START WHAT: the minutes of one stage, for people and for CI.
took()
{
	local s=$((SECONDS - $1))

	shift
	say "$(printf '%s took %d:%02d' "$*" $((s / 60)) $((s % 60)))"
}

need_root()
{
	[ "$(id -u)" = 0 ] ||
		die "making and booting guests needs root (chroot and mount): run it with sudo."
}

# MiB for all roots and images of an empty cache, or for one run of a full one.
need_space()
{
	local have need=12000

	[ ! -e "$CACHE/ready" ] || need=3000
	mkdir -p "$CACHE" || die "cannot make $CACHE: name another folder with CACHE=."
	have=$(df -Pm "$CACHE" | awk 'NR == 2 { print $4 }')
	[ "${have:-0}" -ge "$need" ] ||
		die "$CACHE has $have MiB free and $need are needed: free some, or name another disk with CACHE=."
}

# need_tools COMMAND:DEB:RPM...: installs what is missing, and says so.
need_tools()
{
	local spec cmd deb rpm debs=() rpms=()

	for spec; do
		IFS=: read -r cmd deb rpm <<< "$spec"
		command -v "$cmd" > /dev/null && continue
		debs+=("$deb")
		rpms+=("${rpm:-$deb}")
	done
	[ ${#debs[@]} -gt 0 ] || return 0
	mkdir -p "$CACHE/log"
	if command -v apt-get > /dev/null; then
		say "installing on this machine with apt: ${debs[*]}"
		{ apt-get update && DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "${debs[@]}"
		} > "$CACHE/log/tools" 2>&1 < /dev/null
	elif command -v dnf > /dev/null; then
		say "installing on this machine with dnf: ${rpms[*]}"
		dnf install -y "${rpms[@]}" > "$CACHE/log/tools" 2>&1
	else
		die "needs ${debs[*]}, and neither apt-get nor dnf is here: install them by hand."
	fi || die "could not install ${debs[*]}: $(tail -n 1 "$CACHE/log/tools") (log: $CACHE/log/tools)"
}

# sweep: what killed runs left behind, half a day later.
sweep()
{
	find "$CACHE/tmp" "$CACHE/run" "$CACHE/tree" -mindepth 1 -maxdepth 1 -mmin +720 \
		-exec rm -rf {} + 2>/dev/null
	mkdir -p "$CACHE/tmp" "$CACHE/log"
}

# One name for a set of inputs read from stdin.
key()
{
	sha256sum | cut -c1-16
}

# with_lock NAME COMMAND...: one at a time on this machine. The lock goes with
# the process, so a killed run leaves nothing to clean.
with_lock()
{
	local name=$1 fd

	shift
	mkdir -p "$CACHE/lock"
	exec {fd}> "$CACHE/lock/$name"
	if ! flock -n "$fd"; then
		say "waiting for another run that holds $name"
		flock "$fd"
	fi
	"$@"
	local ret=$?
	exec {fd}>&-
	return $ret
}

# table FILE: a list without its comments.
table()
{
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"
}

# kernel_root KERNEL: the Debian suite whose root has that kernel.
kernel_root()
{
	table "$LAB/kernels" | awk -v k="$1" '$1 == k { print $2; ok = 1 } END { exit !ok }' ||
		die "unknown kernel '$1': KERNELS= takes any of $(table "$LAB/kernels" | awk '{ print $1 }' | xargs)."
}

# root_kernels SUITE: the kernels that live in one root.
root_kernels()
{
	table "$LAB/kernels" | awk -v s="$1" '$2 == s { print $1 }'
}
