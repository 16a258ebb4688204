// SPDX-License-Identifier: GPL-2.0
/*
 * svcrdma_shim.ko: parameters, counters, load and unload.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/utsname.h>

#include "svcrdma/svcrdma.h"

unsigned int rdma_shim_svcrdma_ord = 16;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_ord);
unsigned int rdma_shim_svcrdma_max_requests = RPCRDMA_MAX_REQUESTS;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_max_requests);
unsigned int rdma_shim_svcrdma_max_bc_requests = RPCRDMA_MAX_BC_REQUESTS;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_max_bc_requests);
unsigned int rdma_shim_svcrdma_max_req_size = RPCRDMA_DEF_INLINE_THRESH;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_max_req_size);

struct percpu_counter rdma_shim_svcrdma_stat_read;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_stat_read);
struct percpu_counter rdma_shim_svcrdma_stat_recv;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_stat_recv);
struct percpu_counter rdma_shim_svcrdma_stat_sq_starve;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_stat_sq_starve);
struct percpu_counter rdma_shim_svcrdma_stat_write;
EXPORT_SYMBOL_GPL(rdma_shim_svcrdma_stat_write);

static unsigned int max_payload = RPCSVC_MAXPAYLOAD_RDMA;

/**
 * struct bounded - a parameter with bounds
 * @value: where it is
 * @least: its smallest value
 * @most: its largest value
 * @unit: it must be a multiple of this
 */
struct bounded {
	unsigned int *value;
	unsigned int least;
	unsigned int most;
	unsigned int unit;
};

static int set_bounded(const char *text, const struct kernel_param *kp)
{
	const struct bounded *b = kp->arg;
	unsigned int value;
	int ret;

	ret = kstrtouint(text, 0, &value);
	if (ret)
		return ret;
	if (value < b->least || value > b->most || value % b->unit) {
		pr_err("svcrdma_shim: %s must be between %u and %u, in steps of %u\n",
		       kp->name, b->least, b->most, b->unit);
		return -EINVAL;
	}
	*b->value = value;
	return 0;
}

static int get_bounded(char *text, const struct kernel_param *kp)
{
	const struct bounded *b = kp->arg;

	return scnprintf(text, PAGE_SIZE, "%u\n", *b->value);
}

static const struct kernel_param_ops bounded_ops = {
	.set = set_bounded,
	.get = get_bounded,
};

static struct bounded credits = {
	.value = &svcrdma_max_requests,
	.least = 4, .most = 4096, .unit = 1,
};
module_param_cb(credits, &bounded_ops, &credits, 0644);
MODULE_PARM_DESC(credits, "calls a client may have in flight, for new connections (4 to 4096)");

static struct bounded inline_size = {
	.value = &svcrdma_max_req_size,
	.least = RPCRDMA_V1_DEF_INLINE_SIZE,
	.most = RPCRDMA_MAX_INLINE_THRESH,
	.unit = RPCRDMA_V1_DEF_INLINE_SIZE,
};
module_param_cb(inline_size, &bounded_ops, &inline_size, 0644);
MODULE_PARM_DESC(inline_size, "bytes sent without RDMA, for new connections (1024 to 65536)");

static struct bounded read_depth = {
	.value = &svcrdma_ord,
	.least = 1, .most = 255, .unit = 1,
};
module_param_cb(read_depth, &bounded_ops, &read_depth, 0644);
MODULE_PARM_DESC(read_depth, "RDMA Reads in flight, for new connections (1 to 255)");

static struct bounded payload = {
	.value = &max_payload,
	.least = 4096, .most = RPCSVC_MAXPAYLOAD_RDMA, .unit = 4096,
};
module_param_cb(max_payload, &bounded_ops, &payload, 0444);
MODULE_PARM_DESC(max_payload, "bytes of data in one call or reply, at load");

static atomic64_t counts[RDMA_SHIM_COUNTS];

/**
 * rdma_shim_count - add one to a counter
 * @which: the counter
 *
 * Context: any.
 */
void rdma_shim_count(enum rdma_shim_count which)
{
	atomic64_inc(&counts[which]);
}

static unsigned int newest_slots;

/**
 * rdma_shim_note_slots - remember how deep a Send Queue is
 * @slots: of the newest connection
 *
 * Context: any.
 */
void rdma_shim_note_slots(unsigned int slots)
{
	WRITE_ONCE(newest_slots, slots);
}

static int get_counters(char *text, const struct kernel_param *kp)
{
	static const char * const names[RDMA_SHIM_COUNTS] = {
		[RDMA_SHIM_COUNT_ERR_VERS]	= "refused_version",
		[RDMA_SHIM_COUNT_ERR_CHUNK]	= "refused_chunks",
		[RDMA_SHIM_COUNT_READ_FAILED]	= "reads_failed",
		[RDMA_SHIM_COUNT_SEND_FAILED]	= "sends_failed",
		[RDMA_SHIM_COUNT_CLOSED]	= "connections_closed",
		[RDMA_SHIM_COUNT_ACCEPTED]	= "connections_accepted",
	};
	int at, i;

	at = scnprintf(text, PAGE_SIZE,
		       "messages %lld\nread_lists %lld\nwrite_chunks %lld\nwaited_for_slots %lld\n",
		       percpu_counter_sum_positive(&svcrdma_stat_recv),
		       percpu_counter_sum_positive(&svcrdma_stat_read),
		       percpu_counter_sum_positive(&svcrdma_stat_write),
		       percpu_counter_sum_positive(&svcrdma_stat_sq_starve));
	for (i = 0; i < RDMA_SHIM_COUNTS; i++)
		at += scnprintf(text + at, PAGE_SIZE - at, "%s %lld\n",
				names[i], (s64)atomic64_read(&counts[i]));
	at += scnprintf(text + at, PAGE_SIZE - at, "newest_send_queue %u\n",
			READ_ONCE(newest_slots));
	return at;
}

static const struct kernel_param_ops counters_ops = {
	.get = get_counters,
};
module_param_cb(counters, &counters_ops, NULL, 0444);
MODULE_PARM_DESC(counters, "what happened since the module was loaded (read only)");

static struct percpu_counter * const stats[] = {
	&svcrdma_stat_read,
	&svcrdma_stat_recv,
	&svcrdma_stat_sq_starve,
	&svcrdma_stat_write,
};

static void destroy_stats(unsigned int n)
{
	while (n--)
		percpu_counter_destroy(stats[n]);
}

static int init_stats(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(stats); i++) {
		ret = percpu_counter_init(stats[i], 0, GFP_KERNEL);
		if (ret) {
			destroy_stats(i);
			return ret;
		}
	}
	return 0;
}

static int __init svcrdma_shim_init(void)
{
	int ret;

	ret = init_stats();
	if (ret)
		return ret;
	ret = rdma_shim_bc_init();
	if (ret)
		goto stats;
	ret = rdma_shim_transport_init(max_payload);
	if (ret)
		goto bc;
	pr_info("svcrdma_shim %s on %s: transport class %s is there for portlist\n",
		RDMA_SHIM_VERSION, init_utsname()->release,
		RDMA_SHIM_XPRT_NAME);
	return 0;

bc:
	rdma_shim_bc_exit();
stats:
	destroy_stats(ARRAY_SIZE(stats));
	return ret;
}

static void __exit svcrdma_shim_exit(void)
{
	rdma_shim_transport_exit();
	rdma_shim_bc_exit();
	destroy_stats(ARRAY_SIZE(stats));
}

module_init(svcrdma_shim_init);
module_exit(svcrdma_shim_exit);

MODULE_ALIAS("svcrdma-shim");
MODULE_DESCRIPTION("NFS/RDMA server transport with Linux 7.3's behaviour");
MODULE_VERSION(RDMA_SHIM_VERSION);
MODULE_LICENSE("GPL");
