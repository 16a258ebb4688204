// SPDX-License-Identifier: GPL-2.0
/*
 * Is ib_umem_get() called ib_umem_get_va() (7.2)?
 * no-if: ib_umem_get_va
 */
#include <linux/module.h>
#include <rdma/ib_umem.h>

struct ib_umem *rdma_shim_probe(struct ib_device *device);
struct ib_umem *rdma_shim_probe(struct ib_device *device)
{
	return ib_umem_get_va(device, 0, 1, 0);
}
MODULE_LICENSE("GPL");
