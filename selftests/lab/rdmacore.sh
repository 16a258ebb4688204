# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# rdma-core's own tests of on-demand paging, which no binary package has: from
# the source of the very version that a root has. They run where the kernel's
# rxe has on-demand paging, and are left out where they cannot be fetched.

RDMA_CORE_KERNELS="7.2 7.3"

# rdma_core_tests ROOT_DIR KERNEL...: names the source, which is fetched first;
# nothing when none of the kernels has a use for it or it is not to be had.
rdma_core_tests()
{
	local root=$1 kernel wanted='' version file url

	shift
	for kernel; do
		[[ " $RDMA_CORE_KERNELS " != *" $kernel "* ]] || wanted=$kernel
	done
	[ -n "$wanted" ] || return 0
	version=$(awk '/^Package: python3-pyverbs$/ { on = 1 }
		on && /^Version: / { sub(/-[^-]*$/, "", $2); print $2; exit }' \
		"$root/root/var/lib/dpkg/status")
	file=$CACHE/src/rdma-core_$version.orig.tar.gz
	if [ ! -s "$file" ]; then
		url=$(mirror_main)/pool/main/r/rdma-core/${file##*/} || return 0
		mkdir -p "$CACHE/src"
		if ! fetch "$url" > "$file.$LAB_ID" 2> "$file.err"; then
			say "no tests of rdma-core: could not fetch $url"
			return 0
		fi
		mv "$file.$LAB_ID" "$file"
	fi
	echo "$file"
}

# rdma_core_into ROOT_DIR TARGET KERNEL...: beside our programs. Only the tests
# of on-demand paging, and what they share with the others.
rdma_core_into()
{
	local root=$1 target=$2 file dir

	shift 2
	file=$(rdma_core_tests "$root" "$@")
	[ -n "$file" ] || return 0
	dir=$target$SELFTESTS/rdma-core
	mkdir -p "$dir"
	tar -xzf "$file" -C "$dir" --strip-components=1 --wildcards '*/tests/*.py'
	find "$dir/tests" -name 'test_*.py' ! -name test_odp.py -delete
}
