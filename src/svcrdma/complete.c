// SPDX-License-Identifier: GPL-2.0
/*
 * Stage 5, complete: the last Read of a call has finished, or failed.
 */
#include "svcrdma/svcrdma.h"

/**
 * rdma_shim_read_drop - a call whose Reads will never be done
 * @rdma: the connection
 * @chain: of the call
 *
 * Context: process or completion.
 */
void rdma_shim_read_drop(struct svcxprt_rdma *rdma,
			 struct svc_rdma_shim_chain *chain)
{
	svc_rdma_recv_ctxt_put(rdma, container_of(chain,
						  struct svc_rdma_recv_ctxt,
						  rc_shim_chain));
}

/**
 * rdma_shim_read_done - completion of the last Read of a call
 * @cq: the Send Queue's
 * @wc: how it went
 *
 * A failed Read closes the connection, and the client sends its call again on
 * a new one (R7).
 *
 * Context: completion.
 */
void rdma_shim_read_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_recv_ctxt *ctxt =
		container_of(wc->wr_cqe, struct svc_rdma_recv_ctxt,
			     rc_cc.cc_cqe);
	struct svcxprt_rdma *rdma = ctxt->rc_shim_rdma;
	int slots = ctxt->rc_cc.cc_sqecount;

	if (!rdma_shim_chain_land(rdma, &ctxt->rc_shim_chain))
		return;
	if (wc->status != IB_WC_SUCCESS) {
		if (wc->status != IB_WC_WR_FLUSH_ERR)
			rdma_shim_count(RDMA_SHIM_COUNT_READ_FAILED);
		svc_rdma_xprt_deferred_close(rdma);
		svc_rdma_recv_ctxt_put(rdma, ctxt);
		/* Last: the connection may go when all slots are back. */
		svc_rdma_wake_send_waiters(rdma, slots);
		return;
	}

	/* Unmapped before the service may look at the pages. */
	svc_rdma_cc_release(rdma, &ctxt->rc_cc, DMA_FROM_DEVICE);
	spin_lock_bh(&rdma->sc_rq_dto_lock);
	list_add_tail(&ctxt->rc_list, &rdma->sc_read_complete_q);
	rdma->sc_shim_reading--;
	rdma_shim_retry_starved(rdma);
	set_bit(XPT_DATA, &rdma->sc_xprt.xpt_flags);
	spin_unlock_bh(&rdma->sc_rq_dto_lock);
	svc_xprt_enqueue(&rdma->sc_xprt);
	svc_rdma_wake_send_waiters(rdma, slots);
}
