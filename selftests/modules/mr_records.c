// SPDX-License-Identifier: GPL-2.0
/*
 * Regions that did not take the whole way through the package: allocated or
 * freed behind its back, or taken from a pool.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "mr_suite.h"

#define TRIES 256

static const struct mr_case four_pages = {
	.page_size = SZ_4K,
	.max_num_sg = 8,
	.offset = 77,
	.nents = 4,
	.place = {
		{ 0x8000, SZ_4K }, { 0x2000, SZ_4K }, { 0x5000, SZ_4K },
		{ 0xb000, 100 },
	},
};

static const char *allocated_natively(struct mr_ctx *c)
{
	const char *wrong;
	struct ib_mr *mr;

	if (mr_case_connect(c))
		return "no connection";
	mr = mr_api_native.alloc(c->pair.server.pd, IB_MR_TYPE_MEM_REG,
				 four_pages.max_num_sg);
	if (IS_ERR(mr))
		return "no region";
	wrong = mr_case_on(c, mr, &four_pages);
	mr_api_native.dereg(mr);
	return wrong;
}

/*
 * A record of one page stays behind; a region of eight comes to its address.
 * The allocator decides when, so this tries until it does.
 */
static const char *address_used_again(struct mr_ctx *c, bool *met)
{
	struct ib_pd *pd = c->pair.server.pd;
	const char *wrong = NULL;
	struct ib_mr *old, *mr;
	int i;

	for (i = 0; i < TRIES && !wrong && !*met; i++) {
		old = mr_api_ours.alloc(pd, IB_MR_TYPE_MEM_REG, 1);
		if (IS_ERR(old))
			return "no region";
		mr_api_native.dereg(old);
		mr = mr_api_native.alloc(pd, IB_MR_TYPE_MEM_REG,
					 four_pages.max_num_sg);
		if (IS_ERR(mr))
			return "no region";
		*met = mr == old;
		if (*met)
			wrong = mr_case_on(c, mr, &four_pages);
		mr_api_native.dereg(mr);
	}
	return wrong;
}

static const char *from_pool(struct mr_ctx *c)
{
	struct mr_case t = four_pages;
	const char *wrong;
	struct ib_mr *mr;
	struct ib_qp *qp;
	LIST_HEAD(pool);

	if (mr_case_connect(c))
		return "no connection";
	qp = c->pair.server.id->qp;
	t.max_num_sg = 2;
	if (c->api->pool_init(qp, &pool, 3, IB_MR_TYPE_MEM_REG, 2, 0))
		return "no pool";
	mr = ib_mr_pool_get(qp, &pool);
	wrong = mr ? mr_case_on(c, mr, &t) : "empty pool";
	if (mr)
		ib_mr_pool_put(qp, &pool, mr);
	c->api->pool_destroy(qp, &pool);
	if (!wrong && (!list_empty(&pool) || qp->mrs_used))
		wrong = "the pool is not level";
	return wrong;
}

/**
 * mr_records - regions whose record is missing, stale, or a pool's
 * @c: the context
 * @tap: where results go
 */
void mr_records(struct mr_ctx *c, struct mr_tap *tap)
{
	bool met = false;
	const char *wrong;

	mr_tap_result(tap, 10, allocated_natively(c),
		      "region allocated behind the package's back");
	mr_tap_result(tap, 5, from_pool(c), "region from a pool");
	if (c->api == &mr_api_native)
		return;
	wrong = address_used_again(c, &met);
	if (met || wrong)
		mr_tap_result(tap, 5, wrong,
			      "stale record: address used again by a larger region");
	else
		mr_tap_skip(tap, 5, "no address came back",
			    "stale record");
}
