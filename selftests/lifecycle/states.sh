# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run and report.sh
#
# A system is a pile of layers: the lab's root file system at the bottom, and
# on it what each event changed. An event begins from the state that another
# one left, which is named in the plan, so any event can be run alone, and
# what a change does not reach is not repeated:
#
#	base -- ready -- install -+- upgrade -- downgrade
#	                          +- consumer -- new-kernel
#	                          +- remove, purge, ...

# inside COMMAND...: in the system under test.
inside()
{
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No TMPDIR=/tmp \
		${RDMA_SHIM_RUNNING:+RDMA_SHIM_RUNNING="$RDMA_SHIM_RUNNING"} \
		${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" "$@" < /dev/null
}

# hash_of PATTERN: of the tree's files whose names match.
hash_of()
{
	(cd "$TREE" && tree_files | grep -E "$1" | tr '\n' '\0' | xargs -0 sha256sum) | key
}

# text_of FUNCTION: its text, and that of every function it comes to call.
text_of()
{
	local left=("$1") seen=" $1 " text word

	while [ ${#left[@]} -gt 0 ]; do
		text=$(declare -f "${left[0]}")
		left=("${left[@]:1}")
		echo "$text"
		while read -r word; do
			[[ $seen != *" $word "* ]] || continue
			declare -F "$word" > /dev/null || continue
			seen+="$word "
			left+=("$word")
		done < <(grep -oE '(^|[[:space:](])[a-z_][a-z0-9_-]+' <<< "$text" | tr -d '( \t' | sort -u)
	done
}

# state_key AFTER FUNCTION...: what the outcome of an event depends on.
state_key()
{
	{
		echo "$1 ${state[$system,$1]:-$base} ${*:2}"
		[ "$1" = base ] || echo "$packages"
		text_of "$2"
	} | key
}

# layers AFTER: the folders of that state, topmost first.
layers()
{
	if [ "$1" = base ]; then
		echo "$base/root"
	else
		echo "${state[$system,$1]}/up:$(layers "${plan_after[$system,$1]}")"
	fi
}

# state_up AFTER DIR: $root is that system; what changes is kept in DIR/up.
state_up()
{
	local below

	below=$(layers "$1")
	overlay_works || below=${below%%:*}
	layer_up "$below" "$2"
	root=$2/m
	chroot_prepare "$root"
	archives_in "$suite" "$root"
	mkdir -p "$CACHE/ccache/$suite" "$root/var/cache/ccache"
	mount --bind "$CACHE/ccache/$suite" "$root/var/cache/ccache" ||
		die "cannot mount $CACHE/ccache/$suite in $root."
}

# What is still in use keeps its mount, and is not reached by rm.
state_down()
{
	archives_out "$suite" "$root"
	umount -R "$root" 2> /dev/null || umount -R -l "$root"
	rmdir "$1/m"
	rm -rf --one-file-system "$1/work"
}

# forget_states: those that no run has used for a day.
forget_states()
{
	local dir

	for dir in "$CACHE"/lifecycle/*/; do
		[ -n "$(find "$dir" -maxdepth 0 -mmin +1440)" ] || continue
		rm -rf --one-file-system "$dir"
	done
}
