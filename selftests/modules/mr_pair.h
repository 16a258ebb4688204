/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two connected queue pairs on one device: the server owns the region under
 * test, the client is the peer that reads and writes it.
 */
#ifndef RDMA_SHIM_TEST_MR_PAIR_H
#define RDMA_SHIM_TEST_MR_PAIR_H

#include <linux/completion.h>
#include <linux/in.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/* What the peer can move at a time. */
#define MR_PEER_BYTES (256 * 1024)

/**
 * struct mr_end - one side
 * @id: its connection
 * @pd: a protection domain of its own, as a peer has
 * @cq: where its work completes
 * @event: something happened to the connection
 * @status: what: 0 or an error
 * @cqe: of the one work request that is outstanding
 * @done: it completed
 * @wc_status: how
 */
struct mr_end {
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct completion event;
	int status;
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status wc_status;
};

/**
 * struct mr_pair - both sides
 * @listener: where the server's side came from
 * @incoming: the server's side has come
 * @server: owns the region under test
 * @client: the peer
 * @buffer: the peer's memory, MR_PEER_BYTES of it
 * @buffer_mr: registration of @buffer, so that iWARP can place Reads there
 * @addr: where the server listens
 */
struct mr_pair {
	struct rdma_cm_id *listener;
	struct completion incoming;
	struct mr_end server;
	struct mr_end client;
	u8 *buffer;
	struct ib_mr *buffer_mr;
	struct sockaddr_in addr;
};

int mr_pair_connect(struct mr_pair *pair, __be32 addr, u16 port);
void mr_pair_disconnect(struct mr_pair *pair);
int mr_end_post(struct mr_end *end, struct ib_send_wr *wr);
int mr_register(struct mr_end *end, struct ib_mr *mr, int access);
int mr_invalidate(struct mr_end *end, struct ib_mr *mr);
int mr_pair_transfer(struct mr_pair *pair, enum ib_wr_opcode opcode,
		     u64 remote, u32 rkey, u32 len);

#endif
