/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions under test, twice: through the package, and the running
 * kernel's own. mr_api.c is compiled once for each.
 */
#ifndef RDMA_SHIM_TEST_MR_API_H
#define RDMA_SHIM_TEST_MR_API_H

#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>

struct mr_api {
	const char *name;
	struct ib_mr *(*alloc)(struct ib_pd *pd, enum ib_mr_type type,
			       u32 max_num_sg);
	int (*dereg)(struct ib_mr *mr);
	int (*map)(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset, unsigned int page_size);
	int (*map_zbva)(struct ib_mr *mr, struct scatterlist *sg, int nents,
			unsigned int *offset, unsigned int page_size);
	int (*map_pi)(struct ib_mr *mr, struct scatterlist *data_sg,
		      int data_nents, unsigned int *data_offset,
		      struct scatterlist *meta_sg, int meta_nents,
		      unsigned int *meta_offset, unsigned int page_size);
	int (*pool_init)(struct ib_qp *qp, struct list_head *list, int nr,
			 enum ib_mr_type type, u32 max_num_sg, u32 meta);
	void (*pool_destroy)(struct ib_qp *qp, struct list_head *list);
};

extern const struct mr_api mr_api_ours;
extern const struct mr_api mr_api_native;

#endif
