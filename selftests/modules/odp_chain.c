// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_shim_odp_chain: all that a driver with on-demand memory does.
 *
 *	ib_umem_odp_map_dma_and_lock() -> scatterlist -> ib_map_mr_sg() -> REG_MR
 *	-> a peer's RDMA READ or WRITE
 *	pages go away -> LOCAL_INV -> ib_umem_odp_unmap_dma_pages()
 *
 * The peer never uses a key that was taken back: each access starts with a
 * registration if there is none, as a device's page fault would.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_umem_odp.h>

#include "mr_pair.h"
#include "odp_chain_api.h"

/**
 * struct odp_chain - one open file
 * @lock: one request at a time
 * @pair: the driver's side and the peer's
 * @connected: @pair has to be disconnected
 * @umem: the memory
 * @mr: what the peer gets of it
 * @sg: the same for ib_map_mr_sg()
 * @registered: @mr is registered; under umem_mutex
 * @writable: for writing too
 * @virt: first byte of @mr
 * @len: its bytes
 * @faults: registrations
 * @invalidations: registrations taken back
 */
struct odp_chain {
	struct mutex lock; /* see above */
	struct mr_pair pair;
	bool connected;
	struct ib_umem_odp *umem;
	struct ib_mr *mr;
	struct scatterlist sg[ODP_CHAIN_PAGES];
	bool registered;
	bool writable;
	u64 virt;
	u64 len;
	u32 faults;
	u32 invalidations;
};

/* umem_mutex held, so nobody else posts on the driver's side. */
static void take_back(struct odp_chain *chain)
{
	if (!chain->registered)
		return;
	chain->registered = false;
	if (mr_invalidate(&chain->pair.server, chain->mr))
		pr_err("odp_chain: LOCAL_INV failed\n");
}

static bool invalidate(struct mmu_interval_notifier *notifier,
		       const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *umem =
		container_of(notifier, struct ib_umem_odp, notifier);
	struct odp_chain *chain;

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(notifier, seq);
	chain = umem->private;
	if (chain && chain->registered && range->start < chain->virt + chain->len &&
	    range->end > chain->virt) {
		take_back(chain);
		chain->invalidations++;
	}
	ib_umem_odp_unmap_dma_pages(umem, range->start, range->end);
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops ops = {
	.invalidate = invalidate,
};

/* umem_mutex held: the pages of the slots become a list. */
static int fill_list(struct odp_chain *chain, u64 virt, int slots)
{
	struct ib_umem_odp *umem = chain->umem;
	size_t first = (virt - ib_umem_start(umem)) >> umem->page_shift;
	dma_addr_t addr;
	int i;

	sg_init_table(chain->sg, slots);
	for (i = 0; i < slots; i++) {
		addr = hmm_dma_map_pfn(umem->umem.ibdev->dma_device, &umem->map,
				       first + i, NULL);
		if (addr == DMA_MAPPING_ERROR)
			return -EIO;
		sg_set_page(&chain->sg[i],
			    hmm_pfn_to_page(umem->map.pfn_list[first + i]),
			    PAGE_SIZE, 0);
		sg_dma_address(&chain->sg[i]) = addr;
		sg_dma_len(&chain->sg[i]) = PAGE_SIZE;
	}
	return 0;
}

static int register_list(struct odp_chain *chain, u64 virt, u64 len,
			 int slots, bool write)
{
	unsigned int offset = virt & ~PAGE_MASK;
	int ret;

	ret = ib_map_mr_sg(chain->mr, chain->sg, slots, &offset, PAGE_SIZE);
	if (ret != slots)
		return ret < 0 ? ret : -EIO;
	ret = mr_register(&chain->pair.server, chain->mr,
			  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ |
			  (write ? IB_ACCESS_REMOTE_WRITE : 0));
	if (ret)
		return ret;
	chain->registered = true;
	chain->writable = write;
	chain->virt = virt;
	chain->len = len;
	chain->faults++;
	return 0;
}

static bool serves(const struct odp_chain *chain, u64 virt, u64 len,
		   bool write)
{
	return chain->registered && chain->writable >= write &&
	       virt >= chain->virt && virt + len <= chain->virt + chain->len;
}

/* What a page fault of a device does. Returns 0 with umem_mutex held. */
static int serve(struct odp_chain *chain, u64 virt, u64 len, bool write)
{
	struct mutex *mutex = &chain->umem->umem_mutex;
	int ret;

	mutex_lock(mutex);
	if (serves(chain, virt, len, write))
		return 0;
	take_back(chain);
	mutex_unlock(mutex);

	ret = ib_umem_odp_map_dma_and_lock(chain->umem, virt, len,
					   write ? HMM_PFN_WRITE : 0, true);
	if (ret < 0)
		return ret;
	if (ret > ODP_CHAIN_PAGES)
		ret = -E2BIG;
	else
		ret = fill_list(chain, virt, ret) ?:
		      register_list(chain, virt, len, ret, write);
	if (ret)
		mutex_unlock(mutex);
	return ret;
}

static int peer_access(struct odp_chain *chain, u64 virt, u64 len, bool write)
{
	int ret;

	ret = serve(chain, virt, len, write);
	if (ret)
		return ret;
	/* Under the mutex: the key is good until the access has ended. */
	ret = mr_pair_transfer(&chain->pair, write ? IB_WR_RDMA_WRITE :
			       IB_WR_RDMA_READ,
			       chain->mr->iova + (virt - chain->virt),
			       chain->mr->rkey, len);
	mutex_unlock(&chain->umem->umem_mutex);
	return ret;
}

static int access(struct odp_chain *chain, struct odp_chain_cmd *cmd,
		  bool write)
{
	void __user *user = u64_to_user_ptr(cmd->buffer);
	u8 *bytes = chain->pair.buffer;

	if (!chain->umem || !cmd->len || cmd->len > MR_PEER_BYTES)
		return -EINVAL;
	memset(bytes, 0, cmd->len);
	if (write && copy_from_user(bytes, user, cmd->len))
		return -EFAULT;
	cmd->ret = peer_access(chain, cmd->virt, cmd->len, write);
	if (!cmd->ret && !write && copy_to_user(user, bytes, cmd->len))
		return -EFAULT;
	return 0;
}

static int connect(struct odp_chain *chain, const struct odp_chain_cmd *cmd)
{
	struct ib_umem_odp *umem;
	struct ib_mr *mr;
	int ret;

	if (chain->connected)
		return -EBUSY;
	chain->connected = true;
	ret = mr_pair_connect(&chain->pair, (__force __be32)cmd->addr,
			      cmd->port);
	if (ret)
		return ret;
	mr = ib_alloc_mr(chain->pair.server.pd, IB_MR_TYPE_MEM_REG,
			 ODP_CHAIN_PAGES);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	chain->mr = mr;
	umem = ib_umem_odp_get(mr->device, cmd->virt, cmd->len,
			       IB_ACCESS_ON_DEMAND | IB_ACCESS_LOCAL_WRITE,
			       &ops);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mutex_lock(&umem->umem_mutex);
	chain->umem = umem;
	umem->private = chain;
	mutex_unlock(&umem->umem_mutex);
	return 0;
}

static int chain_open(struct inode *inode, struct file *file)
{
	struct odp_chain *chain = kvzalloc(sizeof(*chain), GFP_KERNEL);

	if (!chain)
		return -ENOMEM;
	mutex_init(&chain->lock);
	file->private_data = chain;
	return 0;
}

static int chain_release(struct inode *inode, struct file *file)
{
	struct odp_chain *chain = file->private_data;

	if (chain->umem) {
		mutex_lock(&chain->umem->umem_mutex);
		take_back(chain);
		mutex_unlock(&chain->umem->umem_mutex);
		ib_umem_release(&chain->umem->umem);
	}
	if (chain->mr)
		ib_dereg_mr(chain->mr);
	if (chain->connected)
		mr_pair_disconnect(&chain->pair);
	kvfree(chain);
	return 0;
}

static int request(struct odp_chain *chain, unsigned int op,
		   struct odp_chain_cmd *cmd)
{
	switch (op) {
	case ODP_CHAIN_OPEN:
		cmd->ret = connect(chain, cmd);
		return 0;
	case ODP_CHAIN_READ:
		return access(chain, cmd, false);
	case ODP_CHAIN_WRITE:
		return access(chain, cmd, true);
	case ODP_CHAIN_INFO:
		return 0;
	default:
		return -ENOTTY;
	}
}

static long chain_ioctl(struct file *file, unsigned int op, unsigned long arg)
{
	struct odp_chain *chain = file->private_data;
	void __user *user = (void __user *)arg;
	struct odp_chain_cmd cmd;
	int ret;

	if (copy_from_user(&cmd, user, sizeof(cmd)))
		return -EFAULT;
	mutex_lock(&chain->lock);
	ret = request(chain, op, &cmd);
	cmd.faults = chain->faults;
	cmd.invalidations = chain->invalidations;
	cmd.registered = chain->registered;
	mutex_unlock(&chain->lock);
	if (!ret && copy_to_user(user, &cmd, sizeof(cmd)))
		ret = -EFAULT;
	return ret;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = chain_open,
	.release = chain_release,
	.unlocked_ioctl = chain_ioctl,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdma-shim-odp-chain",
	.fops = &fops,
	.mode = 0600,
};

module_misc_device(misc);

MODULE_DESCRIPTION("A driver with on-demand memory and its peer, for tests");
MODULE_LICENSE("GPL");
