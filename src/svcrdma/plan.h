/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RDMA_SHIM_SVC_PLAN_H
#define RDMA_SHIM_SVC_PLAN_H

#include <linux/types.h>

struct svc_rdma_pcl;

/**
 * struct rdma_shim_call - what a call is made of
 * @call: the call chunk, or an empty list
 * @reads: data chunks in the order of their positions
 * @inline_bytes: length of the inline body; 0 if there is a call chunk
 * @split_from: a lone data chunk at or behind this position can be a page
 *	list of its own; bytes
 * @max_pages: pages that may be filled; the reply's page is not among them
 */
struct rdma_shim_call {
	const struct svc_rdma_pcl *call;
	const struct svc_rdma_pcl *reads;
	unsigned int inline_bytes;
	unsigned int split_from;
	unsigned int max_pages;
};

/**
 * struct rdma_shim_layout - how the message will lie in memory
 * @whole: the pages hold all of it. Otherwise they hold the data chunk, and
 *	the inline body goes around it
 * @head: bytes in front of the pages (inline if not @whole, else of page 0)
 * @length: the message, pads included; bytes
 * @sink: bytes of the pages that are filled
 * @pages: pages that takes
 */
struct rdma_shim_layout {
	bool whole;
	unsigned int head;
	unsigned int length;
	unsigned int sink;
	unsigned int pages;
};

enum rdma_shim_source {
	RDMA_SHIM_FROM_INLINE,
	RDMA_SHIM_FROM_PEER,
	RDMA_SHIM_ZEROS,
};

/**
 * struct rdma_shim_piece - bytes that come from one place
 * @source: which place
 * @sink: where they go, counted from the first byte of the first page
 * @length: bytes, never 0
 * @from: offset in the inline body
 * @handle: the peer's memory
 * @offset: the address there
 */
struct rdma_shim_piece {
	enum rdma_shim_source source;
	unsigned int sink;
	unsigned int length;
	unsigned int from;
	u32 handle;
	u64 offset;
};

typedef int (*rdma_shim_emit)(void *data, const struct rdma_shim_piece *piece);

bool rdma_shim_positions_fit(const struct svc_rdma_pcl *reads,
			     u64 base_bytes);
int rdma_shim_plan(const struct rdma_shim_call *call,
		   struct rdma_shim_layout *layout);
int rdma_shim_pieces(const struct rdma_shim_call *call,
		     const struct rdma_shim_layout *layout,
		     rdma_shim_emit emit, void *data);

#endif
