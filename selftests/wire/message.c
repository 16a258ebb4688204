// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <string.h>

#include "message.h"

void wire_bytes(struct wire_message *m, const void *bytes, size_t length)
{
	if (m->length + length > sizeof(m->bytes))
		wire_die("a test message has more than %zu bytes",
			 sizeof(m->bytes));
	memcpy(m->bytes + m->length, bytes, length);
	m->length += length;
}

void wire_word(struct wire_message *m, uint32_t word)
{
	word = htonl(word);
	wire_bytes(m, &word, sizeof(word));
}

void wire_header(struct wire_message *m, uint32_t xid, uint32_t version,
		 uint32_t credits, uint32_t proc)
{
	m->length = 0;
	wire_word(m, xid);
	wire_word(m, version);
	wire_word(m, credits);
	wire_word(m, proc);
}

static void put_segment(struct wire_message *m,
			const struct wire_segment *segment)
{
	wire_word(m, segment->handle);
	wire_word(m, segment->length);
	wire_word(m, segment->offset >> 32);
	wire_word(m, segment->offset);
}

void wire_read(struct wire_message *m, uint32_t position,
	       const struct wire_segment *segment)
{
	wire_word(m, 1);
	wire_word(m, position);
	put_segment(m, segment);
}

void wire_chunk(struct wire_message *m, const struct wire_segment *segments,
		uint32_t count)
{
	uint32_t i;

	wire_word(m, 1);
	wire_word(m, count);
	for (i = 0; i < count; i++)
		put_segment(m, &segments[i]);
}

void wire_rpc_call(uint8_t *bytes, uint32_t xid, enum wire_rpc rpc)
{
	uint32_t words[WIRE_RPC_BYTES / 4] = {
		htonl(xid), htonl(0), htonl(2), htonl(WIRE_PROGRAM), htonl(1),
		htonl(rpc),
	};

	memcpy(bytes, words, sizeof(words));
}

uint32_t wire_get(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return ntohl(word);
}

struct cursor {
	const uint8_t *at;
	size_t left;
	bool good;
};

static uint32_t take(struct cursor *c)
{
	uint32_t word;

	if (c->left < 4)
		c->good = false;
	if (!c->good)
		return 0;
	word = wire_get(c->at);
	c->at += 4;
	c->left -= 4;
	return word;
}

static uint32_t take_chunk(struct cursor *c)
{
	uint32_t count = take(c), bytes = 0;

	while (count-- && c->good) {
		take(c);
		bytes += take(c);
		take(c);
		take(c);
	}
	return bytes;
}

static void take_error(struct cursor *c, struct wire_reply *reply)
{
	reply->error = take(c);
	if (reply->error == WIRE_ERR_VERS) {
		reply->low = take(c);
		reply->high = take(c);
	}
}

bool wire_parse_reply(const uint8_t *bytes, size_t length,
		      struct wire_reply *reply)
{
	struct cursor c = { .at = bytes, .left = length, .good = true };

	memset(reply, 0, sizeof(*reply));
	reply->xid = take(&c);
	if (take(&c) != 1)
		return false;
	reply->credits = take(&c);
	reply->proc = take(&c);
	if (reply->proc == WIRE_ERROR) {
		take_error(&c, reply);
		return c.good && !c.left;
	}
	if (take(&c))		/* a reply has no Read list */
		return false;
	while (c.good && take(&c)) {
		reply->writes++;
		reply->write_bytes += take_chunk(&c);
	}
	reply->has_reply = take(&c);
	if (reply->has_reply)
		reply->reply_bytes = take_chunk(&c);
	reply->body = c.at;
	reply->body_length = c.left;
	return c.good && (reply->proc == WIRE_NOMSG) == reply->has_reply;
}
