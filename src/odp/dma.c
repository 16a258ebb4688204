// SPDX-License-Identifier: GPL-2.0
/*
 * hmm_dma_*() for every device. One without DMA of its own (a NULL device: rxe,
 * siw) reads and writes through the kernel's address of a page.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#include "odp/dma.h"

static int alloc_words(struct hmm_dma_map *map, size_t nr_entries,
		       size_t dma_entry_size)
{
	memset(map, 0, sizeof(*map));
	map->dma_entry_size = dma_entry_size;
	map->pfn_list = kvcalloc(nr_entries, sizeof(*map->pfn_list),
				 GFP_KERNEL | __GFP_NOWARN);
	return map->pfn_list ? 0 : -ENOMEM;
}

/**
 * rdma_shim_hmm_dma_map_alloc() - the lists of a map
 * @dev: the DMA device, or NULL
 * @map: set
 * @nr_entries: pages
 * @dma_entry_size: bytes one slot stands for
 *
 * Context: process context, sleeps.
 * Return: 0, -ENOMEM, or -EOPNOTSUPP if @dev would need bounce buffers or cache
 * maintenance, because pages are never handed back and forth.
 */
int rdma_shim_hmm_dma_map_alloc(struct device *dev, struct hmm_dma_map *map,
				size_t nr_entries, size_t dma_entry_size)
{
	if (!dev)
		return alloc_words(map, nr_entries, dma_entry_size);
	return odp_dma_alloc(dev, map, nr_entries, dma_entry_size);
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_dma_map_alloc);

/**
 * rdma_shim_hmm_dma_map_free() - free the lists of a map
 * @dev: as given to rdma_shim_hmm_dma_map_alloc()
 * @map: with no slot mapped
 *
 * Context: process context, sleeps.
 */
void rdma_shim_hmm_dma_map_free(struct device *dev, struct hmm_dma_map *map)
{
	if (dev)
		odp_dma_free(dev, map);
	else
		kvfree(map->pfn_list);
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_dma_map_free);

/**
 * rdma_shim_hmm_dma_map_pfn() - the address under which a device sees a page
 * @dev: the DMA device, or NULL
 * @map: the map
 * @idx: the slot
 * @p2pdma_state: as for hmm_dma_map_pfn()
 *
 * Context: the lock that protects @map held.
 * Return: a DMA address, with HMM_PFN_DMA_MAPPED set in the slot; for a NULL
 * @dev the kernel address of the page, with no flag set; DMA_MAPPING_ERROR if
 * the slot has no page or the device cannot reach it.
 */
dma_addr_t rdma_shim_hmm_dma_map_pfn(struct device *dev,
				     struct hmm_dma_map *map, size_t idx,
				     struct pci_p2pdma_map_state *p2pdma_state)
{
	unsigned long word = map->pfn_list[idx];

	if (!(word & HMM_PFN_VALID))
		return DMA_MAPPING_ERROR;
	if (!dev)
		return (uintptr_t)page_address(hmm_pfn_to_page(word));
	return odp_dma_map(dev, map, idx, p2pdma_state);
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_dma_map_pfn);

/**
 * rdma_shim_hmm_dma_unmap_pfn() - take an address back
 * @dev: the DMA device, or NULL
 * @map: the map
 * @idx: the slot
 *
 * Context: the lock that protects @map held; may be an invalidation.
 * Return: true if the slot was mapped for DMA.
 */
bool rdma_shim_hmm_dma_unmap_pfn(struct device *dev, struct hmm_dma_map *map,
				 size_t idx)
{
	return dev && odp_dma_unmap(dev, map, idx);
}
EXPORT_SYMBOL_GPL(rdma_shim_hmm_dma_unmap_pfn);
