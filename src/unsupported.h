/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module for a kernel that lacks what ours needs. It builds, so that a
 * kernel upgrade never fails because of us, and when loaded says what is
 * missing. The file that includes this one defines LACKS.
 */
#include <linux/module.h>
#include <linux/utsname.h>

static int __init unsupported_init(void)
{
	pr_err("%s %s: not for this kernel: %s lacks %s\n", KBUILD_MODNAME,
	       RDMA_SHIM_VERSION, init_utsname()->release, LACKS);
	return -EOPNOTSUPP;
}
module_init(unsupported_init);

MODULE_DESCRIPTION("Not for this kernel, which lacks " LACKS);
MODULE_VERSION(RDMA_SHIM_VERSION);
MODULE_LICENSE("GPL");
