/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On-demand paging as Linux 7.3 has it (contract section 2).
 */
#ifndef RDMA_SHIM_RDMA_IB_UMEM_ODP_H
#define RDMA_SHIM_RDMA_IB_UMEM_ODP_H

#include <rdma-shim/config.h>

#if RDMA_SHIM_HAVE_UMEM_IN_IB_CORE || defined(RDMA_SHIM_ODP_LACKS)

#include_next <rdma/ib_umem_odp.h>

#else

#define ib_umem_odp		kernel_ib_umem_odp
#define to_ib_umem_odp		kernel_to_ib_umem_odp
#define ib_umem_start		kernel_ib_umem_start
#define ib_umem_end		kernel_ib_umem_end
#define ib_umem_odp_num_pages	kernel_ib_umem_odp_num_pages
#include_next <rdma/ib_umem_odp.h>
#undef ib_umem_odp
#undef to_ib_umem_odp
#undef ib_umem_start
#undef ib_umem_end
#undef ib_umem_odp_num_pages

/* A driver that still speaks the old masks has to learn it from the compiler. */
#undef ODP_READ_ALLOWED_BIT
#undef ODP_WRITE_ALLOWED_BIT
#undef ODP_DMA_ADDR_MASK

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>

#endif /* RDMA_SHIM_HAVE_UMEM_IN_IB_CORE */

#include <linux/hmm.h>
#include <linux/hmm-dma.h>
#include <rdma/ib_umem.h>

#ifndef RDMA_SHIM_ODP_LACKS

#if !RDMA_SHIM_HAVE_UMEM_IN_IB_CORE

/**
 * struct ib_umem_odp - user memory that is faulted in when it is needed
 * @umem: the part every umem has
 * @notifier: tells when the kernel takes pages away
 * @tgid: the process that registered the memory
 * @map: a page word per page of @page_shift, and DMA addresses
 * @umem_mutex: protects @map and @npages
 * @private: for the driver
 * @npages: slots the driver has mapped for DMA; it counts up, unmap down
 * @is_implicit_odp: has no pages itself, only children have
 * @page_shift: log2 of the bytes one slot of @map stands for
 */
struct ib_umem_odp {
	struct ib_umem umem;
	struct mmu_interval_notifier notifier;
	struct pid *tgid;
	struct hmm_dma_map map;
	struct mutex umem_mutex; /* the slots of @map, and @npages */
	void *private;
	int npages;
	bool is_implicit_odp;
	unsigned int page_shift;
};

static inline struct ib_umem_odp *to_ib_umem_odp(struct ib_umem *umem)
{
	return container_of(umem, struct ib_umem_odp, umem);
}

static inline unsigned long ib_umem_start(struct ib_umem_odp *umem_odp)
{
	return umem_odp->notifier.interval_tree.start;
}

/* One past the last byte. */
static inline unsigned long ib_umem_end(struct ib_umem_odp *umem_odp)
{
	return umem_odp->notifier.interval_tree.last + 1;
}

static inline size_t ib_umem_odp_num_pages(struct ib_umem_odp *umem_odp)
{
	unsigned long bytes = ib_umem_end(umem_odp) - ib_umem_start(umem_odp);

	return bytes >> umem_odp->page_shift;
}

#endif /* !RDMA_SHIM_HAVE_UMEM_IN_IB_CORE */

struct ib_umem_odp *
rdma_shim_ib_umem_odp_get(struct ib_device *device, unsigned long addr,
			  size_t size, int access,
			  const struct mmu_interval_notifier_ops *ops);
struct ib_umem_odp *
rdma_shim_ib_umem_odp_alloc_implicit(struct ib_device *device, int access);
struct ib_umem_odp *
rdma_shim_ib_umem_odp_alloc_child(struct ib_umem_odp *root, unsigned long addr,
				  size_t size,
				  const struct mmu_interval_notifier_ops *ops);
void rdma_shim_ib_umem_odp_release(struct ib_umem_odp *umem_odp);
int rdma_shim_ib_umem_odp_map_dma_and_lock(struct ib_umem_odp *umem_odp,
					   u64 user_virt, u64 bcnt,
					   u64 access_mask, bool fault);
void rdma_shim_ib_umem_odp_unmap_dma_pages(struct ib_umem_odp *umem_odp,
					   u64 virt, u64 bound);

#ifndef RDMA_SHIM_INTERNAL
#define ib_umem_odp_get			rdma_shim_ib_umem_odp_get
#define ib_umem_odp_alloc_implicit	rdma_shim_ib_umem_odp_alloc_implicit
#define ib_umem_odp_alloc_child		rdma_shim_ib_umem_odp_alloc_child
#define ib_umem_odp_release		rdma_shim_ib_umem_odp_release
#define ib_umem_odp_map_dma_and_lock	rdma_shim_ib_umem_odp_map_dma_and_lock
#define ib_umem_odp_unmap_dma_pages	rdma_shim_ib_umem_odp_unmap_dma_pages
#endif

#endif /* RDMA_SHIM_ODP_LACKS */

#endif
