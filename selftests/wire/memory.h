/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of the client that chunks point to. Filled from the front for one
 * call, then used again.
 */
#ifndef WIRE_MEMORY_H
#define WIRE_MEMORY_H

#include "message.h"

struct wire_memory {
	uint8_t *bytes;
	size_t size;
	size_t used;
	struct ibv_mr *mr;
	/* siw: nothing of 32 bytes or less may cross a page (contract M10). */
	bool short_pieces_stay;
};

struct wire_random {
	uint64_t state;
};

uint32_t wire_random(struct wire_random *random, uint32_t below);
void wire_fill(struct wire_random *random, uint8_t *bytes, size_t length);
uint64_t wire_fnv(const uint8_t *bytes, size_t length);

void wire_memory_init(struct wire_memory *memory, struct wire_device *device,
		      size_t size, bool siw);
void wire_memory_free(struct wire_memory *memory);

/*
 * Room for @length bytes at an address that @random chooses, as a segment.
 * @cuts, of which there are @count, are offsets at which the server will read
 * the segment in pieces.
 */
uint8_t *wire_place(struct wire_memory *memory, struct wire_random *random,
		    size_t length, const size_t *cuts, unsigned int count,
		    struct wire_segment *segment);

/* One random change of a message; its words are changed most. */
void wire_mutate(struct wire_message *m, struct wire_random *random);

#endif
