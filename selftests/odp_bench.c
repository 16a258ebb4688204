// SPDX-License-Identifier: GPL-2.0
/*
 * What ib_umem_odp_map_dma_and_lock() costs: the running kernel's own, the
 * package's, and hmm_range_fault() of the same range alone. A line for each row:
 *
 *	# bench odp ROW native MIDDLE LEAST MOST ours MIDDLE LEAST MOST bare ...
 *
 * in nanoseconds a call, which are instructions where the clock counts these.
 */
#include "odp_lib.h"

#define ROUNDS	15

enum who { NATIVE, OURS, BARE, EVERYBODY };

static const char *const names[] = { "native", "ours", "bare" };

/* What has happened to the memory before the call that counts. */
enum before {
	FIRST,		/* nobody has touched it */
	AGAIN,		/* the same call */
	LOST,		/* the same call, then its pages were taken away */
	FORGOTTEN,	/* the process has the pages, the umem has given them up */
	WRITTEN,	/* a call to write */
	IN_HUGE,	/* as FORGOTTEN, and it is a huge page */
};

static const struct row {
	const char *name;
	enum before before;
	size_t pages;
	uint64_t mask;
} rows[] = {
	{ "first-1", FIRST, 1, ODP_WRITABLE },
	{ "first-64", FIRST, 64, ODP_WRITABLE },
	{ "first-512", FIRST, 512, ODP_WRITABLE },
	{ "again-1", AGAIN, 1, ODP_WRITABLE },
	{ "again-64", AGAIN, 64, ODP_WRITABLE },
	{ "again-512", AGAIN, 512, ODP_WRITABLE },
	{ "huge-2M", IN_HUGE, 512, ODP_WRITABLE },
	{ "read-after-write-64", WRITTEN, 64, 0 },
	{ "invalidated-64", LOST, 64, ODP_WRITABLE },
	{ "present-64", FORGOTTEN, 64, ODP_WRITABLE },
	{ "present-512", FORGOTTEN, 512, ODP_WRITABLE },
};

static void choose_api(enum who who)
{
	setenv("ODP_API", who == OURS ? "ours" : "native", 1);
}

static char *new_memory(const struct row *row)
{
	char *addr = aligned_memory(HUGE, HUGE);

	madvise(addr, HUGE, MADV_NOHUGEPAGE);
	if (row->before == IN_HUGE &&
	    mmap(addr, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1, 0) == MAP_FAILED)
		return NULL;
	return addr;
}

static void prepare(const struct row *row, int fd, char *addr)
{
	size_t len = row->pages * PAGE;

	if (row->before == FIRST)
		return;
	odp_map(fd, addr, len, row->before == WRITTEN ? ODP_WRITABLE : row->mask);
	if (row->before == LOST)
		madvise(addr, len, MADV_DONTNEED);
	if (row->before == FORGOTTEN || row->before == IN_HUGE)
		odp_unmap(fd, addr, len);
}

/* Nanoseconds, or negative. */
static long measure(const struct row *row, enum who who)
{
	struct odp_cmd cmd = { .mask = row->mask, .flags = ODP_FLAG_FAULT };
	char *addr = new_memory(row);
	long ret;
	int fd;

	if (!addr)
		return -ENOMEM;
	fd = odp_umem(addr, HUGE, RW | (row->before == IN_HUGE ? HUGETLB : 0));
	prepare(row, fd, addr);
	cmd.virt = (uintptr_t)addr;
	cmd.len = row->pages * PAGE;
	ret = odp_do(fd, who == BARE ? ODP_TIME_BARE : ODP_TIME_MAP, &cmd);
	close(fd);
	munmap(addr, HUGE);
	return ret < 0 ? ret : (long)cmd.out[0];
}

static int less(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

static void measure_row(const struct row *row)
{
	long ns[EVERYBODY][ROUNDS], bad = 0;
	int who, turn, i;

	/* Each leaves the allocator to the next one, so they take turns. */
	for (i = 0; i < ROUNDS; i++)
		for (turn = 0; turn < EVERYBODY; turn++) {
			who = (i + turn) % EVERYBODY;
			choose_api(who);
			ns[who][i] = measure(row, who);
			bad = bad ? bad : ns[who][i] < 0 ? ns[who][i] : 0;
		}
	choose_api(OURS);
	check_is("bench", bad, 0, row->name);
	printf("# bench odp %s", row->name);
	for (who = 0; who < EVERYBODY; who++) {
		qsort(ns[who], ROUNDS, sizeof(long), less);
		printf(" %s %ld %ld %ld", names[who], ns[who][ROUNDS / 2],
		       ns[who][0], ns[who][ROUNDS - 1]);
	}
	printf("\n");
}

int main(void)
{
	long before;
	size_t i;

	before = huge_pages(2);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		measure_row(&rows[i]);
	huge_pages(before);
	return odp_finish();
}
