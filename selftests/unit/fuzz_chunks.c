// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer over parse and plan. The first byte is the page budget, the rest
 * is the message; chunks_run() aborts when a property is broken.
 */
#include <linux/kernel.h>

#include "chunks_model.h"

int LLVMFuzzerTestOneInput(const u8 *data, unsigned long size)
{
	static const u8 peer[65536];

	if (size)
		chunks_run(data + 1, size - 1, data[0], peer, sizeof(peer),
			   NULL, 0);
	return 0;
}
