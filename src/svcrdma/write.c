// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA Writes of a reply: result payloads go to the Write list, what remains
 * may go to the Reply chunk (RFC 8166 sections 3.4.6 and 3.5).
 */
#include "svcrdma/svcrdma.h"

#include <linux/slab.h>

/**
 * rdma_shim_svc_rdma_write_chunk_release - free the Writes of payloads
 * @rdma: the connection
 * @ctxt: the reply, not in flight
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_write_chunk_release(struct svcxprt_rdma *rdma,
					    struct svc_rdma_send_ctxt *ctxt)
{
	struct svc_rdma_write_info *info, *next;

	list_for_each_entry_safe(info, next, &ctxt->sc_write_info_list,
				 wi_list) {
		svc_rdma_cc_release(rdma, &info->wi_cc, DMA_TO_DEVICE);
		kfree(info);
	}
	INIT_LIST_HEAD(&ctxt->sc_write_info_list);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_write_chunk_release);

/**
 * rdma_shim_svc_rdma_reply_chunk_release - free the Writes of the Reply chunk
 * @rdma: the connection
 * @ctxt: the reply, not in flight
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_reply_chunk_release(struct svcxprt_rdma *rdma,
					    struct svc_rdma_send_ctxt *ctxt)
{
	svc_rdma_cc_release(rdma, &ctxt->sc_reply_info.wi_cc, DMA_TO_DEVICE);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_reply_chunk_release);

static void start(struct svcxprt_rdma *rdma, struct svc_rdma_write_info *info,
		  const struct svc_rdma_chunk *chunk)
{
	info->wi_rdma = rdma;
	info->wi_chunk = chunk;
	info->wi_seg_no = 0;
	info->wi_seg_off = 0;
	svc_rdma_cc_init(rdma, &info->wi_cc);
}

/* The Writes go in front of what the reply has to post already. */
static void chain(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt,
		  struct svc_rdma_write_info *info)
{
	sctxt->sc_wr_chain = rdma_shim_rw_chain(rdma, &info->wi_cc, NULL,
						sctxt->sc_wr_chain,
						&sctxt->sc_sqecount);
	percpu_counter_inc(&svcrdma_stat_write);
}

static int write_payload(struct svcxprt_rdma *rdma,
			 struct svc_rdma_send_ctxt *sctxt,
			 const struct svc_rdma_chunk *chunk,
			 const struct xdr_buf *xdr)
{
	struct svc_rdma_write_info *info;
	struct xdr_buf payload;
	int ret;

	if (rdma_shim_xdr_part(xdr, &payload, chunk->ch_position,
			       chunk->ch_payload_length))
		return -EMSGSIZE;
	info = kzalloc(sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	start(rdma, info, chunk);
	list_add(&info->wi_list, &sctxt->sc_write_info_list);
	ret = rdma_shim_rw_write(rdma, info, sctxt, &payload);
	if (ret)
		return ret;
	chain(rdma, sctxt, info);
	return 0;
}

/**
 * rdma_shim_svc_rdma_prepare_write_list - set up the Writes of all payloads
 * @rdma: the connection
 * @rctxt: the call, with its Write list
 * @sctxt: the reply, in front of whose Send they go
 * @xdr: the reply's bytes
 *
 * Context: process.
 * Return: 0, -E2BIG or -EMSGSIZE if a payload does not fit its chunk, -ENOMEM,
 * -EIO. Nothing is posted; @sctxt owns what was set up.
 */
int rdma_shim_svc_rdma_prepare_write_list(struct svcxprt_rdma *rdma,
					  const struct svc_rdma_recv_ctxt *rctxt,
					  struct svc_rdma_send_ctxt *sctxt,
					  const struct xdr_buf *xdr)
{
	const struct svc_rdma_chunk *chunk;
	int ret;

	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl) {
		if (!chunk->ch_payload_length)
			continue;
		ret = write_payload(rdma, sctxt, chunk, xdr);
		if (ret)
			return ret;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_prepare_write_list);

struct reply_part {
	struct svcxprt_rdma *rdma;
	struct svc_rdma_send_ctxt *sctxt;
	int length;
};

static int write_part(const struct xdr_buf *xdr, void *data)
{
	struct reply_part *part = data;

	part->length += xdr->len;
	return rdma_shim_rw_write(part->rdma, &part->sctxt->sc_reply_info,
				  part->sctxt, xdr);
}

/**
 * rdma_shim_svc_rdma_prepare_reply_chunk - set up the Writes of a long reply
 * @rdma: the connection
 * @write_pcl: the Write list, whose payloads are left out
 * @reply_pcl: the Reply chunk
 * @sctxt: the reply, in front of whose Send they go
 * @xdr: the reply's bytes
 *
 * Context: process.
 * Return: bytes written, -E2BIG if they do not fit, -ENOMEM, -EIO. Nothing is
 * posted; @sctxt owns what was set up.
 */
int rdma_shim_svc_rdma_prepare_reply_chunk(struct svcxprt_rdma *rdma,
					   const struct svc_rdma_pcl *write_pcl,
					   const struct svc_rdma_pcl *reply_pcl,
					   struct svc_rdma_send_ctxt *sctxt,
					   const struct xdr_buf *xdr)
{
	struct reply_part part = { .rdma = rdma, .sctxt = sctxt };
	int ret;

	start(rdma, &sctxt->sc_reply_info, pcl_first_chunk(reply_pcl));
	ret = pcl_process_nonpayloads(write_pcl, xdr, write_part, &part);
	if (ret < 0)
		return ret;
	chain(rdma, sctxt, &sctxt->sc_reply_info);
	return part.length;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_prepare_reply_chunk);
