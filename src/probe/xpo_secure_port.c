// SPDX-License-Identifier: GPL-2.0
/*
 * Does the core ask the transport for RQ_SECURE (up to 6.1)?
 * no-if: xpo_secure_port
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

bool rdma_shim_probe(struct svc_xprt_ops *ops, void (*hook)(struct svc_rqst *));
bool rdma_shim_probe(struct svc_xprt_ops *ops, void (*hook)(struct svc_rqst *))
{
	return ops->xpo_secure_port == hook;
}
MODULE_LICENSE("GPL");
