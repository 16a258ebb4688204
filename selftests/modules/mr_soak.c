// SPDX-License-Identifier: GPL-2.0
/*
 * What an upper layer does to regions, by several threads at the same time,
 * each on a connection of its own.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mr_suite.h"

#define WORKERS 8

/**
 * struct worker - one thread
 * @work: its work
 * @ctx: its connection, memory and random numbers
 * @until: jiffies when it ends
 * @regions: how many it has used
 * @wrong: what went wrong, or NULL
 */
struct worker {
	struct work_struct work;
	struct mr_ctx ctx;
	unsigned long until;
	unsigned int regions;
	const char *wrong;
};

/* Several regions at a time, most of them never used: records come and go. */
static const char *idle_regions(struct mr_ctx *c)
{
	struct ib_mr *mr[4];
	const char *wrong = NULL;
	int n;

	for (n = 0; n < ARRAY_SIZE(mr); n++) {
		mr[n] = c->api->alloc(c->pair.server.pd, IB_MR_TYPE_MEM_REG,
				      1 + mr_random(c, 64));
		if (IS_ERR(mr[n])) {
			wrong = "no region";
			break;
		}
	}
	while (n--)
		if (c->api->dereg(mr[n]) && !wrong)
			wrong = "a region was not freed";
	return wrong;
}

static void use_regions(struct worker *w)
{
	struct mr_case t;

	while (!w->wrong && time_before(jiffies, w->until)) {
		mr_random_case(&w->ctx, &t);
		w->wrong = mr_case_run(&w->ctx, &t);
		w->wrong = w->wrong ?: idle_regions(&w->ctx);
		w->regions += 5;
	}
}

static void soak(struct work_struct *work)
{
	struct worker *w = container_of(work, struct worker, work);
	struct mr_ctx *c = &w->ctx;

	if (mr_case_connect(c))
		w->wrong = "no connection";
	else if (mr_memory_init(&c->memory, c->pair.server.id->device, 1,
				get_order(SZ_1M)))
		w->wrong = "no memory";
	else
		use_regions(w);
	mr_pair_disconnect(&c->pair);
	mr_memory_free(&c->memory);
}

static struct worker *start(struct workqueue_struct *queue,
			    const struct mr_ctx *like, unsigned int number,
			    unsigned int seconds)
{
	struct worker *w = kvzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return NULL;
	w->ctx.api = like->api;
	w->ctx.siw = like->siw;
	w->ctx.random = like->random + number;
	w->ctx.addr = like->addr;
	w->ctx.port = like->port + number;
	spin_lock_init(&w->ctx.atomic);
	w->until = jiffies + seconds * HZ;
	INIT_WORK(&w->work, soak);
	queue_work(queue, &w->work);
	return w;
}

/**
 * mr_soak - several threads use regions for some time
 * @c: api, device, address, first port and seed; otherwise not used
 * @tap: where results go, one a thread
 * @seconds: how long
 */
void mr_soak(const struct mr_ctx *c, struct mr_tap *tap, unsigned int seconds)
{
	struct worker *worker[WORKERS];
	struct workqueue_struct *queue;
	unsigned int i, regions = 0;

	queue = alloc_workqueue("rdma_shim_soak", WQ_UNBOUND, WORKERS);
	if (!queue) {
		mr_tap_result(tap, 0, "out of memory", "soak");
		return;
	}
	for (i = 0; i < WORKERS; i++)
		worker[i] = start(queue, c, i, seconds);
	/* Waits for all of them; each of their waits is bounded. */
	destroy_workqueue(queue);
	for (i = 0; i < WORKERS; i++) {
		const char *wrong = "out of memory";

		if (worker[i]) {
			wrong = worker[i]->wrong;
			if (!wrong && !worker[i]->regions)
				wrong = "used no region";
			regions += worker[i]->regions;
		}
		mr_tap_result(tap, 10, wrong, "thread %u for %u s", i, seconds);
		kvfree(worker[i]);
	}
	mr_tap_note(tap, "regions %u", regions);
}
