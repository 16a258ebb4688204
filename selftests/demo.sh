#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What `make demo` shows: a consumer written against Linux 7.3, built and
# loaded on this kernel, registers memory, and a peer reads it by RDMA; in a
# guest, a stock client writes a file by NFS over RDMA. Leaves nothing behind.

set -u
kernel=$(uname -r)
here=$(dirname "$(readlink -f "$0")")
left=sd$$a
right=sd$$b
rdma=rxedemo$$
addr=10.199.$(($$ / 250 % 250)).$(($$ % 250 + 1))
work=$(mktemp -d)
n=0

step()
{
	n=$((n + 1))
	echo "demo: $n. $*"
}

fail()
{
	echo "demo: failed: $*" >&2
	exit 1
}

clean_up()
{
	rmmod rdma_shim_consumer 2> /dev/null
	timeout 20 rdma link delete "$rdma" 2> /dev/null
	ip link delete "$left" 2> /dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

file=$(modinfo -n rdma_shim 2> /dev/null) ||
	fail "rdma_shim is not built for kernel $kernel: 'rdma-shim status' says why."
modprobe rdma_shim || fail "rdma_shim does not load: see dmesg."
step "Linux $kernel; dkms built and installed $file"
step "it says: $(dmesg | grep 'rdma_shim [0-9]' | tail -n 1 | sed 's/^\[[^]]*\] //')"

modprobe rdma_rxe 2> /dev/null || fail "kernel $kernel has no rdma_rxe."
ip link add "$left" type veth peer name "$right" || fail "cannot make a network device."
ip addr add "$addr/24" dev "$left"
ip link set "$left" up
ip link set "$right" up
rdma link add "$rdma" type rxe netdev "$left" || fail "cannot make an rxe device on $left."
step "made the RDMA device $rdma (rxe) on a veth pair, with address $addr"

cp "$here"/consumer/Kbuild "$here"/consumer/*.c "$work/"
step "builds the consumer: $(grep -c . "$work/rdma_shim_consumer.c") lines for Linux 7.3, and in its Kbuild: $(grep -m 1 '^-include' "$work/Kbuild")"
make -C "/lib/modules/$kernel/build" M="$work" modules > "$work/log" 2>&1 ||
	fail "the consumer does not build: $(grep -m 1 error "$work/log")"
# Without the package its imports would be the kernel's own.
ours=$(modprobe --show-modversions "$work/rdma_shim_consumer.ko" 2> /dev/null | grep -c rdma_shim_)
[ "$ours" -gt 0 ] || ours=$(nm -u "$work/rdma_shim_consumer.ko" | grep -c rdma_shim_)
[ "$ours" -gt 0 ] || fail "the consumer does not call the package."
step "built; $ours of the functions it calls are the package's"

modprobe -a rdma_cm ib_core
mark="demo $$ loads the consumer"
echo "$mark" > /dev/kmsg
insmod "$work/rdma_shim_consumer.ko" addr="$addr" || failed=1
dmesg | awk -v mark="$mark" 'index($0, mark) { on = 1; next } on' |
	sed -n 's/^.*rdma_shim_consumer: //p' > "$work/said"
step "loaded; the consumer says:"
sed 's/^/demo:      /' "$work/said"
[ -z "${failed:-}" ] || fail "the consumer did not load."
grep -q ': equal$' "$work/said" || fail "the peer did not read what was written."
clean_up
step "the peer's comparison is equal; device and consumer are removed again"

if [ -n "${LAB_GUEST:-}" ]; then
	"$here/demo_nfs.sh" $((n + 1)) || exit 1
else
	step "not shown, because this machine's NFS server is yours: NFS over RDMA (WHERE=vm make demo does)"
fi
echo "demo: done"
