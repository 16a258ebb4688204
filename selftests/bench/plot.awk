# SPDX-License-Identifier: GPL-2.0
#
# The lines of one subject as a matrix for plot.gp: a line for each row of the
# table, a column for each kernel and device, in each the ratio of the package
# to the kernel's own.

$4 == subject {
	col = $1 "/" $3
	if (!(col in have_col)) { have_col[col] = 1; cols[++nc] = col }
	if (!($5 in have_row)) { have_row[$5] = 1; rows[++nr] = $5 }
	for (i = 6; i + 3 <= NF; i += 4) value[$i] = $(i + 1)
	ratio[$5, col] = value["native"] > 0 ? value["ours"] / value["native"] : "?"
	delete value
}

END {
	printf "row"
	for (c = 1; c <= nc; c++) printf " \"%s\"", cols[c]
	print ""
	for (r = 1; r <= nr; r++) {
		printf "\"%s\"", rows[r]
		for (c = 1; c <= nc; c++)
			printf " %s", ((rows[r], cols[c]) in ratio) ? ratio[rows[r], cols[c]] : "?"
		print ""
	}
}
