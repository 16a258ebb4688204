/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do drivers get wrong, on any version that may be running?
 *
 * Drivers change inside a kernel series and no probe can see into them, so
 * each one is used only the way that is right on every version of it.
 */
#ifndef RDMA_SHIM_VERBS_DRIVER_H
#define RDMA_SHIM_VERBS_DRIVER_H

#include <rdma/ib_verbs.h>

/**
 * struct rdma_shim_driver - how a driver has to be used
 * @min_page_size: below this page size scattered elements get wrong data;
 *	contiguous ones are presented with this page size instead
 * @max_bytes: what one region can hold without a counter wrapping
 * @table_entry: bytes of driver table for each PAGE_SIZE of a region mapped
 *	with larger pages; 0 when the table does not grow with the page size
 * @whole_elements: builds its table from whole elements, @sg_offset unseen,
 *	and counts elements where it should count pages
 * @offset_from_iova: takes the offset inside a page from the iova
 */
struct rdma_shim_driver {
	unsigned int min_page_size;
	u64 max_bytes;
	unsigned int table_entry;
	bool whole_elements;
	bool offset_from_iova;
};

/* The largest table that a driver is asked to allocate. */
#define RDMA_SHIM_TABLE_MAX	SZ_1M

const struct rdma_shim_driver *rdma_shim_driver(const struct ib_device *device);

#endif
