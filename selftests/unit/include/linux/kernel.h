/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Just enough of the kernel's vocabulary for pure code to compile in user
 * space. PAGE_SHIFT may be made small, so that brute force stays cheap.
 */
#ifndef UNIT_LINUX_KERNEL_H
#define UNIT_LINUX_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t __be32;

#include <limits.h>

#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#endif
#define PAGE_SIZE (1U << PAGE_SHIFT)
#define PAGE_MASK (~((u64)PAGE_SIZE - 1))

#define noinline
#define unlikely(condition) (condition)
#define likely(condition) (condition)
#define barrier()

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define min(a, b) ({			\
	__auto_type _a = (a);		\
	__auto_type _b = (b);		\
	_a < _b ? _a : _b;		\
})
#define max(a, b) ({			\
	__auto_type _a = (a);		\
	__auto_type _b = (b);		\
	_a > _b ? _a : _b;		\
})
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

#define EXPORT_SYMBOL_GPL(symbol) extern int unit_##symbol

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

#endif
