// SPDX-License-Identifier: GPL-2.0
/*
 * usage: nfs_bytes MOUNT EXPORT buffered|direct OFFSET [LENGTH...]
 *
 * For every length: a file written through MOUNT is compared byte by byte in
 * EXPORT, the server's own folder, and one made in EXPORT is read through
 * MOUNT. What lies before and behind the bytes, in file and memory, has to stay
 * as it was. Exits 0 when everything was equal, else says what was not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	BEHIND = 77,		/* bytes of a file behind those of a case */
	OLD = 0xee,		/* what they are */
	GUARD = 64,		/* bytes of memory on either side */
	UNTOUCHED = 0x5a,
};

static const size_t all_lengths[] = {
	1, 3, 511, 4095, 4096, 4097, 65535, (1 << 20) - 1, 1 << 20, 4 << 20,
};

static const char *mount_dir, *export_dir;
static int flags;
static int failures;

static void fail(const char *what, const char *path, size_t at)
{
	printf("%s: %s (byte %zu)\n", path, what, at);
	if (++failures > 10)
		exit(1);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Bytes that tell their place, and differ from case to case. */
static void fill(unsigned char *to, size_t n, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i % 8 == 0) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		to[i] = x >> (i % 8 * 8);
	}
}

static void *memory(size_t n)
{
	void *p;

	if (posix_memalign(&p, PAGE, n))
		die("memory");
	return p;
}

static int open_in(const char *dir, const char *name, int how, char *path)
{
	int fd;

	snprintf(path, PAGE, "%s/%s", dir, name);
	fd = open(path, how, 0666);
	if (fd < 0)
		die(path);
	return fd;
}

static void write_all(int fd, const unsigned char *from, size_t n, off_t at)
{
	while (n) {
		ssize_t did = pwrite(fd, from, n, at);

		if (did <= 0)
			die("write");
		from += did;
		at += did;
		n -= did;
	}
}

static size_t read_all(int fd, unsigned char *to, size_t n, off_t at)
{
	size_t sum = 0;

	while (sum < n) {
		ssize_t did = pread(fd, to + sum, n - sum, at + sum);

		if (did < 0)
			die("read");
		if (!did)
			break;
		sum += did;
	}
	return sum;
}

static void compare(const unsigned char *is, const unsigned char *want,
		    size_t n, const char *path, const char *what)
{
	size_t i;

	if (!memcmp(is, want, n))
		return;
	for (i = 0; is[i] == want[i]; i++)
		;
	fail(what, path, i);
}

/* What the server's file is to be: old bytes around the new ones. */
static unsigned char *model(size_t offset, size_t length, uint64_t seed)
{
	unsigned char *m = memory(offset + length + BEHIND);

	memset(m, OLD, offset + length + BEHIND);
	fill(m + offset, length, seed);
	return m;
}

static void test_write(size_t offset, size_t length, unsigned char *buffer)
{
	size_t size = offset + length + BEHIND;
	uint64_t seed = offset * 7919 + length * 2 + 1;
	unsigned char *want = model(offset, length, seed);
	unsigned char *is = memory(size + 1);
	char name[64], path[PAGE];
	int fd;

	snprintf(name, sizeof(name), "w-%zu-%zu-%d", offset, length, !!flags);
	memset(is, OLD, size);
	fd = open_in(export_dir, name, O_CREAT | O_TRUNC | O_WRONLY, path);
	write_all(fd, is, size, 0);
	close(fd);

	fd = open_in(mount_dir, name, O_WRONLY | flags, path);
	memcpy(buffer, want + offset, length);
	write_all(fd, buffer, length, offset);
	if (fsync(fd) || close(fd))
		die(path);

	fd = open_in(export_dir, name, O_RDONLY, path);
	if (read_all(fd, is, size + 1, 0) != size)
		fail("has another length on the server", path, size);
	else
		compare(is, want, size, path, "differs on the server");
	close(fd);
	unlink(path);
	free(is);
	free(want);
}

static void test_read(size_t offset, size_t length, unsigned char *buffer)
{
	size_t size = offset + length + BEHIND, i;
	uint64_t seed = offset * 104729 + length * 2;
	unsigned char *want = model(offset, length, seed);
	char name[64], path[PAGE];
	int fd;

	snprintf(name, sizeof(name), "r-%zu-%zu-%d", offset, length, !!flags);
	fd = open_in(export_dir, name, O_CREAT | O_TRUNC | O_WRONLY, path);
	write_all(fd, want, size, 0);
	close(fd);

	memset(buffer - GUARD, UNTOUCHED, length + 2 * GUARD);
	fd = open_in(mount_dir, name, O_RDONLY | flags, path);
	if (read_all(fd, buffer, length, offset) != length)
		fail("is shorter through the mount", path, length);
	else
		compare(buffer, want + offset, length, path,
			"differs through the mount");
	close(fd);
	for (i = 1; i <= GUARD; i++)
		if (buffer[-i] != UNTOUCHED || buffer[length + i - 1] != UNTOUCHED)
			fail("memory beside the buffer was written", path, i);
	snprintf(path, sizeof(path), "%s/%s", export_dir, name);
	unlink(path);
	free(want);
}

static void test(size_t offset, size_t length)
{
	unsigned char *base = memory(length + 2 * PAGE + GUARD);
	/* Anywhere in a page, and different from the place in the file. */
	unsigned char *buffer = base + GUARD + (offset + length) % (PAGE - 3);

	test_write(offset, length, buffer);
	test_read(offset, length, buffer);
	free(base);
}

int main(int argc, char **argv)
{
	size_t offset, i;

	if (argc < 5) {
		fprintf(stderr, "usage: nfs_bytes MOUNT EXPORT buffered|direct OFFSET [LENGTH]\n");
		return 2;
	}
	mount_dir = argv[1];
	export_dir = argv[2];
	flags = strcmp(argv[3], "direct") ? 0 : O_DIRECT;
	offset = strtoul(argv[4], NULL, 0);
	for (i = 5; i < (size_t)argc; i++)
		test(offset, strtoul(argv[i], NULL, 0));
	for (i = 0; argc == 5 && i < sizeof(all_lengths) / sizeof(*all_lengths); i++)
		test(offset, all_lengths[i]);
	return failures ? 1 : 0;
}
