// SPDX-License-Identifier: GPL-2.0
/*
 * What a driver does with on-demand memory, written against 7.3 only.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "odp_driver.h"

/* Most bytes that the device moves at a time, and most words copied */
#define MOST	(16UL << 20)

static void count_left(struct odp_driver *driver, struct ib_umem_odp *umem,
		       const struct mmu_notifier_range *range)
{
	unsigned long start = max(range->start, ib_umem_start(umem));
	unsigned long end = min(range->end, ib_umem_end(umem));
	size_t i;

	if (start >= end)
		return;
	for (i = odp_slot(umem, start); i <= odp_slot(umem, end - 1); i++)
		if (odp_word(umem, i) & HMM_PFN_VALID)
			atomic64_inc(&driver->left_valid);
}

static bool invalidate(struct mmu_interval_notifier *notifier,
		       const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *umem;
	struct odp_driver *driver;
	bool lent;

	umem = container_of(notifier, struct ib_umem_odp, notifier);
	driver = umem->private;
	lent = driver && READ_ONCE(driver->gate.lent) == current;
	if (!lent && mmu_notifier_range_blockable(range))
		mutex_lock(&umem->umem_mutex);
	else if (!lent && !mutex_trylock(&umem->umem_mutex))
		return false;
	mmu_interval_set_seq(notifier, seq);
	ib_umem_odp_unmap_dma_pages(umem, range->start, range->end);
	if (driver) {
		atomic64_inc(&driver->invalidations);
		count_left(driver, umem, range);
	}
	if (!lent)
		mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops ops = {
	.invalidate = invalidate,
};

int odp_driver_device(struct odp_driver *driver, const char *name)
{
	if (driver->dev)
		return -EBUSY;
	driver->dev = odp_device_find(name, &driver->registered);
	return driver->dev ? 0 : -ENODEV;
}

static int keep(struct odp_driver *driver, struct ib_umem_odp *umem)
{
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	driver->umem = umem;
	umem->private = driver;
	return 0;
}

int odp_driver_get(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	if (!driver->dev || driver->umem)
		return -EBUSY;
	return keep(driver, ib_umem_odp_get(driver->dev, cmd->virt, cmd->len,
					    cmd->mask, &ops));
}

int odp_driver_implicit(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	struct ib_umem_odp *root;

	if (!driver->dev || driver->root)
		return -EBUSY;
	root = ib_umem_odp_alloc_implicit(driver->dev, cmd->mask);
	if (IS_ERR(root))
		return PTR_ERR(root);
	driver->root = root;
	return 0;
}

int odp_driver_child(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	if (!driver->root || driver->umem)
		return -EBUSY;
	return keep(driver, ib_umem_odp_alloc_child(driver->root, cmd->virt,
						    cmd->len, &ops));
}

/* Either name has to free either umem. */
void odp_driver_release(struct odp_driver *driver, bool generic)
{
	struct ib_umem_odp *umem = driver->umem;

	driver->umem = NULL;
	if (umem && generic)
		ib_umem_release(&umem->umem);
	else if (umem)
		ib_umem_odp_release(umem);
}

void odp_driver_close(struct odp_driver *driver)
{
	odp_driver_release(driver, false);
	if (driver->root)
		ib_umem_odp_release(driver->root);
	if (driver->registered)
		ib_device_put(driver->dev);
	kfree(driver);
}

/* umem_mutex held: what a driver does before it tells the hardware. */
static int map_slots(struct ib_umem_odp *umem, u64 virt, u64 len)
{
	struct device *dma = umem->umem.ibdev->dma_device;
	size_t i;

	for (i = odp_slot(umem, virt); i <= odp_slot(umem, virt + len - 1);
	     i++) {
		unsigned long before = odp_word(umem, i);

		if (!(before & HMM_PFN_VALID))
			continue;
		if (odp_address(umem, i) == DMA_MAPPING_ERROR)
			return -EIO;
		if (dma && !(before & HMM_PFN_DMA_MAPPED))
			umem->npages++;
	}
	return 0;
}

static void map(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem ?: driver->root;
	struct mutex *mutex = &umem->umem_mutex;

	atomic_inc(&driver->running);
	cmd->ret = ib_umem_odp_map_dma_and_lock(umem, cmd->virt, cmd->len,
						odp_mask(cmd->mask),
						cmd->flags & ODP_FLAG_FAULT);
	driver->last_ret = cmd->ret;
	atomic_dec(&driver->running);
	cmd->mutex_held = cmd->ret >= 0 && mutex_is_locked(mutex);
	if (cmd->ret >= 0) {
		if (cmd->flags & ODP_FLAG_DMA && cmd->ret > 0 &&
		    map_slots(umem, cmd->virt, cmd->len))
			cmd->ret = -EIO;
		mutex_unlock(mutex);
		return;
	}
	/* Nobody else is about when a program looks at this. */
	cmd->mutex_held = !mutex_trylock(mutex);
	if (!cmd->mutex_held)
		mutex_unlock(mutex);
}

struct work {
	struct work_struct work;
	struct odp_driver *driver;
	struct odp_cmd *cmd;
};

static void map_in_worker(struct work_struct *ws)
{
	struct work *work = container_of(ws, struct work, work);

	map(work->driver, work->cmd);
}

void odp_driver_map(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct work work = { .driver = driver, .cmd = cmd };

	if (!(cmd->flags & ODP_FLAG_WORKER)) {
		map(driver, cmd);
		return;
	}
	INIT_WORK_ONSTACK(&work.work, map_in_worker);
	queue_work(system_unbound_wq, &work.work);
	flush_work(&work.work);
	destroy_work_on_stack(&work.work);
}

void odp_driver_unmap(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	mutex_lock(&driver->umem->umem_mutex);
	ib_umem_odp_unmap_dma_pages(driver->umem, cmd->virt,
				    cmd->virt + cmd->len);
	mutex_unlock(&driver->umem->umem_mutex);
}

static bool inside(struct ib_umem_odp *umem, u64 virt, u64 len)
{
	return len && virt >= ib_umem_start(umem) &&
	       virt < ib_umem_end(umem) && len <= ib_umem_end(umem) - virt;
}

static size_t slots_in(struct ib_umem_odp *umem, u64 virt, u64 len)
{
	if (!inside(umem, virt, len))
		return 0;
	return odp_slot(umem, virt + len - 1) - odp_slot(umem, virt) + 1;
}

static int give_words(const struct odp_cmd *cmd, const u64 *words, size_t n)
{
	return copy_to_user(u64_to_user_ptr(cmd->buffer), words,
			    n * sizeof(*words)) ? -EFAULT : 0;
}

int odp_driver_words(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;
	size_t n = slots_in(umem, cmd->virt, cmd->len);
	u64 *words;
	size_t i;
	int ret;

	if (!n || n > MOST / sizeof(*words))
		return -EINVAL;
	words = vzalloc(n * sizeof(*words));
	if (!words)
		return -ENOMEM;
	mutex_lock(&umem->umem_mutex);
	for (i = 0; i < n; i++)
		words[i] = odp_word(umem, odp_slot(umem, cmd->virt) + i);
	mutex_unlock(&umem->umem_mutex);
	ret = give_words(cmd, words, n);
	vfree(words);
	return ret;
}

/* 0 for a slot that has none. */
int odp_driver_addresses(struct odp_driver *driver, const struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;
	struct device *dma = umem->umem.ibdev->dma_device;
	size_t n = slots_in(umem, cmd->virt, cmd->len);
	u64 *words;
	size_t i;
	int ret;

	if (!n || n > MOST / sizeof(*words))
		return -EINVAL;
	words = vzalloc(n * sizeof(*words));
	if (!words)
		return -ENOMEM;
	mutex_lock(&umem->umem_mutex);
	for (i = 0; i < n; i++) {
		size_t slot = odp_slot(umem, cmd->virt) + i;
		unsigned long word = odp_word(umem, slot);

		if (word & HMM_PFN_VALID &&
		    (!dma || word & HMM_PFN_DMA_MAPPED))
			words[i] = odp_address(umem, slot);
	}
	mutex_unlock(&umem->umem_mutex);
	ret = give_words(cmd, words, n);
	vfree(words);
	return ret;
}

/* Mapped for DMA already. */
static int move_in_page(struct ib_umem_odp *umem, size_t slot, u64 offset,
			u8 *data, u64 n, bool write)
{
	u8 *page;

	if (odp_is_edu(umem->umem.ibdev))
		return odp_edu_move(odp_address(umem, slot) + offset, data, n,
				    write);
	page = page_address(hmm_pfn_to_page(odp_word(umem, slot)));
	if (write)
		memcpy(page + offset, data, n);
	else
		memcpy(data, page + offset, n);
	return 0;
}

/* umem_mutex held. What the device does is to copy. */
static int move(struct ib_umem_odp *umem, u64 virt, u8 *data, u64 len,
		bool write)
{
	unsigned long size = 1UL << umem->page_shift;
	u64 done;
	int ret = 0;
	u64 n;

	for (done = 0; done < len && !ret; done += n) {
		size_t slot = odp_slot(umem, virt + done);
		unsigned long word = odp_word(umem, slot);
		u64 offset;

		offset = (virt + done) & (size - 1);
		n = min(len - done, size - offset);
		if (!(word & HMM_PFN_VALID))
			return -ENXIO;
		if (write && !(word & HMM_PFN_WRITE))
			return -EACCES;
		ret = move_in_page(umem, slot, offset, data + done, n, write);
	}
	return ret;
}

int odp_driver_transfer(struct odp_driver *driver, struct odp_cmd *cmd,
			bool write)
{
	void __user *user = u64_to_user_ptr(cmd->buffer);
	struct ib_umem_odp *umem = driver->umem;
	int ret = -EFAULT;
	void *data;

	if (!cmd->len || cmd->len > MOST)
		return -EINVAL;
	data = vmalloc(cmd->len);
	if (!data)
		return -ENOMEM;
	if (write && copy_from_user(data, user, cmd->len))
		goto out;

	cmd->ret = ib_umem_odp_map_dma_and_lock(umem, cmd->virt, cmd->len,
						odp_mask(write ?
							 HMM_PFN_WRITE : 0),
						true);
	if (cmd->ret >= 0) {
		cmd->ret = 0;
		if (odp_is_edu(umem->umem.ibdev))
			cmd->ret = map_slots(umem, cmd->virt, cmd->len);
		cmd->ret = cmd->ret ?: move(umem, cmd->virt, data, cmd->len,
					    write);
		mutex_unlock(&umem->umem_mutex);
	}
	ret = 0;
	if (!write && !cmd->ret && copy_to_user(user, data, cmd->len))
		ret = -EFAULT;
out:
	vfree(data);
	return ret;
}

void odp_driver_info(struct odp_driver *driver, struct odp_cmd *cmd)
{
	struct ib_umem_odp *umem = driver->umem;

	cmd->out[ODP_INFO_START] = ib_umem_start(umem);
	cmd->out[ODP_INFO_END] = ib_umem_end(umem);
	cmd->out[ODP_INFO_SHIFT] = umem->page_shift;
	cmd->out[ODP_INFO_NPAGES] = umem->npages;
	cmd->out[ODP_INFO_INVALIDATIONS] =
		atomic64_read(&driver->invalidations);
	cmd->out[ODP_INFO_LEFT_VALID] = atomic64_read(&driver->left_valid);
	cmd->out[ODP_INFO_RUNNING] = atomic_read(&driver->running);
	cmd->out[ODP_INFO_LAST_RET] = driver->last_ret;
}
