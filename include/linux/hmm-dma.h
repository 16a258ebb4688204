/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DMA addresses for the pages of a struct hmm_dma_map, as in Linux 7.3.
 */
#ifndef RDMA_SHIM_LINUX_HMM_DMA_H
#define RDMA_SHIM_LINUX_HMM_DMA_H

#include <rdma-shim/config.h>

#if RDMA_SHIM_HAVE_HMM_DMA || \
	(defined(RDMA_SHIM_ODP_LACKS) && RDMA_SHIM_HAVE_HMM_DMA_HEADER)

#include_next <linux/hmm-dma.h>

#else

#include <linux/dma-mapping.h>

struct pci_p2pdma_map_state;

/* Without IOVA links there is nothing to keep here. */
struct dma_iova_state {
	dma_addr_t addr;
	u64 __size;
};

struct hmm_dma_map {
	struct dma_iova_state state;
	unsigned long *pfn_list;
	dma_addr_t *dma_list;
	size_t dma_entry_size;
};

#endif /* RDMA_SHIM_HAVE_HMM_DMA */

#ifndef RDMA_SHIM_ODP_LACKS

int rdma_shim_hmm_dma_map_alloc(struct device *dev, struct hmm_dma_map *map,
				size_t nr_entries, size_t dma_entry_size);
void rdma_shim_hmm_dma_map_free(struct device *dev, struct hmm_dma_map *map);
dma_addr_t rdma_shim_hmm_dma_map_pfn(struct device *dev,
				     struct hmm_dma_map *map, size_t idx,
				     struct pci_p2pdma_map_state *p2pdma_state);
bool rdma_shim_hmm_dma_unmap_pfn(struct device *dev, struct hmm_dma_map *map,
				 size_t idx);

#ifndef RDMA_SHIM_INTERNAL
#define hmm_dma_map_alloc	rdma_shim_hmm_dma_map_alloc
#define hmm_dma_map_free	rdma_shim_hmm_dma_map_free
#define hmm_dma_map_pfn		rdma_shim_hmm_dma_map_pfn
#define hmm_dma_unmap_pfn	rdma_shim_hmm_dma_unmap_pfn
#endif

#endif /* RDMA_SHIM_ODP_LACKS */

#endif
