// SPDX-License-Identifier: GPL-2.0
/*
 * Much memory, many umems, many threads: contract O5, O9, and nothing leaks.
 */
#include "odp_lib.h"

#include <pthread.h>
#include <stdatomic.h>

#define GIB	(1UL << 30)

/* 2 GiB, of which 16 pages are there. */
static void sparse(void)
{
	size_t n = 2 * GIB / PAGE, i, right = 0, present = 0;
	char *addr = mmap(NULL, 2 * GIB, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			  MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t *words = memory(2 * GIB / PAGE * 8, PROT_READ | PROT_WRITE);
	long start, ret;
	size_t step = n / 16;
	int fd;

	if (addr == MAP_FAILED)
		odp_die("mmap of 2 GiB");
	madvise(addr, 2 * GIB, MADV_NOHUGEPAGE);
	fd = odp_umem(addr, 2 * GIB, RW);
	for (i = 0; i < 16; i++)
		addr[(i * step + i) * PAGE] = i + 1;
	start = now_ms();
	ret = odp_look(fd, addr, 2 * GIB, 0);
	printf("# a look at 2 GiB took %ld ms\n", now_ms() - start);
	check_is("O6", ret, n, "a look at 2 GiB counts all slots");
	for (i = 0; i < 2; i++)
		odp_list(fd, ODP_WORDS, addr + i * GIB, GIB,
			 words + i * (n / 2));
	for (i = 0; i < n; i++)
		present += (words[i] & ODP_VALID) != 0;
	for (i = 0; i < 16; i++)
		right += (words[i * step + i] & ODP_PFN_MASK) ==
			 pagemap_pfn(addr + (i * step + i) * PAGE);
	check("O6", present == 16 && right == 16,
	      "16 of them are VALID and have the pages of the process");
	start = now_ms();
	check_is("O7", odp_poke(fd, addr + 2 * GIB - 1, 'd'), 0,
		 "the device writes the last byte");
	check_is("O7", addr[2 * GIB - 1], 'd', "the process sees it");
	start = now_ms();
	close(fd);
	printf("# release took %ld ms\n", now_ms() - start);
	munmap(words, n * 8);
	munmap(addr, 2 * GIB);
}

/* One call for all of a region: batches, and all of it there in the end. */
static void whole_region(void)
{
	size_t n = 24576, i, valid = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	uint64_t *words = memory(n * 8, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);
	long start = now_ms();

	check_is("O9", odp_map(fd, addr, n * PAGE, ODP_WRITABLE), n,
		 "96 MiB in one call");
	printf("# it took %ld ms\n", now_ms() - start);
	odp_list(fd, ODP_WORDS, addr, n * PAGE, words);
	for (i = 0; i < n; i++)
		valid += (words[i] & ODP_VALID) && (words[i] & ODP_WRITABLE) &&
			 (words[i] & ODP_PFN_MASK) == pagemap_pfn(addr + i * PAGE);
	check_is("O9", valid, n, "every slot is VALID, writable and right");
	close(fd);
	munmap(words, n * 8);
	munmap(addr, n * PAGE);
}

static atomic_bool stop;

struct worker {
	int fd;
	char *addr;
	size_t pages;
	unsigned int seed;
	long wrong;
	pthread_t thread;
};

static void *map_at_random(void *arg)
{
	struct worker *w = arg;

	while (!stop) {
		size_t first = rand_r(&w->seed) % w->pages;
		size_t n = 1 + rand_r(&w->seed) % (w->pages - first);
		int kind = rand_r(&w->seed);
		long ret = odp_map_at(w->fd, (uintptr_t)w->addr + first * PAGE,
				      n * PAGE, kind & 1 ? ODP_WRITABLE : 0,
				      ODP_FLAG_FAULT |
				      (kind & 2 ? ODP_FLAG_WORKER : 0));

		w->wrong += ret != (long)n && ret != -EBUSY;
	}
	return NULL;
}

static void *take_at_random(void *arg)
{
	struct worker *w = arg;

	while (!stop) {
		size_t first = rand_r(&w->seed) % w->pages;
		size_t n = 1 + rand_r(&w->seed) % (w->pages - first);

		madvise(w->addr + first * PAGE, n * PAGE, MADV_DONTNEED);
		usleep(rand_r(&w->seed) % 500);
	}
	return NULL;
}

/* Counts slots that change while somebody else has the mutex. */
static void *watch(void *arg)
{
	struct worker *w = arg;

	while (!stop)
		w->wrong += odp_disturb(w->fd, ODP_HOLD_MUTEX, 1);
	return NULL;
}

static size_t slots_wrong(int fd, char *addr, size_t n)
{
	uint64_t words[1024];
	size_t i, bad = 0;

	odp_list(fd, ODP_WORDS, addr, n * PAGE, words);
	for (i = 0; i < n; i++)
		bad += (words[i] & ODP_VALID) &&
		       (words[i] & ODP_PFN_MASK) != pagemap_pfn(addr + i * PAGE);
	return bad;
}

/* Overlapping requests, while pages are taken away. */
static void overlapping(void)
{
	static void *(*const jobs[])(void *) = {
		map_at_random, map_at_random, map_at_random, take_at_random,
		watch,
	};
	size_t n = 1024, i, bad = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);
	struct worker workers[ARRAY_SIZE(jobs)];
	long rounds = scale(10), round, wrong = 0, changed = 0;

	for (round = 0; round < rounds; round++) {
		stop = false;
		for (i = 0; i < ARRAY_SIZE(jobs); i++) {
			workers[i] = (struct worker) {
				.fd = fd, .addr = addr, .pages = n,
				.seed = round * 8 + i + 1,
			};
			pthread_create(&workers[i].thread, NULL, jobs[i],
				       &workers[i]);
		}
		sleep_ms(400);
		stop = true;
		for (i = 0; i < ARRAY_SIZE(jobs); i++) {
			pthread_join(workers[i].thread, NULL);
			if (jobs[i] == watch)
				changed += workers[i].wrong;
			else
				wrong += workers[i].wrong;
		}
		bad += slots_wrong(fd, addr, n);
	}
	check_is("O9", wrong, 0, "overlapping requests succeed");
	check_is("O9", changed, 0,
		 "no slot changes while somebody else has the mutex");
	check_is("O9", bad, 0, "no slot has a page the process does not have");
	check_is("O9", odp_info(fd, ODP_INFO_LEFT_VALID), 0,
		 "no slot was VALID after its invalidation");
	close(fd);
	munmap(addr, n * PAGE);
}

static long kilobytes(const char *name)
{
	char line[128];
	long kb = -1;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kb;
}

static int cycle(char *addr, size_t n, int fd)
{
	struct odp_cmd release = {};
	int bad;

	bad = odp_get(fd, addr, n * PAGE, RW) != 0;
	bad += odp_map(fd, addr, n * PAGE, ODP_WRITABLE) != (long)n;
	bad += odp_do(fd, ODP_RELEASE, &release) != 0;
	return bad;
}

/* A leak of one umem each would be 10 MB and more. */
static void come_and_go(void)
{
	long rounds = scale(10000), i, before, bad = 0;
	size_t n = 64;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open();

	for (i = 0; i < 500; i++)
		bad += cycle(addr, n, fd);
	before = kilobytes("SUnreclaim:") + kilobytes("VmallocUsed:");
	for (i = 0; i < rounds; i++)
		bad += cycle(addr, n, fd);
	i = kilobytes("SUnreclaim:") + kilobytes("VmallocUsed:") - before;
	check_is("O13", bad, 0, "umems come and go");
	printf("# slab and vmalloc: %+ld kB after %ld cycles\n", i, rounds);
	check("O13", i < 100 + rounds / 4, "memory is level");
	close(fd);
	munmap(addr, n * PAGE);
}

int main(void)
{
	sparse();
	whole_region();
	overlapping();
	come_and_go();
	return odp_finish();
}
