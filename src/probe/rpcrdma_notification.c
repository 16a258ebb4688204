// SPDX-License-Identifier: GPL-2.0
/*
 * Does struct svcxprt_rdma of this kernel know of removal notifications?
 * no-if: rdma_rn
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/rdma_rn.h>

unsigned long rdma_shim_probe(struct rpcrdma_notification *rn);
unsigned long rdma_shim_probe(struct rpcrdma_notification *rn)
{
	return rn->rn_index;
}
MODULE_LICENSE("GPL");
