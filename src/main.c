// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_shim.ko: what happens once, at load and at unload.
 */
#include <linux/module.h>
#include <linux/utsname.h>

#include <rdma-shim/config.h>

#include "odp/words.h"
#include "verbs/region.h"

#ifdef RDMA_SHIM_ODP_LACKS
#define OURS "ib_map_mr_sg is ours; no on-demand paging, since the kernel lacks " \
	RDMA_SHIM_ODP_LACKS
#else
#define OURS "ib_map_mr_sg and on-demand paging are ours"
#endif

static int __init rdma_shim_init(void)
{
	int ret;

	ret = rdma_shim_regions_init();
	if (ret)
		return ret;
	ret = odp_words_init();
	if (ret)
		goto err_regions;

	pr_info("rdma_shim %s on %s: " OURS "; the rest of ib_core is native\n",
		RDMA_SHIM_VERSION, init_utsname()->release);
	return 0;

err_regions:
	rdma_shim_regions_exit();
	return ret;
}

static void __exit rdma_shim_exit(void)
{
	odp_words_exit();
	rdma_shim_regions_exit();
}

module_init(rdma_shim_init);
module_exit(rdma_shim_exit);

MODULE_DESCRIPTION("Linux 7.3 behaviour of ib_map_mr_sg() and on-demand paging");
MODULE_VERSION(RDMA_SHIM_VERSION);
MODULE_LICENSE("GPL");
