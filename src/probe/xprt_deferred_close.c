// SPDX-License-Identifier: GPL-2.0
/*
 * Is there svc_xprt_deferred_close()? It came with the change that lets the
 * transport, no longer the core, call svc_xprt_received() (5.13).
 * no-if: svc_xprt_deferred_close
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

void rdma_shim_probe(struct svc_xprt *xprt);
void rdma_shim_probe(struct svc_xprt *xprt)
{
	svc_xprt_deferred_close(xprt);
}
MODULE_LICENSE("GPL");
