/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages and slots a range of user memory is. Plain arithmetic; also
 * compiled in user space.
 */
#ifndef RDMA_SHIM_ODP_SPAN_H
#define RDMA_SHIM_ODP_SPAN_H

#include <linux/types.h>

/**
 * struct odp_span - whole pages of a umem
 * @start: user address of the first byte
 * @end: user address after the last byte
 * @first: slot of @start
 * @count: slots
 */
struct odp_span {
	unsigned long start;
	unsigned long end;
	size_t first;
	size_t count;
};

/**
 * struct odp_budget - time that may be lost to collisions
 * @spent: jiffies
 * @mark: when the time not yet charged began
 */
struct odp_budget {
	unsigned long spent;
	unsigned long mark;
};

int odp_bounds(unsigned long addr, size_t size, unsigned int page_shift,
	       unsigned long *start, unsigned long *end);
int odp_request(const struct odp_span *umem, unsigned int page_shift,
		u64 virt, u64 bcnt, u64 access_mask, struct odp_span *span);
void odp_cover(const struct odp_span *umem, unsigned int page_shift,
	       u64 virt, u64 bound, struct odp_span *span);
void odp_charge(struct odp_budget *budget, unsigned long now,
		unsigned long most);

#endif
