/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What probe/run would answer; where it matters, a test calls with both.
 */
#define RDMA_SHIM_HAVE_HMM_PFN_STICKY 1
