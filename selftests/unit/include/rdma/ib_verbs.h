/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The members of verbs objects that mapping a region touches.
 */
#ifndef UNIT_RDMA_IB_VERBS_H
#define UNIT_RDMA_IB_VERBS_H

#include <linux/scatterlist.h>
#include <linux/sizes.h>

enum ib_mr_type {
	IB_MR_TYPE_MEM_REG,
	IB_MR_TYPE_SG_GAPS,
	IB_MR_TYPE_INTEGRITY,
};

enum rdma_driver_id {
	RDMA_DRIVER_UNKNOWN,
	RDMA_DRIVER_QEDR,
	RDMA_DRIVER_RXE,
	RDMA_DRIVER_SIW,
};

struct ib_pd;
struct ib_mr;

struct ib_device_ops {
	enum rdma_driver_id driver_id;
	int (*map_mr_sg)(struct ib_mr *mr, struct scatterlist *sg, int nents,
			 unsigned int *offset);
	int (*map_mr_sg_pi)(struct ib_mr *mr, struct scatterlist *data_sg,
			    int data_nents, unsigned int *data_offset,
			    struct scatterlist *meta_sg, int meta_nents,
			    unsigned int *meta_offset);
};

struct ib_device {
	struct ib_device_ops ops;
};

struct ib_mr {
	struct ib_device *device;
	u64 iova;
	u64 length;
	unsigned int page_size;
	enum ib_mr_type type;
};

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

#endif
