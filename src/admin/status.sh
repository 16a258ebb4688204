# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # its variables are set in rdma-shim
#
# rdma-shim status and doctor. judge() decides one kernel's state; the rest
# prints it. The exit code is that of the running kernel's state.

SYS_MODULE=${RDMA_SHIM_SYS_MODULE:-/sys/module}
LOCKDOWN=${RDMA_SHIM_LOCKDOWN:-/sys/kernel/security/lockdown}
KEYS=${RDMA_SHIM_KEYS:-/proc/keys}
BOOT=${RDMA_SHIM_BOOT:-/boot}
RUNNING=${RDMA_SHIM_RUNNING:-$(uname -r)}

# State, exit code, reason, and the next command.
set_state()
{
	state=$1
	code=$2
	why=$3
	next=$4
}

# Sets state, code, why and next for kernel $1.
judge()
{
	kernel=$1
	file=$(module_file "$kernel")

	if [ -z "$file" ]; then
		judge_missing "$kernel"
		return
	fi
	description=$(modinfo -F description "$file" 2> /dev/null)
	vermagic=$(modinfo -F vermagic "$file" 2> /dev/null)
	case $description in
	"Not for this kernel"*)
		set_state unsupported 8 "this kernel lacks ${description#*lacks }" ""
		return
		;;
	esac
	if [ "${vermagic%% *}" != "$kernel" ]; then
		set_state wrong-kernel 9 "$file was built for ${vermagic%% *}" \
			"rdma-shim build $kernel"
	elif ! is_built "$kernel"; then
		set_state incomplete 4 "an earlier build was interrupted, or another version's modules are installed" \
			"rdma-shim build $kernel"
	elif in_initramfs "$kernel"; then
		set_state initramfs-stale 10 "the initramfs carries a copy of the module, which no upgrade reaches" \
			"$(initramfs_command "$kernel")"
	elif [ "$kernel" = "$RUNNING" ]; then
		judge_running
	else
		set_state built 3 "ready for the next boot of this kernel" ""
	fi
}

# Nothing of ours belongs into an initramfs; a hook of somebody else's may
# have put it there.
in_initramfs()
{
	for image in "$BOOT/initrd.img-$1" "$BOOT/initramfs-$1.img"; do
		[ -e "$image" ] || continue
		if command -v lsinitramfs > /dev/null; then
			lsinitramfs "$image"
		elif command -v lsinitrd > /dev/null; then
			lsinitrd "$image"
		fi 2> /dev/null | grep -q '/rdma_shim\.ko' && return
	done
	return 1
}

initramfs_command()
{
	if command -v update-initramfs > /dev/null; then
		echo "update-initramfs -u -k $1"
	else
		echo "dracut --force --omit-drivers 'rdma_shim svcrdma_shim' --kver $1"
	fi
}

judge_missing()
{
	if ! has_headers "$1"; then
		set_state headers-missing 5 "the headers of this kernel are not installed" \
			"apt install linux-headers-$1"
		[ -e /etc/debian_version ] || next="dnf install kernel-devel-$1"
		return
	fi
	why=$(build_failure "$1")
	why=${why#rdma-shim: }
	set_state not-built 4 "${why:-nobody has built it yet}" "rdma-shim build $1"
}

# Either module works without the other.
judge_running()
{
	loaded=
	for name in rdma_shim svcrdma_shim; do
		case $(module_state "$RUNNING" $name) in
		loaded) loaded=1 ;;
		outdated)
			set_state reload-pending 7 "$name in memory is not the installed one" \
				"$(reload_command)"
			return
			;;
		esac
	done
	if [ -n "$loaded" ]; then
		set_state active 0 "" ""
	else
		judge_refused || set_state built 3 "built, but not loaded" \
			"modprobe rdma_shim"
	fi
}

# A listener keeps its module until nfsd stops.
reload_command()
{
	port=$(nfs_ports "$CLASS" | head -n 1)
	if [ -n "$port" ]; then
		echo "systemctl stop nfs-server && modprobe -r svcrdma_shim rdma_shim && systemctl start nfs-server && rdma-shim nfs start $port"
	else
		echo "modprobe -r svcrdma_shim rdma_shim && modprobe rdma_shim"
	fi
}

# Has module $2 in memory this field $1 of the installed file? One alone is not
# enough: two versions may have the same sources.
same_in_memory()
{
	[ "$(cat "$SYS_MODULE/$2/$1" 2> /dev/null)" = \
	  "$(modinfo -F "$1" "$installed")" ]
}

# What module $2 is on kernel $1: absent, installed, loaded, or outdated, when
# what is loaded is not what is installed.
module_state()
{
	installed=$(module_file "$1" "$2")
	if [ -z "$installed" ]; then
		echo absent
	elif [ "$1" != "$RUNNING" ] || [ ! -d "$SYS_MODULE/$2" ]; then
		echo installed
	elif same_in_memory version "$2" && same_in_memory srcversion "$2"; then
		echo loaded
	else
		echo outdated
	fi
}

# Would the kernel refuse the file's signature? Its keys are named by subject.
judge_refused()
{
	enforce=$SYS_MODULE/module/parameters/sig_enforce
	lockdown=$(sed -n 's/.*\[\(.*\)\].*/\1/p' "$LOCKDOWN" 2> /dev/null)
	[ "$(cat "$enforce" 2> /dev/null)" = Y ] ||
		case $lockdown in integrity | confidentiality) ;; *) return 1 ;; esac
	signer=$(modinfo -F signer "$file")
	if [ -n "$signer" ] && grep -qsF "asymmetri $signer" "$KEYS"; then
		return 1
	fi
	if [ -n "$signer" ]; then
		set_state key-rejected 6 "this kernel loads only modules signed by a key it trusts, and it does not trust \"$signer\"" \
			"mokutil --import $(mok_certificate), then reboot and confirm the key"
	else
		set_state key-rejected 6 "this kernel loads only signed modules, and ours is not signed" \
			"$(signing_command)"
	fi
}

# Where dkms keeps the certificate of the key it signs with.
mok_certificate()
{
	for cert in /var/lib/shim-signed/mok/MOK.der /root/mok.der; do
		[ ! -e "$cert" ] || { echo "$cert"; return; }
	done
	echo /var/lib/dkms/mok.pub
}

# dkms 3 makes a key and signs with it where there is openssl; dkms 2 has to
# be given both.
signing_command()
{
	case $(dkms --version 2> /dev/null) in
	*[-\ ]2.*)
		echo "openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=dkms/ -outform DER -keyout /root/mok.priv -out /root/mok.der && echo sign_tool=/etc/dkms/sign_helper.sh >> /etc/dkms/framework.conf && rdma-shim build --again && mokutil --import /root/mok.der"
		;;
	*)
		echo "apt install openssl mokutil && rdma-shim build --again && mokutil --import $(mok_certificate)"
		;;
	esac
}

# An OFED brings an RDMA core of its own, which ours is not built for.
ofed_present()
{
	[ -e "${RDMA_SHIM_OFED:-/usr/src/ofa_kernel}" ]
}

# The functions that come from us on kernel $1, of module $2 or of any; the
# rest of ib_core is native.
our_functions()
{
	sed -n "s/^[^\t]*\trdma_shim_\([^\t]*\)\t\([^\t]*\/\)\{0,1\}${2:-[^\t]*}\t.*/\1/p" \
		"$STATE/$1/Module.symvers" 2> /dev/null | sort
}

kernels_to_show()
{
	{
		installed_kernels
		echo "$RUNNING"
	} | sort -uV
}

judge_any()
{
	if [ -d "$MODULES/$1/kernel" ]; then
		judge "$1"
	else
		file=
		set_state not-here 4 "the running kernel is not installed on this system (a container or chroot?)" ""
	fi
}

status()
{
	case ${1:-} in
	'') show=show_text ;;
	--json) show=show_json ;;
	*) usage >&2; exit 2 ;;
	esac
	$show
	judge_any "$RUNNING"
	return "$code"
}

show_text()
{
	echo "rdma-shim $VERSION"
	for kernel in $(kernels_to_show); do
		judge_any "$kernel"
		here=
		[ "$kernel" != "$RUNNING" ] || here=" (running)"
		echo "$kernel$here: $state${why:+: $why}"
		[ -z "$next" ] || echo "	next: $next"
		functions=$(our_functions "$kernel" rdma_shim | tr '\n' ' ')
		case $state in
		active | built | reload-pending)
			echo "	ours: $functions"
			echo "	everything else of ib_core is the kernel's own"
			echo "	modules: rdma_shim $(module_state "$kernel" rdma_shim), svcrdma_shim $(module_state "$kernel" svcrdma_shim)"
			;;
		esac
	done
	! ofed_present ||
		echo "an OFED is installed in /usr/src/ofa_kernel: rdma-shim is not built against it and refuses to load beside it"
}

quote()
{
	printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g' | tr '\n\t' '  ')"
}

show_json()
{
	printf '{"version": %s, "running": %s, "ofed": %s, "kernels": [' \
		"$(quote "$VERSION")" "$(quote "$RUNNING")" \
		"$(ofed_present && echo true || echo false)"
	comma=
	for kernel in $(kernels_to_show); do
		judge_any "$kernel"
		printf '%s\n {"kernel": %s, "running": %s, "state": %s, "why": %s, "next": %s, "file": %s, "modules": {"rdma_shim": "%s", "svcrdma_shim": "%s"}, "functions": [' \
			"$comma" "$(quote "$kernel")" \
			"$([ "$kernel" = "$RUNNING" ] && echo true || echo false)" \
			"$(quote "$state")" "$(quote "$why")" "$(quote "$next")" \
			"$(quote "$file")" \
			"$(module_state "$kernel" rdma_shim)" \
			"$(module_state "$kernel" svcrdma_shim)"
		sep=
		for function in $(our_functions "$kernel"); do
			printf '%s%s' "$sep" "$(quote "$function")"
			sep=', '
		done
		printf ']}'
		comma=,
	done
	printf '\n]}\n'
}

doctor()
{
	judge_any "$RUNNING"
	if [ "$code" -eq 0 ]; then
		echo "rdma-shim: all is well on $RUNNING."
		return 0
	fi
	echo "rdma-shim: $RUNNING: $state${why:+: $why}" >&2
	if [ -n "$next" ]; then
		echo "$next"
	else
		echo "rdma-shim: there is no command that puts this right." >&2
	fi
	return "$code"
}
