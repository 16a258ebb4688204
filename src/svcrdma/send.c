// SPDX-License-Identifier: GPL-2.0
/*
 * Send contexts: the buffer, the pages and the requests of one message that
 * goes out.
 */
#include "svcrdma/svcrdma.h"

static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_send_ctxt *ctxt =
		container_of(wc->wr_cqe, struct svc_rdma_send_ctxt, sc_cqe);
	struct svcxprt_rdma *rdma = ctxt->sc_rdma;
	int slots = ctxt->sc_sqecount;

	if (!rdma_shim_chain_land(rdma, &ctxt->sc_shim_chain))
		return;
	if (wc->status != IB_WC_SUCCESS) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			rdma_shim_count(RDMA_SHIM_COUNT_SEND_FAILED);
		svc_rdma_xprt_deferred_close(rdma);
	}
	svc_rdma_send_ctxt_put(rdma, ctxt);
	/* Last: the connection may go when all slots are back. */
	svc_rdma_wake_send_waiters(rdma, slots);
}

static void send_drop(struct svcxprt_rdma *rdma,
		      struct svc_rdma_shim_chain *chain)
{
	svc_rdma_send_ctxt_put(rdma, container_of(chain,
						  struct svc_rdma_send_ctxt,
						  sc_shim_chain));
}

static struct svc_rdma_send_ctxt *alloc_ctxt(struct svcxprt_rdma *rdma)
{
	unsigned long pages = rdma_shim_xprt_pages(rdma);
	struct ib_device *device = rdma->sc_pd->device;
	struct svc_rdma_send_ctxt *ctxt;
	u64 addr;

	ctxt = kzalloc(struct_size(ctxt, sc_sges, 1), GFP_KERNEL);
	if (!ctxt)
		return NULL;
	ctxt->sc_pages = kvcalloc(pages, sizeof(*ctxt->sc_pages), GFP_KERNEL);
	ctxt->sc_xprt_buf = kmalloc(rdma->sc_max_req_size, GFP_KERNEL);
	if (!ctxt->sc_pages || !ctxt->sc_xprt_buf)
		goto free;
	addr = ib_dma_map_single(device, ctxt->sc_xprt_buf,
				 rdma->sc_max_req_size, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, addr))
		goto free;

	svc_rdma_send_cid_init(rdma, &ctxt->sc_cid);
	INIT_LIST_HEAD(&ctxt->sc_write_info_list);
	INIT_LIST_HEAD(&ctxt->sc_reply_info.wi_cc.cc_rwctxts);
	ctxt->sc_rdma = rdma;
	ctxt->sc_maxpages = pages;
	ctxt->sc_shim_chain.ch_shim_drop = send_drop;
	ctxt->sc_cqe.done = send_done;
	ctxt->sc_sges[0].addr = addr;
	ctxt->sc_sges[0].lkey = rdma->sc_pd->local_dma_lkey;
	return ctxt;

free:
	kfree(ctxt->sc_xprt_buf);
	kvfree(ctxt->sc_pages);
	kfree(ctxt);
	return NULL;
}

static void free_ctxt(struct svcxprt_rdma *rdma,
		      struct svc_rdma_send_ctxt *ctxt)
{
	ib_dma_unmap_single(rdma->sc_pd->device, ctxt->sc_sges[0].addr,
			    rdma->sc_max_req_size, DMA_TO_DEVICE);
	kfree(ctxt->sc_xprt_buf);
	kvfree(ctxt->sc_pages);
	kfree(ctxt);
}

static void reset(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *ctxt)
{
	struct xdr_buf *buf = &ctxt->sc_hdrbuf;

	*buf = (struct xdr_buf){ };
	buf->head[0].iov_base = ctxt->sc_xprt_buf;
	buf->buflen = rdma->sc_max_req_size;
	xdr_init_encode(&ctxt->sc_stream, buf, ctxt->sc_xprt_buf, NULL);

	ctxt->sc_send_wr = (struct ib_send_wr){
		.wr_cqe		= &ctxt->sc_cqe,
		.sg_list	= ctxt->sc_sges,
		.num_sge	= 1,
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
	};
	ctxt->sc_wr_chain = &ctxt->sc_send_wr;
	ctxt->sc_sqecount = 1;
	ctxt->sc_cur_sge_no = 0;
	ctxt->sc_sges[0].length = 0;
}

/**
 * rdma_shim_svc_rdma_send_ctxt_get - get a context to send from
 * @rdma: the connection
 *
 * Context: process.
 * Return: a context whose sc_stream is empty, or NULL.
 */
struct svc_rdma_send_ctxt *
rdma_shim_svc_rdma_send_ctxt_get(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_send_ctxt *ctxt;
	struct llist_node *node;

	spin_lock_bh(&rdma->sc_send_lock);
	node = llist_del_first(&rdma->sc_send_ctxts);
	spin_unlock_bh(&rdma->sc_send_lock);

	ctxt = node ? llist_entry(node, struct svc_rdma_send_ctxt, sc_node) :
		      alloc_ctxt(rdma);
	if (ctxt)
		reset(rdma, ctxt);
	return ctxt;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_send_ctxt_get);

/**
 * rdma_shim_svc_rdma_send_ctxt_put - give a context and all it holds back
 * @rdma: the connection
 * @ctxt: nothing of it is in flight
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_send_ctxt_put(struct svcxprt_rdma *rdma,
				      struct svc_rdma_send_ctxt *ctxt)
{
	int i;

	svc_rdma_write_chunk_release(rdma, ctxt);
	svc_rdma_reply_chunk_release(rdma, ctxt);
	for (i = 0; i < ctxt->sc_page_count; i++)
		if (ctxt->sc_pages[i])
			put_page(ctxt->sc_pages[i]);
	ctxt->sc_page_count = 0;
	llist_add(&ctxt->sc_node, &rdma->sc_send_ctxts);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_send_ctxt_put);

/**
 * rdma_shim_svc_rdma_send_ctxts_drain - finish contexts that were only queued
 * @rdma: the connection
 *
 * Ours are given back by the completion itself.
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_send_ctxts_drain(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_send_ctxt *ctxt, *next;
	struct llist_node *node = llist_del_all(&rdma->sc_send_release_list);

	llist_for_each_entry_safe(ctxt, next, node, sc_node)
		svc_rdma_send_ctxt_put(rdma, ctxt);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_send_ctxts_drain);

/**
 * rdma_shim_svc_rdma_send_ctxts_destroy - free the unused contexts
 * @rdma: a connection whose QP is drained
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_send_ctxts_destroy(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_send_ctxt *ctxt, *next;
	struct llist_node *node;

	svc_rdma_send_ctxts_drain(rdma);
	node = llist_del_all(&rdma->sc_send_ctxts);
	llist_for_each_entry_safe(ctxt, next, node, sc_node)
		free_ctxt(rdma, ctxt);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_send_ctxts_destroy);

/**
 * rdma_shim_send_room - the longest message the peer can receive
 * @rdma: the connection
 *
 * Context: any.
 * Return: bytes, transport header included.
 */
int rdma_shim_send_room(const struct svcxprt_rdma *rdma)
{
	unsigned int ours = rdma->sc_max_req_size;

	if (!rdma->sc_shim_peer_inline)
		return ours;
	return min(ours, rdma->sc_shim_peer_inline);
}

/**
 * rdma_shim_svc_rdma_post_send - send a message, with its Writes before it
 * @rdma: the connection
 * @ctxt: the message; the completion owns it if this succeeds
 *
 * Context: process; does not wait for slots (R8).
 * Return: 0, or -ENOTCONN, and the caller owns @ctxt; -EINVAL, its Writes need
 * more slots than there are.
 */
int rdma_shim_svc_rdma_post_send(struct svcxprt_rdma *rdma,
				 struct svc_rdma_send_ctxt *ctxt)
{
	struct svc_rdma_shim_chain *chain = &ctxt->sc_shim_chain;

	ib_dma_sync_single_for_device(rdma->sc_pd->device,
				      ctxt->sc_sges[0].addr,
				      ctxt->sc_sges[0].length, DMA_TO_DEVICE);
	chain->ch_shim_first = ctxt->sc_wr_chain;
	chain->ch_shim_slots = ctxt->sc_sqecount;
	return rdma_shim_chain_submit(rdma, chain);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_post_send);
