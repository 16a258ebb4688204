/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers for the words of a long walk.
 */
#ifndef RDMA_SHIM_ODP_WORDS_H
#define RDMA_SHIM_ODP_WORDS_H

#include <rdma-shim/config.h>
#include <linux/mm.h>

#define ODP_WORDS	(PAGE_SIZE / sizeof(unsigned long))

/* For an array on the stack of a kernel that zeroes what lies there. */
#if __has_attribute(uninitialized)
#define odp_not_zeroed	__attribute__((uninitialized))
#else
#define odp_not_zeroed
#endif

#ifdef RDMA_SHIM_ODP_LACKS

static inline int odp_words_init(void)
{
	return 0;
}

static inline void odp_words_exit(void)
{
}

#else

int odp_words_init(void);
void odp_words_exit(void);
unsigned long *odp_words_get(void);
void odp_words_put(unsigned long *words);

#endif

#endif
