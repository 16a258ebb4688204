// SPDX-License-Identifier: GPL-2.0
/*
 * hmm_range_fault() with 7.3's page words, and the variant that takes mmap_lock
 * itself, for drivers that call them directly.
 */
#include <linux/hmm.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>

#include "odp/slot.h"
#include "odp/walk.h"

#if RDMA_SHIM_HAVE_HMM_PFN_STICKY

#define range_fault	hmm_range_fault

#else

#define PIECE	32UL

static int fault_piece(const struct hmm_range *range, unsigned long start,
		       unsigned long pages)
{
	unsigned long *words = range->hmm_pfns +
			       ((start - range->start) >> PAGE_SHIFT);
	unsigned long found[PIECE];
	struct hmm_range piece = *range;
	unsigned long i;
	int ret;

	piece.start = start;
	piece.end = start + pages * PAGE_SIZE;
	piece.hmm_pfns = found;
	for (i = 0; i < pages; i++)
		found[i] = words[i] & (HMM_PFN_REQ_FAULT | HMM_PFN_REQ_WRITE);
	ret = hmm_range_fault(&piece);
	if (ret)
		return ret;
	for (i = 0; i < pages; i++)
		words[i] = (words[i] & ODP_STICKY) |
			   odp_word_from(found[i], ODP_KERNEL_ORDER_SHIFT);
	return 0;
}

/**
 * rdma_shim_hmm_range_fault() - hmm_range_fault() with 7.3's page words
 * @range: as for hmm_range_fault()
 *
 * HMM_PFN_DMA_MAPPED, HMM_PFN_P2PDMA and HMM_PFN_P2PDMA_BUS stay as they are.
 *
 * Context: mmap_lock held for reading.
 * Return: as hmm_range_fault().
 */
int rdma_shim_hmm_range_fault(struct hmm_range *range)
{
	unsigned long addr;
	unsigned long pages;
	int ret;

	if (range->start >= range->end)
		return -EINVAL;
	for (addr = range->start; addr < range->end;
	     addr += pages * PAGE_SIZE) {
		pages = min(PIECE, (range->end - addr) >> PAGE_SHIFT);
		ret = fault_piece(range, addr, pages);
		if (ret)
			return ret;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_range_fault);

#define range_fault	rdma_shim_hmm_range_fault

#endif /* !RDMA_SHIM_HAVE_HMM_PFN_STICKY */

#if !RDMA_SHIM_HAVE_HMM_UNLOCKED

/* Wait for the pages that are asked for and are not there, one after another. */
static int wait_for_pages(const struct hmm_range *range, int *locked)
{
	unsigned long addr = range->start;
	unsigned long want;
	int ret = 0;

	for (; !ret && addr < range->end; addr += PAGE_SIZE) {
		want = range->hmm_pfns[(addr - range->start) >> PAGE_SHIFT];
		want = (want & range->pfn_flags_mask) | range->default_flags;
		if (want & HMM_PFN_REQ_FAULT)
			ret = odp_fault_in(range->notifier->mm, addr, 1,
					   want & HMM_PFN_REQ_WRITE, locked);
	}
	return ret;
}

/* Return: as odp_walk_killable(). */
static int attempt(struct hmm_range *range)
{
	struct mm_struct *mm = range->notifier->mm;
	int locked = 1;
	int ret;

	range->notifier_seq = mmu_interval_read_begin(range->notifier);
	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	if (check_stable_address_space(mm)) {
		ret = -EFAULT;
		goto out;
	}
	ret = range_fault(range);
	if (ret == -EFAULT) {
		ret = wait_for_pages(range, &locked);
		if (!ret)
			ret = range_fault(range);
	}
out:
	if (locked)
		mmap_read_unlock(mm);
	return ret;
}

/**
 * rdma_shim_hmm_range_fault_unlocked_timeout() - fault in a range
 * @range: as for hmm_range_fault(); notifier_seq is set
 * @timeout: jiffies that invalidations may cost, 0 for no bound
 *
 * Pages that come only while mmap_lock is dropped (userfaultfd) are waited for,
 * and that time does not count.
 *
 * Context: process context, mmap_lock not held.
 * Return: 0, -EBUSY after @timeout, -EINTR on a fatal signal, or as
 * hmm_range_fault().
 */
int rdma_shim_hmm_range_fault_unlocked_timeout(struct hmm_range *range,
					       unsigned long timeout)
{
	unsigned long deadline = jiffies + timeout;
	int ret;

	for (;;) {
		ret = attempt(range);
		if (ret == -EAGAIN)
			deadline = jiffies + timeout;
		else if (ret != -EBUSY)
			return ret;
		else if (timeout && time_after(jiffies, deadline))
			return -EBUSY;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_range_fault_unlocked_timeout);

#endif /* !RDMA_SHIM_HAVE_HMM_UNLOCKED */
