// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_growth ADDRESS PORT rxe|siw chunks CHUNKS
 *        wire_growth ADDRESS PORT rxe|siw calls CONNECTIONS
 *        wire_growth ADDRESS PORT rxe|siw idle CONNECTIONS
 *
 * How the cost of a server's transport grows: with the Read chunks among which
 * the 64 KiB of one call are shared out, with the connections that take turns
 * in making calls, and by a connection that does nothing.
 *
 * Prints the middle, the least and the most of several rounds: nanoseconds a
 * call, client and wire included; for idle connections bytes of the server's.
 *
 * A process has 16 connections at most, for libsiw takes the place of one queue
 * of a process for its mark of an error; so there are as many processes as that
 * takes, and they make their calls one after another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire/memory.h"

#define ROUNDS		5
#define CALLS		32
#define BYTES		65536
#define MOST		64
#define EACH		16	/* connections of a process */
#define REPLY_TIME	20000	/* milliseconds */

enum task { PREPARE, JOIN, CALL, DISCONNECT, END };

struct worker {
	unsigned int connections;
	unsigned int chunks;
	unsigned int calls;	/* on each connection in a round */
	int ask, answer;	/* ends of pipes */
	pid_t pid;
};

static struct worker workers[MOST / EACH];
static unsigned int worker_count;
static struct wire_device device;
static struct wire_memory memory;
static struct wire_conn conns[EACH];
static uint32_t xid = 1;

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_rounds(uint64_t *value, unsigned int count)
{
	qsort(value, count, sizeof(*value), compare);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", value[count / 2],
	       value[0], value[count - 1]);
}

/* A NULL call, whose arguments nobody looks at. */
static void build(struct wire_message *m, unsigned int chunks)
{
	uint32_t length = chunks ? BYTES / chunks : 0;
	uint8_t rpc[WIRE_RPC_BYTES];
	struct wire_segment segment;
	unsigned int i;

	wire_header(m, ++xid, 1, 32, WIRE_MSG);
	for (i = 0; i < chunks; i++) {
		segment.handle = memory.mr->rkey;
		segment.length = length;
		segment.offset = (uintptr_t)memory.bytes + i * length;
		wire_read(m, WIRE_RPC_BYTES + i * length, &segment);
	}
	wire_word(m, 0);
	wire_word(m, 0);
	wire_word(m, 0);
	wire_rpc_call(rpc, xid, WIRE_NULL);
	wire_bytes(m, rpc, sizeof(rpc));
}

static void call(struct wire_conn *conn, unsigned int chunks)
{
	static struct wire_message m;
	uint8_t answer[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	build(&m, chunks);
	wire_send(conn, m.bytes, m.length);
	if (wire_receive(conn, REPLY_TIME, answer, &length) != WIRE_GOT ||
	    !wire_parse_reply(answer, length, &reply) ||
	    reply.xid != xid || reply.proc != WIRE_MSG)
		wire_die("a call with %u chunks was not answered", chunks);
}

static void do_task(const struct worker *self, enum task task,
		    struct wire_conn *conn)
{
	unsigned int i;

	if (task == PREPARE)
		wire_prepare(&device, conn);
	else if (task == JOIN && wire_join(conn))
		wire_die("a connection is not accepted");
	else if (task == DISCONNECT)
		wire_disconnect(conn);
	for (i = 0; task == CALL && i < self->calls; i++)
		call(conn, self->chunks);
}

static void work(const struct worker *self, int asked, int done)
{
	unsigned int i;
	char task;

	while (read(asked, &task, 1) == 1 && task != END) {
		for (i = 0; i < self->connections; i++)
			do_task(self, task, &conns[i]);
		if (write(done, &task, 1) != 1)
			break;
	}
}

static void start_worker(struct worker *worker, const char *address, int port)
{
	int asked[2], done[2];

	if (pipe(asked) || pipe(done))
		wire_die("no pipe");
	worker->ask = asked[1];
	worker->answer = done[0];
	fflush(stdout);
	worker->pid = fork();
	if (worker->pid < 0)
		wire_die("no process");
	if (worker->pid) {
		close(asked[0]);
		close(done[1]);
		return;
	}
	wire_open(&device, address, port);
	wire_memory_init(&memory, &device, BYTES, false);
	work(worker, asked[0], done[1]);
	wire_memory_free(&memory);
	wire_shut(&device);
	exit(0);
}

static void all(enum task what)
{
	char task = what;
	unsigned int i;

	for (i = 0; i < worker_count; i++)
		if (write(workers[i].ask, &task, 1) != 1 ||
		    read(workers[i].answer, &task, 1) != 1)
			wire_die("a client has ended");
}

static void end_workers(void)
{
	char task = END;
	unsigned int i;
	int status;

	for (i = 0; i < worker_count; i++)
		if (write(workers[i].ask, &task, 1) != 1 ||
		    waitpid(workers[i].pid, &status, 0) < 0 || status)
			wire_die("a client did not end well");
}

/* The first round does not count: caches, and what siw does at first. */
static void time_calls(unsigned int calls)
{
	uint64_t value[ROUNDS];
	unsigned int i;
	uint64_t start;

	all(PREPARE);
	all(JOIN);
	all(CALL);
	for (i = 0; i < ROUNDS; i++) {
		start = nanoseconds();
		all(CALL);
		value[i] = (nanoseconds() - start) / calls;
	}
	all(DISCONNECT);
	print_rounds(value, ROUNDS);
}

/* Bytes that nobody has, what can be dropped having been dropped. */
static uint64_t free_bytes(void)
{
	unsigned long kib = 0;
	char line[128];
	FILE *file;

	/* What is freed after a grace period, or by a worker, is gone by then. */
	sleep(2);
	file = fopen("/proc/sys/vm/drop_caches", "w");
	if (!file || fputs("3", file) < 0 || fclose(file))
		wire_die("the caches cannot be dropped");
	file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %lu", &kib) == 1)
			break;
	if (!kib)
		wire_die("/proc/meminfo does not say what is free");
	fclose(file);
	return kib * 1024ULL;
}

/* The client's half is there before, and is not counted. */
static void weigh_idle(unsigned int connections)
{
	uint64_t value[ROUNDS], before, after;
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		all(PREPARE);
		before = free_bytes();
		all(JOIN);
		after = free_bytes();
		value[round] = before > after ?
			       (before - after) / connections : 0;
		all(DISCONNECT);
		sleep(1);
	}
	print_rounds(value, ROUNDS);
}

static void start_workers(unsigned int connections, unsigned int chunks,
			  unsigned int calls, char **argv)
{
	struct worker *worker;

	for (; connections; connections -= worker->connections) {
		worker = &workers[worker_count++];
		worker->connections = connections < EACH ? connections : EACH;
		worker->chunks = chunks;
		worker->calls = calls;
		start_worker(worker, argv[1], atoi(argv[2]));
	}
}

int main(int argc, char **argv)
{
	unsigned int amount, connections, calls;
	bool chunks;

	if (argc != 6)
		wire_die("usage: wire_growth ADDRESS PORT rxe|siw chunks|calls|idle AMOUNT");
	amount = atoi(argv[5]);
	if (amount < 1 || amount > MOST)
		wire_die("%s is not from 1 to %d", argv[5], MOST);
	chunks = !strcmp(argv[4], "chunks");
	connections = chunks ? 1 : amount;
	calls = connections < CALLS ? CALLS / connections : 1;
	device.siw = !strcmp(argv[3], "siw");
	start_workers(connections, chunks ? amount : 0, calls, argv);
	if (strcmp(argv[4], "idle"))
		time_calls(calls * connections);
	else
		weigh_idle(connections);
	end_workers();
	return 0;
}
