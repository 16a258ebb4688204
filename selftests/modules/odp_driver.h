/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A driver whose only memory is one umem.
 */
#ifndef RDMA_SHIM_TEST_ODP_DRIVER_H
#define RDMA_SHIM_TEST_ODP_DRIVER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "odp_api.h"
#ifdef ODP_NATIVE
#include "odp_native.h"
#else
#include "odp_ours.h"
#endif

enum odp_gate_state {
	ODP_GATE_OPEN,	/* faults do not wait */
	ODP_GATE_SHUT,	/* the next one will */
	ODP_GATE_ASKED,	/* one does */
};

/**
 * struct odp_gate - where faults of the file's own pages wait
 * @state: enum odp_gate_state
 * @wait: for a change of @state
 * @pages: the pages, or NULL as long as nobody has mapped any
 * @lent: who invalidates with umem_mutex held on his behalf
 */
struct odp_gate {
	atomic_t state;
	wait_queue_head_t wait;
	struct address_space *pages;
	struct task_struct *lent;
};

/**
 * struct odp_driver - one open file
 * @dev: the RDMA device
 * @registered: @dev is the kernel's, with a reference held
 * @root: an implicit umem or NULL
 * @umem: the umem or NULL
 * @invalidations: how often pages were taken away
 * @left_valid: slots that were VALID afterwards, which must not be
 * @running: calls to map that have not returned
 * @last_ret: what the last one that has returned, for those who killed it
 * @gate: pages of our own
 */
struct odp_driver {
	struct ib_device *dev;
	bool registered;
	struct ib_umem_odp *root;
	struct ib_umem_odp *umem;
	atomic64_t invalidations;
	atomic64_t left_valid;
	atomic_t running;
	int last_ret;
	struct odp_gate gate;
};

int odp_driver_device(struct odp_driver *driver, const char *name);
int odp_driver_get(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_driver_implicit(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_driver_child(struct odp_driver *driver, const struct odp_cmd *cmd);
void odp_driver_release(struct odp_driver *driver, bool generic);
void odp_driver_close(struct odp_driver *driver);
void odp_driver_map(struct odp_driver *driver, struct odp_cmd *cmd);
void odp_driver_unmap(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_driver_words(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_driver_addresses(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_driver_transfer(struct odp_driver *driver, struct odp_cmd *cmd,
			bool write);
void odp_driver_info(struct odp_driver *driver, struct odp_cmd *cmd);

int odp_hold_mmap(struct odp_driver *driver, const struct odp_cmd *cmd);
int odp_hold_mutex(struct odp_driver *driver, struct odp_cmd *cmd);
int odp_observe(struct odp_driver *driver, struct odp_cmd *cmd);

void odp_time_map(struct odp_driver *driver, struct odp_cmd *cmd);
int odp_time_bare(struct odp_driver *driver, struct odp_cmd *cmd);

void odp_gate_init(struct odp_gate *gate);
int odp_gate_mmap(struct odp_driver *driver, struct file *file,
		  struct vm_area_struct *vma);
int odp_collide(struct odp_driver *driver, struct odp_cmd *cmd);

bool odp_is_edu(const struct ib_device *ib);
struct ib_device *odp_edu(void);
int odp_edu_move(dma_addr_t at, u8 *data, u64 len, bool write);
int odp_edu_init(void);
void odp_edu_exit(void);

struct ib_device *odp_new_ib_device(struct device *dma);
int odp_devices_init(void);
void odp_devices_exit(void);
struct ib_device *odp_device_find(const char *name, bool *registered);

static inline size_t odp_slot(struct ib_umem_odp *umem, u64 virt)
{
	return (virt - ib_umem_start(umem)) >> umem->page_shift;
}

#endif
