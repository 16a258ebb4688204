// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting on behalf of a kernel thread (O4).
 *
 * The waits for mmap_lock and for a userfaultfd handler end early only when the
 * waiting task is killed. A worker cannot be killed, and the process whose
 * memory it serves may exit. So the worker lets a thread of ours wait, which
 * can be killed, and looks after the process meanwhile.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>

#include "odp/walk.h"

struct attendant {
	struct odp_walk *walk;
	struct completion done;
	int ret;
};

static int attend(void *arg)
{
	struct attendant *attendant = arg;

	allow_signal(SIGKILL);
	attendant->ret = odp_walk_killable(attendant->walk);
	complete(&attendant->done);

	/* Stay until the worker has seen it, so that it can stop us. */
	set_current_state(TASK_UNINTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_UNINTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * odp_walk_attended() - odp_walk_killable() for a kernel thread
 * @walk: what to walk; @walk->seq has to be set
 *
 * Context: kernel thread, no locks held.
 * Return: as odp_walk_killable(), but -EINVAL when the owner has exited, and
 * -ENOMEM when there was no memory for a thread.
 */
int odp_walk_attended(struct odp_walk *walk)
{
	struct attendant attendant = { .walk = walk };
	struct task_struct *task;
	bool gone = false;

	init_completion(&attendant.done);
	task = kthread_run(attend, &attendant, "rdma_shim_odp");
	if (IS_ERR(task))
		return -ENOMEM;

	/* A signal sent before allow_signal() is lost, hence again each time. */
	while (!wait_for_completion_timeout(&attendant.done, HZ / 10)) {
		gone = odp_owner_gone(walk->owner);
		if (gone)
			send_sig(SIGKILL, task, 1);
	}
	kthread_stop(task);
	return gone && attendant.ret ? -EINVAL : attendant.ret;
}
