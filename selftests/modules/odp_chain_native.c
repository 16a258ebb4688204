// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own functions, which the pair's buffer is registered with.
 */
#include "mr_api_native.c"
