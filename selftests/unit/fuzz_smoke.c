// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer for a few seconds and without its compiler: messages of the corpus
 * changed at random, the same ones each time. chunks_run() aborts when a
 * property is broken.
 *
 * usage: fuzz_smoke [SECONDS [SEED]]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chunks_model.h"

enum { MESSAGES = 256, BYTES = 4096, ROUND = 1000 };

static u8 corpus[MESSAGES][BYTES];
static size_t lengths[MESSAGES];
static unsigned int messages;

static void read_corpus(void)
{
	const char *folder = "corpus";
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512];
	FILE *file;

	while (dir && messages < MESSAGES && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		file = fopen(path, "rb");
		if (!file)
			continue;
		lengths[messages] = fread(corpus[messages], 1, BYTES, file);
		messages += lengths[messages] > 0;
		fclose(file);
	}
	if (dir)
		closedir(dir);
}

static unsigned int roll(unsigned int n)
{
	return random() % n;
}

static void set_word(u8 *at, u32 word)
{
	at[0] = word >> 24;
	at[1] = word >> 16;
	at[2] = word >> 8;
	at[3] = word;
}

/* Words are what the parser looks at, so words are what changes most. */
static size_t change(u8 *m, size_t length)
{
	static const u32 words[] = {
		0, 1, 2, 3, 4, 40, 64, 100, 0x7fffffff, 0x80000000, 0xfffffffc,
		0xfffffffe, 0xffffffff, 0x20000000,
	};
	size_t at = 1 + 4 * roll(length / 4 + 1), part;

	switch (roll(6)) {
	case 0:
		m[roll(length)] ^= 1 << roll(8);
		return length;
	case 1:
		return 1 + roll(length);
	case 2:
		if (at + 4 <= length)
			set_word(m + at, words[roll(sizeof(words) / sizeof(*words))]);
		return length;
	case 3:
		if (at + 4 <= length)
			set_word(m + at, roll(512));
		return length;
	case 4:		/* a run of words comes twice */
		part = 4 * roll(8);
		if (at + part > length || length + part > BYTES)
			return length;
		memmove(m + at + part, m + at, length - at);
		return length + part;
	default:	/* or not at all */
		part = 4 * roll(8);
		if (at + part > length)
			return length;
		memmove(m + at, m + at + part, length - at - part);
		return length - part;
	}
}

static void run(u8 *m)
{
	unsigned int which = roll(messages), times = 1 + roll(6);
	size_t length = lengths[which];

	memcpy(m, corpus[which], length);
	while (times-- && length)
		length = change(m, length);
	LLVMFuzzerTestOneInput(m, length);
}

int main(int argc, char **argv)
{
	time_t seconds = argc > 1 ? atoi(argv[1]) : 5;
	time_t end = time(NULL) + seconds;
	static u8 m[BYTES];
	unsigned long count = 0;
	unsigned int i;

	srandom(argc > 2 ? atoi(argv[2]) : 1);
	puts("TAP version 13");
	read_corpus();
	for (i = 0; i < messages; i++)
		LLVMFuzzerTestOneInput(corpus[i], lengths[i]);
	while (messages && time(NULL) < end)
		for (i = 0; i < ROUND; i++, count++)
			run(m);
	printf("# %u messages, %lu changes of them\n", messages, count);
	printf("%sok 1 - a corpus is there and was changed\n",
	       messages >= 20 && count ? "" : "not ");
	puts("ok 2 - no property of parse and plan was broken");
	puts("1..2");
	return !(messages >= 20 && count);
}
