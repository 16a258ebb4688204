#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The module loads on this kernel, says so in one line, and leaves.

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/tap.sh"

module=rdma_shim

lines()
{
	dmesg | grep -c "$module [0-9][^ ]* on $(uname -r):"
}

agrees()
{
	[ "$(cat "/sys/module/$module/version")" = "$(modinfo -F version "$module")" ]
}

leaves()
{
	modprobe -r "$module" && ! [ -d "/sys/module/$module" ]
}

[ "$(id -u)" = 0 ] || tap_skip "loading a module needs root"
modinfo "$module" > /dev/null 2>&1 ||
	tap_skip "$module is not installed for kernel $(uname -r)"
tap_begin
modprobe -r "$module" 2> /dev/null
before=$(lines)
ok "$module loads" modprobe "$module"
ok "it says in one line what is ours and what is native" \
	test $(($(lines) - before)) = 1
dmesg | grep "$module" | tail -n 3 | sed 's/^/# /'
ok "the version it was built with is the version that runs" agrees
ok "it unloads" leaves
tap_finish
