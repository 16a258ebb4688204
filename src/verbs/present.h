/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which list is the driver shown?
 */
#ifndef RDMA_SHIM_VERBS_PRESENT_H
#define RDMA_SHIM_VERBS_PRESENT_H

#include "verbs/driver.h"
#include "verbs/prefix.h"
#include "verbs/region.h"

/**
 * struct rdma_shim_present - what goes to the driver's map function
 * @sg: the list
 * @nents: its elements
 * @offset: where in the first element the region starts
 * @head: room for a first element of our own and a link behind it
 */
struct rdma_shim_present {
	struct scatterlist *sg;
	int nents;
	unsigned int offset;
	struct scatterlist head[2];
};

int rdma_shim_present(struct rdma_shim_present *out,
		      const struct rdma_shim_prefix *p,
		      const struct rdma_shim_driver *driver,
		      struct rdma_shim_region *region,
		      struct scatterlist *sg, unsigned int offset);

#endif
