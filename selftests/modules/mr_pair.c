// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "mr_api.h"
#include "mr_pair.h"

/* Long for hardware, short for a guest that is emulated and shares its CPU. */
#define WAIT (60 * HZ)

static int on_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct mr_end *end = id->context;
	struct mr_pair *pair;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		pair = container_of(end, struct mr_pair, server);
		if (end->id)
			return -EBUSY;
		end->id = id;
		complete(&pair->incoming);
		return 0;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		end->status = -ECONNREFUSED;
		break;
	default:
		return 0;
	}
	complete(&end->event);
	return 0;
}

static int wait_event_of(struct mr_end *end)
{
	if (!wait_for_completion_timeout(&end->event, WAIT))
		return -ETIMEDOUT;
	return end->status;
}

static void init_end(struct mr_end *end)
{
	memset(end, 0, sizeof(*end));
	init_completion(&end->event);
	init_completion(&end->done);
}

static int create_end(struct mr_end *end)
{
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 4,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
	};

	end->pd = ib_alloc_pd(end->id->device, 0);
	if (IS_ERR(end->pd))
		return PTR_ERR(end->pd);
	end->cq = ib_alloc_cq(end->id->device, end, 64, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(end->cq))
		return PTR_ERR(end->cq);
	attr.send_cq = end->cq;
	attr.recv_cq = end->cq;
	return rdma_create_qp(end->id, end->pd, &attr);
}

static void destroy_end(struct mr_end *end)
{
	if (!end->id)
		return;
	if (end->id->qp) {
		rdma_disconnect(end->id);
		ib_drain_qp(end->id->qp);
		rdma_destroy_qp(end->id);
	}
	if (!IS_ERR_OR_NULL(end->cq))
		ib_free_cq(end->cq);
	rdma_destroy_id(end->id);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	end->id = NULL;
}

static int listen(struct mr_pair *pair)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, on_event, &pair->server, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	pair->listener = id;
	ret = rdma_bind_addr(id, (struct sockaddr *)&pair->addr);
	return ret ?: rdma_listen(id, 1);
}

static int resolve(struct mr_pair *pair)
{
	struct mr_end *client = &pair->client;
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, on_event, client, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	client->id = id;
	ret = rdma_resolve_addr(id, NULL, (struct sockaddr *)&pair->addr, 5000);
	ret = ret ?: wait_event_of(client);
	ret = ret ?: rdma_resolve_route(id, 5000);
	return ret ?: wait_event_of(client);
}

static int accept(struct mr_pair *pair, struct rdma_conn_param *param)
{
	int ret;

	if (!wait_for_completion_timeout(&pair->incoming, WAIT))
		return -ETIMEDOUT;
	ret = create_end(&pair->server);
	ret = ret ?: rdma_accept(pair->server.id, param);
	ret = ret ?: wait_event_of(&pair->server);
	return ret ?: wait_event_of(&pair->client);
}

/* One contiguous element, which every driver maps right. */
static int register_buffer(struct mr_pair *pair)
{
	unsigned int pages = MR_PEER_BYTES / PAGE_SIZE;
	struct mr_end *client = &pair->client;
	struct scatterlist sg;
	struct ib_mr *mr;
	int ret;

	mr = mr_api_native.alloc(client->pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	pair->buffer_mr = mr;
	sg_init_one(&sg, pair->buffer, MR_PEER_BYTES);
	if (ib_dma_map_sg(mr->device, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		return -EIO;
	ret = mr_api_native.map(mr, &sg, 1, NULL, PAGE_SIZE);
	if (ret != 1)
		return -EIO;
	return mr_register(client, mr, IB_ACCESS_LOCAL_WRITE |
			   IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ);
}

/**
 * mr_pair_connect - connect two queue pairs through the device of an address
 * @pair: filled in; mr_pair_disconnect() has to follow, whatever comes out
 * @addr: IPv4 address of the device
 * @port: a free port
 *
 * Context: process context, sleeps for a bounded time.
 * Return: 0 or an error.
 */
int mr_pair_connect(struct mr_pair *pair, __be32 addr, u16 port)
{
	struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	memset(pair, 0, sizeof(*pair));
	init_completion(&pair->incoming);
	init_end(&pair->server);
	init_end(&pair->client);
	pair->addr.sin_family = AF_INET;
	pair->addr.sin_addr.s_addr = addr;
	pair->addr.sin_port = htons(port);
	pair->buffer = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_COMP,
					      get_order(MR_PEER_BYTES));
	if (!pair->buffer)
		return -ENOMEM;

	ret = listen(pair);
	ret = ret ?: resolve(pair);
	ret = ret ?: create_end(&pair->client);
	ret = ret ?: rdma_connect(pair->client.id, &param);
	ret = ret ?: accept(pair, &param);
	return ret ?: register_buffer(pair);
}

void mr_pair_disconnect(struct mr_pair *pair)
{
	/* No more incoming connections while the sides are taken apart. */
	if (pair->listener)
		rdma_destroy_id(pair->listener);
	pair->listener = NULL;
	if (pair->buffer_mr)
		mr_api_native.dereg(pair->buffer_mr);
	pair->buffer_mr = NULL;
	destroy_end(&pair->client);
	destroy_end(&pair->server);
	free_pages((unsigned long)pair->buffer, get_order(MR_PEER_BYTES));
	pair->buffer = NULL;
}

static void on_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct mr_end *end = container_of(wc->wr_cqe, struct mr_end, cqe);

	end->wc_status = wc->status;
	complete(&end->done);
}

/**
 * mr_end_post - post one work request and wait for its end
 * @end: the side
 * @wr: the request
 *
 * Return: 0; -EREMOTEIO when it completed with an error; -ETIMEDOUT.
 */
int mr_end_post(struct mr_end *end, struct ib_send_wr *wr)
{
	int ret;

	end->cqe.done = on_done;
	wr->wr_cqe = &end->cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	reinit_completion(&end->done);
	ret = ib_post_send(end->id->qp, wr, NULL);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&end->done, WAIT))
		return -ETIMEDOUT;
	return end->wc_status == IB_WC_SUCCESS ? 0 : -EREMOTEIO;
}

int mr_register(struct mr_end *end, struct ib_mr *mr, int access)
{
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.access = access,
	};

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg.key = mr->rkey;
	return mr_end_post(end, &reg.wr);
}

int mr_invalidate(struct mr_end *end, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = mr->rkey,
	};

	return mr_end_post(end, &wr);
}

/**
 * mr_pair_transfer - the peer reads or writes
 * @pair: the pair
 * @opcode: IB_WR_RDMA_READ or IB_WR_RDMA_WRITE
 * @remote: address inside the region
 * @rkey: its key
 * @len: bytes, at most MR_PEER_BYTES, from the start of the peer's buffer
 *
 * Return: as mr_end_post().
 */
int mr_pair_transfer(struct mr_pair *pair, enum ib_wr_opcode opcode,
		     u64 remote, u32 rkey, u32 len)
{
	struct ib_sge sge = {
		.addr = pair->buffer_mr->iova,
		.length = len,
		.lkey = pair->buffer_mr->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr.opcode = opcode,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.remote_addr = remote,
		.rkey = rkey,
	};

	return mr_end_post(&pair->client, &wr.wr);
}
