// SPDX-License-Identifier: GPL-2.0
/*
 * Giving pages back (contract O8, O9).
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "odp/umem.h"

/**
 * odp_clear_slot() - forget the page of one slot
 * @umem_odp: the umem, umem_mutex held
 * @idx: the slot; it is VALID
 *
 * A page that was writable may have been written, by a device whose writes no
 * page table records (O8).
 */
void odp_clear_slot(struct ib_umem_odp *umem_odp, size_t idx)
{
	unsigned long *slot = &umem_odp->map.pfn_list[idx];
	unsigned long word = *slot;

	if (rdma_shim_hmm_dma_unmap_pfn(odp_dma_device(umem_odp),
					&umem_odp->map, idx))
		umem_odp->npages--;
	if (word & HMM_PFN_WRITE)
		set_page_dirty(compound_head(hmm_pfn_to_page(word)));
	*slot &= ~HMM_PFN_FLAGS;
}

/**
 * rdma_shim_ib_umem_odp_unmap_dma_pages() - unmap the pages of a range
 * @umem_odp: the umem
 * @virt: user address of the first byte
 * @bound: user address after the last byte
 *
 * What of the range lies outside the umem is ignored; a page of which any byte
 * is in the range is unmapped. Contract O8, O9, O10.
 *
 * Context: umem_mutex held; may be called from an invalidation.
 */
void rdma_shim_ib_umem_odp_unmap_dma_pages(struct ib_umem_odp *umem_odp,
					   u64 virt, u64 bound)
{
	const struct odp_span whole = odp_whole(umem_odp);
	struct odp_span span;
	size_t idx;

	lockdep_assert_held(&umem_odp->umem_mutex);

	if (umem_odp->is_implicit_odp)
		return;

	odp_cover(&whole, umem_odp->page_shift, virt, bound, &span);
	for (idx = span.first; idx < span.first + span.count; idx++) {
		if (umem_odp->map.pfn_list[idx] & HMM_PFN_VALID)
			odp_clear_slot(umem_odp, idx);
		else
			umem_odp->map.pfn_list[idx] &= ~HMM_PFN_FLAGS;
	}
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_unmap_dma_pages);
