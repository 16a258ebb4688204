/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page words (HMM_PFN_*) of Linux 7.3 on every kernel.
 */
#ifndef RDMA_SHIM_LINUX_HMM_H
#define RDMA_SHIM_LINUX_HMM_H

#include <rdma-shim/config.h>

#if RDMA_SHIM_HAVE_HMM_PFN_STICKY || defined(RDMA_SHIM_ODP_LACKS)

#include_next <linux/hmm.h>

#else

/* The kernel's own layout stays reachable, with kernel_ in front. */
#define hmm_pfn_flags		kernel_hmm_pfn_flags
#define HMM_PFN_VALID		kernel_HMM_PFN_VALID
#define HMM_PFN_WRITE		kernel_HMM_PFN_WRITE
#define HMM_PFN_ERROR		kernel_HMM_PFN_ERROR
#define HMM_PFN_ORDER_SHIFT	kernel_HMM_PFN_ORDER_SHIFT
#define HMM_PFN_REQ_FAULT	kernel_HMM_PFN_REQ_FAULT
#define HMM_PFN_REQ_WRITE	kernel_HMM_PFN_REQ_WRITE
#define HMM_PFN_FLAGS		kernel_HMM_PFN_FLAGS
#define hmm_pfn_to_page		kernel_hmm_pfn_to_page
#define hmm_pfn_to_phys		kernel_hmm_pfn_to_phys
#define hmm_pfn_to_map_order	kernel_hmm_pfn_to_map_order
#include_next <linux/hmm.h>
#undef hmm_pfn_flags
#undef HMM_PFN_VALID
#undef HMM_PFN_WRITE
#undef HMM_PFN_ERROR
#undef HMM_PFN_ORDER_SHIFT
#undef HMM_PFN_REQ_FAULT
#undef HMM_PFN_REQ_WRITE
#undef HMM_PFN_FLAGS
#undef hmm_pfn_to_page
#undef hmm_pfn_to_phys
#undef hmm_pfn_to_map_order

enum hmm_pfn_flags {
	HMM_PFN_VALID		= 1UL << (BITS_PER_LONG - 1),
	HMM_PFN_WRITE		= 1UL << (BITS_PER_LONG - 2),
	HMM_PFN_ERROR		= 1UL << (BITS_PER_LONG - 3),

	/* hmm_range_fault() leaves these as they are. */
	HMM_PFN_DMA_MAPPED	= 1UL << (BITS_PER_LONG - 4),
	HMM_PFN_P2PDMA		= 1UL << (BITS_PER_LONG - 5),
	HMM_PFN_P2PDMA_BUS	= 1UL << (BITS_PER_LONG - 6),

	HMM_PFN_ORDER_SHIFT	= BITS_PER_LONG - 11,

	HMM_PFN_REQ_FAULT	= HMM_PFN_VALID,
	HMM_PFN_REQ_WRITE	= HMM_PFN_WRITE,

	HMM_PFN_FLAGS		= -1UL << HMM_PFN_ORDER_SHIFT,
};

static inline struct page *hmm_pfn_to_page(unsigned long word)
{
	return pfn_to_page(word & ~HMM_PFN_FLAGS);
}

static inline phys_addr_t hmm_pfn_to_phys(unsigned long word)
{
	return PFN_PHYS(word & ~HMM_PFN_FLAGS);
}

static inline unsigned int hmm_pfn_to_map_order(unsigned long word)
{
	return (word >> HMM_PFN_ORDER_SHIFT) & 0x1f;
}

int rdma_shim_hmm_range_fault(struct hmm_range *range);

#ifndef RDMA_SHIM_INTERNAL
#define hmm_range_fault			rdma_shim_hmm_range_fault
#endif

#endif /* !RDMA_SHIM_HAVE_HMM_PFN_STICKY */

#if !RDMA_SHIM_HAVE_HMM_UNLOCKED && !defined(RDMA_SHIM_ODP_LACKS)

int rdma_shim_hmm_range_fault_unlocked_timeout(struct hmm_range *range,
					       unsigned long timeout);

#ifndef RDMA_SHIM_INTERNAL
#define hmm_range_fault_unlocked_timeout \
	rdma_shim_hmm_range_fault_unlocked_timeout
#endif

#endif /* !RDMA_SHIM_HAVE_HMM_UNLOCKED && !RDMA_SHIM_ODP_LACKS */

#endif
