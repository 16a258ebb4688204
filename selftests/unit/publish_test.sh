#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What dkms' hooks publish for consumers, in a tree like dkms', and what
# consumer.mk makes of it.
# shellcheck disable=SC2016 # makefile text

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS
export RDMA_SHIM_STATE="$tmp/lib/rdma-shim"
dkms=$tmp/lib/dkms/rdma-shim
tap_said=$tmp/said

# built VERSION KERNEL: as dkms after a build.
built()
{
	build=$dkms/$1/build
	mkdir -p "$build/src/generated/rdma-shim" "$build/src/generated/probe" \
		"$build/src/admin" "$dkms/$1/$2/x86_64/module"
	cp "$top/src/admin/dkms-hook" "$build/src/admin/"
	echo "symbols of $1" > "$build/src/Module.symvers"
	echo "answers for $2" > "$build/src/generated/rdma-shim/config.h"
	echo log > "$build/src/generated/probe/log"
	(cd "$build" && "$build/src/admin/dkms-hook" built "$2" x86_64) \
		> "$tmp/said" 2>&1
	mkdir -p "$dkms/$1/source/src/admin"
	mv "$build/src/admin/dkms-hook" "$dkms/$1/source/src/admin/"
	rm -rf "$build"
}

# sync VERSION: what POST_INSTALL and POST_REMOVE of that version do.
sync_state()
{
	"$dkms/$1/source/src/admin/dkms-hook" sync > "$tmp/said" 2>&1
}

installed()
{
	ln -sfn "$1/$2/x86_64" "$dkms/kernel-$2-x86_64"
	sync_state "$1"
}

removed()
{
	rm -f "$dkms/kernel-$2-x86_64"
	sync_state "$1"
	rm -rf "${dkms:?}/$1/$2"
}

state()
{
	cat "$RDMA_SHIM_STATE/$1/$2" 2> /dev/null
}

tap_begin

built 1.0 6.1
ok 'a build alone publishes nothing' test ! -e "$RDMA_SHIM_STATE"
installed 1.0 6.1
ok 'installation publishes the symbols' test "$(state 6.1 Module.symvers)" = 'symbols of 1.0'
ok 'and the answers' test "$(state 6.1 config.h)" = 'answers for 6.1'
ok 'also where a header is looked for' \
	test "$(state 6.1 include/rdma-shim/config.h)" = 'answers for 6.1'
ok 'and keeps the log of the probes' test "$(state 6.1 probe.log)" = log
mv "$tmp/lib" "$tmp/elsewhere"
ok 'the link is true in a root that stands elsewhere' \
	test "$(cat "$tmp/elsewhere/rdma-shim/6.1/config.h")" = 'answers for 6.1'
mv "$tmp/elsewhere" "$tmp/lib"

built 1.0 6.1-rt-amd64
installed 1.0 6.1-rt-amd64
built 1.1 6.1
ok 'a build of the next version changes nothing' \
	test "$(state 6.1 Module.symvers)" = 'symbols of 1.0'
installed 1.1 6.1
ok 'its installation does' test "$(state 6.1 Module.symvers)" = 'symbols of 1.1'
ok 'the other kernel keeps its own' \
	test "$(state 6.1-rt-amd64 Module.symvers)" = 'symbols of 1.0'
sync_state 1.0
rm -rf "$dkms/1.0/6.1"
sync_state 1.0
ok 'removal of the old version leaves the new one' \
	test "$(state 6.1 Module.symvers)" = 'symbols of 1.1'
ok 'nothing half made is left' \
	test -z "$(find "$RDMA_SHIM_STATE" "$dkms" -name '*.new')"

cat > "$tmp/Kbuild" <<END
RDMA_SHIM_INCLUDE := /inc
include $top/include/rdma-shim/consumer.mk
all:
	@echo '\$(NOSTDINC_FLAGS) | \$(KBUILD_EXTRA_SYMBOLS)'
END
consume()
{
	make -f "$tmp/Kbuild" "$@" > "$tmp/said" 2>&1
}

consume KERNELRELEASE=6.1
ok 'a consumer gets headers and symbols' grep -qFx -e \
	"-I/inc -I$RDMA_SHIM_STATE/6.1/include | $RDMA_SHIM_STATE/6.1/Module.symvers" "$tmp/said"
consume KERNELRELEASE=6.7
code=$?
ok 'for a kernel without ours it is told what to type' sh -c "
	[ $code -ne 0 ] && grep -q 'run \"rdma-shim build 6.7\"' '$tmp/said'"
consume
ok 'outside kbuild it gets nothing, and no error' grep -qx ' | ' "$tmp/said"
mkdir -p "$tmp/scripts"
cp "$tmp/Kbuild" "$tmp/scripts/Makefile.clean"
make -f "$tmp/scripts/Makefile.clean" KERNELRELEASE=6.7 > "$tmp/said" 2>&1
ok 'make clean works without ours' grep -qx ' | ' "$tmp/said"
echo '#define RDMA_SHIM_LACKS "CONFIG_INFINIBAND"' > "$dkms/1.1/6.1/x86_64/published/config.h"
consume KERNELRELEASE=6.1
code=$?
ok 'on a kernel that lacks something it is told what' sh -c "
	[ $code -ne 0 ] && grep -q 'lacks CONFIG_INFINIBAND' '$tmp/said'"

removed 1.1 6.1
ok 'a removed kernel is unpublished' test ! -L "$RDMA_SHIM_STATE/6.1"
ok 'the other is not' test -e "$RDMA_SHIM_STATE/6.1-rt-amd64/config.h"
removed 1.0 6.1-rt-amd64
ok 'with the last one the folder goes' test ! -e "$RDMA_SHIM_STATE"

tap_finish
