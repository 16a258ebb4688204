// SPDX-License-Identifier: GPL-2.0
/*
 * src/verbs over random lists, through models of every driver version, against
 * a count over bytes (contract section 1).
 *
 * usage: map_test [LISTS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_model.h"
#include "mr_model.h"
#include "verbs/lookup.h"

#define MAX_ELEMENTS 12
#define MAX_BYTES (1 << 16)
#define MAX_PAGES 8

/* The table of records is kernel code; one region is enough here. */
static struct rdma_shim_region *record;
static struct driver_model model;

struct rdma_shim_region *rdma_shim_region_find(const struct ib_mr *mr)
{
	return record;
}

/**
 * struct vector - one call
 * @sg: the list; one more entry than elements, for the link
 * @nents: its elements
 * @offset: the caller's *sg_offset
 * @page_size: the caller's
 * @max_num_sg: the region's
 */
struct vector {
	struct scatterlist sg[MAX_ELEMENTS + 1];
	int nents;
	unsigned int offset;
	unsigned int page_size;
	unsigned int max_num_sg;
};

/**
 * struct expected - what the contract says of a vector
 * @ret: elements whole, or the error
 * @resume: *sg_offset afterwards
 * @bytes: how many bytes the region covers
 * @runs: contiguous stretches among them
 * @byte: their addresses
 */
struct expected {
	int ret;
	unsigned int resume;
	unsigned int bytes;
	unsigned int runs;
	u64 byte[MAX_BYTES];
};

static u64 state;

static unsigned int rnd(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % n;
}

static void expect(const struct vector *v, struct expected *e)
{
	struct mr_element element[MAX_ELEMENTS];
	static struct mr_answer answer;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(element); i++) {
		element[i].addr = v->sg[i].dma_address;
		element[i].len = v->sg[i].dma_length;
	}
	mr_model(&(struct mr_question){
		.element = element,
		.nents = v->nents,
		.offset = v->offset,
		.page_size = v->page_size,
		.max_num_sg = v->max_num_sg,
	}, &answer);

	e->ret = answer.ret;
	e->resume = answer.resume;
	e->runs = answer.runs;
	e->bytes = 0;
	for (i = 0; i < answer.runs; i++)
		for (k = 0; k < answer.run[i].len; k++)
			e->byte[e->bytes++] = answer.run[i].addr + k;
}

/* Mostly well-formed, so that long prefixes are common. */
static u64 next_address(const struct vector *v, u64 end)
{
	switch (rnd(8)) {
	case 0: case 1: case 2:
		return end;
	case 3: case 4: case 5: case 6:
		return (1 + rnd(4000)) * 1024ULL;
	default:
		return 1024 + rnd(1 << 20);
	}
}

static unsigned int next_length(const struct vector *v, u64 addr)
{
	unsigned int page = v->page_size ? v->page_size : 1;

	switch (rnd(16)) {
	case 0:
		return 0;
	case 1: case 2:
		return 1 + rnd(3 * page);
	case 3: case 4: case 5:
		return page - addr % page;
	default:
		return page - addr % page + page * rnd(4);
	}
}

static void random_vector(struct vector *v)
{
	u64 end = 2048 + (rnd(2) ? rnd(256) : 0);
	int i;

	memset(v, 0, sizeof(*v));
	v->page_size = 1U << rnd(9);
	if (!rnd(50))
		v->page_size = rnd(3) ? v->page_size * 3 : 0;
	v->max_num_sg = 1 + rnd(MAX_PAGES);
	v->nents = 1 + rnd(MAX_ELEMENTS);
	for (i = 0; i < v->nents; i++) {
		u64 addr = i ? next_address(v, end) : end;

		v->sg[i].dma_address = addr;
		v->sg[i].dma_length = next_length(v, addr);
		v->sg[i].length = v->sg[i].dma_length;
		end = addr + v->sg[i].dma_length;
	}
	v->sg[v->nents - 1].end = true;
	if (rnd(2))
		v->offset = rnd(v->sg[0].dma_length + 2);
	if (!rnd(100))
		v->nents = -(int)rnd(2);
}

static const char *wrong;

#define CHECK(condition) do {				\
	if (!wrong && !(condition))			\
		wrong = #condition;			\
} while (0)

static void check_reach(const struct driver_kind *kind,
			const struct expected *e, bool to_memory)
{
	static u64 reached[MAX_BYTES];
	unsigned int from = rnd(e->bytes);
	unsigned int len = 1 + rnd(e->bytes - from);

	kind->reach(&model, e->byte[0] + from, len, to_memory, reached);
	/* The iova counts on from the first byte, wherever the bytes are. */
	CHECK(!memcmp(reached, e->byte + from, len * sizeof(u64)));
}

/* M10 lets scattered elements below a system page be refused; siw, rxe do. */
static bool must_be_refused(const struct driver_kind *kind,
			    const struct vector *v, const struct expected *e)
{
	return e->ret >= 0 && kind->ops.driver_id != RDMA_DRIVER_UNKNOWN &&
	       v->page_size < PAGE_SIZE && e->runs > 1;
}

static void check_mapped(const struct driver_kind *kind,
			 const struct expected *e)
{
	CHECK(model.mr.iova == e->byte[0]);
	CHECK(model.mr.length == e->bytes);
	if (wrong)
		return;
	check_reach(kind, e, false);
	check_reach(kind, e, true);
}

static void check_vector(const struct driver_kind *kind, const struct vector *v)
{
	static struct expected e;
	struct driver_model before = model;
	struct vector copy = *v;
	unsigned int offset = v->offset;
	bool null_offset = !v->offset && rnd(2);
	int ret;

	expect(v, &e);
	if (must_be_refused(kind, v, &e))
		e.ret = -EINVAL;
	ret = rdma_shim_ib_map_mr_sg(&model.mr, copy.sg, v->nents,
				     null_offset ? NULL : &offset,
				     v->page_size);
	CHECK(ret == e.ret);
	CHECK(!memcmp(&copy, v, sizeof(copy)));
	if (ret < 0) {
		CHECK(!memcmp(&before, &model, sizeof(before)));
		CHECK(offset == v->offset);
		return;
	}
	CHECK(null_offset || offset == e.resume);
	check_mapped(kind, &e);
}

static void new_region(const struct driver_kind *kind, unsigned int max_num_sg)
{
	static struct ib_device device;

	free(record);
	record = calloc(1, sizeof(*record) +
			   max_num_sg * sizeof(record->list[0]));
	record->max_num_sg = max_num_sg;
	device.ops = kind->ops;
	memset(&model, 0, sizeof(model));
	model.mr.device = &device;
	model.mr.page_size = PAGE_SIZE;
	model.max_num_sg = max_num_sg;
	model.allowed = max_num_sg;
	rdma_shim_region_describe(record, &model.mr);
}

static void print_vector(const struct vector *v)
{
	int i;

	printf("# page size %u, %u pages, %d elements, offset %u:", v->page_size,
	       v->max_num_sg, v->nents, v->offset);
	for (i = 0; i < v->nents; i++)
		printf(" %#llx+%u", (unsigned long long)v->sg[i].dma_address,
		       v->sg[i].dma_length);
	printf("\n");
}

/* A region lives for some calls, so that each meets what the last one left. */
static void test_random(unsigned int number, const struct driver_kind *kind,
			unsigned long lists)
{
	struct vector v;
	unsigned long i;

	wrong = NULL;
	for (i = 0; i < lists && !wrong; i++) {
		random_vector(&v);
		if (!(i % 8))
			new_region(kind, v.max_num_sg);
		v.max_num_sg = record->max_num_sg;
		check_vector(kind, &v);
	}
	if (wrong) {
		printf("# list %lu: not so: %s\n", i - 1, wrong);
		print_vector(&v);
	}
	printf("%sok %u - M2 to M12 on %s, %lu random lists\n",
	       wrong ? "not " : "", number, kind->name, i);
}

static void map_pages(unsigned int nents, unsigned int page_size, int expected)
{
	struct scatterlist sg[MAX_ELEMENTS] = {};
	unsigned int i;

	for (i = 0; i < nents; i++) {
		sg[i].dma_address = (u64)(2 * i + 2) * page_size;
		sg[i].dma_length = page_size;
	}
	sg[nents - 1].end = true;
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, sg, nents, NULL, page_size) ==
	      expected);
}

static const struct driver_kind *kind_named(const char *name)
{
	unsigned int i;

	for (i = 0; strcmp(driver_kinds[i].name, name); i++)
		;
	return &driver_kinds[i];
}

static void test_lost_table(unsigned int number)
{
	const struct driver_kind *kind = kind_named("rxe 7.3");
	bool with_record;

	wrong = NULL;
	for (with_record = true;; with_record = false) {
		new_region(kind, 4);
		if (!with_record) {
			free(record);
			record = NULL;
		}
		map_pages(2, PAGE_SIZE, 2);
		model.fail_grow = true;
		map_pages(2, 4 * PAGE_SIZE, -ENOMEM);
		CHECK(!model.mr.length);
		CHECK(model.calls == 2);
		map_pages(2, PAGE_SIZE, -ENOMEM);
		map_pages(2, 4 * PAGE_SIZE, -ENOMEM);
		CHECK(model.calls == 2);
		if (!with_record)
			break;
	}
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - M9 a region that lost its table never reaches rxe again\n",
	       wrong ? "not " : "", number);
}

static int break_down(struct ib_mr *mr, struct scatterlist *sg, int nents,
		      unsigned int *offset)
{
	if (offset)
		*offset = 7;
	return -EIO;
}

static int keep_offset(struct ib_mr *mr, struct scatterlist *sg, int nents,
		       unsigned int *offset)
{
	mr->iova = sg_dma_address(sg) + *offset;
	mr->length = sg_dma_len(sg) - *offset;
	return nents;
}

/* What the caller needs in order to try again is as it was. */
static void test_driver_failure(unsigned int number)
{
	struct scatterlist sg = { .dma_address = 4 * PAGE_SIZE,
				  .dma_length = PAGE_SIZE, .end = true };
	struct driver_kind kind = *kind_named("rxe 5.10");
	unsigned int offset = 3;

	wrong = NULL;
	kind.ops.map_mr_sg = break_down;
	new_region(&kind, 4);
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, &sg, 1, &offset,
				     PAGE_SIZE) == -EIO);
	CHECK(!model.mr.length);
	CHECK(offset == 3);
	kind.ops.map_mr_sg = keep_offset;
	new_region(&kind, 4);
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, &sg, 1, &offset,
				     PAGE_SIZE) == 1);
	CHECK(model.mr.length == PAGE_SIZE - 3);
	CHECK(!offset);
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - M6 M9 the offset after a driver breaks down, or says nothing of it\n",
	       wrong ? "not " : "", number);
}

static void test_big_table(unsigned int number)
{
	const struct driver_kind *kind = kind_named("rxe 7.3");

	wrong = NULL;
	/* 16 bytes for each PAGE_SIZE: 1 MiB may be asked of the driver. */
	new_region(kind, 512);
	model.fail_grow = true;
	map_pages(1, PAGE_SIZE << 7, -ENOMEM);
	CHECK(model.calls == 1);
	new_region(kind, 513);
	map_pages(1, PAGE_SIZE << 7, -EINVAL);
	CHECK(!model.calls);
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - a driver table above 1 MiB is refused before the call\n",
	       wrong ? "not " : "", number);
}

/* Without a record the driver decides, and its answer is taken to the byte. */
static void test_no_record(unsigned int number)
{
	struct scatterlist sg[2] = {};
	unsigned int offset = 0;

	wrong = NULL;
	new_region(kind_named("rxe 5.10"), 2);
	free(record);
	record = NULL;
	sg[0].dma_address = 64 * PAGE_SIZE;
	sg[0].dma_length = PAGE_SIZE;
	sg[1].dma_address = 128 * PAGE_SIZE;
	sg[1].dma_length = 3 * PAGE_SIZE;
	sg[1].end = true;
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, sg, 2, &offset, PAGE_SIZE) == 1);
	CHECK(model.mr.length == PAGE_SIZE + offset);
	CHECK(model.mr.length <= 2 * PAGE_SIZE);
	map_pages(1, PAGE_SIZE, 1);

	/* The driver's length wraps when it runs out in the first page. */
	sg[0].dma_address += 1;
	sg[0].dma_length = 2 * PAGE_SIZE;
	sg[0].end = true;
	model.max_num_sg = 1;
	offset = 0;
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, sg, 1, &offset, PAGE_SIZE) < 0);
	CHECK(!model.mr.length && !offset);
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - M5 a region without a record never claims more than it holds\n",
	       wrong ? "not " : "", number);
}

static void test_zero_based(unsigned int number)
{
	struct scatterlist sg = { .end = true, .dma_length = 3 * PAGE_SIZE };
	unsigned int i, offset;

	wrong = NULL;
	for (i = 0; i < driver_kind_count; i++) {
		bool soft = driver_kinds[i].ops.driver_id != RDMA_DRIVER_UNKNOWN;

		sg.dma_address = 32 * PAGE_SIZE;
		new_region(&driver_kinds[i], 4);
		CHECK(rdma_shim_ib_map_mr_sg_zbva(&model.mr, &sg, 1, NULL,
						  PAGE_SIZE) == 1);
		CHECK(!model.mr.iova && model.mr.length == 3 * PAGE_SIZE);
		offset = 1;
		model.calls = 0;
		CHECK((rdma_shim_ib_map_mr_sg_zbva(&model.mr, &sg, 1, &offset,
						   PAGE_SIZE) < 0) == soft);
		CHECK(model.calls == !soft);
	}
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - zero-based addresses only where offsets come out right\n",
	       wrong ? "not " : "", number);
}

static void test_long_run(unsigned int number)
{
	struct scatterlist sg[3] = {};
	unsigned int i, offset = 0;

	wrong = NULL;
	new_region(kind_named("siw"), 16);
	for (i = 0; i < 3; i++) {
		sg[i].dma_address = (u64)(i + 1) << 31;
		sg[i].dma_length = 1U << 31;
	}
	sg[2].end = true;
	CHECK(rdma_shim_ib_map_mr_sg(&model.mr, sg, 3, &offset, 1U << 30) == 1);
	CHECK(model.mr.length == (1ULL << 31) + offset);
	CHECK(model.entry[0].size <= U32_MAX);
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - M5 no run on siw is longer than 32 bits can count\n",
	       wrong ? "not " : "", number);
}

/* What the path for one element must not take for its own. */
static void test_one(unsigned int number)
{
	struct scatterlist sg = { .dma_address = 4 * PAGE_SIZE + 1,
				  .dma_length = PAGE_SIZE, .end = true };
	unsigned int i, offset;

	wrong = NULL;
	for (i = 0; i < driver_kind_count; i++) {
		new_region(&driver_kinds[i], 1);
		offset = 0;
		CHECK(!rdma_shim_ib_map_mr_sg(&model.mr, &sg, 1, &offset,
					      PAGE_SIZE));
		CHECK(offset == PAGE_SIZE - 1);
		CHECK(model.mr.length == PAGE_SIZE - 1);
		CHECK(rdma_shim_ib_map_mr_sg(&model.mr, NULL, 1, NULL,
					     PAGE_SIZE) == -EINVAL);
		/* The record is older than the loss. */
		sg.dma_length--;
		model.mr.device->ops.map_mr_sg = NULL;
		CHECK(rdma_shim_ib_map_mr_sg(&model.mr, &sg, 1, NULL,
					     PAGE_SIZE) == -EOPNOTSUPP);
		offset = 1;
		CHECK(rdma_shim_ib_map_mr_sg(&model.mr, &sg, 1, &offset,
					     PAGE_SIZE) == -EOPNOTSUPP);
		sg.dma_length++;
	}
	if (wrong)
		printf("# not so: %s\n", wrong);
	printf("%sok %u - M1 M2 M5 one element too long for its region, none, and no driver\n",
	       wrong ? "not " : "", number);
}

int main(int argc, char **argv)
{
	unsigned long lists = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	unsigned int seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	unsigned int number = 0, failed = 0, i;

	printf("TAP version 13\n1..%u\n# seed %u\n", driver_kind_count + 7, seed);
	for (i = 0; i < driver_kind_count; i++) {
		state = 88172645463325252ULL + seed;
		test_random(++number, &driver_kinds[i],
			    lists / driver_kind_count);
		failed += !!wrong;
	}
	test_lost_table(++number);
	failed += !!wrong;
	test_driver_failure(++number);
	failed += !!wrong;
	test_big_table(++number);
	failed += !!wrong;
	test_no_record(++number);
	failed += !!wrong;
	test_zero_based(++number);
	failed += !!wrong;
	test_long_run(++number);
	failed += !!wrong;
	test_one(++number);
	failed += !!wrong;
	free(record);
	return !!failed;
}
