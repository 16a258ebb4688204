// SPDX-License-Identifier: GPL-2.0
/*
 * Faults that drop mmap_lock (O11): pages that a userfaultfd handler, or a slow
 * device, brings. hmm_range_fault() cannot wait for them.
 */
#include <linux/sched/signal.h>

#include "odp/gup.h"
#include "odp/walk.h"

/**
 * odp_fault_in() - fault pages that the page walk could not get
 * @mm: whose memory
 * @addr: user address of the first page
 * @pages: how many
 * @write: for writing
 * @locked: 1, as mmap_lock is held for reading; set to 0 when it was dropped
 *
 * Context: process context.
 * Return: 0 if the pages came and mmap_lock was kept, -EAGAIN if they came while
 * it was dropped; -EINTR on a fatal signal; -ENOMEM; -EFAULT if a page cannot
 * come.
 */
int odp_fault_in(struct mm_struct *mm, unsigned long addr, unsigned long pages,
		 bool write, int *locked)
{
	unsigned int flags = write ? FOLL_WRITE : 0;
	long got;

	got = odp_gup(mm, addr, pages, flags, locked);
	/* The page at which it stopped says why only when it is the first. */
	if (got > 0 && got < pages && *locked) {
		pages -= got;
		got = odp_gup(mm, addr + got * PAGE_SIZE, pages, flags, locked);
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	if (got == -ENOMEM)
		return -ENOMEM;
	if (got < 0 || got < pages)
		return -EFAULT;
	return *locked ? 0 : -EAGAIN;
}
