// SPDX-License-Identifier: GPL-2.0
/*
 * What the suite svc_scarce reads and writes, as parameters of the module:
 *
 *	scarce_fail	written n: the n-th request from now on fails; 0: none
 *	scarce_asked	requests since then
 *	scarce_failed	requests that failed since the module was loaded
 *	scarce_live	what is there now
 *	scarce_sites	FILE:LINE asked failed, for each place
 */
#include <linux/spinlock.h>

static atomic_t asked = ATOMIC_INIT(0);
static atomic_t failed = ATOMIC_INIT(0);
static atomic_t live = ATOMIC_INIT(0);
static int chosen;

static struct scarce_site *sites;
static DEFINE_SPINLOCK(sites_lock);

static void list_site(struct scarce_site *site)
{
	unsigned long flags;

	spin_lock_irqsave(&sites_lock, flags);
	if (!site->listed) {
		site->next = sites;
		WRITE_ONCE(sites, site);
		site->listed = true;
	}
	spin_unlock_irqrestore(&sites_lock, flags);
}

bool scarce_fails(struct scarce_site *site)
{
	if (!READ_ONCE(site->listed))
		list_site(site);
	atomic_inc(&site->asked);
	if (atomic_inc_return(&asked) != READ_ONCE(chosen))
		return false;
	atomic_inc(&site->failed);
	atomic_inc(&failed);
	return true;
}

void *scarce_got(void *what)
{
	if (!IS_ERR_OR_NULL(what))
		atomic_inc(&live);
	return what;
}

void scarce_gave(const void *what)
{
	if (!IS_ERR_OR_NULL(what))
		atomic_dec(&live);
}

static int set_fail(const char *text, const struct kernel_param *kp)
{
	int n, ret;

	ret = kstrtoint(text, 0, &n);
	if (ret)
		return ret;
	WRITE_ONCE(chosen, 0);
	atomic_set(&asked, 0);
	WRITE_ONCE(chosen, n);
	return 0;
}

static int get_atomic(char *text, const struct kernel_param *kp)
{
	return scnprintf(text, PAGE_SIZE, "%d\n", atomic_read(kp->arg));
}

static int get_sites(char *text, const struct kernel_param *kp)
{
	struct scarce_site *site;
	int at = 0;

	for (site = READ_ONCE(sites); site; site = site->next)
		at += scnprintf(text + at, PAGE_SIZE - at, "%s:%d %d %d\n",
				site->file, site->line,
				atomic_read(&site->asked),
				atomic_read(&site->failed));
	return at;
}

static const struct kernel_param_ops fail_ops = { .set = set_fail };
static const struct kernel_param_ops atomic_ops = { .get = get_atomic };
static const struct kernel_param_ops sites_ops = { .get = get_sites };

module_param_cb(scarce_fail, &fail_ops, NULL, 0200);
module_param_cb(scarce_asked, &atomic_ops, &asked, 0444);
module_param_cb(scarce_failed, &atomic_ops, &failed, 0444);
module_param_cb(scarce_live, &atomic_ops, &live, 0444);
module_param_cb(scarce_sites, &sites_ops, NULL, 0444);
