/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The removal notification is a member of 7.3's struct svcxprt_rdma. Our
 * transport learns of a removal from the connection manager and leaves the
 * member alone.
 */
#ifndef RDMA_SHIM_LINUX_SUNRPC_RDMA_RN_H
#define RDMA_SHIM_LINUX_SUNRPC_RDMA_RN_H

#include <rdma-shim/config.h>

#if RDMA_SHIM_HAVE_RPCRDMA_NOTIFICATION
#include_next <linux/sunrpc/rdma_rn.h>
#else
#include <linux/types.h>

struct rpcrdma_notification {
	void	(*rn_done)(struct rpcrdma_notification *rn);
	u32	rn_index;
};
#endif

#endif
