/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call as TCP would carry it, and one way to cut it into chunks.
 */
#ifndef WIRE_LAYOUT_H
#define WIRE_LAYOUT_H

#include "memory.h"

enum {
	LAYOUT_CHUNKS = 24,
	LAYOUT_SEGMENTS = 150,
	LAYOUT_BYTES = (1 << 20) + 65536,
};

/* [position, position + length) of the call travels as a data chunk. */
struct layout_chunk {
	uint32_t position;
	uint32_t length;	/* without pad bytes */
	bool padded;		/* the pad bytes are sent as well */
	unsigned int segments;
};

struct layout {
	enum wire_rpc rpc;
	uint32_t xid;
	uint8_t *call;		/* what TCP would deliver */
	size_t length;
	bool call_chunk;
	bool mixed;		/* call chunk behind data chunks in the list */
	unsigned int call_segments;
	struct layout_chunk chunks[LAYOUT_CHUNKS];
	unsigned int count;
	bool write_chunk;
	bool reply_chunk;
};

void layout_random(struct layout *l, struct wire_random *random);
void layout_describe(const struct layout *l);

/*
 * Sends the call and waits for its reply. NULL if it is the right one,
 * otherwise a sentence.
 */
const char *layout_try(struct layout *l, struct wire_conn *conn,
		       struct wire_memory *memory, struct wire_random *random);

#endif
