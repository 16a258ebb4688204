// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench_nfs FILE write|read|stat SIZE CALLS
 *
 * What an operation on a file costs: CALLS of them in each of several rounds,
 * past the page cache. Prints the middle, the least and the most of all
 * rounds, in nanoseconds an operation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5
#define ALIGNMENT 4096

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench_nfs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void operate(const char *verb, const char *path, int fd, char *data,
		    size_t size, off_t at)
{
	struct statx st;

	if (*verb == 'w' && pwrite(fd, data, size, at) != (ssize_t)size)
		fail("write");
	if (*verb == 'r' && pread(fd, data, size, at) != (ssize_t)size)
		fail("read");
	/* By its path, unopened: a delegation would answer for the server. */
	if (*verb == 's' && statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC,
				  STATX_SIZE, &st))
		fail("stat");
}

static uint64_t round_of(const char *verb, const char *path, int fd, char *data,
			 size_t size, unsigned int calls)
{
	uint64_t start = now();
	unsigned int i;

	for (i = 0; i < calls; i++)
		operate(verb, path, fd, data, size, (off_t)i * size);
	return (now() - start) / calls;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	uint64_t ns[ROUNDS];
	unsigned int calls;
	int i, fd = -1;
	size_t size;
	void *data;

	if (argc != 5) {
		fputs("usage: bench_nfs FILE write|read|stat SIZE CALLS\n", stderr);
		return 2;
	}
	size = strtoul(argv[3], NULL, 0);
	calls = strtoul(argv[4], NULL, 0);
	if (!calls || posix_memalign(&data, ALIGNMENT, size ?: ALIGNMENT))
		fail("memory");
	memset(data, 0x5a, size);
	if (*argv[2] != 's') {
		fd = open(argv[1], O_RDWR | O_CREAT | O_DIRECT, 0644);
		if (fd < 0)
			fail(argv[1]);
	}
	/* Once before it counts: caches, slots, the file's blocks. */
	round_of(argv[2], argv[1], fd, data, size, calls);
	for (i = 0; i < ROUNDS; i++)
		ns[i] = round_of(argv[2], argv[1], fd, data, size, calls);
	qsort(ns, ROUNDS, sizeof(ns[0]), compare);
	printf("%llu %llu %llu\n", (unsigned long long)ns[ROUNDS / 2],
	       (unsigned long long)ns[0], (unsigned long long)ns[ROUNDS - 1]);
	return 0;
}
