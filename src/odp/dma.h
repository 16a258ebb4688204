/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DMA of a device that has DMA: the kernel's hmm_dma_*, or page by page.
 */
#ifndef RDMA_SHIM_ODP_DMA_H
#define RDMA_SHIM_ODP_DMA_H

#include <linux/hmm.h>
#include <linux/hmm-dma.h>

#if RDMA_SHIM_HAVE_HMM_DMA
#define odp_dma_alloc	hmm_dma_map_alloc
#define odp_dma_free	hmm_dma_map_free
#define odp_dma_map	hmm_dma_map_pfn
#define odp_dma_unmap	hmm_dma_unmap_pfn
#else
int odp_dma_alloc(struct device *dev, struct hmm_dma_map *map,
		  size_t nr_entries, size_t dma_entry_size);
void odp_dma_free(struct device *dev, struct hmm_dma_map *map);
dma_addr_t odp_dma_map(struct device *dev, struct hmm_dma_map *map, size_t idx,
		       struct pci_p2pdma_map_state *p2pdma_state);
bool odp_dma_unmap(struct device *dev, struct hmm_dma_map *map, size_t idx);
#endif

#endif
