// SPDX-License-Identifier: GPL-2.0
/*
 * src/svcrdma's parse and plan: random messages are cut into chunks as a client
 * may, and the rebuilt message must be the one that TCP would have delivered
 * (contract R3, R4); every truncation and every wrong list must be refused
 * without touching what is not ours (R5, R6).
 *
 * usage: chunks_test [LAYOUTS [SEED]]
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "chunks_model.h"

#define MAX_MESSAGE 4096
#define MAX_WORDS 4096
#define MAX_CHUNKS 5

struct call {
	u8 message[MAX_MESSAGE];	/* what TCP would deliver */
	unsigned int length;
	u8 peer[2 * MAX_MESSAGE];	/* the client's registered memory */
	unsigned int peer_bytes;
	u32 wire[MAX_WORDS];
	unsigned int words;
	unsigned int header_words;
	bool reduced;			/* has Read chunks */
};

static unsigned int tests, failures;

static void check(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
	failures += !good;
}

static unsigned int roll(unsigned int n)
{
	return random() % n;
}

static void put(struct call *call, u32 word)
{
	call->wire[call->words++] = htonl(word);
}

/* @length bytes of the message become segments of @position. */
static void put_segments(struct call *call, unsigned int position,
			 const u8 *bytes, unsigned int length)
{
	unsigned int part;

	while (length) {
		part = roll(3) ? length : 1 + roll(length);
		call->peer_bytes += roll(5);
		memcpy(call->peer + call->peer_bytes, bytes, part);
		put(call, 1);
		put(call, position);
		put(call, 0x1234);
		put(call, part);
		put(call, 0);
		put(call, call->peer_bytes);
		call->peer_bytes += part;
		bytes += part;
		length -= part;
	}
}

/* xid to verifier, 40 bytes, so that a lone chunk can be split off. */
static void make_message(struct call *call)
{
	unsigned int i;

	memset(call, 0, sizeof(*call));
	call->length = 4 * (10 + roll(roll(4) ? 60 : 600));
	for (i = 40; i < call->length; i++)
		call->message[i] = roll(256);
	call->message[3] = 7;
}

/* Cuts the message into a base stream and chunks, and writes it as a client. */
static void make_call(struct call *call, unsigned int chunks, bool nomsg)
{
	static u8 base[MAX_MESSAGE];
	static struct call reads;
	unsigned int at = 0, base_bytes = 0, position, length, room, pad;

	make_message(call);
	memset(&reads, 0, sizeof(reads));
	while (chunks--) {
		room = (call->length - at) / 4;
		if (room < 2)
			break;
		position = at + 4 * roll(room - 1);
		if (!position)
			position = 4;
		length = 1 + roll(call->length - position);
		pad = -length % 4;
		memset(call->message + position + length, 0, pad);
		memcpy(base + base_bytes, call->message + at, position - at);
		base_bytes += position - at;
		/* The pad travels in the chunk or not at all. */
		put_segments(&reads, position, call->message + position,
			     length + (roll(2) ? pad : 0));
		at = position + length + pad;
		call->reduced = true;
	}
	memcpy(base + base_bytes, call->message + at, call->length - at);
	base_bytes += call->length - at;
	if (!base_bytes)
		nomsg = false;

	put(call, 0x99);
	put(call, 1);
	put(call, 32);
	put(call, nomsg);
	call->peer_bytes = reads.peer_bytes;
	memcpy(call->peer, reads.peer, reads.peer_bytes);
	if (nomsg) {
		call->reduced = true;
		put_segments(call, 0, base, base_bytes);
	}
	memcpy(call->wire + call->words, reads.wire, 4 * reads.words);
	call->words += reads.words;
	put(call, 0);
	put(call, 0);
	put(call, 0);
	call->header_words = call->words;
	if (!nomsg) {
		memcpy(call->wire + call->words, base, base_bytes);
		call->words += base_bytes / 4;
	}
}

static struct chunks_result run(const struct call *call, unsigned int bytes,
				unsigned int pages, u8 *rebuilt)
{
	return chunks_run(call->wire, bytes, pages, call->peer,
			  call->peer_bytes, rebuilt, MAX_MESSAGE);
}

static void test_layouts(unsigned int layouts)
{
	static u8 rebuilt[MAX_MESSAGE];
	static struct call call;
	struct chunks_result result;
	unsigned int wrong = 0, tight = 0, plans = 0;

	while (layouts--) {
		make_call(&call, roll(MAX_CHUNKS), roll(2));
		result = run(&call, 4 * call.words, MAX_MESSAGE >> PAGE_SHIFT,
			     rebuilt);
		if (!call.reduced) {
			wrong += !result.called || result.planned;
			continue;
		}
		plans++;
		if (!result.planned || result.length != call.length ||
		    memcmp(rebuilt, call.message, call.length))
			wrong++;
		/* Exactly as many pages as it takes; one less is refused. */
		if (!run(&call, 4 * call.words, result.pages, NULL).planned ||
		    run(&call, 4 * call.words, result.pages - 1, NULL).planned)
			tight++;
	}
	printf("# %u layouts with Read chunks, %u wrong\n", plans, wrong);
	check(plans && !wrong, "R3 R4: rebuilt message is TCP's, any layout");
	check(!tight, "R6: the page budget is kept to the page");
}

static void test_truncation(void)
{
	static struct call call;
	unsigned int bytes, accepted = 0, round;

	for (round = 0; round < 50; round++) {
		make_call(&call, 3, round & 1);
		for (bytes = 0; bytes < 4 * call.header_words; bytes++)
			accepted += run(&call, bytes, 256, NULL).called;
	}
	check(!accepted, "R5: a header cut at any byte is refused");
}

/* A call with two chunks of 8 bytes, at 40 and 60, in a 72-byte message. */
static void make_plain(struct call *call)
{
	unsigned int i;

	memset(call, 0, sizeof(*call));
	put(call, 1);
	put(call, 1);
	put(call, 1);
	put(call, 0);
	put_segments(call, 40, call->message, 0);
	for (i = 0; i < 2; i++) {
		put(call, 1);
		put(call, 40 + 20 * i);
		put(call, 7);
		put(call, 8);
		put(call, 0);
		put(call, 0);
	}
	put(call, 0);
	put(call, 0);
	put(call, 0);
	call->words += 14;
}

static bool planned_with(unsigned int word, u32 value)
{
	struct call call;

	make_plain(&call);
	call.wire[word] = htonl(value);
	return run(&call, 4 * call.words, 256, NULL).planned;
}

static void test_refusals(void)
{
	enum { FIRST = 4, SECOND = 10, POSITION = 1, LENGTH = 3, HIGH = 4 };

	check(planned_with(0, 2), "the plain call is accepted");
	check(!planned_with(1, 2), "R2: another version is refused");
	check(!planned_with(3, 2), "R2: RDMA_MSGP is refused");
	check(!planned_with(3, 1), "RDMA_NOMSG without a call chunk is refused");
	check(!planned_with(FIRST, 2), "R5: a list marker of 2 is refused");
	check(!planned_with(FIRST + POSITION, 42), "R5: position 42");
	check(!planned_with(SECOND + POSITION, 36), "R5: falling positions");
	check(!planned_with(SECOND + POSITION, 44), "R5: overlap");
	check(planned_with(SECOND + POSITION, 48), "chunks that touch");
	check(planned_with(SECOND + POSITION, 64), "a chunk at the very end");
	check(!planned_with(SECOND + POSITION, 68), "R5: position past the end");
	check(!planned_with(SECOND + POSITION, 0xfffffffc), "R5: huge position");
	check(!planned_with(FIRST + LENGTH, 0), "R5: a segment of no bytes");
	check(!planned_with(FIRST + LENGTH, 0xffffffff), "R5: a huge segment");
	check(!planned_with(FIRST + POSITION, 0),
	      "a call chunk beside an inline body is refused");
	check(!planned_with(16, 2), "R5: a Write list without chunks after it");
	check(!planned_with(17, 1), "R5: a Write chunk that is not there");
}

static void test_wrapping_sums(void)
{
	struct call call;

	make_plain(&call);
	call.wire[10 + 1] = call.wire[4 + 1];
	call.wire[4 + 3] = htonl(0xffffffff);
	call.wire[10 + 3] = htonl(1);
	check(!run(&call, 4 * call.words, 256, NULL).planned,
	      "R5: two lengths whose sum wraps to 0");
	make_plain(&call);
	call.wire[4 + 4] = htonl(0xffffffff);
	call.wire[4 + 5] = htonl(0xfffffffc);
	check(!run(&call, 4 * call.words, 256, NULL).called,
	      "R5: an address that wraps");
}

static void test_segment_counts(void)
{
	static const u32 counts[] = { 0, 260, 0x20000000, 0xffffffff };
	struct call call;
	unsigned int i, accepted = 0;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		memset(&call, 0, sizeof(call));
		call.wire[1] = htonl(1);
		call.wire[5] = htonl(1);
		call.wire[6] = htonl(counts[i]);
		accepted += run(&call, 4096, 256, NULL).called;
		call.wire[5] = 0;
		call.wire[6] = htonl(1);
		call.wire[7] = htonl(counts[i]);
		accepted += run(&call, 4096, 256, NULL).called;
	}
	check(!accepted, "R5: segment counts 0, 260, 2^29, 2^32-1 (Write, Reply)");
}

static void test_noise(unsigned int rounds)
{
	static struct call call;
	unsigned int i, calls = 0;

	while (rounds--) {
		make_call(&call, roll(MAX_CHUNKS), roll(2));
		for (i = 1 + roll(4); i; i--)
			call.wire[roll(call.words)] ^= htonl(1U << roll(32));
		calls += run(&call, 4 * call.words - roll(8), 256, NULL).planned;
	}
	check(calls, "mutated calls break no property (and some are served)");
}

int main(int argc, char **argv)
{
	unsigned int layouts = argc > 1 ? atoi(argv[1]) : 20000;

	srandom(argc > 2 ? atoi(argv[2]) : 1);
	test_layouts(layouts);
	test_truncation();
	test_refusals();
	test_wrapping_sums();
	test_segment_counts();
	test_noise(layouts);
	printf("1..%u\n", tests);
	return failures != 0;
}
