/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do we know of a memory region beyond what struct ib_mr tells?
 */
#ifndef RDMA_SHIM_VERBS_REGION_H
#define RDMA_SHIM_VERBS_REGION_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "verbs/driver.h"

/**
 * struct rdma_shim_region - the record of one region
 * @node: place in its bucket
 * @mr: the region, and the key of the table
 * @device: its device when it was allocated; with @pd, @key_index and @res_id
 *	this tells the region from a later one at the same address
 * @pd: its protection domain
 * @key_index: its rkey without the byte that consumers change
 * @res_id: its number in the kernel's resource tracking
 * @max_num_sg: pages it may hold
 * @driver: how its driver has to be used
 * @room: bytes it may hold in pages of PAGE_SIZE; 0 when lists cannot go to
 *	the driver as they are
 * @rcu: lookups run beside removal
 * @list: what the driver is shown when it must not see the caller's list;
 *	@max_num_sg entries, used by the one caller that maps the region
 */
struct rdma_shim_region {
	struct hlist_node node;
	const struct ib_mr *mr;
	const struct ib_device *device;
	const struct ib_pd *pd;
	u32 key_index;
	u32 res_id;
	u32 max_num_sg;
	const struct rdma_shim_driver *driver;
	u64 room;
	struct rcu_head rcu;
	struct scatterlist list[];
};

int rdma_shim_regions_init(void);
void rdma_shim_regions_exit(void);

struct rdma_shim_region *rdma_shim_region_alloc(enum ib_mr_type type,
						u32 max_num_sg);
void rdma_shim_region_free(struct rdma_shim_region *region);
void rdma_shim_region_attach(struct rdma_shim_region *region,
			     const struct ib_mr *mr);
struct rdma_shim_region *rdma_shim_region_detach(const struct ib_mr *mr);

/* What follows from the driver: @driver and @room. */
static inline void rdma_shim_region_describe(struct rdma_shim_region *region,
					     const struct ib_mr *mr)
{
	region->driver = rdma_shim_driver(mr->device);
	region->room = 0;
	if (mr->type == IB_MR_TYPE_MEM_REG)
		region->room = min((u64)region->max_num_sg << PAGE_SHIFT,
				   region->driver->max_bytes);
}

/* May a list go to the driver as it is, should it fit? */
static inline bool rdma_shim_region_plain(const struct rdma_shim_region *region,
					  unsigned int nents,
					  unsigned int offset)
{
	if (region->driver->whole_elements &&
	    (offset || nents > region->max_num_sg))
		return false;
	return region->room;
}

#endif
