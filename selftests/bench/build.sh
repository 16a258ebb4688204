#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: build.sh KERNEL
#
# What a build by dkms takes, as wall time: the package, its probes alone, and a
# module with nothing in it; LONG=1 for three rounds of each. Installs the files
# of the tree it lies in, so it is for a root that is thrown away afterwards. The
# kernel need not be the running one.

RS_HERE=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=selftests/tap.sh
. "$RS_HERE/tap.sh"

kernel=$1
rounds=1
[ -z "${LONG:-}" ] || rounds=3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"; dkms remove -m rdma-shim-empty -v 1 --all > /dev/null 2>&1; rm -rf /usr/src/rdma-shim-empty-1' EXIT

# timed COMMAND...: milliseconds.
timed()
{
	local start=${EPOCHREALTIME/./}

	"$@" > "$work/log" 2>&1 < /dev/null || { tail -n 3 "$work/log" >&2; return 1; }
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}

empty_module()
{
	local dir=/usr/src/rdma-shim-empty-1

	mkdir -p "$dir"
	cat > "$dir/dkms.conf" <<-END
	PACKAGE_NAME="rdma-shim-empty"
	PACKAGE_VERSION="1"
	MAKE[0]="make -C \$kernel_source_dir M=\$dkms_tree/rdma-shim-empty/1/build modules"
	CLEAN="true"
	BUILT_MODULE_NAME[0]="empty"
	DEST_MODULE_LOCATION[0]="/updates/dkms"
	END
	echo 'obj-m := empty.o' > "$dir/Makefile"
	printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' > "$dir/empty.c"
	dkms add -m rdma-shim-empty -v 1
}

# dkms_build NAME VERSION: from nothing.
dkms_build()
{
	dkms remove -m "$1" -v "$2" -k "$kernel" > /dev/null 2>&1
	[ -e "/var/lib/dkms/$1/$2/source" ] || dkms add -m "$1" -v "$2" > /dev/null
	timed dkms build -m "$1" -v "$2" -k "$kernel"
}

probe_alone()
{
	rm -rf "$work/probe"
	KVER=$kernel timed "/usr/src/rdma-shim-$version/src/probe/run" \
		"/lib/modules/$kernel/build" "$work/probe"
}

# rounds_of COMMAND...: the middle, the least and the most.
rounds_of()
{
	local i

	for ((i = 0; i < rounds; i++)); do
		"$@" || return
	done | sort -n | awk -v n=$rounds '{ v[NR] = $1 }
		END { if (NR < n) exit 1; print v[int((NR + 1) / 2)], v[1], v[NR] }'
}

tap_begin
if [ "$#" != 1 ] || [ ! -e "$RS_HERE/../dkms.conf" ]; then tap_skip "needs a kernel's name, and the source tree around it"; fi
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$RS_HERE/../dkms.conf")
"$RS_HERE/../src/admin/install-files" / > "$work/log" 2>&1 || tap_skip "the package's files cannot be installed"
empty_module > "$work/log" 2>&1 || tap_skip "dkms does not take an empty module"
empty=$(rounds_of dkms_build rdma-shim-empty 1)
tap_result $? "an empty module"
ours=$(rounds_of dkms_build rdma-shim "$version")
tap_result $? "the package"
probes=$(rounds_of probe_alone)
tap_result $? "its probes"
[ -z "$ours" ] || [ -z "$empty" ] || echo "# bench build dkms ours $ours empty $empty"
[ -z "$probes" ] || [ -z "$empty" ] || echo "# bench build probes ours $probes empty $empty"
tap_finish
