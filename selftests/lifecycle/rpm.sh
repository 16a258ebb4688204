# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # system is set in run
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

	printf '%s\n' 'Name: standin' 'Version: 1' 'Release: 1' \
		'Summary: dkms, kmod and a shell, from Debian' 'License: MIT' \
		'BuildArch: noarch' 'Provides: dkms = 3.0.10' 'Provides: kmod' \
		'Provides: /bin/sh' '%description' 'Nothing.' '%files' > "$spec"
	rpmbuild -bb --quiet --define "_topdir $OUT/standin" "$spec" \
		> "$OUT/standin.log" 2>&1 ||
		die "the stand-in does not build: $(tail -n 1 "$OUT/standin.log")"
	mv "$OUT"/standin/RPMS/noarch/*.rpm "$OUT/repo/"
}

dnf()
{
	in_root "$root" dnf -y --disablerepo='*' --repofrompath=local,/srv/repo \
		--enablerepo=local --nogpgcheck --setopt=cachedir=/tmp/dnf "$@"
}

# No scriptlet failed, and rpm has one of us, in version-release $1.
rpm_state()
{
	local have

	have=$(in_root "$root" rpm -q --qf '%{version}-%{release} ' rdma-shim-dkms)
	[ "$have" = "$1 " ] || miss "rpm has: $have"
}

# The module's own word for the release it was built from.
of_release()
{
	local kernel have

	for kernel in $(kernels); do
		have=$(in_root "$root" modinfo -F release "$(module_of "$kernel" rdma_shim)")
		[ "$have" = "$1" ] || miss "the module for $kernel is of release '$have'" || return
	done
}

rpm_system()
{
	local suite=$2 base

	system=$1
	need_tools rpmbuild:rpm:rpm-build createrepo_c:createrepo-c:createrepo_c
	base=$(root "$suite") || exit 1
	make_rpm 1.0 1
	make_rpm 1.0 2
	make_rpm 1.1 1
	make_standin
	createrepo_c -q "$OUT/repo" || die 'createrepo_c fails.'
	system_up "$base" "$suite"
	mkdir -p "$root/srv/repo"
	mount --bind "$OUT/repo" "$root/srv/repo"
	{ apt update && apt install dnf rpm; } > "$OUT/$system-dnf.log" 2>&1 ||
		die "dnf cannot be installed in $system (log: $OUT/$system-dnf.log)"
	dnf install standin > "$OUT/$system-standin.log" 2>&1 ||
		die "dnf does not work in $system: $(tail -n 1 "$OUT/$system-standin.log")"

	event reproducible reproducible rpm/make-rpm
	snapshot > "$OUT/$system.before"
	event install rpm_install
	event new-release rpm_new_release
	event upgrade rpm_upgrade
	event downgrade rpm_downgrade
	event reinstall rpm_reinstall
	event failing-build rpm_failing_build
	event remove rpm_erase

	system_down
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

rpm_reinstall()
{
	dnf_ours 1.0-1 reinstall rdma-shim-dkms-1.0-1
}

# Headers that do not work: told, and the transaction is whole.
rpm_failing_build()
{
	local kernel header said

	kernel=$(kernels | head -n 1)
	header=$root$(in_root "$root" readlink -f "/lib/modules/$kernel/build")/include/config/auto.conf
	mv "$header" "$header.away"
	said=$(dnf reinstall rdma-shim-dkms-1.0-1 2>&1) || miss "dnf failed: $said"
	echo "$said"
	rpm_state 1.0-1
	[[ $said == *'never configured'* ]] || miss 'nobody said why'
	gone "$kernel"
	mv "$header.away" "$header"
	in_root "$root" rdma-shim build
	kernels_built 1.0
}

rpm_erase()
{
	local kernel

	dnf remove rdma-shim-dkms
	for kernel in $(kernels); do
		gone "$kernel"
	done
	snapshot > "$OUT/$system.after"
	diff "$OUT/$system.before" "$OUT/$system.after" || miss 'the system is not as it was'
}
