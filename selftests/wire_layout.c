// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_layout ADDRESS PORT rxe|siw SEED COUNT
 *
 * Calls cut into chunks in every way that RFC 8166 allows, some by hand and
 * COUNT at random. The service's answer must be that for the bytes that TCP
 * would have delivered (contract R3, R4).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/layout.h"

#define SHAPE_CHUNKS	4

/* A call by hand: of @length bytes, its chunks in the order of positions. */
struct shape {
	const char *name;
	uint32_t length;
	bool call_chunk;
	unsigned int call_segments;
	struct layout_chunk chunks[SHAPE_CHUNKS];
};

/* Positions and lengths around words and pages; RPC header is 40 bytes. */
static const struct shape shapes[] = {
	{ .name = "no chunk, no arguments", .length = 40 },
	{ .name = "no chunk", .length = 1000 },
	{ .name = "one chunk at the end", .length = 40 + 4096,
	  .chunks = { { 40, 4096, false, 1 } } },
	{ .name = "one byte", .length = 44,
	  .chunks = { { 40, 1, false, 1 } } },
	{ .name = "three bytes and their pad", .length = 44,
	  .chunks = { { 40, 3, true, 1 } } },
	{ .name = "a chunk in the middle", .length = 4200,
	  .chunks = { { 80, 4093, false, 2 } } },
	{ .name = "1 MiB", .length = 40 + (1 << 20),
	  .chunks = { { 40, 1 << 20, false, 1 } } },
	{ .name = "1 MiB less one", .length = 40 + (1 << 20),
	  .chunks = { { 40, (1 << 20) - 1, false, 4 } } },
	{ .name = "100 segments", .length = 40 + 100000,
	  .chunks = { { 40, 100000, false, 100 } } },
	{ .name = "two chunks without a gap", .length = 40 + 8192,
	  .chunks = { { 40, 4096, false, 1 }, { 4136, 4096, false, 1 } } },
	{ .name = "two unpadded chunks", .length = 40 + 8192,
	  .chunks = { { 40, 4093, false, 1 }, { 4136, 4095, false, 1 } } },
	{ .name = "four chunks with gaps", .length = 20000,
	  .chunks = { { 44, 511, false, 1 }, { 600, 4097, true, 2 },
		      { 4800, 8191, false, 3 }, { 13000, 6999, false, 1 } } },
	{ .name = "a chunk that holds part of the RPC header", .length = 2000,
	  .chunks = { { 8, 1500, true, 1 } } },
	{ .name = "a call chunk alone", .length = 140,
	  .call_chunk = true, .call_segments = 1 },
	{ .name = "a call chunk of 1 MiB", .length = 1 << 20,
	  .call_chunk = true, .call_segments = 3 },
	{ .name = "a call chunk whose length is odd", .length = 4099,
	  .call_chunk = true, .call_segments = 2 },
	{ .name = "a chunk inside of a call chunk", .length = 140 + 4096,
	  .call_chunk = true, .call_segments = 1,
	  .chunks = { { 128, 4096, false, 1 } } },
	{ .name = "a chunk at the end of a call chunk", .length = 140 + 4096,
	  .call_chunk = true, .call_segments = 1,
	  .chunks = { { 140, 4096, false, 1 } } },
	{ .name = "three unpadded chunks inside of a call chunk",
	  .length = 30000, .call_chunk = true, .call_segments = 3,
	  .chunks = { { 100, 5001, false, 2 }, { 5104, 3, false, 1 },
		      { 20000, 9998, false, 4 } } },
};

static unsigned int results, failures;

static void result(bool good, const char *name)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++results, name);
	failures += !good;
}

static const char *connect_and_try(struct wire_device *device,
				   struct wire_conn *conn, struct layout *l,
				   struct wire_memory *memory,
				   struct wire_random *random)
{
	const char *wrong;

	if (conn->closed) {
		wire_disconnect(conn);
		wire_connect(device, conn);
	}
	wrong = layout_try(l, conn, memory, random);
	if (wrong) {
		printf("# %s\n", wrong);
		layout_describe(l);
		/* What comes late must not be taken for the next answer. */
		conn->closed = true;
	}
	return wrong;
}

static void from_shape(const struct shape *shape, struct layout *l,
		       struct wire_random *random)
{
	unsigned int i;

	l->rpc = WIRE_SUM;
	l->xid = wire_random(random, UINT32_MAX);
	l->length = shape->length;
	l->call_chunk = shape->call_chunk;
	l->call_segments = shape->call_segments;
	l->mixed = false;
	l->write_chunk = false;
	l->reply_chunk = false;
	for (i = 0; i < SHAPE_CHUNKS && shape->chunks[i].length; i++)
		l->chunks[i] = shape->chunks[i];
	l->count = i;
	wire_fill(random, l->call, l->length);
	wire_rpc_call(l->call, l->xid, l->rpc);
}

int main(int argc, char **argv)
{
	static struct layout l;
	struct wire_random random = { .state = 1 };
	unsigned int i, count, bad = 0;
	struct wire_memory memory;
	struct wire_device device = { 0 };
	struct wire_conn conn;
	uint64_t begun, seed;

	if (argc != 6)
		wire_die("usage: wire_layout ADDRESS PORT rxe|siw SEED COUNT");
	seed = strtoull(argv[4], NULL, 0);
	count = atoi(argv[5]);
	l.call = malloc(LAYOUT_BYTES);
	if (!l.call)
		wire_die("no memory");
	setvbuf(stdout, NULL, _IOLBF, 0);
	device.siw = !strcmp(argv[3], "siw");
	wire_open(&device, argv[1], atoi(argv[2]));
	wire_memory_init(&memory, &device, 8 << 20, device.siw);
	wire_connect(&device, &conn);

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		from_shape(&shapes[i], &l, &random);
		result(!connect_and_try(&device, &conn, &l, &memory, &random),
		       shapes[i].name);
	}
	begun = wire_now();
	for (i = 0; i < count && bad < 10; i++) {
		/* Each can be had again by itself: SEED+i and a count of 1. */
		random.state = 0x9e3779b97f4a7c15ULL * (seed + i + 1);
		layout_random(&l, &random);
		if (!connect_and_try(&device, &conn, &l, &memory, &random))
			continue;
		printf("# seed %" PRIu64 "\n", seed + i);
		bad++;
	}
	printf("# %u layouts in %" PRIu64 " ms\n", i, wire_now() - begun);
	result(!bad, "random layouts");
	printf("1..%u\n", results);

	wire_disconnect(&conn);
	wire_memory_free(&memory);
	wire_shut(&device);
	return failures != 0;
}
