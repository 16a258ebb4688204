# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # settings for test.sh
#
# What developers type: lab shell-cmd (boots a guest with this tree, runs one
# command line in it), lab image, lab run.

shell_usage()
{
	cat <<-END
	usage: lab shell-cmd [--bare] [--time SECONDS] [--klog] KERNEL 'COMMANDS'
	  --bare   the Debian root only, without this tree's modules
	  --time   limit, default 300
	  --klog   print the whole kernel log afterwards, not only what fails
	END
}

shell_cmd()
{
	local bare='' limit=300 klog='' kernel suite root tree=- dir ret

	while :; do
		case ${1:-} in
		--bare) bare=1 ;;
		--time) limit=$2; shift ;;
		--klog) klog=1 ;;
		*) break ;;
		esac
		shift
	done
	[ $# = 2 ] || { shell_usage >&2; exit 2; }
	kernel=$1
	suite=$(kernel_root "$kernel") || exit 1
	EXTRA_KERNELS+=" $kernel"
	root=$(root "$suite") || exit 1
	[ -n "$bare" ] || tree=$(tree_disk "$suite" "$root" "$kernel") || exit 1
	dir=$CACHE/run/shell-$(date +%s)-$LAB_ID.$BASHPID
	guest_start "$dir" "$kernel" "$root" "$tree"
	if ! guest_wait_ready; then
		guest_kill
		guest_last_words
		die "the guest with kernel $kernel did not boot (console: $dir/console)."
	fi
	GUEST_ECHO=1 guest_run shell "$limit" "$2" "$dir/out" "$dir/klog"
	ret=$?
	[ -z "$klog" ] || cat "$dir/klog" >&2
	klog_bad shell "$dir/klog" | sed 's/^/lab: kernel log| /' >&2
	case $ret in
	0)
		guest_stop
		rm -rf "$dir"
		exit "${GUEST_CODE:-1}"
		;;
	1)
		guest_kill
		guest_last_words
		die "the guest died (console: $dir/console)."
		;;
	*)
		guest_kill
		guest_last_words
		die "the guest was killed: its command took more than $limit seconds (console: $dir/console)."
		;;
	esac
}

# image KERNEL: makes what a guest of that kernel boots from, and names it.
image()
{
	local suite root

	[ $# = 1 ] || die "usage: lab image KERNEL"
	EXTRA_KERNELS+=" $1"
	suite=$(kernel_root "$1") && root=$(root "$suite") || exit 1
	echo "$root/disk"
	tree_disk "$suite" "$root" "$1"
}

# run_options: lab run in words of make kselftest.
run_options()
{
	KERNELS='' DEVICES='' SUITES=''
	while [ $# -gt 0 ]; do
		[ $# -ge 2 ] || die "$1 needs a value."
		case $1 in
		--kernel) KERNELS+="${KERNELS:+ }$2" ;;
		--device) DEVICES+="${DEVICES:+ }$2" ;;
		--suite) SUITES+="${SUITES:+ }$2" ;;
		*) die "unknown option '$1': lab run takes --kernel, --device and --suite." ;;
		esac
		shift 2
	done
}
