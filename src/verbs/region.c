// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the regions that were allocated through the package.
 *
 * A region may be freed behind our back and its address used again, so a
 * record counts only while it matches the region that lives there now.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "verbs/lookup.h"

struct hlist_head rdma_shim_buckets[1 << RDMA_SHIM_BUCKET_BITS];

static DEFINE_SPINLOCK(buckets_lock);	/* changes; innermost, any context */

static void free_region_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct rdma_shim_region, rcu));
}

/**
 * rdma_shim_region_alloc - memory for the record of a region to come
 * @type: the region's type
 * @max_num_sg: pages it may hold
 *
 * Context: process context, may sleep.
 * Return: the record, in no table yet; NULL when memory is short.
 */
struct rdma_shim_region *rdma_shim_region_alloc(enum ib_mr_type type,
						u32 max_num_sg)
{
	struct rdma_shim_region *region;
	u32 entries = 0;

	/* Lists with gaps are never shortened inside an element, nor merged. */
	if (type == IB_MR_TYPE_MEM_REG)
		entries = max_num_sg;

	region = kvzalloc(struct_size(region, list, entries), GFP_KERNEL);
	if (region)
		region->max_num_sg = max_num_sg;
	return region;
}

/**
 * rdma_shim_region_free - free a record that is in no table
 * @region: the record or NULL
 *
 * Context: any.
 */
void rdma_shim_region_free(struct rdma_shim_region *region)
{
	/* A record that was in the table may still be under a lookup's eye. */
	if (region)
		call_rcu(&region->rcu, free_region_rcu);
}

/**
 * rdma_shim_region_attach - let lookups find a record
 * @region: a record in no table
 * @mr: the region it describes from now on
 *
 * A record already there belongs to a region that was freed natively.
 *
 * Context: process context.
 */
void rdma_shim_region_attach(struct rdma_shim_region *region,
			     const struct ib_mr *mr)
{
	struct rdma_shim_region *stale;
	unsigned long flags;

	region->mr = mr;
	region->device = mr->device;
	region->pd = mr->pd;
	region->key_index = mr->rkey >> 8;
	region->res_id = mr->res.id;
	rdma_shim_region_describe(region, mr);

	stale = rdma_shim_region_detach(mr);
	spin_lock_irqsave(&buckets_lock, flags);
	hlist_add_head_rcu(&region->node, rdma_shim_bucket(mr));
	spin_unlock_irqrestore(&buckets_lock, flags);
	rdma_shim_region_free(stale);
}

/**
 * rdma_shim_region_detach - take a region's record out of the table
 * @mr: the region
 *
 * Context: any; the caller owns @mr.
 * Return: the record or NULL.
 */
struct rdma_shim_region *rdma_shim_region_detach(const struct ib_mr *mr)
{
	struct rdma_shim_region *region;
	unsigned long flags;

	spin_lock_irqsave(&buckets_lock, flags);
	region = rdma_shim_region_at(mr);
	if (region)
		hlist_del_rcu(&region->node);
	spin_unlock_irqrestore(&buckets_lock, flags);
	return region;
}

/*
 * Numbers that tell regions apart start anew with a new device, and a device
 * that comes later may get this one's address. NULL stands for all of them.
 */
static void forget_device(struct ib_device *device, void *client_data)
{
	struct rdma_shim_region *region;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < 1 << RDMA_SHIM_BUCKET_BITS; i++) {
		spin_lock_irq(&buckets_lock);
		hlist_for_each_entry_safe(region, next, &rdma_shim_buckets[i], node) {
			if (device && region->device != device)
				continue;
			hlist_del_rcu(&region->node);
			rdma_shim_region_free(region);
		}
		spin_unlock_irq(&buckets_lock);
	}
}

static struct ib_client client = {
	.name = "rdma_shim",
	.no_kverbs_req = true,
	.remove = forget_device,
};

int rdma_shim_regions_init(void)
{
	return ib_register_client(&client);
}

void rdma_shim_regions_exit(void)
{
	ib_unregister_client(&client);
	forget_device(NULL, NULL);
	rcu_barrier();
}
