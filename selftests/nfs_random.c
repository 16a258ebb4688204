// SPDX-License-Identifier: GPL-2.0
/*
 * usage: nfs_random MOUNT EXPORT SECONDS [SEED]
 *
 * Random reads, writes, mapped writes and truncations of one file through
 * MOUNT, buffered and O_DIRECT, against a copy in memory. Now and then the file
 * is closed and the whole of it compared in EXPORT. Prints how many operations
 * there were; exits 1 at the first difference, naming SEED and operation.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 3 << 20, PAGE = 4096 };

static unsigned char *model, *buffer;
static size_t size;
static char client[PAGE], server[PAGE];
static unsigned int seed;
static unsigned long count;
static int fds[2];		/* buffered and direct */
static uint64_t state;

static uint32_t rnd(uint32_t n)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return n ? (uint32_t)(state >> 33) % n : 0;
}

static void fail(const char *what, size_t at)
{
	printf("operation %lu of seed %u: %s (byte %zu, file of %zu)\n",
	       count, seed, what, at, size);
	exit(1);
}

static void check(int right, const char *what)
{
	if (right)
		return;
	perror(what);
	fail(what, 0);
}

static void open_files(void)
{
	fds[0] = open(client, O_RDWR);
	fds[1] = open(client, O_RDWR | O_DIRECT);
	check(fds[0] >= 0 && fds[1] >= 0, "open");
}

/* The two see each other's bytes only when nothing is in between. */
static int choose(void)
{
	static int before;
	int direct = rnd(3) == 0;

	if (direct != before)
		check(!fsync(fds[before]), "fsync");
	before = direct;
	return fds[direct];
}

static size_t some_length(size_t most)
{
	static const size_t around[] = { 1, 512, 4096, 65536, 1 << 20 };
	size_t n = rnd(3) ? rnd(rnd(2) ? 5000 : 300000) + 1 :
		around[rnd(5)] + rnd(3) - 1;

	return n < most ? n : most;
}

static void differs(const unsigned char *is, size_t at, size_t n, const char *what)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is[i] != model[at + i])
			fail(what, at + i);
}

static void do_read(void)
{
	size_t at = rnd(size + 1), want = some_length(MAX - at), got = 0;
	int fd = choose();
	ssize_t n;

	while (got < want) {
		n = pread(fd, buffer + got, want - got, at + got);
		check(n >= 0, "read");
		if (!n)
			break;
		got += n;
	}
	if (got != (want < size - at ? want : size - at))
		fail("a read ended elsewhere", at + got);
	differs(buffer, at, got, "a read differs");
}

static void new_bytes(size_t at, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		model[at + i] = count * 31 + (at + i) * 7 + ((at + i) >> 8);
}

static void do_write(void)
{
	size_t at = rnd(rnd(4) ? size + 1 : MAX), n = some_length(MAX - at);
	size_t did = 0;
	int fd = choose();
	ssize_t ret;

	new_bytes(at, n);
	while (did < n) {
		ret = pwrite(fd, model + at + did, n - did, at + did);
		check(ret > 0, "write");
		did += ret;
	}
	if (n && at + n > size)
		size = at + n;
}

static void do_truncate(void)
{
	size_t to = rnd(rnd(2) ? size + 1 : MAX);
	int fd = choose();

	check(!ftruncate(fd, to), "truncate");
	if (to < size)
		memset(model + to, 0, size - to);
	size = to;
}

static void do_map(void)
{
	unsigned char *map;
	size_t at, n;

	if (!size)
		return;
	at = rnd(size);
	n = some_length(size - at);
	check(!fsync(fds[1]) && !fsync(fds[0]), "fsync");
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	check(map != MAP_FAILED, "mmap");
	differs(map + at, at, n, "a mapping differs");
	new_bytes(at, n);
	memcpy(map + at, model + at, n);
	check(!msync(map, size, MS_SYNC) && !munmap(map, size), "msync");
}

static void compare_server(void)
{
	size_t got = 0;
	ssize_t n;
	int fd;

	check(!fsync(fds[0]) && !close(fds[0]) && !close(fds[1]), "close");
	fd = open(server, O_RDONLY);
	check(fd >= 0, "the server's file");
	while ((n = read(fd, buffer + got, MAX - got)) > 0)
		got += n;
	close(fd);
	if (got != size)
		fail("the server's file has another length", got);
	differs(buffer, 0, size, "the server's file differs");
	open_files();
}

int main(int argc, char **argv)
{
	time_t end;

	if (argc < 4) {
		fprintf(stderr, "usage: nfs_random MOUNT EXPORT SECONDS [SEED]\n");
		return 2;
	}
	seed = argc > 4 ? strtoul(argv[4], NULL, 0) : (unsigned int)time(NULL);
	state = seed;
	snprintf(client, sizeof(client), "%s/random", argv[1]);
	snprintf(server, sizeof(server), "%s/random", argv[2]);
	model = calloc(1, MAX);
	buffer = malloc(MAX);
	check(model && buffer, "memory");
	close(open(client, O_CREAT | O_TRUNC | O_RDWR, 0666));
	open_files();
	end = time(NULL) + atoi(argv[3]);
	for (; time(NULL) < end; count++) {
		switch (rnd(16)) {
		case 0:
			do_truncate();
			break;
		case 1:
			do_map();
			break;
		case 2:
			compare_server();
			break;
		case 3 ... 8:
			do_write();
			break;
		default:
			do_read();
		}
	}
	compare_server();
	printf("%lu operations, seed %u\n", count, seed);
	return 0;
}
