# SPDX-License-Identifier: GPL-2.0
#
# KERNEL RELEASE DEVICE SUBJECT ROW [WHOSE MIDDLE LEAST MOST]... to JSON.
# Variables: unit, and units, the file that names those of some subjects.

BEGIN {
	printf "{\"unit\": \"%s a call\", \"units\": {", unit
	while (units && (getline text < units) > 0) {
		if (text ~ /^#/ || !match(text, /[ \t]+/)) continue
		printf "%s\"%s\": \"%s\"", between, substr(text, 1, RSTART - 1),
			substr(text, RSTART + RLENGTH)
		between = ", "
	}
	printf "}, \"rows\": ["
}

{
	printf "%s\n{\"subject\": \"%s\", \"row\": \"%s\", \"kernel\": \"%s\", \"device\": \"%s\"",
		(NR > 1 ? "," : ""), $4, $5, $2, $3
	for (i = 6; i + 3 <= NF; i += 4)
		printf ", \"%s\": {\"median\": %s, \"min\": %s, \"max\": %s}",
			$i, $(i + 1), $(i + 2), $(i + 3)
	printf "}"
}

END {
	print "\n]}"
}
