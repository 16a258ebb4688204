// SPDX-License-Identifier: GPL-2.0
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/vmalloc.h>

#include "mr_memory.h"

static size_t chunk_size(const struct mr_memory *m)
{
	return PAGE_SIZE << m->order;
}

size_t mr_memory_size(const struct mr_memory *m)
{
	return m->chunks * chunk_size(m);
}

static u8 *chunk_at(const struct mr_memory *m, unsigned int i)
{
	return page_address(m->chunk[i]);
}

/* No two places hold the same eight bytes. */
static void fill(struct mr_memory *m)
{
	u64 *word = (u64 *)m->shadow;
	size_t i;

	for (i = 0; i < mr_memory_size(m) / sizeof(*word); i++)
		word[i] = (i + 1) * 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < m->chunks; i++)
		memcpy(chunk_at(m, i), m->shadow + i * chunk_size(m),
		       chunk_size(m));
}

int mr_memory_init(struct mr_memory *m, struct ib_device *device,
		   unsigned int chunks, unsigned int order)
{
	unsigned int i;

	memset(m, 0, sizeof(*m));
	m->device = device;
	m->order = order;
	m->chunks = chunks;
	/* siw takes references on single pages; compound ones can stand that. */
	for (i = 0; i < chunks; i++) {
		m->chunk[i] = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_NOWARN,
					  order);
		if (!m->chunk[i])
			return -ENOMEM;
	}
	for (i = 0; i < ARRAY_SIZE(m->sg_page); i++) {
		m->sg_page[i] = alloc_page(GFP_KERNEL);
		if (!m->sg_page[i])
			return -ENOMEM;
	}
	m->shadow = vmalloc(mr_memory_size(m));
	m->read_only = vmap(m->sg_page, ARRAY_SIZE(m->sg_page), VM_MAP,
			    PAGE_KERNEL_RO);
	if (!m->shadow || !m->read_only)
		return -ENOMEM;
	fill(m);
	return 0;
}

void mr_memory_free(struct mr_memory *m)
{
	unsigned int i;

	vunmap(m->read_only);
	vfree(m->shadow);
	for (i = 0; i < ARRAY_SIZE(m->sg_page); i++)
		if (m->sg_page[i])
			__free_page(m->sg_page[i]);
	for (i = 0; i < m->chunks; i++)
		if (m->chunk[i])
			__free_pages(m->chunk[i], m->order);
	memset(m, 0, sizeof(*m));
}

static void set_places(struct mr_memory *m, struct scatterlist *sg,
		       const struct mr_place *place, int nents)
{
	int i;

	sg_init_table(sg, nents);
	for (i = 0; i < nents; i++)
		sg_set_page(&sg[i],
			    m->chunk[place[i].pos / chunk_size(m)] +
			    place[i].pos % chunk_size(m) / PAGE_SIZE,
			    place[i].len, place[i].pos % PAGE_SIZE);
	ib_dma_map_sg(m->device, sg, nents, DMA_BIDIRECTIONAL);
}

static void tell_model(struct mr_memory *m)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(m->read_only, sg, m->nents, i) {
		m->element[i].addr = sg_dma_address(sg);
		m->element[i].len = sg_dma_len(sg);
	}
}

/**
 * mr_memory_list - build and DMA-map a list
 * @m: the memory; the list is then at @m->read_only
 * @place: its elements
 * @nents: how many
 * @chain_after: elements in front of a link to a second array; 0 for none
 */
void mr_memory_list(struct mr_memory *m, const struct mr_place *place,
		    int nents, int chain_after)
{
	struct scatterlist *first = page_address(m->sg_page[0]);
	struct scatterlist *second = page_address(m->sg_page[1]);
	int n = chain_after ?: nents;

	m->nents = nents;
	set_places(m, first, place, n);
	if (chain_after) {
		set_places(m, second, place + n, nents - n);
		sg_unmark_end(&first[n - 1]);
		sg_chain(first, n + 1,
			 (void *)m->read_only + PAGE_SIZE);
	}
	tell_model(m);
}

/*
 * rxe and siw take kernel addresses for DMA addresses. Chunks may lie next to
 * each other in memory, in another order than their copies: @len is cut to what
 * is left of the chunk.
 */
static u8 *shadow_at(const struct mr_memory *m, u64 addr, size_t *len)
{
	unsigned int i;

	for (i = 0; i < m->chunks; i++) {
		u64 offset = addr - (uintptr_t)chunk_at(m, i);

		if (offset < chunk_size(m)) {
			*len = min_t(size_t, *len, chunk_size(m) - offset);
			return m->shadow + i * chunk_size(m) + offset;
		}
	}
	return NULL;
}

bool mr_memory_intact(const struct mr_memory *m)
{
	unsigned int i;

	for (i = 0; i < m->chunks; i++)
		if (memcmp(chunk_at(m, i), m->shadow + i * chunk_size(m),
			   chunk_size(m)))
			return false;
	return true;
}

void mr_memory_expect(struct mr_memory *m, u64 addr, const u8 *data,
		      size_t len)
{
	size_t n;

	for (; len; addr += n, data += n, len -= n) {
		n = len;
		memcpy(shadow_at(m, addr, &n), data, n);
	}
}

bool mr_memory_expected(const struct mr_memory *m, u64 addr, const u8 *data,
			size_t len)
{
	const u8 *shadow;
	size_t n;

	for (; len; addr += n, data += n, len -= n) {
		n = len;
		shadow = shadow_at(m, addr, &n);
		if (memcmp(shadow, data, n))
			return false;
	}
	return true;
}
