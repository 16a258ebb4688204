/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page words of Linux 7.3 (facts 2.2), which include/linux/hmm.h gives to
 * kernel code.
 */
#ifndef UNIT_LINUX_HMM_H
#define UNIT_LINUX_HMM_H

#define HMM_PFN_VALID		(1UL << 63)
#define HMM_PFN_WRITE		(1UL << 62)
#define HMM_PFN_ERROR		(1UL << 61)
#define HMM_PFN_DMA_MAPPED	(1UL << 60)
#define HMM_PFN_P2PDMA		(1UL << 59)
#define HMM_PFN_P2PDMA_BUS	(1UL << 58)
#define HMM_PFN_ORDER_SHIFT	53
#define HMM_PFN_FLAGS		(~((1UL << HMM_PFN_ORDER_SHIFT) - 1))

#endif
