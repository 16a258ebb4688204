// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <string.h>

#include "memory.h"

static const uint32_t words[] = {
	0, 1, 2, 3, 4, 5, 8, 40, 41, 44, 64, 100, 4096, 65536, 1 << 20,
	0x20000000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xfffffffe, 0xffffffff,
};

static void set_word(uint8_t *at, uint32_t word)
{
	word = htonl(word);
	memcpy(at, &word, sizeof(word));
}

/* A run of words comes twice, or not at all. */
static void repeat(struct wire_message *m, size_t at, size_t part)
{
	if (at + part > m->length || m->length + part > WIRE_INLINE)
		return;
	memmove(m->bytes + at + part, m->bytes + at, m->length - at);
	m->length += part;
}

static void drop(struct wire_message *m, size_t at, size_t part)
{
	if (at + part > m->length)
		return;
	memmove(m->bytes + at, m->bytes + at + part, m->length - at - part);
	m->length -= part;
}

void wire_mutate(struct wire_message *m, struct wire_random *random)
{
	unsigned int many = sizeof(words) / sizeof(*words);
	size_t at = 4 * wire_random(random, m->length / 4 + 1);
	size_t part = 4 * wire_random(random, 8);

	switch (wire_random(random, 6)) {
	case 0:
		if (m->length)
			m->bytes[wire_random(random, m->length)] ^=
				1 << wire_random(random, 8);
		break;
	case 1:
		m->length = wire_random(random, m->length + 1);
		break;
	case 2:
		if (at + 4 <= m->length)
			set_word(m->bytes + at, words[wire_random(random, many)]);
		break;
	case 3:
		if (at + 4 <= m->length)
			set_word(m->bytes + at, wire_random(random, 512));
		break;
	case 4:
		repeat(m, at, part);
		break;
	default:
		drop(m, at, part);
		break;
	}
}
