#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The module loads on this kernel, says so in one line, and leaves.

module=rdma_shim
count=0
failed=0

ok()
{
	count=$((count + 1))
	echo "ok $count - $*"
}

not_ok()
{
	count=$((count + 1))
	failed=1
	echo "not ok $count - $*"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

lines()
{
	dmesg | grep -c "$module [0-9][^ ]* on $(uname -r):"
}

echo "TAP version 13"
[ "$(id -u)" = 0 ] || skip_all "loading a module needs root"
modinfo "$module" > /dev/null 2>&1 ||
	skip_all "$module is not installed for kernel $(uname -r)"
echo "1..4"

modprobe -r "$module" 2> /dev/null
before=$(lines)
if modprobe "$module"; then ok "$module loads"; else not_ok "$module loads"; fi

if [ $(($(lines) - before)) = 1 ]; then
	ok "it says in one line what is ours and what is native"
else
	not_ok "it says in one line what is ours and what is native"
	dmesg | grep "$module" | tail -n 3 | sed 's/^/# /'
fi

if [ "$(cat "/sys/module/$module/version")" = "$(modinfo -F version "$module")" ]; then
	ok "the version it was built with is the version that runs"
else
	not_ok "the version it was built with is the version that runs"
fi

if modprobe -r "$module" && ! [ -d "/sys/module/$module" ]; then
	ok "it unloads"
else
	not_ok "it unloads"
fi
exit $failed
