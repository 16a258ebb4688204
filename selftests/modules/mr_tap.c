// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "mr_tap.h"

#define TAP_SIZE (1024 * 1024)

int mr_tap_begin(struct mr_tap *tap, bool native)
{
	memset(tap, 0, sizeof(*tap));
	mutex_init(&tap->lock);
	init_waitqueue_head(&tap->more);
	tap->native = native;
	tap->api = native ? "native" : "ours";
	tap->text = vmalloc(TAP_SIZE);
	return tap->text ? 0 : -ENOMEM;
}

void mr_tap_free(struct mr_tap *tap)
{
	vfree(tap->text);
	tap->text = NULL;
}

static void append(struct mr_tap *tap, const char *fmt, va_list args)
{
	tap->used += vscnprintf(tap->text + tap->used, TAP_SIZE - tap->used,
				fmt, args);
}

static void append_line(struct mr_tap *tap, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append(tap, fmt, args);
	va_end(args);
}

void mr_tap_note(struct mr_tap *tap, const char *fmt, ...)
{
	va_list args;

	mutex_lock(&tap->lock);
	append_line(tap, "# ");
	va_start(args, fmt);
	append(tap, fmt, args);
	va_end(args);
	append_line(tap, "\n");
	mutex_unlock(&tap->lock);
	wake_up(&tap->more);
}

static void count(struct mr_tap *tap, unsigned int promise, const char *wrong,
		  const char *what)
{
	if (!wrong) {
		tap->good[promise]++;
		return;
	}
	if (!tap->bad[promise]++)
		snprintf(tap->reason[promise], sizeof(tap->reason[0]), "%s: %s",
			 what, wrong);
	if (!tap->native)
		tap->failed++;
}

/**
 * mr_tap_result - one result
 * @tap: the run
 * @promise: which of M1 to M12 it speaks of, 0 for none
 * @wrong: what is wrong, or NULL
 * @fmt: what was tried
 */
void mr_tap_result(struct mr_tap *tap, unsigned int promise, const char *wrong,
		   const char *fmt, ...)
{
	char what[MR_TAP_WHAT];
	va_list args;

	va_start(args, fmt);
	vscnprintf(what, sizeof(what), fmt, args);
	va_end(args);

	mutex_lock(&tap->lock);
	count(tap, promise, wrong, what);
	append_line(tap, "%s %u - ",
		    wrong && !tap->native ? "not ok" : "ok", ++tap->number);
	if (promise)
		append_line(tap, "M%u ", promise);
	append_line(tap, "%s", what);
	if (wrong && tap->native)
		append_line(tap, " (the kernel's own: %s)", wrong);
	append_line(tap, "\n");
	if (wrong && !tap->native)
		append_line(tap, "# %s\n", wrong);
	mutex_unlock(&tap->lock);
	wake_up(&tap->more);
}

void mr_tap_skip(struct mr_tap *tap, unsigned int promise, const char *why,
		 const char *what)
{
	mutex_lock(&tap->lock);
	append_line(tap, "ok %u - M%u %s # SKIP %s\n", ++tap->number, promise,
		    what, why);
	mutex_unlock(&tap->lock);
	wake_up(&tap->more);
}

/**
 * mr_tap_end - what the run says of each promise, and the plan
 * @tap: the run
 */
void mr_tap_end(struct mr_tap *tap)
{
	unsigned int i;

	mutex_lock(&tap->lock);
	for (i = 1; i < MR_PROMISES; i++) {
		if (tap->bad[i])
			append_line(tap, "# conformance M%u %s fail %s\n", i,
				    tap->api, tap->reason[i]);
		else
			append_line(tap, "# conformance M%u %s %s\n", i,
				    tap->api, tap->good[i] ? "pass" : "skip");
	}
	append_line(tap, "1..%u\n", tap->number);
	tap->done = true;
	mutex_unlock(&tap->lock);
	wake_up(&tap->more);
}
