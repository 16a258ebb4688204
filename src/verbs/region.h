/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do we know of a memory region beyond what struct ib_mr tells?
 */
#ifndef RDMA_SHIM_VERBS_REGION_H
#define RDMA_SHIM_VERBS_REGION_H

#include <linux/rhashtable.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

/**
 * struct rdma_shim_region - the record of one region
 * @node: place in the table of records
 * @mr: the region, and the key of the table
 * @device: its device when it was allocated; with @pd, @key_index and @res_id
 *	this tells the region from a later one at the same address
 * @pd: its protection domain
 * @key_index: its rkey without the byte that consumers change
 * @res_id: its number in the kernel's resource tracking
 * @max_num_sg: pages it may hold
 * @rcu: lookups run beside removal
 * @list: what the driver is shown when it must not see the caller's list;
 *	@max_num_sg entries, used by the one caller that maps the region
 */
struct rdma_shim_region {
	struct rhash_head node;
	const struct ib_mr *mr;
	const struct ib_device *device;
	const struct ib_pd *pd;
	u32 key_index;
	u32 res_id;
	u32 max_num_sg;
	struct rcu_head rcu;
	struct scatterlist list[];
};

int rdma_shim_regions_init(void);
void rdma_shim_regions_exit(void);

struct rdma_shim_region *rdma_shim_region_alloc(enum ib_mr_type type,
						u32 max_num_sg);
void rdma_shim_region_free(struct rdma_shim_region *region);
int rdma_shim_region_attach(struct rdma_shim_region *region,
			    const struct ib_mr *mr);
struct rdma_shim_region *rdma_shim_region_detach(const struct ib_mr *mr);
struct rdma_shim_region *rdma_shim_region_find(const struct ib_mr *mr);

#endif
