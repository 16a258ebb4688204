/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One call of ib_map_mr_sg() on a device, judged by the model and by what a
 * peer then reads and writes.
 */
#ifndef RDMA_SHIM_TEST_MR_CASE_H
#define RDMA_SHIM_TEST_MR_CASE_H

#include <linux/spinlock.h>

#include "mr_api.h"
#include "mr_memory.h"
#include "mr_pair.h"

/* The caller passes NULL for sg_offset. */
#define MR_NULL_OFFSET U32_MAX

/**
 * struct mr_case - the call
 * @page_size: in bytes
 * @max_num_sg: of the region
 * @offset: *sg_offset, or MR_NULL_OFFSET
 * @nents: elements
 * @chain_after: see mr_memory_list()
 * @place: the elements
 */
struct mr_case {
	u32 page_size;
	u32 max_num_sg;
	u32 offset;
	int nents;
	int chain_after;
	struct mr_place place[MR_LIST_MAX];
};

/**
 * struct mr_ctx - what cases run on
 * @api: whose functions
 * @siw: the device is siw
 * @addr: IPv4 address of the device
 * @port: of the next connection
 * @pair: the connection
 * @broken: a transfer failed, which ends a connection
 * @memory: what lists are made of
 * @transferring: the case has come to its transfers
 * @answer: the model's answer to the case that runs
 * @atomic: held around calls that may be made in atomic context
 * @random: state of the generator, from the seed
 */
struct mr_ctx {
	const struct mr_api *api;
	bool siw;
	bool transferring;
	__be32 addr;
	u16 port;
	struct mr_pair pair;
	bool broken;
	struct mr_memory memory;
	struct mr_answer answer;
	spinlock_t atomic; /* guards nothing: only stops sleeping */
	u64 random;
};

int mr_case_connect(struct mr_ctx *c);
struct ib_mr *mr_case_region(struct mr_ctx *c, u32 max_num_sg);
u32 mr_random(struct mr_ctx *c, u32 below);
const char *mr_case_map(struct mr_ctx *c, struct ib_mr *mr,
			const struct mr_case *t, int *ret, u32 *resume);
const char *mr_case_transfer(struct mr_ctx *c, struct ib_mr *mr);
const char *mr_case_on(struct mr_ctx *c, struct ib_mr *mr,
		       const struct mr_case *t);
const char *mr_case_run(struct mr_ctx *c, const struct mr_case *t);

#endif
