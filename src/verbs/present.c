// SPDX-License-Identifier: GPL-2.0
/*
 * The caller's list is never written (M12), not even for the duration of the
 * call. Where the driver must see something else it gets a list of ours: one
 * element on the stack that may be linked to the rest of the caller's list, or
 * the merged list that the region's record holds.
 */
#include "verbs/present.h"

static void set_element(struct scatterlist *sg, u64 addr, unsigned int len)
{
	sg_dma_address(sg) = addr;
	sg_dma_len(sg) = len;
	sg->length = len;
}

/* A first element that starts @offset bytes later than the caller's. */
static void present_head(struct rdma_shim_present *out,
			 const struct rdma_shim_prefix *p,
			 struct scatterlist *sg, unsigned int offset)
{
	struct scatterlist *next = p->nents > 1 ? sg_next(sg) : NULL;
	unsigned int len = sg_dma_len(sg) - offset;

	sg_init_table(out->head, 2);
	if (p->partial)
		len = p->partial;
	set_element(&out->head[0], p->iova, len);
	if (next)
		sg_chain(out->head, 2, next);
	else
		sg_mark_end(&out->head[0]);
	out->sg = out->head;
	out->nents = max(p->nents, 1U);
	out->offset = 0;
}

/*
 * Each run starts a page of its own, so that a prefix of N pages has at most
 * N runs. A run too long for one element goes on in the next.
 */
static int present_merged(struct rdma_shim_present *out,
			  const struct rdma_shim_prefix *p,
			  struct rdma_shim_region *region,
			  struct scatterlist *sg)
{
	unsigned int longest = U32_MAX & ~p->page_mask;
	struct scatterlist *run = region->list;
	u64 left = p->length;
	u64 addr = p->iova;
	u64 end = 0;
	unsigned int len = sg_dma_len(sg) - (p->iova - sg_dma_address(sg));

	sg_init_table(run, region->max_num_sg);
	out->nents = 0;
	for (;;) {
		len = min_t(u64, len, left);
		left -= len;
		if (out->nents && addr == end &&
		    len <= longest - sg_dma_len(run)) {
			sg_dma_len(run) += len;
			run->length += len;
		} else {
			if (out->nents == region->max_num_sg)
				return -EINVAL;
			run = &region->list[out->nents++];
			set_element(run, addr, len);
		}
		end = addr + len;
		if (!left)
			break;
		sg = sg_next(sg);
		addr = sg_dma_address(sg);
		len = sg_dma_len(sg);
	}
	sg_mark_end(run);
	out->sg = region->list;
	out->offset = 0;
	return 0;
}

/**
 * rdma_shim_present - choose the list that makes the driver map a prefix
 * @out: the answer; must live until the driver has returned
 * @p: the prefix, at least one byte long
 * @driver: how the driver has to be used
 * @region: the region's record or NULL
 * @sg: the caller's list
 * @offset: where in its first element the region starts
 *
 * Context: any; uses @region->list, which belongs to the one mapper.
 * Return: 0, or -EINVAL when a run is too long for the elements there are.
 */
int rdma_shim_present(struct rdma_shim_present *out,
		      const struct rdma_shim_prefix *p,
		      const struct rdma_shim_driver *driver,
		      struct rdma_shim_region *region,
		      struct scatterlist *sg, unsigned int offset)
{
	bool too_many = driver->whole_elements && region &&
			p->nents > region->max_num_sg;

	/* Only a region with a record has a capacity to stop inside. */
	if ((p->partial && p->nents) || too_many)
		return present_merged(out, p, region, sg);
	if (p->partial || (offset && driver->whole_elements)) {
		present_head(out, p, sg, offset);
		return 0;
	}
	out->sg = sg;
	out->nents = p->nents;
	out->offset = offset;
	return 0;
}
