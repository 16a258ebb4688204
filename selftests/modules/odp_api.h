/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs say to rdma_shim_odp_test, which plays a driver: one
 * open file is one umem.
 */
#ifndef RDMA_SHIM_TEST_ODP_API_H
#define RDMA_SHIM_TEST_ODP_API_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * struct odp_cmd - arguments and results of every request
 * @virt: user address in the umem
 * @len: bytes
 * @mask: access mask, or IB_ACCESS_* for a new umem
 * @buffer: user address that data or words go to or come from
 * @ms: how long to disturb
 * @flags: ODP_FLAG_*
 * @ret: what the function under test returned
 * @mutex_held: umem_mutex was held when it returned
 * @out: results
 * @name: of a network device, or of a device of ours with DMA
 */
struct odp_cmd {
	__u64 virt;
	__u64 len;
	__u64 mask;
	__u64 buffer;
	__u32 ms;
	__u32 flags;
	__s32 ret;
	__u32 mutex_held;
	__u64 out[8];
	char name[32];
};

#define ODP_FLAG_FAULT	1	/* fault = true */
#define ODP_FLAG_WORKER	2	/* call from a kernel thread */
#define ODP_FLAG_DMA	4	/* map each slot for DMA, as drivers do */
#define ODP_FLAG_GENERIC 8	/* release by ib_umem_release() */

#define ODP_DEVICE	_IOWR('o', 1, struct odp_cmd)
#define ODP_GET		_IOWR('o', 2, struct odp_cmd)
#define ODP_IMPLICIT	_IOWR('o', 3, struct odp_cmd)
#define ODP_CHILD	_IOWR('o', 4, struct odp_cmd)
#define ODP_RELEASE	_IOWR('o', 5, struct odp_cmd)
#define ODP_MAP		_IOWR('o', 6, struct odp_cmd)
#define ODP_UNMAP	_IOWR('o', 7, struct odp_cmd)
#define ODP_WORDS	_IOWR('o', 8, struct odp_cmd)
#define ODP_ADDRESSES	_IOWR('o', 9, struct odp_cmd)
#define ODP_READ	_IOWR('o', 10, struct odp_cmd)
#define ODP_WRITE	_IOWR('o', 11, struct odp_cmd)
#define ODP_INFO	_IOWR('o', 12, struct odp_cmd)
#define ODP_PAGE	_IOWR('o', 13, struct odp_cmd)
#define ODP_HOLD_MMAP	_IOWR('o', 14, struct odp_cmd)
#define ODP_HOLD_MUTEX	_IOWR('o', 15, struct odp_cmd)
#define ODP_COLLIDE	_IOWR('o', 16, struct odp_cmd)
#define ODP_OBSERVE	_IOWR('o', 17, struct odp_cmd)
#define ODP_TIME_MAP	_IOWR('o', 18, struct odp_cmd)
#define ODP_TIME_BARE	_IOWR('o', 19, struct odp_cmd)

/* Where ODP_INFO puts things */
enum odp_info {
	ODP_INFO_START,
	ODP_INFO_END,
	ODP_INFO_SHIFT,
	ODP_INFO_NPAGES,
	ODP_INFO_INVALIDATIONS,
	ODP_INFO_LEFT_VALID,	/* slots still VALID after an invalidation */
	ODP_INFO_RUNNING,	/* calls to map that have not returned */
	ODP_INFO_LAST_RET,	/* what the last one that has returned */
};

/* Where ODP_PAGE puts things */
enum odp_page {
	ODP_PAGE_DIRTY,
	ODP_PAGE_ANON,
};

/* Flags of 7.3's page words, on 64-bit kernels */
#define ODP_VALID	0x8000000000000000ULL
#define ODP_WRITABLE	0x4000000000000000ULL
#define ODP_ERROR	0x2000000000000000ULL
#define ODP_DMA_MAPPED	0x1000000000000000ULL
#define ODP_ORDER_SHIFT	53
#define ODP_PFN_MASK	0x001fffffffffffffULL

#endif
