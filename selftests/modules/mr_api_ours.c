// SPDX-License-Identifier: GPL-2.0
#include "mr_api.h"

#define MR_API mr_api_ours
#define MR_API_NAME "ours"
#include "mr_api_table.h"
