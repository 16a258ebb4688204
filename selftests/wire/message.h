/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 1 messages (RFC 8166 section 4), word by word.
 */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conn.h"

enum wire_proc { WIRE_MSG = 0, WIRE_NOMSG = 1, WIRE_DONE = 3, WIRE_ERROR = 4 };
enum wire_error { WIRE_ERR_VERS = 1, WIRE_ERR_CHUNK = 2 };

#define WIRE_PROGRAM	0x2000bead
enum wire_rpc { WIRE_NULL = 0, WIRE_SUM = 1, WIRE_ECHO = 2 };

struct wire_segment {
	uint32_t handle;
	uint32_t length;
	uint64_t offset;
};

struct wire_message {
	uint8_t bytes[65536];
	size_t length;
};

void wire_word(struct wire_message *m, uint32_t word);
void wire_bytes(struct wire_message *m, const void *bytes, size_t length);
void wire_header(struct wire_message *m, uint32_t xid, uint32_t version,
		 uint32_t credits, uint32_t proc);
void wire_read(struct wire_message *m, uint32_t position,
	       const struct wire_segment *segment);
void wire_chunk(struct wire_message *m, const struct wire_segment *segments,
		uint32_t count);

/* xid, CALL, RPC 2, the echo program, AUTH_NONE twice: 40 bytes. */
#define WIRE_RPC_BYTES	40
void wire_rpc_call(uint8_t *bytes, uint32_t xid, enum wire_rpc rpc);

/* A reply taken apart. */
#define WIRE_MAX_SEGMENTS	64

struct wire_reply {
	uint32_t xid;
	uint32_t credits;
	uint32_t proc;
	uint32_t error;		/* of proc WIRE_ERROR */
	uint32_t low, high;	/* versions, with ERR_VERS */
	unsigned int writes;	/* chunks */
	uint32_t write_bytes;	/* of all of them */
	bool has_reply;
	uint32_t reply_bytes;
	const uint8_t *body;
	size_t body_length;
};

bool wire_parse_reply(const uint8_t *bytes, size_t length,
		      struct wire_reply *reply);
uint32_t wire_get(const uint8_t *bytes);

#endif
