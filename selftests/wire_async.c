// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_async ADDRESS PORT rxe|siw SOURCE
 *
 * One thread serves. A client at the address SOURCE leaves Reads unanswered;
 * another one must not notice (contract R7, R8). Over siw a routing rule stops
 * its packets; the rule that finds local addresses is moved behind that one, so
 * this is for guests. What rxe sends to its own machine passes no routing, so
 * there the queue pair is reset.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/memory.h"

enum {
	CALLS = 16,
	NULLS = 8,
	AT_ONCE = 1000,		/* milliseconds that "at once" may take */
	PATIENCE = 60000,	/* until all is answered after a stall */
	ARGUMENTS = 16384,	/* bytes of each call */
};

static unsigned int results, failures;
static const char *source;
static bool blocked, siw;

static void result(bool good, const char *group, const char *name)
{
	printf("%sok %u - %s: %s\n", good ? "" : "not ", ++results, group, name);
	failures += !good;
}

static void set_parameter(const char *path, unsigned int value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%u\n", value) < 1 || fclose(file))
		wire_die("%s cannot be written", path);
}

static void set_threads(unsigned int count)
{
	set_parameter("/sys/module/rdma_shim_svc_test/parameters/threads",
		      count);
}

static void set_credits(unsigned int count)
{
	set_parameter("/sys/module/svcrdma_shim/parameters/credits", count);
}

static unsigned long counter(const char *name)
{
	const char *path = "/sys/module/svcrdma_shim/parameters/counters";
	FILE *file = fopen(path, "r");
	unsigned long value, found = 0;
	char line[64];

	while (file && fscanf(file, "%63s %lu", line, &value) == 2)
		if (!strcmp(line, name))
			found = value;
	if (file)
		fclose(file);
	return found;
}

static unsigned int served(void)
{
	const char *path = "/sys/module/rdma_shim_svc_test/parameters/served";
	FILE *file = fopen(path, "r");
	unsigned int count;

	if (!file || fscanf(file, "%u", &count) != 1 || fclose(file))
		wire_die("%s cannot be read", path);
	return count;
}

static void shell(const char *format, const char *argument)
{
	char line[256];

	snprintf(line, sizeof(line), format, argument);
	if (system(line))
		wire_die("this failed: %s", line);
}

static void block(bool on)
{
	if (on != blocked)
		shell(on ? "ip rule add blackhole from %s pref 10" :
			   "ip rule del blackhole from %s pref 10", source);
	blocked = on;
}

/* A queue pair of rxe that was reset takes no packet and answers none. */
static void stall(struct wire_conn *slow)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	if (siw)
		block(true);
	else if (ibv_modify_qp(slow->id->qp, &attr, IBV_QP_STATE))
		wire_die("the queue pair cannot be reset");
}

static void let_go(void)
{
	block(false);
	set_threads(2);
	if (siw)
		shell("ip rule add pref 0 lookup local; ip rule del pref 100%s",
		      "");
}

/* A call of @segments Read segments; returns the sum its reply must have. */
static uint64_t send_call(struct wire_conn *conn, struct wire_memory *memory,
			  struct wire_random *random, uint32_t xid,
			  unsigned int segments, size_t bytes)
{
	static struct wire_message m;
	static uint8_t arguments[ARGUMENTS];
	uint8_t call[WIRE_RPC_BYTES], *place;
	struct wire_segment segment;
	unsigned int i;

	wire_rpc_call(call, xid, WIRE_SUM);
	wire_fill(random, arguments, segments * bytes);
	wire_header(&m, xid, 1, 32, WIRE_MSG);
	for (i = 0; i < segments; i++) {
		place = wire_place(memory, random, bytes, NULL, 0, &segment);
		memcpy(place, arguments + i * bytes, bytes);
		wire_read(&m, WIRE_RPC_BYTES, &segment);
	}
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_bytes(&m, call, sizeof(call));
	wire_send(conn, m.bytes, m.length);
	return wire_fnv(arguments, segments * bytes);
}

/* Milliseconds that a NULL call takes; PATIENCE if it is not answered. */
static uint64_t null_call(struct wire_conn *conn, uint32_t xid)
{
	static struct wire_message m;
	uint8_t call[WIRE_RPC_BYTES], bytes[WIRE_INLINE];
	uint64_t begun = wire_now();
	struct wire_reply reply;
	size_t length;

	wire_rpc_call(call, xid, WIRE_NULL);
	wire_header(&m, xid, 1, 32, WIRE_MSG);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_bytes(&m, call, sizeof(call));
	wire_send(conn, m.bytes, m.length);
	if (wire_receive(conn, PATIENCE, bytes, &length) != WIRE_GOT ||
	    !wire_parse_reply(bytes, length, &reply) || reply.xid != xid)
		return PATIENCE;
	return wire_now() - begun;
}

/* Sums of the outstanding calls by xid; 0 is answered. */
static bool answered(struct wire_conn *conn, uint64_t *sums, unsigned int count)
{
	unsigned int left = count;
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	const uint8_t *body;
	size_t length;

	while (left) {
		if (wire_receive(conn, PATIENCE, bytes, &length) != WIRE_GOT) {
			printf("# %u of %u are not answered%s\n", left, count,
			       conn->closed ? ", connection closed" : "");
			return false;
		}
		body = bytes;
		if (!wire_parse_reply(bytes, length, &reply) ||
		    reply.xid >= count || reply.body_length != 44)
			return false;
		body = reply.body + 24 + 12;
		if (sums[reply.xid] != ((uint64_t)wire_get(body) << 32 |
					wire_get(body + 4))) {
			printf("# call %u has another sum\n", reply.xid);
			return false;
		}
		sums[reply.xid] = 0;
		left--;
	}
	return true;
}

static void send_calls(struct wire_conn *slow, struct wire_memory *memory,
		       struct wire_random *random, uint64_t *sums,
		       unsigned int segments, size_t bytes)
{
	unsigned int i;

	memory->used = 0;
	for (i = 0; i < CALLS; i++)
		sums[i] = send_call(slow, memory, random, i, segments, bytes);
	wire_flush(slow);
}

/* CALLS calls wait at the server, whose Reads of them are not answered. */
static void build_up(struct wire_conn *slow, struct wire_memory *memory,
		     struct wire_random *random, uint64_t *sums,
		     unsigned int segments, size_t bytes)
{
	set_threads(0);
	send_calls(slow, memory, random, sums, segments, bytes);
	stall(slow);
	set_threads(1);
}

static bool others_are_served(struct wire_conn *quick)
{
	uint64_t took, worst = 0;
	unsigned int i;

	for (i = 0; i < NULLS; i++) {
		usleep(100000);
		took = null_call(quick, 1000 + i);
		worst = took > worst ? took : worst;
	}
	printf("# the slowest NULL call took %" PRIu64 " ms\n", worst);
	return worst <= AT_ONCE;
}

static bool wait_closed(unsigned long before)
{
	uint64_t begun = wire_now();

	while (counter("connections_closed") == before) {
		if (wire_now() > begun + 2 * PATIENCE)
			return false;
		usleep(100000);
	}
	printf("# closed after %" PRIu64 " ms\n", wire_now() - begun);
	return true;
}

/*
 * The stall is over: over siw the Reads are answered at last. On rxe they never
 * are; the connection closes, and its calls come again on a new one.
 */
static bool recovers(struct wire_conn *slow, struct wire_memory *memory,
		     struct wire_random *random, uint64_t *sums,
		     unsigned int segments, size_t bytes, unsigned long closed)
{
	if (siw) {
		block(false);
		return answered(slow, sums, CALLS);
	}
	if (!wait_closed(closed))
		return false;
	wire_disconnect(slow);
	wire_connect(slow->device, slow);
	send_calls(slow, memory, random, sums, segments, bytes);
	return answered(slow, sums, CALLS);
}

static void stalled(struct wire_conn *slow, struct wire_conn *quick,
		    struct wire_memory *memory, struct wire_random *random,
		    unsigned int segments, size_t bytes, const char *what)
{
	unsigned long closed = counter("connections_closed");
	unsigned long waited = counter("waited_for_slots");
	unsigned int before = served();
	uint64_t sums[CALLS];

	build_up(slow, memory, random, sums, segments, bytes);
	result(others_are_served(quick), what, "another client is served at once");
	result(served() == before + NULLS, what, "no Read was answered");
	if (segments > 1)
		result(counter("waited_for_slots") > waited, what,
		       "calls wait for slots");
	result(recovers(slow, memory, random, sums, segments, bytes, closed),
	       what, "all calls are answered in the end");
}

/* Over TCP nobody is told before the packets of the dead client pass again. */
static void killed(struct wire_device *device, struct wire_conn *quick,
		   struct wire_memory *memory, struct wire_random *random)
{
	const char *what = "a client that dies with Reads outstanding";
	unsigned long closed = counter("connections_closed");
	uint64_t sums[CALLS];
	struct wire_conn slow;

	wire_connect(device, &slow);
	build_up(&slow, memory, random, sums, 128, 64);
	result(others_are_served(quick), what, "another client is served at once");
	wire_disconnect(&slow);
	block(false);
	result(wait_closed(closed), what, "its connection is closed");
	result(null_call(quick, 1) <= AT_ONCE, what, "the thread serves on");
}

/* The answer to one call of @segments Reads. */
static enum wire_proc ask(struct wire_conn *conn, struct wire_memory *memory,
			  struct wire_random *random, unsigned int segments)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	size_t length;

	memory->used = 0;
	send_call(conn, memory, random, 5, segments, 64);
	if (wire_receive(conn, PATIENCE, bytes, &length) != WIRE_GOT ||
	    !wire_parse_reply(bytes, length, &reply))
		return WIRE_DONE;
	return reply.proc;
}

/*
 * With few credits the Send Queue is short. A Read takes one slot on rxe; siw
 * takes up to three, and has fewer regions than that.
 */
static void whole_queue(struct wire_device *device, struct wire_memory *memory,
			struct wire_random *random)
{
	const char *what = "the whole Send Queue";
	struct wire_conn conn;
	unsigned int slots, n;

	set_credits(4);
	wire_connect(device, &conn);
	slots = counter("newest_send_queue");
	for (n = 1; n < 150 && ask(&conn, memory, random, n) == WIRE_MSG; n++)
		;
	printf("# a Send Queue of %u takes calls of up to %u Reads\n", slots,
	       n - 1);
	result(siw ? n > slots / 4 : n == slots + 1,
	       what, "a call that needs exactly that is served");
	result(!conn.closed && ask(&conn, memory, random, n) == WIRE_ERROR,
	       what, "one that needs more is refused");
	result(ask(&conn, memory, random, n - 1) == WIRE_MSG, what,
	       "and the connection stays");
	wire_disconnect(&conn);
	set_credits(128);
}

int main(int argc, char **argv)
{
	struct wire_device device = { 0 }, slow_device = { 0 };
	struct wire_random random = { .state = 20261130 };
	struct wire_conn quick, slow;
	struct wire_memory memory;

	if (argc != 5)
		wire_die("usage: wire_async ADDRESS PORT rxe|siw SOURCE");
	source = argv[4];
	siw = !strcmp(argv[3], "siw");
	slow_device.source = source;
	slow_device.siw = siw;
	device.siw = siw;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (siw) {
		shell("ip rule add pref 100 lookup local%s", "");
		shell("ip rule del pref 0%s", "");
	}
	atexit(let_go);
	wire_open(&device, argv[1], atoi(argv[2]));
	wire_open(&slow_device, argv[1], atoi(argv[2]));
	wire_memory_init(&memory, &slow_device, 32 << 20, siw);
	wire_connect(&device, &quick);
	wire_connect(&slow_device, &slow);
	if (null_call(&quick, 1) == PATIENCE || null_call(&slow, 1) == PATIENCE)
		wire_die("not even NULL calls are answered");

	stalled(&slow, &quick, &memory, &random, 1, 4096, "16 Reads unanswered");
	stalled(&slow, &quick, &memory, &random, 128, 64, "a full Send Queue");
	killed(&slow_device, &quick, &memory, &random);
	whole_queue(&slow_device, &memory, &random);
	printf("1..%u\n", results);

	wire_disconnect(&slow);
	wire_disconnect(&quick);
	wire_memory_free(&memory);
	wire_shut(&slow_device);
	wire_shut(&device);
	return failures != 0;
}
