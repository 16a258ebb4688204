// SPDX-License-Identifier: GPL-2.0
/*
 * Is there the hmm_range_fault() that takes mmap_lock itself (7.3)?
 * no-if: hmm_range_fault_unlocked_timeout
 * needs: odp
 */
#include <linux/module.h>
#include <linux/hmm.h>

int rdma_shim_probe(struct hmm_range *range);
int rdma_shim_probe(struct hmm_range *range)
{
	return hmm_range_fault_unlocked_timeout(range, 1);
}
MODULE_LICENSE("GPL");
