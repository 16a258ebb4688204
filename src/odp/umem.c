// SPDX-License-Identifier: GPL-2.0
/*
 * Birth and death of an on-demand-paging umem. Its struct is the kernel's on
 * 7.2 and newer, and ours with the same members before.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "odp/umem.h"

/* Reclaim invalidates, and that takes the mutex: let lockdep know (O13). */
static void teach_lockdep(struct mutex *mutex)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	mutex_lock(mutex);
	mutex_unlock(mutex);
	fs_reclaim_release(GFP_KERNEL);
}

static struct ib_umem_odp *new_umem(struct ib_device *device, bool writable,
				    struct mm_struct *mm, struct pid *tgid)
{
	struct ib_umem_odp *umem_odp = kzalloc(sizeof(*umem_odp), GFP_KERNEL);

	if (!umem_odp) {
		put_pid(tgid);
		return NULL;
	}
	umem_odp->umem.ibdev = device;
	umem_odp->umem.writable = writable;
	umem_odp->umem.is_odp = 1;
	umem_odp->umem.owning_mm = mm;
	umem_odp->tgid = tgid;
	umem_odp->page_shift = PAGE_SHIFT;
	mutex_init(&umem_odp->umem_mutex);
	return umem_odp;
}

static void free_umem(struct ib_umem_odp *umem_odp)
{
	put_pid(umem_odp->tgid);
	kfree(umem_odp);
}

static unsigned int slot_shift(int access)
{
#ifdef CONFIG_HUGETLB_PAGE
	if (access & IB_ACCESS_HUGETLB)
		return HPAGE_SHIFT;
#endif
	return PAGE_SHIFT;
}

/* mm_users of the owner held by the caller. */
static int attach(struct ib_umem_odp *umem_odp, unsigned long addr, size_t size,
		  const struct mmu_interval_notifier_ops *ops)
{
	struct device *dev = odp_dma_device(umem_odp);
	unsigned long start;
	unsigned long end;
	int ret;

	umem_odp->umem.address = addr;
	umem_odp->umem.length = size;
	umem_odp->notifier.ops = ops;
	ret = odp_bounds(addr, size, umem_odp->page_shift, &start, &end);
	if (ret)
		return ret;
	teach_lockdep(&umem_odp->umem_mutex);

	/* IOVA space is reserved in pages, whatever the size of a slot. */
	ret = rdma_shim_hmm_dma_map_alloc(dev, &umem_odp->map,
					  (end - start) >> PAGE_SHIFT,
					  1UL << umem_odp->page_shift);
	if (ret)
		return ret;
	ret = mmu_interval_notifier_insert(&umem_odp->notifier,
					   umem_odp->umem.owning_mm, start,
					   end - start, ops);
	if (ret)
		rdma_shim_hmm_dma_map_free(dev, &umem_odp->map);
	return ret;
}

/**
 * rdma_shim_ib_umem_odp_get() - register memory of the calling process
 * @device: the RDMA device
 * @addr: user address of the first byte
 * @size: bytes
 * @access: IB_ACCESS_*, with IB_ACCESS_ON_DEMAND; IB_ACCESS_HUGETLB for slots of
 *	a huge page each
 * @ops: told when pages are taken away
 *
 * No page is touched; rdma_shim_ib_umem_odp_map_dma_and_lock() does that.
 *
 * Context: process context of the owner, any thread of it (O12).
 * Return: the umem, for rdma_shim_ib_umem_odp_release(); or -EINVAL, -EOVERFLOW,
 * -ENOMEM, -EINTR, or -EOPNOTSUPP if the device cannot reach all memory.
 */
struct ib_umem_odp *
rdma_shim_ib_umem_odp_get(struct ib_device *device, unsigned long addr,
			  size_t size, int access,
			  const struct mmu_interval_notifier_ops *ops)
{
	struct ib_umem_odp *umem_odp;
	int ret;

	if (WARN_ON_ONCE(!(access & IB_ACCESS_ON_DEMAND)) || !current->mm)
		return ERR_PTR(-EINVAL);

	umem_odp = new_umem(device, ib_access_writable(access), current->mm,
			    get_task_pid(current, PIDTYPE_TGID));
	if (!umem_odp)
		return ERR_PTR(-ENOMEM);
	umem_odp->page_shift = slot_shift(access);
	ret = attach(umem_odp, addr, size, ops);
	if (ret) {
		free_umem(umem_odp);
		return ERR_PTR(ret);
	}
	return umem_odp;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_get);

/**
 * rdma_shim_ib_umem_odp_alloc_implicit() - a umem that children are made from
 * @device: the RDMA device
 * @access: IB_ACCESS_*; not IB_ACCESS_HUGETLB
 *
 * It remembers the process and has no pages.
 *
 * Context: process context of the owner.
 * Return: the umem, or -EINVAL, -ENOMEM.
 */
struct ib_umem_odp *
rdma_shim_ib_umem_odp_alloc_implicit(struct ib_device *device, int access)
{
	struct ib_umem_odp *umem_odp;

	if (access & IB_ACCESS_HUGETLB || !current->mm)
		return ERR_PTR(-EINVAL);

	umem_odp = new_umem(device, ib_access_writable(access), current->mm,
			    get_task_pid(current, PIDTYPE_TGID));
	if (!umem_odp)
		return ERR_PTR(-ENOMEM);
	umem_odp->is_implicit_odp = 1;
	return umem_odp;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_alloc_implicit);

/**
 * rdma_shim_ib_umem_odp_alloc_child() - a range of an implicit umem's process
 * @root: the implicit umem; lives longer than the call
 * @addr: user address of the first byte
 * @size: bytes
 * @ops: told when pages are taken away
 *
 * Context: process context, of any process; @root keeps the mm_struct in being
 * only while one of its children or the driver does.
 * Return: the umem; -EINVAL if @root is not implicit, -EFAULT if the process has
 * exited, or as rdma_shim_ib_umem_odp_get().
 */
struct ib_umem_odp *
rdma_shim_ib_umem_odp_alloc_child(struct ib_umem_odp *root, unsigned long addr,
				  size_t size,
				  const struct mmu_interval_notifier_ops *ops)
{
	struct mm_struct *mm = root->umem.owning_mm;
	struct ib_umem_odp *umem_odp;
	int ret;

	if (WARN_ON(!root->is_implicit_odp))
		return ERR_PTR(-EINVAL);

	umem_odp = new_umem(root->umem.ibdev, root->umem.writable, mm,
			    get_pid(root->tgid));
	if (!umem_odp)
		return ERR_PTR(-ENOMEM);
	ret = -EFAULT;
	if (!mmget_not_zero(mm))
		goto err_umem;
	ret = attach(umem_odp, addr, size, ops);
	mmput(mm);
	if (ret)
		goto err_umem;
	return umem_odp;

err_umem:
	free_umem(umem_odp);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_alloc_child);

/* The device no longer uses the memory, but pages may still be mapped. */
static void detach(struct ib_umem_odp *umem_odp)
{
	mutex_lock(&umem_odp->umem_mutex);
	rdma_shim_ib_umem_odp_unmap_dma_pages(umem_odp, ib_umem_start(umem_odp),
					      ib_umem_end(umem_odp));
	mutex_unlock(&umem_odp->umem_mutex);
	mmu_interval_notifier_remove(&umem_odp->notifier);
	rdma_shim_hmm_dma_map_free(odp_dma_device(umem_odp), &umem_odp->map);
}

/**
 * rdma_shim_ib_umem_odp_release() - unmap all pages and free the umem
 * @umem_odp: from any of the functions above; not used by the device any more
 *
 * Context: process context, of any process; sleeps.
 */
void rdma_shim_ib_umem_odp_release(struct ib_umem_odp *umem_odp)
{
	if (!umem_odp->is_implicit_odp)
		detach(umem_odp);
	free_umem(umem_odp);
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_release);

/**
 * rdma_shim_ib_umem_release_odp() - the part of ib_umem_release() that is ours
 * @umem: with is_odp set
 *
 * Context: process context, of any process; sleeps.
 */
void rdma_shim_ib_umem_release_odp(struct ib_umem *umem)
{
	rdma_shim_ib_umem_odp_release(to_ib_umem_odp(umem));
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_release_odp);
