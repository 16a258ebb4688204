// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { PAGE = 4096, SHORT = 32 };

uint32_t wire_random(struct wire_random *random, uint32_t below)
{
	uint64_t x = random->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	random->state = x;
	return below ? (x >> 20) % below : 0;
}

void wire_fill(struct wire_random *random, uint8_t *bytes, size_t length)
{
	uint32_t word;
	size_t i;

	for (i = 0; i + 4 <= length; i += 4) {
		word = wire_random(random, UINT32_MAX);
		memcpy(bytes + i, &word, 4);
	}
	for (; i < length; i++)
		bytes[i] = wire_random(random, 256);
}

uint64_t wire_fnv(const uint8_t *bytes, size_t length)
{
	uint64_t sum = 0xcbf29ce484222325ULL;

	while (length--)
		sum = (sum ^ *bytes++) * 0x100000001b3ULL;
	return sum;
}

void wire_memory_init(struct wire_memory *memory, struct wire_device *device,
		      size_t size, bool siw)
{
	memory->bytes = aligned_alloc(PAGE, size);
	if (!memory->bytes)
		wire_die("no memory for %zu bytes", size);
	memset(memory->bytes, 0, size);
	memory->size = size;
	memory->used = 0;
	memory->mr = wire_register(device, memory->bytes, size);
	memory->short_pieces_stay = siw;
}

void wire_memory_free(struct wire_memory *memory)
{
	ibv_dereg_mr(memory->mr);
	free(memory->bytes);
}

static bool crosses(size_t from, size_t to)
{
	return to > from && to - from <= SHORT && from / PAGE != (to - 1) / PAGE;
}

static bool allowed(const struct wire_memory *memory, size_t at, size_t length,
		    const size_t *cuts, unsigned int count)
{
	size_t from = 0;
	unsigned int i;

	if (!memory->short_pieces_stay)
		return true;
	for (i = 0; i < count; i++) {
		if (crosses(at + from, at + cuts[i]))
			return false;
		from = cuts[i];
	}
	return !crosses(at + from, at + length);
}

uint8_t *wire_place(struct wire_memory *memory, struct wire_random *random,
		    size_t length, const size_t *cuts, unsigned int count,
		    struct wire_segment *segment)
{
	static const uint32_t strides[] = { 1, 64, PAGE, 2 * PAGE };
	size_t at;

	do {
		at = memory->used + wire_random(random, strides[wire_random(random, 4)]);
		if (at + length > memory->size)
			wire_die("a test needs more than %zu bytes of memory",
				 memory->size);
		memory->used++;
	} while (!allowed(memory, at, length, cuts, count));
	memory->used = at + length;
	segment->handle = memory->mr->rkey;
	segment->length = length;
	segment->offset = (uintptr_t)(memory->bytes + at);
	return memory->bytes + at;
}
