/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder share about a umem.
 */
#ifndef RDMA_SHIM_ODP_UMEM_H
#define RDMA_SHIM_ODP_UMEM_H

#include <rdma/ib_umem_odp.h>

#include "odp/span.h"

/* NULL for devices without DMA of their own (rxe, siw). */
static inline struct device *odp_dma_device(const struct ib_umem_odp *umem_odp)
{
	return umem_odp->umem.ibdev->dma_device;
}

static inline struct odp_span odp_whole(struct ib_umem_odp *umem_odp)
{
	return (struct odp_span) {
		.start = ib_umem_start(umem_odp),
		.end = ib_umem_end(umem_odp),
	};
}

void odp_clear_slot(struct ib_umem_odp *umem_odp, size_t idx);

#endif
