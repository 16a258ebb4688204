// SPDX-License-Identifier: GPL-2.0
/*
 * Does a deferred request keep the length of a transport header (5.10)?
 * no-if: rq_xprt_hlen
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

unsigned long rdma_shim_probe(struct svc_rqst *rqstp);
unsigned long rdma_shim_probe(struct svc_rqst *rqstp)
{
	return rqstp->rq_xprt_hlen;
}
MODULE_LICENSE("GPL");
