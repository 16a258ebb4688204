/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the suite.
 */
#ifndef RDMA_SHIM_TEST_MR_SUITE_H
#define RDMA_SHIM_TEST_MR_SUITE_H

#include "mr_case.h"
#include "mr_tap.h"

/* A case by itself, reported under a promise. */
void mr_report_case(struct mr_ctx *c, struct mr_tap *tap, unsigned int promise,
		    const struct mr_case *t, const char *name);

void mr_shapes(struct mr_ctx *c, struct mr_tap *tap);
void mr_random_case(struct mr_ctx *c, struct mr_case *t);
void mr_random_cases(struct mr_ctx *c, struct mr_tap *tap, unsigned int count);
void mr_refusals(struct mr_ctx *c, struct mr_tap *tap);
void mr_history(struct mr_ctx *c, struct mr_tap *tap);
void mr_records(struct mr_ctx *c, struct mr_tap *tap);
void mr_soak(const struct mr_ctx *c, struct mr_tap *tap, unsigned int seconds);
void mr_bench(struct mr_ctx *c, struct mr_tap *tap);
void mr_mock(const struct mr_api *api, struct mr_tap *tap);

#endif
