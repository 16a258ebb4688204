/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test results as text that a process reads while the tests run.
 */
#ifndef RDMA_SHIM_TEST_MR_TAP_H
#define RDMA_SHIM_TEST_MR_TAP_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

/* M1 to M12; slot 0 is for results that prove no single promise. */
#define MR_PROMISES 13

/* What was tried, in words. */
#define MR_TAP_WHAT 96

/**
 * struct mr_tap - the output of one run
 * @lock: guards everything here
 * @more: woken when @used grows or @done is set
 * @text: the output
 * @used: bytes of it
 * @done: nothing will follow
 * @native: the kernel's own functions run; what they get wrong is a finding,
 *	not a failure of the run
 * @api: "ours" or "native"
 * @number: results so far
 * @failed: how many of them are bad
 * @good: good results for each promise
 * @bad: bad results for each promise
 * @reason: the first bad one in words
 */
struct mr_tap {
	struct mutex lock; /* all below */
	wait_queue_head_t more;
	char *text;
	size_t used;
	bool done;
	bool native;
	const char *api;
	unsigned int number;
	unsigned int failed;
	unsigned int good[MR_PROMISES];
	unsigned int bad[MR_PROMISES];
	char reason[MR_PROMISES][MR_TAP_WHAT + 64];
};

int mr_tap_begin(struct mr_tap *tap, bool native);
void mr_tap_free(struct mr_tap *tap);
void mr_tap_note(struct mr_tap *tap, const char *fmt, ...) __printf(2, 3);
void mr_tap_result(struct mr_tap *tap, unsigned int promise, const char *wrong,
		   const char *fmt, ...) __printf(4, 5);
void mr_tap_skip(struct mr_tap *tap, unsigned int promise, const char *why,
		 const char *what);
void mr_tap_end(struct mr_tap *tap);

#endif
