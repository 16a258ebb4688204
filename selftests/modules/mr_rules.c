// SPDX-License-Identifier: GPL-2.0
/*
 * What is refused, what a refusal leaves, and what a region's past means.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "mr_suite.h"

static const struct mr_case three_pages = {
	.page_size = SZ_4K,
	.max_num_sg = 4,
	.nents = 3,
	.place = { { 0x8000, SZ_4K }, { 0x2000, SZ_4K }, { 0x5000, 0x200 } },
};

/**
 * struct refusal - a call that has to be refused
 * @name: for the result
 * @null_sg: pass NULL for the list
 * @nents: elements to claim
 * @page_size: in bytes
 * @offset: *sg_offset
 */
struct refusal {
	const char *name;
	bool null_sg;
	int nents;
	u32 page_size;
	u32 offset;
};

static const struct refusal refusals[] = {
	{ "NULL list", true, 1, SZ_4K, 0 },
	{ "no elements", false, 0, SZ_4K, 0 },
	{ "-1 elements", false, -1, SZ_4K, 0 },
	{ "page size 0", false, 3, 0, 0 },
	{ "page size 3 * 4096", false, 3, 3 * SZ_4K, 0 },
	{ "page size 1536", false, 3, 1536, 0 },
	{ "offset at the end of the first element", false, 3, SZ_4K, SZ_4K },
	{ "offset behind it", false, 3, SZ_4K, SZ_4K + 1 },
	/* Valid page size, nothing else: only a refusal leaves the old one. */
	{ "no elements, other page size", false, 0, 512, 0 },
};

static bool natively_deadly(const struct mr_ctx *c, const struct refusal *r)
{
	/* A NULL pointer is followed; on siw page size 0 never ends. */
	return c->api == &mr_api_native && (r->null_sg || !r->page_size);
}

static struct ib_mr *mapped_region(struct mr_ctx *c, const struct mr_case *t,
				   const char **wrong)
{
	struct ib_mr *mr;
	u32 resume;
	int ret;

	mr = mr_case_region(c, t->max_num_sg);
	if (IS_ERR(mr)) {
		*wrong = "no region";
		return NULL;
	}
	*wrong = mr_case_map(c, mr, t, &ret, &resume);
	return mr;
}

static const char *refuse(struct mr_ctx *c, struct ib_mr *mr,
			  const struct refusal *r, bool *changed)
{
	unsigned int offset = r->offset;
	struct ib_mr before = *mr;
	int ret;

	ret = c->api->map(mr, r->null_sg ? NULL : c->memory.read_only,
			  r->nents, &offset, r->page_size);
	*changed = mr->page_size != before.page_size ||
		   mr->iova != before.iova || mr->length != before.length ||
		   offset != r->offset;
	return ret == -EINVAL ? NULL : "not refused with -EINVAL";
}

/*
 * Each refusal meets a region that is mapped; M9 is what I/O through it then
 * shows. The kernel's own leave regions behind that no I/O should go through.
 */
static void one_refusal(struct mr_ctx *c, struct mr_tap *tap,
			const struct refusal *r)
{
	const char *wrong, *broken = NULL;
	bool changed = false;
	struct ib_mr *mr;

	mr = mapped_region(c, &three_pages, &wrong);
	if (!mr || wrong) {
		broken = wrong;
		goto out;
	}
	wrong = refuse(c, mr, r, &changed);
	if (changed)
		broken = "the region changed";
	else if (!wrong)
		broken = mr_case_transfer(c, mr);
out:
	if (mr)
		c->api->dereg(mr);
	mr_tap_result(tap, 2, wrong, "refused: %s", r->name);
	mr_tap_result(tap, 9, broken, "region works on after: %s", r->name);
}

/**
 * mr_refusals - wrong arguments, and the region afterwards
 * @c: the context
 * @tap: where results go
 */
void mr_refusals(struct mr_ctx *c, struct mr_tap *tap)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (natively_deadly(c, &refusals[i]))
			mr_tap_skip(tap, 2, "the kernel's own would not return",
				    refusals[i].name);
		else
			one_refusal(c, tap, &refusals[i]);
	}
}

/* How much of a long list a region takes, one page an element. */
static const char *six_on_four(struct mr_ctx *c, struct ib_mr *mr, int *ret,
			       struct ib_mr *after)
{
	static const struct mr_case six = {
		.page_size = SZ_4K,
		.max_num_sg = 4,
		.nents = 6,
		.place = {
			{ 0x20000, SZ_4K }, { 0x4000, SZ_4K },
			{ 0x8000, SZ_4K }, { 0xc000, SZ_4K },
			{ 0x10000, SZ_4K }, { 0x14000, SZ_4K },
		},
	};
	const char *wrong;
	u32 resume;

	wrong = mr_case_map(c, mr, &six, ret, &resume);
	*after = *mr;
	return wrong;
}

/*
 * The same call on a new region and on one that held large pages before. What
 * the kernel's own answer is does not matter here, only that it is the same.
 */
static const char *after_growth(struct mr_ctx *c)
{
	static const struct mr_case large = {
		.page_size = SZ_64K,
		.max_num_sg = 4,
		.nents = 2,
		.place = { { SZ_128K, SZ_64K }, { SZ_512K, SZ_64K } },
	};
	struct ib_mr *fresh, *used, fresh_after, used_after;
	const char *wrong = "no region";
	int fresh_ret, used_ret;

	fresh = mr_case_region(c, 4);
	if (IS_ERR(fresh))
		return wrong;
	used = mr_case_region(c, 4);
	if (IS_ERR(used))
		goto dereg;
	wrong = mr_case_on(c, used, &large);
	if (wrong)
		goto dereg_used;
	wrong = six_on_four(c, fresh, &fresh_ret, &fresh_after);
	if (c->api == &mr_api_native)
		wrong = NULL;
	if (wrong)
		goto dereg_used;
	six_on_four(c, used, &used_ret, &used_after);
	if (fresh_ret != used_ret ||
	    (fresh_ret >= 0 && fresh_after.length != used_after.length))
		wrong = "holds more pages than a new region";
dereg_used:
	c->api->dereg(used);
dereg:
	c->api->dereg(fresh);
	return wrong;
}

/* Grown and used again: the bytes have to be right as well. */
static const char *transfers_after_growth(struct mr_ctx *c)
{
	struct mr_case t = three_pages;
	const char *wrong;
	struct ib_mr *mr;
	u32 page_size;

	mr = mr_case_region(c, t.max_num_sg);
	if (IS_ERR(mr))
		return "no region";
	for (page_size = SZ_2M; page_size >= SZ_4K; page_size /= 8) {
		t.page_size = page_size;
		t.place[0].pos = SZ_4M + page_size;
		t.place[0].len = page_size;
		t.place[1].pos = 0;
		t.place[1].len = page_size;
		t.place[2].pos = SZ_8M;
		wrong = mr_case_on(c, mr, &t);
		if (wrong)
			break;
	}
	c->api->dereg(mr);
	return wrong;
}

/* A list longer than the region: call after call until all bytes were seen. */
static const char *resume_to_the_end(struct mr_ctx *c, u32 page_size)
{
	struct mr_case t = {
		.page_size = page_size,
		.max_num_sg = 3,
		.nents = 4,
		.place = {
			{ page_size * 2 + 100, 6 * page_size - 100 },
			{ page_size * 20, page_size },
			{ page_size * 30, 7 * page_size },
			{ page_size * 50, 40 },
		},
	};
	u64 left = 14 * page_size - 100 + 40;
	const char *wrong = NULL;
	struct ib_mr *mr;
	u32 resume;
	int ret;

	mr = mr_case_region(c, 3);
	if (IS_ERR(mr))
		return "no region";
	while (left && !wrong) {
		wrong = mr_case_map(c, mr, &t, &ret, &resume);
		wrong = wrong ?: ret < 0 ? "ended before the list did" : NULL;
		wrong = wrong ?: mr_case_transfer(c, mr);
		if (wrong)
			break;
		if (mr->length > left)
			wrong = "bytes were covered twice";
		left -= mr->length;
		t.nents -= ret;
		memmove(t.place, t.place + ret, t.nents * sizeof(t.place[0]));
		t.offset = resume;
	}
	c->api->dereg(mr);
	return wrong;
}

static const char *zero_based(struct mr_ctx *c, u32 first, u32 page_size,
			      bool served)
{
	struct mr_case t = three_pages;
	const char *wrong;
	struct ib_mr *mr;
	unsigned int offset = first;
	int ret;

	t.page_size = page_size;
	t.offset = first;
	mr = mapped_region(c, &t, &wrong);
	if (!mr || wrong)
		goto out;
	ret = c->api->map_zbva(mr, c->memory.read_only, t.nents, &offset,
			       page_size);
	if (!served)
		wrong = ret == -EINVAL ? NULL : "not refused";
	else if (ret != t.nents || mr->iova)
		wrong = "not mapped at 0";
	else
		wrong = mr_case_transfer(c, mr);
out:
	if (mr)
		c->api->dereg(mr);
	return wrong;
}

/* Only what the call says; what a peer sees then is told elsewhere. */
static const char *resumes_at_0(struct mr_ctx *c, const struct mr_case *t)
{
	const char *wrong;
	struct ib_mr *mr;

	mr = mapped_region(c, t, &wrong);
	if (mr)
		c->api->dereg(mr);
	return wrong;
}

static void offset_out(struct mr_ctx *c, struct mr_tap *tap)
{
	struct mr_case t = three_pages;

	t.offset = 511;
	mr_tap_result(tap, 6, resumes_at_0(c, &t),
		      "the whole list, offset 511: 0 afterwards");
	t.place[2].pos += 8;
	mr_tap_result(tap, 6, resumes_at_0(c, &t),
		      "a gap before the third, offset 511: 0 afterwards");
	t.offset = MR_NULL_OFFSET;
	mr_tap_result(tap, 6, resumes_at_0(c, &t), "a gap, NULL offset");
	t = three_pages;
	t.offset = MR_NULL_OFFSET;
	mr_tap_result(tap, 6, resumes_at_0(c, &t), "the whole list, NULL offset");
}

/**
 * mr_history - what depends on more than one call
 * @c: the context
 * @tap: where results go
 */
void mr_history(struct mr_ctx *c, struct mr_tap *tap)
{
	mr_tap_result(tap, 11, after_growth(c),
		      "used with 64K pages, then more 4K pages than it holds");
	mr_tap_result(tap, 10, transfers_after_growth(c),
		      "page sizes 2M, 256K, 32K, 4K on one region");
	offset_out(c, tap);
	mr_tap_result(tap, 5, resume_to_the_end(c, SZ_4K),
		      "resumed until the list is used up, 4K");
	mr_tap_result(tap, 5, resume_to_the_end(c, SZ_16K),
		      "resumed until the list is used up, 16K");
	mr_tap_result(tap, 12, mr_case_run(c, &three_pages),
		      "a list in memory that cannot be written");
	mr_tap_result(tap, 0, zero_based(c, 0, SZ_4K, true),
		      "zero-based, first byte at a page");
	if (c->api == &mr_api_ours)
		mr_tap_result(tap, 0, zero_based(c, 8, SZ_4K, false),
			      "zero-based, first byte inside a page: refused");
}
