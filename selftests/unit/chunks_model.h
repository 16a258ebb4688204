/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHUNKS_MODEL_H
#define CHUNKS_MODEL_H

#include <linux/types.h>

/* What one message did; for the properties that hold for every input. */
struct chunks_result {
	bool called;		/* parse said CALL */
	bool planned;		/* and the plan was accepted */
	unsigned int length;	/* of the rebuilt message */
	unsigned int pages;
	unsigned int pieces;
};

/*
 * Parses and plans @bytes of a message, in a copy that ends where the memory
 * ends. When planned, the pages are filled from @peer (addresses are offsets in
 * it) and @rebuilt gets the whole message. Aborts, with a sentence, when a
 * property is broken: a byte outside of the page budget is a sink, a sink byte
 * is written twice or never, a sum wraps.
 */
struct chunks_result chunks_run(const void *message, unsigned int bytes,
				unsigned int max_pages,
				const u8 *peer, unsigned int peer_bytes,
				u8 *rebuilt, unsigned int room);

/* fuzz_chunks.c: what libFuzzer calls. */
int LLVMFuzzerTestOneInput(const u8 *data, unsigned long size);

#endif
