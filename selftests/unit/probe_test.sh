#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2317 # makefile text; functions called by ok
#
# What src/probe/run answers, and what it says in broken environments. Runs
# against a kernel tree made of a few lines, so that it needs a compiler only.

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
probe=$(cd "$(dirname "$0")/../../src/probe" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS SOURCE_DATE_EPOCH
RDMA_SHIM_OFED=$tmp/no-ofed
export RDMA_SHIM_OFED
tap_said=$tmp/said

# The tree KDIR, the probes of probe/, the answers in out/.
fresh()
{
	rm -rf "${tmp:?}/kdir" "${tmp:?}/probe" "${tmp:?}/out" "${tmp:?}/bin"
	mkdir -p "$tmp/kdir/include/config" "$tmp/kdir/include/linux" \
		"$tmp/kdir/include/generated/uapi/linux" "$tmp/probe" "$tmp/bin"
	cp "$probe/run" "$probe/lib.sh" "$probe"/must_*.c "$tmp/probe/"
	{
		echo '.DELETE_ON_ERROR:'
		echo 'CC = gcc'
		echo 'objs := $(patsubst %.c,%.o,$(wildcard $(M)/*.c))'
		echo 'modules: $(objs)'
		echo '%.o: %.c'
		echo '	$(CC) -Werror=implicit-function-declaration -Iinclude -c -o $@ $<'
	} > "$tmp/kdir/Makefile"
	{
		echo '#define THIS_MODULE ((void *)1)'
		echo 'int try_module_get(void *module);'
		echo '#define MODULE_LICENSE(x) extern int license'
		echo 'struct kernel_thing { int present; };'
	} > "$tmp/kdir/include/linux/module.h"
	: > "$tmp/kdir/include/generated/autoconf.h"
	echo '#define LINUX_VERSION_CODE 330240' > \
		"$tmp/kdir/include/generated/uapi/linux/version.h"
	{
		for option in INFINIBAND MMU_NOTIFIER HMM_MIRROR SUNRPC \
			INFINIBAND_ADDR_TRANS SUNRPC_BACKCHANNEL CC_IS_GCC; do
			echo "CONFIG_$option=y"
		done
		echo 'CONFIG_CC_VERSION_TEXT="gcc (test) 4.9"'
		echo 'CONFIG_GCC_VERSION=40900'
	} > "$tmp/kdir/include/config/auto.conf"
	a_probe has_present present ''
	a_probe has_missing missing 'no-if: missing'
}

# a_probe NAME MEMBER LINE: does struct kernel_thing have MEMBER?
a_probe()
{
	{
		echo '/*'
		[ -z "$3" ] || echo " * $3"
		echo ' */'
		echo '#include <linux/module.h>'
		echo "int probe(struct kernel_thing *t) { return t->$2; }"
	} > "$tmp/probe/$1.c"
}

run_probe()
{
	KVER=9.9-test "$tmp/probe/run" "$tmp/kdir" "$tmp/out" \
		> "$tmp/said" 2>&1
	code=$?
}

has()
{
	grep -q -- "$1" "$tmp/out/rdma-shim/config.h"
}

says()
{
	[ "$code" -ne 0 ] && grep -q -- "^rdma-shim: .*$1" "$tmp/said" &&
		[ "$(wc -l < "$tmp/said")" -eq 1 ]
}

answers()
{
	[ "$code" -eq 0 ] && has 'HAVE_HAS_PRESENT 1' && has 'HAVE_HAS_MISSING 0'
}

tap_begin

fresh
run_probe
ok 'a question is answered yes and no' answers
ok 'controls are no answers' sh -c "! grep -qi must_ '$tmp/out/rdma-shim/config.h'"
ok 'the log is kept' test -s "$tmp/out/probe/log"

touch -d 2001-01-01 "$tmp/out/rdma-shim/config.h" "$tmp/out/kernel.mk"
run_probe
ok 'the same answers leave config.h alone' \
	test "$(stat -c %Y "$tmp/out/rdma-shim/config.h")" -lt 1000000000
ok 'and kernel.mk' test "$(stat -c %Y "$tmp/out/kernel.mk")" -lt 1000000000
a_probe has_missing present 'no-if: missing'
run_probe
ok 'another answer rewrites it' has 'HAVE_HAS_MISSING 1'

fresh
rm -r "$tmp/kdir"
run_probe
ok 'no headers: names the package' says 'install .*linux-headers-9.9-test'
ok 'no headers: no answers' test ! -e "$tmp/out/rdma-shim/config.h"

fresh
rm "$tmp/kdir/include/config/auto.conf"
run_probe
ok 'a source that was never configured' says 'never configured.*modules_prepare'

fresh
sed -i 's/^CC = .*/CC = no-such-gcc-12/' "$tmp/kdir/Makefile"
touch "$tmp/kdir/.kernelvariables"
run_probe
ok 'no compiler: names it' says 'no-such-gcc-12 is not installed: install it'

fresh
printf '\t./tools/objtool/objtool $@\n' >> "$tmp/kdir/Makefile"
run_probe
ok 'objtool does not run' says 'objtool .* does not run: reinstall'

fresh
sed -i 's/ -c -o/ -fno-such-option-of-newer-gcc&/' "$tmp/kdir/Makefile"
run_probe
ok 'a compiler that is too old' says 'too old: install gcc (test) 4.9'

fresh
echo '#error no good' >> "$tmp/kdir/include/linux/module.h"
run_probe
ok 'broken headers: the compiler is quoted' says 'do not work: .*no good'

fresh
cat > "$tmp/bin/cc-hides-errors" << 'END'
#!/bin/sh
for arg; do last=$this this=$arg; done
touch "$last"
while [ $# -gt 0 ]; do [ "$1" != -o ] || touch "$2"; shift; done
END
chmod +x "$tmp/bin/cc-hides-errors"
sed -i "s,^CC = .*,CC = $tmp/bin/cc-hides-errors," "$tmp/kdir/Makefile"
touch "$tmp/kdir/.kernelvariables"
run_probe
ok 'must_fail compiles: no answer is trusted' says 'hide errors'

fresh
echo 'int broken(' >> "$tmp/probe/has_missing.c"
sed -i 's/missing;/present;/' "$tmp/probe/has_missing.c"
run_probe
ok 'a probe that fails for another reason' \
	says 'has_missing failed for another reason'
ok 'and gives no answers' test ! -e "$tmp/out/rdma-shim/config.h"

fresh
a_probe has_present absent ''
run_probe
ok 'a probe without a no-if line may not fail' \
	says 'has_present failed for another reason'

fresh
sed -i '/CONFIG_INFINIBAND=/d' "$tmp/kdir/include/config/auto.conf"
run_probe
ok 'no INFINIBAND: named for C' has 'RDMA_SHIM_LACKS "CONFIG_INFINIBAND"'
ok 'and for kbuild' grep -q '^rdma-shim-lacks := CONFIG_INFINIBAND$' "$tmp/out/kernel.mk"
ok 'and svcrdma lacks it too' has 'SVCRDMA_SHIM_LACKS "CONFIG_INFINIBAND"'

fresh
sed -i '/CONFIG_SUNRPC=/d' "$tmp/kdir/include/config/auto.conf"
a_probe of_svc absent 'needs: svcrdma'
run_probe
ok 'no SUNRPC: only svcrdma lacks it' sh -c "
	grep -q '^rdma-shim-lacks := \$' '$tmp/out/kernel.mk' &&
	grep -q '^svcrdma-shim-lacks := CONFIG_SUNRPC\$' '$tmp/out/kernel.mk'"
ok 'its questions are answered no' has 'HAVE_OF_SVC 0'
ok 'the others are asked' answers

fresh
sed -i '/CONFIG_HMM_MIRROR=/d' "$tmp/kdir/include/config/auto.conf"
run_probe
ok 'no HMM_MIRROR: odp lacks it' \
	grep -q '^odp-lacks := CONFIG_HMM_MIRROR$' "$tmp/out/kernel.mk"
ok 'and for C' has 'RDMA_SHIM_ODP_LACKS "CONFIG_HMM_MIRROR"'

fresh
echo '#define LINUX_VERSION_CODE 330239' > \
	"$tmp/kdir/include/generated/uapi/linux/version.h"
run_probe
ok 'older than 5.10' has 'RDMA_SHIM_LACKS "Linux 5.10 or newer"'

fresh
mkdir "$tmp/no-ofed"
run_probe
ok 'beside an OFED' has 'RDMA_SHIM_LACKS ".*OFED'
rmdir "$tmp/no-ofed"

fresh
printf '#!/bin/sh\nexec gcc "$@"\n' > "$tmp/bin/clang"
chmod +x "$tmp/bin/clang"
sed -i '/CC_IS_GCC/d' "$tmp/kdir/include/config/auto.conf"
printf 'CONFIG_CC_IS_CLANG=y\nCONFIG_CLANG_VERSION=990006\n' >> \
	"$tmp/kdir/include/config/auto.conf"
sed -i 's/^CC = .*/CC = $(if $(LLVM),clang,false)/' "$tmp/kdir/Makefile"
PATH=$tmp/bin:$PATH run_probe
ok 'a kernel built by clang: probes are, too' answers
ok 'and the modules will be' grep -qx LLVM=1 "$tmp/out/toolchain"
mv "$tmp/bin/clang" "$tmp/bin/clang-99"
if ! command -v clang > /dev/null; then
	PATH=$tmp/bin:$PATH run_probe
	ok 'clang with a version in its name' grep -qx LLVM=-99 "$tmp/out/toolchain"
	run_probe
	ok 'no clang: says what to install' says 'clang-99 lld-99'
else
	tap_pass_over 'clang with a version in its name' 'this machine has clang'
	tap_pass_over 'no clang: says what to install' 'this machine has clang'
fi

fresh
sed -i 's/GCC_VERSION=.*/GCC_VERSION=990000/; s/gcc (test)/gcc-99 (test)/' \
	"$tmp/kdir/include/config/auto.conf"
run_probe
ok 'a gcc older than the kernel: one warning' sh -c "
	[ $code -eq 0 ] && [ \$(grep -c '^rdma-shim: warning: gcc .* is older' '$tmp/said') -eq 1 ] &&
	[ \$(wc -l < '$tmp/said') -eq 1 ]"

fresh
# shellcheck disable=SC2016 # expanded inside the namespace
if unshare -rm true 2> /dev/null; then
	mkdir "$tmp/out"
	unshare -rm sh -c 'mount -t tmpfs -o size=24k none "$1" && "$2" "$3" "$1"' \
		- "$tmp/out" "$tmp/probe/run" "$tmp/kdir" > "$tmp/said" 2>&1
	code=$?
	sed -i '/^cp: /d' "$tmp/said"
	ok 'disk full' says 'no space left in .*free some'
else
	tap_pass_over 'disk full' 'cannot mount in a namespace of its own'
fi

tap_finish
