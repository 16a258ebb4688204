// SPDX-License-Identifier: GPL-2.0
/*
 * What a request to map answers: contract O1, O2, O3, O6, and what registering
 * answers.
 */
#include "odp_lib.h"

static void masks(void)
{
	static const uint64_t bad[] = {
		1, 2, 3, ODP_VALID, ODP_ERROR, ODP_WRITABLE | 1, -1ULL,
	};
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 4 * PAGE, RW);
	size_t i;

	check_is("O1", odp_map(fd, addr, 4 * PAGE, 0), 4,
		 "a request to read maps four pages");
	check("O1", odp_held, "umem_mutex is held on success");
	check_is("O1", odp_map(fd, addr, 4 * PAGE, ODP_WRITABLE), 4,
		 "a request to write maps four pages");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		check("O1", odp_map(fd, addr, PAGE, bad[i]) == -EINVAL,
		      "access mask %#llx is refused",
		      (unsigned long long)bad[i]);
		check("O1", !odp_held, "umem_mutex is not held after it");
	}
	close(fd);
	munmap(addr, 4 * PAGE);
}

static void ranges(void)
{
	char *addr = memory(6 * PAGE, PROT_READ | PROT_WRITE) + PAGE;
	int fd = odp_umem(addr, 4 * PAGE, RW);
	uint64_t at = (uintptr_t)addr;
	const struct {
		const char *what;
		uint64_t virt;
		uint64_t len;
		long ret;
	} cases[] = {
		{ "all", at, 4 * PAGE, 4 },
		{ "the last byte", at + 4 * PAGE - 1, 1, 1 },
		{ "two bytes on two pages", at + PAGE - 1, 2, 2 },
		{ "one byte before", at - 1, 2, -EFAULT },
		{ "one byte more", at, 4 * PAGE + 1, -EFAULT },
		{ "the byte after", at + 4 * PAGE, 1, -EFAULT },
		{ "nothing, aligned", at, 0, -EINVAL },
		{ "nothing, unaligned", at + 5, 0, -EINVAL },
		{ "a wrap into the same page", at + 1, -1ULL, -EFAULT },
		{ "a wrap to the start", at + PAGE, -PAGE, -EFAULT },
		{ "all of the address space", 0, -1ULL, -EFAULT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		long ret = odp_map_at(fd, cases[i].virt, cases[i].len, 0,
				      ODP_FLAG_FAULT);

		if (ret != cases[i].ret)
			printf("# got %ld\n", ret);
		check("O2", ret == cases[i].ret && odp_held == (ret >= 0),
		      "%s", cases[i].what);
	}
	close(fd);
	munmap(addr - PAGE, 6 * PAGE);
}

/* Eight pages: read-write, hole, read-only, PROT_NONE, read-write ... */
static char *patchwork(void)
{
	char *addr = memory(8 * PAGE, PROT_READ | PROT_WRITE);

	munmap(addr + PAGE, PAGE);
	mprotect(addr + 2 * PAGE, PAGE, PROT_READ);
	mprotect(addr + 3 * PAGE, PAGE, PROT_NONE);
	return addr;
}

static void kinds(void)
{
	char *addr = patchwork();
	int fd = odp_umem(addr, 8 * PAGE, RW);

	check_is("O3", odp_map(fd, addr, 1, ODP_WRITABLE), 1, "a good page");
	check_is("O3", odp_map(fd, addr + PAGE, 1, 0), -EFAULT, "a hole");
	check("O3", !odp_held, "umem_mutex is not held after it");
	check_is("O3", odp_map(fd, addr, 2 * PAGE, 0), -EFAULT,
		 "a good page and a hole");
	check_is("O3", odp_map(fd, addr + 2 * PAGE, 1, 0), 1,
		 "reading a read-only page");
	check_is("O3", odp_map(fd, addr + 2 * PAGE, 1, ODP_WRITABLE), -EPERM,
		 "writing a read-only page");
	check("O3", !odp_held, "umem_mutex is not held after it");
	check_is("O3", odp_map(fd, addr + 3 * PAGE, 1, 0), -EFAULT,
		 "reading PROT_NONE");
	check_is("O3", odp_map(fd, addr + 3 * PAGE, 1, ODP_WRITABLE), -EFAULT,
		 "writing PROT_NONE");
	check_is("O3", odp_map_at(fd, (uintptr_t)addr + PAGE, 1, 0,
				  ODP_FLAG_FAULT | ODP_FLAG_WORKER), -EFAULT,
		 "a hole, from a worker");
	check_is("O3", odp_map_at(fd, (uintptr_t)addr + 2 * PAGE, 1,
				  ODP_WRITABLE,
				  ODP_FLAG_FAULT | ODP_FLAG_WORKER), -EPERM,
		 "writing a read-only page, from a worker");
	close(fd);
	munmap(addr, 8 * PAGE);
}

static void files(void)
{
	int file = file_of(PAGE, 'f');
	char *addr = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, file, 0);
	int fd = odp_umem(addr, 2 * PAGE, RW);

	check_is("O3", odp_map(fd, addr, 1, 0), 1, "reading a read-only file");
	check_is("O3", odp_map(fd, addr, 1, ODP_WRITABLE), -EPERM,
		 "writing a read-only file");
	check_is("O3", odp_map(fd, addr + PAGE, 1, 0), -EFAULT,
		 "a page beyond the end of the file (SIGBUS)");
	close(fd);
	munmap(addr, 2 * PAGE);
	close(file);
}

static void hardware(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, PAGE, RW);
	int mem = open("/dev/mem", O_RDWR);
	void *io = MAP_FAILED;

	if (mem >= 0)
		io = mmap(addr, PAGE, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, mem, 0xb8000);
	if (io != MAP_FAILED)
		check_is("O3", odp_map(fd, addr, 1, 0), -EFAULT,
			 "an I/O mapping");
	else
		printf("# /dev/mem cannot be mapped here, no I/O mapping\n");
	close(mem);
	close(fd);
	munmap(addr, PAGE);
}

/* The child registers and exits; the file stays open here. */
static void owner_exited(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open();
	pid_t pid = fork();

	if (!pid)
		_exit(odp_get(fd, addr, PAGE, RW) != 0 ||
		      odp_map(fd, addr, PAGE, 0) != 1);
	waitpid(pid, NULL, 0);
	check_is("O3", odp_map(fd, addr, PAGE, 0), -EINVAL,
		 "the owner has exited");
	check_is("O3", odp_map_at(fd, (uintptr_t)addr, PAGE, 0,
				  ODP_FLAG_FAULT | ODP_FLAG_WORKER), -EINVAL,
		 "the owner has exited, from a worker");
	check_is("O3", odp_look(fd, addr, PAGE, 0), -EINVAL,
		 "the owner has exited, fault = false");
	close(fd);
	munmap(addr, PAGE);
}

static void snapshots(void)
{
	char *addr = patchwork();
	int fd = odp_umem(addr, 8 * PAGE, RW);

	memset(addr + 4 * PAGE, 'x', PAGE);
	touch(addr + 5 * PAGE);
	check_is("O6", odp_look(fd, addr, 8 * PAGE, 0), 8,
		 "holes are counted, nothing is faulted");
	check("O6", odp_held, "umem_mutex is held after it");
	check("O6", !odp_valid(fd, addr) && !pagemap_pfn(addr),
	      "an untouched page stays untouched");
	check("O6", !odp_valid(fd, addr + PAGE), "a hole is not VALID");
	check("O6", !odp_valid(fd, addr + 3 * PAGE), "PROT_NONE is not VALID");
	check("O6", odp_valid(fd, addr + 4 * PAGE) &&
	      odp_writable(fd, addr + 4 * PAGE),
	      "a written page is VALID and writable, as the page table says");
	check("O6", odp_pfn(fd, addr + 4 * PAGE) ==
	      pagemap_pfn(addr + 4 * PAGE), "it is the page of the process");
	check("O6", odp_valid(fd, addr + 5 * PAGE) &&
	      !odp_writable(fd, addr + 5 * PAGE),
	      "a page that was only read is VALID and not writable");
	check_is("O6", odp_look(fd, addr + 2 * PAGE, 1, ODP_WRITABLE), 1,
		 "a read-only page and a request to write: no error");
	check_is("O6", odp_look(fd, addr, 8 * PAGE, ODP_WRITABLE), 8,
		 "a request to write faults nothing either");
	check("O6", !odp_writable(fd, addr + 5 * PAGE),
	      "and makes nothing writable");
	close(fd);
	munmap(addr, 8 * PAGE);
}

static void registering(void)
{
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	struct odp_cmd cmd = {
		.virt = (uintptr_t)addr + PAGE + 5, .len = PAGE, .mask = RW,
	};
	int fd = odp_open();

	check_is("get", odp_get(fd, (void *)-PAGE, 2 * PAGE, RW), -EOVERFLOW,
		 "memory that ends beyond the address space");
	check_is("get", odp_get(fd, addr, 0, RW), -EINVAL, "no memory");
	check_is("get", odp_get(fd, addr + PAGE + 5, PAGE, RW), 0,
		 "unaligned memory");
	check("get", odp_info(fd, ODP_INFO_START) == (uintptr_t)addr + PAGE &&
	      odp_info(fd, ODP_INFO_END) == (uintptr_t)addr + 3 * PAGE,
	      "is registered in whole pages");
	check_is("get", odp_map(fd, addr + PAGE, 2 * PAGE, 0), 2, "and mapped");
	close(fd);

	fd = odp_open();
	check_is("get", odp_do(fd, ODP_IMPLICIT, &cmd), 0, "an implicit umem");
	check_is("O2", odp_map(fd, addr, PAGE, 0), -EFAULT,
		 "has no pages itself");
	/* The kernel's own function follows a NULL pointer there. */
	if (!odp_native())
		check_is("O2", odp_map_at(fd, 0, 1, 0, ODP_FLAG_FAULT),
			 -EFAULT, "not even at address 0");
	check_is("get", odp_do(fd, ODP_CHILD, &cmd), 0, "its child");
	memset(addr, 'c', 4 * PAGE);
	check_is("get", odp_peek(fd, addr + PAGE), 'c', "has pages");
	cmd.flags = ODP_FLAG_GENERIC;
	check_is("get", odp_do(fd, ODP_RELEASE, &cmd), 0,
		 "ib_umem_release() frees it");
	close(fd);
	fd = odp_open();
	cmd.mask = RW | HUGETLB;
	check_is("get", odp_do(fd, ODP_IMPLICIT, &cmd), -EINVAL,
		 "an implicit umem of huge pages");
	close(fd);
	munmap(addr, 4 * PAGE);
}

int main(void)
{
	masks();
	ranges();
	kinds();
	files();
	hardware();
	owner_exited();
	snapshots();
	registering();
	return odp_finish();
}
