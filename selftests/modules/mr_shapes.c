// SPDX-License-Identifier: GPL-2.0
/*
 * Shapes of lists, at every page size: contiguous, scattered, unaligned,
 * gapped, short, empty, too long, and every kind of offset.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "mr_suite.h"

void mr_report_case(struct mr_ctx *c, struct mr_tap *tap, unsigned int promise,
		    const struct mr_case *t, const char *name)
{
	const char *wrong = mr_case_run(c, t);

	/* Wrong bytes are M10's business, whatever list brought them up. */
	mr_tap_result(tap, wrong && c->transferring ? 10 : promise, wrong,
		      "%s, page size %u", name, t->page_size);
}

/*
 * Where page number @i of a scattered list is: no two adjacent, and for pages
 * smaller than the system's not at its start.
 */
static u32 scattered(u32 page_size, unsigned int i)
{
	static const u32 large_mib[] = { 10, 4, 0 };

	if (page_size == SZ_2M)
		return large_mib[i] * SZ_1M;
	if (page_size < SZ_4K)
		return (6 - i) * 2 * SZ_4K + page_size;
	return (6 - i) * 2 * page_size;
}

static struct mr_place at(u32 page_size, unsigned int i, u32 skip, u32 len)
{
	return (struct mr_place){ scattered(page_size, i) + skip, len };
}

static void start(struct mr_case *t, u32 page_size, u32 max_num_sg)
{
	memset(t, 0, sizeof(*t));
	t->page_size = page_size;
	t->max_num_sg = max_num_sg;
}

static void add(struct mr_case *t, struct mr_place place)
{
	t->place[t->nents++] = place;
}

static void well_formed(struct mr_ctx *c, struct mr_tap *tap, u32 p)
{
	struct mr_case t;
	u32 odd = p / 2 + 5;

	start(&t, p, 8);
	add(&t, at(p, 0, 0, odd));
	add(&t, at(p, 0, odd, p - odd));
	mr_report_case(c, tap, 10, &t, "contiguous elements inside a page");

	start(&t, p, 8);
	add(&t, at(p, 0, 0, p));
	add(&t, at(p, 1, 0, p));
	add(&t, at(p, 2, 0, p));
	mr_report_case(c, tap, 10, &t, "scattered pages");

	start(&t, p, 8);
	add(&t, at(p, 0, odd, p - odd));
	add(&t, at(p, 1, 0, p));
	add(&t, at(p, 2, 0, p / 4 + 7));
	mr_report_case(c, tap, 4, &t, "unaligned first, short last");

	start(&t, p, 8);
	add(&t, at(p, 0, 3, 40));
	mr_report_case(c, tap, 4, &t, "one short element");
}

static void gapped(struct mr_ctx *c, struct mr_tap *tap, u32 p)
{
	struct mr_case t;

	start(&t, p, 8);
	add(&t, at(p, 0, 0, p));
	add(&t, at(p, 1, 8, p / 2));
	mr_report_case(c, tap, 3, &t, "second does not start a page");

	start(&t, p, 8);
	add(&t, at(p, 0, 0, p - 16));
	add(&t, at(p, 1, 0, p));
	mr_report_case(c, tap, 3, &t, "first does not end a page");

	start(&t, p, 8);
	add(&t, at(p, 0, 0, p));
	add(&t, at(p, 2, 0, 0));
	add(&t, at(p, 1, 0, p));
	mr_report_case(c, tap, 7, &t, "empty element in the middle");

	start(&t, p, 8);
	add(&t, at(p, 0, 0, 0));
	add(&t, at(p, 1, 0, p));
	mr_report_case(c, tap, 7, &t, "empty element first");
}

static void too_long(struct mr_ctx *c, struct mr_tap *tap, u32 p)
{
	u32 base = p == SZ_2M ? SZ_4M : 64 * p;
	struct mr_case t;
	int i;

	start(&t, p, 1);
	add(&t, (struct mr_place){ base, 2 * p });
	mr_report_case(c, tap, 5, &t, "one element of two pages on one");

	start(&t, p, 1);
	add(&t, (struct mr_place){ base + 256, 2 * p - 256 });
	mr_report_case(c, tap, 5, &t, "unaligned element on one page");

	start(&t, p, 2);
	for (i = 0; i < 3; i++)
		add(&t, at(p, i, 0, p));
	mr_report_case(c, tap, 5, &t, "three pages on two");

	start(&t, p, 2);
	add(&t, at(p, 2, 0, p));
	add(&t, (struct mr_place){ base, 2 * p });
	mr_report_case(c, tap, 5, &t, "second element fits in part");

	start(&t, p, 1);
	for (i = 0; i < 6; i++)
		add(&t, (struct mr_place){ base + i * (p / 4), p / 4 });
	t.chain_after = 3;
	mr_report_case(c, tap, 5, &t, "more elements than pages, chained list");
}

static void offsets(struct mr_ctx *c, struct mr_tap *tap, u32 p)
{
	const u32 offset[] = { MR_NULL_OFFSET, 0, 1, 511, p - 1, p, p + 1 };
	char name[48];
	struct mr_case t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		start(&t, p, 4);
		add(&t, at(p, 0, 0, p));
		add(&t, at(p, 1, 0, p));
		add(&t, at(p, 2, 0, p / 2));
		t.offset = offset[i];
		if (offset[i] == MR_NULL_OFFSET)
			strscpy(name, "NULL offset", sizeof(name));
		else
			snprintf(name, sizeof(name), "offset %u", offset[i]);
		mr_report_case(c, tap, offset[i] >= p &&
			       offset[i] != MR_NULL_OFFSET ? 2 : 10, &t, name);
	}
}

/**
 * mr_shapes - each shape at each page size
 * @c: the context
 * @tap: where results go
 */
void mr_shapes(struct mr_ctx *c, struct mr_tap *tap)
{
	static const u32 page_size[] = {
		512, SZ_2K, SZ_4K, SZ_8K, SZ_64K, SZ_2M,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(page_size); i++) {
		mr_tap_note(tap, "page size %u", page_size[i]);
		well_formed(c, tap, page_size[i]);
		gapped(c, tap, page_size[i]);
		too_long(c, tap, page_size[i]);
		offsets(c, tap, page_size[i]);
	}
}

static struct mr_place random_place(struct mr_ctx *c, const struct mr_case *t)
{
	const struct mr_place *last = t->nents ? &t->place[t->nents - 1] : NULL;
	u32 span = min_t(u32, mr_memory_size(&c->memory), SZ_1M);
	u32 p = t->page_size, kind = mr_random(c, 8);
	struct mr_place place;

	place.pos = mr_random(c, span / p / 2) * p;
	if (last && kind < 3)
		place.pos = last->pos + last->len;
	else if (!last || kind == 7)
		place.pos += mr_random(c, p);
	place.len = p - place.pos % p + mr_random(c, 3) * p;
	if (!mr_random(c, 4))
		place.len = mr_random(c, 2 * p);
	place.len = min(place.len, span - place.pos);
	return place;
}

static void any_case(struct mr_ctx *c, struct mr_case *t)
{
	u32 nents = 1 + mr_random(c, MR_LIST_MAX - 1);

	start(t, 512 << mr_random(c, 7), 1 + mr_random(c, 16));
	while (t->nents < nents)
		add(t, random_place(c, t));
	t->offset = mr_random(c, 3) ? mr_random(c, t->place[0].len + 2) :
		    MR_NULL_OFFSET;
	if (nents > 2 && mr_random(c, 2))
		t->chain_after = 1 + mr_random(c, nents - 1);
}

/* Overlap is right for an address list, but not for who compares bytes. */
static bool overlaps(const struct mr_case *t)
{
	int i, k;

	for (i = 0; i < t->nents; i++)
		for (k = 0; k < i; k++)
			if (t->place[i].pos < t->place[k].pos + t->place[k].len &&
			    t->place[k].pos < t->place[i].pos + t->place[i].len)
				return true;
	return false;
}

/**
 * mr_random_case - a list from the generator
 * @c: the context
 * @t: filled in
 */
void mr_random_case(struct mr_ctx *c, struct mr_case *t)
{
	do {
		any_case(c, t);
	} while (overlaps(t));
}

/**
 * mr_random_cases - lists from the seed
 * @c: the context
 * @tap: where the result goes
 * @count: how many
 */
void mr_random_cases(struct mr_ctx *c, struct mr_tap *tap, unsigned int count)
{
	const char *wrong = NULL;
	struct mr_case t;
	unsigned int i;

	for (i = 0; i < count && !wrong; i++) {
		mr_random_case(c, &t);
		wrong = mr_case_run(c, &t);
		if (i % 100 == 99)
			mr_tap_note(tap, "%u of %u random lists", i + 1, count);
	}
	if (wrong) {
		mr_tap_note(tap, "page size %u, %u pages, offset %u, chained after %d",
			    t.page_size, t.max_num_sg, t.offset, t.chain_after);
		while (t.nents--)
			mr_tap_note(tap, "element %d: %#x+%u", t.nents,
				    t.place[t.nents].pos, t.place[t.nents].len);
	}
	mr_tap_result(tap, 10, wrong, "%u random lists", i);
}
