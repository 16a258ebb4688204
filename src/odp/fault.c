// SPDX-License-Identifier: GPL-2.0
/*
 * ib_umem_odp_map_dma_and_lock(): walk into a private buffer, publish under the
 * mutex what no invalidation has overtaken, until all of the range is there.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "odp/slot.h"
#include "odp/umem.h"
#include "odp/walk.h"
#include "odp/words.h"

/* Words that a walk can write on the stack; for more there are buffers. */
#define WORDS_FEW	64

/* With the attempt that is under way when it is used up: less than 2 s (O5). */
#define BUDGET		msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT)
#define ONE_STEP	msecs_to_jiffies(100)

/**
 * struct odp_map - one call of ib_umem_odp_map_dma_and_lock()
 * @umem_odp: the umem
 * @whole: all of it
 * @span: what was asked for
 * @fault: the caller wants pages, not only to know of them
 * @need: bits without which a slot has to be walked
 * @from: all slots of @span before this one are done with
 * @reached: slots before this one have been walked at least once
 * @since: slots before this one were last seen when umem_mutex was taken before
 * @walk: the batch
 * @few: a small buffer for @walk
 * @many: a large one, or NULL
 * @words: what the buffer in use can hold
 * @budget: time used up by attempts that came to nothing
 */
struct odp_map {
	struct ib_umem_odp *umem_odp;
	struct odp_span whole;
	struct odp_span span;
	bool fault;
	unsigned long need;
	size_t from;
	size_t reached;
	size_t since;
	struct odp_walk walk;
	unsigned long *few;
	unsigned long *many;
	size_t words;
	struct odp_budget budget;
};

/*
 * Without a buffer it only takes more steps. Slots larger than a page are walked
 * one by one.
 */
static void choose_buffer(struct odp_map *map)
{
	bool large = map->umem_odp->page_shift > PAGE_SHIFT;

	map->walk.words = map->few;
	map->words = large ? 1 : WORDS_FEW;
	if (large || map->span.count <= WORDS_FEW)
		return;
	map->many = odp_words_get();
	if (map->many) {
		map->walk.words = map->many;
		map->words = ODP_WORDS;
	}
}

static unsigned long slot_address(const struct odp_map *map, size_t slot)
{
	return map->span.start +
	       ((unsigned long)slot << map->umem_odp->page_shift);
}

static unsigned long *slots_of(const struct odp_map *map, size_t slot)
{
	return map->umem_odp->map.pfn_list + map->span.first + slot;
}

static void aim(struct odp_map *map)
{
	size_t n = min(map->span.count - map->from, map->words);

	map->walk.start = slot_address(map, map->from);
	map->walk.end = slot_address(map, map->from + n);
	map->reached = max(map->reached, map->from + n);
}

/* A page that is mapped in smaller pieces need not be contiguous (O3). */
static bool too_small(const struct odp_map *map, size_t n)
{
	unsigned int order = map->umem_odp->page_shift - PAGE_SHIFT;
	unsigned long word;
	size_t i;

	for (i = 0; order && i < n; i++) {
		word = odp_word_from(map->walk.words[i], ODP_KERNEL_ORDER_SHIFT);
		if (word & HMM_PFN_VALID && odp_word_order(word) < order)
			return true;
	}
	return false;
}

/* The slot is VALID: the page is the same, or another has taken its place. */
static unsigned long replace(struct odp_map *map, size_t slot,
			     unsigned long word)
{
	unsigned long *at = slots_of(map, slot);

	if (word & HMM_PFN_VALID && !odp_slot_same_page(*at, word))
		odp_clear_slot(map->umem_odp, map->span.first + slot);
	return odp_slot_merge(*at, word);
}

/*
 * umem_mutex held, and no invalidation since the walk began. Of what a call
 * costs beside the walk this loop is most: one look at a slot that was empty,
 * and all of them need no second one.
 */
static int publish(struct odp_map *map)
{
	size_t n = (map->walk.end - map->walk.start) >>
		   map->umem_odp->page_shift;
	unsigned long *slots = slots_of(map, map->from);
	unsigned long *words = map->walk.words;
	unsigned long common = map->need;
	unsigned long word;
	size_t i;

	if (too_small(map, n))
		return -EINVAL;
	for (i = 0; i < n; i++) {
		word = odp_word_from(words[i], ODP_KERNEL_ORDER_SHIFT);
		if (slots[i] & HMM_PFN_VALID)
			word = replace(map, map->from + i, word);
		slots[i] = word;
		common &= word;
	}
	if (!map->fault || common == map->need)
		map->from += n;
	return 0;
}

/* One attempt for one batch, from no lock held to umem_mutex held. */
static int walk_batch(struct odp_map *map)
{
	struct ib_umem_odp *umem_odp = map->umem_odp;
	int ret;

	ret = odp_walk(&map->walk);
	mutex_lock(&umem_odp->umem_mutex);
	map->since = map->from;
	if (ret)
		return ret;
	if (mmu_interval_read_retry(&umem_odp->notifier, map->walk.seq))
		return -EBUSY;
	return publish(map);
}

/*
 * umem_mutex held. While it was not, slots that had been published may have
 * been taken away again, so the last look is at all of them.
 */
static bool all_there(struct odp_map *map)
{
	size_t count = map->span.count;

	if (!map->fault || (map->from == count && !map->since))
		return map->from == count;
	map->from += odp_slots_present(slots_of(map, map->from),
				       count - map->from, map->need);
	if (map->from == count && map->since)
		map->from = odp_slots_present(slots_of(map, 0), count,
					      map->need);
	return map->from == count;
}

/* From no lock held to umem_mutex held, error or not. */
static int walk_until_there(struct odp_map *map)
{
	size_t before;
	int ret;

	map->budget.mark = jiffies;
	for (;;) {
		before = map->reached;
		aim(map);
		ret = walk_batch(map);
		if (ret && ret != -EBUSY && ret != -EAGAIN)
			return ret;
		if (all_there(map))
			return 0;
		/* The first wait for the pages of a batch is a page fault. */
		if (ret == -EBUSY || map->reached == before)
			odp_charge(&map->budget, jiffies, ONE_STEP);
		if (map->budget.spent > BUDGET)
			return -EBUSY;
		map->budget.mark = jiffies;
		mutex_unlock(&map->umem_odp->umem_mutex);
	}
}

/*
 * Without the mutex a slot may change at once, but one that needs a page makes
 * it likely that the walk is needed, and then the mutex is taken only after it.
 */
static bool may_be_there(const struct odp_map *map)
{
	return map->fault &&
	       (READ_ONCE(*slots_of(map, 0)) & map->need) == map->need;
}

static int map_and_lock(struct odp_map *map)
{
	struct mutex *mutex = &map->umem_odp->umem_mutex;
	int ret;

	if (may_be_there(map)) {
		mutex_lock(mutex);
		if (all_there(map))
			return 0;
		mutex_unlock(mutex);
	}
	choose_buffer(map);
	ret = walk_until_there(map);
	if (ret)
		mutex_unlock(mutex);
	if (map->many)
		odp_words_put(map->many);
	return ret;
}

/**
 * rdma_shim_ib_umem_odp_map_dma_and_lock() - make a range ready for a device
 * @umem_odp: the umem
 * @user_virt: user address of the first byte
 * @bcnt: bytes
 * @access_mask: 0 to read, HMM_PFN_WRITE to write too
 * @fault: bring pages that are not there; else only record those that are
 *
 * Contract O1 to O13. On success map.pfn_list has a word for each slot of the
 * range; a slot that is VALID stays so until umem_mutex is dropped. The driver
 * gets DMA addresses from hmm_dma_map_pfn().
 *
 * Context: process context, of any process or of a kernel thread; sleeps.
 * Return: slots in the range, holes included, with umem_mutex held; or, with
 * umem_mutex not held, a negative error code (contract O1 to O5).
 */
int rdma_shim_ib_umem_odp_map_dma_and_lock(struct ib_umem_odp *umem_odp,
					   u64 user_virt, u64 bcnt,
					   u64 access_mask, bool fault)
{
	struct mm_struct *mm = umem_odp->umem.owning_mm;
	unsigned long few[WORDS_FEW] odp_not_zeroed;
	struct odp_map map;
	int ret;

	map.umem_odp = umem_odp;
	map.whole = odp_whole(umem_odp);
	ret = odp_request(&map.whole, umem_odp->page_shift, user_virt, bcnt,
			  access_mask, &map.span);
	if (ret)
		return ret;
	if (umem_odp->is_implicit_odp)
		return -EFAULT;

	map.fault = fault;
	map.need = HMM_PFN_VALID | access_mask;
	map.from = 0;
	map.reached = 0;
	map.since = 0;
	map.few = few;
	map.many = NULL;
	map.budget.spent = 0;
	map.walk.notifier = &umem_odp->notifier;
	map.walk.page_shift = umem_odp->page_shift;
	map.walk.flags = fault ? HMM_PFN_REQ_FAULT | access_mask : 0;
	map.walk.owner = get_pid_task(umem_odp->tgid, PIDTYPE_PID);
	if (!map.walk.owner)
		return -EINVAL;
	ret = -EINVAL;
	if (!mmget_not_zero(mm))
		goto out_task;
	ret = map_and_lock(&map);
	/* umem_mutex may be held, and exit_mmap() calls invalidations (O13). */
	mmput_async(mm);
out_task:
	put_task_struct(map.walk.owner);
	return ret ?: map.span.count;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_umem_odp_map_dma_and_lock);
