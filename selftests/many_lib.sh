# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # the folder $work is the caller's
#
# Clients of nfsd that are not the kernel's (wire_many). One that stalls has
# files in $work: go, which it reads, stalled, which it says, and pid.

# many_at_once ADDRESS SOURCE [elsewhere]: eight clients are served, each within
# a second.
many_at_once()
{
	local said ms

	said=$(timeout 120 "$RS_HERE/wire_many" "$1" "$NFS_PORT" "$DEVICE" "$2" ask 8 nfs ${3:+"$3"}) ||
		{ echo "$said"; return 1; }
	echo "$said"
	ms=${said##*slowest } ms=${ms% ms}
	[ "$ms" -le 1000 ]
}

# many_stalls ADDRESS SOURCE [elsewhere]: a client with 64 calls under way.
many_stalls()
{
	rm -f "$work/go"
	mkfifo "$work/go"
	timeout 300 "$RS_HERE/wire_many" "$1" "$NFS_PORT" "$DEVICE" "$2" stall 64 nfs ${3:+"$3"} \
		<> "$work/go" > "$work/stalled" 2>&1 &
	echo $! > "$work/pid"
	nfs_wait 60 grep -q -e ^stalled -e ^# "$work/stalled" && grep -q ^stalled "$work/stalled" && return
	cat "$work/stalled"
	return 1
}

# many_goes_on SECONDS: its calls are answered, in that time.
many_goes_on()
{
	echo go > "$work/go"
	nfs_wait "$1" many_gone || { echo "the client hangs"; many_kill; return 1; }
	cat "$work/stalled"
	grep -q '^64 of 64 are answered' "$work/stalled"
}

many_gone()
{
	! kill -0 "$(cat "$work/pid")"
} 2> /dev/null

many_kill()
{
	kill "$(cat "$work/pid")"
	nfs_wait 20 many_gone
} 2> /dev/null
