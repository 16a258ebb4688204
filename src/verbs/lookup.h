/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record of a region. Inline, since a lookup is part of every mapping.
 */
#ifndef RDMA_SHIM_VERBS_LOOKUP_H
#define RDMA_SHIM_VERBS_LOOKUP_H

#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/rculist.h>

#include "verbs/region.h"

/*
 * A table of fixed size: what one that grows asks for in each lookup costs more
 * than a few steps along a chain.
 */
#define RDMA_SHIM_BUCKET_BITS	13

extern struct hlist_head rdma_shim_buckets[1 << RDMA_SHIM_BUCKET_BITS];

static inline struct hlist_head *rdma_shim_bucket(const struct ib_mr *mr)
{
	return &rdma_shim_buckets[hash_ptr(mr, RDMA_SHIM_BUCKET_BITS)];
}

/* The one at this address, whatever lives there now. */
static inline struct rdma_shim_region *
rdma_shim_region_at(const struct ib_mr *mr)
{
	struct rdma_shim_region *region;

	hlist_for_each_entry_rcu(region, rdma_shim_bucket(mr), node, true) {
		if (region->mr == mr)
			return region;
	}
	return NULL;
}

static inline bool rdma_shim_region_matches(const struct rdma_shim_region *region,
					    const struct ib_mr *mr)
{
	return region->device == mr->device && region->pd == mr->pd &&
	       region->key_index == mr->rkey >> 8 &&
	       region->res_id == mr->res.id;
}

/**
 * rdma_shim_region_find - the record of a region
 * @mr: the region
 *
 * Context: any. The record lives as long as @mr does, which is the caller's;
 * only its neighbours in the chain may go meanwhile.
 * Return: NULL when the region was not allocated through the package.
 */
static inline struct rdma_shim_region *
rdma_shim_region_find(const struct ib_mr *mr)
{
	struct rdma_shim_region *region;

	preempt_disable();
	region = rdma_shim_region_at(mr);
	preempt_enable();
	return region && rdma_shim_region_matches(region, mr) ? region : NULL;
}

#endif
