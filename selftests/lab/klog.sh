# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Is a kernel log clean?

# klog_lines FILE: without time stamps; a warning of the workqueues in one line
# with what it is about, which stands before it.
klog_lines()
{
	sed -E 's/^\[ *[0-9.]+\] //' "$1" | awk '
		about && /^WARNING: / { $0 = $0 " (" about ")"; about = "" }
		about { print about; about = "" }
		/^workqueue: / { about = $0; next }
		{ print }
		END { if (about) print about }'
}

# klog_bad KIND FILE: prints the lines that fail it. klog.stock has those that
# stock drivers cause by themselves; KIND native may cause those of klog.native.
klog_bad()
{
	local patterns allowed

	patterns=$(mktemp) && allowed=$(mktemp) || return 1
	table "$LAB/klog.patterns" > "$patterns"
	table "$LAB/klog.stock" > "$allowed"
	[ "$1" != native ] || table "$LAB/klog.native" >> "$allowed"
	klog_lines "$2" | grep -aE -f "$patterns" | grep -avxE -f "$allowed"
	rm -f "$patterns" "$allowed"
	return 0
}
