/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same for the running kernel's own functions, under which a driver of 7.3
 * would not compile before 6.16. What 7.3 has in one word stands in two lists
 * there: VALID is what the walk left in pfn_list, counted in PAGE_SIZE; the
 * permission to write is bit 1 of the address in dma_list.
 */
#ifndef RDMA_SHIM_TEST_ODP_NATIVE_H
#define RDMA_SHIM_TEST_ODP_NATIVE_H

#include <linux/mm.h>
#include <rdma/ib_umem_odp.h>

#define ODP_DEVICE_NAME "rdma-shim-odp-native"

#if RDMA_SHIM_HAVE_UMEM_IN_IB_CORE

static inline u64 odp_mask(u64 mask)
{
	return mask;
}

static inline unsigned long odp_word(struct ib_umem_odp *umem, size_t slot)
{
	return READ_ONCE(umem->map.pfn_list[slot]);
}

/* The kernel's function follows a NULL device. */
static inline dma_addr_t odp_address(struct ib_umem_odp *umem, size_t slot)
{
	struct device *dma = umem->umem.ibdev->dma_device;

	if (dma)
		return hmm_dma_map_pfn(dma, &umem->map, slot, NULL);
	return (uintptr_t)page_address(hmm_pfn_to_page(odp_word(umem, slot)));
}

#else

#define ib_umem_odp	kernel_ib_umem_odp
#define ib_umem_start	kernel_ib_umem_start
#define ib_umem_end	kernel_ib_umem_end
#define ib_umem_odp_num_pages kernel_ib_umem_odp_num_pages

#define ODP_OLD_READ	1
#define ODP_OLD_WRITE	2

/* 0 and HMM_PFN_WRITE mean what they mean in 7.3; the rest is passed on. */
static inline u64 odp_mask(u64 mask)
{
	if (!mask)
		return ODP_OLD_READ;
	return mask == HMM_PFN_WRITE ? ODP_OLD_READ | ODP_OLD_WRITE : mask;
}

static inline dma_addr_t odp_address(struct ib_umem_odp *umem, size_t slot)
{
	return umem->dma_list[slot] & ~(dma_addr_t)(ODP_OLD_READ | ODP_OLD_WRITE);
}

static inline unsigned long odp_word(struct ib_umem_odp *umem, size_t slot)
{
	size_t page = slot << (umem->page_shift - PAGE_SHIFT);
	unsigned long old = READ_ONCE(umem->pfn_list[page]);
	unsigned long word = old & ((1UL << kernel_HMM_PFN_ORDER_SHIFT) - 1);

	if (!(old & HMM_PFN_VALID))
		return 0;
	word |= HMM_PFN_VALID |
		(old >> kernel_HMM_PFN_ORDER_SHIFT & 0x1f) << HMM_PFN_ORDER_SHIFT;
	if (umem->dma_list[slot] & ODP_OLD_WRITE)
		word |= HMM_PFN_WRITE;
	if (umem->dma_list[slot] && umem->umem.ibdev->dma_device)
		word |= HMM_PFN_DMA_MAPPED;
	return word;
}

#endif

#endif
