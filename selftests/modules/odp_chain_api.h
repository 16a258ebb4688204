/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What odp_chain says to rdma_shim_odp_chain: a driver that registers memory on
 * demand, and a peer that reads and writes it by RDMA.
 */
#ifndef RDMA_SHIM_TEST_ODP_CHAIN_API_H
#define RDMA_SHIM_TEST_ODP_CHAIN_API_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ODP_CHAIN_NODE "/dev/rdma-shim-odp-chain"
#define ODP_CHAIN_PAGES 32

/**
 * struct odp_chain_cmd - arguments and results of every request
 * @virt: user address of the memory, or of what the peer wants of it
 * @len: bytes
 * @buffer: user address of the peer's bytes
 * @addr: IPv4 address of the device, in the order of the network
 * @port: a free one
 * @ret: what came of it
 * @faults: how often the memory has been registered for the peer so far
 * @invalidations: how often a registration was taken back
 * @registered: the peer could access memory now
 * @pad: none
 */
struct odp_chain_cmd {
	__u64 virt;
	__u64 len;
	__u64 buffer;
	__u32 addr;
	__u32 port;
	__s32 ret;
	__u32 faults;
	__u32 invalidations;
	__u32 registered;
	__u32 pad[2];
};

#define ODP_CHAIN_OPEN	_IOWR('c', 1, struct odp_chain_cmd)
#define ODP_CHAIN_READ	_IOWR('c', 2, struct odp_chain_cmd)
#define ODP_CHAIN_WRITE	_IOWR('c', 3, struct odp_chain_cmd)
#define ODP_CHAIN_INFO	_IOWR('c', 4, struct odp_chain_cmd)

#endif
