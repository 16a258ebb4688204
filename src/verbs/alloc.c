// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation and release of regions, with a record beside each.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>

#include "verbs/region.h"

/**
 * rdma_shim_ib_alloc_mr - allocate a region whose capacity is remembered
 * @pd: protection domain of the region
 * @mr_type: IB_MR_TYPE_MEM_REG or, where the driver has it, SG_GAPS
 * @max_num_sg: pages (SG_GAPS: elements) the region may hold
 *
 * Context: process context, may sleep.
 * Return: the region, freed with rdma_shim_ib_dereg_mr_user(); or ERR_PTR:
 * %-EOPNOTSUPP when the driver has no such regions, %-EINVAL for
 * IB_MR_TYPE_INTEGRITY, %-ENOMEM, or the driver's error.
 *
 * Source: contract section 1, M5 and M11; ib_alloc_mr(9) of Linux 7.3.
 */
struct ib_mr *rdma_shim_ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type,
				    u32 max_num_sg)
{
	struct rdma_shim_region *region;
	struct ib_mr *mr;

	if (!pd->device->ops.alloc_mr)
		return ERR_PTR(-EOPNOTSUPP);
	/* The kernel warns of this one; a wrong argument is no reason to. */
	if (mr_type == IB_MR_TYPE_INTEGRITY)
		return ERR_PTR(-EINVAL);

	region = rdma_shim_region_alloc(mr_type, max_num_sg);
	if (!region)
		return ERR_PTR(-ENOMEM);

	mr = ib_alloc_mr(pd, mr_type, max_num_sg);
	if (IS_ERR(mr))
		rdma_shim_region_free(region);
	else
		rdma_shim_region_attach(region, mr);
	return mr;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_alloc_mr);

/**
 * rdma_shim_ib_dereg_mr_user - free a region and its record
 * @mr: any region, from whoever allocated it
 * @udata: as for the kernel's function, NULL for regions of the kernel
 *
 * Context: process context, may sleep.
 * Return: 0 or the kernel's error, and the region is as it was then.
 *
 * Source: contract section 1; ib_dereg_mr_user(9) of Linux 7.3.
 */
int rdma_shim_ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct rdma_shim_region *region;
	int ret;

	/* Before the address can belong to somebody else's new region. */
	region = rdma_shim_region_detach(mr);
	ret = ib_dereg_mr_user(mr, udata);
	if (ret && region)
		rdma_shim_region_attach(region, mr);
	else
		rdma_shim_region_free(region);
	return ret;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_dereg_mr_user);

/**
 * rdma_shim_ib_mr_pool_init - fill a queue pair's pool with regions
 * @qp: the queue pair, whose protection domain the regions get
 * @list: the pool, an empty list of the caller
 * @nr: number of regions
 * @type: their type; IB_MR_TYPE_INTEGRITY is passed to the kernel
 * @max_num_sg: pages each may hold
 * @max_num_meta_sg: elements of protection information each may hold
 *
 * ib_mr_pool_get() and ib_mr_pool_put() are the kernel's.
 *
 * Context: process context, may sleep.
 * Return: 0; else the error of the allocation that failed, and @list is empty.
 *
 * Source: contract section 1.
 */
int rdma_shim_ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr,
			      enum ib_mr_type type, u32 max_num_sg,
			      u32 max_num_meta_sg)
{
	unsigned long flags;
	struct ib_mr *mr;

	if (type == IB_MR_TYPE_INTEGRITY)
		return ib_mr_pool_init(qp, list, nr, type, max_num_sg,
				       max_num_meta_sg);

	while (nr-- > 0) {
		mr = rdma_shim_ib_alloc_mr(qp->pd, type, max_num_sg);
		if (IS_ERR(mr)) {
			rdma_shim_ib_mr_pool_destroy(qp, list);
			return PTR_ERR(mr);
		}
		spin_lock_irqsave(&qp->mr_lock, flags);
		list_add_tail(&mr->qp_entry, list);
		spin_unlock_irqrestore(&qp->mr_lock, flags);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_mr_pool_init);

/**
 * rdma_shim_ib_mr_pool_destroy - free the regions of a pool
 * @qp: the queue pair
 * @list: the pool; regions taken out of it and not put back stay
 *
 * Context: process context, may sleep.
 *
 * Source: contract section 1.
 */
void rdma_shim_ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr;

	while ((mr = ib_mr_pool_get(qp, list))) {
		/* The kernel counts it as taken; it is gone for good. */
		spin_lock_irq(&qp->mr_lock);
		qp->mrs_used--;
		spin_unlock_irq(&qp->mr_lock);
		rdma_shim_ib_dereg_mr_user(mr, NULL);
	}
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_mr_pool_destroy);
