# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Is a kernel log clean?

# klog_bad KIND FILE: prints the lines that fail it; KIND native may cause those
# of klog.native.
klog_bad()
{
	local patterns allowed=/dev/null

	patterns=$(mktemp) || return 1
	table "$LAB/klog.patterns" > "$patterns"
	case $1 in
	native)
		allowed=$(mktemp) || return 1
		table "$LAB/klog.native" > "$allowed"
		;;
	esac
	grep -aE -f "$patterns" "$2" | sed -E 's/^\[ *[0-9.]+\] //' | grep -avxE -f "$allowed"
	rm -f "$patterns"
	[ "$allowed" = /dev/null ] || rm -f "$allowed"
	return 0
}
