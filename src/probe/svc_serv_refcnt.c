// SPDX-License-Identifier: GPL-2.0
/*
 * Is an RPC service counted by references (until 6.7)? For the test modules.
 * no-if: sv_refcnt
 * needs: svcrdma
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>

bool rdma_shim_probe(struct svc_serv *serv);
bool rdma_shim_probe(struct svc_serv *serv)
{
	return kref_read(&serv->sv_refcnt);
}
MODULE_LICENSE("GPL");
