/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels on the server side; the bodies are in compat.c.
 */
#ifndef RDMA_SHIM_SVC_COMPAT_H
#define RDMA_SHIM_SVC_COMPAT_H

#include <linux/sunrpc/svc_rdma.h>
#include <linux/sunrpc/svc_xprt.h>

/* Pages a message of this service may have, request or reply. */
static inline unsigned long rdma_shim_serv_pages(const struct svc_serv *serv)
{
	return DIV_ROUND_UP(serv->sv_max_mesg, PAGE_SIZE) + 3;
}

/* The service may be gone before the last completion of a connection. */
static inline unsigned long rdma_shim_xprt_pages(const struct svcxprt_rdma *rdma)
{
	return rdma->sc_shim_pages ?:
	       rdma_shim_serv_pages(rdma->sc_xprt.xpt_server);
}

/* 5.10 does not say const, and keeps it all the same. */
static inline int rdma_shim_xdr_part(const struct xdr_buf *xdr,
				     struct xdr_buf *part,
				     unsigned int from, unsigned int length)
{
	return xdr_buf_subsegment((struct xdr_buf *)xdr, part, from, length);
}

unsigned int rdma_shim_rqst_budget(const struct svc_rqst *rqstp);
void rdma_shim_rqst_reset(struct svc_rqst *rqstp);
void rdma_shim_rqst_pages_taken(struct svc_rqst *rqstp, unsigned int pages);
void rdma_shim_rqst_pages_given(struct svc_rqst *rqstp, unsigned int pages);
void rdma_shim_rqst_reply_taken(struct svc_rqst *rqstp);
void rdma_shim_rqst_reply_copied(struct svc_rqst *rqstp);
void rdma_shim_rqst_no_header(struct svc_rqst *rqstp);
void rdma_shim_xprt_received(struct svc_xprt *xprt);
void rdma_shim_xprt_close_later(struct svc_xprt *xprt);
void rdma_shim_xprt_close(struct svc_xprt *xprt);
struct svc_rdma_recv_ctxt *rdma_shim_rqst_ctxt(struct svc_rqst *rqstp);
void rdma_shim_forget_deferred(struct svcxprt_rdma *rdma);
void rdma_shim_fill_ops(struct svc_xprt_ops *ops);

#endif
