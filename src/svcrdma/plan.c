// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 3, plan: which byte of which chunk, or of the inline body, lands where.
 * Pure: no memory is touched, no I/O is done.
 *
 * The message is the base stream (the inline body or the call chunk) with the
 * data chunks put in. Positions count the message, not the base stream
 * (RFC 8166 section 3.4.4), and each chunk is followed by the zeros that round
 * it up to 4 bytes, which the sender may leave out.
 */
#include "svcrdma/plan.h"

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sunrpc/svc_rdma_pcl.h>

enum { WORD = 4, RPC_MIN = 24 };	/* RPC_MIN: xid to procedure */

static u64 padded(u64 length)
{
	return (length + WORD - 1) & ~(u64)(WORD - 1);
}

/**
 * rdma_shim_positions_fit - can the chunks stand where they say?
 * @reads: data chunks in the order of the list
 * @base_bytes: length of the stream that they are put into
 *
 * Context: any, pure.
 * Return: true if positions are multiples of 4, rise, do not overlap and never
 * need more of the base stream than there is (R5).
 */
bool rdma_shim_positions_fit(const struct svc_rdma_pcl *reads, u64 base_bytes)
{
	const struct svc_rdma_chunk *chunk;
	u64 built = 0, base = 0;

	pcl_for_each_chunk(chunk, reads) {
		if (chunk->ch_position % WORD ||
		    chunk->ch_position < built)
			return false;
		base += chunk->ch_position - built;
		if (base > base_bytes)
			return false;
		built = chunk->ch_position + padded(chunk->ch_length);
	}
	return true;
}

/* Bytes of a list, or more than a call can have if a segment is empty. */
static u64 list_bytes(const struct svc_rdma_pcl *pcl, bool pads)
{
	const struct svc_rdma_segment *segment;
	const struct svc_rdma_chunk *chunk;
	u64 total = 0, bytes;

	pcl_for_each_chunk(chunk, pcl) {
		bytes = 0;
		pcl_for_each_segment(segment, chunk) {
			if (!segment->rs_length)
				return U64_MAX;
			bytes += segment->rs_length;
		}
		if (bytes > U32_MAX || bytes != chunk->ch_length)
			return U64_MAX;
		total += pads ? padded(bytes) : bytes;
		if (total > U32_MAX)
			return U64_MAX;
	}
	return total;
}

static bool is_split(const struct rdma_shim_call *call)
{
	const struct svc_rdma_chunk *chunk = pcl_first_chunk(call->reads);

	return pcl_is_empty(call->call) && call->reads->cl_count == 1 &&
	       chunk->ch_position >= call->split_from;
}

/**
 * rdma_shim_plan - lay out a call that has Read chunks
 * @call: what it is made of
 * @layout: the answer
 *
 * Context: any, pure.
 * Return: 0, or -EINVAL when the lists do not make a message or it needs more
 * than @call->max_pages (R2, R5, R6).
 */
int rdma_shim_plan(const struct rdma_shim_call *call,
		   struct rdma_shim_layout *layout)
{
	u64 base, data, total, budget;

	base = list_bytes(call->call, false);
	data = list_bytes(call->reads, true);
	if (base == U64_MAX || data == U64_MAX || !(base | data))
		return -EINVAL;
	if (base && call->inline_bytes)
		return -EINVAL;
	base += call->inline_bytes;
	if (!rdma_shim_positions_fit(call->reads, base))
		return -EINVAL;

	total = base + data;
	budget = (u64)call->max_pages << PAGE_SHIFT;
	if (total < RPC_MIN || total > U32_MAX)
		return -EINVAL;

	layout->whole = !is_split(call);
	layout->length = total;
	layout->sink = layout->whole ? total : data;
	if (layout->sink > budget)
		return -EINVAL;
	layout->pages = (layout->sink + (u64)PAGE_SIZE - 1) >> PAGE_SHIFT;
	layout->head = layout->whole ?
		       min_t(unsigned int, total, PAGE_SIZE) :
		       pcl_first_chunk(call->reads)->ch_position;
	return 0;
}

/**
 * struct walk - how far the pieces have come
 * @emit: takes them
 * @data: for @emit
 * @sink: the next byte to fill
 * @base: the next byte of the base stream
 * @segment: of the call chunk, holding @base
 * @skipped: bytes of @segment in front of @base
 */
struct walk {
	rdma_shim_emit emit;
	void *data;
	unsigned int sink;
	unsigned int base;
	const struct svc_rdma_segment *segment;
	unsigned int skipped;
};

static int emit_piece(struct walk *walk, struct rdma_shim_piece *piece)
{
	int ret;

	if (!piece->length)
		return 0;
	piece->sink = walk->sink;
	ret = walk->emit(walk->data, piece);
	walk->sink += piece->length;
	return ret;
}

static int emit_segment(struct walk *walk,
			const struct svc_rdma_segment *segment,
			unsigned int skip, unsigned int length)
{
	struct rdma_shim_piece piece = {
		.source = RDMA_SHIM_FROM_PEER,
		.length = length,
		.handle = segment->rs_handle,
		.offset = segment->rs_offset + skip,
	};

	return emit_piece(walk, &piece);
}

static int emit_chunk(struct walk *walk, const struct svc_rdma_chunk *chunk)
{
	struct rdma_shim_piece pad = {
		.source = RDMA_SHIM_ZEROS,
		.length = padded(chunk->ch_length) - chunk->ch_length,
	};
	const struct svc_rdma_segment *segment;
	int ret;

	pcl_for_each_segment(segment, chunk) {
		ret = emit_segment(walk, segment, 0, segment->rs_length);
		if (ret)
			return ret;
	}
	return emit_piece(walk, &pad);
}

/* The next @length bytes of the call chunk. */
static int emit_from_call(struct walk *walk, unsigned int length)
{
	unsigned int part;
	int ret;

	while (length) {
		part = min_t(unsigned int, length,
			     walk->segment->rs_length - walk->skipped);
		ret = emit_segment(walk, walk->segment, walk->skipped, part);
		if (ret)
			return ret;
		length -= part;
		walk->skipped += part;
		if (walk->skipped == walk->segment->rs_length) {
			walk->segment++;
			walk->skipped = 0;
		}
	}
	return 0;
}

static int emit_base(struct walk *walk, unsigned int length)
{
	struct rdma_shim_piece piece = {
		.source = RDMA_SHIM_FROM_INLINE,
		.length = length,
		.from = walk->base,
	};

	walk->base += length;
	if (walk->segment)
		return emit_from_call(walk, length);
	return emit_piece(walk, &piece);
}

/**
 * rdma_shim_pieces - name every byte of the pages and its source
 * @call: what rdma_shim_plan() was asked
 * @layout: what it answered
 * @emit: called for each piece, in the order of the pages, without gap or
 *	overlap; its answer other than 0 ends the walk
 * @data: for @emit
 *
 * Context: that of @emit, otherwise pure.
 * Return: 0, or what @emit answered.
 */
int rdma_shim_pieces(const struct rdma_shim_call *call,
		     const struct rdma_shim_layout *layout,
		     rdma_shim_emit emit, void *data)
{
	struct walk walk = { .emit = emit, .data = data };
	const struct svc_rdma_chunk *chunk;
	int ret;

	if (!layout->whole)
		return emit_chunk(&walk, pcl_first_chunk(call->reads));
	if (!pcl_is_empty(call->call))
		walk.segment = pcl_first_chunk(call->call)->ch_segments;

	pcl_for_each_chunk(chunk, call->reads) {
		ret = emit_base(&walk, chunk->ch_position - walk.sink);
		if (!ret)
			ret = emit_chunk(&walk, chunk);
		if (ret)
			return ret;
	}
	return emit_base(&walk, layout->length - walk.sink);
}
