// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of src/odp: which slots a range means, what a page word says,
 * how time is charged (contract O1, O2, O5, O8, O10), against counts over
 * bytes, fields and ticks.
 *
 * usage: odp_test [SEED]
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "odp/slot.h"
#include "odp/span.h"

/* Sums of addresses that cannot wrap. */
#define WIDE unsigned __int128

static unsigned int tests, failed;

static void result(unsigned long cases, unsigned long wrong, const char *name)
{
	tests++;
	if (wrong || !cases) {
		failed++;
		printf("not ");
	}
	printf("ok %u - %s\n# %lu cases, %lu wrong\n", tests, name, cases,
	       wrong);
}

static u64 random64(void)
{
	u64 r = 0;
	int i;

	for (i = 0; i < 5; i++)
		r = r << 15 ^ (random() & 0x7fff);
	return r;
}

/* ------------------------------------------------------------------ ranges */

/* Where umems lie: low, in the middle, and as high as a user's memory may. */
static const u64 places[] = { 0x100, 0x7f0012340000, 0xffffffffffff0000 };

/* The slots that hold a byte of the range, counted byte by byte. */
static void count_slots(const struct odp_span *umem, unsigned int shift,
			WIDE from, WIDE to, size_t *first, size_t *count)
{
	size_t slot, last = 0;
	WIDE byte;

	*count = 0;
	for (byte = from; byte < to; byte++) {
		if (byte < umem->start || byte >= umem->end)
			continue;
		slot = (size_t)(byte - umem->start) >> shift;
		if (!*count)
			*first = slot;
		if (!*count || slot != last)
			++*count;
		last = slot;
	}
}

static bool span_is(const struct odp_span *umem, const struct odp_span *span,
		    unsigned int shift, size_t first, size_t count)
{
	if (span->count != count)
		return false;
	if (!count)
		return true;
	return span->first == first &&
	       span->start == umem->start + (first << shift) &&
	       span->end == span->start + (count << shift);
}

static int request_expected(const struct odp_span *umem, u64 virt, u64 bcnt,
			    u64 mask)
{
	if ((mask && mask != HMM_PFN_WRITE) || !bcnt)
		return -EINVAL;
	if (virt < umem->start || (WIDE)virt + bcnt > umem->end)
		return -EFAULT;
	return 0;
}

static bool request_right(const struct odp_span *umem, unsigned int shift,
			  u64 virt, u64 bcnt, u64 mask)
{
	int expected = request_expected(umem, virt, bcnt, mask);
	struct odp_span span = { 0 };
	size_t first = 0, count;

	if (odp_request(umem, shift, virt, bcnt, mask, &span) != expected)
		return false;
	if (expected)
		return true;
	count_slots(umem, shift, virt, (WIDE)virt + bcnt, &first, &count);
	return span_is(umem, &span, shift, first, count);
}

static bool cover_right(const struct odp_span *umem, unsigned int shift,
			u64 virt, u64 bound)
{
	struct odp_span span = { 0 };
	size_t first = 0, count;

	odp_cover(umem, shift, virt, bound, &span);
	count_slots(umem, shift, virt, bound, &first, &count);
	return span_is(umem, &span, shift, first, count);
}

struct tally {
	unsigned long cases;
	unsigned long requests;
	unsigned long covers;
};

static void ranges_of(const struct odp_span *umem, unsigned int shift,
		      struct tally *tally)
{
	int bytes = umem->end - umem->start;
	int from, len;
	u64 virt;

	for (from = -5; from < bytes + 5; from++) {
		for (len = 0; len < bytes + 10; len++) {
			virt = umem->start + from;
			tally->cases++;
			tally->requests += !request_right(umem, shift, virt,
					len, len & 1 ? HMM_PFN_WRITE : 0);
			tally->covers += !cover_right(umem, shift, virt,
						      virt + len);
		}
	}
}

static void small_ranges(void)
{
	struct tally tally = { 0 };
	struct odp_span umem = { 0 };
	unsigned int shift;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (shift = 1; shift <= 3; shift++) {
			for (umem.count = 1; umem.count <= 4; umem.count++) {
				umem.start = places[i];
				umem.end = umem.start + (umem.count << shift);
				ranges_of(&umem, shift, &tally);
			}
		}
	}
	result(tally.cases, tally.requests,
	       "O2 O10 requests mean the slots of their bytes");
	result(tally.cases, tally.covers,
	       "O9 O10 unmapping means the slots of its bytes");
}

static void backward_ranges(void)
{
	struct odp_span umem = {
		.start = 0x10000, .end = 0x18000, .count = 8,
	};
	unsigned long cases = 0, wrong = 0;
	u64 virt, bound;

	for (virt = 0xe800; virt < 0x1a000; virt += 0x800)
		for (bound = 0xe800; bound <= virt; bound += 0x800, cases++)
			wrong += !cover_right(&umem, 12, virt, bound);
	result(cases, wrong, "O9 a range that ends before it starts is empty");
}

static void large_numbers(void)
{
	static const u64 far[] = {
		0, 1, 0xfff, 0x1000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xfffffffffffffffe, 0xffffffffffffffff,
	};
	struct odp_span umem = { .start = 0x40000, .end = 0x48000, .count = 8 };
	unsigned long cases, wrong = 0;
	struct odp_span span;
	u64 virt, bcnt, mask;
	int expected;

	for (cases = 0; cases < 4000; cases++) {
		virt = 0x3f000 + random() % 0xb000;
		if (cases & 1)
			virt = far[random() % ARRAY_SIZE(far)];
		bcnt = far[random() % ARRAY_SIZE(far)];
		mask = random() & 1 ? 0 : far[random() % ARRAY_SIZE(far)];
		expected = request_expected(&umem, virt, bcnt, mask);
		wrong += odp_request(&umem, 12, virt, bcnt, mask, &span) !=
			 expected;
	}
	result(cases, wrong, "O1 O2 other masks, wraps and far ranges");
}

static void too_many_slots(void)
{
	struct odp_span umem = {
		.start = 0, .end = 1UL << 45, .count = 1UL << 33,
	};
	struct odp_span span;
	unsigned long wrong = 0;

	wrong += odp_request(&umem, 12, 0, 1UL << 44, 0, &span) >= 0;
	wrong += odp_request(&umem, 12, 0, ((u64)INT_MAX) << 12, 0, &span) != 0;
	result(2, wrong, "more slots than an int can say are refused");
}

static int bounds_expected(u64 addr, u64 size, unsigned int shift, WIDE *start,
			   WIDE *end)
{
	WIDE slot = (WIDE)1 << shift;

	*start = addr / slot * slot;
	*end = ((WIDE)addr + size + slot - 1) / slot * slot;
	if (*end > ULONG_MAX)
		return -EOVERFLOW;
	return *start == *end ? -EINVAL : 0;
}

static void registered(void)
{
	static const unsigned int shifts[] = { 12, 16, 21, 30 };
	unsigned long cases, wrong = 0;

	for (cases = 0; cases < 200000; cases++) {
		unsigned int shift = shifts[random() % ARRAY_SIZE(shifts)];
		u64 addr = random64() >> random() % 64;
		u64 size = random() % 8 ? random64() >> random() % 64 : 0;
		unsigned long start = 0, end = 0;
		WIDE first, last;
		int expected;

		if (random() % 4 == 0)
			addr = -addr;
		if (random() % 4 == 0)
			size = -addr - random() % 3 + 1;
		expected = bounds_expected(addr, size, shift, &first, &last);
		if (odp_bounds(addr, size, shift, &start, &end) != expected)
			wrong++;
		else if (!expected && (start != first || end != last))
			wrong++;
	}
	result(cases, wrong, "registrations are rounded to slots, and refused when they wrap");
}

/* ------------------------------------------------------------------- words */

/* A page word by its fields. */
struct fields {
	bool valid;
	bool write;
	bool error;
	unsigned int sticky;	/* bits 58 to 60 */
	unsigned int order;
	u64 pfn;
};

static struct fields random_fields(void)
{
	return (struct fields){
		.valid = random() & 1,
		.write = random() & 1,
		.error = random() % 8 == 0,
		.order = random() % 32 & -(random() & 1),
		.pfn = random64() >> 11 >> random() % 53,
	};
}

/* As the kernel writes it: before 6.16 the order is at bit 56. */
static u64 encode(struct fields f, unsigned int order_shift)
{
	u64 word = f.pfn | (u64)f.order << order_shift;

	word |= (u64)f.valid << 63 | (u64)f.write << 62 | (u64)f.error << 61;
	return word | (u64)f.sticky << 58;
}

static void translations(void)
{
	unsigned long cases, wrong = 0;

	for (cases = 0; cases < 400000; cases++) {
		struct fields f = random_fields();
		unsigned int shift = random() & 1 ? 56 : 53;
		u64 got, expected;

		/* Old words hold no pfn that reaches the order. */
		got = odp_word_from(encode(f, shift), shift);
		expected = f.error ? HMM_PFN_ERROR : 0;
		if (f.valid)
			expected = encode(f, 53);
		wrong += got != expected;
		if (f.valid)
			wrong += odp_word_order(got) != f.order;
	}
	result(cases, wrong, "words of every kernel become words of 7.3");
}

static u64 merge_expected(struct fields slot, struct fields word)
{
	if (!word.valid)
		return slot.valid ? encode(slot, 53) : encode(word, 53);
	if (slot.valid && slot.pfn == word.pfn) {
		word.write |= slot.write;
		word.sticky = slot.sticky;
	}
	return encode(word, 53);
}

static void merges(void)
{
	unsigned long cases, wrong = 0, lost = 0, freed = 0;

	for (cases = 0; cases < 400000; cases++) {
		struct fields slot = random_fields(), word = random_fields();
		u64 got;

		if (slot.valid)
			slot.sticky = random() % 8;
		if (random() & 1)
			word.pfn = slot.pfn;
		if (!word.valid)
			word = (struct fields){ .error = word.error };
		got = odp_slot_merge(encode(slot, 53), encode(word, 53));
		wrong += got != merge_expected(slot, word);
		lost += slot.valid && slot.write && word.valid &&
			slot.pfn == word.pfn && !(got & HMM_PFN_WRITE);
		freed += slot.valid && !(got & HMM_PFN_VALID);
	}
	result(cases, wrong, "a slot after another walk");
	result(cases, lost, "O8 no walk takes away permission to write");
	result(cases, freed, "O8 no walk makes a VALID slot invalid");
}

static void presence(void)
{
	unsigned long cases, wrong = 0;
	unsigned long slots[9];
	size_t n, i, expected;

	for (cases = 0; cases < 100000; cases++) {
		bool write = random() & 1;
		u64 need = HMM_PFN_VALID | write * HMM_PFN_WRITE;

		n = random() % 9;
		expected = n;
		for (i = n; i--;) {
			struct fields f = random_fields();

			f.valid = random() % 8;
			f.write = random() % 8;
			slots[i] = encode(f, 53);
			if (!f.valid || (write && !f.write))
				expected = i;
		}
		/* Behind the end there is always one that would not do. */
		slots[n] = 0;
		wrong += odp_slots_present(slots, n, need) != expected;
	}
	result(cases, wrong, "O6 O7 the first slot that lacks what a request needs");
}

/* -------------------------------------------------------------------- time */

static void charges(void)
{
	unsigned long cases, wrong = 0, most = 25;
	struct odp_budget budget;
	unsigned long now, spent, took;
	int tries;

	for (cases = 0; cases < 20000; cases++) {
		/* Near the wrap of jiffies too. */
		now = random64();
		if (random() & 1)
			now = -(now % 1000);
		budget = (struct odp_budget){ .mark = now };
		spent = 0;
		for (tries = 0; tries < 40; tries++) {
			took = random() % 60;
			now += took;
			spent += took < most ? took : most;
			odp_charge(&budget, now, most);
			wrong += budget.spent != spent || budget.mark != now;
		}
	}
	result(cases, wrong, "O5 a try is charged what it took, a long one a part");
}

int main(int argc, char **argv)
{
	srandom(argc > 1 ? atoi(argv[1]) : 1);
	puts("TAP version 13");
	small_ranges();
	backward_ranges();
	large_numbers();
	too_many_slots();
	registered();
	translations();
	merges();
	presence();
	charges();
	printf("1..%u\n", tests);
	return failed != 0;
}
