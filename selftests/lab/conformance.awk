# SPDX-License-Identifier: GPL-2.0
#
# KERNEL DEVICE # conformance PROMISE native|ours pass|fail|skip [reason]
# to the table of selftests/CONFORMANCE.md. Variables: promises (the file with
# their names), kernels, devices (lists), releases (KERNEL=RELEASE ...).
# Exits 1 when a cell with the package is not a pass.

BEGIN {
	nk = split(kernels, k, " ")
	nd = split(devices, d, " ")
	nr = split(releases, r, " ")
	while ((getline line < promises) > 0) {
		if (line ~ /^#/ || line == "") continue
		id = line
		sub(/[ \t].*/, "", id)
		name[id] = line
		sub(/^[^ \t]*[ \t]*/, "", name[id])
		order[++np] = id
	}
	rank["skip"] = 1; rank["pass"] = 2; rank["fail"] = 3
}

# A promise fails on a device as soon as one of its cases does.
$4 == "conformance" && ($7 in rank) {
	key = $5 SUBSEP $1 SUBSEP $2 SUBSEP $6
	seen[$5] = 1
	if (!($5 in name)) {
		name[$5] = "?"
		order[++np] = $5
	}
	if (!(key in state) || rank[$7] > rank[state[key]]) {
		state[key] = $7
		why = $0
		for (i = 0; i < 7; i++) sub(/^[^ ]+ */, "", why)
		reason[key] = why
	}
}

# A device of its own, or what does not need one.
function get(p, kernel, device, who,    key) {
	key = p SUBSEP kernel SUBSEP device SUBSEP who
	if (!(key in state)) key = p SUBSEP kernel SUBSEP "none" SUBSEP who
	return key in state ? state[key] : ""
}

function why_of(p, kernel, device, who,    key) {
	key = p SUBSEP kernel SUBSEP device SUBSEP who
	if (!(key in state)) key = p SUBSEP kernel SUBSEP "none" SUBSEP who
	return reason[key]
}

function mark(s) {
	if (s == "pass") return "yes"
	if (s == "fail") return "**no**"
	return "-"
}

function cells(p,    a, b, s) {
	s = ""
	for (a = 1; a <= nk; a++)
		for (b = 1; b <= nd; b++)
			s = s " " mark(get(p, k[a], d[b], "native")) " / " mark(get(p, k[a], d[b], "ours")) " |"
	return s
}

function reasons(who, title,    i, a, b, p, s, w) {
	printf "\n## %s\n\n", title
	n = 0
	for (i = 1; i <= np; i++) {
		p = order[i]
		for (a = 1; a <= nk; a++) for (b = 1; b <= nd; b++) {
			s = get(p, k[a], d[b], who)
			w = why_of(p, k[a], d[b], who)
			if ((s == "fail" || s == "skip") && w != "") {
				printf "* %s, %s, %s, %s: %s\n", p, k[a], d[b], s == "fail" ? "not kept" : "not tried", w
				n++
			}
		}
	}
	if (!n) print "Nothing to report."
}

END {
	print "# What each kernel does by itself, and with the package"
	print ""
	print "Written by `make conformance` from a full run of the selftests; not edited by"
	print "hand. Each cell says *native / with the package*: **no** is a promise that a"
	print "test saw broken, - one that was not tried (the native code may lock up or crash"
	print "there, or a reason stands below). A promise with several cases is kept when all"
	print "of them are."
	print ""
	printf "Kernels:"
	for (i = 1; i <= nr; i++) {
		split(r[i], pair, "=")
		printf "%s %s is %s", (i > 1 ? "," : ""), pair[1], pair[2]
	}
	print "."
	print ""
	head = "| promise | |"
	rule = "|---|---|"
	for (a = 1; a <= nk; a++) for (b = 1; b <= nd; b++) {
		head = head " " k[a] " " d[b] " |"
		rule = rule "---|"
	}
	print head
	print rule
	for (i = 1; i <= np; i++) {
		if (!(order[i] in seen)) continue
		printf "| %s | %s |%s\n", order[i], name[order[i]], cells(order[i])
		for (a = 1; a <= nk; a++) for (b = 1; b <= nd; b++)
			if (get(order[i], k[a], d[b], "ours") == "fail") bad++
		rows++
	}
	reasons("native", "What the kernels' own code gets wrong")
	reasons("ours", "With the package")
	exit bad > 0 || !rows
}
