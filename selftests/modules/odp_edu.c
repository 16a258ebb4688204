// SPDX-License-Identifier: GPL-2.0
/*
 * qemu's edu device, which copies between memory and a buffer of its own: a
 * PCI device with real DMA, behind an IOMMU if the guest has one.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "odp_driver.h"

#define EDU_FROM	0x80
#define EDU_TO		0x88
#define EDU_BYTES	0x90
#define EDU_COMMAND	0x98
#define EDU_START	1	/* reads as 1 as long as it copies */
#define EDU_TO_MEMORY	2
#define EDU_BUFFER	0x40000
/* Its buffer has 4096, of which it refuses to fill the last one. */
#define EDU_MOST	2048UL

/**
 * struct edu - the one there is
 * @dev: its PCI device, or NULL
 * @regs: its registers
 * @ib: an RDMA device that does its DMA
 * @staging: memory for data on its way
 * @staging_at: where the device sees it
 */
static struct edu {
	struct pci_dev *dev;
	void __iomem *regs;
	struct ib_device *ib;
	void *staging;
	dma_addr_t staging_at;
} edu;

static int one_way(u64 from, u64 to, u64 bytes, u64 command)
{
	int tries;

	writeq(from, edu.regs + EDU_FROM);
	writeq(to, edu.regs + EDU_TO);
	writeq(bytes, edu.regs + EDU_BYTES);
	writeq(command | EDU_START, edu.regs + EDU_COMMAND);
	for (tries = 0; tries < 500; tries++) {
		if (!(readq(edu.regs + EDU_COMMAND) & EDU_START))
			return 0;
		usleep_range(5000, 10000);
	}
	return -ETIMEDOUT;
}

static int copy(u64 from, u64 to, u64 bytes)
{
	return one_way(from, EDU_BUFFER, bytes, 0) ?:
	       one_way(EDU_BUFFER, to, bytes, EDU_TO_MEMORY);
}

bool odp_is_edu(const struct ib_device *ib)
{
	return ib && ib == edu.ib;
}

struct ib_device *odp_edu(void)
{
	return edu.ib;
}

/* Move @len bytes between @data and what the device sees at @at. */
int odp_edu_move(dma_addr_t at, u8 *data, u64 len, bool write)
{
	u64 done, n;
	int ret = 0;

	for (done = 0; done < len && !ret; done += n) {
		n = min(len - done, EDU_MOST);
		if (write) {
			memcpy(edu.staging, data + done, n);
			ret = copy(edu.staging_at, at + done, n);
		} else {
			ret = copy(at + done, edu.staging_at, n);
			memcpy(data + done, edu.staging, n);
		}
	}
	return ret;
}

static int edu_probe(struct pci_dev *dev, const struct pci_device_id *id)
{
	int ret;

	if (edu.dev)
		return -EBUSY;
	ret = pcim_enable_device(dev);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&dev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	pci_set_master(dev);
	edu.regs = pcim_iomap(dev, 0, 0);
	edu.staging = dmam_alloc_coherent(&dev->dev, EDU_MOST, &edu.staging_at,
					  GFP_KERNEL);
	if (!edu.regs || !edu.staging)
		return -ENOMEM;
	edu.ib = odp_new_ib_device(&dev->dev);
	if (!edu.ib)
		return -ENOMEM;
	edu.dev = dev;
	return 0;
}

static void edu_remove(struct pci_dev *dev)
{
	kfree(edu.ib);
	memset(&edu, 0, sizeof(edu));
}

static const struct pci_device_id edu_ids[] = {
	{ PCI_DEVICE(0x1234, 0x11e8) },
	{ }
};

static struct pci_driver edu_driver = {
	.name = ODP_DEVICE_NAME,
	.id_table = edu_ids,
	.probe = edu_probe,
	.remove = edu_remove,
};

int odp_edu_init(void)
{
	return pci_register_driver(&edu_driver);
}

void odp_edu_exit(void)
{
	pci_unregister_driver(&edu_driver);
}
