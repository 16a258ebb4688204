// SPDX-License-Identifier: GPL-2.0
/*
 * The same driver, with the running kernel's own functions.
 */
#define ODP_NATIVE
#define RDMA_SHIM_INTERNAL
#include "odp_edu.c"
