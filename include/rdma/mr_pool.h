/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pools of regions whose capacity is remembered (contract section 1).
 */
#ifndef RDMA_SHIM_RDMA_MR_POOL_H
#define RDMA_SHIM_RDMA_MR_POOL_H

#include_next <rdma/mr_pool.h>

int rdma_shim_ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr,
			      enum ib_mr_type type, u32 max_num_sg,
			      u32 max_num_meta_sg);
void rdma_shim_ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list);

#ifndef RDMA_SHIM_INTERNAL
#define ib_mr_pool_init		rdma_shim_ib_mr_pool_init
#define ib_mr_pool_destroy	rdma_shim_ib_mr_pool_destroy
#endif

#endif
