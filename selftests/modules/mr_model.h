/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What contract section 1 says of one call, counted byte by byte.
 */
#ifndef RDMA_SHIM_TEST_MR_MODEL_H
#define RDMA_SHIM_TEST_MR_MODEL_H

#include <linux/types.h>

#define MR_MODEL_RUNS 1024

/**
 * struct mr_element - one element of a list
 * @addr: DMA address
 * @len: bytes
 */
struct mr_element {
	u64 addr;
	u32 len;
};

/**
 * struct mr_question - one call
 * @element: the list
 * @nents: its elements
 * @offset: the caller's *sg_offset, 0 for NULL
 * @page_size: the caller's
 * @max_num_sg: pages (with @gaps: elements) the region holds
 * @gaps: the region is of type SG_GAPS
 */
struct mr_question {
	const struct mr_element *element;
	int nents;
	u32 offset;
	u32 page_size;
	u32 max_num_sg;
	bool gaps;
};

/**
 * struct mr_answer - what has to come out
 * @ret: whole elements, or -EINVAL
 * @resume: *sg_offset afterwards
 * @length: bytes the region covers
 * @runs: contiguous stretches among them
 * @run: where they are; @run[0].addr is the iova
 */
struct mr_answer {
	int ret;
	u32 resume;
	u64 length;
	unsigned int runs;
	struct {
		u64 addr;
		u64 len;
	} run[MR_MODEL_RUNS];
};

void mr_model(const struct mr_question *q, struct mr_answer *a);

#endif
