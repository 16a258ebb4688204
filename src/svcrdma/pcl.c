// SPDX-License-Identifier: GPL-2.0
/*
 * The chunk list functions of linux/sunrpc/svc_rdma_pcl.h, on top of chunks.c
 * and plan.c.
 */
#include "svcrdma/svcrdma.h"

/**
 * rdma_shim_pcl_alloc_call - read the call chunk of a Read list
 * @rctxt: the call; rc_call_pcl is filled
 * @p: first word of the Read list, which is well formed
 *
 * Context: process.
 * Return: false if there is no memory.
 */
bool rdma_shim_pcl_alloc_call(struct svc_rdma_recv_ctxt *rctxt, __be32 *p)
{
	return !rdma_shim_chunks_call(&rctxt->rc_call_pcl, p);
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_alloc_call);

/**
 * rdma_shim_pcl_alloc_read - read the data chunks of a Read list
 * @rctxt: the call; rc_read_pcl is filled
 * @p: first word of the Read list, which is well formed
 *
 * Context: process.
 * Return: false if there is no memory.
 */
bool rdma_shim_pcl_alloc_read(struct svc_rdma_recv_ctxt *rctxt, __be32 *p)
{
	return !rdma_shim_chunks_read(&rctxt->rc_read_pcl, p);
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_alloc_read);

/**
 * rdma_shim_pcl_alloc_write - read a Write list, or a Reply chunk
 * @rctxt: the call
 * @pcl: filled with cl_count chunks
 * @p: first word of the list, which is well formed
 *
 * Context: process.
 * Return: false if there is no memory.
 */
bool rdma_shim_pcl_alloc_write(struct svc_rdma_recv_ctxt *rctxt,
			       struct svc_rdma_pcl *pcl, __be32 *p)
{
	if (rdma_shim_chunks_write(pcl, p))
		return false;
	if (pcl == &rctxt->rc_write_pcl)
		rctxt->rc_cur_result_payload = pcl_first_chunk(pcl);
	return true;
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_alloc_write);

/**
 * rdma_shim_pcl_check_read_chunk_positions - can the data chunks be put in?
 * @rctxt: the call
 * @inline_len: length of its inline body; a call chunk counts instead
 *
 * Context: any.
 * Return: as rdma_shim_positions_fit().
 */
bool rdma_shim_pcl_check_read_chunk_positions(struct svc_rdma_recv_ctxt *rctxt,
					      unsigned int inline_len)
{
	const struct svc_rdma_chunk *call =
		pcl_first_chunk(&rctxt->rc_call_pcl);

	return rdma_shim_positions_fit(&rctxt->rc_read_pcl,
				       call ? call->ch_length : inline_len);
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_check_read_chunk_positions);

typedef int (*visit)(const struct xdr_buf *part, void *data);

static int process_part(const struct xdr_buf *xdr, unsigned int from,
			unsigned int to, visit actor, void *data)
{
	struct xdr_buf part;

	if (from == to)
		return 0;
	if (from > to || rdma_shim_xdr_part(xdr, &part, from, to - from))
		return -EMSGSIZE;
	return actor(&part, data);
}

/**
 * rdma_shim_pcl_process_nonpayloads - visit what is not a payload
 * @pcl: Write list; chunks with a payload length say where payloads are
 * @xdr: the reply
 * @actor: called for each part, its answer below 0 ends the walk
 * @data: for @actor
 *
 * A payload's XDR pad is not visited: it travels nowhere (RFC 8166 3.4.6).
 *
 * Context: that of @actor.
 * Return: 0 or more, -EMSGSIZE if a payload is outside of @xdr, or what @actor
 * answered.
 */
int rdma_shim_pcl_process_nonpayloads(const struct svc_rdma_pcl *pcl,
				      const struct xdr_buf *xdr, visit actor,
				      void *data)
{
	const struct svc_rdma_chunk *chunk;
	unsigned int done = 0;
	int ret;

	pcl_for_each_chunk(chunk, pcl) {
		if (!chunk->ch_payload_length)
			continue;
		ret = process_part(xdr, done, chunk->ch_position, actor, data);
		if (ret < 0)
			return ret;
		done = min_t(unsigned int, pcl_chunk_end_offset(chunk),
			     xdr->len);
	}
	return process_part(xdr, done, xdr->len, actor, data);
}
EXPORT_SYMBOL_GPL(rdma_shim_pcl_process_nonpayloads);
