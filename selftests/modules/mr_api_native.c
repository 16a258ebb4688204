// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA_SHIM_INTERNAL keeps the package's headers from renaming anything.
 */
#define RDMA_SHIM_INTERNAL
#include "mr_api.h"

#define MR_API mr_api_native
#define MR_API_NAME "native"
#include "mr_api_table.h"
