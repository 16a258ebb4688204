/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models of what the software drivers do with a list they are given, and of
 * the byte that a peer then reaches: every known version of rxe, and siw.
 */
#ifndef DRIVER_MODEL_H
#define DRIVER_MODEL_H

#include <rdma/ib_verbs.h>

#define MODEL_ENTRIES 4096

/**
 * struct driver_model - one region inside one driver
 * @mr: what the consumer sees; first, so that ops find the rest
 * @max_num_sg: pages asked for at allocation
 * @allowed: entries the table has now
 * @lost: the table is gone after a failed enlargement
 * @fail_grow: the next enlargement fails
 * @calls: how often the driver's map function ran
 * @count: entries in use
 * @entry: the table: pages (rxe) or runs (siw)
 */
struct driver_model {
	struct ib_mr mr;
	unsigned int max_num_sg;
	unsigned int allowed;
	bool lost;
	bool fail_grow;
	unsigned int calls;
	unsigned int count;
	struct {
		u64 addr;
		u64 size;
		u64 start;
	} entry[MODEL_ENTRIES];
};

/**
 * struct driver_kind - one version of one driver
 * @name: for test output
 * @ops: what the device offers
 * @reach: DMA addresses that a transfer of @len bytes at @iova touches
 */
struct driver_kind {
	const char *name;
	struct ib_device_ops ops;
	void (*reach)(const struct driver_model *m, u64 iova,
		      unsigned int len, bool to_memory, u64 *addr);
};

extern const struct driver_kind driver_kinds[];
extern const unsigned int driver_kind_count;

#endif
