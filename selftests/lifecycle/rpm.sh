# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of run and report.sh
#
# The life of the .rpm under real dnf and rpm, from a local repository, on a
# root file system that Debian built: dkms and the kernel's headers are there
# as Debian packages, and a stand-in tells rpm so.

# make_rpm VERSION RELEASE: its module says which release it is of.
make_rpm()
{
	local copy=$OUT/tree-$1-$2

	[ ! -e "$OUT/repo/rdma-shim-dkms-$1-$2.noarch.rpm" ] || return 0
	"$TREE/src/admin/stage" "$copy" > /dev/null
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$copy/dkms.conf"
	echo "MODULE_INFO(release, \"$2\");" >> "$copy/src/main.c"
	RELEASE=$2 "$copy/rpm/make-rpm" > "$OUT/make-rpm-$1-$2.log" 2>&1 ||
		die "make rpm failed: $(tail -n 1 "$OUT/make-rpm-$1-$2.log")"
	mkdir -p "$OUT/repo"
	mv "$copy"/build/*.rpm "$OUT/repo/"
	rm -rf "$copy"
}

# What rpm does not know that Debian installed.
make_standin()
{
	local spec=$OUT/standin.spec

	[ ! -e "$OUT/repo/standin-1-1.noarch.rpm" ] || return 0
	printf '%s\n' 'Name: standin' 'Version: 1' 'Release: 1' \
		'Summary: dkms, kmod and a shell, from Debian' 'License: MIT' \
		'BuildArch: noarch' 'Provides: dkms = 3.0.10' 'Provides: kmod' \
		'Provides: /bin/sh' '%description' 'Nothing.' '%files' > "$spec"
	rpmbuild -bb --quiet --define "_topdir $OUT/standin" "$spec" \
		> "$OUT/standin.log" 2>&1 ||
		die "the stand-in does not build: $(tail -n 1 "$OUT/standin.log")"
	mv "$OUT"/standin/RPMS/noarch/*.rpm "$OUT/repo/"
}

# The repository is copied in for each transaction, and does not stay.
dnf()
{
	mkdir -p "$root/tmp/repo"
	cp -r "$OUT/repo/." "$root/tmp/repo/"
	inside dnf -y --disablerepo='*' --repofrompath=local,/tmp/repo \
		--enablerepo=local --nogpgcheck --setopt=cachedir=/tmp/dnf "$@"
}

# No scriptlet failed, and rpm has one of us, in version-release $1.
rpm_state()
{
	local have

	have=$(inside rpm -q --qf '%{version}-%{release} ' rdma-shim-dkms)
	[ "$have" = "$1 " ] || miss "rpm has: $have"
}

# The module's own word for the release it was built from.
of_release()
{
	local kernel have

	for kernel in $(kernels); do
		have=$(inside modinfo -F release "$(module_of "$kernel" rdma_shim)") || return
		[ "$have" = "$1" ] || miss "the module for $kernel is of release '$have'" || return
	done
}

rpm_system()
{
	suite=$1
	need_tools rpmbuild:rpm:rpm-build createrepo_c:createrepo-c:createrepo_c
	base=$(root "$suite") || exit 1
	make_rpm 1.0 1
	make_rpm 1.0 2
	make_rpm 1.1 1
	make_standin
	createrepo_c -q "$OUT/repo" || die 'createrepo_c fails.'

	event ready base rpm_ready
	event reproducible ready reproducible rpm/make-rpm
	event install ready rpm_install
	event new-release install rpm_new_release
	event upgrade new-release rpm_upgrade
	event downgrade upgrade rpm_downgrade
	event reinstall install rpm_reinstall
	event failing-build install rpm_failing_build
	event remove install rpm_erase
	run_plan
}

# dnf and rpm, and a package in rpm's eyes that stands for Debian's dkms.
rpm_ready()
{
	deb_ready
	apt install dnf rpm
	dnf install standin
	snapshot > "$dir/before"
}

# dnf_ours EXPECTED COMMAND...: the transaction, and one version afterwards.
dnf_ours()
{
	local said

	said=$(dnf "${@:2}" 2>&1) || miss "dnf ${*:2}: $said" || return
	echo "$said"
	[[ ! $said =~ 'scriptlet failed'|'Error in' ]] || miss 'a scriptlet failed' || return
	rpm_state "$1" || return
	one_version "${1%-*}" || return
	kernels_built "${1%-*}" || return
	of_release "${1#*-}"
}

rpm_install()
{
	dnf_ours 1.0-1 install rdma-shim-dkms-1.0-1
}

rpm_new_release()
{
	dnf_ours 1.0-2 upgrade rdma-shim-dkms-1.0-2
}

rpm_upgrade()
{
	dnf_ours 1.1-1 upgrade rdma-shim-dkms-1.1-1
	[ ! -e "$root/usr/src/rdma-shim-1.0" ] || miss 'the old source is left'
}

rpm_downgrade()
{
	dnf_ours 1.0-1 downgrade rdma-shim-dkms-1.0-1
	[ ! -e "$root/usr/src/rdma-shim-1.1" ] || miss 'the newer source is left'
}

# The files are gone before, so it is this that brings them back.
rpm_reinstall()
{
	rm -r "$root/lib/modules/$(kernels)/updates"
	dnf_ours 1.0-1 reinstall rdma-shim-dkms-1.0-1
}

# Headers that do not work: told, and the transaction is whole.
rpm_failing_build()
{
	local kernel header said

	kernel=$(kernels)
	header=$root$(inside readlink -f "/lib/modules/$kernel/build")/include/config/auto.conf
	mv "$header" "$header.away"
	said=$(dnf reinstall rdma-shim-dkms-1.0-1 2>&1) || miss "dnf failed: $said"
	echo "$said"
	rpm_state 1.0-1
	[[ $said == *'never configured'* ]] || miss 'nobody said why'
	gone "$kernel"
	mv "$header.away" "$header"
	inside rdma-shim build
	kernels_built 1.0
}

rpm_erase()
{
	inside rpm -V rdma-shim-dkms || miss 'rpm finds files changed'
	dnf remove rdma-shim-dkms
	gone "$(kernels)"
	as_before
}
