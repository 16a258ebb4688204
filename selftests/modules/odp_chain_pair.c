// SPDX-License-Identifier: GPL-2.0
/*
 * The pair of the tests of ib_map_mr_sg(), for another module.
 */
#include "mr_pair.c"
