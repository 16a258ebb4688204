// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of a request as an array of bytes with a count of writes each, and
 * the peer's memory as another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/list.h>
#include <linux/sunrpc/svc_rdma_pcl.h>

#include "chunks_model.h"
#include "svcrdma/parse.h"
#include "svcrdma/plan.h"

#define MAX_SEGMENTS 259

struct sink {
	u8 *bytes;
	u8 *writes;
	unsigned int size;	/* the budget; a byte more is the reply's */
	unsigned int next;
	const u8 *body;
	unsigned int body_bytes;
	const u8 *peer;
	unsigned int peer_bytes;
	unsigned int pieces;
};

static void broken(const char *sentence)
{
	fprintf(stderr, "broken: %s\n", sentence);
	abort();
}

static int fill(void *data, const struct rdma_shim_piece *piece)
{
	struct sink *sink = data;
	const u8 *from = NULL;
	unsigned int i;

	sink->pieces++;
	if (!piece->length || piece->sink != sink->next)
		broken("pieces leave a gap, overlap or are empty");
	if ((u64)piece->sink + piece->length > sink->size)
		broken("a byte of the reply page is a sink");
	sink->next += piece->length;

	if (piece->source == RDMA_SHIM_FROM_INLINE) {
		if ((u64)piece->from + piece->length > sink->body_bytes)
			broken("a piece reaches past the inline body");
		from = sink->body + piece->from;
	} else if (piece->source == RDMA_SHIM_FROM_PEER) {
		if (piece->offset + piece->length < piece->offset)
			broken("an address wraps");
		if (piece->offset + piece->length <= sink->peer_bytes)
			from = sink->peer + piece->offset;
	}
	for (i = 0; i < piece->length; i++) {
		if (sink->writes[piece->sink + i]++)
			broken("a sink byte is written twice");
		sink->bytes[piece->sink + i] = from ? from[i] : 0;
	}
	return 0;
}

static void rebuild(const struct rdma_shim_layout *layout,
		    const struct sink *sink, u8 *rebuilt, unsigned int room)
{
	unsigned int tail;

	if (!rebuilt || layout->length > room)
		return;
	if (layout->whole) {
		memcpy(rebuilt, sink->bytes, layout->sink);
		return;
	}
	tail = sink->body_bytes - layout->head;
	memcpy(rebuilt, sink->body, layout->head);
	memcpy(rebuilt + layout->head, sink->bytes, layout->sink);
	memcpy(rebuilt + layout->head + layout->sink,
	       sink->body + layout->head, tail);
}

static void check_layout(const struct rdma_shim_layout *layout,
			 const struct sink *sink, unsigned int max_pages)
{
	if (layout->pages > max_pages)
		broken("no page is left for the reply");
	if ((u64)layout->pages << PAGE_SHIFT < layout->sink)
		broken("the pages do not hold the sink");
	if (layout->whole && layout->length != layout->sink)
		broken("a whole message is not the sink");
	if (!layout->whole &&
	    (u64)layout->sink + sink->body_bytes != layout->length)
		broken("head, pages and tail are not the message");
	if (!layout->whole && layout->head > sink->body_bytes)
		broken("the head is longer than the inline body");
}

struct chunks_result chunks_run(const void *message, unsigned int bytes,
				unsigned int max_pages,
				const u8 *peer, unsigned int peer_bytes,
				u8 *rebuilt, unsigned int room)
{
	struct svc_rdma_pcl call, reads, writes, reply;
	struct chunks_result result = { 0 };
	struct rdma_shim_header header;
	struct rdma_shim_layout layout;
	struct sink sink = { .peer = peer, .peer_bytes = peer_bytes };
	__be32 *copy = malloc(bytes);
	struct rdma_shim_call what = {
		.call = &call, .reads = &reads, .max_pages = max_pages,
	};

	memcpy(copy, message, bytes);
	if (rdma_shim_parse(copy, bytes, MAX_SEGMENTS, &header) !=
	    RDMA_SHIM_CALL)
		goto out;
	result.called = true;
	if (header.size > bytes)
		broken("the header is longer than the message");

	pcl_init(&call);
	pcl_init(&reads);
	pcl_init(&writes);
	pcl_init(&reply);
	writes.cl_count = header.write_chunks;
	reply.cl_count = header.reply_chunks;
	if (rdma_shim_chunks_call(&call, header.reads) ||
	    rdma_shim_chunks_read(&reads, header.reads) ||
	    rdma_shim_chunks_write(&writes, header.writes) ||
	    rdma_shim_chunks_write(&reply, header.reply))
		broken("no memory for the lists");
	if (reads.cl_count != header.read_chunks)
		broken("a data chunk was lost");

	sink.body = (u8 *)copy + header.size;
	sink.body_bytes = bytes - header.size;
	sink.size = max_pages << PAGE_SHIFT;
	sink.bytes = calloc(1, sink.size + 1);
	sink.writes = calloc(1, sink.size + 1);
	what.inline_bytes = sink.body_bytes;
	what.split_from = rdma_shim_rpc_header((__be32 *)sink.body,
					       sink.body_bytes) ?: U32_MAX;
	if ((header.call_segments || header.read_segments) &&
	    !rdma_shim_plan(&what, &layout)) {
		result.planned = true;
		check_layout(&layout, &sink, max_pages);
		if (rdma_shim_pieces(&what, &layout, fill, &sink))
			broken("the walk ended early");
		if (sink.next != layout.sink)
			broken("a sink byte is never written");
		rebuild(&layout, &sink, rebuilt, room);
		result.length = layout.length;
		result.pages = layout.pages;
		result.pieces = sink.pieces;
	}
	free(sink.bytes);
	free(sink.writes);
	pcl_free(&call);
	pcl_free(&reads);
	pcl_free(&writes);
	pcl_free(&reply);
out:
	free(copy);
	return result;
}
