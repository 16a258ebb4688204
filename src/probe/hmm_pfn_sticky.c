// SPDX-License-Identifier: GPL-2.0
/*
 * Do pfn words have flags that survive hmm_range_fault() (6.16)? The same
 * change moved the order field, so it also says which layout words have.
 * no-if: HMM_PFN_DMA_MAPPED
 * needs: odp
 */
#include <linux/module.h>
#include <linux/hmm.h>

unsigned long rdma_shim_probe(void);
unsigned long rdma_shim_probe(void)
{
	return HMM_PFN_DMA_MAPPED;
}
MODULE_LICENSE("GPL");
