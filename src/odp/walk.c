// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the page tables into a private buffer, with every wait bounded by
 * a fatal signal or by the end of the process whose memory it is (O4, O11).
 */
#include <linux/hmm.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>

#include "odp/walk.h"

/*
 * Of a large slot the first page is enough: its word has the order. The words
 * may hold anything before: a walk that succeeds has written every one, and but
 * for the sticky flags, which odp_word_from() drops, without looking.
 */
static int walk_locked(struct odp_walk *walk, struct hmm_range *range)
{
	bool large = walk->page_shift > PAGE_SHIFT;

	range->start = walk->start;
	range->end = large ? walk->start + PAGE_SIZE : walk->end;
	range->hmm_pfns = walk->words;
	return hmm_range_fault(range);
}

/*
 * The walk may not drop mmap_lock, so a page that only comes while it is
 * dropped looks like one that cannot come. Ask in the way that may wait.
 */
static int wait_and_walk(struct odp_walk *walk, struct hmm_range *range,
			 int *locked)
{
	unsigned long pages = (range->end - range->start) >> PAGE_SHIFT;
	bool write = range->default_flags & HMM_PFN_REQ_WRITE;
	int ret;

	ret = odp_fault_in(range->notifier->mm, range->start, pages, write,
			   locked);
	return ret ?: walk_locked(walk, range);
}

/**
 * odp_walk_killable() - walk, and wait for what it needs
 * @walk: what to walk; @walk->seq has to be set
 *
 * Context: process context, takes and drops mmap_lock.
 * Return: 0, -EBUSY if the result is stale already, -EAGAIN if pages have been
 * waited for and the walk has to be done again, -EINTR on a fatal signal, or
 * what the memory is worth: -EFAULT, -EPERM, -ENOMEM.
 */
int odp_walk_killable(struct odp_walk *walk)
{
	struct mm_struct *mm = walk->notifier->mm;
	struct hmm_range range = {
		.notifier = walk->notifier,
		.notifier_seq = walk->seq,
		.default_flags = walk->flags,
	};
	int locked = 1;
	int ret;

	ret = mmap_read_lock_killable(mm);
	if (ret)
		return ret;
	if (check_stable_address_space(mm)) {
		ret = -EFAULT;
		goto out;
	}
	ret = walk_locked(walk, &range);
	if (ret == -EFAULT && walk->flags)
		ret = wait_and_walk(walk, &range, &locked);
out:
	if (locked)
		mmap_read_unlock(mm);
	return ret;
}

/* In a kernel thread: what needs no wait, else -EAGAIN. */
static int walk_at_once(struct odp_walk *walk)
{
	struct mm_struct *mm = walk->notifier->mm;
	struct hmm_range range = {
		.notifier = walk->notifier,
		.notifier_seq = walk->seq,
		.default_flags = walk->flags,
	};
	int ret;

	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	ret = check_stable_address_space(mm) ? -EFAULT :
		walk_locked(walk, &range);
	mmap_read_unlock(mm);
	return ret == -EFAULT && walk->flags ? -EAGAIN : ret;
}

/**
 * odp_owner_gone() - has every thread of a process exited?
 * @owner: any thread of it
 *
 * The leader may be gone long before the others (O12).
 *
 * Return: true if nobody of the process will run again.
 */
bool odp_owner_gone(struct task_struct *owner)
{
	return !atomic_read(&owner->signal->live);
}

/**
 * odp_walk() - look at the page tables of a process, faulting if asked
 * @walk: what to walk; its words and sequence are set
 *
 * Context: process context, no locks held.
 * Return: as odp_walk_killable(); in a kernel thread, which gets no signals,
 * -EINVAL when the owner is gone.
 */
int odp_walk(struct odp_walk *walk)
{
	int ret;

	if (!(current->flags & PF_KTHREAD)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		walk->seq = mmu_interval_read_begin(walk->notifier);
		return odp_walk_killable(walk);
	}
	if (odp_owner_gone(walk->owner))
		return -EINVAL;
	walk->seq = mmu_interval_read_begin(walk->notifier);
	ret = walk_at_once(walk);
	return ret == -EAGAIN ? odp_walk_attended(walk) : ret;
}
