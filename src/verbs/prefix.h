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
 * @length: bytes taken
 * @room: bytes that may still be taken
 * @slots: elements that may still be taken
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
	unsigned int slots;
	unsigned int page_mask;
	unsigned int nents;
	unsigned int runs;
	unsigned int resume;
	unsigned int partial;
};

static inline bool rdma_shim_prefix_take(struct rdma_shim_prefix *p,
					 unsigned int len)
{
	unsigned int bytes = len;

	if (len > p->room)
		bytes = p->room;
	p->length += bytes;
	p->room -= bytes;
	p->end += bytes;
	if (bytes != len) {
		p->partial = bytes;
		p->resume += bytes;
		return false;
	}
	p->nents++;
	p->slots--;
	p->resume = 0;
	return true;
}

/**
 * rdma_shim_prefix_start - take the first element
 * @p: the prefix; the caller has set @page_mask and @slots (at least 1)
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
	p->length = 0;
	p->room = capacity > lost ? capacity - lost : 0;
	p->nents = 0;
	p->runs = 1;
	p->resume = offset;
	p->partial = 0;
	return rdma_shim_prefix_take(p, len - offset);
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
	if (!len || !p->room || !p->slots)
		return false;
	if (addr != p->end) {
		if ((addr | p->end) & p->page_mask)
			return false;
		p->runs++;
		p->end = addr;
	}
	return rdma_shim_prefix_take(p, len);
}

#endif
