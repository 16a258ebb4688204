// SPDX-License-Identifier: GPL-2.0
/*
 * A small consumer of the RDMA API of Linux 7.3.
 *
 * On load it makes a connection from an address of this machine to itself,
 * registers a buffer with ib_map_mr_sg(), lets the other end of the connection
 * read it by RDMA, and compares:
 *
 *	owner			 peer
 *	  |  <--- connection --->  |
 *	buffer			 copy
 *	  ^------- RDMA READ ------'
 *
 * modprobe rdma_shim_consumer addr=10.0.0.1
 *
 * Nothing in this file knows of rdma-shim; see Kbuild.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#define PAGES		4
#define FIRST_OFFSET	100	/* the buffer starts inside its first page */
#define LAST_BYTES	1000	/* and ends inside its last */
#define TIMEOUT_MS	5000

static char *addr;
module_param(addr, charp, 0444);
MODULE_PARM_DESC(addr, "an IPv4 or IPv6 address of an RDMA device of this machine");

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "RDMA device that address must belong to (any)");

/**
 * struct memory - pages of one side, registered for the other
 * @sg: the pages, the first and the last in part only
 * @mapped: elements of @sg that have a DMA address
 * @mr: the registration
 */
struct memory {
	struct scatterlist sg[PAGES];
	int mapped;
	struct ib_mr *mr;
};

/**
 * struct side - one end of the connection
 * @name: for the log
 * @id: its connection; owns the queue pair
 * @pd: protection domain
 * @cq: completions of its work requests
 * @cqe: what every work request of this side completes with
 * @done: a connection event or a work request came to its end
 * @status: how that ended, 0 or a negative error
 * @memory: its pages
 */
struct side {
	const char *name;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_cqe cqe;
	struct completion done;
	int status;
	struct memory memory;
};

static struct side owner = { .name = "owner" };
static struct side peer = { .name = "peer" };

static void finish(struct side *side, int status)
{
	side->status = status;
	complete(&side->done);
}

static int wait(struct side *side, const char *what)
{
	if (!wait_for_completion_timeout(&side->done,
					 msecs_to_jiffies(TIMEOUT_MS)))
		side->status = -ETIMEDOUT;
	if (side->status)
		pr_err("%s: %s failed: %d\n", side->name, what, side->status);
	return side->status;
}

static void work_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct side *side = container_of(wc->wr_cqe, struct side, cqe);

	if (wc->status != IB_WC_SUCCESS)
		pr_err("%s: %s\n", side->name, ib_wc_status_msg(wc->status));
	finish(side, wc->status == IB_WC_SUCCESS ? 0 : -EIO);
}

/* Posts one work request and waits until the device has done it. */
static int run(struct side *side, struct ib_send_wr *wr, const char *what)
{
	int ret;

	reinit_completion(&side->done);
	wr->wr_cqe = &side->cqe;
	wr->send_flags = IB_SEND_SIGNALED;
	ret = ib_post_send(side->id->qp, wr, NULL);
	if (ret) {
		pr_err("%s: cannot post %s: %d\n", side->name, what, ret);
		return ret;
	}
	return wait(side, what);
}

/* ------------------------------------------------------------ connection */

static int open_queue(struct side *side)
{
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 8,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
	};
	struct ib_device *dev = side->id->device;
	int ret;

	side->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(side->pd)) {
		ret = PTR_ERR(side->pd);
		side->pd = NULL;
		return ret;
	}
	side->cq = ib_alloc_cq_any(dev, side, 16, IB_POLL_WORKQUEUE);
	if (IS_ERR(side->cq)) {
		ret = PTR_ERR(side->cq);
		side->cq = NULL;
		return ret;
	}
	side->cqe.done = work_done;
	attr.send_cq = side->cq;
	attr.recv_cq = side->cq;
	return rdma_create_qp(side->id, side->pd, &attr);
}

static struct rdma_conn_param conn_param(void)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

/* The first request becomes the owner's connection; a stranger's is refused. */
static int accept_request(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = conn_param();
	int ret;

	if (owner.id)
		return -EBUSY;
	owner.id = id;
	id->context = &owner;
	ret = open_queue(&owner);
	if (!ret)
		ret = rdma_accept(id, &param);
	if (ret)
		finish(&owner, ret);
	/* The id is ours now, whatever became of it. */
	return 0;
}

static int cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct side *side = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept_request(id);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		finish(side, 0);
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	default:
		pr_err("%s: %s (%d)\n", side->name,
		       rdma_event_msg(event->event), event->status);
		finish(side, event->status < 0 ? event->status : -ECONNREFUSED);
		return 0;
	}
}

static struct rdma_cm_id *new_id(struct side *side)
{
	return rdma_create_id(&init_net, cm_event, side, RDMA_PS_TCP,
			      IB_QPT_RC);
}

static struct rdma_cm_id *listen_at(struct sockaddr *where)
{
	struct rdma_cm_id *id = new_id(&owner);
	int ret;

	if (IS_ERR(id))
		return id;
	ret = rdma_bind_addr(id, where);
	if (!ret)
		ret = rdma_listen(id, 1);
	if (ret) {
		rdma_destroy_id(id);
		return ERR_PTR(ret);
	}
	return id;
}

static int resolve(struct sockaddr *where)
{
	int ret;

	peer.id = new_id(&peer);
	if (IS_ERR(peer.id)) {
		ret = PTR_ERR(peer.id);
		peer.id = NULL;
		return ret;
	}
	ret = rdma_resolve_addr(peer.id, NULL, where, TIMEOUT_MS);
	if (!ret)
		ret = wait(&peer, "finding the address");
	if (ret)
		return ret;
	if (device && strcmp(device, dev_name(&peer.id->device->dev))) {
		pr_err("%s belongs to %s, not to %s\n", addr,
		       dev_name(&peer.id->device->dev), device);
		return -ENODEV;
	}
	reinit_completion(&peer.done);
	ret = rdma_resolve_route(peer.id, TIMEOUT_MS);
	return ret ?: wait(&peer, "finding the route");
}

static int connect_peer(struct sockaddr *where)
{
	struct rdma_conn_param param = conn_param();
	int ret;

	ret = resolve(where);
	if (!ret)
		ret = open_queue(&peer);
	if (ret)
		return ret;
	reinit_completion(&peer.done);
	ret = rdma_connect(peer.id, &param);
	if (!ret)
		ret = wait(&peer, "connecting");
	return ret ?: wait(&owner, "accepting");
}

/* ----------------------------------------------------------- registration */

static int fill_memory(struct memory *memory)
{
	struct page *page;
	int i;

	sg_init_table(memory->sg, PAGES);
	for (i = 0; i < PAGES; i++) {
		page = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!page)
			return -ENOMEM;
		sg_set_page(&memory->sg[i], page, PAGE_SIZE, 0);
	}
	memory->sg[0].offset = FIRST_OFFSET;
	memory->sg[0].length = PAGE_SIZE - FIRST_OFFSET;
	memory->sg[PAGES - 1].length = LAST_BYTES;
	return 0;
}

static int register_memory(struct side *side, int access)
{
	struct memory *memory = &side->memory;
	struct ib_device *dev = side->id->device;
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .access = access };
	int ret;

	memory->mapped = ib_dma_map_sg(dev, memory->sg, PAGES,
				       DMA_BIDIRECTIONAL);
	if (memory->mapped <= 0)
		return -EIO;
	memory->mr = ib_alloc_mr(side->pd, IB_MR_TYPE_MEM_REG, PAGES);
	if (IS_ERR(memory->mr)) {
		ret = PTR_ERR(memory->mr);
		memory->mr = NULL;
		return ret;
	}
	ret = ib_map_mr_sg(memory->mr, memory->sg, memory->mapped, NULL,
			   PAGE_SIZE);
	if (ret < 0)
		return ret;
	pr_info("%s: ib_map_mr_sg mapped %d of %d elements, %llu bytes\n",
		side->name, ret, memory->mapped,
		(unsigned long long)memory->mr->length);
	if (ret != memory->mapped)
		return -EIO;
	ib_update_fast_reg_key(memory->mr, ib_inc_rkey(memory->mr->rkey));
	wr.mr = memory->mr;
	wr.key = memory->mr->rkey;
	return run(side, &wr.wr, "registration");
}

static void release_memory(struct side *side)
{
	struct memory *memory = &side->memory;
	int i;

	if (memory->mr)
		ib_dereg_mr(memory->mr);
	if (memory->mapped > 0)
		ib_dma_unmap_sg(side->id->device, memory->sg, PAGES,
				DMA_BIDIRECTIONAL);
	for (i = 0; i < PAGES && sg_page(&memory->sg[i]); i++)
		__free_page(sg_page(&memory->sg[i]));
}

/* ------------------------------------------------------------ the reading */

static int peer_reads(void)
{
	struct ib_mr *from = owner.memory.mr;
	struct ib_mr *to = peer.memory.mr;
	struct ib_sge sge = {
		.addr = to->iova,
		.length = to->length,
		.lkey = to->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = IB_WR_RDMA_READ,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.remote_addr = from->iova,
		.rkey = from->rkey,
	};

	return run(&peer, &wr.wr, "the RDMA READ");
}

/* Every byte of the buffer has a value that tells where it belongs. */
static u8 pattern(unsigned int at)
{
	return at ^ at >> 8 ^ 0x5a;
}

static void write_pattern(struct memory *memory)
{
	unsigned int at = 0, i, j;
	u8 *bytes;

	for (i = 0; i < PAGES; i++) {
		bytes = sg_virt(&memory->sg[i]);
		for (j = 0; j < memory->sg[i].length; j++)
			bytes[j] = pattern(at++);
	}
}

static int compare(struct memory *memory)
{
	unsigned int at = 0, i, j;
	u8 *bytes;

	for (i = 0; i < PAGES; i++) {
		bytes = sg_virt(&memory->sg[i]);
		for (j = 0; j < memory->sg[i].length; j++, at++) {
			if (bytes[j] == pattern(at))
				continue;
			pr_err("the peer read %#x at byte %u, where %#x was written: DIFFERENT\n",
			       bytes[j], at, pattern(at));
			return -EIO;
		}
	}
	pr_info("the peer read %u bytes by RDMA: equal\n", at);
	return 0;
}

static void close_side(struct side *side)
{
	if (side->id && side->id->qp) {
		rdma_disconnect(side->id);
		ib_drain_qp(side->id->qp);
	}
	release_memory(side);
	if (side->id && side->id->qp)
		rdma_destroy_qp(side->id);
	if (side->cq)
		ib_free_cq(side->cq);
	if (side->pd)
		ib_dealloc_pd(side->pd);
	if (side->id)
		rdma_destroy_id(side->id);
}

static int demonstrate(struct sockaddr *where)
{
	int ret;

	ret = connect_peer(where);
	if (ret)
		return ret;
	pr_info("connected to itself at %s on %s\n", addr,
		dev_name(&peer.id->device->dev));
	write_pattern(&owner.memory);
	ret = register_memory(&owner, IB_ACCESS_LOCAL_WRITE |
			      IB_ACCESS_REMOTE_READ);
	if (!ret)
		ret = register_memory(&peer, IB_ACCESS_LOCAL_WRITE |
				      IB_ACCESS_REMOTE_WRITE);
	if (!ret)
		ret = peer_reads();
	return ret ?: compare(&peer.memory);
}

static int __init consumer_init(void)
{
	struct sockaddr_storage where;
	struct rdma_cm_id *listener;
	int ret;

	if (!addr) {
		pr_err("give it an address of an RDMA device: addr=10.0.0.1\n");
		return -EINVAL;
	}
	ret = inet_pton_with_scope(&init_net, AF_UNSPEC, addr, "0", &where);
	if (ret) {
		pr_err("%s is not an IPv4 or IPv6 address\n", addr);
		return ret;
	}
	init_completion(&owner.done);
	init_completion(&peer.done);

	listener = listen_at((struct sockaddr *)&where);
	if (IS_ERR(listener)) {
		ret = PTR_ERR(listener);
		pr_err("no RDMA device has the address %s: %d\n", addr, ret);
		return ret;
	}
	/* The port was chosen by the kernel. */
	where = listener->route.addr.src_addr;

	ret = fill_memory(&owner.memory);
	if (!ret)
		ret = fill_memory(&peer.memory);
	if (!ret)
		ret = demonstrate((struct sockaddr *)&where);

	rdma_destroy_id(listener);
	close_side(&peer);
	close_side(&owner);
	return ret;
}
module_init(consumer_init);

/* Everything was given back at load; what is left is the right to unload. */
static void __exit consumer_exit(void)
{
}
module_exit(consumer_exit);

MODULE_DESCRIPTION("A consumer of Linux 7.3's ib_map_mr_sg()");
MODULE_VERSION("1.0");
MODULE_LICENSE("GPL");
