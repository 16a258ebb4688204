/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests in threads of their own, for those who disturb each other.
 */
#ifndef RDMA_SHIM_TEST_ODP_REQUEST_H
#define RDMA_SHIM_TEST_ODP_REQUEST_H

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "odp_lib.h"

/* A call to map; or another, whose result is what it counted. */
struct request {
	int fd;
	void *addr;
	size_t len;
	uint64_t mask;
	atomic_int flags;
	unsigned long op;
	int ms;
	long ret;
	long took;
	pthread_t thread;
};

static inline void *request(void *arg)
{
	struct request *r = arg;
	struct odp_cmd cmd = { .len = r->len, .mask = r->mask, .ms = r->ms };
	long start = now_ms();

	if (r->op)
		r->ret = odp_do(r->fd, r->op, &cmd) ?: (long)cmd.out[0];
	else
		r->ret = odp_map_at(r->fd, (uintptr_t)r->addr, r->len, r->mask,
				    r->flags);
	r->took = now_ms() - start;
	return NULL;
}

static inline void begin(struct request *r)
{
	if (pthread_create(&r->thread, NULL, request, r))
		odp_die("pthread_create");
}

static inline void end(struct request *r)
{
	pthread_join(r->thread, NULL);
}

static inline void disturb(struct request *r, int fd, unsigned long op, int ms)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->op = op;
	r->ms = ms;
	begin(r);
	sleep_ms(200);
}

static inline int uffd_for(void *addr, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)addr, len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg)) {
		printf("# no userfaultfd here: %s\n", strerror(errno));
		return -1;
	}
	return fd;
}

#endif
