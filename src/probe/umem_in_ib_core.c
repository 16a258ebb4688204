// SPDX-License-Identifier: GPL-2.0
/*
 * Is the ODP umem the one of 7.x, with pfns in map.pfn_list (and its functions
 * in ib_core)? Before, pfn_list was a member of its own, in ib_uverbs.
 * no-if: map
 */
#include <linux/module.h>
#include <rdma/ib_umem_odp.h>

unsigned long rdma_shim_probe(struct ib_umem_odp *umem_odp);
unsigned long rdma_shim_probe(struct ib_umem_odp *umem_odp)
{
	return umem_odp->map.pfn_list[0];
}
MODULE_LICENSE("GPL");
