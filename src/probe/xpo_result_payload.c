// SPDX-License-Identifier: GPL-2.0
/*
 * Is the hook called xpo_result_payload (5.10.218: xpo_read_payload)?
 * no-if: xpo_result_payload
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

bool rdma_shim_probe(struct svc_xprt_ops *ops, void *hook);
bool rdma_shim_probe(struct svc_xprt_ops *ops, void *hook)
{
	return ops->xpo_result_payload == hook;
}
MODULE_LICENSE("GPL");
