// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_hostile ADDRESS PORT rxe|siw [refuse COUNT | mutate COUNT SEED]
 *
 * Each row of the table of wire/hostile.c, then every truncation of a valid
 * header, then messages around the longest one that is accepted. After each of
 * them a correct call on a new connection must be answered (contract R2, R5 to
 * R7). With "refuse", COUNT calls that are refused instead (R9); with "mutate",
 * COUNT messages changed at random, the same ones for the same SEED.
 *
 * Only for the transport of this package, in a guest: it has to find it loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/hostile.h"

enum { REPLY_TIME = 20000 };

static unsigned int results, failures;

static void result(bool good, const char *group, const char *name)
{
	printf("%sok %u - %s: %s\n", good ? "" : "not ", ++results, group, name);
	failures += !good;
}

/* What came back for the message in @h. */
static enum hostile_answer get_answer(struct hostile *h, struct wire_conn *conn)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	switch (wire_receive(conn, REPLY_TIME, bytes, &length)) {
	case WIRE_CLOSED:
		return ANSWER_CLOSE;
	case WIRE_NOTHING:
		return ANSWER_NONE;
	default:
		break;
	}
	if (!wire_parse_reply(bytes, length, &reply))
		return ANSWER_NONE;
	/* What came may be the answer to the NULL call behind it. */
	if (reply.xid != h->xid)
		return ANSWER_NONE;
	if (reply.proc != WIRE_ERROR)
		return ANSWER_GOOD;
	if (reply.error == WIRE_ERR_CHUNK)
		return ANSWER_CHUNK;
	if (reply.error == WIRE_ERR_VERS && reply.low == 1 && reply.high == 1)
		return ANSWER_VERS;
	return ANSWER_NONE;
}

static void send_null(struct wire_conn *conn, uint32_t xid)
{
	static struct wire_message m;
	uint8_t call[WIRE_RPC_BYTES];

	wire_rpc_call(call, xid, WIRE_NULL);
	wire_header(&m, xid, 1, 32, WIRE_MSG);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_bytes(&m, call, sizeof(call));
	wire_send(conn, m.bytes, m.length);
}

static bool null_answered(struct wire_conn *conn, uint32_t xid)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	return wire_receive(conn, REPLY_TIME, bytes, &length) == WIRE_GOT &&
	       wire_parse_reply(bytes, length, &reply) && reply.xid == xid &&
	       reply.proc == WIRE_MSG && reply.body_length == 24;
}

static bool serves_others(struct wire_device *device)
{
	struct wire_conn conn;
	bool good;

	if (wire_try_connect(device, &conn)) {
		wire_disconnect(&conn);
		return false;
	}
	send_null(&conn, 4711);
	good = null_answered(&conn, 4711);
	wire_disconnect(&conn);
	return good;
}

/* Sends what is in @h; true if the answer is @expected, and all that follows. */
static bool try_message(struct wire_device *device, struct hostile *h,
			enum hostile_answer expected, const char *name)
{
	static const char * const words[] = {
		"the call was served", "ERR_VERS", "ERR_CHUNK", "no answer",
		"the connection was closed",
	};
	enum hostile_answer answer;
	struct wire_conn conn;
	bool good;

	wire_connect(device, &conn);
	wire_send(&conn, h->m->bytes, h->m->length);
	if (expected == ANSWER_NONE) {
		send_null(&conn, 4712);
		good = null_answered(&conn, 4712);
		answer = good ? ANSWER_NONE : ANSWER_CLOSE;
	} else {
		answer = get_answer(h, &conn);
		good = answer == expected;
	}
	if (good && answer != ANSWER_CLOSE && answer != ANSWER_NONE) {
		send_null(&conn, 4713);
		good = null_answered(&conn, 4713);
		if (!good)
			printf("# %s: the connection did not stay\n", name);
	}
	if (answer != expected)
		printf("# %s: %s, not: %s\n", name, words[answer],
		       words[expected]);
	wire_disconnect(&conn);
	if (!serves_others(device)) {
		printf("# %s: others are not served\n", name);
		return false;
	}
	return good;
}

static void next_message(struct hostile *h, uint32_t value)
{
	h->xid++;
	h->value = value;
	h->m->length = 0;
}

static void table(struct wire_device *device, struct hostile *h)
{
	const struct hostile_row *row;
	unsigned int i;

	for (i = 0; i < hostile_count; i++) {
		row = &hostile_rows[i];
		next_message(h, row->value);
		row->build(h);
		result(try_message(device, h, row->answer, row->name),
		       row->answer == ANSWER_CLOSE ? "close" : "table",
		       row->name);
	}
}

/* A header that ends before its xid, version, credits and procedure do. */
#define UNANSWERABLE	16

static void truncation(struct wire_device *device, struct hostile *h,
		       unsigned int step)
{
	enum hostile_answer expected;
	unsigned int cut, bad = 0;
	size_t whole;
	char name[40];

	next_message(h, 0);
	hostile_full_header(h);
	whole = h->m->length;
	for (cut = 0; cut < whole; cut += cut < UNANSWERABLE + 8 ? 1 : step) {
		next_message(h, 0);
		hostile_full_header(h);
		h->m->length = cut;
		snprintf(name, sizeof(name), "cut after %u bytes", cut);
		expected = cut < UNANSWERABLE ? ANSWER_CLOSE : ANSWER_CHUNK;
		bad += !try_message(device, h, expected, name);
	}
	result(!bad, "table", "a valid header, cut anywhere");
}

static bool accepted(struct wire_device *device, struct hostile *h,
		     void (*build)(struct hostile *h), uint32_t value,
		     enum hostile_answer *answer)
{
	struct wire_conn conn;

	next_message(h, value);
	build(h);
	wire_connect(device, &conn);
	wire_send(&conn, h->m->bytes, h->m->length);
	*answer = get_answer(h, &conn);
	wire_disconnect(&conn);
	return *answer == ANSWER_GOOD;
}

/* The longest message of a kind that is served; 0 if one is not answered. */
static uint32_t longest(struct wire_device *device, struct hostile *h,
			void (*build)(struct hostile *h))
{
	uint32_t low = 1 << 20, high = 2 << 20, middle;
	enum hostile_answer answer;

	if (!accepted(device, h, build, low, &answer))
		return 0;
	while (high - low > 4) {
		middle = ((low + high) / 2) & ~3U;
		if (accepted(device, h, build, middle, &answer))
			low = middle;
		else if (answer == ANSWER_CHUNK)
			high = middle;
		else
			return 0;
	}
	return low;
}

/*
 * What fills pages has the same limit with and without inline bytes. A page is
 * left for the reply, so the service can answer at the limit (R6).
 */
static void limits(struct wire_device *device, struct hostile *h)
{
	uint32_t data, call, both;

	data = longest(device, h, hostile_data_chunk);
	call = longest(device, h, hostile_call_chunk);
	both = longest(device, h, hostile_two_chunks);
	printf("# longest data chunk %u, call chunk %u, with inline bytes %u\n",
	       data, call, both);
	result(data >= 1 << 20 && !(data % 4096), "limit",
	       "a data chunk fills whole pages, 1 MiB at least");
	result(call == data, "limit", "a call chunk has the same limit");
	result(both == data, "limit", "inline bytes count");
	next_message(h, data + 1);
	hostile_data_chunk(h);
	result(try_message(device, h, ANSWER_CHUNK, "a byte more"), "limit",
	       "a byte more is refused");
}

/* Rows that are refused, one after another on one connection. */
static void refuse(struct wire_device *device, struct hostile *h,
		   unsigned int count)
{
	const struct hostile_row *row;
	unsigned int i, at = 0, bad = 0;
	struct wire_conn conn;

	wire_connect(device, &conn);
	for (i = 0; i < count && !conn.closed && bad < 10; at++) {
		row = &hostile_rows[at % hostile_count];
		if (row->answer != ANSWER_CHUNK && row->answer != ANSWER_VERS)
			continue;
		next_message(h, row->value);
		row->build(h);
		wire_send(&conn, h->m->bytes, h->m->length);
		if (get_answer(h, &conn) != row->answer) {
			printf("# %s, call %u\n", row->name, i);
			bad++;
		}
		i++;
	}
	printf("# %u calls were refused\n", i - bad);
	result(i == count && !bad, "refused", "all on one connection");
	wire_disconnect(&conn);
}

/* The message and a NULL call behind it; false if neither has a consequence. */
static bool survives(struct wire_conn *conn, struct hostile *h)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	enum wire_end end;
	size_t length;

	wire_send(conn, h->m->bytes, h->m->length);
	send_null(conn, 4714);
	do {
		end = wire_receive(conn, REPLY_TIME, bytes, &length);
		if (end == WIRE_CLOSED)
			return true;
	} while (end == WIRE_GOT && wire_parse_reply(bytes, length, &reply) &&
		 reply.xid != 4714);
	return end == WIRE_GOT && reply.xid == 4714;
}

static void mutate(struct wire_device *device, struct hostile *h,
		   unsigned int count, uint64_t seed)
{
	unsigned int i, times, bad = 0, closed = 0;
	const struct hostile_row *row;
	struct wire_random random;
	struct wire_conn conn;

	wire_connect(device, &conn);
	for (i = 0; i < count && bad < 10; i++) {
		random.state = 0x9e3779b97f4a7c15ULL * (seed + i + 1);
		row = &hostile_rows[wire_random(&random, hostile_count)];
		next_message(h, row->value);
		row->build(h);
		for (times = 1 + wire_random(&random, 4); times--; )
			wire_mutate(h->m, &random);
		if (!survives(&conn, h)) {
			printf("# seed %lu: no answer\n", (unsigned long)seed + i);
			conn.closed = true;
			bad++;
		}
		if (!conn.closed)
			continue;
		closed++;
		wire_disconnect(&conn);
		bad += !serves_others(device);
		wire_connect(device, &conn);
	}
	wire_disconnect(&conn);
	printf("# %u messages, %u closed their connection\n", i, closed);
	result(!bad, "mutate", "each message changed at random has an end");
}

int main(int argc, char **argv)
{
	static struct wire_message m;
	struct wire_device device = { 0 };
	struct wire_memory memory;
	struct hostile h = { .m = &m, .memory = &memory, .xid = 100000 };
	struct ibv_mr *stale;
	uint64_t begun;

	if (argc != 4 && argc != 6 && argc != 7)
		wire_die("usage: wire_hostile ADDRESS PORT rxe|siw [refuse|mutate COUNT [SEED]]");
	if (access("/sys/module/rdma_shim_svc_test", F_OK))
		wire_die("not against anything but the test module of this package");
	setvbuf(stdout, NULL, _IOLBF, 0);
	device.siw = !strcmp(argv[3], "siw");
	wire_open(&device, argv[1], atoi(argv[2]));
	wire_memory_init(&memory, &device, 4 << 20, device.siw);
	h.good = (struct wire_segment){
		.handle = memory.mr->rkey,
		.length = HOSTILE_BYTES,
		.offset = (uintptr_t)memory.bytes,
	};
	stale = wire_register(&device, memory.bytes, HOSTILE_BYTES);
	h.stale = stale->rkey;
	ibv_dereg_mr(stale);

	begun = wire_now();
	if (argc == 7) {
		mutate(&device, &h, atoi(argv[5]), strtoull(argv[6], NULL, 0));
	} else if (argc == 6) {
		refuse(&device, &h, atoi(argv[5]));
	} else {
		table(&device, &h);
		truncation(&device, &h, 3);
		limits(&device, &h);
	}
	printf("# %lu ms\n", (unsigned long)(wire_now() - begun));
	printf("1..%u\n", results);
	wire_memory_free(&memory);
	wire_shut(&device);
	return failures != 0;
}
