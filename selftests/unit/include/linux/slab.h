/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_SLAB_H
#define UNIT_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL 0
#define struct_size(p, member, n) \
	(sizeof(*(p)) + sizeof((p)->member[0]) * (size_t)(n))
#define kzalloc(size, flags) calloc(1, size)
#define kfree free

#endif
