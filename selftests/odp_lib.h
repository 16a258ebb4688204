/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for the programs that drive rdma_shim_odp_test, and its requests.
 */
#ifndef RDMA_SHIM_TEST_ODP_LIB_H
#define RDMA_SHIM_TEST_ODP_LIB_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "modules/odp_api.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PAGE		4096UL
#define HUGE		(2UL << 20)
#define ON_DEMAND	(1 << 6)
#define HUGETLB		(1 << 7)
#define LOCAL_WRITE	1
#define RW		(ON_DEMAND | LOCAL_WRITE)

static int odp_tests, odp_failed;
static const char *odp_promises[32];
static char odp_broken[32][120];

static inline const char *odp_api(void)
{
	return getenv("ODP_API") ?: "ours";
}

/* The running kernel's own functions: what they get wrong is a finding. */
static inline bool odp_native(void)
{
	return !strcmp(odp_api(), "native");
}

static inline const char *odp_node(void)
{
	return odp_native() ? "/dev/rdma-shim-odp-native" :
	       "/dev/rdma-shim-odp";
}

static inline void odp_skip(const char *why)
{
	printf("TAP version 13\n1..0 # SKIP %s\n", why);
	exit(4);
}

static inline int odp_promise(const char *promise)
{
	int i;

	for (i = 0; i < 31 && odp_promises[i]; i++)
		if (!strcmp(odp_promises[i], promise))
			break;
	odp_promises[i] = promise;
	return i;
}

/* One result, counted for a promise of the contract. */
static inline bool check(const char *promise, bool good, const char *what, ...)
{
	char name[120];
	va_list args;
	int n;

	va_start(args, what);
	vsnprintf(name, sizeof(name), what, args);
	va_end(args);
	n = odp_promise(promise);
	if (!good && !odp_broken[n][0])
		strcpy(odp_broken[n], name);
	odp_failed += !good && !odp_native();
	if (!odp_tests)
		printf("TAP version 13\n");
	printf("%s %d - %s %s%s\n", good || odp_native() ? "ok" : "not ok",
	       ++odp_tests, promise, name, good ? "" : " # differs");
	fflush(stdout);
	return good;
}

/* The same for a number, which is told when it is wrong. */
static inline bool check_is(const char *promise, long got, long expected,
			    const char *what)
{
	if (got != expected)
		printf("# got %ld, expected %ld\n", got, expected);
	return check(promise, got == expected, "%s", what);
}

static inline int odp_finish(void)
{
	int i;

	for (i = 0; odp_promises[i]; i++)
		if (odp_promises[i][0] == 'O')
			printf("# conformance %s %s %s%s\n", odp_promises[i],
			       odp_api(), odp_broken[i][0] ? "fail " : "pass",
			       odp_broken[i]);
	printf("1..%d\n", odp_tests);
	return odp_failed || !odp_tests;
}

static inline void odp_die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

/* How often, on a machine that SCALE says is slower. */
static inline long scale(long n)
{
	const char *divide = getenv("SCALE");

	n /= divide && atoi(divide) > 0 ? atoi(divide) : 1;
	return n ? n : 1;
}

static inline long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static inline void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* What the request itself failed with, else what it found. */
static inline long odp_do(int fd, unsigned long op, struct odp_cmd *cmd)
{
	if (ioctl(fd, op, cmd))
		return -errno;
	return cmd->ret;
}

static inline int odp_open_on(const char *name)
{
	struct odp_cmd cmd = {};
	int fd;

	fd = open(odp_node(), O_RDWR | O_CLOEXEC);
	if (fd < 0)
		odp_die(odp_node());
	snprintf(cmd.name, sizeof(cmd.name), "%s", name);
	errno = -odp_do(fd, ODP_DEVICE, &cmd);
	if (errno)
		odp_die(name);
	return fd;
}

static inline int odp_open(void)
{
	const char *name = getenv("RS_NETDEV");

	if (!name)
		odp_skip("no device: run it by odp.sh, or set RS_NETDEV");
	return odp_open_on(name);
}

static inline long odp_get(int fd, void *addr, size_t len, int access)
{
	struct odp_cmd cmd = {
		.virt = (uintptr_t)addr, .len = len, .mask = access,
	};

	return odp_do(fd, ODP_GET, &cmd);
}

/* An open file with a umem of @addr, or the end of the program. */
static inline int odp_umem(void *addr, size_t len, int access)
{
	int fd = odp_open();

	errno = -odp_get(fd, addr, len, access);
	if (errno)
		odp_die("ib_umem_odp_get");
	return fd;
}

static __thread bool odp_held;

static inline long odp_map_at(int fd, uint64_t virt, uint64_t len,
			      uint64_t mask, int flags)
{
	struct odp_cmd cmd = {
		.virt = virt, .len = len, .mask = mask, .flags = flags,
	};
	long ret = odp_do(fd, ODP_MAP, &cmd);

	odp_held = cmd.mutex_held;
	return ret;
}

static inline long odp_map(int fd, void *addr, size_t len, uint64_t mask)
{
	return odp_map_at(fd, (uintptr_t)addr, len, mask, ODP_FLAG_FAULT);
}

static inline long odp_look(int fd, void *addr, size_t len, uint64_t mask)
{
	return odp_map_at(fd, (uintptr_t)addr, len, mask, 0);
}

static inline void odp_unmap(int fd, void *addr, size_t len)
{
	struct odp_cmd cmd = { .virt = (uintptr_t)addr, .len = len };

	if (odp_do(fd, ODP_UNMAP, &cmd))
		odp_die("unmap");
}

static inline void odp_list(int fd, unsigned long op, void *addr, size_t len,
			    uint64_t *list)
{
	struct odp_cmd cmd = {
		.virt = (uintptr_t)addr, .len = len,
		.buffer = (uintptr_t)list,
	};

	if (odp_do(fd, op, &cmd))
		odp_die("list of slots");
}

static inline uint64_t odp_word(int fd, void *addr)
{
	uint64_t word;

	odp_list(fd, ODP_WORDS, addr, 1, &word);
	return word;
}

static inline bool odp_valid(int fd, void *addr)
{
	return odp_word(fd, addr) & ODP_VALID;
}

static inline bool odp_writable(int fd, void *addr)
{
	return odp_word(fd, addr) & ODP_WRITABLE;
}

static inline uint64_t odp_pfn(int fd, void *addr)
{
	return odp_word(fd, addr) & ODP_PFN_MASK;
}

static inline long odp_transfer(int fd, unsigned long op, void *addr,
				void *data, size_t len)
{
	struct odp_cmd cmd = {
		.virt = (uintptr_t)addr, .len = len,
		.buffer = (uintptr_t)data,
	};

	return odp_do(fd, op, &cmd);
}

/* What the device reads, or negative. */
static inline int odp_peek(int fd, void *addr)
{
	unsigned char byte = 0;
	long ret = odp_transfer(fd, ODP_READ, addr, &byte, 1);

	return ret ? ret : byte;
}

static inline long odp_poke(int fd, void *addr, unsigned char byte)
{
	return odp_transfer(fd, ODP_WRITE, addr, &byte, 1);
}

static inline uint64_t odp_info(int fd, int which)
{
	struct odp_cmd cmd = {};

	if (odp_do(fd, ODP_INFO, &cmd))
		odp_die("info");
	return cmd.out[which];
}

static inline bool odp_page_is(uint64_t pfn, int which)
{
	struct odp_cmd cmd = { .virt = pfn };
	int fd = open(odp_node(), O_RDWR);
	long ret = odp_do(fd, ODP_PAGE, &cmd);

	close(fd);
	if (ret)
		odp_die("page");
	return cmd.out[which];
}

static inline uint64_t odp_disturb(int fd, unsigned long op, int ms)
{
	struct odp_cmd cmd = { .ms = ms };

	if (odp_do(fd, op, &cmd))
		odp_die("disturb");
	return cmd.out[0];
}

static inline void *memory(size_t len, int prot)
{
	void *addr = mmap(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (addr == MAP_FAILED)
		odp_die("mmap");
	return addr;
}

/* Memory that starts on a boundary of its own kind. */
static inline void *aligned_memory(size_t len, size_t align)
{
	char *addr = memory(len + align, PROT_READ | PROT_WRITE);
	char *start = (char *)(((uintptr_t)addr + align - 1) & -align);

	if (start > addr)
		munmap(addr, start - addr);
	munmap(start + len, addr + align - start);
	return start;
}

/* Read a byte, as a process does. */
static inline char touch(const void *addr)
{
	char byte;

	memcpy(&byte, addr, 1);
	__asm__ __volatile__("" : : "r"(byte) : "memory");
	return byte;
}

/* A file of @len bytes, all of them @fill. */
static inline int file_of(size_t len, int fill)
{
	char path[] = "/var/tmp/rdma-shim-odp.XXXXXX";
	char page[PAGE];
	size_t done;
	int fd = mkstemp(path);

	if (fd < 0)
		odp_die(path);
	unlink(path);
	memset(page, fill, sizeof(page));
	for (done = 0; done < len; done += PAGE)
		if (write(fd, page, PAGE) != (ssize_t)PAGE)
			odp_die("write");
	fsync(fd);
	return fd;
}

/* How many huge pages there were before. */
static inline long huge_pages(long n)
{
	static const char path[] = "/proc/sys/vm/nr_hugepages";
	char text[32] = "";
	int fd = open(path, O_RDWR);
	int len = -1;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
		char want[32];

		len = snprintf(want, sizeof(want), "%ld", n);
		if (pwrite(fd, want, len, 0) != len)
			printf("# %s: %s\n", path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return atol(text);
}

/* The page that the process itself has there, 0 if none. */
static inline uint64_t pagemap_pfn(void *addr)
{
	static int fd = -1;
	uint64_t entry = 0;

	if (fd < 0)
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pread(fd, &entry, 8, (uintptr_t)addr / PAGE * 8) != 8)
		odp_die("/proc/self/pagemap");
	return entry & 1ULL << 63 ? entry & ((1ULL << 55) - 1) : 0;
}

#endif
