// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 7, reply: payloads to the Write list, the rest inline or to the Reply
 * chunk, and a Send that says where everything is.
 */
#include "svcrdma/svcrdma.h"

static bool put_word(struct svc_rdma_send_ctxt *sctxt, __be32 word)
{
	__be32 *p = xdr_reserve_space(&sctxt->sc_stream, sizeof(*p));

	if (p)
		*p = word;
	return p;
}

/* A chunk as the client sent it, but with the lengths that were used. */
static bool put_chunk(struct svc_rdma_send_ctxt *sctxt,
		      const struct svc_rdma_chunk *chunk, unsigned int used)
{
	const struct svc_rdma_segment *segment;
	unsigned int part;
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream,
			      (2 + rpcrdma_segment_maxsz * chunk->ch_segcount) *
			      sizeof(*p));
	if (!p)
		return false;
	*p++ = xdr_one;
	*p++ = cpu_to_be32(chunk->ch_segcount);
	pcl_for_each_segment(segment, chunk) {
		part = min(used, segment->rs_length);
		p = xdr_encode_rdma_segment(p, segment->rs_handle, part,
					    segment->rs_offset);
		used -= part;
	}
	return true;
}

static bool put_header(struct svcxprt_rdma *rdma,
		       struct svc_rdma_send_ctxt *sctxt,
		       const struct svc_rdma_recv_ctxt *rctxt,
		       unsigned int reply_bytes)
{
	bool nomsg = !pcl_is_empty(&rctxt->rc_reply_pcl);
	const struct svc_rdma_chunk *chunk;
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream,
			      (rpcrdma_fixed_maxsz + 1) * sizeof(*p));
	if (!p)
		return false;
	*p++ = *(__be32 *)rctxt->rc_recv_buf;
	*p++ = rpcrdma_version;
	*p++ = rdma->sc_fc_credits;
	*p++ = nomsg ? rdma_nomsg : rdma_msg;
	*p = xdr_zero;

	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl)
		if (!put_chunk(sctxt, chunk, chunk->ch_payload_length))
			return false;
	if (!put_word(sctxt, xdr_zero))
		return false;
	if (!nomsg)
		return put_word(sctxt, xdr_zero);
	return put_chunk(sctxt, pcl_first_chunk(&rctxt->rc_reply_pcl),
			 reply_bytes);
}

struct pull_up {
	u8 *to;
	unsigned int room;
};

static int pull_up_part(const struct xdr_buf *xdr, void *data)
{
	struct pull_up *up = data;

	if (xdr->len > up->room)
		return -E2BIG;
	if (read_bytes_from_xdr_buf((struct xdr_buf *)xdr, 0, up->to, xdr->len))
		return -EMSGSIZE;
	up->to += xdr->len;
	up->room -= xdr->len;
	return 0;
}

/**
 * rdma_shim_svc_rdma_map_reply_msg - put the body of a reply behind its header
 * @rdma: the connection
 * @sctxt: the reply, whose header is in sc_stream
 * @write_pcl: Write list, whose payloads are left out
 * @reply_pcl: if there is a Reply chunk, the body is there and not inline
 * @xdr: the reply's bytes
 *
 * Inline bodies are short, so they are copied: one SGE, and the pages of the
 * reply are free at once.
 *
 * Context: process.
 * Return: 0, or -E2BIG if that is more than the peer can receive.
 */
int rdma_shim_svc_rdma_map_reply_msg(struct svcxprt_rdma *rdma,
				     struct svc_rdma_send_ctxt *sctxt,
				     const struct svc_rdma_pcl *write_pcl,
				     const struct svc_rdma_pcl *reply_pcl,
				     const struct xdr_buf *xdr)
{
	unsigned int header = sctxt->sc_hdrbuf.len;
	struct pull_up up = { .to = sctxt->sc_xprt_buf + header };
	int room = rdma_shim_send_room(rdma), ret = 0;

	if (header > room)
		return -E2BIG;
	up.room = room - header;
	if (pcl_is_empty(reply_pcl))
		ret = pcl_process_nonpayloads(write_pcl, xdr, pull_up_part,
					      &up);
	if (ret < 0)
		return ret;
	sctxt->sc_sges[0].length = room - up.room;
	if (!pcl_is_empty(reply_pcl))
		sctxt->sc_sges[0].length = header;
	sctxt->sc_send_wr.num_sge = 1;
	return 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_map_reply_msg);

static int prepare(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt,
		   const struct svc_rdma_recv_ctxt *rctxt,
		   const struct xdr_buf *xdr)
{
	unsigned int reply_bytes = 0;
	int ret;

	ret = svc_rdma_prepare_write_list(rdma, rctxt, sctxt, xdr);
	if (ret)
		return ret;
	if (!pcl_is_empty(&rctxt->rc_reply_pcl)) {
		ret = svc_rdma_prepare_reply_chunk(rdma, &rctxt->rc_write_pcl,
						   &rctxt->rc_reply_pcl, sctxt,
						   xdr);
		if (ret < 0)
			return ret;
		reply_bytes = ret;
	}
	if (!put_header(rdma, sctxt, rctxt, reply_bytes))
		return -E2BIG;
	return svc_rdma_map_reply_msg(rdma, sctxt, &rctxt->rc_write_pcl,
				      &rctxt->rc_reply_pcl, xdr);
}

/* Writes read from the reply's pages after the thread has gone on. */
static void take_reply_pages(struct svc_rqst *rqstp,
			     struct svc_rdma_send_ctxt *sctxt)
{
	unsigned int pages = rqstp->rq_next_page - rqstp->rq_respages;
	unsigned int i;

	pages = min_t(unsigned long, pages, sctxt->sc_maxpages);
	for (i = 0; i < pages; i++) {
		sctxt->sc_pages[i] = rqstp->rq_respages[i];
		rqstp->rq_respages[i] = NULL;
	}
	sctxt->sc_page_count = pages;
	rdma_shim_rqst_reply_taken(rqstp);
}

static void refuse_reply(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *rctxt, int status)
{
	struct svc_rdma_send_ctxt *sctxt = svc_rdma_send_ctxt_get(rdma);

	if (sctxt)
		svc_rdma_send_error_msg(rdma, sctxt, rctxt, status);
	else
		svc_rdma_xprt_deferred_close(rdma);
}

static bool is_clients_fault(int status)
{
	return status == -E2BIG || status == -EMSGSIZE || status == -EINVAL;
}

/**
 * rdma_shim_svc_rdma_sendto - send the reply of a request
 * @rqstp: the request; rq_res is the reply
 *
 * A reply that fits nowhere is answered with ERR_CHUNK (RFC 8166 4.5.3).
 *
 * Context: a service thread; waits for nothing (R8).
 * Return: 0, or -ENOTCONN if the connection is lost.
 */
int rdma_shim_svc_rdma_sendto(struct svc_rqst *rqstp)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma_recv_ctxt *rctxt = rdma_shim_rqst_ctxt(rqstp);
	struct svc_rdma_send_ctxt *sctxt;
	int ret = -ENOTCONN;

	if (svc_xprt_is_dead(&rdma->sc_xprt))
		return -ENOTCONN;
	/* Too many calls were deferred, and this is one of them. */
	if (!rctxt)
		goto close;
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		goto close;

	ret = prepare(rdma, sctxt, rctxt, &rqstp->rq_res);
	if (ret)
		goto put;
	if (sctxt->sc_sqecount > 1)
		take_reply_pages(rqstp, sctxt);
	else
		rdma_shim_rqst_reply_copied(rqstp);
	if (rctxt->rc_inv_rkey) {
		sctxt->sc_send_wr.opcode = IB_WR_SEND_WITH_INV;
		sctxt->sc_send_wr.ex.invalidate_rkey = rctxt->rc_inv_rkey;
	}
	ret = svc_rdma_post_send(rdma, sctxt);
	if (!ret)
		return 0;
put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
	if (is_clients_fault(ret)) {
		refuse_reply(rdma, rctxt, ret);
		return 0;
	}
close:
	svc_rdma_xprt_deferred_close(rdma);
	return -ENOTCONN;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_sendto);

/**
 * rdma_shim_svc_rdma_result_payload - note where a payload is in the reply
 * @rqstp: the request
 * @offset: in rq_res, bytes
 * @length: bytes; 0 leaves its Write chunk unused
 *
 * Payloads and Write chunks belong together in the order they come.
 *
 * Context: a service thread.
 * Return: 0, or -E2BIG if the chunk is too short for it.
 */
int rdma_shim_svc_rdma_result_payload(struct svc_rqst *rqstp,
				      unsigned int offset, unsigned int length)
{
	struct svc_rdma_recv_ctxt *ctxt = rdma_shim_rqst_ctxt(rqstp);
	struct svc_rdma_chunk *chunk;

	if (!ctxt || !ctxt->rc_cur_result_payload)
		return 0;
	chunk = ctxt->rc_cur_result_payload;
	if (length > chunk->ch_length)
		return -E2BIG;
	chunk->ch_position = offset;
	chunk->ch_payload_length = length;
	ctxt->rc_cur_result_payload = pcl_next_chunk(&ctxt->rc_write_pcl,
						     chunk);
	return 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_result_payload);
