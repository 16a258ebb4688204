/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Releasing a umem of either kind, and 7.3's name for pinning one.
 */
#ifndef RDMA_SHIM_RDMA_IB_UMEM_H
#define RDMA_SHIM_RDMA_IB_UMEM_H

#include <rdma-shim/config.h>

#include_next <rdma/ib_umem.h>

#include <linux/err.h>

#ifndef RDMA_SHIM_ODP_LACKS

void rdma_shim_ib_umem_release_odp(struct ib_umem *umem);

/*
 * Inline, because on kernels before 7.2 ib_umem_release() is in ib_uverbs,
 * which rdma_shim.ko can do without.
 */
static inline void rdma_shim_ib_umem_release(struct ib_umem *umem)
{
	if (IS_ERR_OR_NULL(umem))
		return;
	if (umem->is_odp)
		rdma_shim_ib_umem_release_odp(umem);
	else
		ib_umem_release(umem);
}

#ifndef RDMA_SHIM_INTERNAL
#define ib_umem_release		rdma_shim_ib_umem_release
#endif

#endif /* RDMA_SHIM_ODP_LACKS */

#if !RDMA_SHIM_HAVE_UMEM_GET_VA

static inline struct ib_umem *rdma_shim_ib_umem_get_va(struct ib_device *device,
						       unsigned long addr,
						       size_t size, int access)
{
	return ib_umem_get(device, addr, size, access);
}

#ifndef RDMA_SHIM_INTERNAL
#define ib_umem_get_va		rdma_shim_ib_umem_get_va
#endif

#endif /* !RDMA_SHIM_HAVE_UMEM_GET_VA */

#endif
