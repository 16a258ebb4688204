# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # variables of run and report.sh
#
# Versions of ours come, change and go.

deb_install()
{
	apt_ours 1.0
	one_version 1.0
	kernels_built 1.0
}

deb_upgrade()
{
	apt_ours 1.1
	one_version 1.1
	kernels_built 1.1
	[ ! -e "$root/usr/src/rdma-shim-1.0" ] || miss 'the old source is left'
}

deb_downgrade()
{
	apt_ours 1.0
	one_version 1.0
	kernels_built 1.0
	[ ! -e "$root/usr/src/rdma-shim-1.1" ] || miss 'the newer source is left'
}

# The files are gone before, so it is this that brings them back.
deb_reinstall()
{
	rm -r "$root/lib/modules/$(kernels)/updates"
	apt_ours 1.0 --reinstall
	one_version 1.0
	kernels_built 1.0
}

deb_remove()
{
	apt remove rdma-shim-dkms
	configured
	gone "$(kernels)"
	[ ! -e "$root/var/lib/rdma-shim" ] || miss '/var/lib/rdma-shim is left'
	[ ! -e "$root/var/lib/dkms/rdma-shim" ] || miss 'dkms still knows us'
}

deb_purge()
{
	apt purge rdma-shim-dkms
	configured
	as_before
}

# make install and make uninstall, without a package.
deb_from_source()
{
	"$TREE/src/admin/stage" "$root/tmp/source" > /dev/null
	sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="1.0"/' "$root/tmp/source/dkms.conf"
	inside make -C /tmp/source install
	one_version 1.0
	kernels_built 1.0
	inside make -C /tmp/source uninstall
	gone "$(kernels)"
	as_before
}

# What Debian's own test of dkms packages makes of ours: it builds for every
# kernel. It would break the system it runs on, which is thrown away here. Our
# own test needs a machine of its own: guests.sh.
deb_autopkgtest()
{
	local said code=0

	apt install autopkgtest autodep8
	cp -r "$OUT/source-1.0" "$root/root/source"
	cp "$OUT/rdma-shim-dkms_1.0_all.deb" "$root/root/"
	said=$(inside autopkgtest --ignore-restrictions=breaks-testbed --no-built-binaries \
		/root/rdma-shim-dkms_1.0_all.deb /root/source -- null 2>&1) || code=$?
	echo "$said"
	grep '^selftest *SKIP' <<< "$said" || miss 'our test was not skipped'
	grep '^dkms-autopkgtest ' <<< "$said" ||
		give_up "this Debian's autodep8 has no test of dkms packages"
	# 2: some were skipped; 8: and the rest is superficial, as Debian calls
	# its own test.
	[[ $code = [28] ]] || miss "autopkgtest exits with $code"
	grep '^dkms-autopkgtest *PASS' <<< "$said" || miss "Debian's test of dkms packages did not pass"
}
