/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One connection to an RPC-over-RDMA server, on which any bytes can be sent.
 */
#ifndef WIRE_CONN_H
#define WIRE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/rdma_cma.h>

#define WIRE_INLINE	4096	/* bytes of a message, either way */
#define WIRE_RECEIVES	64

/* The device that leads to a server, and what its connections share. */
struct wire_device {
	struct rdma_event_channel *events;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	const char *address;
	int port;
	const char *source;	/* own address, or NULL */
	bool siw;
};

struct wire_conn {
	struct wire_device *device;
	struct rdma_event_channel *events;
	struct rdma_cm_id *id;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;		/* of what is received */
	struct ibv_cq *sent;
	struct ibv_mr *mr;
	uint8_t *buffers;	/* WIRE_RECEIVES to receive, then one to send */
	const char *answer;	/* when it was not accepted */
	bool closed;		/* the server, or an error, ended it */
	bool sending;
	bool heard;		/* something was received */
};

enum wire_end { WIRE_GOT = 1, WIRE_NOTHING = 0, WIRE_CLOSED = -1 };

/* device->source and device->siw are set by the caller. */
void wire_open(struct wire_device *device, const char *address, int port);
void wire_shut(struct wire_device *device);

/* Memory that the server may read and write. */
struct ibv_mr *wire_register(struct wire_device *device, void *memory,
			     size_t bytes);

/* The client's half of a connection, then the rest; 0 if it was accepted. */
void wire_prepare(struct wire_device *device, struct wire_conn *conn);
int wire_join(struct wire_conn *conn);
int wire_try_connect(struct wire_device *device, struct wire_conn *conn);
void wire_connect(struct wire_device *device, struct wire_conn *conn);
void wire_send(struct wire_conn *conn, const void *bytes, size_t length);
void wire_flush(struct wire_conn *conn);	/* until the peer has it */
enum wire_end wire_receive(struct wire_conn *conn, int milliseconds,
			   void *bytes, size_t *length);
enum wire_end wire_wait_closed(struct wire_conn *conn, int milliseconds);
void wire_disconnect(struct wire_conn *conn);

/* One sentence to stderr, exit 1. */
_Noreturn void wire_die(const char *format, ...);
uint64_t wire_now(void);	/* milliseconds */

#endif
