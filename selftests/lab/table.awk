# SPDX-License-Identifier: GPL-2.0
#
# KERNEL DEVICE SUITE STATE PASSED FAILED SKIPPED ... to a table, kernels down
# and suites across, and the closing line.

{
	row = $1
	col = $2 == "none" ? $3 : $3 "/" $2
	if (length(row) > first) first = length(row)
	if (!(row in have_row)) { have_row[row] = 1; rows[++nrows] = row }
	if (!(col in have_col)) { have_col[col] = 1; cols[++ncols] = col }
	cell[row, col] = $4 == "pass" ? "ok " $5 : $4 == "skip" ? "skip" : "FAIL " $6
	passed += $5
	failed += $6
	skipped += $7
}

function block(from, to,    r, c, w, text) {
	printf "\n%-*s", first, "kernel"
	for (c = from; c <= to; c++)
		printf "  %-*s", width[c], cols[c]
	printf "\n"
	for (r = 1; r <= nrows; r++) {
		printf "%-*s", first, rows[r]
		for (c = from; c <= to; c++) {
			text = cell[rows[r], cols[c]]
			printf "  %-*s", width[c], text == "" ? "-" : text
		}
		printf "\n"
	}
}

END {
	from = 1
	if (first < 6) first = 6
	used = first
	for (c = 1; c <= ncols; c++) {
		width[c] = length(cols[c]) < 7 ? 7 : length(cols[c])
		if (used + width[c] + 2 > 110) {
			block(from, c - 1)
			from = c
			used = first
		}
		used += width[c] + 2
	}
	if (ncols) block(from, ncols)
	printf "\n%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed + skipped == 0
}
