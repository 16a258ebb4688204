// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_shim_odp_test: /dev/rdma-shim-odp plays a driver with on-demand memory.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "odp_driver.h"

static int odp_open(struct inode *inode, struct file *file)
{
	struct odp_driver *driver = kzalloc(sizeof(*driver), GFP_KERNEL);

	if (!driver)
		return -ENOMEM;
	odp_gate_init(&driver->gate);
	file->private_data = driver;
	return 0;
}

static int odp_mmap(struct file *file, struct vm_area_struct *vma)
{
	return odp_gate_mmap(file->private_data, file, vma);
}

static int odp_close(struct inode *inode, struct file *file)
{
	odp_driver_close(file->private_data);
	return 0;
}

static int look_at_page(struct odp_cmd *cmd)
{
	struct page *page;

	if (!pfn_valid(cmd->virt))
		return -EINVAL;
	page = compound_head(pfn_to_page(cmd->virt));
	cmd->out[ODP_PAGE_DIRTY] = PageDirty(page);
	cmd->out[ODP_PAGE_ANON] = PageAnon(page);
	return 0;
}

/* Requests that need no umem; -ENOTTY for the others. */
static int without_umem(struct odp_driver *driver, unsigned int op,
			struct odp_cmd *cmd)
{
	switch (op) {
	case ODP_DEVICE:
		cmd->name[sizeof(cmd->name) - 1] = '\0';
		cmd->ret = odp_driver_device(driver, cmd->name);
		return 0;
	case ODP_GET:
		cmd->ret = odp_driver_get(driver, cmd);
		return 0;
	case ODP_IMPLICIT:
		cmd->ret = odp_driver_implicit(driver, cmd);
		return 0;
	case ODP_CHILD:
		cmd->ret = odp_driver_child(driver, cmd);
		return 0;
	case ODP_PAGE:
		return look_at_page(cmd);
	default:
		return -ENOTTY;
	}
}

static int with_umem(struct odp_driver *driver, unsigned int op,
		     struct odp_cmd *cmd)
{
	switch (op) {
	case ODP_RELEASE:
		odp_driver_release(driver, cmd->flags & ODP_FLAG_GENERIC);
		return 0;
	case ODP_UNMAP:
		odp_driver_unmap(driver, cmd);
		return 0;
	case ODP_WORDS:
		return odp_driver_words(driver, cmd);
	case ODP_ADDRESSES:
		return odp_driver_addresses(driver, cmd);
	case ODP_READ:
		return odp_driver_transfer(driver, cmd, false);
	case ODP_WRITE:
		return odp_driver_transfer(driver, cmd, true);
	case ODP_INFO:
		odp_driver_info(driver, cmd);
		return 0;
	case ODP_HOLD_MMAP:
		return odp_hold_mmap(driver, cmd);
	case ODP_HOLD_MUTEX:
		return odp_hold_mutex(driver, cmd);
	case ODP_COLLIDE:
		return odp_collide(driver, cmd);
	case ODP_OBSERVE:
		return odp_observe(driver, cmd);
	case ODP_TIME_MAP:
		odp_time_map(driver, cmd);
		return 0;
	case ODP_TIME_BARE:
		return odp_time_bare(driver, cmd);
	default:
		return -ENOTTY;
	}
}

static long odp_ioctl(struct file *file, unsigned int op, unsigned long arg)
{
	struct odp_driver *driver = file->private_data;
	void __user *user = (void __user *)arg;
	struct odp_cmd cmd;
	int ret;

	if (copy_from_user(&cmd, user, sizeof(cmd)))
		return -EFAULT;
	memset(cmd.out, 0, sizeof(cmd.out));
	ret = without_umem(driver, op, &cmd);
	if (ret == -ENOTTY && !driver->umem && !driver->root)
		return -ENXIO;
	if (ret == -ENOTTY && op == ODP_MAP) {
		odp_driver_map(driver, &cmd);
		ret = 0;
	}
	if (ret == -ENOTTY && !driver->umem)
		return -ENXIO;
	if (ret == -ENOTTY)
		ret = with_umem(driver, op, &cmd);
	if (!ret && copy_to_user(user, &cmd, sizeof(cmd)))
		ret = -EFAULT;
	return ret;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = odp_open,
	.release = odp_close,
	.unlocked_ioctl = odp_ioctl,
	.mmap = odp_mmap,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = ODP_DEVICE_NAME,
	.fops = &fops,
	.mode = 0600,
};

static int __init odp_test_init(void)
{
	int ret;

	ret = odp_devices_init();
	if (ret)
		return ret;
	ret = misc_register(&misc);
	if (ret)
		odp_devices_exit();
	return ret;
}

static void __exit odp_test_exit(void)
{
	misc_deregister(&misc);
	odp_devices_exit();
}

module_init(odp_test_init);
module_exit(odp_test_exit);

MODULE_DESCRIPTION("Plays a driver with on-demand memory, for tests");
MODULE_LICENSE("GPL");
