// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_scarce ADDRESS PORT rxe|siw
 *
 * Against a transport whose allocations can be made to fail (scarce/): for
 * every n, the n-th one from a new connection on fails. Each call then is
 * served, or refused with ERR_CHUNK, or its connection is closed; with memory
 * to be had again the next client is served, and nothing is left (contract R1,
 * R2, R7).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/memory.h"

#define PARAMETERS	"/sys/module/svcrdma_shim/parameters/"

enum {
	REPLY_TIME = 20000,	/* milliseconds */
	FREE_TIME = 20000,
	BYTES = 9000,		/* of each chunk */
	ALL_KINDS = 4,		/* of calls: see play() */
	MOST = 2000,		/* allocations of a round; it needs a hundred */
};

static unsigned int results, failures;

static void result(bool good, const char *name)
{
	printf("%sok %u - scarce: %s\n", good ? "" : "not ", ++results, name);
	failures += !good;
}

static void set_parameter(const char *path, int value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%d\n", value) < 1 || fclose(file))
		wire_die("%s cannot be written", path);
}

static int parameter(const char *path)
{
	FILE *file = fopen(path, "r");
	int value;

	if (!file || fscanf(file, "%d", &value) != 1 || fclose(file))
		wire_die("%s cannot be read", path);
	return value;
}

struct round {
	struct wire_device *device;
	struct wire_memory *memory;
	struct wire_random random;
	struct wire_message m;
	uint32_t xid;
};

/* How the last call of a round ended. */
enum end { SERVED, REFUSED, CLOSED, SILENCE };

static const char * const end_words[] = {
	"served", "refused", "closed", "no answer",
};

static void segment(struct round *r, struct wire_segment *s)
{
	wire_fill(&r->random, wire_place(r->memory, &r->random, BYTES, NULL, 0,
					 s), BYTES);
}

static void begin(struct round *r)
{
	r->memory->used = 0;
	wire_header(&r->m, ++r->xid, 1, 4, WIRE_MSG);
}

static void end_of_call(struct round *r, enum wire_rpc rpc)
{
	uint8_t call[WIRE_RPC_BYTES];

	wire_rpc_call(call, r->xid, rpc);
	wire_bytes(&r->m, call, sizeof(call));
}

static void build_null(struct round *r)
{
	begin(r);
	wire_word(&r->m, 0);
	wire_word(&r->m, 0);
	wire_word(&r->m, 0);
	end_of_call(r, WIRE_NULL);
}

/* Two data chunks, one of which has two segments. */
static void build_sum(struct round *r)
{
	struct wire_segment s;
	unsigned int i;

	begin(r);
	for (i = 0; i < 3; i++) {
		segment(r, &s);
		wire_read(&r->m, WIRE_RPC_BYTES + (i == 2 ? 2 * BYTES : 0), &s);
	}
	wire_word(&r->m, 0);
	wire_word(&r->m, 0);
	wire_word(&r->m, 0);
	end_of_call(r, WIRE_SUM);
}

/* Arguments by Read, which come back by Write, and a Reply chunk. */
static void build_echo(struct round *r, bool write_chunk)
{
	struct wire_segment s, two[2];

	begin(r);
	segment(r, &s);
	wire_read(&r->m, WIRE_RPC_BYTES, &s);
	wire_word(&r->m, 0);
	if (write_chunk) {
		segment(r, &s);
		wire_chunk(&r->m, &s, 1);
	}
	wire_word(&r->m, 0);
	if (write_chunk) {
		wire_word(&r->m, 0);
	} else {
		segment(r, &two[0]);
		segment(r, &two[1]);
		wire_chunk(&r->m, two, 2);
	}
	end_of_call(r, WIRE_ECHO);
}

static enum end call(struct round *r, struct wire_conn *conn)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	wire_send(conn, r->m.bytes, r->m.length);
	switch (wire_receive(conn, REPLY_TIME, bytes, &length)) {
	case WIRE_CLOSED:
		return CLOSED;
	case WIRE_NOTHING:
		return SILENCE;
	default:
		break;
	}
	if (!wire_parse_reply(bytes, length, &reply) || reply.xid != r->xid)
		return SILENCE;
	if (reply.proc == WIRE_ERROR && reply.error == WIRE_ERR_CHUNK)
		return REFUSED;
	return reply.proc == WIRE_ERROR ? SILENCE : SERVED;
}

/* A new connection and a call of @kinds kinds, as far as they are served. */
static enum end play(struct round *r, unsigned int kinds)
{
	struct wire_conn conn;
	enum end end = CLOSED;
	unsigned int i;

	if (!wire_try_connect(r->device, &conn)) {
		for (i = 0; i < kinds; i++) {
			if (i == 0)
				build_null(r);
			else if (i == 1)
				build_sum(r);
			else
				build_echo(r, i == 2);
			end = call(r, &conn);
			if (end != SERVED)
				break;
		}
	}
	wire_disconnect(&conn);
	return end;
}

/* What the transport holds once its connections are gone. */
static bool nothing_left(int before)
{
	uint64_t end = wire_now() + FREE_TIME;

	while (parameter(PARAMETERS "scarce_live") != before) {
		if (wire_now() > end)
			return false;
		usleep(20000);
	}
	return true;
}

struct sweep {
	unsigned int tries, ends[4];
	unsigned int unanswered, unserved, leaks;
};

/* False when the round needed fewer than @n allocations. */
static bool fail_nth(struct round *r, int n, int before, struct sweep *s)
{
	int failed = parameter(PARAMETERS "scarce_failed");
	enum end end;
	int left;

	set_parameter(PARAMETERS "scarce_fail", n);
	end = play(r, ALL_KINDS);
	/* A buffer that is filled again after the last answer counts too. */
	nothing_left(before);
	set_parameter(PARAMETERS "scarce_fail", 0);
	if (parameter(PARAMETERS "scarce_failed") == failed)
		return false;
	s->tries++;
	s->ends[end]++;
	if (end == SILENCE) {
		s->unanswered++;
		printf("# allocation %d: %s\n", n, end_words[end]);
	}
	end = play(r, 2);
	if (end != SERVED) {
		s->unserved++;
		printf("# after allocation %d: %s\n", n, end_words[end]);
	}
	if (!nothing_left(before)) {
		left = parameter(PARAMETERS "scarce_live");
		printf("# allocation %d: %d too many are left\n", n,
		       left - before);
		s->leaks++;
	}
	return true;
}

/* Places that were asked and never failed have not been tried. */
static unsigned int untried(void)
{
	FILE *file = fopen(PARAMETERS "scarce_sites", "r");
	unsigned int count = 0;
	int asked, failed;
	char site[64];

	if (!file)
		wire_die("the places cannot be read");
	while (fscanf(file, "%63s %d %d", site, &asked, &failed) == 3) {
		printf("# %s asked %d, failed %d\n", site, asked, failed);
		/* Of the listener and the service, before the first round. */
		count += !failed;
	}
	fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	static struct round r = { .random.state = 20261130 };
	struct wire_device device = { 0 };
	struct wire_memory memory;
	struct sweep s = { 0 };
	int n, before;

	if (argc != 4)
		wire_die("usage: wire_scarce ADDRESS PORT rxe|siw");
	if (access(PARAMETERS "scarce_fail", F_OK) ||
	    access("/sys/module/rdma_shim_svc_test", F_OK))
		wire_die("only for the test build of this package's transport");
	setvbuf(stdout, NULL, _IOLBF, 0);
	device.siw = !strcmp(argv[3], "siw");
	wire_open(&device, argv[1], atoi(argv[2]));
	wire_memory_init(&memory, &device, 1 << 20, device.siw);
	r.device = &device;
	r.memory = &memory;
	/* Few buffers to fill, so that rounds are short. */
	set_parameter(PARAMETERS "credits", 4);

	before = parameter(PARAMETERS "scarce_live");
	result(play(&r, ALL_KINDS) == SERVED, "all is served while there is memory");
	result(nothing_left(before), "and nothing is left of it");
	for (n = 1; n < MOST && s.unserved < 3 && s.unanswered < 3; n++)
		if (!fail_nth(&r, n, before, &s))
			break;
	printf("# %u allocations failed: %u times all was served, %u refused, %u closed\n",
	       s.tries, s.ends[SERVED], s.ends[REFUSED], s.ends[CLOSED]);
	result(s.tries > 30 && n < MOST, "each allocation of a round failed once");
	result(!s.unanswered, "a call is served, refused, or its connection closed");
	result(!s.unserved, "the next client is served");
	result(!s.leaks, "nothing is left");
	result(!untried(), "every place that allocates failed");
	printf("1..%u\n", results);
	set_parameter(PARAMETERS "credits", 128);
	wire_memory_free(&memory);
	wire_shut(&device);
	return failures != 0;
}
