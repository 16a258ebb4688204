// SPDX-License-Identifier: GPL-2.0
/*
 * DMA page by page, for kernels without IOVA links (before 6.16).
 */
#include <linux/dma-mapping.h>
#include <linux/memremap.h>
#include <linux/mm.h>

#include "odp/dma.h"

#if !RDMA_SHIM_HAVE_HMM_DMA

#define ODP_DMA_MAPPED	(HMM_PFN_VALID | HMM_PFN_DMA_MAPPED)

/*
 * Would the device see a copy of the page, or stale cache lines? Behind an
 * IOMMU these kernels cannot say, and it makes no copies.
 */
static bool needs_sync(struct device *dev, dma_addr_t addr)
{
	return !device_iommu_mapped(dev) && dma_need_sync(dev, addr);
}

/**
 * odp_dma_alloc() - the lists of a map
 * @dev: the DMA device
 * @map: set
 * @nr_entries: pages
 * @dma_entry_size: bytes one slot stands for
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP.
 */
int odp_dma_alloc(struct device *dev, struct hmm_dma_map *map,
		  size_t nr_entries, size_t dma_entry_size)
{
	if (needs_sync(dev, 0) || dma_addressing_limited(dev))
		return -EOPNOTSUPP;

	map->dma_entry_size = dma_entry_size;
	map->pfn_list = kvcalloc(nr_entries, sizeof(*map->pfn_list),
				 GFP_KERNEL | __GFP_NOWARN);
	map->dma_list = kvcalloc(nr_entries, sizeof(*map->dma_list),
				 GFP_KERNEL | __GFP_NOWARN);
	if (map->pfn_list && map->dma_list)
		return 0;
	odp_dma_free(dev, map);
	return -ENOMEM;
}

/**
 * odp_dma_free() - free the lists of a map
 * @dev: the DMA device
 * @map: with no slot mapped
 */
void odp_dma_free(struct device *dev, struct hmm_dma_map *map)
{
	kvfree(map->dma_list);
	kvfree(map->pfn_list);
	map->dma_list = NULL;
	map->pfn_list = NULL;
}

/**
 * odp_dma_map() - map the page of a slot
 * @dev: the DMA device
 * @map: the map
 * @idx: the slot, VALID
 * @p2pdma_state: not used: these kernels cannot map peers' memory page by page
 *
 * Return: its address, or DMA_MAPPING_ERROR. A page that would be bounced is
 * refused: a copy would not see what the process does to the page.
 */
dma_addr_t odp_dma_map(struct device *dev, struct hmm_dma_map *map, size_t idx,
		       struct pci_p2pdma_map_state *p2pdma_state)
{
	unsigned long *slot = &map->pfn_list[idx];
	struct page *page = hmm_pfn_to_page(*slot);
	dma_addr_t addr;

	if (*slot & HMM_PFN_DMA_MAPPED)
		return map->dma_list[idx];
	if (is_pci_p2pdma_page(page))
		return DMA_MAPPING_ERROR;

	addr = dma_map_page(dev, page, 0, map->dma_entry_size,
			    DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, addr))
		return DMA_MAPPING_ERROR;
	if (needs_sync(dev, addr)) {
		dma_unmap_page_attrs(dev, addr, map->dma_entry_size,
				     DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
		return DMA_MAPPING_ERROR;
	}
	map->dma_list[idx] = addr;
	*slot |= HMM_PFN_DMA_MAPPED;
	return addr;
}

/**
 * odp_dma_unmap() - unmap the page of a slot
 * @dev: the DMA device
 * @map: the map
 * @idx: the slot
 *
 * Return: true if it was mapped.
 */
bool odp_dma_unmap(struct device *dev, struct hmm_dma_map *map, size_t idx)
{
	unsigned long *slot = &map->pfn_list[idx];

	if ((*slot & ODP_DMA_MAPPED) != ODP_DMA_MAPPED)
		return false;
	dma_unmap_page(dev, map->dma_list[idx], map->dma_entry_size,
		       DMA_BIDIRECTIONAL);
	*slot &= ~HMM_PFN_DMA_MAPPED;
	return true;
}

#endif
