/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the running kernel keeps the order in a page word.
 */
#ifndef RDMA_SHIM_ODP_WORD_H
#define RDMA_SHIM_ODP_WORD_H

#include <rdma-shim/config.h>
#include <linux/hmm.h>

#if RDMA_SHIM_HAVE_HMM_PFN_STICKY
#define ODP_KERNEL_ORDER_SHIFT	HMM_PFN_ORDER_SHIFT
#else
#define ODP_KERNEL_ORDER_SHIFT	kernel_HMM_PFN_ORDER_SHIFT
#endif

#endif
