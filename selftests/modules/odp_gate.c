// SPDX-License-Identifier: GPL-2.0
/*
 * Collisions that do not depend on luck: pages of this device whose faults wait
 * at a gate, so that an invalidation can come just after the walk that brought
 * them, and before anything is published.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "odp_driver.h"

/* Not another time: the page is then given without a stop. */
static bool stops_here(struct odp_gate *gate)
{
	return atomic_cmpxchg(&gate->state, ODP_GATE_SHUT, ODP_GATE_ASKED) ==
	       ODP_GATE_SHUT;
}

/* A new page each time, so that one from before the collision is a wrong one. */
static vm_fault_t gate_fault(struct vm_fault *vmf)
{
	struct odp_gate *gate = vmf->vma->vm_private_data;
	struct page *page;

	if (stops_here(gate)) {
		wake_up_all(&gate->wait);
		if (wait_event_killable(gate->wait, atomic_read(&gate->state) !=
					ODP_GATE_ASKED))
			return VM_FAULT_SIGBUS;
	}
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!page)
		return VM_FAULT_OOM;
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct gate_ops = {
	.fault = gate_fault,
};

void odp_gate_init(struct odp_gate *gate)
{
	init_waitqueue_head(&gate->wait);
	atomic_set(&gate->state, ODP_GATE_OPEN);
}

/* The mapping keeps the file open, and with it the driver. */
int odp_gate_mmap(struct odp_driver *driver, struct file *file,
		  struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	driver->gate.pages = file->f_mapping;
	vma->vm_private_data = &driver->gate;
	vma->vm_ops = &gate_ops;
	return 0;
}

static void set_gate(struct odp_gate *gate, enum odp_gate_state state)
{
	atomic_set(&gate->state, state);
	wake_up_all(&gate->wait);
}

/*
 * umem_mutex held, and lent to the invalidation: it has to be done before the
 * walker gets the mutex. What lockdep would say of that order is right, but
 * nobody waits for the mutex with a lock of these pages.
 */
static void take_away(struct odp_gate *gate)
{
	lockdep_off();
	WRITE_ONCE(gate->lent, current);
	unmap_mapping_range(gate->pages, 0, 0, 1);
	WRITE_ONCE(gate->lent, NULL);
	lockdep_on();
}

/*
 * mmap_lock is free once the walk is over; but an invalidation that came
 * meanwhile keeps it until it gets the mutex, which is not waited for.
 */
static void wait_for_walk(struct mm_struct *mm)
{
	unsigned long end = jiffies + HZ;

	while (rwsem_is_locked(&mm->mmap_lock) && time_before(jiffies, end))
		usleep_range(20, 50);
}

/*
 * The walker is in a fault. It has mmap_lock until its walk is over, and then
 * needs the mutex to go on.
 */
static void collide_once(struct odp_driver *driver, unsigned int stay_ms,
			 bool last)
{
	struct mutex *mutex = &driver->umem->umem_mutex;
	struct mm_struct *mm = driver->umem->umem.owning_mm;

	msleep(stay_ms);
	mutex_lock(mutex);
	set_gate(&driver->gate, last ? ODP_GATE_OPEN : ODP_GATE_SHUT);
	wait_for_walk(mm);
	take_away(&driver->gate);
	mutex_unlock(mutex);
}

/**
 * odp_collide() - take pages away between a walk and its publication
 * @driver: with a umem that has pages of the gate
 * @cmd: how long to wait for walkers (ms), how often to collide (len, 0 for
 *	each time), how long a fault lasts (mask, ms); out[0] counts
 *
 * Context: process context of the owner.
 * Return: 0, or -ENXIO without such pages.
 */
int odp_collide(struct odp_driver *driver, struct odp_cmd *cmd)
{
	unsigned long end = jiffies + msecs_to_jiffies(cmd->ms);
	struct odp_gate *gate = &driver->gate;
	u64 most = cmd->len ?: U64_MAX;

	if (!gate->pages)
		return -ENXIO;
	set_gate(gate, ODP_GATE_SHUT);
	while (cmd->out[0] < most && time_before(jiffies, end) &&
	       !signal_pending(current)) {
		if (wait_event_interruptible_timeout(gate->wait,
						     atomic_read(&gate->state) ==
						     ODP_GATE_ASKED, HZ / 10) <= 0)
			continue;
		cmd->out[0]++;
		collide_once(driver, cmd->mask, cmd->out[0] == most);
	}
	set_gate(gate, ODP_GATE_OPEN);
	return 0;
}
