// SPDX-License-Identifier: GPL-2.0
/*
 * Does a thread of an RPC service say that it is ready, and then serve inside
 * of svc_recv() (6.10)? Before, it calls svc_process() itself. For the test
 * modules.
 * no-if: svc_thread_init_status
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>

void rdma_shim_probe(struct svc_rqst *rqstp);
void rdma_shim_probe(struct svc_rqst *rqstp)
{
	svc_thread_init_status(rqstp, 0);
}
MODULE_LICENSE("GPL");
