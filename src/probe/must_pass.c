// SPDX-License-Identifier: GPL-2.0
/*
 * Control: compiles wherever the compiler and the headers work at all.
 */
#include <linux/module.h>

int rdma_shim_probe(void);
int rdma_shim_probe(void)
{
	return try_module_get(THIS_MODULE);
}
MODULE_LICENSE("GPL");
