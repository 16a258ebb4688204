/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one slot of map.pfn_list says, and how a page walk changes it. Plain
 * arithmetic on words; also compiled in user space.
 */
#ifndef RDMA_SHIM_ODP_SLOT_H
#define RDMA_SHIM_ODP_SLOT_H

#include <linux/hmm.h>

#include "odp/word.h"

#define ODP_STICKY (HMM_PFN_DMA_MAPPED | HMM_PFN_P2PDMA | HMM_PFN_P2PDMA_BUS)

/**
 * odp_word_order() - how much of memory one page table entry maps
 * @word: a page word of 7.3's layout that is VALID
 *
 * Return: log2 of the pages.
 */
static inline unsigned int odp_word_order(unsigned long word)
{
	return (word >> HMM_PFN_ORDER_SHIFT) & 0x1f;
}

/**
 * odp_word_from() - a page word of 7.3, from what the page walk wrote
 * @word: written by hmm_range_fault() into a word that was 0
 * @shift: where the running kernel keeps the order
 *
 * Before 6.16 the order stood where the DMA flags stand now, and an absent
 * hugetlb page had one.
 *
 * Return: HMM_PFN_ERROR or 0 when no page is there.
 */
static inline unsigned long odp_word_from(unsigned long word,
					  unsigned int shift)
{
	const unsigned long order = 0x1fUL << HMM_PFN_ORDER_SHIFT;
	const unsigned long rest = ~HMM_PFN_FLAGS | HMM_PFN_VALID |
				   HMM_PFN_WRITE | HMM_PFN_ERROR;

	if (!(word & HMM_PFN_VALID))
		return word & HMM_PFN_ERROR;
	return (word & rest) |
	       (word >> (shift - HMM_PFN_ORDER_SHIFT) & order);
}

/**
 * odp_slot_same_page() - do two words stand for the same page?
 * @a: a word
 * @b: a word
 *
 * Return: true if both are VALID and have the same pfn.
 */
static inline bool odp_slot_same_page(unsigned long a, unsigned long b)
{
	return (a & b & HMM_PFN_VALID) && !((a ^ b) & ~HMM_PFN_FLAGS);
}

/**
 * odp_slot_merge() - the slot after a walk
 * @old: what the slot says
 * @word: what the walk found, without sticky flags
 *
 * A page that is taken away is reported by an invalidation, so a walk that
 * finds nothing says nothing about a slot that is VALID. For the same reason a
 * page that was writable still is, though the walk asked for less (O8).
 *
 * Return: the new word.
 */
static inline unsigned long odp_slot_merge(unsigned long old,
					   unsigned long word)
{
	if (!(word & HMM_PFN_VALID))
		return old & HMM_PFN_VALID ? old : word;
	if (odp_slot_same_page(old, word))
		word |= old & (HMM_PFN_WRITE | ODP_STICKY);
	return word;
}

/**
 * odp_slots_present() - how many slots in a row need no fault
 * @slots: the first one
 * @n: how many there are
 * @need: HMM_PFN_VALID, or HMM_PFN_VALID | HMM_PFN_WRITE
 *
 * Return: the index of the first slot that lacks a bit of @need, or @n.
 */
static inline size_t odp_slots_present(const unsigned long *slots, size_t n,
				       unsigned long need)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((slots[i] & need) != need)
			break;
	return i;
}

#endif
