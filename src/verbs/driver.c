// SPDX-License-Identifier: GPL-2.0
#include <linux/sizes.h>

#include "verbs/driver.h"

/*
 * rxe copies up to the end of the system page when its pages are smaller
 * (6.12.117, 7.3), or loses the place inside it (early 6.12). From 6.12.117 on
 * it reallocates 16 bytes for each PAGE_SIZE when a larger page size comes.
 */
static const struct rdma_shim_driver rxe = {
	.min_page_size = PAGE_SIZE,
	.max_bytes = U64_MAX,
	.table_entry = 16,
	.offset_from_iova = true,
};

/* siw keeps the size of a merged run in 32 bits (all versions). */
static const struct rdma_shim_driver siw = {
	.min_page_size = PAGE_SIZE,
	.max_bytes = SZ_4G - SZ_2M,
	.whole_elements = true,
	.offset_from_iova = true,
};

/* qedr passes no offset on, neither in nor out (all versions). */
static const struct rdma_shim_driver qedr = {
	.min_page_size = 1,
	.max_bytes = U64_MAX,
	.whole_elements = true,
};

static const struct rdma_shim_driver other = {
	.min_page_size = 1,
	.max_bytes = U64_MAX,
};

/**
 * rdma_shim_driver - how the driver of a device has to be used
 * @device: the device
 *
 * Context: any.
 * Return: never NULL.
 */
const struct rdma_shim_driver *rdma_shim_driver(const struct ib_device *device)
{
	switch (device->ops.driver_id) {
	case RDMA_DRIVER_RXE:
		return &rxe;
	case RDMA_DRIVER_SIW:
		return &siw;
	case RDMA_DRIVER_QEDR:
		return &qedr;
	default:
		return &other;
	}
}
