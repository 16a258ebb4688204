// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 2, parse: is a transport header well formed (RFC 8166 section 4), and
 * where are its lists? Pure: bytes in, a verdict out.
 */
#include "svcrdma/parse.h"

#include <asm/byteorder.h>

enum {
	WORD		= 4,
	FIXED_WORDS	= 4,	/* xid, version, credits, procedure */
	SEGMENT_WORDS	= 4,	/* handle, length, offset (2) */
	READ_WORDS	= 1 + SEGMENT_WORDS,
	VERSION_ONE	= 1,
};

/* Procedures of RFC 8166, section 4.2.4. */
enum {
	PROC_MSG	= 0,
	PROC_NOMSG	= 1,
	PROC_DONE	= 3,
	PROC_ERROR	= 4,
};

/**
 * struct cursor - a place in the words
 * @p: the next word
 * @left: words from there to the end
 */
struct cursor {
	const __be32 *p;
	unsigned int left;
};

static bool take(struct cursor *at, u32 *value)
{
	if (!at->left)
		return false;
	*value = be32_to_cpup(at->p);
	at->p++;
	at->left--;
	return true;
}

/* The word in front of each list entry: 1 when one follows, 0 at the end. */
static bool take_more(struct cursor *at, bool *more)
{
	u32 value;

	if (!take(at, &value) || value > 1)
		return false;
	*more = value;
	return true;
}

static bool take_segment(struct cursor *at, u32 *length)
{
	u32 handle, high, low;
	u64 offset;

	if (!take(at, &handle) || !take(at, length) || !take(at, &high) ||
	    !take(at, &low))
		return false;
	offset = (u64)high << 32 | low;
	return offset + *length >= offset;
}

/* Data chunks in rising order, each position a multiple of 4 (R5). */
static bool count_read(struct rdma_shim_header *header, u32 position,
		       u32 length, u32 *last)
{
	if (!length || position % WORD)
		return false;
	if (!position) {
		header->call_bytes += length;
		header->call_segments++;
		return true;
	}
	if (position < *last)
		return false;
	if (position > *last)
		header->read_chunks++;
	*last = position;
	header->read_bytes += length;
	header->read_segments++;
	return true;
}

static bool parse_reads(struct cursor *at, struct rdma_shim_header *header)
{
	u32 position, length, last = 0;
	bool more;

	header->reads = at->p;
	for (;;) {
		if (!take_more(at, &more))
			return false;
		if (!more)
			return true;
		if (!take(at, &position) || !take_segment(at, &length) ||
		    !count_read(header, position, length, &last))
			return false;
	}
}

/* A Write or Reply chunk; its segments may well be empty. */
static bool parse_chunk(struct cursor *at, unsigned int max_segments)
{
	u64 total = 0;
	u32 count, length;

	if (!take(at, &count) || !count || count > max_segments)
		return false;
	while (count--) {
		if (!take_segment(at, &length))
			return false;
		total += length;
	}
	return total <= 0xffffffffU;
}

static bool parse_writes(struct cursor *at, unsigned int max_segments,
			 struct rdma_shim_header *header)
{
	bool more;

	header->writes = at->p;
	for (;;) {
		if (!take_more(at, &more))
			return false;
		if (!more)
			return true;
		if (!parse_chunk(at, max_segments))
			return false;
		header->write_chunks++;
	}
}

static bool parse_reply(struct cursor *at, unsigned int max_segments,
			struct rdma_shim_header *header)
{
	bool more;

	header->reply = at->p;
	if (!take_more(at, &more))
		return false;
	header->reply_chunks = more;
	return !more || parse_chunk(at, max_segments);
}

/**
 * rdma_shim_parse - judge a transport header
 * @words: the message
 * @bytes: its length
 * @max_segments: how many segments a Write or Reply chunk may have
 * @header: where the lists are; all of it is set when a call is returned
 *
 * Nothing outside of @words is read, whatever it holds (R5).
 *
 * Context: any, pure.
 * Return: what to do with the message (RFC 8166 sections 4.2 and 4.5, R2).
 */
enum rdma_shim_verdict rdma_shim_parse(const __be32 *words, unsigned int bytes,
				       unsigned int max_segments,
				       struct rdma_shim_header *header)
{
	struct cursor at = { .p = words, .left = bytes / WORD };
	u32 xid, version, proc;

	*header = (struct rdma_shim_header){ 0 };
	if (!take(&at, &xid) || !take(&at, &version) ||
	    !take(&at, &header->credits) || !take(&at, &proc))
		return RDMA_SHIM_UNANSWERABLE;
	if (version != VERSION_ONE)
		return RDMA_SHIM_BAD_VERSION;
	if (proc == PROC_DONE || proc == PROC_ERROR)
		return RDMA_SHIM_IGNORE;
	if (proc != PROC_MSG && proc != PROC_NOMSG)
		return RDMA_SHIM_BAD_CHUNK;

	if (!parse_reads(&at, header) ||
	    !parse_writes(&at, max_segments, header) ||
	    !parse_reply(&at, max_segments, header))
		return RDMA_SHIM_BAD_CHUNK;

	header->nomsg = proc == PROC_NOMSG;
	header->size = (at.p - words) * WORD;
	/* A call chunk replaces the inline body and cannot stand beside it. */
	if (header->nomsg != !!header->call_segments)
		return RDMA_SHIM_BAD_CHUNK;
	if (header->nomsg && bytes > header->size)
		return RDMA_SHIM_BAD_CHUNK;
	return RDMA_SHIM_CALL;
}

/**
 * rdma_shim_rpc_header - where the arguments of an RPC call begin
 * @words: the call, or the first part of it
 * @bytes: length of that part
 *
 * Context: any, pure.
 * Return: bytes from xid to the end of the verifier, or 0 if that is not all
 * in @words (RFC 5531 section 9).
 */
unsigned int rdma_shim_rpc_header(const __be32 *words, unsigned int bytes)
{
	struct cursor at = { .p = words, .left = bytes / WORD };
	unsigned int opaque, skip;
	u32 value;

	for (skip = 0; skip < 6; skip++)
		if (!take(&at, &value))
			return 0;
	for (opaque = 0; opaque < 2; opaque++) {
		if (!take(&at, &value) || !take(&at, &value))
			return 0;
		skip = value / WORD + !!(value % WORD);
		if (skip > at.left)
			return 0;
		at.p += skip;
		at.left -= skip;
	}
	return (at.p - words) * WORD;
}
