// SPDX-License-Identifier: GPL-2.0
/*
 * What a call of ib_map_mr_sg() costs: the kernel's own and the package's, on
 * the same lists and with regions of the same size. The elements are a page
 * apart or more, so that no driver can merge them.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "bench_clock.h"
#include "mr_suite.h"

#define CALLS 16

/**
 * struct bench_row - one list
 * @name: in the table
 * @nents: elements
 * @bytes: in each of them
 */
struct bench_row {
	const char *name;
	unsigned int nents;
	unsigned int bytes;
};

static const struct bench_row rows[] = {
	{ "1x4K", 1, SZ_4K },
	{ "16x4K", 16, SZ_4K },
	{ "256x4K", 256, SZ_4K },
	{ "16x64K", 16, SZ_64K },
};

static struct scatterlist *make_list(struct mr_ctx *c,
				     const struct bench_row *row)
{
	struct scatterlist *sg, *list;
	unsigned int i;

	list = kvcalloc(row->nents, sizeof(*list), GFP_KERNEL);
	if (!list)
		return NULL;
	sg_init_table(list, row->nents);
	for_each_sg(list, sg, row->nents, i)
		sg_set_page(sg, c->memory.chunk[0] +
			    i * 2 * (row->bytes >> PAGE_SHIFT), row->bytes, 0);
	ib_dma_map_sg(c->memory.device, list, row->nents, DMA_BIDIRECTIONAL);
	return list;
}

/* Interrupts are off: a tick is not part of the call. */
static const char *measure(const struct mr_api *api, struct ib_mr *mr,
			   struct scatterlist *list,
			   const struct bench_row *row,
			   struct bench_clock *clock)
{
	unsigned int i, round, mapped = 0;
	unsigned long flags;
	u64 start;

	for (round = 0; round < BENCH_ROUNDS; round++) {
		local_irq_save(flags);
		start = ktime_get_ns();
		for (i = 0; i < CALLS; i++)
			mapped += api->map(mr, list, row->nents, NULL, SZ_4K);
		bench_round(clock, start, CALLS);
		local_irq_restore(flags);
	}
	bench_order(clock);
	return mapped == row->nents * CALLS * BENCH_ROUNDS ? NULL :
	       "an element was not mapped";
}

static const char *run_api(struct mr_ctx *c, const struct mr_api *api,
			   struct scatterlist *list,
			   const struct bench_row *row,
			   struct bench_clock *clock)
{
	struct ib_mr *mr = api->alloc(c->pair.server.pd, IB_MR_TYPE_MEM_REG,
				      row->nents * (row->bytes / SZ_4K));
	const char *wrong;

	if (IS_ERR(mr))
		return "no region";
	wrong = measure(api, mr, list, row, clock);
	if (api->dereg(mr) && !wrong)
		wrong = "a region was not freed";
	return wrong;
}

static void run_row(struct mr_ctx *c, struct mr_tap *tap,
		    const struct bench_row *row)
{
	struct scatterlist *list = make_list(c, row);
	struct bench_clock native = {}, ours = {};
	const char *wrong = "out of memory";

	if (list)
		wrong = run_api(c, &mr_api_native, list, row, &native);
	if (!wrong)
		wrong = run_api(c, &mr_api_ours, list, row, &ours);
	kvfree(list);
	mr_tap_result(tap, 0, wrong, "%s", row->name);
	if (wrong)
		return;
	mr_tap_note(tap, "bench mr_sg %s native %llu %llu %llu ours %llu %llu %llu",
		    row->name, bench_middle(&native), bench_least(&native),
		    bench_most(&native), bench_middle(&ours),
		    bench_least(&ours), bench_most(&ours));
}

/**
 * mr_bench - count or time calls
 * @c: a context with a connection and memory
 * @tap: where results go: a line "bench SUBJECT ROW" for each list, then for
 *	each function its name and the middle, the least and the most of all
 *	rounds, in nanoseconds a call
 */
void mr_bench(struct mr_ctx *c, struct mr_tap *tap)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		run_row(c, tap, &rows[i]);
}
