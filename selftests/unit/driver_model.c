// SPDX-License-Identifier: GPL-2.0
/*
 * Written from the facts (1.2 the page walk, 1.4 rxe, 1.5 siw), defects
 * included: what the package gives to a driver has to come out right through
 * all of them.
 */
#include "driver_model.h"

typedef int (*page_fn)(struct driver_model *m, u64 addr);

static struct driver_model *to_model(struct ib_mr *mr)
{
	return (struct driver_model *)mr;
}

/* Pages of one stretch that begin at or after *next; *next moves behind. */
static int walk_pages(struct driver_model *m, u64 *next, u64 end, page_fn page)
{
	int ret = 0;

	while (*next < end && !ret) {
		ret = page(m, *next);
		if (!ret)
			*next += m->mr.page_size;
	}
	return ret;
}

/* The shared page walk of ib_core, as far as valid lists can tell. */
static int walk_list(struct driver_model *m, struct scatterlist *sg, int nents,
		     unsigned int *offset, page_fn page)
{
	u64 mask = m->mr.page_size - 1;
	u64 next = 0, end = 0, first;
	unsigned int none = 0;
	int i;

	offset = offset ?: &none;

	if (nents <= 0 || *offset > sg_dma_len(sg))
		return -EINVAL;
	m->mr.iova = sg_dma_address(sg) + *offset;
	m->mr.length = 0;
	for (i = 0; i < nents; i++) {
		u64 addr = sg_dma_address(sg) + (i ? 0 : *offset);
		u64 stop = sg_dma_address(sg) + sg_dma_len(sg);

		if (!i || addr != end) {
			if (i && ((addr | end) & mask))
				break;
			next = addr & ~mask;
		}
		first = next;
		if (walk_pages(m, &next, stop, page)) {
			/* One page short of what the table holds; may wrap. */
			u64 done = next == first ? 0 :
				   next - m->mr.page_size - addr;

			m->mr.length += done;
			*offset = done;
			return i || done ? i : -ENOMEM;
		}
		m->mr.length += stop - addr;
		end = stop;
		sg = sg_next(sg);
	}
	*offset = 0;
	return i;
}

static int add_page(struct driver_model *m, u64 addr, u64 size)
{
	if (m->count == m->allowed || m->count == MODEL_ENTRIES)
		return -ENOMEM;
	m->entry[m->count].addr = addr;
	m->entry[m->count++].size = size;
	return 0;
}

/* rxe of 5.10 and 6.1: a table of pages with their size. */
static int old_page(struct driver_model *m, u64 addr)
{
	return add_page(m, addr, m->mr.page_size);
}

static int rxe_old_map(struct ib_mr *mr, struct scatterlist *sg, int nents,
		       unsigned int *offset)
{
	struct driver_model *m = to_model(mr);

	m->calls++;
	m->count = 0;
	m->allowed = m->max_num_sg;
	return walk_list(m, sg, nents, offset, old_page);
}

static void rxe_old_reach(const struct driver_model *m, u64 iova,
			  unsigned int len, bool to_memory, u64 *addr)
{
	unsigned int page_size = m->mr.page_size;
	u64 at = iova - m->mr.iova + (m->mr.iova & (page_size - 1));

	for (; len; len--, at++)
		*addr++ = m->entry[at / page_size].addr + at % page_size;
}

/* rxe from 6.3 until the rework: system pages, the place inside them lost. */
static int mid_page(struct driver_model *m, u64 addr)
{
	return add_page(m, addr & ~(u64)(PAGE_SIZE - 1), m->mr.page_size);
}

static int rxe_mid_map(struct ib_mr *mr, struct scatterlist *sg, int nents,
		       unsigned int *offset)
{
	struct driver_model *m = to_model(mr);

	m->calls++;
	m->count = 0;
	m->allowed = m->max_num_sg;
	return walk_list(m, sg, nents, offset, mid_page);
}

static void rxe_mid_reach(const struct driver_model *m, u64 iova,
			  unsigned int len, bool to_memory, u64 *addr)
{
	unsigned int page_size = m->mr.page_size;

	for (; len; len--, iova++)
		*addr++ = m->entry[iova / page_size - m->mr.iova / page_size]
			  .addr + iova % page_size;
}

/* rxe of 6.12.117 and later: PAGE_SIZE entries, a table that grows. */
static int new_page(struct driver_model *m, u64 addr)
{
	unsigned int i, pages = max(1U, m->mr.page_size >> PAGE_SHIFT);

	for (i = 0; i < pages; i++)
		if (add_page(m, addr + i * PAGE_SIZE, PAGE_SIZE))
			return -ENOMEM;
	return 0;
}

static int rxe_new_map(struct ib_mr *mr, struct scatterlist *sg, int nents,
		       unsigned int *offset)
{
	struct driver_model *m = to_model(mr);
	unsigned int need = (mr->page_size >> PAGE_SHIFT) * m->max_num_sg;

	m->calls++;
	if (mr->page_size > PAGE_SIZE && need > m->allowed) {
		m->lost = m->fail_grow;
		if (m->lost)
			return -ENOMEM;
		m->allowed = need;
	}
	m->count = 0;
	return walk_list(m, sg, nents, offset, new_page);
}

static void rxe_new_reach(const struct driver_model *m, u64 iova,
			  unsigned int len, bool to_memory, u64 *addr)
{
	unsigned int page_size = m->mr.page_size;
	u64 base = m->mr.iova & ~(u64)(page_size - 1);

	while (len) {
		u64 at, index = iova / page_size - m->mr.iova / page_size;
		unsigned int bytes, in_page = iova % page_size;

		if (page_size > PAGE_SIZE) {
			index = (iova - base) >> PAGE_SHIFT;
			in_page = iova % PAGE_SIZE;
		}
		at = m->entry[index].addr + in_page;
		bytes = min(len, PAGE_SIZE - (unsigned int)(at % PAGE_SIZE));
		iova += bytes;
		len -= bytes;
		while (bytes--)
			*addr++ = at++;
	}
}

/* siw: runs of whole elements, the offset unseen; its page walk counts only. */
static int siw_page(struct driver_model *m, u64 addr)
{
	return 0;
}

static int siw_runs(struct driver_model *m, struct scatterlist *sg, int nents)
{
	u64 total = 0;
	int i;

	m->count = 0;
	for (i = 0; i < nents; i++, sg = sg_next(sg)) {
		if (!sg_dma_len(sg))
			return -EINVAL;
		if (i && m->entry[m->count - 1].addr +
			 m->entry[m->count - 1].size == sg_dma_address(sg)) {
			m->entry[m->count - 1].size += sg_dma_len(sg);
		} else {
			m->entry[m->count].addr = sg_dma_address(sg);
			m->entry[m->count].size = sg_dma_len(sg);
			m->entry[m->count++].start = total;
		}
		total += sg_dma_len(sg);
	}
	return 0;
}

static int siw_map(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset)
{
	struct driver_model *m = to_model(mr);

	m->calls++;
	if ((unsigned int)nents > m->max_num_sg)
		return -ENOMEM;
	if (siw_runs(m, sg, nents))
		return -EINVAL;
	return walk_list(m, sg, nents, offset, siw_page);
}

static u64 siw_lookup(const struct driver_model *m, u64 at)
{
	unsigned int i = m->count - 1;

	while (m->entry[i].start > at)
		i--;
	return m->entry[i].addr + at - m->entry[i].start;
}

/* Placement follows the runs; sending takes the page's offset from the iova. */
static void siw_reach(const struct driver_model *m, u64 iova,
		      unsigned int len, bool to_memory, u64 *addr)
{
	u64 at = iova - m->mr.iova;

	while (to_memory && len--)
		*addr++ = siw_lookup(m, at++);
	while (!to_memory && len) {
		unsigned int in_page = iova % PAGE_SIZE;
		unsigned int bytes = min(len, PAGE_SIZE - in_page);
		u64 page = siw_lookup(m, at) & ~(u64)(PAGE_SIZE - 1);

		iova += bytes;
		at += bytes;
		len -= bytes;
		while (bytes--)
			*addr++ = page + in_page++;
	}
}

const struct driver_kind driver_kinds[] = {
	{ "rxe 5.10", { RDMA_DRIVER_RXE, rxe_old_map, NULL }, rxe_old_reach },
	{ "rxe 6.3", { RDMA_DRIVER_RXE, rxe_mid_map, NULL }, rxe_mid_reach },
	{ "rxe 7.3", { RDMA_DRIVER_RXE, rxe_new_map, NULL }, rxe_new_reach },
	{ "siw", { RDMA_DRIVER_SIW, siw_map, NULL }, siw_reach },
	{ "other", { RDMA_DRIVER_UNKNOWN, rxe_old_map, NULL }, rxe_old_reach },
};

const unsigned int driver_kind_count = ARRAY_SIZE(driver_kinds);
