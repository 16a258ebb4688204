// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_growth ADDRESS PORT rxe|siw chunks CHUNKS
 *        wire_growth ADDRESS PORT rxe|siw calls CONNECTIONS
 *        wire_growth ADDRESS PORT rxe|siw idle CONNECTIONS
 *
 * How the cost of a server's transport grows: with the Read chunks among which
 * the 64 KiB of one call are shared out, with the connections that take turns
 * in making calls, and by a connection that does nothing.
 *
 * Prints the middle, the least and the most of several rounds: nanoseconds a
 * call, client and wire included; for idle connections bytes of the server's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "wire/memory.h"

#define ROUNDS		5
#define CALLS		32
#define BYTES		65536
#define MOST		64
#define REPLY_TIME	20000	/* milliseconds */

static struct wire_device device;
static struct wire_conn conns[MOST];
static uint32_t xid = 1;

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_rounds(uint64_t *value, unsigned int count)
{
	qsort(value, count, sizeof(*value), compare);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", value[count / 2],
	       value[0], value[count - 1]);
}

/* A NULL call, whose arguments nobody looks at. */
static void build(struct wire_message *m, const struct wire_memory *memory,
		  unsigned int chunks)
{
	uint32_t length = chunks ? BYTES / chunks : 0;
	uint8_t rpc[WIRE_RPC_BYTES];
	struct wire_segment segment;
	unsigned int i;

	wire_header(m, ++xid, 1, 32, WIRE_MSG);
	for (i = 0; i < chunks; i++) {
		segment.handle = memory->mr->rkey;
		segment.length = length;
		segment.offset = (uintptr_t)memory->bytes + i * length;
		wire_read(m, WIRE_RPC_BYTES + i * length, &segment);
	}
	wire_word(m, 0);
	wire_word(m, 0);
	wire_word(m, 0);
	wire_rpc_call(rpc, xid, WIRE_NULL);
	wire_bytes(m, rpc, sizeof(rpc));
}

static void call(struct wire_conn *conn, const struct wire_memory *memory,
		 unsigned int chunks)
{
	static struct wire_message m;
	uint8_t answer[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	build(&m, memory, chunks);
	wire_send(conn, m.bytes, m.length);
	if (wire_receive(conn, REPLY_TIME, answer, &length) != WIRE_GOT ||
	    !wire_parse_reply(answer, length, &reply) ||
	    reply.xid != xid || reply.proc != WIRE_MSG)
		wire_die("a call with %u chunks was not answered", chunks);
}

static void call_each(unsigned int connections, unsigned int calls,
		      const struct wire_memory *memory, unsigned int chunks)
{
	unsigned int i;

	for (i = 0; i < calls; i++)
		call(&conns[i % connections], memory, chunks);
}

/* The first round does not count: caches, and what siw does at first. */
static void time_calls(unsigned int connections, unsigned int chunks)
{
	unsigned int i, calls = CALLS;
	struct wire_memory memory;
	uint64_t value[ROUNDS];
	uint64_t start;

	if (calls < connections)
		calls = connections;
	wire_memory_init(&memory, &device, BYTES, false);
	for (i = 0; i < connections; i++)
		wire_connect(&device, &conns[i]);
	call_each(connections, calls, &memory, chunks);
	for (i = 0; i < ROUNDS; i++) {
		start = nanoseconds();
		call_each(connections, calls, &memory, chunks);
		value[i] = (nanoseconds() - start) / calls;
	}
	for (i = 0; i < connections; i++)
		wire_disconnect(&conns[i]);
	wire_memory_free(&memory);
	print_rounds(value, ROUNDS);
}

/* Bytes that nobody has, what can be dropped having been dropped. */
static uint64_t free_bytes(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *file;

	/* What is freed after a grace period, or by a worker, is gone by then. */
	sleep(2);
	file = fopen("/proc/sys/vm/drop_caches", "w");
	if (!file || fputs("3", file) < 0 || fclose(file))
		wire_die("the caches cannot be dropped");
	file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %lu", &kib) == 1)
			break;
	if (!kib)
		wire_die("/proc/meminfo does not say what is free");
	fclose(file);
	return kib * 1024ULL;
}

/* The client's half is there before, and is not counted. */
static void weigh_idle(unsigned int connections)
{
	uint64_t value[ROUNDS], before, after;
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < connections; i++)
			wire_prepare(&device, &conns[i]);
		before = free_bytes();
		for (i = 0; i < connections; i++)
			if (wire_join(&conns[i]))
				wire_die("connection %u is not accepted", i);
		after = free_bytes();
		value[round] = before > after ?
			       (before - after) / connections : 0;
		for (i = 0; i < connections; i++)
			wire_disconnect(&conns[i]);
		sleep(1);
	}
	print_rounds(value, ROUNDS);
}

int main(int argc, char **argv)
{
	const char *what;
	int amount;

	if (argc != 6)
		wire_die("usage: wire_growth ADDRESS PORT rxe|siw chunks|calls|idle AMOUNT");
	what = argv[4];
	amount = atoi(argv[5]);
	if (amount < 1 || amount > MOST)
		wire_die("%s is not from 1 to %d", argv[5], MOST);
	device.siw = !strcmp(argv[3], "siw");
	wire_open(&device, argv[1], atoi(argv[2]));
	if (!strcmp(what, "chunks"))
		time_calls(1, amount);
	else if (!strcmp(what, "calls"))
		time_calls(amount, 0);
	else
		weigh_idle(amount);
	wire_shut(&device);
	return 0;
}
