// SPDX-License-Identifier: GPL-2.0
/*
 * usage: wire_many ADDRESS PORT rxe|siw SOURCE hold|storm|ask|stall COUNT
 *		    [nfs] [elsewhere]
 *
 * hold	COUNT connections that call, one after another, until all of them are
 *	closed; says "holding" when each had its first answer.
 * storm	COUNT connections that are dropped at once and come again, five times
 *	over; each must be served.
 * ask	COUNT calls on one connection; says how long the slowest one took.
 * stall	COUNT calls at once, which need more slots than there are. Then it
 *	runs $STALL, or breaks its queue pair, says "stalled", and waits for a
 *	line. After that all calls must be answered, on a new connection if
 *	the server has closed this one.
 *
 * The calls are for the program of the test module, or with "nfs" for NFSD,
 * whose NULL procedure does not mind arguments. Both must be served by this
 * package's transport on this machine; "elsewhere" says that it is on another
 * one.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/memory.h"

enum {
	MOST = 64,
	ROUNDS = 5,
	REPLY_TIME = 20000,	/* milliseconds */
	ARGUMENTS = 16384,	/* bytes of each Read */
	STALL_READS = 16,	/* Reads of each call that is to wait */
	NFS_PROGRAM = 100003,
	NFS_VERSION = 3,
};

static bool nfs, elsewhere;
static struct wire_conn conns[MOST];
static struct wire_segment arguments;

static bool portlist_has(const char *class, int port)
{
	FILE *file = fopen("/proc/fs/nfsd/portlist", "r");
	char name[32];
	bool found = false;
	int number;

	while (file && fscanf(file, "%31s %d", name, &number) == 2)
		found |= !strcmp(name, class) && number == port;
	if (file)
		fclose(file);
	return found;
}

static void refuse_strangers(int port)
{
	if (elsewhere)
		return;
	if (nfs ? !portlist_has("rdma-shim", port) :
	    access("/sys/module/rdma_shim_svc_test", F_OK))
		wire_die("not against anything but the transport of this package");
}

static void send_call(struct wire_conn *conn, uint32_t xid, unsigned int reads)
{
	static struct wire_message m;
	uint8_t call[WIRE_RPC_BYTES];
	uint32_t words[] = { htonl(NFS_PROGRAM), htonl(NFS_VERSION) };

	wire_rpc_call(call, xid, nfs ? WIRE_NULL : WIRE_SUM);
	if (nfs)
		memcpy(call + 12, words, sizeof(words));
	wire_header(&m, xid, 1, 32, WIRE_MSG);
	while (reads--)
		wire_read(&m, WIRE_RPC_BYTES, &arguments);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_word(&m, 0);
	wire_bytes(&m, call, sizeof(call));
	wire_send(conn, m.bytes, m.length);
}

/* Once it is closed, or silent for too long, it stays closed. */
static bool answered(struct wire_conn *conn, uint32_t xid, uint64_t until)
{
	uint64_t now = wire_now();
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	enum wire_end end;
	size_t length;

	end = wire_receive(conn, until > now ? until - now : 1, bytes, &length);
	if (end == WIRE_NOTHING)
		printf("# call %u: no answer\n", xid);
	if (end == WIRE_GOT && wire_parse_reply(bytes, length, &reply) &&
	    reply.xid == xid && reply.proc == WIRE_MSG)
		return true;
	conn->closed = true;
	return false;
}

/* One call on each that is open; how many were answered. */
static unsigned int one_round(unsigned int count, uint32_t xid)
{
	unsigned int i, good = 0;
	uint64_t until;

	for (i = 0; i < count; i++)
		if (!conns[i].closed)
			send_call(&conns[i], xid, 1);
	until = wire_now() + REPLY_TIME;
	for (i = 0; i < count; i++)
		good += !conns[i].closed && answered(&conns[i], xid, until);
	return good;
}

static unsigned int connect_all(struct wire_device *device, unsigned int count)
{
	unsigned int i, good = 0;

	for (i = 0; i < count; i++)
		good += !wire_try_connect(device, &conns[i]);
	return good;
}

static int hold(struct wire_device *device, unsigned int count)
{
	unsigned int calls = 0, good, i;

	if (connect_all(device, count) != count || one_round(count, 1) != count)
		wire_die("not all of %u connections are served", count);
	printf("holding %u\n", count);
	do {
		good = one_round(count, 2 + calls / count);
		calls += good;
		usleep(1000);
	} while (good);
	for (i = 0; i < count; i++)
		wire_disconnect(&conns[i]);
	printf("released after %u calls\n", calls);
	return 0;
}

static int storm(struct wire_device *device, unsigned int count)
{
	unsigned int round, i, good;
	uint64_t begun = wire_now();

	for (round = 1; round <= ROUNDS; round++) {
		good = connect_all(device, count);
		if (good != count)
			printf("# round %u: %u of %u connect\n", round, good,
			       count);
		good = one_round(count, round);
		if (good != count)
			wire_die("round %u: %u of %u are served", round, good,
				 count);
		/* With calls on the way, which nobody waits for. */
		for (i = 0; i < count; i++)
			send_call(&conns[i], 100 + round, 1);
		for (i = 0; i < count; i++)
			wire_disconnect(&conns[i]);
	}
	printf("served %u times %u in %lu ms\n", ROUNDS, count,
	       (unsigned long)(wire_now() - begun));
	return 0;
}

static int ask(struct wire_device *device, unsigned int count)
{
	uint64_t begun, took, slowest = 0;
	unsigned int i;

	if (connect_all(device, 1) != 1)
		wire_die("no connection: %s", conns[0].answer);
	/* The first message of a connection can lie in siw for a while. */
	if (one_round(1, count + 1) != 1)
		wire_die("the first call is not served");
	for (i = 1; i <= count; i++) {
		begun = wire_now();
		if (one_round(1, i) != 1)
			wire_die("call %u is not served", i);
		took = wire_now() - begun;
		slowest = took > slowest ? took : slowest;
		usleep(100000);
	}
	printf("slowest %lu ms\n", (unsigned long)slowest);
	wire_disconnect(&conns[0]);
	return 0;
}

/* The server gets no answer from here any more. */
static void stall_here(struct wire_conn *conn)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	const char *command = getenv("STALL");

	if (command ? system(command) :
	    ibv_modify_qp(conn->id->qp, &attr, IBV_QP_STATE))
		wire_die("the connection cannot be stalled");
}

/* In any order; how many of the calls from 1 to @count are answered. */
static unsigned int answers(struct wire_conn *conn, unsigned int count)
{
	uint8_t bytes[WIRE_INLINE];
	struct wire_reply reply;
	unsigned int good = 0;
	size_t length;

	while (good < count &&
	       wire_receive(conn, 3 * REPLY_TIME, bytes, &length) == WIRE_GOT)
		good += wire_parse_reply(bytes, length, &reply) &&
			reply.proc == WIRE_MSG;
	return good;
}

static void send_calls(struct wire_conn *conn, unsigned int count)
{
	unsigned int i;

	for (i = 1; i <= count; i++)
		send_call(conn, i, STALL_READS);
	wire_flush(conn);
}

static int stall(struct wire_device *device, unsigned int count)
{
	struct wire_conn *conn = &conns[0];
	unsigned int good;
	char line[16];

	if (connect_all(device, 1) != 1)
		wire_die("no connection: %s", conns[0].answer);
	send_calls(conn, count);
	stall_here(conn);
	printf("stalled %u\n", count);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	good = getenv("STALL") ? answers(conn, count) : 0;
	printf("%u of %u are answered\n", good, count);
	if (good < count) {
		wire_disconnect(conn);
		wire_connect(device, conn);
		send_calls(conn, count);
		good = answers(conn, count);
		printf("%u of %u are answered on a new connection\n", good,
		       count);
	}
	wire_disconnect(conn);
	return good != count;
}

static const struct {
	const char *name;
	int (*run)(struct wire_device *device, unsigned int count);
} modes[] = {
	{ "hold", hold }, { "storm", storm }, { "ask", ask }, { "stall", stall },
};

int main(int argc, char **argv)
{
	struct wire_random random = { .state = 20261130 };
	struct wire_device device = { 0 };
	struct wire_memory memory;
	unsigned int count;
	int i;

	if (argc < 7)
		wire_die("usage: wire_many ADDRESS PORT rxe|siw SOURCE MODE COUNT [FLAGS]");
	for (i = 7; i < argc; i++) {
		nfs |= !strcmp(argv[i], "nfs");
		elsewhere |= !strcmp(argv[i], "elsewhere");
	}
	refuse_strangers(atoi(argv[2]));
	count = atoi(argv[6]);
	if (!count || count > MOST)
		wire_die("from 1 to %d connections", MOST);
	setvbuf(stdout, NULL, _IOLBF, 0);
	device.siw = !strcmp(argv[3], "siw");
	device.source = argv[4];
	wire_open(&device, argv[1], atoi(argv[2]));
	wire_memory_init(&memory, &device, 1 << 20, device.siw);
	wire_fill(&random, wire_place(&memory, &random, ARGUMENTS, NULL, 0,
				      &arguments), ARGUMENTS);
	for (i = 0; i < (int)(sizeof(modes) / sizeof(*modes)); i++)
		if (!strcmp(argv[5], modes[i].name))
			return modes[i].run(&device, count);
	wire_die("%s is not one of hold, storm, ask and stall", argv[5]);
}
