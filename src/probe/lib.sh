# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # its variables are set in run
#
# The steps of run, in the order it takes them.

die()
{
	echo "rdma-shim: $*" >&2
	exit 1
}

warn()
{
	echo "rdma-shim: warning: $*" >&2
}

die_disk_full()
{
	die "no space left in $1: free some, then build again."
}

# Is CONFIG_$1 set, built in or as a module?
config_has()
{
	grep -q "^CONFIG_$1=[ym]" "$auto"
}

config_value()
{
	sed -n "s/^CONFIG_$1=//p" "$auto" | tr -d '"'
}

check_tree()
{
	[ -e "$kdir/Makefile" ] ||
		die "no kernel headers in $kdir: install the headers package of that kernel (Debian: linux-headers-${KVER:-VERSION}), then build again."
	if [ ! -e "$auto" ] || [ ! -e "$kdir/include/generated/autoconf.h" ]; then
		die "$kdir is a kernel source that was never configured: run 'make olddefconfig modules_prepare' there, or install the headers package of that kernel, then build again."
	fi
}

# Modules have to be compiled by what compiled the kernel. What the caller put
# on make's command line stays; Debian's headers name their gcc themselves.
choose_toolchain()
{
	version=$(config_value CC_VERSION_TEXT)

	if config_has CC_IS_CLANG; then
		choose_clang
	elif [ ! -e "$kdir/.kernelvariables" ]; then
		choose_gcc
	fi
	# Headers come without the vmlinux that type information is made from;
	# kbuild would say so for each module.
	if config_has DEBUG_INFO_BTF_MODULES && [ ! -e "$kdir/vmlinux" ]; then
		echo CONFIG_DEBUG_INFO_BTF_MODULES=
	fi
}

choose_clang()
{
	major=$(($(config_value CLANG_VERSION) / 10000))

	case " ${MAKEFLAGS:-} " in *" LLVM="*) return ;; esac
	if command -v clang > /dev/null; then
		echo LLVM=1
	elif command -v "clang-$major" > /dev/null; then
		echo "LLVM=-$major"
	else
		die "this kernel was built with $version, and no clang is installed: install clang and lld (Debian: clang-$major lld-$major), then build again."
	fi
}

choose_gcc()
{
	first=${version%% *}
	major=$(($(config_value GCC_VERSION) / 10000))

	case " ${MAKEFLAGS:-} " in *" CC="*) return ;; esac
	if command -v "$first" > /dev/null; then
		echo "CC=$first"
		cc=$first
	elif command -v "gcc-$major" > /dev/null; then
		echo "CC=gcc-$major"
		return
	else
		cc=gcc
	fi
	ours=$("$cc" -dumpversion 2> /dev/null) || return 0
	[ "${ours%%.*}" -ge "$major" ] ||
		warn "gcc $ours is older than the kernel's ($version); if the build fails, install gcc-$major."
}

# What the kernel must have, by what we build. The first thing it lacks goes
# into the sentence that the module says instead of loading.
find_lacks()
{
	verbs_lacks=
	code=$(sed -n 's/^#define LINUX_VERSION_CODE //p' \
		"$kdir/include/generated/uapi/linux/version.h" 2> /dev/null)
	if [ "${code:-0}" -lt $((0x050a00)) ]; then
		verbs_lacks="Linux 5.10 or newer"
	elif [ -e "${RDMA_SHIM_OFED:-/usr/src/ofa_kernel}" ]; then
		verbs_lacks="its own RDMA core (an OFED in /usr/src/ofa_kernel replaces it)"
	else
		verbs_lacks=$(first_lack INFINIBAND)
	fi
	odp_lacks=${verbs_lacks:-$(first_lack MMU_NOTIFIER HMM_MIRROR)}
	svcrdma_lacks=${verbs_lacks:-$(first_lack INFINIBAND_ADDR_TRANS \
		SUNRPC SUNRPC_BACKCHANNEL)}
}

first_lack()
{
	for option; do
		config_has "$option" && continue
		echo "CONFIG_$option"
		return
	done
}

prepare_work()
{
	rm -rf "$work"
	mkdir -p "$work" || die_disk_full "$out"
	cp "$here"/*.c "$work"/ || die_disk_full "$out"
	names=$(cd "$work" && for f in *.c; do echo "${f%.c}"; done)
	{
		echo "# SPDX-License-Identifier: GPL-2.0"
		# Only whether it compiles counts, so do no more than that. A
		# warning is no answer, in a kernel with CONFIG_WERROR either.
		echo "ccflags-y += -g0 -Wno-error -Werror=implicit-function-declaration"
		for name in $names; do
			echo "obj-m += $name.o"
			[ "$name" = must_pass ] ||
				echo "OBJECT_FILES_NON_STANDARD_$name.o := y"
		done
	} > "$work/Kbuild" || die_disk_full "$out"
}

# make does not always delete the object of a recipe that failed.
built()
{
	[ -e "$work/$1.o" ] && ! grep -qE "[/ ]$1\.o\] Error" "$log"
}

check_controls()
{
	built must_pass || die "$(why_nothing_works)"
	! built must_fail ||
		die "a probe that must not compile did: the kernel headers in $kdir hide errors (log: $log)."
}

# must_pass failed: turn the log into the sentence a person needs.
why_nothing_works()
{
	line=$(errors_of must_pass | head -n 1)
	[ -n "$line" ] ||
		line=$(grep -m 1 -E '[Ee]rror:|: not found|No such file' "$log" ||
			tail -n 1 "$log")
	if grep -q 'No space left' "$log" || [ ! -s "$log" ]; then
		echo "no space left in $out: free some, then build again."
	elif grep -qE '(gcc|clang|cc)[^ ]*: (not found|command not found|No such)' "$log"; then
		cc=$(grep -oE '[^ :]*(gcc|clang|cc)[^ :]*: (not found|command not found|No such)' "$log" |
			head -n 1)
		echo "the compiler ${cc%%:*} is not installed: install it (Debian: apt install ${cc%%:*}), then build again."
	elif objtool=$(grep -m 1 -E 'objtool: .*(error|not found|No such)' "$log"); then
		echo "objtool of the kernel headers in $kdir does not run: reinstall the headers package, and see that /proc is mounted ($objtool; log: $log)."
	elif grep -qE 'unrecognized.*option|unknown argument' "$log"; then
		echo "the compiler does not know an option that this kernel needs, so it is too old: install $(config_value CC_VERSION_TEXT) ($line; log: $log)."
	else
		echo "the compiler or the kernel headers in $kdir do not work: $line (log: $log)"
	fi
}

# What the compiler said of probe $1, without the file's name.
errors_of()
{
	sed -nE "s,^(.*/)?$1\.c:.*error: ,,p" "$log"
}

# Prints 1 or 0, or stops when the probe failed for an unrelated reason.
answer()
{
	if built "$1"; then
		echo 1
		return
	fi
	case $(sed -n 's/^ \* needs: //p' "$here/$1.c") in
	odp) [ -z "$odp_lacks" ] || { echo 0; return; } ;;
	svcrdma) [ -z "$svcrdma_lacks" ] || { echo 0; return; } ;;
	esac
	expect=$(sed -n 's/^ \* no-if: //p' "$here/$1.c")
	if [ -n "$expect" ] && errors_of "$1" | grep -qE -- "$expect"; then
		echo 0
		return
	fi
	if grep -q 'No space left' "$log"; then
		die_disk_full "$out"
	fi
	die "probe $1 failed for another reason than its question: $(errors_of "$1" | head -n 1) (log: $log)"
}

write_config()
{
	echo "/* Generated by rdma-shim for one kernel; do not edit. */"
	echo "#ifndef RDMA_SHIM_CONFIG_H"
	echo "#define RDMA_SHIM_CONFIG_H"
	[ -z "$verbs_lacks" ] ||
		echo "#define RDMA_SHIM_LACKS \"$verbs_lacks\""
	[ -z "$odp_lacks" ] ||
		echo "#define RDMA_SHIM_ODP_LACKS \"$odp_lacks\""
	[ -z "$svcrdma_lacks" ] ||
		echo "#define SVCRDMA_SHIM_LACKS \"$svcrdma_lacks\""
	for name in $names; do
		case $name in must_*) continue ;; esac
		value=$(answer "$name") || return 1
		echo "#define RDMA_SHIM_HAVE_$(echo "$name" |
			tr '[:lower:]' '[:upper:]') $value"
	done
	echo "#endif"
}

write_kernel_mk()
{
	echo "# Generated by rdma-shim for one kernel; do not edit."
	echo "rdma-shim-lacks := $verbs_lacks"
	echo "odp-lacks := $odp_lacks"
	echo "svcrdma-shim-lacks := $svcrdma_lacks"
}

# Rewritten only when it changes, so that an unchanged answer rebuilds nothing.
keep_if_same()
{
	if cmp -s "$1.new" "$1"; then
		rm -f "$1.new"
	else
		mv "$1.new" "$1" || die_disk_full "$out"
	fi
}
