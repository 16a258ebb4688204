#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rdma-shim status and doctor in every state, on a system made of a few files.
# A module file here is text, which the modinfo below reads.

# shellcheck disable=SC2016,SC2115 # scripts in quotes; tmp is set

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
admin=$(cd "$(dirname "$0")/../../src/admin" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
K=6.1.0-1-amd64
OTHER=6.1.0-2-amd64

export RDMA_SHIM_MODULES="$tmp/modules" RDMA_SHIM_STATE="$tmp/state" \
	RDMA_SHIM_SHARE="$tmp/share" RDMA_SHIM_DKMS="$tmp/dkms" \
	RDMA_SHIM_SYS_MODULE="$tmp/sys" RDMA_SHIM_RUNNING="$K" \
	RDMA_SHIM_BOOT="$tmp/boot" RDMA_SHIM_OFED="$tmp/ofed" \
	RDMA_SHIM_LOCKDOWN="$tmp/lockdown" RDMA_SHIM_KEYS="$tmp/keys" \
	RDMA_SHIM_NFSD="$tmp/nfsd"
mkdir -p "$tmp/bin" "$tmp/share"
ln -s "$admin" "$tmp/share/admin"
sed 's/@VERSION@/1.0/' "$admin/rdma-shim" > "$tmp/bin/rdma-shim"
cat > "$tmp/bin/modinfo" <<'END'
#!/bin/sh
sed -n "s/^$2=//p" "$3"
END
printf '#!/bin/sh\ncat "$1"\n' > "$tmp/bin/lsinitramfs"
chmod +x "$tmp"/bin/*
PATH=$tmp/bin:$PATH

# A kernel with headers and everything of ours, loaded when it is running.
healthy()
{
	published=$tmp/dkms/rdma-shim/1.0/$1/x86_64/published
	mkdir -p "$tmp/modules/$1/kernel" "$tmp/modules/$1/build" \
		"$tmp/modules/$1/updates/dkms" "$published" "$tmp/state"
	touch "$tmp/modules/$1/build/Makefile" "$published/config.h"
	printf '0x1\trdma_shim_%s\tsrc/%s\tEXPORT_SYMBOL_GPL\t\n' \
		ib_map_mr_sg rdma_shim svc_rdma_sendto svcrdma_shim \
		> "$published/Module.symvers"
	ln -sfn "$published" "$tmp/state/$1"
	echo updates/dkms/rdma_shim.ko: > "$tmp/modules/$1/modules.dep"
	printf '%s\n' "vermagic=$1 SMP" description=fine srcversion=AAAA version=1.0 \
		> "$tmp/modules/$1/updates/dkms/rdma_shim.ko"
}

fresh()
{
	rm -rf "$tmp/modules" "$tmp/state" "$tmp/dkms" "$tmp/sys" "$tmp/boot" \
		"$tmp/ofed" "$tmp/lockdown" "$tmp/keys" "$tmp/nfsd"
	mkdir -p "$tmp/boot" "$tmp/sys/rdma_shim" "$tmp/sys/module/parameters"
	echo AAAA > "$tmp/sys/rdma_shim/srcversion"
	echo 1.0 > "$tmp/sys/rdma_shim/version"
	echo N > "$tmp/sys/module/parameters/sig_enforce"
	healthy "$K"
	module=$tmp/modules/$K/updates/dkms/rdma_shim.ko
}

# expect NAME CODE TEXT [NEXT]: status exits with CODE and says TEXT, doctor
# exits alike and prints NEXT.
expect()
{
	said=$(rdma-shim status 2>&1)
	code=$?
	advice=$(rdma-shim doctor 2> /dev/null)
	doctor=$?
	json=$(rdma-shim status --json)
	if [ $code -eq "$2" ] && [ $doctor -eq "$2" ] &&
	   echo "$said" | grep -q "$3" &&
	   { [ -z "${4:-}" ] || echo "$advice" | grep -q "$4"; } &&
	   json_valid; then
		tap_result 0 "$1"
		return
	fi
	tap_result 1 "$1"
	tap_explain <<-END
		status exits $code, doctor $doctor, wanted $2: $3; advice: $advice
		$said
	END
}

json_valid()
{
	command -v python3 > /dev/null || return 0
	echo "$json" | python3 -c 'import json, sys
d = json.load(sys.stdin)
sys.exit(not any(k["running"] and k["state"] for k in d["kernels"]))'
}

tap_begin

fresh
expect active 0 "^$K (running): active\$" 'all is well'
expect 'names what is ours' 0 'ours: ib_map_mr_sg $'
sed -i 's,src/rdma_shim,rdma_shim,' "$published/Module.symvers"
expect 'also where kbuild names modules without their folder' 0 'ours: ib_map_mr_sg $'
expect 'names the modules' 0 'modules: rdma_shim loaded, svcrdma_shim absent'

rm -r "$tmp/sys/rdma_shim"
expect 'not loaded' 3 'built, but not loaded' '^modprobe rdma_shim$'

fresh
echo BBBB > "$tmp/sys/rdma_shim/srcversion"
expect 'another module in memory' 7 reload-pending '^modprobe -r .*modprobe rdma_shim$'

fresh
echo 0.9 > "$tmp/sys/rdma_shim/version"
expect 'another version of the same sources in memory' 7 reload-pending

fresh
cp "$module" "$tmp/modules/$K/updates/dkms/svcrdma_shim.ko"
mkdir "$tmp/sys/svcrdma_shim"
echo CCCC > "$tmp/sys/svcrdma_shim/srcversion"
expect 'the other module is another in memory' 7 'svcrdma_shim in memory is not'
rm -r "$tmp/sys/rdma_shim"
expect 'which is the only one in memory' 7 'svcrdma_shim in memory is not' \
	'^modprobe -r svcrdma_shim rdma_shim && modprobe rdma_shim$'
mkdir "$tmp/nfsd"
printf '%s\n' 'tcp 2049' 'rdma-shim 20049' 'rdma-shim 20049' > "$tmp/nfsd/portlist"
expect 'and has a listener' 7 'svcrdma_shim in memory is not' \
	'^systemctl stop nfs-server .* rdma-shim nfs start 20049$'
echo AAAA > "$tmp/sys/svcrdma_shim/srcversion"
echo 1.0 > "$tmp/sys/svcrdma_shim/version"
expect 'a server only' 0 'modules: rdma_shim installed, svcrdma_shim loaded'

fresh
rm -r "$tmp/modules/$K/updates"
expect 'not built' 4 'not-built: nobody has built it' "^rdma-shim build $K\$"
mkdir -p "$tmp/dkms/rdma-shim/1.0/build"
printf '%s\n' "DKMS make.log for rdma-shim-1.0 for kernel $K (x86_64)" \
	'rdma-shim: no space left in x: free some.' 'make: *** Error 1' \
	> "$tmp/dkms/rdma-shim/1.0/build/make.log"
expect 'not built, and why' 4 'not-built: no space left in x'
rm -r "$tmp/modules/$K/build"
expect 'no headers' 5 headers-missing "linux-headers-$K\\|kernel-devel-$K"

fresh
rm "$tmp/state/$K"
expect 'an interrupted build' 4 incomplete "^rdma-shim build $K\$"

fresh
: > "$tmp/modules/$K/modules.dep"
expect 'a build that ended before depmod' 4 incomplete "^rdma-shim build $K\$"

fresh
sed -i "s/$K/$OTHER/" "$module"
expect 'a file for another kernel' 9 "was built for $OTHER"

fresh
sed -i 's/=fine/=Not for this kernel, which lacks CONFIG_INFINIBAND/' "$module"
expect 'a kernel that lacks something' 8 'lacks CONFIG_INFINIBAND'

fresh
rm -r "$tmp/sys/rdma_shim"
echo Y > "$tmp/sys/module/parameters/sig_enforce"
expect 'not signed, and signatures are enforced' 6 'ours is not signed' 'mokutil --import\|openssl req'
echo 'signer=nobody the kernel knows' >> "$module"
expect 'signed by an unknown key' 6 'does not trust "nobody'

echo '0f I--Q--- 1 perm 1f030000 0 0 asymmetri nobody the kernel knows: 1234: X509.rsa 1234 []' > "$tmp/keys"
expect 'signed by a key it trusts' 3 'built, but not loaded' '^modprobe rdma_shim$'

fresh
rm -r "$tmp/sys/rdma_shim"
echo 'none [integrity] confidentiality' > "$tmp/lockdown"
expect 'not signed, under lockdown' 6 'ours is not signed' 'mokutil --import\|openssl req'
echo '[none] integrity confidentiality' > "$tmp/lockdown"
expect 'no lockdown' 3 'built, but not loaded'

fresh
echo lib/modules/x/updates/dkms/rdma_shim.ko > "$tmp/boot/initrd.img-$K"
expect 'a copy in the initramfs' 10 initramfs-stale 'update-initramfs\|dracut'

fresh
mkdir "$tmp/ofed"
expect 'beside an OFED' 0 'an OFED is installed'

fresh
healthy "$OTHER"
expect 'another kernel is ready' 0 "^$OTHER: built: ready"
RDMA_SHIM_RUNNING=9.9-elsewhere
expect 'in a container' 4 '9.9-elsewhere (running): not-here'

tap_finish
