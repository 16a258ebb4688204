// SPDX-License-Identifier: GPL-2.0
/*
 * Invalidations between the walk and its publication, each time and not by luck
 * (modules/odp_gate.c): contract O5, O9.
 */
#include "odp_lib.h"
#include "odp_request.h"

/* Memory of which one page is the gate's. */
#define GATE	2

static char *gated_memory(size_t pages, size_t gate, int *fd)
{
	char *addr = memory(pages * PAGE, PROT_READ | PROT_WRITE);

	memset(addr, 'p', pages * PAGE);
	*fd = odp_umem(addr, pages * PAGE, RW);
	if (mmap(addr + gate * PAGE, PAGE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, *fd, 0) == MAP_FAILED)
		odp_die("mmap of the gate");
	return addr;
}

static void collide(struct request *r, int fd, long times, int ms, int stay)
{
	*r = (struct request) {
		.fd = fd, .op = ODP_COLLIDE, .len = times, .ms = ms,
		.mask = stay,
	};
	begin(r);
	sleep_ms(200);
}

static size_t wrong_slots(int fd, char *addr, size_t pages)
{
	uint64_t words[1024];
	size_t i, bad = 0;

	odp_list(fd, ODP_WORDS, addr, pages * PAGE, words);
	for (i = 0; i < pages; i++)
		bad += !(words[i] & ODP_VALID) ||
		       (words[i] & ODP_PFN_MASK) != pagemap_pfn(addr + i * PAGE);
	return bad;
}

/* What was walked before the collision must not be taken for what is there. */
static void some_collide(size_t pages, long times, int flags, const char *who)
{
	int fd;
	char *addr = gated_memory(pages, GATE, &fd);
	struct request r;
	long ret;

	collide(&r, fd, times, 10000, 0);
	ret = odp_map_at(fd, (uintptr_t)addr, pages * PAGE, ODP_WRITABLE,
			 ODP_FLAG_FAULT | flags);
	end(&r);
	check("O9", ret == (long)pages, "%ld collisions, %zu pages, %s (%ld)",
	      times, pages, who, ret);
	check("O9", r.ret == times, "each attempt did collide (%ld)", r.ret);
	check("O9", !wrong_slots(fd, addr, pages),
	      "every slot is VALID and has the page of the process");
	check_is("O9", odp_info(fd, ODP_INFO_LEFT_VALID), 0,
		 "no slot was VALID after its invalidation");
	close(fd);
	munmap(addr, pages * PAGE);
}

static void all_collide(int flags, const char *who)
{
	int fd;
	char *addr = gated_memory(4, GATE, &fd);
	struct request r;
	long start, took, ret;

	collide(&r, fd, 0, 5000, 0);
	start = now_ms();
	ret = odp_map_at(fd, (uintptr_t)addr, 4 * PAGE, 0,
			 ODP_FLAG_FAULT | flags);
	took = now_ms() - start;
	check("O5", ret == -EBUSY, "each attempt collides, %s: -EBUSY (%ld)",
	      who, ret);
	check("O5", took < 2000, "within 2 s (%ld ms)", took);
	check("O9", !odp_valid(fd, addr + GATE * PAGE),
	      "the page that was taken away is not VALID");
	end(&r);
	check("O5", r.ret > 3, "it was tried more than three times (%ld)",
	      r.ret);
	check_is("O5", odp_map(fd, addr, 4 * PAGE, 0), 4, "then all is well");
	close(fd);
	munmap(addr, 4 * PAGE);
}

/* The fault takes longer than all collisions may. */
static void slow_fault(void)
{
	int fd;
	char *addr = gated_memory(4, GATE, &fd);
	struct request r;
	long start, ret, took;

	collide(&r, fd, 1, 10000, 2500);
	start = now_ms();
	ret = odp_map(fd, addr, 4 * PAGE, 0);
	took = now_ms() - start;
	end(&r);
	check_is("O5", ret, 4, "the time inside a page fault does not count");
	check("O5", took >= 2500 && r.ret == 1,
	      "it took %ld ms, then the attempt collided", took);
	check("O9", !wrong_slots(fd, addr, 4),
	      "every slot is VALID and has the page of the process");
	close(fd);
	munmap(addr, 4 * PAGE);
}

/*
 * A page is taken away when it has been published, while the rest of a large
 * range is not yet there.
 */
static void published_and_lost(void)
{
	size_t pages = 600;
	int fd;
	char *addr = gated_memory(pages, 550, &fd);
	struct request r, map = {
		.fd = fd, .addr = addr, .len = pages * PAGE,
		.flags = ODP_FLAG_FAULT,
	};

	collide(&r, fd, 1, 10000, 1000);
	begin(&map);
	sleep_ms(500);
	check("O9", odp_valid(fd, addr + PAGE) &&
	      !odp_valid(fd, addr + 550 * PAGE),
	      "half of a range is there, the other half waits");
	madvise(addr + PAGE, PAGE, MADV_DONTNEED);
	check("O9", !odp_valid(fd, addr + PAGE),
	      "one of its pages is taken away");
	end(&r);
	end(&map);
	check_is("O9", map.ret, pages, "all of it is mapped");
	check("O9", !wrong_slots(fd, addr, pages),
	      "every slot is VALID and has the page of the process");
	close(fd);
	munmap(addr, pages * PAGE);
}

int main(void)
{
	some_collide(4, 1, 0, "in the process");
	some_collide(4, 3, ODP_FLAG_WORKER, "in a worker");
	some_collide(100, 1, 0, "in the process");
	some_collide(600, 2, 0, "in the process");
	all_collide(0, "in the process");
	all_collide(ODP_FLAG_WORKER, "in a worker");
	slow_fault();
	published_and_lost();
	return odp_finish();
}
