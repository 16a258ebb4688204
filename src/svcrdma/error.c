// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA_ERROR messages (RFC 8166 section 4.5): the client learns at once that
 * its call was refused, and the connection stays (R2).
 */
#include "svcrdma/svcrdma.h"

/* Words of both forms, the longer one first. */
enum { ERR_VERS_WORDS = 7, ERR_CHUNK_WORDS = 5 };

static bool encode(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt,
		   const struct svc_rdma_recv_ctxt *rctxt, bool version)
{
	const __be32 *call = rctxt->rc_recv_buf;
	unsigned int words = version ? ERR_VERS_WORDS : ERR_CHUNK_WORDS;
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream, words * sizeof(*p));
	if (!p)
		return false;
	*p++ = call[0];
	*p++ = rpcrdma_version;
	*p++ = rdma->sc_fc_credits;
	*p++ = rdma_error;
	if (!version) {
		*p = err_chunk;
		return true;
	}
	*p++ = err_vers;
	*p++ = rpcrdma_version;
	*p = rpcrdma_version;
	return true;
}

/**
 * rdma_shim_svc_rdma_send_error_msg - refuse a call
 * @rdma: the connection
 * @sctxt: an unused send context; not the caller's any more
 * @rctxt: the call
 * @status: -EPROTONOSUPPORT for ERR_VERS, anything else for ERR_CHUNK
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_send_error_msg(struct svcxprt_rdma *rdma,
				       struct svc_rdma_send_ctxt *sctxt,
				       struct svc_rdma_recv_ctxt *rctxt,
				       int status)
{
	bool version = status == -EPROTONOSUPPORT;

	rdma_shim_count(version ? RDMA_SHIM_COUNT_ERR_VERS :
				  RDMA_SHIM_COUNT_ERR_CHUNK);
	if (!encode(rdma, sctxt, rctxt, version))
		goto put;
	sctxt->sc_sges[0].length = sctxt->sc_hdrbuf.len;
	if (!svc_rdma_post_send(rdma, sctxt))
		return;
put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_send_error_msg);

/**
 * rdma_shim_refuse - answer a call with RDMA_ERROR and forget it
 * @rdma: the connection; it closes if there is no memory to answer
 * @rctxt: the call, given back
 * @status: as for rdma_shim_svc_rdma_send_error_msg()
 *
 * Context: process.
 */
void rdma_shim_refuse(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *rctxt, int status)
{
	struct svc_rdma_send_ctxt *sctxt;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (sctxt)
		svc_rdma_send_error_msg(rdma, sctxt, rctxt, status);
	else
		svc_rdma_xprt_deferred_close(rdma);
	svc_rdma_recv_ctxt_put(rdma, rctxt);
}
