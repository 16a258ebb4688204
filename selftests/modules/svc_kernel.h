/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernels for an RPC service and for a transport class.
 * Where a function only got another argument, the compiler knows its type.
 */
#ifndef RDMA_SHIM_TEST_SVC_KERNEL_H
#define RDMA_SHIM_TEST_SVC_KERNEL_H

#include <linux/kthread.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_rdma.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/sunrpc/svcsock.h>
#include <rdma-shim/config.h>

#define SVC_IS(fn, type)	__builtin_types_compatible_p(typeof(fn), type)

/* A pointer to @fn if that is its type, otherwise a null pointer. */
#define SVC_AS(fn, type) \
	((type)__builtin_choose_expr(SVC_IS(&(fn), type), fn, (void *)0))

#if RDMA_SHIM_HAVE_SVC_THREAD_INIT_STATUS
static inline void svc_k_ready(struct svc_rqst *rqstp)
{
	svc_thread_init_status(rqstp, 0);
}

static inline bool svc_k_should_stop(struct svc_rqst *rqstp)
{
	return svc_thread_should_stop(rqstp);
}

static inline void svc_k_serve(struct svc_rqst *rqstp)
{
	if (SVC_IS(svc_recv, void (struct svc_rqst *)))
		SVC_AS(svc_recv, void (*)(struct svc_rqst *))(rqstp);
	else
		SVC_AS(svc_recv, int (*)(struct svc_rqst *, long))(rqstp, 0);
}
#else
static inline void svc_k_ready(struct svc_rqst *rqstp)
{
}

static inline bool svc_k_should_stop(struct svc_rqst *rqstp)
{
	return kthread_should_stop();
}

static inline void svc_k_serve(struct svc_rqst *rqstp)
{
	if (svc_recv(rqstp, MAX_SCHEDULE_TIMEOUT) > 0)
		svc_process(rqstp);
}
#endif

/* Before 7.1 a pool stands where the least number of threads stands now. */
static inline int svc_k_set_threads(struct svc_serv *serv, unsigned int threads)
{
	return svc_set_num_threads(serv, 0, threads);
}

static inline void svc_k_close_all(struct svc_serv *serv, struct net *net)
{
	if (SVC_IS(svc_xprt_destroy_all, void (struct svc_serv *, struct net *)))
		SVC_AS(svc_xprt_destroy_all,
		       void (*)(struct svc_serv *, struct net *))(serv, net);
	else
		SVC_AS(svc_xprt_destroy_all,
		       void (*)(struct svc_serv *, struct net *, bool))
			(serv, net, false);
}

#if RDMA_SHIM_HAVE_SVC_SERV_REFCNT
static inline void svc_k_destroy(struct svc_serv *serv)
{
	svc_put(serv);
}
#else
static inline void svc_k_destroy(struct svc_serv *serv)
{
	svc_destroy(&serv);
}
#endif

#define SVC_K_AUTH typeof(((struct svc_program *)NULL)->pg_authenticate(NULL))

/* Before 6.3 a dispatcher prepares both streams itself. */
#define SVC_K_DISPATCH_PREPARES \
	SVC_IS(((struct svc_process_info *)NULL)->dispatch, \
	       int (*)(struct svc_rqst *, __be32 *))

#define SVC_K_DISPATCHER(prepares, plain) \
	__builtin_choose_expr(SVC_K_DISPATCH_PREPARES, prepares, plain)

/* From 5.13 on the transport says when it has taken its message. */
#if RDMA_SHIM_HAVE_XPRT_DEFERRED_CLOSE
static inline void svc_k_received(struct svc_xprt *xprt)
{
	svc_xprt_received(xprt);
}
#else
static inline void svc_k_received(struct svc_xprt *xprt)
{
}
#endif

/* The hooks of a transport class that are not named alike. */
#if RDMA_SHIM_HAVE_XPO_RELEASE_CTXT
#define SVC_K_RELEASE	.xpo_release_ctxt = svc_rdma_release_ctxt
#else
static inline void svc_k_release(struct svc_rqst *rqstp)
{
	void *ctxt = rqstp->rq_xprt_ctxt;

	rqstp->rq_xprt_ctxt = NULL;
	svc_rdma_release_ctxt(rqstp->rq_xprt, ctxt);
}

#define SVC_K_RELEASE	.xpo_release_rqst = svc_k_release
#endif

#if RDMA_SHIM_HAVE_XPO_SECURE_PORT
static inline void svc_k_secure_port(struct svc_rqst *rqstp)
{
	set_bit(RQ_SECURE, &rqstp->rq_flags);
}

#define SVC_K_SECURE	.xpo_secure_port = svc_k_secure_port,
#else
#define SVC_K_SECURE
#endif

#if RDMA_SHIM_HAVE_XPO_RESULT_PAYLOAD
#define SVC_K_PAYLOAD	.xpo_result_payload = svc_rdma_result_payload
#else
#define SVC_K_PAYLOAD	.xpo_read_payload = svc_rdma_result_payload
#endif

#endif
