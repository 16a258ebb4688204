# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# make demo: here where this machine can load modules, else in a guest.

demo_on_host()
{
	host_needs
	mkdir -p "$CACHE/log" || die "cannot make $CACHE: name another folder with CACHE=."
	host_modules
	"$TREE/selftests/demo.sh"
}

demo_in_guest()
{
	local kernel=${KERNELS:-6.1}

	say "this machine's kernel cannot load modules, so a Debian guest with kernel ${kernel%% *} shows it"
	shell_cmd --time 600 "${kernel%% *}" ./demo.sh
}
