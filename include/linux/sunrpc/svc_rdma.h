/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The server side of RPC-over-RDMA with Linux 7.3's interface. rpcrdma.ko
 * exports nothing, so this file replaces the kernel's on all of them. Members
 * named *_shim_* are ours and start as zeros (kzalloc).
 */
#ifndef SVC_RDMA_H
#define SVC_RDMA_H

#include <linux/dma-direction.h>
#include <linux/llist.h>
#include <linux/percpu_counter.h>
/* rpc_rdma.h does not include what it needs. */
#include <linux/sunrpc/xdr.h>
#include <linux/sunrpc/rpc_rdma.h>
#include <linux/sunrpc/rdma_rn.h>
#include <linux/sunrpc/rpc_rdma_cid.h>
#include <linux/sunrpc/svc_rdma_pcl.h>
#include <linux/sunrpc/svcsock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#define svcrdma_ord			rdma_shim_svcrdma_ord
#define svcrdma_max_requests		rdma_shim_svcrdma_max_requests
#define svcrdma_max_bc_requests		rdma_shim_svcrdma_max_bc_requests
#define svcrdma_max_req_size		rdma_shim_svcrdma_max_req_size
#define svcrdma_stat_read		rdma_shim_svcrdma_stat_read
#define svcrdma_stat_recv		rdma_shim_svcrdma_stat_recv
#define svcrdma_stat_sq_starve		rdma_shim_svcrdma_stat_sq_starve
#define svcrdma_stat_write		rdma_shim_svcrdma_stat_write
#define svc_rdma_handle_bc_reply	rdma_shim_svc_rdma_handle_bc_reply
#define svc_rdma_recv_ctxts_destroy	rdma_shim_svc_rdma_recv_ctxts_destroy
#define svc_rdma_post_recvs		rdma_shim_svc_rdma_post_recvs
#define svc_rdma_recv_ctxt_get		rdma_shim_svc_rdma_recv_ctxt_get
#define svc_rdma_recv_ctxt_put		rdma_shim_svc_rdma_recv_ctxt_put
#define svc_rdma_flush_recv_queues	rdma_shim_svc_rdma_flush_recv_queues
#define svc_rdma_release_ctxt		rdma_shim_svc_rdma_release_ctxt
#define svc_rdma_recvfrom		rdma_shim_svc_rdma_recvfrom
#define svc_rdma_cc_init		rdma_shim_svc_rdma_cc_init
#define svc_rdma_destroy_rw_ctxts	rdma_shim_svc_rdma_destroy_rw_ctxts
#define svc_rdma_cc_release		rdma_shim_svc_rdma_cc_release
#define svc_rdma_write_chunk_release	rdma_shim_svc_rdma_write_chunk_release
#define svc_rdma_reply_chunk_release	rdma_shim_svc_rdma_reply_chunk_release
#define svc_rdma_prepare_write_list	rdma_shim_svc_rdma_prepare_write_list
#define svc_rdma_prepare_reply_chunk	rdma_shim_svc_rdma_prepare_reply_chunk
#define svc_rdma_process_read_list	rdma_shim_svc_rdma_process_read_list
#define svc_rdma_send_ctxts_destroy	rdma_shim_svc_rdma_send_ctxts_destroy
#define svc_rdma_send_ctxts_drain	rdma_shim_svc_rdma_send_ctxts_drain
#define svc_rdma_send_ctxt_get		rdma_shim_svc_rdma_send_ctxt_get
#define svc_rdma_send_ctxt_put		rdma_shim_svc_rdma_send_ctxt_put
#define svc_rdma_post_send		rdma_shim_svc_rdma_post_send
#define svc_rdma_map_reply_msg		rdma_shim_svc_rdma_map_reply_msg
#define svc_rdma_send_error_msg		rdma_shim_svc_rdma_send_error_msg
#define svc_rdma_wake_send_waiters	rdma_shim_svc_rdma_wake_send_waiters
#define svc_rdma_sq_wait		rdma_shim_svc_rdma_sq_wait
#define svc_rdma_post_send_err		rdma_shim_svc_rdma_post_send_err
#define svc_rdma_sendto			rdma_shim_svc_rdma_sendto
#define svc_rdma_result_payload		rdma_shim_svc_rdma_result_payload
#define svc_rdma_xprt_deferred_close	rdma_shim_svc_rdma_xprt_deferred_close

enum {
	RPCRDMA_PULLUP_THRESH = RPCRDMA_V1_DEF_INLINE_SIZE >> 1,
	RPCRDMA_DEF_INLINE_THRESH = 4096,
	RPCRDMA_MAX_INLINE_THRESH = 65536
};

enum {
	RPCRDMA_LISTEN_BACKLOG	= 10,
	RPCRDMA_MAX_REQUESTS	= 128,
	RPCRDMA_MAX_BC_REQUESTS	= 2,
};

#define RPCSVC_MAXPAYLOAD_RDMA	RPCSVC_MAXPAYLOAD

extern unsigned int svcrdma_ord;
extern unsigned int svcrdma_max_requests;
extern unsigned int svcrdma_max_bc_requests;
extern unsigned int svcrdma_max_req_size;

extern struct percpu_counter svcrdma_stat_read;
extern struct percpu_counter svcrdma_stat_recv;
extern struct percpu_counter svcrdma_stat_sq_starve;
extern struct percpu_counter svcrdma_stat_write;

struct svcxprt_rdma;

/*
 * A chain of Work Requests of which only the last one is signalled. It is
 * owned by whoever built it until submitted, by the connection's queue while
 * it waits for slots, then by the completion of its last request.
 */
struct svc_rdma_shim_chain {
	struct svc_rdma_shim_chain	*ch_shim_next;
	struct hlist_node		ch_shim_posted;
	struct ib_send_wr		*ch_shim_first;
	int				ch_shim_slots;
	/* Nothing of it is in flight any more: give everything back. */
	void	(*ch_shim_drop)(struct svcxprt_rdma *rdma,
				struct svc_rdma_shim_chain *chain);
};

struct svcxprt_rdma {
	struct svc_xprt			sc_xprt;
	struct rdma_cm_id		*sc_cm_id;
	struct list_head		sc_accept_q;	/* or its link in one */
	struct rpcrdma_notification	sc_rn;
	u32				sc_ord;
	unsigned int			sc_max_send_sges;
	bool				sc_snd_w_inv;

	atomic_t			sc_sq_avail;
	unsigned int			sc_sq_depth;
	atomic_t			sc_sq_ticket_head;
	atomic_t			sc_sq_ticket_tail;
	wait_queue_head_t		sc_sq_ticket_wait;
	__be32				sc_fc_credits;
	u32				sc_max_requests;
	u32				sc_max_bc_requests;
	int				sc_max_req_size;	/* bytes */
	u8				sc_port_num;

	struct ib_pd			*sc_pd;

	/* Slots, parked chains and unused send contexts. */
	spinlock_t			sc_send_lock;
	struct llist_head		sc_send_ctxts;
	/* R/W contexts that are kept. */
	spinlock_t			sc_rw_ctxt_lock;
	struct llist_head		sc_rw_ctxts;

	u32				sc_pending_recvs;
	u32				sc_recv_batch;
	struct list_head		sc_rq_dto_q;
	struct list_head		sc_read_complete_q;
	/* Both queues above, and unused receive contexts. */
	spinlock_t			sc_rq_dto_lock;
	struct ib_qp			*sc_qp;
	struct ib_cq			*sc_rq_cq;
	struct ib_cq			*sc_sq_cq;

	/* A listener's pending connections. */
	spinlock_t			sc_lock;

	wait_queue_head_t		sc_send_wait;
	unsigned long			sc_flags;
	struct work_struct		sc_work;

	struct llist_head		sc_recv_ctxts;

	struct llist_head		sc_send_release_list;

	atomic_t			sc_completion_ids;

	/* Chains that wait for slots, oldest first; sc_send_lock. */
	struct svc_rdma_shim_chain	*sc_shim_parked;
	struct svc_rdma_shim_chain	*sc_shim_parked_last;
	/* Chains whose completion is to come; sc_send_lock. */
	struct hlist_head		sc_shim_posted;
	/* Receive contexts not in sc_recv_ctxts. */
	atomic_t			sc_shim_live;
	/* Calls whose Reads are parked or in flight; sc_rq_dto_lock. */
	unsigned int			sc_shim_reading;
	/* Calls that found no region for theirs, newest first. */
	struct llist_node		*sc_shim_starved;
	/* Contexts of deferred calls, where the kernel forgets them. */
	struct llist_node		*sc_shim_deferred;
	unsigned int			sc_shim_deferred_count;
	/* Pages a message can have; 0 is "ask the service". */
	unsigned long			sc_shim_pages;
	/* Pending connections of a listener. */
	unsigned int			sc_shim_pending;
	/* Bytes that the peer can receive; 0 is "as many as we can". */
	unsigned int			sc_shim_peer_inline;
};

/* sc_flags */
#define RDMAXPRT_CONN_PENDING	3

static inline struct svcxprt_rdma *svc_rdma_rqst_rdma(struct svc_rqst *rqstp)
{
	return container_of(rqstp->rq_xprt, struct svcxprt_rdma, sc_xprt);
}

static inline void svc_rdma_recv_cid_init(struct svcxprt_rdma *rdma,
					  struct rpc_rdma_cid *cid)
{
	cid->ci_completion_id = atomic_inc_return(&rdma->sc_completion_ids);
	cid->ci_queue_id = rdma->sc_rq_cq->res.id;
}

static inline void svc_rdma_send_cid_init(struct svcxprt_rdma *rdma,
					  struct rpc_rdma_cid *cid)
{
	cid->ci_completion_id = atomic_inc_return(&rdma->sc_completion_ids);
	cid->ci_queue_id = rdma->sc_sq_cq->res.id;
}

/* All Reads, or all Writes, of one message. */
struct svc_rdma_chunk_ctxt {
	struct rpc_rdma_cid		cc_cid;
	struct ib_cqe			cc_cqe;
	struct list_head		cc_rwctxts;
	ktime_t				cc_posttime;
	int				cc_sqecount;
};

/*
 * A received message. One owner at a time: the Receive Queue, sc_rq_dto_q,
 * the thread in recvfrom, sc_shim_starved and sc_rq_dto_q again, the Read chain
 * (rc_shim_chain), sc_read_complete_q, the svc_rqst (rq_xprt_ctxt), and at last sc_recv_ctxts.
 */
struct svc_rdma_recv_ctxt {
	struct llist_node		rc_node;
	struct list_head		rc_list;
	struct ib_recv_wr		rc_recv_wr;
	struct ib_cqe			rc_cqe;
	struct rpc_rdma_cid		rc_cid;
	struct ib_sge			rc_recv_sge;
	void				*rc_recv_buf;
	struct xdr_stream		rc_stream;
	u32				rc_byte_len;
	u32				rc_inv_rkey;
	__be32				rc_msgtype;

	unsigned int			rc_pageoff;
	unsigned int			rc_curpage;
	unsigned int			rc_readbytes;
	struct xdr_buf			rc_saved_arg;
	struct svc_rdma_chunk_ctxt	rc_cc;

	struct svc_rdma_pcl		rc_call_pcl;

	struct svc_rdma_pcl		rc_read_pcl;
	struct svc_rdma_chunk		*rc_cur_result_payload;
	struct svc_rdma_pcl		rc_write_pcl;
	struct svc_rdma_pcl		rc_reply_pcl;

	/* How the pages and the inline bytes make up the message. */
	unsigned int			rc_shim_head;	/* bytes */
	unsigned int			rc_shim_len;	/* bytes */
	bool				rc_shim_whole;
	unsigned int			rc_shim_tries;
	struct svcxprt_rdma		*rc_shim_rdma;
	struct svc_rdma_shim_chain	rc_shim_chain;

	unsigned int			rc_page_count;
	unsigned long			rc_maxpages;
	struct page			*rc_pages[];
};

/* The Writes of one Write chunk, or of the Reply chunk. */
struct svc_rdma_write_info {
	struct svcxprt_rdma		*wi_rdma;
	struct list_head		wi_list;

	const struct svc_rdma_chunk	*wi_chunk;

	unsigned int			wi_seg_off;
	unsigned int			wi_seg_no;

	const struct xdr_buf		*wi_xdr;
	unsigned char			*wi_base;
	unsigned int			wi_next_off;

	struct svc_rdma_chunk_ctxt	wi_cc;
};

/*
 * A message to send. One owner at a time: sc_send_ctxts, the thread that
 * replies, the chain (sc_shim_chain).
 */
struct svc_rdma_send_ctxt {
	struct llist_node		sc_node;
	struct rpc_rdma_cid		sc_cid;

	struct svcxprt_rdma		*sc_rdma;
	struct ib_send_wr		sc_send_wr;
	struct ib_send_wr		*sc_wr_chain;
	int				sc_sqecount;
	struct ib_cqe			sc_cqe;
	struct xdr_buf			sc_hdrbuf;
	struct xdr_stream		sc_stream;

	struct list_head		sc_write_info_list;
	struct svc_rdma_write_info	sc_reply_info;

	void				*sc_xprt_buf;
	int				sc_page_count;
	int				sc_cur_sge_no;
	unsigned long			sc_maxpages;
	struct page			**sc_pages;

	struct svc_rdma_shim_chain	sc_shim_chain;

	struct ib_sge			sc_sges[];
};

void svc_rdma_handle_bc_reply(struct svc_rqst *rqstp,
			      struct svc_rdma_recv_ctxt *rctxt);

void svc_rdma_recv_ctxts_destroy(struct svcxprt_rdma *rdma);
bool svc_rdma_post_recvs(struct svcxprt_rdma *rdma);
struct svc_rdma_recv_ctxt *svc_rdma_recv_ctxt_get(struct svcxprt_rdma *rdma);
void svc_rdma_recv_ctxt_put(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma_flush_recv_queues(struct svcxprt_rdma *rdma);
void svc_rdma_release_ctxt(struct svc_xprt *xprt, void *ctxt);
int svc_rdma_recvfrom(struct svc_rqst *rqstp);

void svc_rdma_destroy_rw_ctxts(struct svcxprt_rdma *rdma);
void svc_rdma_cc_init(struct svcxprt_rdma *rdma,
		      struct svc_rdma_chunk_ctxt *cc);
void svc_rdma_cc_release(struct svcxprt_rdma *rdma,
			 struct svc_rdma_chunk_ctxt *cc,
			 enum dma_data_direction dir);
void svc_rdma_write_chunk_release(struct svcxprt_rdma *rdma,
				  struct svc_rdma_send_ctxt *ctxt);
void svc_rdma_reply_chunk_release(struct svcxprt_rdma *rdma,
				  struct svc_rdma_send_ctxt *ctxt);
int svc_rdma_prepare_write_list(struct svcxprt_rdma *rdma,
				const struct svc_rdma_recv_ctxt *rctxt,
				struct svc_rdma_send_ctxt *sctxt,
				const struct xdr_buf *xdr);
int svc_rdma_prepare_reply_chunk(struct svcxprt_rdma *rdma,
				 const struct svc_rdma_pcl *write_pcl,
				 const struct svc_rdma_pcl *reply_pcl,
				 struct svc_rdma_send_ctxt *sctxt,
				 const struct xdr_buf *xdr);
int svc_rdma_process_read_list(struct svcxprt_rdma *rdma,
			       struct svc_rqst *rqstp,
			       struct svc_rdma_recv_ctxt *head);

void svc_rdma_send_ctxts_destroy(struct svcxprt_rdma *rdma);
void svc_rdma_send_ctxts_drain(struct svcxprt_rdma *rdma);
struct svc_rdma_send_ctxt *svc_rdma_send_ctxt_get(struct svcxprt_rdma *rdma);
void svc_rdma_send_ctxt_put(struct svcxprt_rdma *rdma,
			    struct svc_rdma_send_ctxt *ctxt);
int svc_rdma_post_send(struct svcxprt_rdma *rdma,
		       struct svc_rdma_send_ctxt *ctxt);
int svc_rdma_map_reply_msg(struct svcxprt_rdma *rdma,
			   struct svc_rdma_send_ctxt *sctxt,
			   const struct svc_rdma_pcl *write_pcl,
			   const struct svc_rdma_pcl *reply_pcl,
			   const struct xdr_buf *xdr);
void svc_rdma_send_error_msg(struct svcxprt_rdma *rdma,
			     struct svc_rdma_send_ctxt *sctxt,
			     struct svc_rdma_recv_ctxt *rctxt, int status);
void svc_rdma_wake_send_waiters(struct svcxprt_rdma *rdma, int avail);
int svc_rdma_sq_wait(struct svcxprt_rdma *rdma,
		     const struct rpc_rdma_cid *cid, int sqecount);
int svc_rdma_post_send_err(struct svcxprt_rdma *rdma,
			   const struct rpc_rdma_cid *cid,
			   const struct ib_send_wr *bad_wr,
			   const struct ib_send_wr *first_wr,
			   int sqecount, int ret);
int svc_rdma_sendto(struct svc_rqst *rqstp);
int svc_rdma_result_payload(struct svc_rqst *rqstp, unsigned int offset,
			    unsigned int length);

void svc_rdma_xprt_deferred_close(struct svcxprt_rdma *rdma);

#endif
