// SPDX-License-Identifier: GPL-2.0
/*
 * A transport class as somebody outside of the kernel would write it for 7.3,
 * with linux/sunrpc/svc_rdma.h and svc_rdma_pcl.h and nothing else of the
 * package. It takes its messages itself, gives calls that have Read chunks to
 * svc_rdma_process_read_list(), and leaves the others to svc_rdma_recvfrom().
 */
#include <linux/module.h>
#include <linux/sunrpc/addr.h>
#include <linux/workqueue.h>

#include "svc_kernel.h"
#include "svc_test.h"

enum {
	CALLS		= 32,
	READS		= 192,
	SLOTS		= 1000,
	BUFFER		= 4096,
	CONSUMER_IDENT	= 0x7a02,
};

static struct workqueue_struct *free_wq;
static struct svc_xprt_class consumer_class;

static struct svcxprt_rdma *rdma_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svcxprt_rdma, sc_xprt);
}

static struct svcxprt_rdma *new_rdma(struct svc_serv *serv, struct net *net)
{
	struct svcxprt_rdma *rdma = kzalloc(sizeof(*rdma), GFP_KERNEL);

	if (!rdma)
		return NULL;
	svc_xprt_init(net, &consumer_class, &rdma->sc_xprt, serv);
	INIT_LIST_HEAD(&rdma->sc_accept_q);
	INIT_LIST_HEAD(&rdma->sc_rq_dto_q);
	INIT_LIST_HEAD(&rdma->sc_read_complete_q);
	init_llist_head(&rdma->sc_send_ctxts);
	init_llist_head(&rdma->sc_recv_ctxts);
	init_llist_head(&rdma->sc_rw_ctxts);
	init_llist_head(&rdma->sc_send_release_list);
	init_waitqueue_head(&rdma->sc_send_wait);
	init_waitqueue_head(&rdma->sc_sq_ticket_wait);
	spin_lock_init(&rdma->sc_lock);
	spin_lock_init(&rdma->sc_rq_dto_lock);
	spin_lock_init(&rdma->sc_send_lock);
	spin_lock_init(&rdma->sc_rw_ctxt_lock);
	rdma->sc_max_requests = CALLS;
	rdma->sc_fc_credits = cpu_to_be32(CALLS);
	rdma->sc_max_req_size = BUFFER;
	return rdma;
}

static int connection_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct svcxprt_rdma *rdma = id->context;

	if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		svc_xprt_enqueue(&rdma->sc_xprt);
	else
		svc_rdma_xprt_deferred_close(rdma);
	return 0;
}

static int listener_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct svcxprt_rdma *rdma, *listener = id->context;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	rdma = new_rdma(listener->sc_xprt.xpt_server,
			listener->sc_xprt.xpt_net);
	if (!rdma)
		return -ENOMEM;
	rdma->sc_cm_id = id;
	rdma->sc_ord = min_t(u32, event->param.conn.initiator_depth, 16);
	svc_xprt_set_remote(&rdma->sc_xprt,
			    (struct sockaddr *)&id->route.addr.dst_addr,
			    svc_addr_len((struct sockaddr *)
					 &id->route.addr.dst_addr));
	svc_xprt_set_local(&rdma->sc_xprt,
			   (struct sockaddr *)&id->route.addr.src_addr,
			   svc_addr_len((struct sockaddr *)
					&id->route.addr.src_addr));
	id->context = rdma;
	id->event_handler = connection_event;
	spin_lock_bh(&listener->sc_lock);
	list_add_tail(&rdma->sc_accept_q, &listener->sc_accept_q);
	spin_unlock_bh(&listener->sc_lock);
	set_bit(XPT_CONN, &listener->sc_xprt.xpt_flags);
	svc_xprt_enqueue(&listener->sc_xprt);
	return 0;
}

/* The core gives back the module reference of what could not be made. */
static void put_failed(struct svcxprt_rdma *rdma)
{
	__module_get(THIS_MODULE);
	svc_xprt_put(&rdma->sc_xprt);
}

static struct svc_xprt *create(struct svc_serv *serv, struct net *net,
			       struct sockaddr *sa, int salen, int flags)
{
	struct svcxprt_rdma *rdma = new_rdma(serv, net);
	struct rdma_cm_id *id;
	int ret;

	if (!rdma)
		return ERR_PTR(-ENOMEM);
	set_bit(XPT_LISTENER, &rdma->sc_xprt.xpt_flags);
	id = rdma_create_id(net, listener_event, rdma, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		put_failed(rdma);
		return ERR_CAST(id);
	}
	rdma->sc_cm_id = id;
	ret = rdma_bind_addr(id, sa);
	if (!ret)
		ret = rdma_listen(id, 16);
	if (ret) {
		put_failed(rdma);
		return ERR_PTR(ret);
	}
	svc_xprt_set_local(&rdma->sc_xprt, sa, salen);
	return &rdma->sc_xprt;
}

static struct svcxprt_rdma *next_pending(struct svcxprt_rdma *listener)
{
	struct svcxprt_rdma *rdma;

	spin_lock_bh(&listener->sc_lock);
	rdma = list_first_entry_or_null(&listener->sc_accept_q,
					struct svcxprt_rdma, sc_accept_q);
	if (rdma)
		list_del_init(&rdma->sc_accept_q);
	if (!list_empty(&listener->sc_accept_q))
		set_bit(XPT_CONN, &listener->sc_xprt.xpt_flags);
	spin_unlock_bh(&listener->sc_lock);
	return rdma;
}

static int make_queues(struct svcxprt_rdma *rdma)
{
	struct ib_device *device = rdma->sc_cm_id->device;
	struct ib_qp_init_attr attr = {
		.port_num	= rdma->sc_cm_id->port_num,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
		.cap = {
			.max_rdma_ctxs	= READS,
			.max_send_wr	= CALLS + 1,
			.max_recv_wr	= CALLS + 1,
			.max_send_sge	= min(device->attrs.max_send_sge, 16),
			.max_recv_sge	= 1,
		},
	};
	int ret;

	rdma->sc_port_num = rdma->sc_cm_id->port_num;
	rdma->sc_pd = ib_alloc_pd(device, 0);
	if (IS_ERR(rdma->sc_pd))
		return PTR_ERR(rdma->sc_pd);
	rdma->sc_sq_cq = ib_alloc_cq_any(device, rdma, SLOTS + 1,
					 IB_POLL_WORKQUEUE);
	if (IS_ERR(rdma->sc_sq_cq))
		return PTR_ERR(rdma->sc_sq_cq);
	rdma->sc_rq_cq = ib_alloc_cq_any(device, rdma, CALLS + 2,
					 IB_POLL_WORKQUEUE);
	if (IS_ERR(rdma->sc_rq_cq))
		return PTR_ERR(rdma->sc_rq_cq);
	attr.send_cq = rdma->sc_sq_cq;
	attr.recv_cq = rdma->sc_rq_cq;
	ret = rdma_create_qp(rdma->sc_cm_id, rdma->sc_pd, &attr);
	if (ret)
		return ret;
	rdma->sc_qp = rdma->sc_cm_id->qp;
	rdma->sc_max_send_sges = attr.cap.max_send_sge;
	rdma->sc_sq_depth = min_t(u32, attr.cap.max_send_wr, SLOTS) - 1;
	atomic_set(&rdma->sc_sq_avail, rdma->sc_sq_depth);
	return 0;
}

static int answer_connect(struct svcxprt_rdma *rdma)
{
	struct rdma_conn_param param = { .initiator_depth = rdma->sc_ord };
	int ret;

	rdma_lock_handler(rdma->sc_cm_id);
	ret = rdma_accept(rdma->sc_cm_id, &param);
	rdma_unlock_handler(rdma->sc_cm_id);
	return ret;
}

static struct svc_xprt *accept(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma;

	clear_bit(XPT_CONN, &xprt->xpt_flags);
	rdma = next_pending(rdma_of(xprt));
	if (!rdma)
		return NULL;
	if (!make_queues(rdma) && svc_rdma_post_recvs(rdma) &&
	    !answer_connect(rdma))
		return &rdma->sc_xprt;
	put_failed(rdma);
	return NULL;
}

static int has_wspace(struct svc_xprt *xprt)
{
	return 1;
}

/* The pcl functions want lists that are well formed; each walk ends behind. */
static __be32 *after_reads(__be32 *p, const __be32 *end)
{
	u32 position, last = 0;
	u64 offset;

	for (; end - p > 6 && *p == xdr_one; p += 6) {
		position = be32_to_cpup(p + 1);
		offset = (u64)be32_to_cpup(p + 4) << 32 | be32_to_cpup(p + 5);
		if (offset + be32_to_cpup(p + 3) < offset ||
		    (position && position < last))
			return NULL;
		last = position ?: last;
	}
	return p < end && !*p ? p + 1 : NULL;
}

static __be32 *after_chunk(__be32 *p, const __be32 *end)
{
	u32 count;

	if (end - p < 2 || *p != xdr_one)
		return NULL;
	count = be32_to_cpup(p + 1);
	if (!count || count > 1024 || end - p < 2 + 4 * count)
		return NULL;
	return p + 2 + 4 * count;
}

static __be32 *after_writes(__be32 *p, const __be32 *end, unsigned int *count)
{
	while (p && p < end && *p) {
		p = after_chunk(p, end);
		(*count)++;
	}
	return p && p < end ? p + 1 : NULL;
}

/* The lists, and the body behind them; false if that is not a message. */
static bool take_lists(struct svc_rdma_recv_ctxt *ctxt)
{
	__be32 *p = ctxt->rc_recv_buf, *end = p + ctxt->rc_byte_len / 4;
	struct xdr_buf *arg = &ctxt->rc_saved_arg;
	__be32 *reads = p + 4, *writes, *reply;

	ctxt->rc_msgtype = p[3];
	writes = after_reads(reads, end);
	if (!writes)
		return false;
	reply = after_writes(writes, end, &ctxt->rc_write_pcl.cl_count);
	if (!reply || reply == end)
		return false;
	ctxt->rc_reply_pcl.cl_count = !!*reply;
	p = *reply ? after_chunk(reply, end) : reply + 1;
	if (!p)
		return false;
	if (!pcl_alloc_call(ctxt, reads) || !pcl_alloc_read(ctxt, reads) ||
	    !pcl_alloc_write(ctxt, &ctxt->rc_write_pcl, writes) ||
	    !pcl_alloc_write(ctxt, &ctxt->rc_reply_pcl, reply))
		return false;

	memset(arg, 0, sizeof(*arg));
	arg->head[0].iov_base = p;
	arg->head[0].iov_len = ctxt->rc_byte_len -
			       ((void *)p - ctxt->rc_recv_buf);
	arg->len = arg->head[0].iov_len;
	arg->buflen = arg->len;
	if (pcl_is_empty(&ctxt->rc_call_pcl)) {
		if (ctxt->rc_msgtype != rdma_msg)
			return false;
	} else if (ctxt->rc_msgtype != rdma_nomsg) {
		return false;
	}
	return pcl_check_read_chunk_positions(ctxt, arg->len);
}

static void refuse(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt,
		   int status)
{
	struct svc_rdma_send_ctxt *sctxt = NULL;

	if (status == -EINVAL)
		sctxt = svc_rdma_send_ctxt_get(rdma);
	if (sctxt)
		svc_rdma_send_error_msg(rdma, sctxt, ctxt, status);
	else
		svc_rdma_xprt_deferred_close(rdma);
	svc_rdma_recv_ctxt_put(rdma, ctxt);
}

/* A new message that begins with a Read list that is not empty. */
static struct svc_rdma_recv_ctxt *next_with_reads(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt;
	const __be32 *p;

	spin_lock_bh(&rdma->sc_rq_dto_lock);
	ctxt = list_first_entry_or_null(&rdma->sc_rq_dto_q,
					struct svc_rdma_recv_ctxt, rc_list);
	p = ctxt ? ctxt->rc_recv_buf : NULL;
	if (ctxt && (!list_empty(&rdma->sc_read_complete_q) ||
		     ctxt->rc_byte_len < 48 || p[1] != rpcrdma_version ||
		     (p[3] != rdma_msg && p[3] != rdma_nomsg) || !p[4]))
		ctxt = NULL;
	if (ctxt)
		list_del(&ctxt->rc_list);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	return ctxt;
}

static int recvfrom(struct svc_rqst *rqstp)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma_recv_ctxt *ctxt = next_with_reads(rdma);
	int ret = -EINVAL;

	if (!ctxt)
		return svc_rdma_recvfrom(rqstp);
	rqstp->rq_xprt_ctxt = NULL;
	ib_dma_sync_single_for_cpu(rdma->sc_pd->device, ctxt->rc_recv_sge.addr,
				   ctxt->rc_byte_len, DMA_FROM_DEVICE);
	if (take_lists(ctxt))
		ret = svc_rdma_process_read_list(rdma, rqstp, ctxt);
	if (ret < 0)
		refuse(rdma, ctxt, ret);
	svc_k_received(&rdma->sc_xprt);
	return 0;
}

static void detach(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma = rdma_of(xprt);

	if (rdma->sc_qp)
		rdma_disconnect(rdma->sc_cm_id);
}

static void free_connection(struct svcxprt_rdma *rdma)
{
	if (rdma->sc_qp) {
		ib_drain_qp(rdma->sc_qp);
		svc_rdma_flush_recv_queues(rdma);
		svc_rdma_destroy_rw_ctxts(rdma);
		svc_rdma_send_ctxts_destroy(rdma);
		svc_rdma_recv_ctxts_destroy(rdma);
		rdma_destroy_qp(rdma->sc_cm_id);
	}
	if (!IS_ERR_OR_NULL(rdma->sc_sq_cq))
		ib_free_cq(rdma->sc_sq_cq);
	if (!IS_ERR_OR_NULL(rdma->sc_rq_cq))
		ib_free_cq(rdma->sc_rq_cq);
	if (!IS_ERR_OR_NULL(rdma->sc_pd))
		ib_dealloc_pd(rdma->sc_pd);
}

static void free_rdma(struct work_struct *work)
{
	struct svcxprt_rdma *pending, *rdma =
		container_of(work, struct svcxprt_rdma, sc_work);

	free_connection(rdma);
	if (rdma->sc_cm_id)
		rdma_destroy_id(rdma->sc_cm_id);
	while ((pending = next_pending(rdma)))
		put_failed(pending);
	kfree(rdma);
}

static void free_xprt(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma = rdma_of(xprt);

	INIT_WORK(&rdma->sc_work, free_rdma);
	queue_work(free_wq, &rdma->sc_work);
}

static void kill_temp(struct svc_xprt *xprt)
{
}

static const struct svc_xprt_ops consumer_ops = {
	.xpo_create		= create,
	.xpo_accept		= accept,
	.xpo_has_wspace		= has_wspace,
	.xpo_recvfrom		= recvfrom,
	.xpo_sendto		= svc_rdma_sendto,
	.xpo_detach		= detach,
	.xpo_free		= free_xprt,
	.xpo_kill_temp_xprt	= kill_temp,
	SVC_K_SECURE
	SVC_K_RELEASE,
	SVC_K_PAYLOAD,
};

static struct svc_xprt_class consumer_class = {
	.xcl_name		= "rs-consumer",
	.xcl_owner		= THIS_MODULE,
	.xcl_ops		= &consumer_ops,
	.xcl_max_payload	= 1 << 20,
	.xcl_ident		= CONSUMER_IDENT,
};

int svc_consumer_init(void)
{
	int ret;

	free_wq = alloc_workqueue("rs-consumer", WQ_UNBOUND, 0);
	if (!free_wq)
		return -ENOMEM;
	ret = svc_reg_xprt_class(&consumer_class);
	if (ret)
		destroy_workqueue(free_wq);
	return ret;
}

void svc_consumer_exit(void)
{
	svc_unreg_xprt_class(&consumer_class);
	flush_workqueue(free_wq);
	destroy_workqueue(free_wq);
}
