// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "hostile.h"

#define BODY	WIRE_RPC_BYTES	/* position behind the inline body */

static void begin(struct hostile *h, uint32_t proc)
{
	wire_header(h->m, h->xid, 1, 32, proc);
}

static void end_lists(struct hostile *h)
{
	wire_word(h->m, 0);
	wire_word(h->m, 0);
	wire_word(h->m, 0);
}

static void body(struct hostile *h, enum wire_rpc rpc)
{
	uint8_t call[WIRE_RPC_BYTES];

	wire_rpc_call(call, h->xid, rpc);
	wire_bytes(h->m, call, sizeof(call));
}

static struct wire_segment part(const struct hostile *h, uint32_t from,
				uint32_t length)
{
	struct wire_segment segment = h->good;

	segment.offset += from;
	segment.length = length;
	return segment;
}

static void read_part(struct hostile *h, uint32_t position, uint32_t length)
{
	struct wire_segment segment = part(h, 0, length);

	wire_read(h->m, position, &segment);
}

static void finish(struct hostile *h)
{
	end_lists(h);
	body(h, WIRE_SUM);
}

static void version(struct hostile *h)
{
	wire_header(h->m, h->xid, h->value, 32, WIRE_MSG);
	finish(h);
}

static void credits(struct hostile *h)
{
	wire_header(h->m, h->xid, 1, h->value, WIRE_MSG);
	finish(h);
}

static void procedure(struct hostile *h)
{
	begin(h, h->value);
	finish(h);
}

static void position(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, h->value, 64);
	finish(h);
}

static void length(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, BODY, h->value);
	finish(h);
}

static void second_length(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, BODY, 64);
	read_part(h, BODY, h->value);
	finish(h);
}

static void wrapping_lengths(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, BODY, 0xffffffff);
	read_part(h, BODY, h->value);
	finish(h);
}

static void wrapping_chunks(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, 20, 0xfffffff0);
	read_part(h, 24, h->value);
	finish(h);
}

/*
 * The body has 40 bytes behind the RPC header. The first chunk is [60, 124),
 * the second stands where the row says.
 */
static void second_position(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, 60, 64);
	read_part(h, h->value, 64);
	finish(h);
	wire_bytes(h->m, h->memory->bytes, 40);
}

static void wrapping_address(struct hostile *h)
{
	struct wire_segment segment = h->good;

	segment.offset = UINT64_MAX;
	segment.length = h->value;
	begin(h, WIRE_MSG);
	wire_read(h->m, BODY, &segment);
	finish(h);
}

static void write_count(struct hostile *h)
{
	begin(h, WIRE_MSG);
	wire_word(h->m, 0);
	wire_word(h->m, 1);
	wire_word(h->m, h->value);
	wire_word(h->m, 0);
	wire_word(h->m, 0);
	body(h, WIRE_SUM);
}

static void reply_count(struct hostile *h)
{
	begin(h, WIRE_MSG);
	wire_word(h->m, 0);
	wire_word(h->m, 0);
	wire_word(h->m, 1);
	wire_word(h->m, h->value);
	body(h, WIRE_SUM);
}

static void wrapping_write(struct hostile *h)
{
	struct wire_segment segments[2] = {
		part(h, 0, 0xffffffff), part(h, 0, h->value),
	};

	begin(h, WIRE_MSG);
	wire_word(h->m, 0);
	wire_chunk(h->m, segments, 2);
	wire_word(h->m, 0);
	wire_word(h->m, 0);
	body(h, WIRE_SUM);
}

/* The word in front of an entry is the row's, in each of the lists. */
static void list_word(struct hostile *h, unsigned int list)
{
	unsigned int i;

	begin(h, WIRE_MSG);
	for (i = 0; i < 3; i++)
		wire_word(h->m, i == list ? h->value : 0);
	body(h, WIRE_SUM);
}

static void read_word(struct hostile *h)
{
	list_word(h, 0);
}

static void write_word(struct hostile *h)
{
	list_word(h, 1);
}

static void reply_word(struct hostile *h)
{
	list_word(h, 2);
}

/* As many entries as the row says, and then the message is over. */
static void endless_reads(struct hostile *h)
{
	uint32_t i;

	begin(h, WIRE_MSG);
	for (i = 0; i < h->value; i++)
		read_part(h, BODY, 4);
}

static void endless_writes(struct hostile *h)
{
	struct wire_segment segment = part(h, 0, 4);
	uint32_t i;

	begin(h, WIRE_MSG);
	wire_word(h->m, 0);
	for (i = 0; i < h->value; i++)
		wire_chunk(h->m, &segment, 1);
}

static void no_body(struct hostile *h)
{
	begin(h, h->value);
	end_lists(h);
}

static void short_body(struct hostile *h)
{
	begin(h, WIRE_MSG);
	end_lists(h);
	wire_bytes(h->m, h->memory->bytes, h->value);
}

static void put_call_chunk(struct hostile *h, uint32_t bytes)
{
	struct wire_segment segment = part(h, 0, bytes);

	wire_rpc_call((uint8_t *)(uintptr_t)segment.offset, h->xid, WIRE_SUM);
	wire_read(h->m, 0, &segment);
}

static void call_chunk_and_body(struct hostile *h)
{
	begin(h, h->value);
	put_call_chunk(h, 100);
	finish(h);
}

/* A call chunk of 100 bytes with a chunk of 64 inside, where the row says. */
static void inside_call_chunk(struct hostile *h)
{
	begin(h, WIRE_NOMSG);
	put_call_chunk(h, 100);
	read_part(h, h->value, 64);
	end_lists(h);
}

/* The second one may stand at 100 + 64 at most. */
static void two_inside_call_chunk(struct hostile *h)
{
	begin(h, WIRE_NOMSG);
	put_call_chunk(h, 100);
	read_part(h, 40, 64);
	read_part(h, h->value, 64);
	end_lists(h);
}

static void tiny_call_chunk(struct hostile *h)
{
	begin(h, WIRE_NOMSG);
	put_call_chunk(h, h->value);
	end_lists(h);
}

static void too_long(struct hostile *h)
{
	credits(h);
	while (h->m->length < h->value)
		wire_word(h->m, 0);
}

static void bad_handle(struct hostile *h)
{
	struct wire_segment segment = part(h, 0, 64);

	segment.handle ^= h->value;
	begin(h, WIRE_MSG);
	wire_read(h->m, BODY, &segment);
	finish(h);
}

static void stale_handle(struct hostile *h)
{
	struct wire_segment segment = part(h, 0, 64);

	segment.handle = h->stale;
	begin(h, WIRE_MSG);
	wire_read(h->m, BODY, &segment);
	finish(h);
}

/* Its last bytes are not registered. */
static void short_region(struct hostile *h)
{
	struct wire_segment segment = part(h, 0, 128);

	segment.offset = (uintptr_t)h->memory->bytes + h->memory->size - 64;
	begin(h, WIRE_MSG);
	read_part(h, BODY, 4096);
	wire_read(h->m, BODY, &segment);
	finish(h);
}

/* An ECHO of 8192 bytes whose reply chunks are as the caller says. */
static void echo(struct hostile *h, uint32_t write, uint32_t reply,
		 uint32_t handle)
{
	struct wire_segment segment = part(h, 16384, write);

	segment.handle ^= handle;
	begin(h, WIRE_MSG);
	read_part(h, BODY, 8192);
	wire_word(h->m, 0);
	if (write)
		wire_chunk(h->m, &segment, 1);
	wire_word(h->m, 0);
	segment.length = reply;
	if (reply)
		wire_chunk(h->m, &segment, 1);
	else
		wire_word(h->m, 0);
	body(h, WIRE_ECHO);
}

static void echo_to_write(struct hostile *h)
{
	echo(h, h->value, 0, 0);
}

static void echo_to_reply(struct hostile *h)
{
	echo(h, 0, h->value, 0);
}

static void echo_to_bad_write(struct hostile *h)
{
	echo(h, 8192, 0, h->value);
}

static void echo_to_bad_reply(struct hostile *h)
{
	echo(h, 0, 16384, h->value);
}

void hostile_full_header(struct hostile *h)
{
	struct wire_segment segments[2] = { part(h, 0, 512), part(h, 0, 512) };

	begin(h, WIRE_MSG);
	read_part(h, BODY, 64);
	read_part(h, BODY, 64);
	wire_word(h->m, 0);
	wire_chunk(h->m, segments, 2);
	wire_word(h->m, 0);
	wire_chunk(h->m, segments, 2);
}

void hostile_data_chunk(struct hostile *h)
{
	begin(h, WIRE_MSG);
	read_part(h, BODY, h->value);
	finish(h);
}

void hostile_call_chunk(struct hostile *h)
{
	begin(h, WIRE_NOMSG);
	put_call_chunk(h, h->value);
	end_lists(h);
}

/* 40 bytes of the value are inline. */
void hostile_two_chunks(struct hostile *h)
{
	uint32_t first = ((h->value - BODY) / 2) & ~3U;
	uint32_t second = h->value - BODY - first;

	begin(h, WIRE_MSG);
	read_part(h, BODY, first);
	read_part(h, BODY + first, second);
	finish(h);
}

const struct hostile_row hostile_rows[] = {
	{ "version 0", version, 0, ANSWER_VERS },
	{ "version 2", version, 2, ANSWER_VERS },
	{ "version 0xffffffff", version, 0xffffffff, ANSWER_VERS },
	{ "credits 0", credits, 0, ANSWER_GOOD },
	{ "credits 0xffffffff", credits, 0xffffffff, ANSWER_GOOD },
	{ "procedure 2", procedure, 2, ANSWER_CHUNK },
	{ "procedure 5", procedure, 5, ANSWER_CHUNK },
	{ "procedure 0xffffffff", procedure, 0xffffffff, ANSWER_CHUNK },
	{ "procedure DONE", procedure, WIRE_DONE, ANSWER_NONE },
	{ "procedure ERROR", procedure, WIRE_ERROR, ANSWER_NONE },
	{ "position at the end of the message", position, BODY, ANSWER_GOOD },
	{ "position past the message", position, BODY + 4, ANSWER_CHUNK },
	{ "position 0xfffffffc", position, 0xfffffffc, ANSWER_CHUNK },
	{ "position 2", position, 2, ANSWER_CHUNK },
	{ "position 41", position, 41, ANSWER_CHUNK },
	{ "second chunk behind the first", second_position, 124, ANSWER_GOOD },
	{ "second chunk at the end of all", second_position, 144, ANSWER_GOOD },
	{ "second chunk past the end", second_position, 148, ANSWER_CHUNK },
	{ "second chunk in the first", second_position, 120, ANSWER_CHUNK },
	{ "positions that decrease", second_position, 56, ANSWER_CHUNK },
	{ "length 0", length, 0, ANSWER_CHUNK },
	{ "length 0xffffffff", length, 0xffffffff, ANSWER_CHUNK },
	{ "length 0x7fffffff", length, 0x7fffffff, ANSWER_CHUNK },
	{ "length 0 of the second segment", second_length, 0, ANSWER_CHUNK },
	{ "lengths that wrap to 0", wrapping_lengths, 1, ANSWER_CHUNK },
	{ "lengths that wrap to 64", wrapping_lengths, 65, ANSWER_CHUNK },
	{ "chunks that wrap to 16", wrapping_chunks, 32, ANSWER_CHUNK },
	{ "an address that wraps", wrapping_address, 2, ANSWER_CHUNK },
	{ "0 segments in a Write chunk", write_count, 0, ANSWER_CHUNK },
	{ "0x20000000 segments in a Write chunk", write_count, 0x20000000,
	  ANSWER_CHUNK },
	{ "0xffffffff segments in a Write chunk", write_count, 0xffffffff,
	  ANSWER_CHUNK },
	{ "0 segments in the Reply chunk", reply_count, 0, ANSWER_CHUNK },
	{ "0x20000000 segments in the Reply chunk", reply_count, 0x20000000,
	  ANSWER_CHUNK },
	{ "a Write chunk whose length wraps", wrapping_write, 1, ANSWER_CHUNK },
	{ "2 in front of a Read segment", read_word, 2, ANSWER_CHUNK },
	{ "2 in front of a Write chunk", write_word, 2, ANSWER_CHUNK },
	{ "2 in front of the Reply chunk", reply_word, 2, ANSWER_CHUNK },
	{ "a Read list without end", endless_reads, 1, ANSWER_CHUNK },
	{ "a Read list that fills the message", endless_reads, 170,
	  ANSWER_CHUNK },
	{ "a Write list without end", endless_writes, 1, ANSWER_CHUNK },
	{ "a Write list that fills the message", endless_writes, 169,
	  ANSWER_CHUNK },
	{ "no body", no_body, WIRE_MSG, ANSWER_CHUNK },
	{ "20 bytes of a body", short_body, 20, ANSWER_CHUNK },
	{ "NOMSG without a call chunk", no_body, WIRE_NOMSG, ANSWER_CHUNK },
	{ "NOMSG with an inline body", call_chunk_and_body, WIRE_NOMSG,
	  ANSWER_CHUNK },
	{ "MSG with a call chunk", call_chunk_and_body, WIRE_MSG,
	  ANSWER_CHUNK },
	{ "a call chunk of 20 bytes", tiny_call_chunk, 20, ANSWER_CHUNK },
	{ "a chunk at the end of a call chunk", inside_call_chunk, 100,
	  ANSWER_GOOD },
	{ "a chunk past the end of a call chunk", inside_call_chunk, 104,
	  ANSWER_CHUNK },
	{ "two chunks in a call chunk", two_inside_call_chunk, 164,
	  ANSWER_GOOD },
	{ "the second past the end of the call chunk", two_inside_call_chunk,
	  168, ANSWER_CHUNK },
	{ "a message longer than the receive buffer", too_long, 4100,
	  ANSWER_CLOSE },
	{ "an invalid handle", bad_handle, 0x5a5a5a00, ANSWER_CLOSE },
	{ "a handle that is not valid any more", stale_handle, 0,
	  ANSWER_CLOSE },
	{ "a region shorter than announced", short_region, 0, ANSWER_CLOSE },
	{ "a long reply and no chunk for it", echo_to_write, 0, ANSWER_CHUNK },
	/* The service learns of it in time, and can still say so itself. */
	{ "a Write chunk too short for it", echo_to_write, 8191, ANSWER_GOOD },
	{ "a Write chunk that just holds it", echo_to_write, 8192,
	  ANSWER_GOOD },
	{ "a Reply chunk too short for it", echo_to_reply, 8192, ANSWER_CHUNK },
	{ "a Reply chunk that just holds it", echo_to_reply, 24 + 4 + 8192,
	  ANSWER_GOOD },
	{ "a Write chunk with an invalid handle", echo_to_bad_write, 0x5a5a5a00,
	  ANSWER_CLOSE },
	{ "a Reply chunk with an invalid handle", echo_to_bad_reply, 0x5a5a5a00,
	  ANSWER_CLOSE },
};

const unsigned int hostile_count = sizeof(hostile_rows) / sizeof(*hostile_rows);
