/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slot of a umem as a driver of Linux 7.3 sees it.
 */
#ifndef RDMA_SHIM_TEST_ODP_OURS_H
#define RDMA_SHIM_TEST_ODP_OURS_H

#include <rdma/ib_umem_odp.h>

#define ODP_DEVICE_NAME "rdma-shim-odp"

static inline u64 odp_mask(u64 mask)
{
	return mask;
}

static inline unsigned long odp_word(struct ib_umem_odp *umem, size_t slot)
{
	return READ_ONCE(umem->map.pfn_list[slot]);
}

static inline dma_addr_t odp_address(struct ib_umem_odp *umem, size_t slot)
{
	return hmm_dma_map_pfn(umem->umem.ibdev->dma_device, &umem->map, slot,
			       NULL);
}

#endif
