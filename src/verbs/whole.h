/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a scatterlist fit a memory region as a whole?
 *
 * Most do, and sums over the list prove it with half the work of asking each
 * element where the prefix ends. What the sums do not prove is left to
 * prefix.h, which alone gives exact answers.
 */
#ifndef RDMA_SHIM_VERBS_WHOLE_H
#define RDMA_SHIM_VERBS_WHOLE_H

#include <linux/types.h>

/**
 * struct rdma_shim_whole - sums over the elements so far
 * @length: their bytes
 * @edges: bits that are set in an address at which one ends and the next
 *	starts, or in a length between two of those
 * @empty: its top bit is set once one was empty
 * @last: what the end of the last one would add to @edges
 */
struct rdma_shim_whole {
	u64 length;
	u64 edges;
	u64 empty;
	u64 last;
};

static inline void rdma_shim_whole_start(struct rdma_shim_whole *w, u64 addr,
					 unsigned int len)
{
	w->length = len;
	w->edges = 0;
	w->empty = 0;
	w->last = addr + len;
}

/* Where one starts at a boundary, its length says whether it ends at one. */
static inline void rdma_shim_whole_add(struct rdma_shim_whole *w, u64 addr,
				       unsigned int len)
{
	w->edges |= w->last | addr;
	w->empty |= (u64)len - 1;
	w->last = len;
	w->length += len;
}

/**
 * rdma_shim_whole_fits - is it proved?
 * @w: the sums over the list
 * @page_mask: page size less one
 * @room: bytes that the region can hold from the first one on
 *
 * Return: false also for lists that fit but meet inside a page.
 */
static inline bool rdma_shim_whole_fits(const struct rdma_shim_whole *w,
					u64 page_mask, u64 room)
{
	return !(w->edges & page_mask || w->empty >> 63 || w->length > room);
}

#endif
