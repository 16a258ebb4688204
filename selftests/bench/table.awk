# SPDX-License-Identifier: GPL-2.0
#
# KERNEL RELEASE DEVICE SUBJECT ROW [WHOSE MIDDLE LEAST MOST]... to a table in
# Markdown. Variables: unit, and units, the file that names those of some
# subjects.

BEGIN {
	while (units && (getline text < units) > 0) {
		if (text ~ /^#/ || !match(text, /[ \t]+/)) continue
		unit_of[substr(text, 1, RSTART - 1)] = substr(text, RSTART + RLENGTH)
	}
}

# In a guest that counts, rounds differ by little; what they do is said.
function figure(i) {
	if ($(i + 2) == $(i + 3)) return $(i + 1)
	return $(i + 1) " (" $(i + 2) " to " $(i + 3) ")"
}

NR == 1 {
	print "# What the functions cost"
	print ""
	print "Written by `make bench`. The middle of all rounds, and the least and the"
	print "most where they differ. The ratio is that of the middles, the package's"
	print "over the running kernel's own. Each line is of the last run that had it."
}

{
	if (!($4 in seen)) {
		seen[$4] = ++n
		named[n] = $4
	}
	if (!(($1, $2) in release)) {
		release[$1, $2] = 1
		if (!known[$2]++) kernels = kernels (kernels ? ", " : "") $2
	}
	native = ours = ""
	rest = ""
	for (i = 6; i + 3 <= NF; i += 4) {
		if ($i == "native") { native = $(i + 1); native_text = figure(i) }
		else if ($i == "ours") { ours = $(i + 1); ours_text = figure(i) }
		else rest = rest (rest ? ", " : "") $i " " figure(i)
	}
	ratio = native > 0 && ours != "" ? sprintf("%.3f", ours / native) : "-"
	line[$4] = line[$4] sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", $5, $1, $3,
		native == "" ? "-" : native_text, ours == "" ? "-" : ours_text, ratio, rest)
}

END {
	print ""
	print "Kernels: " kernels "."
	for (i = 1; i <= n; i++) {
		print "\n## " named[i] "\n"
		print "In " (named[i] in unit_of ? unit_of[named[i]] : unit " a call") ".\n"
		print "![" named[i] "](" named[i] ".svg)\n"
		print "| row | kernel | device | native | package | ratio | beside |"
		print "|---|---|---|--:|--:|--:|---|"
		printf "%s", line[named[i]]
	}
}
