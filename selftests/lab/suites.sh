# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What is there to run? Reads selftests/suites, or another list of that form.

SUITES_FILE=${SUITES_FILE:-$TREE/selftests/suites}

# suite_field NAME COLUMN
suite_field()
{
	table "$SUITES_FILE" | awk -v n="$1" -v c="$2" '$1 == n { print $c; exit }'
}

suite_has()
{
	[[ ",$(suite_field "$1" 6)," == *",$2,"* ]]
}

# suite_kind NAME: whose functions it drives.
suite_kind()
{
	if suite_has "$1" native; then echo native; else echo ours; fi
}

# suites_on DEVICE: the names, in order. SUITES= narrows, LONG= and
# CONFORMANCE= widen.
suites_on()
{
	local name devices flags rest

	while read -r name _ _ devices rest flags; do
		[[ ",$devices," == *",$1,"* ]] || continue
		[ -z "${SUITES:-}" ] || [[ " ${SUITES//,/ } " == *" $name "* ]] || continue
		[[ ",$flags," != *,long,* ]] || [ -n "${LONG:-}" ] || [ -n "${SUITES:-}" ] || continue
		[[ ",$flags," != *,native,* ]] || [ -n "${CONFORMANCE:-}" ] || [ -n "${SUITES:-}" ] || continue
		echo "$name"
	done < <(table "$SUITES_FILE")
}

check_suites()
{
	local s

	for s in $(tr , " " <<< "${SUITES:-}"); do
		[ -n "$(suite_field "$s" 1)" ] ||
			die "unknown suite '$s': SUITES= takes any of $(table "$SUITES_FILE" | awk '{ print $1 }' | xargs)."
	done
}

# suite_machine NAME: what its flags want the guest to be like.
suite_machine()
{
	if suite_has "$1" swiotlb; then
		GUEST_APPEND+=" swiotlb=force"
	fi
	if suite_has "$1" iommu; then
		GUEST_APPEND+=" intel_iommu=on iommu.passthrough=0"
		GUEST_ARGS+=" -machine q35 -device intel-iommu -device edu,dma_mask=0xffffffffffffffff"
	fi
}

# suite_command NAME DEVICE: the command line of one run.
suite_command()
{
	local program

	program=$(suite_field "$1" 2)
	printf 'export DEVICE=%s SCALE=%s LONG=%s\nexec ./%s\n' \
		"${2#none}" "${SCALE:-1}" "${LONG:-}" "${program//,/ }"
}
