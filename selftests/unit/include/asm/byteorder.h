/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_ASM_BYTEORDER_H
#define UNIT_ASM_BYTEORDER_H

#include <endian.h>
#include <linux/kernel.h>

static inline u32 be32_to_cpup(const __be32 *p)
{
	return be32toh(*p);
}

#endif
