// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "layout.h"

enum {
	REPLY_TIME = 20000,	/* milliseconds */
	RPC_REPLY = 24,		/* xid to accept status */
	SUM_WORDS = 5,
};

static size_t padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

/* Few are long, many are short, some stand at the edge of a page. */
static size_t some_length(struct wire_random *random)
{
	switch (wire_random(random, 10)) {
	case 0: case 1: case 2: case 3:
		return 1 + wire_random(random, 80);
	case 4: case 5:
		return (1 + wire_random(random, 2)) * 4096 - 8 +
		       wire_random(random, 16);
	case 6: case 7: case 8:
		return 1 + wire_random(random, 3000);
	default:
		return 1 + wire_random(random, 20000);
	}
}

static size_t some_gap(struct wire_random *random, bool call_chunk)
{
	switch (wire_random(random, 4)) {
	case 0:
		return 0;
	case 1: case 2:
		return 4 * wire_random(random, 16);
	default:
		return 4 * wire_random(random, call_chunk ? 1500 : 60);
	}
}

/* At least the xid comes first; mostly the whole RPC header does. */
static size_t first_gap(struct wire_random *random)
{
	if (!wire_random(random, 8))
		return 4 + 4 * wire_random(random, 9);
	return WIRE_RPC_BYTES + 4 * wire_random(random, 20);
}

void layout_random(struct layout *l, struct wire_random *random)
{
	struct layout_chunk *chunk;
	unsigned int i;
	size_t at;

	l->xid = wire_random(random, UINT32_MAX);
	l->rpc = wire_random(random, 4) ? WIRE_SUM : WIRE_ECHO;
	l->call_chunk = !wire_random(random, 3);
	l->mixed = wire_random(random, 2);
	l->call_segments = 1 + wire_random(random, 4);
	l->count = wire_random(random, 2) ? wire_random(random, 4) :
					    wire_random(random, 12);
	at = first_gap(random);
	for (i = 0; i < l->count; i++) {
		chunk = &l->chunks[i];
		chunk->position = at;
		chunk->length = some_length(random);
		/* Pad bytes in the RPC header would not be zeros. */
		chunk->padded = wire_random(random, 2) || at < WIRE_RPC_BYTES;
		chunk->segments = 1 + wire_random(random, 4);
		at += padded(chunk->length) + some_gap(random, l->call_chunk);
	}
	if (at < WIRE_RPC_BYTES)
		at = WIRE_RPC_BYTES;
	l->length = at;
	l->write_chunk = l->rpc == WIRE_ECHO && wire_random(random, 2);
	l->reply_chunk = l->rpc == WIRE_ECHO && !wire_random(random, 3);
	if (l->length > 3000 && !l->write_chunk)
		l->reply_chunk = l->rpc == WIRE_ECHO;
	wire_fill(random, l->call, l->length);
	wire_rpc_call(l->call, l->xid, l->rpc);
}

void layout_describe(const struct layout *l)
{
	unsigned int i;

	printf("# %s of %zu bytes, %s%s%s%s", l->rpc == WIRE_SUM ? "SUM" : "ECHO",
	       l->length, l->call_chunk ? "call chunk" : "inline",
	       l->mixed ? " (behind)" : "",
	       l->write_chunk ? ", Write chunk" : "",
	       l->reply_chunk ? ", Reply chunk" : "");
	for (i = 0; i < l->count; i++)
		printf("; %u bytes%s at %u in %u", l->chunks[i].length,
		       l->chunks[i].padded ? " and pad" : "",
		       l->chunks[i].position, l->chunks[i].segments);
	printf("\n");
}

/* Pad bytes that are not sent are zeros in what TCP would deliver. */
static void clear_pads(struct layout *l)
{
	const struct layout_chunk *chunk;
	unsigned int i;

	for (i = 0; i < l->count; i++) {
		chunk = &l->chunks[i];
		if (!chunk->padded)
			memset(l->call + chunk->position + chunk->length, 0,
			       padded(chunk->length) - chunk->length);
	}
}

/* The rest of the call, and the offsets in it at which chunks stand. */
static size_t cut_base(const struct layout *l, uint8_t *base, size_t *cuts)
{
	size_t at = 0, length = 0, part;
	unsigned int i;

	for (i = 0; i < l->count; i++) {
		part = l->chunks[i].position - at;
		memcpy(base + length, l->call + at, part);
		length += part;
		cuts[i] = length;
		at = l->chunks[i].position + padded(l->chunks[i].length);
	}
	memcpy(base + length, l->call + at, l->length - at);
	return length + l->length - at;
}

/* Those of @cuts that lie inside of [from, to), from there on. */
static unsigned int cuts_inside(const size_t *cuts, unsigned int count,
				size_t from, size_t to, size_t *inside)
{
	unsigned int i, n = 0;

	for (i = 0; i < count; i++)
		if (cuts[i] > from && cuts[i] < to)
			inside[n++] = cuts[i] - from;
	return n;
}

static void put_chunk(struct wire_message *m, struct wire_memory *memory,
		      struct wire_random *random, uint32_t position,
		      const uint8_t *bytes, size_t length, unsigned int segments,
		      const size_t *cuts, unsigned int count)
{
	size_t at = 0, part, inside[LAYOUT_CHUNKS];
	struct wire_segment segment;
	unsigned int n;
	uint8_t *place;

	for (; at < length; at += part) {
		part = length - at;
		if (segments > 1 && part > 1) {
			part = 1 + wire_random(random, 2 * part / segments);
			if (part > length - at)
				part = length - at;
			segments--;
		}
		n = cuts_inside(cuts, count, at, at + part, inside);
		place = wire_place(memory, random, part, inside, n, &segment);
		memcpy(place, bytes + at, part);
		wire_read(m, position, &segment);
	}
}

static void put_data(const struct layout *l, struct wire_message *m,
		     struct wire_memory *memory, struct wire_random *random)
{
	const struct layout_chunk *chunk;
	unsigned int i;
	size_t length;

	for (i = 0; i < l->count; i++) {
		chunk = &l->chunks[i];
		length = chunk->padded ? padded(chunk->length) : chunk->length;
		put_chunk(m, memory, random, chunk->position,
			  l->call + chunk->position, length, chunk->segments,
			  NULL, 0);
	}
}

/* Where the reply goes. */
struct sinks {
	uint8_t *write;
	uint8_t *reply;
	size_t write_room;
	size_t reply_room;
};

/* One segment, so that the server never writes a short piece of it. */
static uint8_t *put_sink(struct wire_message *m, struct wire_memory *memory,
			 struct wire_random *random, size_t room)
{
	struct wire_segment segment;
	uint8_t *place;

	place = wire_place(memory, random, room, NULL, 0, &segment);
	memset(place, 0xa5, room);
	wire_chunk(m, &segment, 1);
	return place;
}

static void put_sinks(const struct layout *l, struct wire_message *m,
		      struct wire_memory *memory, struct wire_random *random,
		      struct sinks *sinks)
{
	memset(sinks, 0, sizeof(*sinks));
	if (l->write_chunk) {
		sinks->write_room = l->length + 64;
		sinks->write = put_sink(m, memory, random, sinks->write_room);
	}
	wire_word(m, 0);
	if (l->reply_chunk) {
		sinks->reply_room = l->length + 256;
		sinks->reply = put_sink(m, memory, random, sinks->reply_room);
	} else {
		wire_word(m, 0);
	}
}

static const char *check_sum(const struct layout *l, const uint8_t *body,
			     size_t length)
{
	uint32_t announced, parts;
	uint64_t sum;

	if (length != RPC_REPLY + 4 * SUM_WORDS)
		return "the reply has another length";
	body += RPC_REPLY;
	announced = wire_get(body);
	parts = wire_get(body + 4);
	sum = (uint64_t)wire_get(body + 12) << 32 | wire_get(body + 16);
	if (announced != l->length)
		return "rq_arg.len is not the length of the call";
	/* Older kernels take the RPC header off before the program can look. */
	if (parts != l->length && parts != l->length - WIRE_RPC_BYTES)
		return "head, pages and tail are not the length of the call";
	if (wire_get(body + 8) != l->length - WIRE_RPC_BYTES)
		return "the arguments have another length";
	if (sum != wire_fnv(l->call + WIRE_RPC_BYTES,
			    l->length - WIRE_RPC_BYTES))
		return "the arguments are other bytes";
	return NULL;
}

static bool untouched(const uint8_t *bytes, size_t length)
{
	while (length--)
		if (*bytes++ != 0xa5)
			return false;
	return true;
}

static const char *check_echo(const struct layout *l, const uint8_t *body,
			      size_t length, const struct wire_reply *reply,
			      const struct sinks *sinks)
{
	size_t bytes = l->length - WIRE_RPC_BYTES;
	const uint8_t *echo = body + RPC_REPLY + 4;
	size_t rest = sinks->write ? 0 : padded(bytes);

	if (length != RPC_REPLY + 4 + rest)
		return "the reply has another length";
	if (wire_get(body + RPC_REPLY) != bytes)
		return "the echo has another length";
	if (sinks->write) {
		if (reply->writes != 1 || reply->write_bytes != bytes)
			return "the Write list says something else";
		if (!untouched(sinks->write + bytes, sinks->write_room - bytes))
			return "more was written than the payload";
		echo = sinks->write;
	}
	return memcmp(echo, l->call + WIRE_RPC_BYTES, bytes) ?
	       "the echo is other bytes" : NULL;
}

static const char *check_reply(const struct layout *l,
			       const struct wire_reply *reply,
			       const struct sinks *sinks)
{
	const uint8_t *body = reply->body;
	size_t length = reply->body_length;

	if (reply->proc == WIRE_ERROR)
		return reply->error == WIRE_ERR_VERS ? "ERR_VERS" : "ERR_CHUNK";
	if (reply->xid != l->xid)
		return "the reply belongs to another call";
	if (sinks->reply) {
		if (reply->proc != WIRE_NOMSG || length)
			return "the reply is not in the Reply chunk";
		body = sinks->reply;
		length = reply->reply_bytes;
		if (length > sinks->reply_room ||
		    !untouched(body + length, sinks->reply_room - length))
			return "more was written than the reply";
	}
	if (length < RPC_REPLY || wire_get(body) != l->xid ||
	    wire_get(body + 4) != 1 || wire_get(body + 8) ||
	    wire_get(body + 20))
		return "the service did not accept the call";
	if (l->rpc == WIRE_SUM)
		return check_sum(l, body, length);
	return check_echo(l, body, length, reply, sinks);
}

const char *layout_try(struct layout *l, struct wire_conn *conn,
		       struct wire_memory *memory, struct wire_random *random)
{
	static uint8_t base[LAYOUT_BYTES], answer[WIRE_INLINE];
	static struct wire_message m;
	size_t cuts[LAYOUT_CHUNKS], length;
	struct wire_reply reply;
	struct sinks sinks;

	memory->used = 0;
	clear_pads(l);
	length = cut_base(l, base, cuts);
	wire_header(&m, l->xid, 1, 32, l->call_chunk ? WIRE_NOMSG : WIRE_MSG);
	if (l->call_chunk && !l->mixed)
		put_chunk(&m, memory, random, 0, base, length, l->call_segments,
			  cuts, l->count);
	put_data(l, &m, memory, random);
	if (l->call_chunk && l->mixed)
		put_chunk(&m, memory, random, 0, base, length, l->call_segments,
			  cuts, l->count);
	wire_word(&m, 0);
	put_sinks(l, &m, memory, random, &sinks);
	if (!l->call_chunk)
		wire_bytes(&m, base, length);
	if (m.length > WIRE_INLINE)
		wire_die("a layout does not fit into %u bytes", WIRE_INLINE);

	wire_send(conn, m.bytes, m.length);
	switch (wire_receive(conn, REPLY_TIME, answer, &length)) {
	case WIRE_NOTHING:
		return "no answer";
	case WIRE_CLOSED:
		return "the connection was closed";
	default:
		break;
	}
	if (!wire_parse_reply(answer, length, &reply))
		return "the reply is malformed";
	return check_reply(l, &reply, &sinks);
}
