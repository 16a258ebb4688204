/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DMA-mapped scatterlists. Link and end are explicit here, and walking past
 * the end is an error that the sanitizer sees.
 */
#ifndef UNIT_LINUX_SCATTERLIST_H
#define UNIT_LINUX_SCATTERLIST_H

#include <linux/kernel.h>
#include <string.h>

struct scatterlist {
	struct scatterlist *chain;
	bool end;
	unsigned int length;
	unsigned int dma_length;
	u64 dma_address;
};

#define sg_dma_address(sg) ((sg)->dma_address)
#define sg_dma_len(sg) ((sg)->dma_length)

#define sg_is_chain(sg) (!!(sg)->chain)
#define sg_chain_ptr(sg) ((sg)->chain)

static inline struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg->end)
		return NULL;
	sg++;
	return sg->chain ? sg->chain : sg;
}

static inline void sg_mark_end(struct scatterlist *sg)
{
	sg->chain = NULL;
	sg->end = true;
}

static inline void sg_init_table(struct scatterlist *sg, unsigned int nents)
{
	memset(sg, 0, nents * sizeof(*sg));
	sg_mark_end(&sg[nents - 1]);
}

static inline void sg_chain(struct scatterlist *sg, unsigned int nents,
			    struct scatterlist *next)
{
	sg[nents - 1].end = false;
	sg[nents - 1].chain = next;
}

#endif
