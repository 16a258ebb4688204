// SPDX-License-Identifier: GPL-2.0
/*
 * What a call costs, in nanoseconds; in a guest whose clock counts instructions
 * these are instructions.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "odp_driver.h"

/**
 * odp_time_map() - time a request to map
 * @driver: with a umem
 * @cmd: as for ODP_MAP; out[0] is set
 */
void odp_time_map(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;
	bool fault = cmd->flags & ODP_FLAG_FAULT;
	u64 mask = odp_mask(cmd->mask);
	u64 start;

	start = ktime_get_ns();
	cmd->ret = ib_umem_odp_map_dma_and_lock(umem, cmd->virt, cmd->len, mask,
						fault);
	cmd->out[0] = ktime_get_ns() - start;
	if (cmd->ret >= 0)
		mutex_unlock(&umem->umem_mutex);
}

/**
 * odp_time_bare() - time hmm_range_fault() of the same range
 * @driver: with a umem
 * @cmd: as for ODP_MAP; out[0] is set
 *
 * What has to be done around that call is not counted.
 *
 * Return: 0 or -ENOMEM.
 */
int odp_time_bare(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct mm_struct *mm = driver->umem->umem.owning_mm;
	struct hmm_range range = {
		.notifier = &driver->umem->notifier,
		.start = cmd->virt,
		.end = cmd->virt + cmd->len,
		.default_flags = HMM_PFN_REQ_FAULT |
				 (cmd->mask ? HMM_PFN_REQ_WRITE : 0),
	};
	u64 start;

	range.hmm_pfns = kvcalloc(cmd->len >> PAGE_SHIFT,
				  sizeof(*range.hmm_pfns), GFP_KERNEL);
	if (!range.hmm_pfns)
		return -ENOMEM;
	range.notifier_seq = mmu_interval_read_begin(range.notifier);
	mmap_read_lock(mm);
	start = ktime_get_ns();
	cmd->ret = hmm_range_fault(&range);
	cmd->out[0] = ktime_get_ns() - start;
	mmap_read_unlock(mm);
	kvfree(range.hmm_pfns);
	return 0;
}
