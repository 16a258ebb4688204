// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 6, deliver: a complete call becomes rq_arg, byte for byte what TCP
 * would have delivered (R4).
 */
#include "svcrdma/svcrdma.h"

#include <linux/mm.h>

/* The core reads xid, direction, version, program and procedure unasked. */
enum { RPC_CALL_MIN = 24 };

static int hand_over(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	rqstp->rq_xprt_ctxt = ctxt;
	rdma_shim_rqst_no_header(rqstp);
	rqstp->rq_prot = IPPROTO_MAX;
	set_bit(RQ_SECURE, &rqstp->rq_flags);
	svc_xprt_copy_addrs(rqstp, rqstp->rq_xprt);
	return rqstp->rq_arg.len;
}

/**
 * rdma_shim_deliver_inline - a call without Read chunks
 * @rqstp: the thread's request
 * @ctxt: the call; on success @rqstp owns it
 *
 * Context: a service thread.
 * Return: its length, or -EINVAL if it is too short to be one.
 */
int rdma_shim_deliver_inline(struct svc_rqst *rqstp,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	if (ctxt->rc_saved_arg.len < RPC_CALL_MIN)
		return -EINVAL;
	rqstp->rq_arg = ctxt->rc_saved_arg;
	rqstp->rq_arg.pages = rqstp->rq_pages;
	rdma_shim_rqst_pages_given(rqstp, 0);
	return hand_over(rqstp, ctxt);
}

static void give_pages(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	rdma_shim_spare_give(rqstp->rq_pages, ctxt->rc_page_count);
	memcpy(rqstp->rq_pages, ctxt->rc_pages,
	       ctxt->rc_page_count * sizeof(*ctxt->rc_pages));
	rdma_shim_rqst_pages_given(rqstp, ctxt->rc_page_count);
	ctxt->rc_page_count = 0;
}

static void build_whole(struct svc_rqst *rqstp,
			const struct svc_rdma_recv_ctxt *ctxt)
{
	struct xdr_buf *arg = &rqstp->rq_arg;

	arg->head[0].iov_base = page_address(rqstp->rq_pages[0]);
	arg->head[0].iov_len = ctxt->rc_shim_head;
	arg->pages = &rqstp->rq_pages[1];
	arg->page_len = ctxt->rc_shim_len - ctxt->rc_shim_head;
	arg->tail[0].iov_base = arg->head[0].iov_base + arg->head[0].iov_len;
	arg->tail[0].iov_len = 0;
}

static void build_split(struct svc_rqst *rqstp,
			const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct xdr_buf *body = &ctxt->rc_saved_arg;
	struct xdr_buf *arg = &rqstp->rq_arg;

	arg->head[0].iov_base = body->head[0].iov_base;
	arg->head[0].iov_len = ctxt->rc_shim_head;
	arg->pages = &rqstp->rq_pages[0];
	arg->page_len = ctxt->rc_shim_len - body->len;
	arg->tail[0].iov_base = body->head[0].iov_base + ctxt->rc_shim_head;
	arg->tail[0].iov_len = body->len - ctxt->rc_shim_head;
}

/**
 * rdma_shim_deliver_read - a call whose Reads are done
 * @rqstp: the thread's request, which owns the call from here on
 * @ctxt: the call
 *
 * Context: a service thread.
 * Return: its length.
 */
int rdma_shim_deliver_read(struct svc_rqst *rqstp,
			   struct svc_rdma_recv_ctxt *ctxt)
{
	struct xdr_buf *arg = &rqstp->rq_arg;

	give_pages(rqstp, ctxt);
	*arg = (struct xdr_buf){ };
	if (ctxt->rc_shim_whole)
		build_whole(rqstp, ctxt);
	else
		build_split(rqstp, ctxt);
	arg->len = ctxt->rc_shim_len;
	arg->buflen = ctxt->rc_shim_len;
	return hand_over(rqstp, ctxt);
}
