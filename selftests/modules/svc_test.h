/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RDMA_SHIM_TEST_SVC_TEST_H
#define RDMA_SHIM_TEST_SVC_TEST_H

#include <linux/atomic.h>

struct svc_program;

/* svc_echo.c: the program that is served, and calls that it answered. */
extern struct svc_program svc_echo_program;
extern atomic_t svc_echo_served;

/* svc_consumer.c: a transport class of this module. */
int svc_consumer_init(void);
void svc_consumer_exit(void);

#endif
