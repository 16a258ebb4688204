// SPDX-License-Identifier: GPL-2.0
/*
 * Calls from the server to the client on the client's own connection (RFC
 * 8167), for NFSv4.1 and later. Our connections have an ident of their own, so
 * the RPC client asks for our class and never for the kernel's (facts 3.9).
 */
#include "svcrdma/svcrdma.h"

#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/xprt.h>

enum { HEADER_WORDS = 7 };

struct bc_xprt {
	struct rpc_xprt	xprt;		/* first: xprt_free() frees it all */
	char		addr[INET6_ADDRSTRLEN + 10];
	char		port[8];
	char		hex_addr[40];
};

static struct svcxprt_rdma *connection(const struct rpc_xprt *xprt)
{
	return container_of(xprt->bc_xprt, struct svcxprt_rdma, sc_xprt);
}

/**
 * rdma_shim_bc_is_reply - does a message answer a call of ours?
 * @rdma: the connection
 * @header: its transport header
 * @words: the message
 * @bytes: its length
 *
 * Context: any.
 */
bool rdma_shim_bc_is_reply(const struct svcxprt_rdma *rdma,
			   const struct rdma_shim_header *header,
			   const __be32 *words, unsigned int bytes)
{
	const __be32 *body = words + header->size / sizeof(*words);

	return !header->nomsg && !header->read_segments &&
	       !header->write_chunks && !header->reply_chunks &&
	       bytes >= header->size + 2 * sizeof(*words) &&
	       body[0] == words[0] && body[1] == cpu_to_be32(RPC_REPLY);
}

static void take_credits(struct rpc_xprt *xprt,
			 const struct svcxprt_rdma *rdma, __be32 word)
{
	u32 credits = clamp_t(u32, be32_to_cpu(word), 1,
			      max(1U, rdma->sc_max_bc_requests));

	spin_lock(&xprt->transport_lock);
	xprt->cwnd = credits << RPC_CWNDSHIFT;
	spin_unlock(&xprt->transport_lock);
}

/**
 * rdma_shim_svc_rdma_handle_bc_reply - give a reply to who waits for it
 * @rqstp: a thread; rq_arg is the reply, and is emptied
 * @rctxt: the message, which stays the caller's
 *
 * A reply that nobody waits for, or that is longer than its buffer, is dropped.
 *
 * Context: a service thread.
 */
void rdma_shim_svc_rdma_handle_bc_reply(struct svc_rqst *rqstp,
					struct svc_rdma_recv_ctxt *rctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct rpc_xprt *xprt = rdma->sc_xprt.xpt_bc_xprt;
	const __be32 *words = rctxt->rc_recv_buf;
	struct xdr_buf *reply = &rqstp->rq_arg;
	struct rpc_rqst *req;
	struct kvec *to;

	if (!xprt)
		goto out;
	take_credits(xprt, rdma, words[2]);

	spin_lock(&xprt->queue_lock);
	req = xprt_lookup_rqst(xprt, words[0]);
	if (req) {
		to = &req->rq_private_buf.head[0];
		if (reply->len <= to->iov_len) {
			memcpy(to->iov_base, reply->head[0].iov_base,
			       reply->len);
			xprt_complete_rqst(req->rq_task, reply->len);
		}
	}
	spin_unlock(&xprt->queue_lock);
out:
	reply->len = 0;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_handle_bc_reply);

static int bc_buf_alloc(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	/* What does not fit inline cannot be sent at all. */
	if (rqst->rq_callsize > PAGE_SIZE)
		return -EINVAL;
	rqst->rq_buffer = kmalloc(rqst->rq_callsize, GFP_NOIO | __GFP_NOWARN);
	rqst->rq_rbuffer = kmalloc(rqst->rq_rcvsize, GFP_NOIO | __GFP_NOWARN);
	if (rqst->rq_buffer && rqst->rq_rbuffer)
		return 0;
	kfree(rqst->rq_buffer);
	kfree(rqst->rq_rbuffer);
	rqst->rq_buffer = NULL;
	rqst->rq_rbuffer = NULL;
	return -ENOMEM;
}

static void bc_buf_free(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	kfree(rqst->rq_buffer);
	kfree(rqst->rq_rbuffer);
}

static int bc_encode(struct rpc_rqst *rqst, struct svcxprt_rdma *rdma,
		     struct svc_rdma_send_ctxt *sctxt)
{
	struct svc_rdma_pcl none = { };
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream, HEADER_WORDS * sizeof(*p));
	if (!p)
		return -E2BIG;
	*p++ = rqst->rq_xid;
	*p++ = rpcrdma_version;
	*p++ = cpu_to_be32(rdma->sc_max_bc_requests);
	*p++ = rdma_msg;
	*p++ = xdr_zero;
	*p++ = xdr_zero;
	*p = xdr_zero;
	pcl_init(&none);
	return svc_rdma_map_reply_msg(rdma, sctxt, &none, &none,
				      &rqst->rq_snd_buf);
}

static int bc_send_request(struct rpc_rqst *rqst)
{
	struct svcxprt_rdma *rdma = connection(rqst->rq_xprt);
	struct svc_rdma_send_ctxt *sctxt;

	if (svc_xprt_is_dead(&rdma->sc_xprt))
		return -ENOTCONN;
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		goto close;
	rqst->rq_xtime = ktime_get();
	if (bc_encode(rqst, rdma, sctxt))
		goto put;
	if (!svc_rdma_post_send(rdma, sctxt))
		return 0;
put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
close:
	svc_rdma_xprt_deferred_close(rdma);
	return -ENOTCONN;
}

static void bc_close(struct rpc_xprt *xprt)
{
	xprt_disconnect_done(xprt);
	xprt->cwnd = RPC_CWNDSCALE;
}

static void bc_destroy(struct rpc_xprt *xprt)
{
	xprt_free(xprt);
	module_put(THIS_MODULE);
}

static void bc_print_stats(struct rpc_xprt *xprt, struct seq_file *seq)
{
	seq_printf(seq, "\txprt:\trdma %lu %lu %lu\n", xprt->stat.sends,
		   xprt->stat.recvs, xprt->stat.bad_xids);
}

static const struct rpc_xprt_ops bc_ops = {
	.reserve_xprt		= xprt_reserve_xprt_cong,
	.release_xprt		= xprt_release_xprt_cong,
	.alloc_slot		= xprt_alloc_slot,
	.free_slot		= xprt_free_slot,
	.release_request	= xprt_release_rqst_cong,
	.buf_alloc		= bc_buf_alloc,
	.buf_free		= bc_buf_free,
	.send_request		= bc_send_request,
	.wait_for_reply_request	= xprt_wait_for_reply_request_def,
	.close			= bc_close,
	.destroy		= bc_destroy,
	.print_stats		= bc_print_stats,
};

static const struct rpc_timeout bc_timeout = {
	.to_initval	= 60 * HZ,
	.to_maxval	= 60 * HZ,
};

static void name_addresses(struct bc_xprt *bc)
{
	struct sockaddr *sa = (struct sockaddr *)&bc->xprt.addr;

	rpc_ntop(sa, bc->addr, sizeof(bc->addr));
	snprintf(bc->port, sizeof(bc->port), "%u", rpc_get_port(sa));
	snprintf(bc->hex_addr, sizeof(bc->hex_addr), "%pISc", sa);
	bc->xprt.address_strings[RPC_DISPLAY_ADDR] = bc->addr;
	bc->xprt.address_strings[RPC_DISPLAY_PORT] = bc->port;
	bc->xprt.address_strings[RPC_DISPLAY_HEX_ADDR] = bc->hex_addr;
	bc->xprt.address_strings[RPC_DISPLAY_HEX_PORT] = bc->port;
	bc->xprt.address_strings[RPC_DISPLAY_PROTO] = "rdma";
	bc->xprt.address_strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA;
}

static struct rpc_xprt *bc_setup(struct xprt_create *args)
{
	struct rpc_xprt *xprt;

	if (args->addrlen > sizeof(xprt->addr))
		return ERR_PTR(-EBADF);
	xprt = xprt_alloc(args->net, sizeof(struct bc_xprt),
			  RPCRDMA_MAX_BC_REQUESTS, RPCRDMA_MAX_BC_REQUESTS);
	if (!xprt)
		return ERR_PTR(-ENOMEM);
	/* Its operations are called until bc_destroy(). */
	__module_get(THIS_MODULE);

	xprt->timeout = &bc_timeout;
	xprt_set_bound(xprt);
	xprt_set_connected(xprt);
	xprt->prot = RDMA_SHIM_XPRT_IDENT | XPRT_TRANSPORT_BC;
	xprt->ops = &bc_ops;
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	xprt->addrlen = args->addrlen;
	xprt->max_payload = RPCRDMA_V1_DEF_INLINE_SIZE;
	name_addresses(container_of(xprt, struct bc_xprt, xprt));

	/* Put by the core when the svc_xprt is freed. */
	xprt_get(xprt);
	args->bc_xprt->xpt_bc_xprt = xprt;
	xprt->bc_xprt = args->bc_xprt;
	return xprt;
}

static struct xprt_class bc_class = {
	.list	= LIST_HEAD_INIT(bc_class.list),
	.name	= "rdma-shim backchannel",
	.owner	= THIS_MODULE,
	.ident	= RDMA_SHIM_XPRT_IDENT | XPRT_TRANSPORT_BC,
	.setup	= bc_setup,
	/* The core reads names up to an empty one: it is never asked for. */
	.netid	= { "" },
};

/**
 * rdma_shim_bc_init - offer the backchannel to the RPC client
 *
 * Context: process.
 * Return: 0 or an error of the RPC layer.
 */
int rdma_shim_bc_init(void)
{
	return xprt_register_transport(&bc_class);
}

/**
 * rdma_shim_bc_exit - take it away
 *
 * Context: process.
 */
void rdma_shim_bc_exit(void)
{
	xprt_unregister_transport(&bc_class);
}
