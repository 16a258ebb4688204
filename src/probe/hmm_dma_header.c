// SPDX-License-Identifier: GPL-2.0
/*
 * Does the kernel have linux/hmm-dma.h, whatever is configured? (6.16)
 * no-if: hmm-dma
 */
#include <linux/module.h>
#include <linux/hmm-dma.h>

size_t rdma_shim_probe(const struct hmm_dma_map *map);
size_t rdma_shim_probe(const struct hmm_dma_map *map)
{
	return map->dma_entry_size;
}
MODULE_LICENSE("GPL");
