# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Where do Debian packages come from? MIRROR= (and MIRROR_SECURITY=), or
# what this machine's apt already uses. No host name stands in the tree.

# apt_uris: the address of every binary source apt knows, both formats.
apt_uris()
{
	local dir=${APT_DIR:-/etc/apt}

	cat "$dir"/sources.list "$dir"/sources.list.d/*.list 2>/dev/null |
		sed -n 's/^[[:space:]]*deb[[:space:]]*\(\[[^]]*\]\)\{0,1\}[[:space:]]*\([^[:space:]]*\).*/\2/p'
	cat "$dir"/sources.list.d/*.sources 2>/dev/null |
		sed -n 's/^URIs:[[:space:]]*//Ip' | tr -s ' \t' '\n'
}

# apt_mirror NAME: the first source whose path ends in /NAME.
apt_mirror()
{
	apt_uris | sed 's,/*$,,' | grep -m 1 -E "^(https?|file|copy):.*/$1$"
}

mirror_main()
{
	local m=${MIRROR:-$(apt_mirror debian)}

	[ -n "$m" ] ||
		die "no Debian mirror in this machine's apt configuration: name one with MIRROR=http://HOST/debian."
	echo "${m%/}"
}

mirror_security()
{
	local main m=${MIRROR_SECURITY:-}

	[ -n "$m" ] || [ -n "${MIRROR:-}" ] || m=$(apt_mirror debian-security)
	if [ -z "$m" ]; then
		main=$(mirror_main) || exit 1
		m=$main-security
	fi
	echo "${m%/}"
}

# suite_url SUITE
suite_url()
{
	case $1 in
	*-security) mirror_security ;;
	*) mirror_main ;;
	esac
}

# apt_settings: how this machine's apt reaches its mirrors (proxies, clocks).
apt_settings()
{
	apt-config dump 2>/dev/null |
		grep -E '^Acquire::(Check-|http::|https::|Retries|ftp::)' | grep -v '""' || true
	echo 'Acquire::Retries "3";'
	echo 'Acquire::Languages "none";'
	echo 'APT::Install-Recommends "false";'
}
