// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the regions that were allocated through the package.
 *
 * A region may be freed behind our back and its address used again, so a
 * record counts only while it matches the region that lives there now.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "verbs/region.h"

static u32 hash_mr(const void *key, u32 len, u32 seed)
{
	return hash_long(*(const unsigned long *)key ^ seed, 32);
}

static const struct rhashtable_params params = {
	.key_len = sizeof(struct ib_mr *),
	.key_offset = offsetof(struct rdma_shim_region, mr),
	.head_offset = offsetof(struct rdma_shim_region, node),
	.hashfn = hash_mr,
	.automatic_shrinking = true,
};

static struct rhashtable regions;

static void free_region_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct rdma_shim_region, rcu));
}

static void drop(struct rdma_shim_region *region)
{
	if (!rhashtable_remove_fast(&regions, &region->node, params))
		call_rcu(&region->rcu, free_region_rcu);
}

static bool matches(const struct rdma_shim_region *region,
		    const struct ib_mr *mr)
{
	return region->device == mr->device && region->pd == mr->pd &&
	       region->key_index == mr->rkey >> 8 &&
	       region->res_id == mr->res.id;
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
 * Context: process context, may sleep.
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
 * Return: 0 or an error of the table (-ENOMEM, -E2BIG), @region untouched.
 */
int rdma_shim_region_attach(struct rdma_shim_region *region,
			    const struct ib_mr *mr)
{
	struct rdma_shim_region *stale;
	int ret;

	region->mr = mr;
	region->device = mr->device;
	region->pd = mr->pd;
	region->key_index = mr->rkey >> 8;
	region->res_id = mr->res.id;

	stale = rdma_shim_region_detach(mr);
	ret = rhashtable_insert_fast(&regions, &region->node, params);
	rdma_shim_region_free(stale);
	return ret;
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

	rcu_read_lock();
	region = rhashtable_lookup(&regions, &mr, params);
	if (region &&
	    rhashtable_remove_fast(&regions, &region->node, params))
		region = NULL;
	rcu_read_unlock();
	return region;
}

/**
 * rdma_shim_region_find - the record of a region
 * @mr: the region
 *
 * Context: any. The record lives as long as @mr does, which is the caller's.
 * Return: NULL when the region was not allocated through the package.
 */
struct rdma_shim_region *rdma_shim_region_find(const struct ib_mr *mr)
{
	struct rdma_shim_region *region;

	rcu_read_lock();
	region = rhashtable_lookup(&regions, &mr, params);
	rcu_read_unlock();
	return region && matches(region, mr) ? region : NULL;
}

/*
 * Numbers that tell regions apart start anew with a new device, and a device
 * that comes later may get this one's address.
 */
static void forget_device(struct ib_device *device, void *client_data)
{
	struct rdma_shim_region *region;
	struct rhashtable_iter iter;

	rhashtable_walk_enter(&regions, &iter);
	rhashtable_walk_start(&iter);
	while ((region = rhashtable_walk_next(&iter))) {
		/* -EAGAIN: the table is being resized; the walk starts over. */
		if (!IS_ERR(region) && region->device == device)
			drop(region);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}

static struct ib_client client = {
	.name = "rdma_shim",
	.no_kverbs_req = true,
	.remove = forget_device,
};

static void free_region(void *region, void *unused)
{
	kvfree(region);
}

int rdma_shim_regions_init(void)
{
	int ret;

	ret = rhashtable_init(&regions, &params);
	if (ret)
		return ret;

	ret = ib_register_client(&client);
	if (ret)
		rhashtable_destroy(&regions);
	return ret;
}

void rdma_shim_regions_exit(void)
{
	ib_unregister_client(&client);
	rhashtable_free_and_destroy(&regions, free_region, NULL);
	rcu_barrier();
}
