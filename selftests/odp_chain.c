// SPDX-License-Identifier: GPL-2.0
/*
 * The chain that a real driver makes: memory mapped on demand, a list, a
 * region, and a peer that reads and writes it, while the process does with its
 * memory what it likes. Judged by the bytes.
 *
 * RS_ADDR is the address of the device.
 */
#include "odp_lib.h"

#include <arpa/inet.h>

#include "modules/odp_chain_api.h"

#define PAGES	ODP_CHAIN_PAGES
#define BYTES	(PAGES * PAGE)
/* siw damages what it sends of 32 bytes or less that crosses a page. */
#define LEAST	33

static int chain;
static unsigned char *mem;

static struct odp_chain_cmd last;

static long request(unsigned long op, void *addr, size_t len, void *buffer)
{
	last = (struct odp_chain_cmd) {
		.virt = (uintptr_t)addr, .len = len,
		.buffer = (uintptr_t)buffer,
	};
	if (ioctl(chain, op, &last))
		return -errno;
	return last.ret;
}

static long peer_reads(size_t at, size_t len, void *buffer)
{
	return request(ODP_CHAIN_READ, mem + at, len, buffer);
}

static long peer_writes(size_t at, size_t len, void *buffer)
{
	return request(ODP_CHAIN_WRITE, mem + at, len, buffer);
}

static void info(void)
{
	if (request(ODP_CHAIN_INFO, NULL, 0, NULL))
		odp_die("info");
}

static void pattern(unsigned char *bytes, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (i * 7 + (i >> 8) + seed * 31) ^ seed;
}

static void connect_chain(void)
{
	struct odp_chain_cmd cmd = {
		.virt = (uintptr_t)mem, .len = BYTES, .port = 18600,
	};
	const char *addr = getenv("RS_ADDR");
	struct in_addr in;

	if (!addr || !inet_aton(addr, &in))
		odp_skip("no address: run it by odp.sh, or set RS_ADDR");
	cmd.addr = in.s_addr;
	chain = open(ODP_CHAIN_NODE, O_RDWR | O_CLOEXEC);
	if (chain < 0)
		odp_skip(ODP_CHAIN_NODE " is not there: load rdma_shim_odp_chain");
	if (ioctl(chain, ODP_CHAIN_OPEN, &cmd))
		odp_die("open");
	check_is("chain", cmd.ret, 0, "a driver and its peer are connected");
	if (cmd.ret)
		exit(odp_finish());
}

static void reads_and_writes(void)
{
	static unsigned char buffer[BYTES], before[BYTES];

	pattern(mem, BYTES, 1);
	check_is("chain", peer_reads(100, 3 * PAGE, buffer), 0,
		 "the peer reads three pages, unaligned");
	check("chain", !memcmp(buffer, mem + 100, 3 * PAGE),
	      "the bytes of the process");
	check_is("chain", last.faults, 1, "by one page fault of the device");
	check_is("chain", peer_reads(PAGE, PAGE, buffer), 0,
		 "the peer reads one of these again");
	check("chain", last.faults == 1 && !memcmp(buffer, mem + PAGE, PAGE),
	      "without another fault");
	check_is("chain", peer_reads(0, BYTES, buffer), 0,
		 "the peer reads all");
	check("chain", !memcmp(buffer, mem, BYTES), "the bytes of the process");

	memcpy(before, mem, BYTES);
	pattern(buffer, BYTES, 2);
	check_is("chain", peer_writes(5 * PAGE + 7, 4 * PAGE, buffer), 0,
		 "the peer writes four pages, unaligned");
	memcpy(before + 5 * PAGE + 7, buffer, 4 * PAGE);
	check("chain", !memcmp(before, mem, BYTES),
	      "the process has these bytes, and no other has changed");
}

/* Step by step what item 5 of the issue asks for. */
static void pages_go_away(void)
{
	static unsigned char buffer[BYTES];
	unsigned int taken;
	void *again;

	peer_reads(0, BYTES, buffer);
	taken = last.invalidations;
	munmap(mem + 9 * PAGE, PAGE);
	info();
	check("chain", last.invalidations == taken + 1 && !last.registered,
	      "munmap takes the peer's key back");
	check_is("chain", peer_reads(9 * PAGE, PAGE, buffer), -EFAULT,
		 "there is nothing for the peer in the hole");
	check_is("chain", peer_reads(8 * PAGE, PAGE, buffer), 0,
		 "but beside it there is");
	check("chain", !memcmp(buffer, mem + 8 * PAGE, PAGE),
	      "the bytes of the process");
	again = mmap(mem + 9 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (again == MAP_FAILED)
		odp_die("mmap");
	pattern(mem + 9 * PAGE, PAGE, 3);
	check_is("chain", peer_reads(0, BYTES, buffer), 0,
		 "a new page in its place is faulted in");
	check("chain", !memcmp(buffer, mem, BYTES), "and has the new bytes");
}

static void read_only(void)
{
	static unsigned char buffer[BYTES];

	pattern(mem + 12 * PAGE, PAGE, 4);
	pattern(buffer, PAGE, 5);
	mprotect(mem + 12 * PAGE, PAGE, PROT_READ);
	check_is("chain", peer_writes(12 * PAGE, PAGE, buffer), -EPERM,
		 "the peer does not write what the process may not");
	check_is("chain", peer_reads(12 * PAGE, PAGE, buffer), 0,
		 "but reads it");
	check("chain", !memcmp(buffer, mem + 12 * PAGE, PAGE),
	      "the bytes of the process");
	mprotect(mem + 12 * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void private_file(void)
{
	static unsigned char buffer[PAGE], other[PAGE];
	int file = file_of(PAGE, 'f');

	if (mmap(mem + 20 * PAGE, PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
		odp_die("mmap");
	memset(other, 'f', PAGE);
	check("O7", !peer_reads(20 * PAGE, PAGE, buffer) &&
	      !memcmp(buffer, other, PAGE), "the peer reads a private file");
	pattern(buffer, PAGE, 6);
	check("O7", !peer_writes(20 * PAGE, PAGE, buffer) &&
	      !memcmp(buffer, mem + 20 * PAGE, PAGE),
	      "the peer writes it, and the process sees that");
	check("O7", pread(file, buffer, PAGE, 0) == (ssize_t)PAGE &&
	      !memcmp(buffer, other, PAGE), "the file is as it was");
	close(file);
}

/* The process changes its mind about a few pages. */
static void disturb(unsigned int round)
{
	size_t page = random() % PAGES, n = 1 + random() % (PAGES - page);
	unsigned char *at = mem + page * PAGE;

	switch (random() % 5) {
	case 0:
		madvise(at, n * PAGE, MADV_DONTNEED);
		break;
	case 1:
		if (mmap(at, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			odp_die("mmap");
		break;
	case 2:
		mprotect(at, n * PAGE, PROT_READ);
		mprotect(at, n * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 3:
		pattern(at, n * PAGE, round);
		break;
	default:
		break;
	}
}

static void at_random(void)
{
	static unsigned char buffer[BYTES], before[BYTES];
	const char *divide = getenv("SCALE");
	long rounds = 300 / (divide && atoi(divide) > 0 ? atoi(divide) : 1);
	long round, failed = 0, read_wrong = 0, write_wrong = 0;

	srandom(1);
	for (round = 0; round < rounds + 1; round++) {
		size_t at = random() % (BYTES - LEAST);
		size_t len = LEAST + random() % (BYTES - at - LEAST + 1);

		disturb(round);
		memcpy(before, mem, BYTES);
		if (random() & 1) {
			failed += peer_reads(at, len, buffer) != 0;
			read_wrong += memcmp(buffer, mem + at, len) != 0;
		} else {
			pattern(buffer, len, round);
			failed += peer_writes(at, len, buffer) != 0;
			memcpy(before + at, buffer, len);
			write_wrong += memcmp(before, mem, BYTES) != 0;
		}
	}
	info();
	printf("# %ld accesses, %u page faults of the device, %u keys taken back\n",
	       round, last.faults, last.invalidations);
	check_is("chain", failed, 0, "the peer's accesses at random succeed");
	check_is("chain", read_wrong, 0, "it read what the process had");
	check_is("chain", write_wrong, 0,
		 "the process has what it wrote, and nothing else changed");
}

int main(void)
{
	mem = memory(BYTES, PROT_READ | PROT_WRITE);
	connect_chain();
	reads_and_writes();
	pages_go_away();
	read_only();
	private_file();
	at_random();
	close(chain);
	return odp_finish();
}
