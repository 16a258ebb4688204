#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rdma-shim build and remove, on a system made of a few files, with a dkms that
# is a few lines: what it is told, what is left alone, what is made anew.

# shellcheck disable=SC2016 # scripts in quotes

set -u

# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
admin=$(cd "$(dirname "$0")/../../src/admin" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
K=6.1.0-1-amd64
BARE=6.1.0-2-amd64
tap_said=$tmp/said

export RDMA_SHIM_MODULES="$tmp/modules" RDMA_SHIM_STATE="$tmp/state" \
	RDMA_SHIM_SHARE="$tmp/share" RDMA_SHIM_DKMS="$tmp/dkms" \
	RDMA_SHIM_RUNNING="$K" SAID="$tmp/dkms-was-told" BREAK="$tmp/break"
mkdir -p "$tmp/bin" "$tmp/share"
ln -s "$admin" "$tmp/share/admin"
sed 's/@VERSION@/1.0/' "$admin/rdma-shim" > "$tmp/bin/rdma-shim"
printf '#!/bin/sh\necho 0\n' > "$tmp/bin/id"
printf '#!/bin/sh\ntrue\n' > "$tmp/bin/depmod"

# It is called as dkms COMMAND -m rdma-shim -v 1.0 [-k KERNEL]. With
# $BREAK a build fails, and leaves the log that dkms would.
cat > "$tmp/bin/dkms" << 'END'
#!/bin/sh
echo "$1${7:+ $7}" >> "$SAID"
tree=$RDMA_SHIM_DKMS/rdma-shim
case $1 in
add)
	mkdir -p "$tree/1.0/source"
	touch "$tree/1.0/source/dkms.conf"
	;;
install)
	mkdir -p "$tree/1.0/build"
	if [ -e "$BREAK" ]; then
		printf '%s\n' "DKMS make.log for rdma-shim-1.0 for kernel $7 (x86_64)" \
			'rdma-shim: no space left: free some.' > "$tree/1.0/build/make.log"
		exit 10
	fi
	published=$tree/1.0/$7/x86_64/published
	mkdir -p "$published" "$RDMA_SHIM_STATE" "$RDMA_SHIM_MODULES/$7/updates/dkms"
	touch "$published/Module.symvers" "$published/config.h"
	ln -sfn "1.0/$7/x86_64" "$tree/kernel-$7-x86_64"
	ln -sfn "$published" "$RDMA_SHIM_STATE/$7"
	touch "$RDMA_SHIM_MODULES/$7/updates/dkms/rdma_shim.ko"
	echo updates/dkms/rdma_shim.ko: > "$RDMA_SHIM_MODULES/$7/modules.dep"
	;;
remove)
	rm -rf "$tree"/kernel-* "$tree/1.0"
	;;
esac
END
chmod +x "$tmp"/bin/*
PATH=$tmp/bin:$PATH

# Two kernels; one has headers.
fresh()
{
	rm -rf "$tmp/modules" "$tmp/state" "$tmp/dkms" "$BREAK"
	mkdir -p "$tmp/dkms" "$tmp/modules/$K/kernel" "$tmp/modules/$K/build" \
		"$tmp/modules/$BARE/kernel"
	touch "$tmp/modules/$K/build/Makefile"
}

# expect NAME CODE TEXT TOLD ARGUMENT...: rdma-shim exits with CODE and says
# TEXT, and dkms was told TOLD.
expect()
{
	: > "$SAID"
	name=$1 want=$2 text=$3 told=$4
	shift 4
	code=0
	rdma-shim "$@" > "$tmp/said" 2>&1 || code=$?
	echo "exit $code; dkms: $(tr '\n' ';' < "$SAID")" >> "$tmp/said"
	[ $code -eq "$want" ] && grep -q "$text" "$tmp/said" &&
		[ "$(tr '\n' ';' < "$SAID")" = "$told" ]
	ok "$name" [ $? -eq 0 ]
}

tap_begin

fresh
expect 'every kernel that has headers' 0 "$BARE: no headers" \
	"add;install $K;" build
expect 'what is complete is left alone' 0 "$K: already built" '' build "$K"
expect 'made anew when asked to' 0 "kernel $K: built\." \
	"remove $K;add;install $K;" build --again "$K"

rm "$tmp/state/$K"
expect 'made anew after an interrupted run' 0 "kernel $K: built\." \
	"remove $K;add;install $K;" build "$K"

: > "$BREAK"
expect 'made anew, and that fails' 1 'failed: rdma-shim: no space left' \
	"remove $K;add;install $K;" build --again "$K"
ok 'of which nothing is left' [ ! -e "$tmp/modules/$K/updates/dkms/rdma_shim.ko" ]
rm "$BREAK"
expect 'and again, when it is put right' 0 "kernel $K: built\." \
	"install $K;" build "$K"

expect 'a kernel that is not there' 1 "no kernel 1.2.3 is installed" '' build 1.2.3

expect 'taken out' 0 '^exit 0' 'remove;' remove
ok 'with its modules' [ ! -e "$tmp/modules/$K/updates" ]
ok 'and what was published' [ ! -e "$tmp/state" ]
expect 'taken out twice' 0 '^exit 0' '' remove --all

tap_finish
