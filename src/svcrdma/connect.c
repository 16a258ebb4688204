// SPDX-License-Identifier: GPL-2.0
/*
 * One connection: what both sides agree on, and the verbs objects it has.
 */
#include "svcrdma/svcrdma.h"

#include <rdma/rw.h>

#include "svcrdma/connect.h"

/* One slot of each queue is left for the request that ib_drain_qp() posts. */
enum { DRAIN_SLOTS = 1, MAX_SGES = 32, REQUESTS_PER_RW = 3 };

static const struct rpcrdma_connect_private *
private_data(const struct rdma_conn_param *param)
{
	const struct rpcrdma_connect_private *offer = param->private_data;

	if (!offer || param->private_data_len < sizeof(*offer) ||
	    offer->cp_magic != rpcrdma_cmp_magic ||
	    offer->cp_version != RPCRDMA_CMP_VERSION)
		return NULL;
	return offer;
}

/**
 * rdma_shim_connect_offer - read what a client offers (RFC 8797)
 * @rdma: the new connection
 * @param: of its connect request
 *
 * Context: any.
 */
void rdma_shim_connect_offer(struct svcxprt_rdma *rdma,
			     const struct rdma_conn_param *param)
{
	const struct rpcrdma_connect_private *offer = private_data(param);

	rdma->sc_ord = param->initiator_depth;
	rdma->sc_max_req_size = svcrdma_max_req_size;
	if (!offer) {
		rdma->sc_shim_peer_inline = RPCRDMA_V1_DEF_INLINE_SIZE;
		return;
	}
	rdma->sc_snd_w_inv = offer->cp_flags & RPCRDMA_CMP_F_SND_W_INV_OK;
	rdma->sc_shim_peer_inline =
		rpcrdma_decode_buffer_size(offer->cp_recv_size);
}

/**
 * struct depths - of the queues
 * @receives: buffers posted
 * @sends: Sends at a time
 * @contexts: Reads and Writes at a time
 * @requests: upper bound of the Send Queue
 */
struct depths {
	unsigned int receives;
	unsigned int sends;
	unsigned int contexts;
	unsigned int requests;
};

static void choose_depths(struct svcxprt_rdma *rdma,
			  const struct ib_device *device, struct depths *d)
{
	unsigned int most = min(device->attrs.max_qp_wr, device->attrs.max_cqe);

	rdma->sc_max_requests = svcrdma_max_requests;
	rdma->sc_max_bc_requests = svcrdma_max_bc_requests;
	/* Half for what each call does on the way, half for itself. */
	while (rdma->sc_max_requests > 4 &&
	       (rdma->sc_max_requests + rdma->sc_max_bc_requests) * 8 > most)
		rdma->sc_max_requests /= 2;

	rdma->sc_fc_credits = cpu_to_be32(rdma->sc_max_requests);
	d->receives = rdma->sc_max_requests + rdma->sc_max_bc_requests;
	d->sends = d->receives;
	d->contexts = 2 * d->receives;
	d->requests = d->sends + REQUESTS_PER_RW * d->contexts + DRAIN_SLOTS;
	d->requests = min(d->requests, most);
}

static int make_qp(struct svcxprt_rdma *rdma, const struct depths *d)
{
	struct ib_device *device = rdma->sc_cm_id->device;
	struct ib_qp_init_attr attr = {
		.qp_context	= &rdma->sc_xprt,
		.port_num	= rdma->sc_port_num,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
		.send_cq	= rdma->sc_sq_cq,
		.recv_cq	= rdma->sc_rq_cq,
		.cap = {
			.max_rdma_ctxs	= d->contexts,
			.max_send_wr	= d->sends + DRAIN_SLOTS,
			.max_recv_wr	= d->receives + DRAIN_SLOTS,
			.max_send_sge	= rdma->sc_max_send_sges,
			.max_recv_sge	= 1,
		},
	};
	int ret;

	ret = rdma_create_qp(rdma->sc_cm_id, rdma->sc_pd, &attr);
	if (ret)
		return ret;
	rdma->sc_qp = rdma->sc_cm_id->qp;
	rdma->sc_max_send_sges = attr.cap.max_send_sge;
	/* What the device gave; the completion queue must hold it all. */
	rdma->sc_sq_depth = min3(attr.cap.max_send_wr, d->requests,
				 (u32)device->attrs.max_qp_wr) - DRAIN_SLOTS;
	atomic_set(&rdma->sc_sq_avail, rdma->sc_sq_depth);
	rdma_shim_note_slots(rdma->sc_sq_depth);
	return 0;
}

static int make_queues(struct svcxprt_rdma *rdma)
{
	struct ib_device *device = rdma->sc_cm_id->device;
	struct depths d;

	rdma->sc_port_num = rdma->sc_cm_id->port_num;
	rdma->sc_max_send_sges = min_t(int, device->attrs.max_send_sge,
				       MAX_SGES);
	rdma->sc_ord = min3(rdma->sc_ord, svcrdma_ord,
			    (u32)device->attrs.max_qp_init_rd_atom);
	if (!rdma->sc_ord)
		return -EINVAL;
	choose_depths(rdma, device, &d);

	rdma->sc_pd = ib_alloc_pd(device, 0);
	if (IS_ERR(rdma->sc_pd))
		return PTR_ERR(rdma->sc_pd);
	rdma->sc_sq_cq = ib_alloc_cq_any(device, rdma, d.requests + DRAIN_SLOTS,
					 IB_POLL_WORKQUEUE);
	if (IS_ERR(rdma->sc_sq_cq))
		return PTR_ERR(rdma->sc_sq_cq);
	rdma->sc_rq_cq = ib_alloc_cq_any(device, rdma,
					 d.receives + 2 * DRAIN_SLOTS,
					 IB_POLL_WORKQUEUE);
	if (IS_ERR(rdma->sc_rq_cq))
		return PTR_ERR(rdma->sc_rq_cq);
	return make_qp(rdma, &d);
}

static int answer(struct svcxprt_rdma *rdma)
{
	struct rpcrdma_connect_private offer = {
		.cp_magic	= rpcrdma_cmp_magic,
		.cp_version	= RPCRDMA_CMP_VERSION,
		.cp_send_size	=
			rpcrdma_encode_buffer_size(rdma->sc_max_req_size),
		.cp_recv_size	=
			rpcrdma_encode_buffer_size(rdma->sc_max_req_size),
	};
	struct rdma_conn_param param = {
		.initiator_depth	= rdma->sc_ord,
		.private_data		= &offer,
		.private_data_len	= sizeof(offer),
	};
	int ret;

	rdma_lock_handler(rdma->sc_cm_id);
	ret = rdma_accept(rdma->sc_cm_id, &param);
	rdma_unlock_handler(rdma->sc_cm_id);
	return ret;
}

/**
 * rdma_shim_connect_accept - make a pending connection a real one
 * @rdma: the connection; on failure its last reference frees what was made
 *
 * Context: a service thread.
 * Return: 0 or what failed.
 */
int rdma_shim_connect_accept(struct svcxprt_rdma *rdma)
{
	int ret;

	ret = make_queues(rdma);
	if (ret)
		return ret;
	if (!svc_rdma_post_recvs(rdma))
		return -ENOMEM;
	return answer(rdma);
}

static void free_cq(struct ib_cq *cq)
{
	if (!IS_ERR_OR_NULL(cq))
		ib_free_cq(cq);
}

/**
 * rdma_shim_connect_free - free all that a connection has
 * @rdma: nobody refers to it any more
 *
 * Context: process; waits for what is in flight.
 */
void rdma_shim_connect_free(struct svcxprt_rdma *rdma)
{
	/* Contexts of a closing connection are not posted again. */
	set_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags);
	if (rdma->sc_qp)
		ib_drain_qp(rdma->sc_qp);
	svc_rdma_flush_recv_queues(rdma);
	svc_rdma_destroy_rw_ctxts(rdma);
	if (rdma->sc_qp)
		rdma_destroy_qp(rdma->sc_cm_id);
	free_cq(rdma->sc_sq_cq);
	free_cq(rdma->sc_rq_cq);
	/* A completion that is late looks at its context. */
	if (!IS_ERR_OR_NULL(rdma->sc_pd)) {
		svc_rdma_send_ctxts_destroy(rdma);
		svc_rdma_recv_ctxts_destroy(rdma);
		ib_dealloc_pd(rdma->sc_pd);
	}
	if (rdma->sc_cm_id)
		rdma_destroy_id(rdma->sc_cm_id);
}
