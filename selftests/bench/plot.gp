# SPDX-License-Identifier: GPL-2.0
#
# The ratios of one subject as bars; 1 is what the kernel's own code costs.
# Variables: data, out, subject.

set terminal svg size 900,420 font "sans,12" background "white"
set output out
set datafile missing "?"
set title subject.": cost with the package, the running kernel's own being 1" noenhanced
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set yrange [0:*]
set ylabel "ratio"
set grid ytics
set key outside right noenhanced
set xtics noenhanced
stats data every ::1 using 0 nooutput
plot for [i=2:STATS_columns] data using i:xtic(1) title columnheader(i), \
	1 with lines dashtype 2 linecolor "black" notitle
