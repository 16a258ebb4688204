// SPDX-License-Identifier: GPL-2.0
/*
 * R/W contexts: one RDMA Read or Write of contiguous remote memory each, on the
 * kernel's rdma_rw API with scatterlists (facts 3.6), which all kernels have.
 */
#include "svcrdma/svcrdma.h"

#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/rw.h>

/*
 * The largest Read has 257 entries, and to allocate and clear those for each of
 * them cost 25000 instructions on 6.1, half a percent of a WRITE of 1 MiB. So a
 * connection keeps a few contexts, of whatever size they were last.
 */
enum { KEPT = 4 };

struct rdma_shim_rw {
	union {
		struct list_head	list;	/* in cc_rwctxts */
		struct llist_node	kept;	/* in sc_rw_ctxts */
	};
	struct rdma_rw_ctx	ctx;
	unsigned int		depth;		/* of those kept so far */
	unsigned int		room;		/* entries of sg */
	unsigned int		nents;		/* of which are used */
	struct scatterlist	sg[];
};

static struct rdma_shim_rw *take_kept(struct svcxprt_rdma *rdma)
{
	struct llist_node *node;
	unsigned long flags;

	spin_lock_irqsave(&rdma->sc_rw_ctxt_lock, flags);
	node = llist_del_first(&rdma->sc_rw_ctxts);
	spin_unlock_irqrestore(&rdma->sc_rw_ctxt_lock, flags);
	return node ? llist_entry(node, struct rdma_shim_rw, kept) : NULL;
}

static bool keep(struct svcxprt_rdma *rdma, struct rdma_shim_rw *rw)
{
	struct llist_node *first;
	unsigned long flags;

	/* Nobody would take it, and sc_rw_ctxts may have been emptied. */
	if (test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags) ||
	    test_bit(XPT_DEAD, &rdma->sc_xprt.xpt_flags))
		return false;
	spin_lock_irqsave(&rdma->sc_rw_ctxt_lock, flags);
	first = rdma->sc_rw_ctxts.first;
	rw->depth = 1;
	if (first)
		rw->depth += llist_entry(first, struct rdma_shim_rw, kept)->depth;
	if (rw->depth <= KEPT)
		llist_add(&rw->kept, &rdma->sc_rw_ctxts);
	spin_unlock_irqrestore(&rdma->sc_rw_ctxt_lock, flags);
	return rw->depth <= KEPT;
}

static void put_rw(struct svcxprt_rdma *rdma, struct rdma_shim_rw *rw)
{
	if (rw->nents)
		sg_unmark_end(&rw->sg[rw->nents - 1]);
	rw->nents = 0;
	if (!keep(rdma, rw))
		kvfree(rw);
}

static struct rdma_shim_rw *get_rw(struct svcxprt_rdma *rdma,
				   unsigned int entries)
{
	struct rdma_shim_rw *rw = take_kept(rdma);

	if (rw && rw->room >= entries)
		return rw;
	kvfree(rw);
	rw = kvzalloc(struct_size(rw, sg, entries), GFP_KERNEL | __GFP_NOWARN);
	if (!rw)
		return NULL;
	sg_init_table(rw->sg, entries);
	sg_unmark_end(&rw->sg[entries - 1]);
	rw->room = entries;
	return rw;
}

/* On success the context belongs to @cc. */
static int add_rw(struct svcxprt_rdma *rdma, struct svc_rdma_chunk_ctxt *cc,
		  struct rdma_shim_rw *rw, u64 offset, u32 handle,
		  enum dma_data_direction dir)
{
	int ret;

	sg_mark_end(&rw->sg[rw->nents - 1]);
	ret = rdma_rw_ctx_init(&rw->ctx, rdma->sc_qp, rdma->sc_port_num,
			       rw->sg, rw->nents, 0, offset, handle, dir);
	if (ret < 0) {
		put_rw(rdma, rw);
		return ret == -ENOMEM || ret == -EAGAIN ? ret : -EIO;
	}
	list_add_tail(&rw->list, &cc->cc_rwctxts);
	return 0;
}

/**
 * rdma_shim_rw_read - set up the Read of one piece
 * @rdma: the connection
 * @ctxt: the call, to whose rc_pages the bytes go
 * @piece: which bytes
 *
 * Context: may sleep.
 * Return: 0; -EAGAIN, all regions of the connection are in use; -ENOMEM or -EIO
 * (R2).
 */
int rdma_shim_rw_read(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *ctxt,
		      const struct rdma_shim_piece *piece)
{
	unsigned int page = piece->sink >> PAGE_SHIFT;
	unsigned int offset = offset_in_page(piece->sink);
	unsigned int left = piece->length, part;
	struct rdma_shim_rw *rw;

	rw = get_rw(rdma, DIV_ROUND_UP(offset + left, PAGE_SIZE));
	if (!rw)
		return -ENOMEM;
	for (; left; left -= part) {
		part = min_t(unsigned int, left, PAGE_SIZE - offset);
		sg_set_page(&rw->sg[rw->nents++], ctxt->rc_pages[page++], part,
			    offset);
		offset = 0;
	}
	return add_rw(rdma, &ctxt->rc_cc, rw, piece->offset, piece->handle,
		      DMA_FROM_DEVICE);
}

/* Adds the part of [*skip, *skip + *left) that lies in @length bytes. */
static unsigned int clip(unsigned int length, unsigned int *skip,
			 unsigned int *left, unsigned int *start)
{
	unsigned int part;

	if (*skip >= length) {
		*skip -= length;
		return 0;
	}
	*start = *skip;
	part = min(length - *skip, *left);
	*skip = 0;
	*left -= part;
	return part;
}

static void add_kvec(struct rdma_shim_rw *rw, const struct kvec *vec,
		     unsigned int *skip, unsigned int *left)
{
	unsigned int start, part = clip(vec->iov_len, skip, left, &start);

	if (part)
		sg_set_buf(&rw->sg[rw->nents++], vec->iov_base + start, part);
}

static void add_page_list(struct rdma_shim_rw *rw, const struct xdr_buf *xdr,
			  unsigned int *skip, unsigned int *left)
{
	unsigned int start, length, part;
	struct page **page;

	length = clip(xdr->page_len, skip, left, &start);
	if (!length)
		return;
	start += xdr->page_base;
	page = xdr->pages + (start >> PAGE_SHIFT);
	start = offset_in_page(start);
	for (; length; length -= part) {
		part = min_t(unsigned int, length, PAGE_SIZE - start);
		sg_set_page(&rw->sg[rw->nents++], *page++, part, start);
		start = 0;
	}
}

/* A Write of @length bytes of @xdr from @offset on. */
static int write_part(struct svcxprt_rdma *rdma,
		      struct svc_rdma_chunk_ctxt *cc,
		      const struct xdr_buf *xdr, unsigned int offset,
		      unsigned int length, u64 to, u32 handle)
{
	struct rdma_shim_rw *rw;

	/* Both ends of the pages can be partial, plus head and tail. */
	rw = get_rw(rdma, (length >> PAGE_SHIFT) + 4);
	if (!rw)
		return -ENOMEM;
	add_kvec(rw, &xdr->head[0], &offset, &length);
	add_page_list(rw, xdr, &offset, &length);
	add_kvec(rw, &xdr->tail[0], &offset, &length);
	if (length || !rw->nents) {
		put_rw(rdma, rw);
		return -EIO;
	}
	return add_rw(rdma, cc, rw, to, handle, DMA_TO_DEVICE);
}

/**
 * rdma_shim_rw_write - set up the Writes of a whole xdr_buf
 * @rdma: the connection
 * @info: the chunk and how much of it is filled, which is updated
 * @sctxt: the reply
 * @xdr: the bytes
 *
 * Context: may sleep.
 * Return: 0, -E2BIG if they do not fit into the chunk, -ENOMEM or -EIO.
 */
int rdma_shim_rw_write(struct svcxprt_rdma *rdma,
		       struct svc_rdma_write_info *info,
		       struct svc_rdma_send_ctxt *sctxt,
		       const struct xdr_buf *xdr)
{
	const struct svc_rdma_segment *segment;
	unsigned int done = 0, part;
	int ret;

	while (done < xdr->len) {
		if (info->wi_seg_no == info->wi_chunk->ch_segcount)
			return -E2BIG;
		segment = &info->wi_chunk->ch_segments[info->wi_seg_no];
		part = min(segment->rs_length - info->wi_seg_off,
			   xdr->len - done);
		if (!part) {
			info->wi_seg_no++;
			info->wi_seg_off = 0;
			continue;
		}
		ret = write_part(rdma, &info->wi_cc, xdr, done, part,
				 segment->rs_offset + info->wi_seg_off,
				 segment->rs_handle);
		if (ret)
			return ret;
		info->wi_seg_off += part;
		done += part;
	}
	return 0;
}

static int count_slots(const struct ib_send_wr *first,
		       const struct ib_send_wr *end)
{
	int slots = 0;

	for (; first != end; first = first->next)
		slots++;
	return slots;
}

/**
 * rdma_shim_rw_chain - put the requests of all contexts in front of @next
 * @rdma: the connection
 * @cc: the contexts
 * @cqe: completion of the last request; only if @next is NULL
 * @next: what follows them, or NULL
 * @slots: the number of requests is added
 *
 * Context: process.
 * Return: the first request, @next if there are no contexts.
 */
struct ib_send_wr *rdma_shim_rw_chain(struct svcxprt_rdma *rdma,
				      struct svc_rdma_chunk_ctxt *cc,
				      struct ib_cqe *cqe,
				      struct ib_send_wr *next, int *slots)
{
	struct rdma_shim_rw *rw;
	struct ib_send_wr *first;

	list_for_each_entry(rw, &cc->cc_rwctxts, list) {
		first = rdma_rw_ctx_wrs(&rw->ctx, rdma->sc_qp,
					rdma->sc_port_num, cqe, next);
		*slots += count_slots(first, next);
		next = first;
		cqe = NULL;
	}
	return next;
}

/**
 * rdma_shim_svc_rdma_cc_init - start a set of Reads or Writes
 * @rdma: the connection
 * @cc: the set
 *
 * Context: any.
 */
void rdma_shim_svc_rdma_cc_init(struct svcxprt_rdma *rdma,
				struct svc_rdma_chunk_ctxt *cc)
{
	svc_rdma_send_cid_init(rdma, &cc->cc_cid);
	INIT_LIST_HEAD(&cc->cc_rwctxts);
	cc->cc_sqecount = 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_cc_init);

/**
 * rdma_shim_svc_rdma_cc_release - free a set of Reads or Writes
 * @rdma: the connection
 * @cc: the set, none of which is in flight
 * @dir: DMA_FROM_DEVICE for Reads, DMA_TO_DEVICE for Writes
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_cc_release(struct svcxprt_rdma *rdma,
				   struct svc_rdma_chunk_ctxt *cc,
				   enum dma_data_direction dir)
{
	struct rdma_shim_rw *rw, *next;

	list_for_each_entry_safe(rw, next, &cc->cc_rwctxts, list) {
		rdma_rw_ctx_destroy(&rw->ctx, rdma->sc_qp, rdma->sc_port_num,
				    rw->sg, rw->nents, dir);
		put_rw(rdma, rw);
	}
	INIT_LIST_HEAD(&cc->cc_rwctxts);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_cc_release);

/**
 * rdma_shim_svc_rdma_destroy_rw_ctxts - free the contexts that were kept
 * @rdma: a connection that is closed
 *
 * Context: process.
 */
void rdma_shim_svc_rdma_destroy_rw_ctxts(struct svcxprt_rdma *rdma)
{
	struct rdma_shim_rw *rw;

	while ((rw = take_kept(rdma)))
		kvfree(rw);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_destroy_rw_ctxts);
