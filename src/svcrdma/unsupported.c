// SPDX-License-Identifier: GPL-2.0
/*
 * svcrdma_shim.ko on a kernel that lacks what it needs.
 */
#include <rdma-shim/config.h>

#define LACKS SVCRDMA_SHIM_LACKS
#include "unsupported.h"
