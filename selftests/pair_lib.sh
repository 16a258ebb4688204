# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For suites in two guests (lab/pair.sh): b does what a asks for, until a says
# that it is over.

PAIR_CONTROL=7000

# ---- guest b

# pair_obey: returns when it is over.
pair_obey()
{
	"$RS_HERE/remote" serve $PAIR_CONTROL &
	PAIR_REMOTE=$!
	until [ -e /tmp/over ]; do sleep 1; done
}

# pair_serve: nfsd serves, until it is over.
pair_serve()
{
	nfs_serve_new || rs_skip "nfsd does not serve"
	pair_obey
	trap - EXIT
	nfs_cleanup
}

# pair_over: the silence tells a that all has been put away.
pair_over()
{
	kill "$PAIR_REMOTE"
}

# ---- guest a

# on_b COMMAND: its output, its exit code.
on_b()
{
	timeout 120 "$RS_HERE/remote" "$PEER" $PAIR_CONTROL "$1"
}

pair_wait()
{
	nfs_wait 200 on_b true 2> /dev/null
}

pair_silent()
{
	! on_b true
} 2> /dev/null

# pair_end SECONDS: b puts everything away, in that time.
pair_end()
{
	on_b "touch /tmp/over"
	nfs_wait "$1" pair_silent
}
