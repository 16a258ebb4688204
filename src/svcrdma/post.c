// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 4, post: all Reads of a call go out at once.
 */
#include "svcrdma/svcrdma.h"

#include <linux/mm.h>

static void copy_in(struct svc_rdma_recv_ctxt *ctxt, unsigned int sink,
		    const void *from, unsigned int length)
{
	unsigned int offset, part;
	void *to;

	for (; length; length -= part, sink += part) {
		offset = offset_in_page(sink);
		part = min_t(unsigned int, length, PAGE_SIZE - offset);
		to = page_address(ctxt->rc_pages[sink >> PAGE_SHIFT]) + offset;
		if (!from) {
			memset(to, 0, part);
			continue;
		}
		memcpy(to, from, part);
		from += part;
	}
}

struct post {
	struct svcxprt_rdma *rdma;
	struct svc_rdma_recv_ctxt *ctxt;
};

static int place(void *data, const struct rdma_shim_piece *piece)
{
	struct svc_rdma_recv_ctxt *ctxt = ((struct post *)data)->ctxt;
	const void *body = ctxt->rc_saved_arg.head[0].iov_base;

	switch (piece->source) {
	case RDMA_SHIM_FROM_INLINE:
		copy_in(ctxt, piece->sink, body + piece->from, piece->length);
		return 0;
	case RDMA_SHIM_ZEROS:
		copy_in(ctxt, piece->sink, NULL, piece->length);
		return 0;
	case RDMA_SHIM_FROM_PEER:
		break;
	}
	ctxt->rc_readbytes += piece->length;
	return rdma_shim_rw_read(((struct post *)data)->rdma, ctxt, piece);
}

/* The pages of the message belong to @head from here on. */
static void take_pages(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *head,
		       unsigned int pages)
{
	unsigned int spare = rdma_shim_spare_take(head->rc_pages, pages);
	unsigned int i;

	for (i = 0; spare + i < pages; i++) {
		head->rc_pages[spare + i] = rqstp->rq_pages[i];
		rqstp->rq_pages[i] = NULL;
	}
	head->rc_page_count = pages;
	rdma_shim_rqst_pages_taken(rqstp, i);
}

/*
 * A call has all its Reads set up or none: what it has so far goes back, and it
 * waits for a call whose Reads are done (R8). When there is no such call, it is
 * looked at again at once; a few times, since another one may just be here too.
 */
static int starve(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *head)
{
	enum { ALONE = 8 };
	bool refused;

	rdma_shim_forget_reads(rdma, head);
	spin_lock_bh(&rdma->sc_rq_dto_lock);
	refused = !rdma->sc_shim_reading && head->rc_shim_tries++ >= ALONE;
	if (rdma->sc_shim_reading) {
		head->rc_node.next = rdma->sc_shim_starved;
		rdma->sc_shim_starved = &head->rc_node;
	} else if (!refused) {
		list_add(&head->rc_list, &rdma->sc_rq_dto_q);
		set_bit(XPT_DATA, &rdma->sc_xprt.xpt_flags);
	}
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	if (refused)
		return -EINVAL;
	percpu_counter_inc(&svcrdma_stat_sq_starve);
	svc_xprt_enqueue(&rdma->sc_xprt);
	return 1;
}

/* Counts the calls that will give regions back. */
static void count_reading(struct svcxprt_rdma *rdma, int change)
{
	spin_lock_bh(&rdma->sc_rq_dto_lock);
	rdma->sc_shim_reading += change;
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
}

static void describe(const struct svc_rqst *rqstp,
		     const struct svc_rdma_recv_ctxt *head,
		     struct rdma_shim_call *call)
{
	const struct xdr_buf *arg = &head->rc_saved_arg;

	call->call = &head->rc_call_pcl;
	call->reads = &head->rc_read_pcl;
	call->inline_bytes = arg->len;
	/* A list behind the RPC header can keep its pages to itself. */
	call->split_from = rdma_shim_rpc_header(arg->head[0].iov_base,
						arg->head[0].iov_len);
	if (!call->split_from)
		call->split_from = U32_MAX;
	call->max_pages = min_t(unsigned long, head->rc_maxpages,
				rdma_shim_rqst_budget(rqstp));
}

/**
 * rdma_shim_svc_rdma_process_read_list - pull the chunks of a call
 * @rdma: the connection
 * @rqstp: a thread, whose pages they fill
 * @head: the call; rc_saved_arg is the inline body
 *
 * Context: a service thread; does not wait for the Reads or for slots.
 * Return: 1, the completion owns @head. -EINVAL, the lists do not make a
 * message or need too much; -ENOMEM, no R/W context; -EIO, one could not be set
 * up; -ENOTCONN, the connection is lost: the caller owns @head (R1, R2, R8).
 */
int rdma_shim_svc_rdma_process_read_list(struct svcxprt_rdma *rdma,
					 struct svc_rqst *rqstp,
					 struct svc_rdma_recv_ctxt *head)
{
	struct svc_rdma_shim_chain *chain = &head->rc_shim_chain;
	struct svc_rdma_chunk_ctxt *cc = &head->rc_cc;
	struct post post = { .rdma = rdma, .ctxt = head };
	struct rdma_shim_layout layout;
	struct rdma_shim_call call;
	int ret;

	describe(rqstp, head, &call);
	ret = rdma_shim_plan(&call, &layout);
	if (ret)
		return ret;
	take_pages(rqstp, head, layout.pages);
	head->rc_shim_whole = layout.whole;
	head->rc_shim_head = layout.head;
	head->rc_shim_len = layout.length;

	svc_rdma_cc_init(rdma, cc);
	cc->cc_cqe.done = rdma_shim_read_done;
	head->rc_readbytes = 0;
	ret = rdma_shim_pieces(&call, &layout, place, &post);
	if (ret == -EAGAIN)
		return starve(rdma, head);
	if (ret)
		return ret;
	chain->ch_shim_first = rdma_shim_rw_chain(rdma, cc, &cc->cc_cqe, NULL,
						  &cc->cc_sqecount);
	chain->ch_shim_slots = cc->cc_sqecount;
	cc->cc_posttime = ktime_get();
	count_reading(rdma, 1);
	ret = rdma_shim_chain_submit(rdma, chain);
	if (ret) {
		count_reading(rdma, -1);
		return ret;
	}
	percpu_counter_inc(&svcrdma_stat_read);
	return 1;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_process_read_list);
