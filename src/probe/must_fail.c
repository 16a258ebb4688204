// SPDX-License-Identifier: GPL-2.0
/*
 * Control: compiles nowhere, because no kernel has this function.
 */
#include <linux/module.h>

int rdma_shim_probe(void);
int rdma_shim_probe(void)
{
	return rdma_shim_no_such_function();
}
MODULE_LICENSE("GPL");
