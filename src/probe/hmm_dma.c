// SPDX-License-Identifier: GPL-2.0
/*
 * Can HMM map a page for a device (6.16)?
 * no-if: hmm-dma\.h
 * needs: odp
 */
#include <linux/module.h>
#include <linux/hmm-dma.h>

bool rdma_shim_probe(struct device *dev, struct hmm_dma_map *map);
bool rdma_shim_probe(struct device *dev, struct hmm_dma_map *map)
{
	return hmm_dma_unmap_pfn(dev, map, 0);
}
MODULE_LICENSE("GPL");
