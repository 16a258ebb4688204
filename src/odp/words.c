// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers for the words of a long walk. Zeroing one costs as much as 30 pages of
 * the walk, and distribution kernels zero whatever is allocated (init_on_alloc),
 * except objects that have a constructor.
 */
#include <linux/slab.h>

#include "odp/words.h"

static struct kmem_cache *cache;

static void construct(void *words)
{
}

/**
 * odp_words_init() - before the first request to map
 *
 * Return: 0 or -ENOMEM.
 */
int odp_words_init(void)
{
	cache = kmem_cache_create("rdma_shim_odp_words",
				  ODP_WORDS * sizeof(unsigned long), 0, 0,
				  construct);
	return cache ? 0 : -ENOMEM;
}

/**
 * odp_words_exit() - after the last request to map
 */
void odp_words_exit(void)
{
	kmem_cache_destroy(cache);
}

/**
 * odp_words_get() - a buffer
 *
 * Context: process context.
 * Return: ODP_WORDS words that hold anything, or NULL.
 */
unsigned long *odp_words_get(void)
{
	return kmem_cache_alloc(cache, GFP_KERNEL | __GFP_NOWARN);
}

/**
 * odp_words_put() - give a buffer back
 * @words: from odp_words_get()
 */
void odp_words_put(unsigned long *words)
{
	kmem_cache_free(cache, words);
}
