/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which prefix of a scatterlist fits a memory region?
 *
 * Plain arithmetic over (address, length) pairs: no kernel call, so that the
 * same lines are tested in user space. Inline, because it runs once an element.
 */
#ifndef RDMA_SHIM_VERBS_PREFIX_H
#define RDMA_SHIM_VERBS_PREFIX_H

#include <linux/types.h>

/**
 * struct rdma_shim_prefix - how far a list has been taken
 * @iova: DMA address of the first byte taken
 * @end: DMA address behind the last byte taken
 * @length: bytes taken; known from rdma_shim_prefix_finish() on
 * @room: bytes that may still be taken
 * @page_mask: page size less one; 0 when alignment does not matter
 * @nents: elements taken whole
 * @runs: stretches of contiguous addresses among the bytes taken
 * @resume: offset inside element @nents of the first byte not taken
 * @partial: bytes taken of element @nents
 */
struct rdma_shim_prefix {
	u64 iova;
	u64 end;
	u64 length;
	u64 room;
	unsigned int page_mask;
	unsigned int nents;
	unsigned int runs;
	unsigned int resume;
	unsigned int partial;
};

/* What is left of the room goes to a part of an element. */
static inline void rdma_shim_prefix_cut(struct rdma_shim_prefix *p,
					unsigned int offset)
{
	p->partial = p->room;
	p->resume = offset + p->partial;
	p->end += p->room;
	p->room = 0;
}

/**
 * rdma_shim_prefix_start - take the first element
 * @p: the prefix; the caller has set @page_mask
 * @capacity: bytes the region holds when it starts at a page boundary
 * @addr: DMA address of the element
 * @len: its bytes; more than @offset (M2, M7)
 * @offset: where in the element the region starts
 *
 * Every element after the first starts where a page does or where its
 * predecessor ended (M3), so pages are lost only in front of the first byte:
 * what a region of N pages holds is a number of bytes known from here on.
 *
 * Return: true when the element was taken whole.
 */
static inline bool rdma_shim_prefix_start(struct rdma_shim_prefix *p,
					  u64 capacity, u64 addr,
					  unsigned int len, unsigned int offset)
{
	u64 lost = (addr + offset) & p->page_mask;

	p->iova = addr + offset;
	p->end = p->iova;
	p->room = capacity > lost ? capacity - lost : 0;
	p->length = p->room;
	p->nents = 0;
	p->runs = 1;
	p->resume = 0;
	p->partial = 0;
	if (len - offset > p->room) {
		rdma_shim_prefix_cut(p, offset);
		return false;
	}
	p->room -= len - offset;
	p->end += len - offset;
	p->nents = 1;
	return true;
}

/* An element that is empty (M7) or has no room as a whole (M5). */
static inline bool rdma_shim_prefix_last(struct rdma_shim_prefix *p, u64 addr,
					 unsigned int len)
{
	if (!len || !p->room)
		return false;
	if (addr != p->end) {
		if ((addr | p->end) & p->page_mask)
			return false;
		p->runs++;
	}
	rdma_shim_prefix_cut(p, 0);
	return false;
}

/**
 * rdma_shim_prefix_add - take one more element
 * @p: a prefix whose elements so far were taken whole
 * @addr: DMA address of the element
 * @len: its bytes
 *
 * Return: false when the prefix ends before or inside this element: a gap
 * (M3), an empty element (M7), or no room (M5).
 */
static inline bool rdma_shim_prefix_add(struct rdma_shim_prefix *p, u64 addr,
					unsigned int len)
{
	/* One comparison for both: 0 wraps to the most there is. */
	if ((u64)len - 1 >= p->room)
		return rdma_shim_prefix_last(p, addr, len);
	if (addr != p->end) {
		if ((addr | p->end) & p->page_mask)
			return false;
		p->runs++;
	}
	p->room -= len;
	p->end = addr + len;
	p->nents++;
	return true;
}

/* The length from what is left, instead of a sum beside it. */
static inline void rdma_shim_prefix_finish(struct rdma_shim_prefix *p)
{
	p->length -= p->room;
}

#endif
