// SPDX-License-Identifier: GPL-2.0
/*
 * What differs between kernels on the server side (facts 3.7, 3.8, 3.11).
 */
#include "svcrdma/compat.h"

#include <rdma-shim/config.h>

/*
 * Since 7.1 a thread has separate pages for the reply, and wants to be told
 * how many request pages to replace. Before, the reply lies behind the request
 * in one array, and whatever is NULL is replaced.
 */
#if RDMA_SHIM_HAVE_RQST_PAGES_NFREE
/* One less than there are, as on the other kernels, so that R6 reads alike. */
unsigned int rdma_shim_rqst_budget(const struct svc_rqst *rqstp)
{
	return rqstp->rq_maxpages - 1;
}

void rdma_shim_rqst_reset(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

void rdma_shim_rqst_pages_taken(struct svc_rqst *rqstp, unsigned int pages)
{
	rqstp->rq_pages_nfree = max_t(unsigned long, rqstp->rq_pages_nfree,
				      pages);
}

void rdma_shim_rqst_pages_given(struct svc_rqst *rqstp, unsigned int pages)
{
}

/* The core puts new pages where it finds NULL up to rq_next_page. */
void rdma_shim_rqst_reply_taken(struct svc_rqst *rqstp)
{
}

void rdma_shim_rqst_reply_copied(struct svc_rqst *rqstp)
{
}
#else
unsigned int rdma_shim_rqst_budget(const struct svc_rqst *rqstp)
{
	return rqstp->rq_page_end - rqstp->rq_pages - 1;
}

void rdma_shim_rqst_reset(struct svc_rqst *rqstp)
{
	rqstp->rq_respages = rqstp->rq_pages;
	rqstp->rq_next_page = rqstp->rq_respages;
}

/* The last reply lay in the same array; the core must not release it again. */
void rdma_shim_rqst_pages_taken(struct svc_rqst *rqstp, unsigned int pages)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

void rdma_shim_rqst_pages_given(struct svc_rqst *rqstp, unsigned int pages)
{
	rqstp->rq_respages = &rqstp->rq_pages[pages];
	rqstp->rq_next_page = rqstp->rq_respages + 1;
}

void rdma_shim_rqst_reply_taken(struct svc_rqst *rqstp)
{
	rqstp->rq_next_page = rqstp->rq_respages;
}

/*
 * The thread goes on with the page of the head. The core releases the others,
 * which can be a file's.
 */
void rdma_shim_rqst_reply_copied(struct svc_rqst *rqstp)
{
	if (rqstp->rq_next_page > rqstp->rq_respages)
		rqstp->rq_respages++;
}
#endif

/* 5.10 keeps it with a deferred request, and another transport left it. */
#if RDMA_SHIM_HAVE_RQST_XPRT_HLEN
void rdma_shim_rqst_no_header(struct svc_rqst *rqstp)
{
	rqstp->rq_xprt_hlen = 0;
}
#else
void rdma_shim_rqst_no_header(struct svc_rqst *rqstp)
{
}
#endif

/* From 5.13 on the transport says when it has taken its message. */
#if RDMA_SHIM_HAVE_XPRT_DEFERRED_CLOSE
void rdma_shim_xprt_received(struct svc_xprt *xprt)
{
	svc_xprt_received(xprt);
}

void rdma_shim_xprt_close_later(struct svc_xprt *xprt)
{
	svc_xprt_deferred_close(xprt);
}
#else
void rdma_shim_xprt_received(struct svc_xprt *xprt)
{
}

void rdma_shim_xprt_close_later(struct svc_xprt *xprt)
{
	if (!test_and_set_bit(XPT_CLOSE, &xprt->xpt_flags))
		svc_xprt_enqueue(xprt);
}
#endif

#if RDMA_SHIM_HAVE_SVC_XPRT_CLOSE
void rdma_shim_xprt_close(struct svc_xprt *xprt)
{
	svc_xprt_close(xprt);
}
#else
void rdma_shim_xprt_close(struct svc_xprt *xprt)
{
	svc_close_xprt(xprt);
}
#endif

#if RDMA_SHIM_HAVE_XPO_RELEASE_CTXT
#define SET_RELEASE(ops)	((ops)->xpo_release_ctxt = svc_rdma_release_ctxt)

struct svc_rdma_recv_ctxt *rdma_shim_rqst_ctxt(struct svc_rqst *rqstp)
{
	return rqstp->rq_xprt_ctxt;
}

void rdma_shim_forget_deferred(struct svcxprt_rdma *rdma)
{
}
#else
/*
 * A call that is deferred (its export is not in the cache yet) comes back
 * without its context, and with it its chunk lists. Here they wait for it, by
 * xid. A call that never comes back is forgotten with the connection.
 */
enum { MAX_DEFERRED = 64 };

static bool keep_deferred(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt)
{
	bool room;

	spin_lock_bh(&rdma->sc_rq_dto_lock);
	room = rdma->sc_shim_deferred_count < MAX_DEFERRED;
	if (room) {
		ctxt->rc_node.next = rdma->sc_shim_deferred;
		rdma->sc_shim_deferred = &ctxt->rc_node;
		rdma->sc_shim_deferred_count++;
	}
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	return room;
}

static struct svc_rdma_recv_ctxt *find_deferred(struct svcxprt_rdma *rdma,
						__be32 xid)
{
	struct svc_rdma_recv_ctxt *ctxt, *found = NULL;
	struct llist_node **at;

	spin_lock_bh(&rdma->sc_rq_dto_lock);
	for (at = &rdma->sc_shim_deferred; *at; at = &(*at)->next) {
		ctxt = llist_entry(*at, struct svc_rdma_recv_ctxt, rc_node);
		if (*(__be32 *)ctxt->rc_recv_buf != xid)
			continue;
		*at = (*at)->next;
		rdma->sc_shim_deferred_count--;
		found = ctxt;
		break;
	}
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	return found;
}

struct svc_rdma_recv_ctxt *rdma_shim_rqst_ctxt(struct svc_rqst *rqstp)
{
	if (!rqstp->rq_xprt_ctxt)
		rqstp->rq_xprt_ctxt = find_deferred(svc_rdma_rqst_rdma(rqstp),
						    rqstp->rq_xid);
	return rqstp->rq_xprt_ctxt;
}

void rdma_shim_forget_deferred(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_recv_ctxt *ctxt;

	while (rdma->sc_shim_deferred) {
		ctxt = llist_entry(rdma->sc_shim_deferred,
				   struct svc_rdma_recv_ctxt, rc_node);
		rdma->sc_shim_deferred = ctxt->rc_node.next;
		svc_rdma_recv_ctxt_put(rdma, ctxt);
	}
}

static void release_rqst(struct svc_rqst *rqstp)
{
	void *ctxt = rqstp->rq_xprt_ctxt;

	rqstp->rq_xprt_ctxt = NULL;
	if (ctxt && test_bit(RQ_DROPME, &rqstp->rq_flags) &&
	    keep_deferred(svc_rdma_rqst_rdma(rqstp), ctxt))
		return;
	svc_rdma_release_ctxt(rqstp->rq_xprt, ctxt);
}

#define SET_RELEASE(ops)	((ops)->xpo_release_rqst = release_rqst)
#endif

#if RDMA_SHIM_HAVE_XPO_SECURE_PORT
static void secure_port(struct svc_rqst *rqstp)
{
	set_bit(RQ_SECURE, &rqstp->rq_flags);
}

#define SET_SECURE(ops)		((ops)->xpo_secure_port = secure_port)
#else
#define SET_SECURE(ops)		do { } while (0)
#endif

#if RDMA_SHIM_HAVE_XPO_RESULT_PAYLOAD
#define SET_PAYLOAD(ops) ((ops)->xpo_result_payload = svc_rdma_result_payload)
#else
#define SET_PAYLOAD(ops) ((ops)->xpo_read_payload = svc_rdma_result_payload)
#endif

/* The hooks whose names or arguments differ. */
void rdma_shim_fill_ops(struct svc_xprt_ops *ops)
{
	SET_RELEASE(ops);
	SET_SECURE(ops);
	SET_PAYLOAD(ops);
}
