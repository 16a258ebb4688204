// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 1, receive: buffers are posted, filled and queued for the service, and
 * each message is sent on its way.
 */
#include "svcrdma/svcrdma.h"

#include <linux/sunrpc/svc.h>

/*
 * A client that ignores its credits could fill memory with calls that wait for
 * a thread. Twice what it may have in flight, on top of the posted buffers, is
 * more than any honest one reaches.
 */
static bool too_many(struct svcxprt_rdma *rdma)
{
	unsigned int allowed = rdma->sc_max_requests + rdma->sc_max_bc_requests;

	return atomic_read(&rdma->sc_shim_live) > 4 * allowed + 64;
}

static void receive_done(struct ib_cq *cq, struct ib_wc *wc);

static void init_ctxt(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *ctxt, u64 addr)
{
	struct svc_rdma_pcl *lists[] = {
		&ctxt->rc_call_pcl, &ctxt->rc_read_pcl,
		&ctxt->rc_write_pcl, &ctxt->rc_reply_pcl,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		pcl_init(lists[i]);
	ctxt->rc_shim_rdma = rdma;
	ctxt->rc_shim_chain.ch_shim_drop = rdma_shim_read_drop;
	ctxt->rc_cqe.done = receive_done;
	ctxt->rc_recv_sge = (struct ib_sge){
		.addr	= addr,
		.length	= rdma->sc_max_req_size,
		.lkey	= rdma->sc_pd->local_dma_lkey,
	};
	ctxt->rc_recv_wr = (struct ib_recv_wr){
		.wr_cqe		= &ctxt->rc_cqe,
		.sg_list	= &ctxt->rc_recv_sge,
		.num_sge	= 1,
	};
	INIT_LIST_HEAD(&ctxt->rc_cc.cc_rwctxts);
	svc_rdma_recv_cid_init(rdma, &ctxt->rc_cid);
}

static struct svc_rdma_recv_ctxt *alloc_ctxt(struct svcxprt_rdma *rdma)
{
	unsigned long pages = rdma_shim_xprt_pages(rdma);
	struct ib_device *device = rdma->sc_pd->device;
	struct svc_rdma_recv_ctxt *ctxt;
	u64 addr;

	ctxt = kvzalloc(struct_size(ctxt, rc_pages, pages), GFP_KERNEL);
	if (!ctxt)
		return NULL;
	ctxt->rc_recv_buf = kmalloc(rdma->sc_max_req_size, GFP_KERNEL);
	if (!ctxt->rc_recv_buf)
		goto free_ctxt;
	addr = ib_dma_map_single(device, ctxt->rc_recv_buf,
				 rdma->sc_max_req_size, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, addr))
		goto free_buf;

	ctxt->rc_maxpages = pages;
	init_ctxt(rdma, ctxt, addr);
	return ctxt;

free_buf:
	kfree(ctxt->rc_recv_buf);
free_ctxt:
	kvfree(ctxt);
	return NULL;
}

static void free_ctxt(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *ctxt)
{
	ib_dma_unmap_single(rdma->sc_pd->device, ctxt->rc_recv_sge.addr,
			    ctxt->rc_recv_sge.length, DMA_FROM_DEVICE);
	kfree(ctxt->rc_recv_buf);
	kvfree(ctxt);
}

/**
 * rdma_shim_svc_rdma_recv_ctxt_get - get a context to receive into
 * @rdma: the connection
 *
 * Context: process.
 * Return: a context with empty lists and no pages, or NULL.
 */
struct svc_rdma_recv_ctxt *
rdma_shim_svc_rdma_recv_ctxt_get(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt;
	struct llist_node *node;

	spin_lock_bh(&rdma->sc_rq_dto_lock);
	node = llist_del_first(&rdma->sc_recv_ctxts);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);

	ctxt = node ? llist_entry(node, struct svc_rdma_recv_ctxt, rc_node) :
		      alloc_ctxt(rdma);
	if (ctxt)
		atomic_inc(&rdma->sc_shim_live);
	return ctxt;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_recv_ctxt_get);

/**
 * rdma_shim_forget_reads - as if the message had just arrived
 * @rdma: the connection
 * @ctxt: nothing of it is in flight
 *
 * Context: process or completion.
 */
void rdma_shim_forget_reads(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	unsigned int i;

	svc_rdma_cc_release(rdma, &ctxt->rc_cc, DMA_FROM_DEVICE);
	for (i = 0; i < ctxt->rc_page_count; i++)
		put_page(ctxt->rc_pages[i]);
	ctxt->rc_page_count = 0;
	ctxt->rc_inv_rkey = 0;
	ctxt->rc_cur_result_payload = NULL;
	pcl_free(&ctxt->rc_call_pcl);
	pcl_free(&ctxt->rc_read_pcl);
	pcl_free(&ctxt->rc_write_pcl);
	pcl_free(&ctxt->rc_reply_pcl);
}

/**
 * rdma_shim_svc_rdma_recv_ctxt_put - give a context and all it holds back
 * @rdma: the connection
 * @ctxt: nothing of it is in flight
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_recv_ctxt_put(struct svcxprt_rdma *rdma,
				      struct svc_rdma_recv_ctxt *ctxt)
{
	rdma_shim_forget_reads(rdma, ctxt);
	ctxt->rc_shim_tries = 0;
	llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	atomic_dec(&rdma->sc_shim_live);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_recv_ctxt_put);

/**
 * rdma_shim_svc_rdma_recv_ctxts_destroy - free unused contexts and spare pages
 * @rdma: a connection whose QP is drained
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_recv_ctxts_destroy(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt, *next;
	struct llist_node *node = llist_del_all(&rdma->sc_recv_ctxts);

	llist_for_each_entry_safe(ctxt, next, node, rc_node)
		free_ctxt(rdma, ctxt);
	rdma_shim_spare_drop();
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_recv_ctxts_destroy);

/**
 * rdma_shim_svc_rdma_release_ctxt - a request of the service has ended
 * @xprt: its connection
 * @ctxt: its rq_xprt_ctxt, or NULL
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_release_ctxt(struct svc_xprt *xprt, void *ctxt)
{
	if (ctxt)
		svc_rdma_recv_ctxt_put(container_of(xprt, struct svcxprt_rdma,
						    sc_xprt), ctxt);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_release_ctxt);

static bool post_one(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt;

	ctxt = svc_rdma_recv_ctxt_get(rdma);
	if (!ctxt)
		return false;
	ib_dma_sync_single_for_device(rdma->sc_pd->device,
				      ctxt->rc_recv_sge.addr,
				      ctxt->rc_recv_sge.length,
				      DMA_FROM_DEVICE);
	ctxt->rc_recv_wr.next = NULL;
	if (ib_post_recv(rdma->sc_qp, &ctxt->rc_recv_wr, NULL)) {
		svc_rdma_recv_ctxt_put(rdma, ctxt);
		return false;
	}
	return true;
}

/**
 * rdma_shim_svc_rdma_post_recvs - post the first buffers of a connection
 * @rdma: the connection
 *
 * Context: process.
 * Return: false if not all could be posted.
 */
bool rdma_shim_svc_rdma_post_recvs(struct svcxprt_rdma *rdma)
{
	unsigned int count = rdma->sc_max_requests + rdma->sc_max_bc_requests;

	while (count--)
		if (!post_one(rdma))
			return false;
	return true;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_post_recvs);

static void receive_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_recv_ctxt *ctxt =
		container_of(wc->wr_cqe, struct svc_rdma_recv_ctxt, rc_cqe);
	struct svcxprt_rdma *rdma = ctxt->rc_shim_rdma;

	if (wc->status != IB_WC_SUCCESS ||
	    test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags))
		goto close;
	/* The buffer that this one leaves free is filled again first. */
	if (too_many(rdma) || !post_one(rdma))
		goto close;

	percpu_counter_inc(&svcrdma_stat_recv);
	ctxt->rc_byte_len = wc->byte_len;
	spin_lock_bh(&rdma->sc_rq_dto_lock);
	list_add_tail(&ctxt->rc_list, &rdma->sc_rq_dto_q);
	set_bit(XPT_DATA, &rdma->sc_xprt.xpt_flags);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	svc_xprt_enqueue(&rdma->sc_xprt);
	return;

close:
	svc_rdma_recv_ctxt_put(rdma, ctxt);
	svc_rdma_xprt_deferred_close(rdma);
}

/**
 * rdma_shim_retry_starved - calls that wait for regions are new ones again
 * @rdma: the connection; the caller holds sc_rq_dto_lock
 *
 * Context: any.
 */
void rdma_shim_retry_starved(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt;

	while (rdma->sc_shim_starved) {
		ctxt = llist_entry(rdma->sc_shim_starved,
				   struct svc_rdma_recv_ctxt, rc_node);
		rdma->sc_shim_starved = ctxt->rc_node.next;
		list_add(&ctxt->rc_list, &rdma->sc_rq_dto_q);
	}
}

static void flush_queue(struct svcxprt_rdma *rdma, struct list_head *queue)
{
	struct svc_rdma_recv_ctxt *ctxt;

	while ((ctxt = list_first_entry_or_null(queue,
						struct svc_rdma_recv_ctxt,
						rc_list))) {
		list_del(&ctxt->rc_list);
		svc_rdma_recv_ctxt_put(rdma, ctxt);
	}
}

/**
 * rdma_shim_svc_rdma_flush_recv_queues - forget what was never served
 * @rdma: a connection whose QP is drained
 *
 * Calls and replies that waited for slots go as well, so that a transport of
 * somebody else, which knows nothing of those, leaves none of them.
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_flush_recv_queues(struct svcxprt_rdma *rdma)
{
	rdma_shim_chain_bury(rdma);
	rdma_shim_forget_deferred(rdma);
	spin_lock_bh(&rdma->sc_rq_dto_lock);
	rdma_shim_retry_starved(rdma);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	flush_queue(rdma, &rdma->sc_read_complete_q);
	flush_queue(rdma, &rdma->sc_rq_dto_q);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_flush_recv_queues);

static struct svc_rdma_recv_ctxt *pop(struct list_head *queue)
{
	struct svc_rdma_recv_ctxt *ctxt =
		list_first_entry_or_null(queue, struct svc_rdma_recv_ctxt,
					 rc_list);

	if (ctxt)
		list_del(&ctxt->rc_list);
	return ctxt;
}

/* A call whose Reads are done goes before a new one. */
static struct svc_rdma_recv_ctxt *next_message(struct svcxprt_rdma *rdma,
					       bool *read)
{
	struct svc_rdma_recv_ctxt *ctxt;

	spin_lock_bh(&rdma->sc_rq_dto_lock);
	ctxt = pop(&rdma->sc_read_complete_q);
	*read = ctxt;
	if (!ctxt)
		ctxt = pop(&rdma->sc_rq_dto_q);
	/* With this look the last one is found: no other one is needed. */
	if (list_empty(&rdma->sc_read_complete_q) &&
	    list_empty(&rdma->sc_rq_dto_q))
		clear_bit(XPT_DATA, &rdma->sc_xprt.xpt_flags);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	return ctxt;
}

/* One handle for all segments, or none: the client waits for the others. */
static u32 one_handle(const struct svc_rdma_pcl *pcl, u32 handle, bool *mixed)
{
	const struct svc_rdma_segment *segment;
	const struct svc_rdma_chunk *chunk;

	pcl_for_each_chunk(chunk, pcl) {
		pcl_for_each_segment(segment, chunk) {
			if (handle && segment->rs_handle != handle)
				*mixed = true;
			handle = segment->rs_handle;
		}
	}
	return handle;
}

static void choose_handle(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt)
{
	bool mixed = false;
	u32 handle = 0;

	if (!rdma->sc_snd_w_inv)
		return;
	handle = one_handle(&ctxt->rc_call_pcl, handle, &mixed);
	handle = one_handle(&ctxt->rc_read_pcl, handle, &mixed);
	handle = one_handle(&ctxt->rc_write_pcl, handle, &mixed);
	handle = one_handle(&ctxt->rc_reply_pcl, handle, &mixed);
	ctxt->rc_inv_rkey = mixed ? 0 : handle;
}

static int take_lists(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *ctxt,
		      const struct rdma_shim_header *header)
{
	int ret;

	ctxt->rc_write_pcl.cl_count = header->write_chunks;
	ctxt->rc_reply_pcl.cl_count = header->reply_chunks;
	ret = rdma_shim_chunks_call(&ctxt->rc_call_pcl, header->reads);
	if (!ret)
		ret = rdma_shim_chunks_read(&ctxt->rc_read_pcl, header->reads);
	if (!ret)
		ret = rdma_shim_chunks_write(&ctxt->rc_write_pcl,
					     header->writes);
	if (!ret)
		ret = rdma_shim_chunks_write(&ctxt->rc_reply_pcl,
					     header->reply);
	if (ret)
		return ret;
	ctxt->rc_cur_result_payload = pcl_first_chunk(&ctxt->rc_write_pcl);
	choose_handle(rdma, ctxt);
	return 0;
}

static void set_body(struct svc_rdma_recv_ctxt *ctxt, unsigned int header)
{
	struct xdr_buf *arg = &ctxt->rc_saved_arg;

	*arg = (struct xdr_buf){ };
	arg->head[0].iov_base = ctxt->rc_recv_buf + header;
	arg->head[0].iov_len = ctxt->rc_byte_len - header;
	arg->buflen = arg->head[0].iov_len;
	arg->len = arg->head[0].iov_len;
}

/* Returns the length of a message for the service, or 0. */
static int take_call(struct svcxprt_rdma *rdma, struct svc_rqst *rqstp,
		     struct svc_rdma_recv_ctxt *ctxt,
		     const struct rdma_shim_header *header)
{
	int ret;

	ret = take_lists(rdma, ctxt, header);
	if (ret)
		goto close;
	ctxt->rc_msgtype = header->nomsg ? rdma_nomsg : rdma_msg;
	set_body(ctxt, header->size);

	if (!pcl_is_empty(&ctxt->rc_call_pcl) ||
	    !pcl_is_empty(&ctxt->rc_read_pcl)) {
		ret = svc_rdma_process_read_list(rdma, rqstp, ctxt);
		if (ret > 0)
			return 0;
	} else {
		ret = rdma_shim_deliver_inline(rqstp, ctxt);
		if (ret > 0)
			return ret;
	}
	if (ret == -EINVAL) {
		rdma_shim_refuse(rdma, ctxt, ret);
		return 0;
	}
close:
	svc_rdma_recv_ctxt_put(rdma, ctxt);
	svc_rdma_xprt_deferred_close(rdma);
	return 0;
}

static int take_message(struct svcxprt_rdma *rdma, struct svc_rqst *rqstp,
			struct svc_rdma_recv_ctxt *ctxt)
{
	struct rdma_shim_header header;
	enum rdma_shim_verdict verdict;
	__be32 *words = ctxt->rc_recv_buf;

	ib_dma_sync_single_for_cpu(rdma->sc_pd->device, ctxt->rc_recv_sge.addr,
				   ctxt->rc_byte_len, DMA_FROM_DEVICE);
	verdict = rdma_shim_parse(words, ctxt->rc_byte_len, ctxt->rc_maxpages,
				  &header);
	switch (verdict) {
	case RDMA_SHIM_CALL:
		if (!rdma_shim_bc_is_reply(rdma, &header, words,
					   ctxt->rc_byte_len))
			return take_call(rdma, rqstp, ctxt, &header);
		set_body(ctxt, header.size);
		rqstp->rq_arg = ctxt->rc_saved_arg;
		svc_rdma_handle_bc_reply(rqstp, ctxt);
		break;
	case RDMA_SHIM_BAD_VERSION:
		rdma_shim_refuse(rdma, ctxt, -EPROTONOSUPPORT);
		return 0;
	case RDMA_SHIM_BAD_CHUNK:
		rdma_shim_refuse(rdma, ctxt, -EINVAL);
		return 0;
	case RDMA_SHIM_UNANSWERABLE:
		svc_rdma_xprt_deferred_close(rdma);
		break;
	case RDMA_SHIM_IGNORE:
		break;
	}
	svc_rdma_recv_ctxt_put(rdma, ctxt);
	return 0;
}

/**
 * rdma_shim_svc_rdma_recvfrom - take one message from a connection
 * @rqstp: the thread's request
 *
 * Never sleeps on the network: a call with Read chunks comes back through
 * sc_read_complete_q when they are in (R8).
 *
 * Context: a service thread that holds XPT_BUSY.
 * Return: length of the call in rq_arg, or 0 if there is none for the service.
 */
int rdma_shim_svc_rdma_recvfrom(struct svc_rqst *rqstp)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma_recv_ctxt *ctxt;
	bool read;

	rqstp->rq_xprt_ctxt = NULL;
	rdma_shim_rqst_reset(rqstp);
	ctxt = next_message(rdma, &read);
	/* Other threads may look for messages from here on. */
	rdma_shim_xprt_received(&rdma->sc_xprt);
	if (!ctxt)
		return 0;
	if (read)
		return rdma_shim_deliver_read(rqstp, ctxt);
	return take_message(rdma, rqstp, ctxt);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_recvfrom);
