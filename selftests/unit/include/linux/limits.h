/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_LIMITS_H
#define UNIT_LINUX_LIMITS_H

/* The C library's <limits.h> asks for the first, kernel code for the second. */
#include_next <linux/limits.h>
#include <limits.h>

#endif
