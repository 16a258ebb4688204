// SPDX-License-Identifier: GPL-2.0
/*
 * Does get_user_pages_remote() still return vmas too (until 6.4)?
 * no-if: get_user_pages_remote
 */
#include <linux/module.h>
#include <linux/mm.h>

long rdma_shim_probe(struct mm_struct *mm, int *locked);
long rdma_shim_probe(struct mm_struct *mm, int *locked)
{
	return get_user_pages_remote(mm, 0, 1, 0, NULL, NULL, locked);
}
MODULE_LICENSE("GPL");
