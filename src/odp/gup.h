/* SPDX-License-Identifier: GPL-2.0 */
/*
 * get_user_pages_remote() that only faults.
 */
#ifndef RDMA_SHIM_ODP_GUP_H
#define RDMA_SHIM_ODP_GUP_H

#include <rdma-shim/config.h>
#include <linux/mm.h>

#if RDMA_SHIM_HAVE_GUP_REMOTE_VMAS

static inline long odp_gup(struct mm_struct *mm, unsigned long addr,
			   unsigned long pages, unsigned int flags, int *locked)
{
	return get_user_pages_remote(mm, addr, pages, flags, NULL, NULL,
				     locked);
}

#else

static inline long odp_gup(struct mm_struct *mm, unsigned long addr,
			   unsigned long pages, unsigned int flags, int *locked)
{
	return get_user_pages_remote(mm, addr, pages, flags, NULL, locked);
}

#endif

#endif
