// SPDX-License-Identifier: GPL-2.0
/*
 * Chunk lists out of words that parse.c has accepted. Position zero and other
 * positions may come in any mix; each builder walks the whole list and takes
 * what is its own (facts 3.4 V5).
 */
#include "svcrdma/parse.h"

#include <asm/byteorder.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma_pcl.h>

enum { READ_ENTRY = 6, SEGMENT = 4 };	/* words, discriminator included */

static u32 entry_position(const __be32 *entry)
{
	return be32_to_cpup(entry + 1);
}

/* Segments of @position from @entry to the end of the list. */
static unsigned int count_position(const __be32 *entry, u32 position)
{
	unsigned int count = 0;

	for (; *entry; entry += READ_ENTRY)
		count += entry_position(entry) == position;
	return count;
}

static struct svc_rdma_chunk *new_chunk(struct svc_rdma_pcl *pcl,
					unsigned int segments, u32 position)
{
	struct svc_rdma_chunk *chunk;

	chunk = kzalloc(struct_size(chunk, ch_segments, segments), GFP_KERNEL);
	if (!chunk)
		return NULL;
	chunk->ch_position = position;
	list_add_tail(&chunk->ch_list, &pcl->cl_chunks);
	return chunk;
}

/* Returns the word after the segment. */
static const __be32 *add_segment(struct svc_rdma_chunk *chunk, const __be32 *p)
{
	struct svc_rdma_segment *segment =
		&chunk->ch_segments[chunk->ch_segcount++];

	segment->rs_handle = be32_to_cpup(p);
	segment->rs_length = be32_to_cpup(p + 1);
	segment->rs_offset = (u64)be32_to_cpup(p + 2) << 32 |
			     be32_to_cpup(p + 3);
	chunk->ch_length += segment->rs_length;
	return p + SEGMENT;
}

static int add_position(struct svc_rdma_pcl *pcl, const __be32 *entry,
			u32 position)
{
	struct svc_rdma_chunk *chunk;

	chunk = new_chunk(pcl, count_position(entry, position), position);
	if (!chunk)
		return -ENOMEM;
	for (; *entry; entry += READ_ENTRY)
		if (entry_position(entry) == position)
			add_segment(chunk, entry + 2);
	return 0;
}

/**
 * rdma_shim_chunks_call - take the call chunk out of a Read list
 * @pcl: an initialised list, to which the chunk is added if there is one
 * @reads: first word of the Read list, accepted by rdma_shim_parse()
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rdma_shim_chunks_call(struct svc_rdma_pcl *pcl, const __be32 *reads)
{
	pcl->cl_count = !!count_position(reads, 0);
	return pcl->cl_count ? add_position(pcl, reads, 0) : 0;
}

/**
 * rdma_shim_chunks_read - take the data chunks out of a Read list
 * @pcl: an initialised list, to which they are added
 * @reads: first word of the Read list, accepted by rdma_shim_parse()
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rdma_shim_chunks_read(struct svc_rdma_pcl *pcl, const __be32 *reads)
{
	const __be32 *entry;
	u32 last = 0;

	pcl->cl_count = 0;
	for (entry = reads; *entry; entry += READ_ENTRY) {
		if (entry_position(entry) <= last)
			continue;
		last = entry_position(entry);
		if (add_position(pcl, entry, last))
			return -ENOMEM;
		pcl->cl_count++;
	}
	return 0;
}

/**
 * rdma_shim_chunks_write - read chunks of a Write list, or a Reply chunk
 * @pcl: an initialised list; @pcl->cl_count chunks are added
 * @p: first word, accepted by rdma_shim_parse()
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rdma_shim_chunks_write(struct svc_rdma_pcl *pcl, const __be32 *p)
{
	struct svc_rdma_chunk *chunk;
	unsigned int i;
	u32 segments;

	for (i = 0; i < pcl->cl_count; i++) {
		segments = be32_to_cpup(p + 1);
		chunk = new_chunk(pcl, segments, 0);
		if (!chunk)
			return -ENOMEM;
		p += 2;
		while (segments--)
			p = add_segment(chunk, p);
	}
	return 0;
}

/**
 * rdma_shim_pcl_free - free the chunks of a list
 * @pcl: the list; initialised and empty afterwards
 *
 * Context: any.
 */
void rdma_shim_pcl_free(struct svc_rdma_pcl *pcl)
{
	struct svc_rdma_chunk *chunk;

	while ((chunk = pcl_first_chunk(pcl))) {
		list_del(&chunk->ch_list);
		kfree(chunk);
	}
	pcl->cl_count = 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_free);
