/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One look at the page tables of a process.
 */
#ifndef RDMA_SHIM_ODP_WALK_H
#define RDMA_SHIM_ODP_WALK_H

#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched.h>

/**
 * struct odp_walk - a batch of pages, or one larger slot, and what the page
 * tables say about them
 * @notifier: whose invalidations make the result stale
 * @owner: the process whose memory it is
 * @start: user address of the first slot
 * @end: user address after the last slot
 * @page_shift: log2 of the bytes of a slot
 * @flags: HMM_PFN_REQ_*, 0 to look only
 * @words: one word for each slot, as hmm_range_fault() of this kernel writes it;
 *	belongs to the walk, nobody else sees it before it is published
 * @seq: sequence of @notifier before the walk
 */
struct odp_walk {
	struct mmu_interval_notifier *notifier;
	struct task_struct *owner;
	unsigned long start;
	unsigned long end;
	unsigned int page_shift;
	unsigned long flags;
	unsigned long *words;
	unsigned long seq;
};

int odp_walk(struct odp_walk *walk);
int odp_walk_killable(struct odp_walk *walk);
int odp_walk_attended(struct odp_walk *walk);
bool odp_owner_gone(struct task_struct *owner);
int odp_fault_in(struct mm_struct *mm, unsigned long addr, unsigned long pages,
		 bool write, int *locked);

#endif
