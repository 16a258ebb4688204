/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of records is kernel code; a test says which one is found.
 */
#ifndef UNIT_VERBS_LOOKUP_H
#define UNIT_VERBS_LOOKUP_H

#include "verbs/region.h"

struct rdma_shim_region *rdma_shim_region_find(const struct ib_mr *mr);

#endif
