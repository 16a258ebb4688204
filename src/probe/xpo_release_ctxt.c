// SPDX-License-Identifier: GPL-2.0
/*
 * Does the release hook of a transport get the context (6.4, and stable 6.1)?
 * Before, it gets the svc_rqst.
 * no-if: xpo_release_ctxt
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

bool rdma_shim_probe(struct svc_xprt_ops *ops, void (*hook)(struct svc_xprt *, void *));
bool rdma_shim_probe(struct svc_xprt_ops *ops, void (*hook)(struct svc_xprt *, void *))
{
	return ops->xpo_release_ctxt == hook;
}
MODULE_LICENSE("GPL");
