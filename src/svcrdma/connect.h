/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RDMA_SHIM_SVC_CONNECT_H
#define RDMA_SHIM_SVC_CONNECT_H

struct rdma_conn_param;
struct svcxprt_rdma;

/* Connections that wait for a thread to accept them. */
#define RDMA_SHIM_MAX_PENDING	128

void rdma_shim_connect_offer(struct svcxprt_rdma *rdma,
			     const struct rdma_conn_param *param);
int rdma_shim_connect_accept(struct svcxprt_rdma *rdma);
void rdma_shim_connect_free(struct svcxprt_rdma *rdma);

#endif
