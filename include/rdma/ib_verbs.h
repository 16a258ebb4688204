/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions as Linux 7.3 documents them (contract section 1).
 */
#ifndef RDMA_SHIM_RDMA_IB_VERBS_H
#define RDMA_SHIM_RDMA_IB_VERBS_H

#include_next <rdma/ib_verbs.h>

struct ib_mr *rdma_shim_ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type,
				    u32 max_num_sg);
int rdma_shim_ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata);
int rdma_shim_ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg,
			   int sg_nents, unsigned int *sg_offset,
			   unsigned int page_size);
int rdma_shim_ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg,
				int sg_nents, unsigned int *sg_offset,
				unsigned int page_size);
int rdma_shim_ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg,
			      int data_sg_nents, unsigned int *data_sg_offset,
			      struct scatterlist *meta_sg, int meta_sg_nents,
			      unsigned int *meta_sg_offset,
			      unsigned int page_size);

static inline int rdma_shim_ib_dereg_mr(struct ib_mr *mr)
{
	return rdma_shim_ib_dereg_mr_user(mr, NULL);
}

#ifndef RDMA_SHIM_INTERNAL
#define ib_alloc_mr		rdma_shim_ib_alloc_mr
#define ib_dereg_mr_user	rdma_shim_ib_dereg_mr_user
#define ib_dereg_mr		rdma_shim_ib_dereg_mr
#define ib_map_mr_sg		rdma_shim_ib_map_mr_sg
#define ib_map_mr_sg_zbva	rdma_shim_ib_map_mr_sg_zbva
#define ib_map_mr_sg_pi		rdma_shim_ib_map_mr_sg_pi
#endif

#endif
