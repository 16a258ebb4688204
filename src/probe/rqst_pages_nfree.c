// SPDX-License-Identifier: GPL-2.0
/*
 * Has a service thread separate pages for the reply (7.1), and a count of the
 * request pages that the transport took?
 * no-if: rq_pages_nfree
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

unsigned long rdma_shim_probe(struct svc_rqst *rqstp);
unsigned long rdma_shim_probe(struct svc_rqst *rqstp)
{
	return rqstp->rq_pages_nfree;
}
MODULE_LICENSE("GPL");
