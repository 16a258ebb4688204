// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA devices: the one of a network device, and some with DMA of their own,
 * which rxe and siw do not have. Nothing but their dma_device is ever looked at.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "odp_driver.h"

/**
 * struct dma_device - a device with DMA
 * @name: for programs
 * @bits: of its addresses
 * @parent: does the DMA
 * @ib: the RDMA device
 */
static struct dma_device {
	const char *name;
	unsigned int bits;
	struct platform_device *parent;
	struct ib_device *ib;
} devices[] = {
	{ .name = "dma64", .bits = 64 },
	{ .name = "dma28", .bits = 28 },
};

struct ib_device *odp_new_ib_device(struct device *dma)
{
	size_t size = sizeof(struct ib_device);
	struct ib_device *ib = kzalloc(size, GFP_KERNEL);

	if (ib)
		ib->dma_device = dma;
	return ib;
}

static int create(struct dma_device *device)
{
	struct platform_device *parent;

	parent = platform_device_register_simple(ODP_DEVICE_NAME,
						 device->bits, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	device->parent = parent;
	device->ib = odp_new_ib_device(&parent->dev);
	if (!device->ib)
		return -ENOMEM;
	return dma_coerce_mask_and_coherent(&parent->dev,
					    DMA_BIT_MASK(device->bits));
}

static void release(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		kfree(devices[i].ib);
		if (devices[i].parent)
			platform_device_unregister(devices[i].parent);
	}
}

int odp_devices_init(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		ret = create(&devices[i]);
		if (ret)
			goto err;
	}
	ret = odp_edu_init();
	if (ret)
		goto err;
	return 0;

err:
	release();
	return ret;
}

void odp_devices_exit(void)
{
	odp_edu_exit();
	release();
}

struct ib_device *odp_device_find(const char *name, bool *registered)
{
	struct net_device *netdev;
	struct ib_device *ib;
	size_t i;

	*registered = false;
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(devices[i].name, name))
			return devices[i].ib;
	if (!strcmp(name, "edu"))
		return odp_edu();
	netdev = dev_get_by_name(&init_net, name);
	if (!netdev)
		return NULL;
	ib = ib_device_get_by_netdev(netdev, RDMA_DRIVER_UNKNOWN);
	dev_put(netdev);
	*registered = ib;
	return ib;
}
