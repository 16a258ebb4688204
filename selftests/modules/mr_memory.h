/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that lists are made of, with a copy of what it should hold.
 */
#ifndef RDMA_SHIM_TEST_MR_MEMORY_H
#define RDMA_SHIM_TEST_MR_MEMORY_H

#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

#include "mr_model.h"

#define MR_CHUNKS 3
#define MR_LIST_MAX 24

/**
 * struct mr_place - one element, before it has an address
 * @pos: where in the memory
 * @len: bytes
 */
struct mr_place {
	u32 pos;
	u32 len;
};

/**
 * struct mr_memory - the memory
 * @device: who reads and writes it
 * @order: of each chunk
 * @chunks: how many there are; each is contiguous and aligned to its size
 * @chunk: their pages
 * @shadow: what they should hold
 * @sg_page: two pages for the list
 * @read_only: where the list is handed out: a mapping that cannot be written,
 *	so that a callee that writes it is caught in the act (M12)
 * @element: the list as the model takes it
 * @nents: its elements
 */
struct mr_memory {
	struct ib_device *device;
	unsigned int order;
	unsigned int chunks;
	struct page *chunk[MR_CHUNKS];
	u8 *shadow;
	struct page *sg_page[2];
	struct scatterlist *read_only;
	struct mr_element element[MR_LIST_MAX];
	int nents;
};

int mr_memory_init(struct mr_memory *m, struct ib_device *device,
		   unsigned int chunks, unsigned int order);
void mr_memory_free(struct mr_memory *m);
void mr_memory_list(struct mr_memory *m, const struct mr_place *place,
		    int nents, int chain_after);
size_t mr_memory_size(const struct mr_memory *m);
bool mr_memory_intact(const struct mr_memory *m);
void mr_memory_expect(struct mr_memory *m, u64 addr, const u8 *data,
		      size_t len);
bool mr_memory_expected(const struct mr_memory *m, u64 addr, const u8 *data,
			size_t len);

#endif
