// SPDX-License-Identifier: GPL-2.0
/*
 * Which page a device gets, and what becomes of it: contract O7 to O10.
 */
#include "odp_lib.h"

#include <sys/stat.h>
#include <sys/swap.h>

static int file_byte(int file)
{
	unsigned char byte = 0;

	if (pread(file, &byte, 1, 0) != 1)
		odp_die("pread");
	return byte;
}

/* The page the page cache has, through another mapping. */
static uint64_t cache_pfn(int file)
{
	char *addr = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	uint64_t pfn;

	touch(addr);
	pfn = pagemap_pfn(addr);
	munmap(addr, PAGE);
	return pfn;
}

static void private_file(void)
{
	int file = file_of(PAGE, 'f');
	char *addr = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
			  file, 0);
	int fd = odp_umem(addr, PAGE, RW);

	check_is("O7", odp_peek(fd, addr), 'f', "a private file is read");
	check("O7", odp_pfn(fd, addr) == cache_pfn(file),
	      "its page is the page cache's");
	check("O7", !odp_writable(fd, addr), "and is not writable");
	check_is("O7", odp_poke(fd, addr, 'd'), 0, "the device writes it");
	check("O7", odp_pfn(fd, addr) != cache_pfn(file),
	      "it has a page of its own now");
	check_is("O7", addr[0], 'd', "the process sees what was written");
	check_is("O7", file_byte(file), 'f', "the file is as it was");
	close(fd);
	munmap(addr, PAGE);
	close(file);
}

static void shared_file(void)
{
	int file = file_of(PAGE, 'f');
	char *addr = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  file, 0);
	int fd = odp_umem(addr, PAGE, RW);

	check_is("O7", odp_peek(fd, addr), 'f', "a shared file is read");
	check_is("O7", odp_poke(fd, addr, 'd'), 0, "and written");
	check("O7", odp_pfn(fd, addr) == cache_pfn(file),
	      "its page is the page cache's");
	check_is("O7", addr[0], 'd', "the process sees it");
	check_is("O7", file_byte(file), 'd', "and so does the file");
	close(fd);
	munmap(addr, PAGE);
	close(file);
}

static void anonymous(void)
{
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 4 * PAGE, RW);
	char data[3 * PAGE];

	check_is("O7", odp_peek(fd, addr), 0, "untouched memory reads as 0");
	check("O7", !odp_writable(fd, addr), "by a page that is not writable");
	check_is("O7", odp_poke(fd, addr, 'd'), 0, "the device writes it");
	check_is("O7", addr[0], 'd', "the process sees it");
	memset(addr, 'p', 4 * PAGE);
	memset(data, 'd', sizeof(data));
	check_is("O7", odp_transfer(fd, ODP_WRITE, addr + 100, data,
				    sizeof(data)), 0, "three pages, unaligned");
	check("O7", addr[99] == 'p' && addr[100] == 'd' &&
	      addr[100 + 3 * PAGE - 1] == 'd' && addr[100 + 3 * PAGE] == 'p' &&
	      !memcmp(addr + 100, data, sizeof(data)),
	      "exactly these bytes have changed");
	close(fd);
	munmap(addr, 4 * PAGE);
}

static void read_after_write(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 2 * PAGE, RW);
	uint64_t pfn;

	odp_poke(fd, addr, 'd');
	odp_poke(fd, addr + PAGE, 'd');
	check_is("O8", odp_map(fd, addr, 2 * PAGE, 0), 2,
		 "a request to read after one to write");
	check("O8", odp_writable(fd, addr), "leaves the page writable");
	check_is("O8", odp_look(fd, addr, 2 * PAGE, 0), 2, "a look");
	check("O8", odp_writable(fd, addr), "leaves the page writable");
	odp_unmap(fd, addr, PAGE);
	check_is("O8", odp_map(fd, addr, 2 * PAGE, 0), 2,
		 "a request to read that has to fetch another page");
	check("O8", odp_writable(fd, addr + PAGE),
	      "leaves the page writable");
	pfn = odp_pfn(fd, addr);
	odp_unmap(fd, addr, PAGE);
	check("O8", odp_page_is(pfn, ODP_PAGE_DIRTY),
	      "the page is dirty after unmap");
	check("O9", !odp_valid(fd, addr), "and the slot is not VALID");
	check("O9", odp_valid(fd, addr + PAGE), "its neighbour still is");
	pfn = odp_pfn(fd, addr + PAGE);
	close(fd);
	check("O8", odp_page_is(pfn, ODP_PAGE_DIRTY),
	      "the page is dirty after release");
	munmap(addr, 2 * PAGE);
}

static void clean_page(void)
{
	int file = file_of(PAGE, 'f');
	char *addr = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	int fd = odp_umem(addr, PAGE, RW);
	uint64_t pfn;

	fsync(file);
	odp_peek(fd, addr);
	pfn = odp_pfn(fd, addr);
	odp_unmap(fd, addr, PAGE);
	check("O8", !odp_page_is(pfn, ODP_PAGE_DIRTY),
	      "a page that was not writable is not made dirty");
	close(fd);
	munmap(addr, PAGE);
	close(file);
}

/* Unmapping takes every page of which a byte is in the range. */
static void partial_unmap(void)
{
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 4 * PAGE, RW);

	memset(addr, 'p', 4 * PAGE);
	odp_map(fd, addr, 4 * PAGE, ODP_WRITABLE);
	odp_unmap(fd, addr + 2 * PAGE - 1, 2);
	check("O9", odp_valid(fd, addr) && !odp_valid(fd, addr + PAGE) &&
	      !odp_valid(fd, addr + 2 * PAGE) && odp_valid(fd, addr + 3 * PAGE),
	      "two bytes on two pages unmap two pages");
	odp_unmap(fd, addr - PAGE, 100 * PAGE);
	check("O9", !odp_valid(fd, addr) && !odp_valid(fd, addr + 3 * PAGE),
	      "a range larger than the umem unmaps all of it");
	check_is("O9", odp_info(fd, ODP_INFO_NPAGES), 0,
		 "npages is as it was, as no slot was mapped for DMA");
	close(fd);
	munmap(addr, 4 * PAGE);
}

/* What takes pages away clears the slots, and the next access finds the rest */
static void taken_away(void)
{
	char *addr = memory(8 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 8 * PAGE, RW);
	uint64_t before;
	char *moved;

	memset(addr, 'p', 8 * PAGE);
	odp_map(fd, addr, 8 * PAGE, ODP_WRITABLE);

	before = odp_info(fd, ODP_INFO_INVALIDATIONS);
	munmap(addr, PAGE);
	check("O9", !odp_valid(fd, addr) && odp_valid(fd, addr + PAGE),
	      "munmap clears the slot, and no other");
	check("O9", odp_info(fd, ODP_INFO_INVALIDATIONS) > before,
	      "the driver was told");
	check_is("O9", odp_map(fd, addr, PAGE, 0), -EFAULT,
		 "the page is not there for the device either");

	madvise(addr + PAGE, PAGE, MADV_DONTNEED);
	check("O9", !odp_valid(fd, addr + PAGE), "MADV_DONTNEED clears it");
	check_is("O9", odp_peek(fd, addr + PAGE), 0, "the next read gets 0");

	mprotect(addr + 2 * PAGE, PAGE, PROT_READ);
	check("O9", !odp_valid(fd, addr + 2 * PAGE), "mprotect clears it");
	check_is("O9", odp_poke(fd, addr + 2 * PAGE, 'd'), -EPERM,
		 "the next write is refused");
	check_is("O9", odp_peek(fd, addr + 2 * PAGE), 'p', "a read is not");

	moved = mremap(addr + 3 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE |
		       MREMAP_FIXED, addr);
	check("O9", moved == addr && !odp_valid(fd, addr + 3 * PAGE),
	      "mremap clears it");
	check_is("O9", odp_peek(fd, addr), 'p',
		 "the page is found where it has moved to");

	mmap(addr + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	addr[4 * PAGE] = 'n';
	check_is("O9", odp_peek(fd, addr + 4 * PAGE), 'n',
		 "a new mapping in its place is found");
	check_is("O9", odp_info(fd, ODP_INFO_LEFT_VALID), 0,
		 "no slot was VALID after its invalidation");
	close(fd);
	munmap(addr, 8 * PAGE);
}

/* After fork(), who writes gets another page; the device follows the owner. */
static void forked(bool child_writes)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, PAGE, RW);
	int go[2], status;
	pid_t pid;
	char c;

	addr[0] = 'p';
	odp_map(fd, addr, PAGE, ODP_WRITABLE);
	if (pipe(go))
		odp_die("pipe");
	pid = fork();
	if (!pid) {
		if (child_writes)
			addr[0] = 'c';
		close(go[1]);
		/* Lives until the parent has looked. */
		_exit(read(go[0], &c, 1) != 0 ||
		      addr[0] != (child_writes ? 'c' : 'p'));
	}
	sleep_ms(100);
	if (!child_writes) {
		check_is("O7", odp_poke(fd, addr, 'd'), 0,
			 "the device writes after fork()");
		check_is("O7", addr[0], 'd', "the process sees it");
	} else {
		check_is("O7", odp_peek(fd, addr), 'p',
			 "the device does not see what a child writes");
		check_is("O7", odp_poke(fd, addr, 'd'), 0,
			 "the device writes after that");
	}
	check("O9", odp_pfn(fd, addr) == pagemap_pfn(addr),
	      "the slot has the page of the process");
	close(go[1]);
	close(go[0]);
	waitpid(pid, &status, 0);
	check("O7", !status, "the child has its own bytes");
	close(fd);
	munmap(addr, PAGE);
}

static void write_number(const char *path, const char *number)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0 && write(fd, number, strlen(number)) < 0)
		printf("# %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void hugetlb(void)
{
	char *addr = aligned_memory(4 * HUGE, HUGE);
	uint64_t words[4];
	long before;
	int fd;

	before = huge_pages(4);
	if (mmap(addr, 4 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1, 0) == MAP_FAILED) {
		printf("# no four free huge pages here\n");
		huge_pages(before);
		munmap(addr, 4 * HUGE);
		return;
	}
	fd = odp_umem(addr, 4 * HUGE, RW | HUGETLB);
	check_is("O10", odp_info(fd, ODP_INFO_SHIFT), 21, "slots of 2 MiB");
	check_is("O10", odp_map(fd, addr + HUGE, 3 * HUGE, ODP_WRITABLE), 3,
		 "three of four huge pages are mapped");
	odp_list(fd, ODP_WORDS, addr, 4 * HUGE, words);
	check("O10", !(words[0] & ODP_VALID) && words[1] & ODP_VALID &&
	      words[2] & ODP_VALID && words[3] & ODP_VALID,
	      "slots 1, 2 and 3 are VALID");
	check("O10", (words[1] & ODP_PFN_MASK) == pagemap_pfn(addr + HUGE) &&
	      (words[3] & ODP_PFN_MASK) == pagemap_pfn(addr + 3 * HUGE),
	      "they have the first page of each");
	check_is("O10", words[1] >> ODP_ORDER_SHIFT & 31, 9,
		 "the order of a word is 9");
	check_is("O10", odp_poke(fd, addr + 3 * HUGE - 1, 'd'), 0,
		 "the device writes the last byte of slot 2");
	check_is("O10", addr[3 * HUGE - 1], 'd', "the process sees it");
	odp_unmap(fd, addr + 2 * HUGE + 5 * PAGE, PAGE);
	odp_list(fd, ODP_WORDS, addr, 4 * HUGE, words);
	check("O10", words[1] & ODP_VALID && !(words[2] & ODP_VALID) &&
	      words[3] & ODP_VALID, "unmapping a page of slot 2 clears slot 2");

	mmap(addr + HUGE, HUGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	madvise(addr + HUGE, HUGE, MADV_NOHUGEPAGE);
	check("O10", !odp_valid(fd, addr + HUGE), "replaced by small pages");
	memset(addr + HUGE, 'p', HUGE);
	check_is("O3", odp_map(fd, addr + HUGE, 1, 0), -EINVAL,
		 "the device cannot have these");
	check("O3", !odp_held, "umem_mutex is not held after it");
	check_is("O3", odp_look(fd, addr + HUGE, 1, 0), -EINVAL,
		 "nor look at them");
	check_is("O10", odp_map(fd, addr + 2 * HUGE, HUGE, 0), 1,
		 "but the others");
	close(fd);
	munmap(addr, 4 * HUGE);
	huge_pages(before);
}

static void small_slots_of_huge_page(void)
{
	char *addr = aligned_memory(2 * HUGE, HUGE);
	int fd;

	madvise(addr, 2 * HUGE, MADV_HUGEPAGE);
	memset(addr, 'p', 2 * HUGE);
	fd = odp_umem(addr, 2 * HUGE, RW);
	check_is("O10", odp_map(fd, addr, 2 * HUGE, ODP_WRITABLE), 1024,
		 "2 * 2 MiB of memory for huge pages, in slots of 4 KiB");
	check("O10", odp_pfn(fd, addr + 700 * PAGE) ==
	      pagemap_pfn(addr + 700 * PAGE), "each slot has its own page");
	check_is("O10", odp_poke(fd, addr + 700 * PAGE, 'd'), 0,
		 "the device writes a page");
	check_is("O10", addr[700 * PAGE], 'd', "the process sees it");
	/* Splits the huge page, if there was one. */
	munmap(addr + 10 * PAGE, PAGE);
	check("O9", !odp_valid(fd, addr + 10 * PAGE),
	      "munmap in the middle clears its slot");
	check_is("O9", odp_peek(fd, addr + 700 * PAGE), 'd',
		 "the others are found after the split");
	check("O9", odp_pfn(fd, addr + 300 * PAGE) ==
	      pagemap_pfn(addr + 300 * PAGE) ||
	      !odp_valid(fd, addr + 300 * PAGE), "and no slot is wrong");
	close(fd);
	munmap(addr, 2 * HUGE);
}

#define SWAP "/scratch/rdma-shim-odp.swap"

/* A swap file of our own, where a guest has a disk for it. */
static bool swap_on(void)
{
	if (access("/scratch", W_OK) ||
	    system("fallocate -l 64M " SWAP " && chmod 600 " SWAP) ||
	    system("mkswap " SWAP " > /dev/null"))
		return false;
	return !swapon(SWAP, 0);
}

static void swap_off(void)
{
	swapoff(SWAP);
	unlink(SWAP);
}

static size_t pages_gone(char *addr, size_t n)
{
	size_t i, gone = 0;

	for (i = 0; i < n; i++)
		gone += !pagemap_pfn(addr + i * PAGE);
	return gone;
}

/* What the device writes page by page; 0 if all of it is there. */
static size_t write_and_compare(int fd, char *addr, size_t n, int seed)
{
	char data[PAGE];
	size_t i, bad = 0;

	for (i = 0; i < n; i++) {
		memset(data, seed + i % 100, PAGE);
		bad += odp_transfer(fd, ODP_WRITE, addr + i * PAGE, data,
				    PAGE) != 0;
	}
	for (i = 0; i < n; i++) {
		memset(data, seed + i % 100, PAGE);
		bad += memcmp(addr + i * PAGE, data, PAGE) != 0;
	}
	return bad;
}

/* Written by the device when they were in swap; out they go, and in again. */
static void paged_out(void)
{
	size_t n = 1024, gone;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);

	memset(addr, 1, n * PAGE);
	odp_map(fd, addr, n * PAGE, ODP_WRITABLE);
	madvise(addr, n * PAGE, 21 /* MADV_PAGEOUT */);
	gone = pages_gone(addr, n);
	check("O9", gone > n / 2, "%zu of %zu pages have gone to swap", gone,
	      n);
	check_is("O8", write_and_compare(fd, addr, n, 3), 0,
		 "the device writes all of them, and the process sees it");
	madvise(addr, n * PAGE, 21 /* MADV_PAGEOUT */);
	check_is("O8", write_and_compare(fd, addr, n, 103), 0,
		 "and again, after they were swapped out");
	check_is("O9", odp_info(fd, ODP_INFO_LEFT_VALID), 0,
		 "no slot was VALID after its invalidation");
	close(fd);
	munmap(addr, n * PAGE);
}

/*
 * Pages that the process has given up but not yet lost are writable and clean.
 * What the device writes there is known to nobody but the driver: reclaim must
 * not take them for the old ones (O8).
 */
static void written_when_given_up(void)
{
	size_t n = 256, i, bad = 0, mapped = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);
	char data[PAGE];

	madvise(addr, n * PAGE, MADV_NOHUGEPAGE);
	memset(addr, 1, n * PAGE);
	madvise(addr, n * PAGE, 8 /* MADV_FREE */);
	memset(data, 'd', PAGE);
	for (i = 0; i < n; i++)
		mapped += !odp_transfer(fd, ODP_WRITE, addr + i * PAGE, data,
					PAGE);
	odp_map(fd, addr, n * PAGE, 0);
	madvise(addr, n * PAGE, 21 /* MADV_PAGEOUT */);
	for (i = 0; i < n; i++)
		bad += addr[i * PAGE] != 'd';
	check_is("O8", mapped, n, "the device writes pages that were given up");
	check_is("O8", bad, 0, "reclaim loses none of these bytes");
	close(fd);
	munmap(addr, n * PAGE);
}

static bool enter_cgroup(const char *limit)
{
	static const char group[] = "/sys/fs/cgroup/rdma-shim-odp";
	char pid[16];

	write_number("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(group, 0755) && errno != EEXIST)
		return false;
	if (access("/sys/fs/cgroup/rdma-shim-odp/memory.max", W_OK))
		return false;
	snprintf(pid, sizeof(pid), "%d", getpid());
	write_number("/sys/fs/cgroup/rdma-shim-odp/memory.max", limit);
	write_number("/sys/fs/cgroup/rdma-shim-odp/cgroup.procs", pid);
	return true;
}

/* 24 MiB in a group that may have 12: reclaim works while the device writes. */
static void short_of_memory(void)
{
	size_t n = 6144;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
		int fd = odp_umem(addr, n * PAGE, RW);

		if (!enter_cgroup("12M"))
			_exit(77);
		_exit(write_and_compare(fd, addr, n, 5) != 0 ||
		      !odp_info(fd, ODP_INFO_INVALIDATIONS) ||
		      odp_info(fd, ODP_INFO_LEFT_VALID));
	}
	waitpid(pid, &status, 0);
	rmdir("/sys/fs/cgroup/rdma-shim-odp");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		printf("# no memory cgroup here\n");
	else
		check("O8", !status, "24 MiB of writes under memory.max of 12");
}

int main(void)
{
	private_file();
	shared_file();
	anonymous();
	read_after_write();
	clean_page();
	partial_unmap();
	taken_away();
	forked(false);
	forked(true);
	hugetlb();
	small_slots_of_huge_page();
	if (swap_on()) {
		paged_out();
		written_when_given_up();
		short_of_memory();
		swap_off();
	} else {
		printf("# no disk for swap here, pages cannot be swapped out\n");
	}
	return odp_finish();
}
