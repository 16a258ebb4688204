// SPDX-License-Identifier: GPL-2.0
/*
 * A device with DMA of its own, which rxe and siw have not: hmm_dma_map_pfn()
 * gives addresses of the bus, slots say DMA_MAPPED, npages counts them.
 */
#include "odp_lib.h"

#define DMA	(ODP_FLAG_FAULT | ODP_FLAG_DMA)

/* The device, and that it sees memory where it is */
static const char *device = "dma64";
static bool identity;

/* With forced bounce buffers no page can be mapped, which is the right answer */
static bool bounced(void)
{
	char line[4096] = "";
	int fd = open("/proc/cmdline", O_RDONLY);

	if (fd >= 0 && read(fd, line, sizeof(line) - 1) < 0)
		odp_die("/proc/cmdline");
	close(fd);
	return strstr(line, "swiotlb=force");
}

static void bounce_is_refused(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open_on(device);
	long ret = odp_get(fd, addr, 2 * PAGE, RW);

	memset(addr, 'p', 2 * PAGE);
	if (ret == -EOPNOTSUPP) {
		check("dma", true, "a device that bounces is refused");
	} else {
		check_is("dma", ret, 0, "memory is registered");
		check_is("dma", odp_map_at(fd, (uintptr_t)addr, 2 * PAGE,
					   ODP_WRITABLE, DMA), -EIO,
			 "a page that would be bounced is not mapped");
		check("dma", !(odp_word(fd, addr) & ODP_DMA_MAPPED),
		      "and its slot does not say DMA_MAPPED");
		check("dma", addr[0] == 'p' && addr[PAGE] == 'p',
		      "the process has its bytes");
	}
	close(fd);
	munmap(addr, 2 * PAGE);
}

static void small_pages(void)
{
	size_t n = 8, i, right = 0, same = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open_on(device);
	uint64_t words[8], first[8], second[8];

	check_is("dma", odp_get(fd, addr, n * PAGE, RW), 0,
		 "memory is registered");
	check_is("dma", odp_map_at(fd, (uintptr_t)addr, n * PAGE, ODP_WRITABLE,
				   DMA), n, "eight pages are mapped");
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), n, "npages is 8");
	odp_list(fd, ODP_WORDS, addr, n * PAGE, words);
	odp_list(fd, ODP_ADDRESSES, addr, n * PAGE, first);
	odp_map_at(fd, (uintptr_t)addr, n * PAGE, 0, DMA);
	odp_list(fd, ODP_ADDRESSES, addr, n * PAGE, second);
	for (i = 0; i < n; i++) {
		right += words[i] & ODP_DMA_MAPPED && words[i] & ODP_VALID &&
			 (!identity ||
			  first[i] == (words[i] & ODP_PFN_MASK) * PAGE);
		same += first[i] == second[i] && first[i];
	}
	check_is("dma", right, n, "each slot is DMA_MAPPED, at its page");
	check_is("dma", same, n, "a second request gives the same addresses");
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), n, "npages is still 8");
	check_is("O8", odp_map_at(fd, (uintptr_t)addr, n * PAGE, 0,
				  ODP_FLAG_FAULT), n, "a request to read");
	check("O8", (odp_word(fd, addr) & (ODP_DMA_MAPPED | ODP_WRITABLE)) ==
	      (ODP_DMA_MAPPED | ODP_WRITABLE),
	      "leaves the slot mapped and writable");

	munmap(addr, PAGE);
	check("O9", !(odp_word(fd, addr) & (ODP_VALID | ODP_DMA_MAPPED)),
	      "munmap clears VALID and DMA_MAPPED");
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), n - 1,
		 "npages went down by one");
	odp_unmap(fd, addr, 4 * PAGE);
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), n - 4,
		 "unmapping four slots, one of them empty: by three");
	check("O8", odp_page_is(words[1] & ODP_PFN_MASK, ODP_PAGE_DIRTY),
	      "an unmapped page that was writable is dirty");
	odp_map_at(fd, (uintptr_t)addr + PAGE, PAGE, 0, ODP_FLAG_FAULT);
	odp_unmap(fd, addr + PAGE, PAGE);
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), n - 4,
		 "a slot that the driver did not map does not count");
	close(fd);
	munmap(addr, n * PAGE);
}

/* A device that is no guest of the CPU moves bytes through its addresses. */
static void real_transfers(void)
{
	size_t n = 4, i, translated = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open_on(device);
	char out[2 * PAGE], in[2 * PAGE];
	uint64_t words[4], at[4];

	odp_get(fd, addr, n * PAGE, RW);
	memset(addr, 'p', n * PAGE);
	for (i = 0; i < sizeof(out); i++)
		out[i] = i * 7 + i / 256;
	check_is("dma", odp_transfer(fd, ODP_WRITE, addr + 100, out,
				     sizeof(out)), 0, "the device writes");
	check("dma", !memcmp(addr + 100, out, sizeof(out)) && addr[99] == 'p' &&
	      addr[100 + sizeof(out)] == 'p', "exactly these bytes");
	addr[PAGE] = 'x';
	out[PAGE - 100] = 'x';
	check_is("dma", odp_transfer(fd, ODP_READ, addr + 100, in, sizeof(in)),
		 0, "the device reads");
	check("dma", !memcmp(in, out, sizeof(in)),
	      "what it wrote, and what the process wrote since");
	odp_list(fd, ODP_WORDS, addr, 3 * PAGE, words);
	odp_list(fd, ODP_ADDRESSES, addr, 3 * PAGE, at);
	for (i = 0; i < 3; i++)
		translated += at[i] != (words[i] & ODP_PFN_MASK) * PAGE;
	check_is("dma", translated, 3, "through addresses that an IOMMU gave");
	mmap(addr, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memset(addr, 'n', PAGE);
	check("O9", odp_peek(fd, addr) == 'n' && odp_info(fd, ODP_INFO_NPAGES) == 3,
	      "a page that took the place of another is the one it reads");
	close(fd);
	munmap(addr, n * PAGE);
}

static void sticky(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open_on(device);

	odp_get(fd, addr, 2 * PAGE, RW);
	touch(addr);
	odp_map_at(fd, (uintptr_t)addr, PAGE, 0, DMA);
	odp_look(fd, addr, PAGE, 0);
	check("dma", odp_word(fd, addr) & ODP_DMA_MAPPED,
	      "a look leaves DMA_MAPPED");
	/* The zero page is replaced: another page, another address. */
	check_is("dma", odp_map_at(fd, (uintptr_t)addr, PAGE, ODP_WRITABLE,
				   DMA), 1, "then the page is written");
	check("dma", odp_pfn(fd, addr) == pagemap_pfn(addr) &&
	      odp_word(fd, addr) & ODP_DMA_MAPPED,
	      "and the new page is mapped");
	check_is("dma", odp_info(fd, ODP_INFO_NPAGES), 1, "npages is 1");
	close(fd);
	munmap(addr, 2 * PAGE);
}

static void large_slots(void)
{
	char *addr = aligned_memory(2 * HUGE, HUGE);
	uint64_t words[2], at[2];
	int fd;

	if (mmap(addr, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1, 0) ==
	    MAP_FAILED) {
		printf("# no two free huge pages here\n");
		return;
	}
	fd = odp_open_on(device);
	check_is("O10", odp_get(fd, addr, 2 * HUGE, RW | HUGETLB), 0,
		 "huge pages are registered");
	check_is("O10", odp_map_at(fd, (uintptr_t)addr, 2 * HUGE, ODP_WRITABLE,
				   DMA), 2, "two are mapped");
	check_is("O10", odp_info(fd, ODP_INFO_NPAGES), 2, "npages is 2");
	odp_list(fd, ODP_WORDS, addr, 2 * HUGE, words);
	odp_list(fd, ODP_ADDRESSES, addr, 2 * HUGE, at);
	check("O10", words[0] & ODP_DMA_MAPPED && words[1] & ODP_DMA_MAPPED &&
	      at[0] != at[1] && (!identity ||
	      (at[0] == (words[0] & ODP_PFN_MASK) * PAGE &&
	       at[1] == (words[1] & ODP_PFN_MASK) * PAGE)),
	      "slot 0 and slot 1 have the addresses of their pages");
	odp_unmap(fd, addr + HUGE + PAGE, PAGE);
	check("O10", odp_info(fd, ODP_INFO_NPAGES) == 1 &&
	      odp_valid(fd, addr) && !odp_valid(fd, addr + HUGE),
	      "unmapping a page of slot 1 clears slot 1");
	close(fd);
	munmap(addr, 2 * HUGE);
}

static void limited(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open_on("dma28");

	check_is("dma", odp_get(fd, addr, PAGE, RW), -EOPNOTSUPP,
		 "a device that cannot reach all memory is refused");
	close(fd);
	munmap(addr, PAGE);
}

/* What is mapped at the end is given back: the kernel would complain. */
static void over_and_over(void)
{
	size_t n = 64;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int i, bad = 0;

	for (i = 0; i < 200; i++) {
		int fd = odp_open_on(device);

		bad += odp_get(fd, addr, n * PAGE, RW) != 0;
		bad += odp_map_at(fd, (uintptr_t)addr, n * PAGE, ODP_WRITABLE,
				  DMA) != (long)n;
		close(fd);
	}
	check_is("dma", bad, 0, "200 times: register, map, release");
	munmap(addr, n * PAGE);
}

/* With the name of another device as its argument. */
int main(int argc, char **argv)
{
	long before;

	if (argc > 1)
		device = argv[1];
	identity = argc == 1;
	if (bounced()) {
		bounce_is_refused();
		return odp_finish();
	}
	before = huge_pages(2);
	large_slots();
	huge_pages(before);
	small_pages();
	sticky();
	limited();
	over_and_over();
	if (!identity)
		real_transfers();
	return odp_finish();
}
