// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is not to be had: none left in the group, an owner whom the
 * kernel kills for it, huge pages that a handler brings, poisoned pages:
 * contract O3, O4, O11.
 */
#include "odp_lib.h"
#include "odp_request.h"

#include <poll.h>
#include <sys/stat.h>

#define GROUP	"/sys/fs/cgroup/rdma-shim-odp-scarce"
#define MUCH	(48UL << 20)

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* A group that may have little and must not swap. */
static bool make_group(void)
{
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		return false;
	write_text(GROUP "/memory.swap.max", "0");
	return write_text(GROUP "/memory.max", "16M");
}

/* @spared: the kernel may kill no process of the group, and has to say no. */
static void enter_group(bool spared)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!write_text("/proc/self/oom_score_adj", spared ? "-1000" : "1000") ||
	    !write_text(GROUP "/cgroup.procs", pid))
		_exit(77);
}

/* An owner in the group, who registers @addr and waits to be killed. */
static pid_t poor_owner(int fd, char *addr, bool spared)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		odp_die("pipe");
	pid = fork();
	if (!pid) {
		enter_group(spared);
		if (odp_get(fd, addr, MUCH, RW))
			_exit(1);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) < 0)
		odp_die("read");
	close(ready[0]);
	return pid;
}

/* Three times what the group may have, and nobody whom the kernel could kill. */
static void exhausted(int flags, const char *who)
{
	char *addr = memory(MUCH, PROT_READ | PROT_WRITE);
	int fd = odp_open();
	pid_t pid = poor_owner(fd, addr, true);
	long start = now_ms(), ret, took;

	ret = odp_map_at(fd, (uintptr_t)addr, MUCH, ODP_WRITABLE,
			 ODP_FLAG_FAULT | flags);
	took = now_ms() - start;
	check("O3", ret == -ENOMEM || ret == -EFAULT,
	      "memory of the group is exhausted, %s (%ld)", who, ret);
	check("O3", !odp_held, "umem_mutex is not held after it");
	check("O3", took < 30000, "it does not hang (%ld ms)", took);
	write_text(GROUP "/memory.max", "max");
	check_is("O3", odp_map_at(fd, (uintptr_t)addr, MUCH, ODP_WRITABLE,
				  ODP_FLAG_FAULT | flags), MUCH / PAGE,
		 "with more memory all of it comes");
	write_text(GROUP "/memory.max", "16M");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	munmap(addr, MUCH);
}

/*
 * The kernel takes the owner's memory while we wait for more of it. A request
 * that is under way may still get all it wants: memory of a process that is
 * dead counts for nobody.
 */
static void owner_is_killed_for_it(int flags, const char *who)
{
	char *addr = memory(MUCH, PROT_READ | PROT_WRITE);
	int fd = odp_open(), status;
	pid_t pid = poor_owner(fd, addr, false);
	long start = now_ms(), ret, took;

	ret = odp_map_at(fd, (uintptr_t)addr, MUCH, ODP_WRITABLE,
			 ODP_FLAG_FAULT | flags);
	took = now_ms() - start;
	check("O3", ret == -ENOMEM || ret == -EFAULT || ret == -EINVAL ||
	      ret == MUCH / PAGE, "the owner is killed for want of memory, %s (%ld)", who, ret);
	check("O3", took < 30000, "it does not hang (%ld ms)", took);
	check("O3", waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
	      "the owner was killed");
	check_is("O3", odp_map(fd, addr, PAGE, 0), -EINVAL,
		 "then its memory is gone");
	close(fd);
	munmap(addr, MUCH);
}

/* Whoever asks is killed in the middle of it. */
static void killed_for_it(void)
{
	char *addr = memory(MUCH, PROT_READ | PROT_WRITE);
	int fd = odp_open(), status, ret;
	long start = now_ms();
	pid_t pid = fork();

	if (!pid) {
		enter_group(false);
		_exit(odp_get(fd, addr, MUCH, RW) ||
		      odp_map(fd, addr, MUCH, ODP_WRITABLE) < 0);
	}
	waitpid(pid, &status, 0);
	ret = odp_info(fd, ODP_INFO_LAST_RET);
	check("O4", WIFSIGNALED(status) && now_ms() - start < 30000,
	      "killed for want of memory while it maps (%ld ms)",
	      now_ms() - start);
	check("O4", ret == -EINTR || ret == -ENOMEM || ret == -EFAULT,
	      "the request has ended (%d)", ret);
	close(fd);
	munmap(addr, MUCH);
}

struct handler {
	int uffd;
	int pages;
	long late;
	char *page;
	pthread_t thread;
};

static void *handle(void *arg)
{
	struct handler *h = arg;
	long i;

	for (i = 0; i < h->pages; i++) {
		struct pollfd pfd = { .fd = h->uffd, .events = POLLIN };
		struct uffdio_copy copy = {
			.src = (uintptr_t)h->page, .len = HUGE,
		};
		struct uffd_msg msg;

		if (poll(&pfd, 1, 10000) != 1 ||
		    read(h->uffd, &msg, sizeof(msg)) != sizeof(msg))
			break;
		sleep_ms(h->late);
		copy.dst = msg.arg.pagefault.address & -HUGE;
		if (ioctl(h->uffd, UFFDIO_COPY, &copy))
			break;
	}
	return (void *)i;
}

static char *huge_memory(size_t n)
{
	char *addr = aligned_memory(n * HUGE, HUGE);

	if (mmap(addr, n * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1, 0) == MAP_FAILED)
		return NULL;
	return addr;
}

/* Huge pages that a handler brings, in slots of either size. */
static void handler_of_huge_pages(int access, int flags, const char *who)
{
	char *addr = huge_memory(2);
	struct handler h = { .pages = 2, .late = 400 };
	long expected = access & HUGETLB ? 2 : 1024, ret;
	void *served;
	int fd;

	h.page = aligned_memory(HUGE, HUGE);
	memset(h.page, 'u', HUGE);
	h.uffd = addr ? uffd_for(addr, 2 * HUGE) : -1;
	if (h.uffd < 0) {
		printf("# no huge pages with a handler here\n");
		return;
	}
	fd = odp_umem(addr, 2 * HUGE, RW | access);
	pthread_create(&h.thread, NULL, handle, &h);
	ret = odp_map_at(fd, (uintptr_t)addr, 2 * HUGE, ODP_WRITABLE,
			 ODP_FLAG_FAULT | flags);
	close(ret < 0 ? h.uffd : -1);
	pthread_join(h.thread, &served);
	check("O11", ret == expected,
	      "two huge pages from a handler that takes 0.4 s, %s (%ld)", who,
	      ret);
	check_is("O11", (long)served, 2, "the handler was asked for each");
	check_is("O11", odp_peek(fd, addr + 2 * HUGE - 1), 'u',
		 "the device reads what it gave");
	if (ret >= 0)
		close(h.uffd);
	close(fd);
	munmap(addr, 2 * HUGE);
	munmap(h.page, HUGE);
}

/* The owner of a huge page that never comes is killed. */
static void handler_of_huge_pages_never_answers(void)
{
	char *addr = huge_memory(1);
	int fd, uffd = addr ? uffd_for(addr, HUGE) : -1;
	long killed;
	pid_t pid;

	if (uffd < 0)
		return;
	fd = odp_umem(addr, HUGE, RW | HUGETLB);
	pid = fork();
	if (!pid) {
		odp_map(fd, addr, HUGE, 0);
		_exit(0);
	}
	sleep_ms(700);
	check_is("O11", odp_info(fd, ODP_INFO_RUNNING), 1,
		 "a huge page whose handler does not answer is waited for");
	killed = now_ms();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	killed = now_ms() - killed;
	check("O4", killed < 1000, "a fatal signal ends the wait (%ld ms)",
	      killed);
	check_is("O4", (int)odp_info(fd, ODP_INFO_LAST_RET), -EINTR,
		 "with -EINTR");
	close(uffd);
	close(fd);
	munmap(addr, HUGE);
}

static void survive(int sig)
{
	(void)sig;
}

/* Whoever poisons his page is told by a signal, which kills if it is ignored. */
static void poison(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 2 * PAGE, RW), i;
	struct sigaction act = { .sa_handler = survive };

	madvise(addr, 2 * PAGE, MADV_NOHUGEPAGE);
	memset(addr, 'x', 2 * PAGE);
	odp_map(fd, addr, 2 * PAGE, ODP_WRITABLE);
	sigaction(SIGBUS, &act, NULL);
	for (i = 0; i < 10; i++) {
		if (!madvise(addr, PAGE, 100 /* MADV_HWPOISON */))
			break;
		printf("# the page cannot be poisoned yet: %s\n",
		       strerror(errno));
		sleep_ms(200);
	}
	check("O3", i < 10, "a page is poisoned");
	check("O9", !odp_valid(fd, addr), "its slot is not VALID any more");
	check_is("O3", odp_map(fd, addr, 1, 0), -EFAULT, "reading it");
	check_is("O3", odp_map(fd, addr, 1, ODP_WRITABLE), -EFAULT,
		 "writing it");
	check_is("O3", odp_map_at(fd, (uintptr_t)addr, 1, 0,
				  ODP_FLAG_FAULT | ODP_FLAG_WORKER), -EFAULT,
		 "reading it, from a worker");
	check_is("O6", odp_look(fd, addr, 2 * PAGE, 0), 2,
		 "a look counts the slot");
	check("O6", !odp_valid(fd, addr), "and finds no page there");
	check_is("O3", odp_map(fd, addr + PAGE, 1, ODP_WRITABLE), 1,
		 "its neighbour is as good as before");
	close(fd);
	munmap(addr, 2 * PAGE);
}

int main(void)
{
	long before;

	poison();
	before = huge_pages(4);
	handler_of_huge_pages(HUGETLB, 0, "in slots of 2 MiB");
	handler_of_huge_pages(HUGETLB, ODP_FLAG_WORKER, "for a worker");
	handler_of_huge_pages(0, 0, "in slots of 4 KiB");
	handler_of_huge_pages_never_answers();
	huge_pages(before);
	if (!make_group()) {
		printf("# no memory cgroup here, memory is not exhausted\n");
		return odp_finish();
	}
	exhausted(0, "for another process");
	exhausted(ODP_FLAG_WORKER, "for a worker");
	owner_is_killed_for_it(0, "for another process");
	owner_is_killed_for_it(ODP_FLAG_WORKER, "for a worker");
	killed_for_it();
	rmdir(GROUP);
	return odp_finish();
}
