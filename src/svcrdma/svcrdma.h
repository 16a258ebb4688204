/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the stages give each other, beyond linux/sunrpc/svc_rdma.h.
 */
#ifndef RDMA_SHIM_SVC_SVCRDMA_H
#define RDMA_SHIM_SVC_SVCRDMA_H

#include <linux/sunrpc/svc_rdma.h>

#include "svcrdma/compat.h"
#include "svcrdma/parse.h"
#include "svcrdma/plan.h"

/* Not XPRT_TRANSPORT_RDMA, whose backchannel would take us for its own. */
#define RDMA_SHIM_XPRT_IDENT	0x7a01
#define RDMA_SHIM_XPRT_NAME	"rdma-shim"

struct rdma_shim_rw;
struct rpc_xprt;

/* Counters of everything refused, failed or waiting (main.c). */
enum rdma_shim_count {
	RDMA_SHIM_COUNT_ERR_VERS,
	RDMA_SHIM_COUNT_ERR_CHUNK,
	RDMA_SHIM_COUNT_READ_FAILED,
	RDMA_SHIM_COUNT_SEND_FAILED,
	RDMA_SHIM_COUNT_CLOSED,
	RDMA_SHIM_COUNT_ACCEPTED,
	RDMA_SHIM_COUNTS
};

void rdma_shim_count(enum rdma_shim_count which);
void rdma_shim_note_slots(unsigned int slots);

/* receive.c */
void rdma_shim_forget_reads(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt);
void rdma_shim_retry_starved(struct svcxprt_rdma *rdma);

/* queue.c */
int rdma_shim_chain_submit(struct svcxprt_rdma *rdma,
			   struct svc_rdma_shim_chain *chain);
bool rdma_shim_chain_land(struct svcxprt_rdma *rdma,
			  struct svc_rdma_shim_chain *chain);
void rdma_shim_chain_purge(struct svcxprt_rdma *rdma);
void rdma_shim_chain_bury(struct svcxprt_rdma *rdma);
bool rdma_shim_chain_waits(struct svcxprt_rdma *rdma);

/* rw.c */
int rdma_shim_rw_read(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *ctxt,
		      const struct rdma_shim_piece *piece);
int rdma_shim_rw_write(struct svcxprt_rdma *rdma,
		       struct svc_rdma_write_info *info,
		       struct svc_rdma_send_ctxt *sctxt,
		       const struct xdr_buf *xdr);
struct ib_send_wr *rdma_shim_rw_chain(struct svcxprt_rdma *rdma,
				      struct svc_rdma_chunk_ctxt *cc,
				      struct ib_cqe *cqe,
				      struct ib_send_wr *next, int *slots);

/* spare.c */
unsigned int rdma_shim_spare_take(struct page **pages, unsigned int most);
void rdma_shim_spare_give(struct page **pages, unsigned int count);
void rdma_shim_spare_drop(void);

/* complete.c */
void rdma_shim_read_done(struct ib_cq *cq, struct ib_wc *wc);
void rdma_shim_read_drop(struct svcxprt_rdma *rdma,
			 struct svc_rdma_shim_chain *chain);

/* deliver.c */
int rdma_shim_deliver_inline(struct svc_rqst *rqstp,
			     struct svc_rdma_recv_ctxt *ctxt);
int rdma_shim_deliver_read(struct svc_rqst *rqstp,
			   struct svc_rdma_recv_ctxt *ctxt);

/* error.c */
void rdma_shim_refuse(struct svcxprt_rdma *rdma,
		      struct svc_rdma_recv_ctxt *rctxt, int status);

/* send.c */
int rdma_shim_send_room(const struct svcxprt_rdma *rdma);

/* backchannel.c */
bool rdma_shim_bc_is_reply(const struct svcxprt_rdma *rdma,
			   const struct rdma_shim_header *header,
			   const __be32 *words, unsigned int bytes);
int rdma_shim_bc_init(void);
void rdma_shim_bc_exit(void);

/* transport.c */
int rdma_shim_transport_init(unsigned int max_payload);
void rdma_shim_transport_exit(void);

#endif
