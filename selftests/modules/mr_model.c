// SPDX-License-Identifier: GPL-2.0
/*
 * Deliberately naive: looks at one byte after another and at nothing else.
 * Compiles in user space too, where the unit tests use it.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "mr_model.h"

static bool wrong_arguments(const struct mr_question *q)
{
	u32 bits, ones = 0;

	if (q->nents <= 0 || q->offset >= q->element[0].len)
		return true;
	for (bits = q->page_size; bits; bits >>= 1)
		ones += bits & 1;
	return !q->gaps && ones != 1;
}

/* May this byte stand in the region behind that one? (M3) */
static bool may_follow(const struct mr_question *q, u64 addr, u64 previous,
		       bool first_of_element)
{
	u32 inside = q->page_size - 1;

	if (addr == previous + 1 || (q->gaps && first_of_element))
		return true;
	return first_of_element && !(addr & inside) &&
	       !((previous + 1) & inside);
}

static void take_byte(struct mr_answer *a, u64 addr, bool new_run)
{
	if (new_run) {
		a->run[a->runs].addr = addr;
		a->run[a->runs].len = 0;
		a->runs++;
	}
	a->run[a->runs - 1].len++;
	a->length++;
}

/* Returns false when the region ends before or inside the element. */
static bool take_element(const struct mr_question *q, struct mr_answer *a,
			 int index, u32 *pages)
{
	const struct mr_element *element = &q->element[index];
	u32 first = index ? 0 : q->offset;
	u32 k;

	for (k = first; k < element->len; k++) {
		u64 addr = element->addr + k;
		u64 previous = a->runs ? a->run[a->runs - 1].addr +
			       a->run[a->runs - 1].len - 1 : 0;
		bool new_run = !a->runs || addr != previous + 1;
		bool new_page = new_run || !(addr & (q->page_size - 1));

		if (a->runs && !may_follow(q, addr, previous, k == first))
			return false;
		if (q->gaps)
			new_page = k == first;
		if (new_page && (*pages)++ == q->max_num_sg)
			return false;
		if (new_run && a->runs == MR_MODEL_RUNS)
			return false;
		take_byte(a, addr, new_run);
		a->resume = k + 1;
	}
	return element->len;
}

/**
 * mr_model - what the contract says of a call
 * @q: the call
 * @a: the answer
 */
void mr_model(const struct mr_question *q, struct mr_answer *a)
{
	u32 pages = 0;

	a->ret = 0;
	a->resume = 0;
	a->length = 0;
	a->runs = 0;
	if (wrong_arguments(q)) {
		a->ret = -EINVAL;
		return;
	}
	while (a->ret < q->nents && take_element(q, a, a->ret, &pages)) {
		a->ret++;
		a->resume = 0;
	}
	/* A region that holds no byte at all is no region. */
	if (!a->length)
		a->ret = -EINVAL;
}
