// SPDX-License-Identifier: GPL-2.0
/*
 * Spare pages. A message takes its thread's pages while its Reads are under way,
 * so the thread gets new ones, and gives up as many when the message comes back.
 * The kernel may clear every new page (init_on_alloc, on by default in Debian),
 * which costs 4000 instructions a page. So the pages that were given up are what
 * the next message is read into.
 *
 * They are few, shared by all connections and all gone when a connection goes,
 * so that a server without clients keeps none.
 */
#include "svcrdma/svcrdma.h"

#include <linux/mm.h>

enum { MOST = 1024 };	/* pages: four messages of the largest kind */

static DEFINE_SPINLOCK(lock);
static struct page *spares[MOST];
static unsigned int held;

/**
 * rdma_shim_spare_take - take spare pages
 * @pages: where to put them
 * @most: how many at most
 *
 * Context: process or completion.
 * Return: how many there were.
 */
unsigned int rdma_shim_spare_take(struct page **pages, unsigned int most)
{
	unsigned int count;

	spin_lock_bh(&lock);
	count = min(most, held);
	held -= count;
	memcpy(pages, spares + held, count * sizeof(*pages));
	spin_unlock_bh(&lock);
	return count;
}

/**
 * rdma_shim_spare_give - give pages up
 * @pages: the caller's references to them
 * @count: how many
 *
 * Context: process or completion.
 */
void rdma_shim_spare_give(struct page **pages, unsigned int count)
{
	unsigned int i;

	spin_lock_bh(&lock);
	for (i = 0; i < count; i++) {
		/* One that somebody still reads is not to be written to. */
		if (held < MOST && page_count(pages[i]) == 1)
			spares[held++] = pages[i];
		else
			put_page(pages[i]);
	}
	spin_unlock_bh(&lock);
}

/**
 * rdma_shim_spare_drop - free all spare pages
 *
 * Context: process.
 */
void rdma_shim_spare_drop(void)
{
	struct page *page;

	while (rdma_shim_spare_take(&page, 1))
		put_page(page);
}
