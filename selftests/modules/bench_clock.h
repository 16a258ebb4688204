/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a call takes: several rounds, and of them the least, the middle and
 * the most. In a guest whose clock counts instructions these are instructions.
 */
#ifndef RDMA_SHIM_TEST_BENCH_CLOCK_H
#define RDMA_SHIM_TEST_BENCH_CLOCK_H

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sort.h>
#include <linux/types.h>

#define BENCH_ROUNDS 15

/**
 * struct bench_clock - times of one kind of call
 * @ns: nanoseconds a call, one a round
 * @rounds: how many there are
 */
struct bench_clock {
	u64 ns[BENCH_ROUNDS];
	unsigned int rounds;
};

/* A round of @calls calls that began at @start. */
static inline void bench_round(struct bench_clock *clock, u64 start,
			       unsigned int calls)
{
	clock->ns[clock->rounds++] = div_u64(ktime_get_ns() - start, calls);
}

static inline int bench_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Before any of the three that follow. */
static inline void bench_order(struct bench_clock *clock)
{
	sort(clock->ns, clock->rounds, sizeof(u64), bench_compare, NULL);
}

static inline u64 bench_least(const struct bench_clock *clock)
{
	return clock->ns[0];
}

static inline u64 bench_middle(const struct bench_clock *clock)
{
	return clock->ns[clock->rounds / 2];
}

static inline u64 bench_most(const struct bench_clock *clock)
{
	return clock->ns[clock->rounds - 1];
}

#endif
