// SPDX-License-Identifier: GPL-2.0
/*
 * What a request to map waits for, and what ends the wait: contract O4, O5,
 * O11, O12, O13.
 */
#include "odp_lib.h"
#include "odp_request.h"

#include <poll.h>
#include <sys/syscall.h>

/* A child that registers @addr and stays until it is killed. */
static pid_t owner_of(int fd, void *addr, size_t len)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		odp_die("pipe");
	pid = fork();
	if (!pid) {
		memset(addr, 'c', len);
		if (odp_get(fd, addr, len, RW))
			_exit(1);
		close(ready[1]);
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) < 0)
		odp_die("read");
	close(ready[0]);
	return pid;
}

/* What a killed child's request took, counted from the signal. */
static long time_to_die(pid_t pid)
{
	long start = now_ms();

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return now_ms() - start;
}

/* Somebody holds mmap_lock for 4 s; the caller is killed meanwhile. */
static void killed_waiting_for_lock(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, PAGE, RW);
	struct request hold;
	long took;
	pid_t pid;

	pid = fork();
	if (!pid) {
		sleep_ms(600);
		odp_map(fd, addr, PAGE, 0);
		_exit(0);
	}
	sleep_ms(300);
	disturb(&hold, fd, ODP_HOLD_MMAP, 4000);
	sleep_ms(600);
	took = time_to_die(pid);
	check("O4", took < 1000, "a fatal signal ends the wait for mmap_lock (%ld ms)",
	      took);
	check_is("O4", (int)odp_info(fd, ODP_INFO_LAST_RET), -EINTR,
		 "with -EINTR");
	end(&hold);
	check_is("O4", odp_map(fd, addr, PAGE, 0), 1,
		 "the umem is as good as before");
	close(fd);
	munmap(addr, PAGE);
}

/* A worker waits for mmap_lock of a process that exits. */
static void owner_dies_while_worker_waits(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open();
	pid_t pid = owner_of(fd, addr, PAGE);
	struct request hold, map = {
		.fd = fd, .addr = addr, .len = PAGE,
		.flags = ODP_FLAG_FAULT | ODP_FLAG_WORKER,
	};
	long killed;

	disturb(&hold, fd, ODP_HOLD_MMAP, 4000);
	begin(&map);
	sleep_ms(500);
	killed = now_ms();
	kill(pid, SIGKILL);
	end(&map);
	killed = now_ms() - killed;
	check_is("O4", map.ret, -EINVAL, "a worker gives up when the owner exits");
	check("O4", killed < 1000, "within a second (%ld ms)", killed);
	waitpid(pid, NULL, 0);
	end(&hold);
	close(fd);
	munmap(addr, PAGE);
}

static void worker_waits_for_lock(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, PAGE, RW);
	struct request hold;
	long ret;

	disturb(&hold, fd, ODP_HOLD_MMAP, 1500);
	ret = odp_map_at(fd, (uintptr_t)addr, PAGE, ODP_WRITABLE,
			 ODP_FLAG_FAULT | ODP_FLAG_WORKER);
	check_is("O4", ret, 1, "a worker that has to wait for mmap_lock gets it");
	end(&hold);
	close(fd);
	munmap(addr, PAGE);
}

/*
 * Nobody but the holder of the mutex makes a slot VALID: a request is in the
 * middle of its fault when somebody takes the mutex, and its page comes while
 * he has it.
 */
static void published_under_mutex(void)
{
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 4 * PAGE, RW);
	int uffd = uffd_for(addr, PAGE);
	struct uffdio_zeropage zero = { .range = { (uintptr_t)addr, PAGE } };
	struct request hold, map = {
		.fd = fd, .addr = addr, .len = 4 * PAGE,
		.flags = ODP_FLAG_FAULT,
	};

	if (uffd < 0)
		return;
	memset(addr + PAGE, 'p', 3 * PAGE);
	begin(&map);
	sleep_ms(300);
	disturb(&hold, fd, ODP_HOLD_MUTEX, 1500);
	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		odp_die("UFFDIO_ZEROPAGE");
	end(&hold);
	end(&map);
	check_is("O9", hold.ret, 0,
		 "slots stay as they are while somebody has the mutex");
	check_is("O9", map.ret, 4, "and are filled then");
	close(uffd);
	close(fd);
	munmap(addr, 4 * PAGE);
}

struct handler {
	int uffd;
	int pages;
	int late;
	pthread_t thread;
};

/* Answers each fault after a while with a page of 'u'. */
static void *handle(void *arg)
{
	struct handler *h = arg;
	char page[PAGE];
	int i;

	memset(page, 'u', PAGE);
	for (i = 0; i < h->pages; i++) {
		struct pollfd pfd = { .fd = h->uffd, .events = POLLIN };
		struct uffdio_copy copy = { .src = (uintptr_t)page, .len = PAGE };
		struct uffd_msg msg;

		if (poll(&pfd, 1, 20000) != 1 ||
		    read(h->uffd, &msg, sizeof(msg)) != sizeof(msg))
			return (void *)1;
		sleep_ms(h->late);
		copy.dst = msg.arg.pagefault.address & -PAGE;
		if (ioctl(h->uffd, UFFDIO_COPY, &copy) && errno != EEXIST)
			return (void *)1;
	}
	return NULL;
}

static void handler_answers(int flags, const char *who)
{
	char *addr = memory(8 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 8 * PAGE, RW);
	struct handler h = {
		.uffd = uffd_for(addr, 8 * PAGE), .pages = 8, .late = 300,
	};
	void *bad;
	long ret;

	if (h.uffd < 0)
		return;
	pthread_create(&h.thread, NULL, handle, &h);
	ret = odp_map_at(fd, (uintptr_t)addr, 8 * PAGE, ODP_WRITABLE,
			 ODP_FLAG_FAULT | flags);
	if (ret < 0) {
		printf("# got %ld\n", ret);
		close(h.uffd);
		pthread_cancel(h.thread);
		pthread_join(h.thread, &bad);
	} else {
		pthread_join(h.thread, &bad);
		close(h.uffd);
		check("O11", !bad, "the handler was asked for each page, %s", who);
	}
	check("O11", ret == 8, "eight pages from a handler that takes 0.3 s each, %s",
	      who);
	check_is("O11", odp_peek(fd, addr + 7 * PAGE), 'u',
		 "the device reads what the handler gave");
	close(fd);
	munmap(addr, 8 * PAGE);
}

/* mmap_lock is not held during the wait, or mprotect() could not return. */
static void handler_never_answers(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, PAGE, RW);
	int uffd = uffd_for(addr, PAGE);
	struct request map = {
		.fd = fd, .addr = addr, .len = PAGE, .flags = ODP_FLAG_FAULT,
	};
	long took;
	pid_t pid;

	if (uffd < 0)
		return;
	begin(&map);
	sleep_ms(500);
	took = now_ms();
	mprotect(addr + PAGE, PAGE, PROT_READ);
	took = now_ms() - took;
	check("O11", took < 1000, "mmap_lock is free during the wait (%ld ms)",
	      took);

	pid = fork();
	if (!pid) {
		odp_map(fd, addr, PAGE, 0);
		_exit(0);
	}
	sleep_ms(500);
	took = time_to_die(pid);
	check("O4", took < 1000, "a fatal signal ends the wait for a handler (%ld ms)",
	      took);
	check_is("O4", (int)odp_info(fd, ODP_INFO_LAST_RET), -EINTR,
		 "with -EINTR");
	/* Without a handler the page is an ordinary one. */
	close(uffd);
	end(&map);
	check_is("O11", map.ret, 1, "the page comes when the handler is gone");
	close(fd);
	munmap(addr, 2 * PAGE);
}

/* A second descriptor of the one that a child has. */
static int descriptor_of(pid_t pid, int fd)
{
	int pidfd = syscall(434 /* pidfd_open */, pid, 0);
	int copy = syscall(438 /* pidfd_getfd */, pidfd, fd, 0);

	close(pidfd);
	return copy;
}

/* Whoever waits for the handler longer than that would do so for ever. */
static void end_or_close(struct request *r, int uffd)
{
	struct timespec limit;
	bool waits;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 3;
	waits = pthread_timedjoin_np(r->thread, NULL, &limit);
	close(uffd);
	if (waits)
		end(r);
}

/* The descriptor is ours too, so the owner's exit does not end the wait. */
static void owner_dies_while_handler_sleeps(void)
{
	char *addr = memory(PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open(), ready[2], uffd = -1;
	struct request map = {
		.fd = fd, .addr = addr, .len = PAGE,
		.flags = ODP_FLAG_FAULT | ODP_FLAG_WORKER,
	};
	long killed;
	pid_t pid;

	if (pipe(ready))
		odp_die("pipe");
	pid = fork();
	if (!pid) {
		if (odp_get(fd, addr, PAGE, RW))
			_exit(1);
		uffd = uffd_for(addr, PAGE);
		if (write(ready[1], &uffd, sizeof(uffd)) != sizeof(uffd))
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &uffd, sizeof(uffd)) != sizeof(uffd) || uffd < 0)
		return;
	uffd = descriptor_of(pid, uffd);
	if (uffd < 0)
		odp_die("pidfd_getfd");
	begin(&map);
	sleep_ms(700);
	killed = now_ms();
	kill(pid, SIGKILL);
	end_or_close(&map, uffd);
	killed = now_ms() - killed;
	check_is("O4", map.ret, -EINVAL,
		 "a worker that waits for a handler gives up when the owner exits");
	check("O4", killed < 1000, "within a second (%ld ms)", killed);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	close(fd);
	munmap(addr, PAGE);
}

static atomic_bool storm_stop;

struct storm {
	char *addr;
	size_t len;
	pthread_t thread;
};

static void *blow(void *arg)
{
	struct storm *storm = arg;

	while (!storm_stop)
		madvise(storm->addr, storm->len, MADV_DONTNEED);
	return NULL;
}

/* Pages are taken away as fast as can be, while the device wants them. */
static void weather(int threads)
{
	size_t n = 64, i, bad = 0;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);
	struct storm storms[8];
	long longest = 0, wrong = 0, busy = 0, rounds = scale(40), round;

	storm_stop = false;
	for (i = 0; i < (size_t)threads; i++) {
		storms[i].addr = addr;
		storms[i].len = n * PAGE;
		pthread_create(&storms[i].thread, NULL, blow, &storms[i]);
	}
	for (round = 0; round < rounds; round++) {
		long start = now_ms();
		long ret = odp_map(fd, addr, n * PAGE, ODP_WRITABLE);
		long took = now_ms() - start;

		longest = took > longest ? took : longest;
		wrong += ret != (long)n && ret != -EBUSY;
		busy += ret == -EBUSY;
	}
	storm_stop = true;
	for (i = 0; i < (size_t)threads; i++)
		pthread_join(storms[i].thread, NULL);
	check_is("O5", wrong, 0, "each request in a storm succeeds or is -EBUSY");
	check("O5", longest < 2000,
	      "none takes 2 s (%d threads, longest %ld ms, %ld of %ld busy)",
	      threads, longest, busy, rounds);
	check_is("O9", odp_info(fd, ODP_INFO_LEFT_VALID), 0,
		 "no slot was VALID after its invalidation");
	for (i = 0; i < n; i++)
		bad += odp_valid(fd, addr + i * PAGE) &&
		       odp_pfn(fd, addr + i * PAGE) != pagemap_pfn(addr + i * PAGE);
	check_is("O9", bad, 0, "no slot has a page the process does not have");
	check_is("O5", odp_map(fd, addr, n * PAGE, ODP_WRITABLE), n,
		 "after the storm all is well");
	close(fd);
	munmap(addr, n * PAGE);
}

static void *map_until_stopped(void *arg)
{
	struct request *r = arg;

	while (!storm_stop)
		r->ret += odp_map_at(r->fd, (uintptr_t)r->addr, r->len,
				     r->mask, r->flags) > 0;
	return NULL;
}

/* What somebody else sees under the mutex, while two map and one takes away. */
static void observed(void)
{
	size_t n = 16, i;
	char *addr = memory(n * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, n * PAGE, RW);
	struct odp_cmd look = { .ms = scale(3000) };
	struct storm storm = { .addr = addr, .len = n * PAGE };
	struct request map[2];

	storm_stop = false;
	pthread_create(&storm.thread, NULL, blow, &storm);
	for (i = 0; i < 2; i++) {
		map[i] = (struct request) {
			.fd = fd, .addr = addr + i * 4 * PAGE,
			.len = 8 * PAGE, .mask = ODP_WRITABLE,
			.flags = ODP_FLAG_FAULT,
		};
		pthread_create(&map[i].thread, NULL, map_until_stopped,
			       &map[i]);
	}
	if (odp_do(fd, ODP_OBSERVE, &look))
		odp_die("observe");
	storm_stop = true;
	pthread_join(storm.thread, NULL);
	for (i = 0; i < 2; i++)
		end(&map[i]);
	printf("# %llu slots seen VALID, %ld and %ld maps\n",
	       (unsigned long long)look.out[1], map[0].ret, map[1].ret);
	check_is("O9", look.out[0], 0,
		 "no slot is VALID whose page was given back to the kernel");
	check("O9", look.out[1] && map[0].ret && map[1].ret,
	      "slots were looked at while they came and went");
	close(fd);
	munmap(addr, n * PAGE);
}

static void *register_and_wait(void *arg)
{
	struct request *r = arg;

	r->ret = odp_get(r->fd, r->addr, r->len, RW);
	while (!r->flags)
		sleep_ms(20);
	return NULL;
}

static void from_worker(void)
{
	char *addr = memory(4 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_umem(addr, 4 * PAGE, RW);

	check_is("O12", odp_map_at(fd, (uintptr_t)addr, 4 * PAGE, ODP_WRITABLE,
				   ODP_FLAG_FAULT | ODP_FLAG_WORKER), 4,
		 "a worker maps what the owner registered");
	check("O12", odp_pfn(fd, addr) == pagemap_pfn(addr),
	      "the page of the owner, not of another process");
	close(fd);
	munmap(addr, 4 * PAGE);
}

static void thread_registers(void)
{
	struct request r = {
		.fd = odp_open(),
		.addr = memory(PAGE, PROT_READ | PROT_WRITE), .len = PAGE,
	};

	pthread_create(&r.thread, NULL, register_and_wait, &r);
	sleep_ms(300);
	check_is("O12", r.ret, 0, "a thread other than the leader registers");
	check_is("O12", odp_map(r.fd, r.addr, PAGE, 0), 1, "the leader maps");
	r.flags = 1;
	end(&r);
	check_is("O12", odp_map_at(r.fd, (uintptr_t)r.addr, PAGE, ODP_WRITABLE,
				   ODP_FLAG_FAULT | ODP_FLAG_WORKER), 1,
		 "a worker maps after that thread has exited");
	close(r.fd);
	munmap(r.addr, PAGE);
}

/* Only a thread is left of the process that registered. */
static void leader_exits(void)
{
	char *addr = memory(2 * PAGE, PROT_READ | PROT_WRITE);
	int fd = odp_open();
	struct request r = { .fd = fd, .addr = addr, .len = 2 * PAGE };
	pid_t pid;
	long ret;

	pid = fork();
	if (!pid) {
		pthread_create(&r.thread, NULL, register_and_wait, &r);
		sleep_ms(300);
		/* Only this thread. */
		syscall(SYS_exit, 0);
	}
	sleep_ms(1500);
	ret = odp_map(fd, addr, PAGE, ODP_WRITABLE);
	check_is("O12", ret, 1, "the leader has exited, a thread is left");
	check_is("O12", odp_map_at(fd, (uintptr_t)addr + PAGE, 1, ODP_WRITABLE,
				   ODP_FLAG_FAULT | ODP_FLAG_WORKER), 1,
		 "the same from a worker");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check_is("O3", odp_map(fd, addr, PAGE, 0), -EINVAL,
		 "all of its threads have exited");
	close(fd);
	munmap(addr, 2 * PAGE);
}

/*
 * The owner exits while a request of ours is between its walk and its end, so
 * that ours is the last reference to its memory. exit_mmap() under the mutex
 * would wait for the mutex for ever.
 */
static void last_reference(void)
{
	long rounds = scale(5), stuck = 0, i;

	for (i = 0; i < rounds && !stuck; i++) {
		char *addr = memory(16 * PAGE, PROT_READ | PROT_WRITE);
		int fd = odp_open();
		pid_t pid = owner_of(fd, addr, 16 * PAGE);
		struct request hold, map = {
			.fd = fd, .addr = addr, .len = 16 * PAGE,
			.flags = ODP_FLAG_FAULT,
		};
		struct timespec limit;

		odp_map(fd, addr, 16 * PAGE, 0);
		disturb(&hold, fd, ODP_HOLD_MUTEX, 800);
		begin(&map);
		sleep_ms(200);
		kill(pid, SIGKILL);
		clock_gettime(CLOCK_REALTIME, &limit);
		limit.tv_sec += 10;
		stuck = pthread_timedjoin_np(map.thread, NULL, &limit) != 0;
		if (stuck)
			break;
		if (i == 0)
			check("O13", map.ret == 16 || map.ret == -EINVAL,
			      "the owner exits during a request (%ld)", map.ret);
		waitpid(pid, NULL, 0);
		end(&hold);
		close(fd);
		munmap(addr, 16 * PAGE);
	}
	check_is("O13", stuck, 0, "the last mmput() does not run under umem_mutex");
	if (stuck)
		_exit(odp_finish());
}

/* Killed at any moment, and the memory that was mapped is given back. */
static void killed_at_random(void)
{
	long rounds = scale(60), i, slow = 0;

	for (i = 0; i < rounds; i++) {
		char *addr = memory(256 * PAGE, PROT_READ | PROT_WRITE);
		pid_t pid = fork();

		if (!pid) {
			int fd = odp_umem(addr, 256 * PAGE, RW);

			for (;;) {
				odp_map(fd, addr, 256 * PAGE, ODP_WRITABLE);
				madvise(addr, 256 * PAGE, MADV_DONTNEED);
			}
		}
		sleep_ms(20 + i % 7);
		slow += time_to_die(pid) > 1000;
		munmap(addr, 256 * PAGE);
	}
	check_is("O4", slow, 0, "killed during faults, it is gone in a second");
}

int main(void)
{
	from_worker();
	thread_registers();
	leader_exits();
	published_under_mutex();
	weather(1);
	weather(4);
	observed();
	worker_waits_for_lock();
	killed_waiting_for_lock();
	owner_dies_while_worker_waits();
	handler_answers(0, "in the process");
	handler_answers(ODP_FLAG_WORKER, "for a worker");
	handler_never_answers();
	owner_dies_while_handler_sleeps();
	killed_at_random();
	last_reference();
	return odp_finish();
}
