/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that no honest client sends, and the answer that each must get.
 */
#ifndef WIRE_HOSTILE_H
#define WIRE_HOSTILE_H

#include "memory.h"

enum hostile_answer {
	ANSWER_GOOD,	/* the call is served */
	ANSWER_VERS,	/* ERR_VERS, the connection stays */
	ANSWER_CHUNK,	/* ERR_CHUNK, the connection stays */
	ANSWER_NONE,	/* silence, the connection stays */
	ANSWER_CLOSE,	/* the connection is closed */
};

struct hostile {
	struct wire_message *m;
	struct wire_memory *memory;
	struct wire_segment good;	/* HOSTILE_BYTES that may be read */
	uint32_t stale;			/* a handle that was valid once */
	uint32_t xid;
	uint32_t value;			/* of the row */
};

#define HOSTILE_BYTES	65536

struct hostile_row {
	const char *name;
	void (*build)(struct hostile *h);
	uint32_t value;
	enum hostile_answer answer;
};

extern const struct hostile_row hostile_rows[];
extern const unsigned int hostile_count;

/* A call with every kind of list, and no body: what truncation starts from. */
void hostile_full_header(struct hostile *h);
/* A SUM call with one data chunk of @h->value bytes. */
void hostile_data_chunk(struct hostile *h);
/* The same as a call chunk, and as two data chunks with inline bytes around. */
void hostile_call_chunk(struct hostile *h);
void hostile_two_chunks(struct hostile *h);

#endif
