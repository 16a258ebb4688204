// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages and slots a range of user memory is (contract O1, O2, O10), and
 * how collisions use up their time (O5). Also compiled in user space.
 */
#include <linux/kernel.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/hmm.h>

#include "odp/span.h"

/**
 * odp_bounds() - the whole pages that user memory lies in
 * @addr: user address of the first byte
 * @size: bytes
 * @page_shift: log2 of the page size
 * @start: set to the first byte of the first page
 * @end: set to the byte after the last page
 *
 * Return: 0, -EOVERFLOW if the memory ends beyond the address space, -EINVAL
 * if there is no page.
 */
int odp_bounds(unsigned long addr, size_t size, unsigned int page_shift,
	       unsigned long *start, unsigned long *end)
{
	unsigned long mask = (1UL << page_shift) - 1;

	if (size > ULONG_MAX - addr || addr + size > ULONG_MAX - mask)
		return -EOVERFLOW;
	*start = addr & ~mask;
	*end = (addr + size + mask) & ~mask;
	return *start == *end ? -EINVAL : 0;
}

/**
 * odp_request() - check a request to map, and say which slots it means
 * @umem: all of the umem
 * @page_shift: log2 of the bytes of a slot
 * @virt: user address of the first byte
 * @bcnt: bytes
 * @access_mask: 0 to read, HMM_PFN_WRITE to write
 * @span: set on success
 *
 * Return: 0, -EINVAL (O1, no bytes) or -EFAULT (O2).
 */
int odp_request(const struct odp_span *umem, unsigned int page_shift,
		u64 virt, u64 bcnt, u64 access_mask, struct odp_span *span)
{
	if (access_mask & ~(u64)HMM_PFN_WRITE || !bcnt)
		return -EINVAL;
	if (virt < umem->start || virt >= umem->end ||
	    bcnt > umem->end - virt)
		return -EFAULT;

	odp_cover(umem, page_shift, virt, virt + bcnt, span);
	/* More than the return value could count. */
	return span->count > INT_MAX ? -EINVAL : 0;
}

/**
 * odp_cover() - the slots that hold any byte of a range
 * @umem: all of the umem
 * @page_shift: log2 of the bytes of a slot
 * @virt: user address of the first byte, may lie before @umem
 * @bound: user address after the last byte, may lie after @umem
 * @span: set; no slots if the range and the umem have no byte in common
 */
void odp_cover(const struct odp_span *umem, unsigned int page_shift,
	       u64 virt, u64 bound, struct odp_span *span)
{
	u64 first = max_t(u64, virt, umem->start);
	u64 after = min_t(u64, bound, umem->end);
	u64 mask = (1UL << page_shift) - 1;

	if (first >= after) {
		first = umem->start;
		after = first;
	}
	span->start = first & ~mask;
	span->end = (after + mask) & ~mask;
	span->first = (span->start - umem->start) >> page_shift;
	span->count = (span->end - span->start) >> page_shift;
}

/**
 * odp_charge() - charge what an attempt took that came to nothing
 * @budget: the budget of this call
 * @now: jiffies
 * @most: jiffies one step is charged at most; the rest was inside a single page
 *	fault or a single wait for mmap_lock, which are not for us to bound
 */
void odp_charge(struct odp_budget *budget, unsigned long now,
		unsigned long most)
{
	budget->spent += min(now - budget->mark, most);
	budget->mark = now;
}
