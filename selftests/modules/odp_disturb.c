// SPDX-License-Identifier: GPL-2.0
/*
 * What may happen to a umem at a bad moment, made to happen.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "odp_driver.h"

/* Somebody holds mmap_lock of the owner for writing. */
int odp_hold_mmap(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	struct mm_struct *mm = driver->umem->umem.owning_mm;

	/* The struct stays, though the process may exit meanwhile. */
	mmgrab(mm);
	mmap_write_lock(mm);
	msleep(cmd->ms);
	mmap_write_unlock(mm);
	mmdrop(mm);
	return 0;
}

/* How many slots changed while nobody else could have held the mutex. */
int odp_hold_mutex(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;
	size_t n = ib_umem_odp_num_pages(umem);
	unsigned long *before;
	size_t i;

	before = vmalloc(n * sizeof(*before));
	if (!before)
		return -ENOMEM;
	mutex_lock(&umem->umem_mutex);
	for (i = 0; i < n; i++)
		before[i] = odp_word(umem, i);
	msleep(cmd->ms);
	for (i = 0; i < n; i++)
		cmd->out[0] += odp_word(umem, i) != before[i];
	mutex_unlock(&umem->umem_mutex);
	vfree(before);
	return 0;
}

/*
 * Somebody else's view: under the mutex, a slot that is VALID has its page. A
 * page without a reference was given back to the kernel.
 */
int odp_observe(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;
	unsigned long end = jiffies + msecs_to_jiffies(cmd->ms);
	size_t n = ib_umem_odp_num_pages(umem);
	unsigned long word;
	size_t i;

	while (time_before(jiffies, end) && !signal_pending(current)) {
		mutex_lock(&umem->umem_mutex);
		for (i = 0; i < n; i++) {
			word = odp_word(umem, i);
			if (!(word & HMM_PFN_VALID))
				continue;
			cmd->out[1]++;
			if (!page_count(compound_head(hmm_pfn_to_page(word))))
				cmd->out[0]++;
		}
		mutex_unlock(&umem->umem_mutex);
		cond_resched();
	}
	return 0;
}
