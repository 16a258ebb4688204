// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conn.h"

#define KNOCK_TIME	2000	/* milliseconds */
#define CONNECT_TIME	20000	/* milliseconds; a guest may be slow */

/* What RFC 8797 puts into the connect request. */
struct private_data {
	uint32_t magic;
	uint8_t version;
	uint8_t flags;
	uint8_t send_size;
	uint8_t recv_size;
};

void wire_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("# ", stderr);
	vfprintf(stderr, format, args);
	fputs("\n", stderr);
	va_end(args);
	exit(1);
}

uint64_t wire_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static struct sockaddr_in address_of(const char *address, int port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};

	if (address && inet_pton(AF_INET, address, &in.sin_addr) != 1)
		wire_die("%s is not an IPv4 address", address);
	return in;
}

/* The next event of the connection manager; -1 if none comes in time. */
static int next_event(struct rdma_event_channel *events, int milliseconds)
{
	struct pollfd fd = { .fd = events->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	int type;

	if (poll(&fd, 1, milliseconds) != 1 || rdma_get_cm_event(events, &event))
		return -1;
	type = event->event;
	rdma_ack_cm_event(event);
	return type;
}

static int resolve(struct wire_device *device, struct rdma_event_channel *events,
		   struct rdma_cm_id *id)
{
	struct sockaddr_in to = address_of(device->address, device->port);
	struct sockaddr_in from = address_of(device->source, 0);

	if (rdma_resolve_addr(id, device->source ? (struct sockaddr *)&from :
			      NULL, (struct sockaddr *)&to, CONNECT_TIME))
		return -1;
	if (next_event(events, CONNECT_TIME) != RDMA_CM_EVENT_ADDR_RESOLVED)
		return -1;
	if (rdma_resolve_route(id, CONNECT_TIME))
		return -1;
	if (next_event(events, CONNECT_TIME) != RDMA_CM_EVENT_ROUTE_RESOLVED)
		return -1;
	return 0;
}

void wire_open(struct wire_device *device, const char *address, int port)
{
	device->address = address;
	device->port = port;
	device->events = rdma_create_event_channel();
	if (!device->events ||
	    rdma_create_id(device->events, &device->id, NULL, RDMA_PS_TCP))
		wire_die("no connection manager: load rdma_ucm");
	if (resolve(device, device->events, device->id))
		wire_die("no RDMA device leads to %s", address);
	device->pd = ibv_alloc_pd(device->id->verbs);
	if (!device->pd)
		wire_die("no protection domain: %s", strerror(errno));
}

void wire_shut(struct wire_device *device)
{
	ibv_dealloc_pd(device->pd);
	rdma_destroy_id(device->id);
	rdma_destroy_event_channel(device->events);
}

struct ibv_mr *wire_register(struct wire_device *device, void *memory,
			     size_t bytes)
{
	struct ibv_mr *mr;

	mr = ibv_reg_mr(device->pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		wire_die("%zu bytes cannot be registered: %s", bytes,
			 strerror(errno));
	return mr;
}

static int post_receive(struct wire_conn *conn, unsigned int i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(conn->buffers + i * WIRE_INLINE),
		.length = WIRE_INLINE,
		.lkey = conn->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1,
	};

	return ibv_post_recv(conn->id->qp, &wr, &bad);
}

static void make_queues(struct wire_conn *conn)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = 4,
			.max_recv_wr = WIRE_RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	size_t bytes = (WIRE_RECEIVES + 1) * WIRE_INLINE;
	unsigned int i;

	/* Not every library says why it fails. */
	errno = 0;
	conn->completions = ibv_create_comp_channel(conn->id->verbs);
	if (!conn->completions)
		wire_die("no completion channel: %s", strerror(errno));
	conn->cq = ibv_create_cq(conn->id->verbs, WIRE_RECEIVES + 8, NULL,
				 conn->completions, 0);
	if (!conn->cq)
		wire_die("no completion queue: %s", strerror(errno));
	if (ibv_req_notify_cq(conn->cq, 0))
		wire_die("a completion queue cannot notify");
	conn->sent = ibv_create_cq(conn->id->verbs, 8, NULL, NULL, 0);
	if (!conn->sent)
		wire_die("no completion queue: %s", strerror(errno));
	attr.send_cq = conn->sent;
	attr.recv_cq = conn->cq;
	if (rdma_create_qp(conn->id, conn->device->pd, &attr))
		wire_die("no queue pair: %s", strerror(errno));
	conn->buffers = aligned_alloc(WIRE_INLINE, bytes);
	if (!conn->buffers)
		wire_die("no memory");
	conn->mr = ibv_reg_mr(conn->device->pd, conn->buffers, bytes,
			      IBV_ACCESS_LOCAL_WRITE);
	if (!conn->mr)
		wire_die("buffers cannot be registered: %s", strerror(errno));
	for (i = 0; i < WIRE_RECEIVES; i++)
		if (post_receive(conn, i))
			wire_die("a receive cannot be posted");
}

void wire_prepare(struct wire_device *device, struct wire_conn *conn)
{
	memset(conn, 0, sizeof(*conn));
	conn->device = device;
	conn->events = rdma_create_event_channel();
	if (!conn->events ||
	    rdma_create_id(conn->events, &conn->id, NULL, RDMA_PS_TCP))
		wire_die("no id of the connection manager: %s", strerror(errno));
	if (resolve(device, conn->events, conn->id))
		wire_die("the address of %s is not known any more", device->address);
	make_queues(conn);
}

/* To what was asked for, unless it is granted. */
static const char *answer_of(struct wire_conn *conn)
{
	int event = next_event(conn->events, CONNECT_TIME);

	if (event == RDMA_CM_EVENT_ESTABLISHED)
		return NULL;
	return event < 0 ? "no answer" : rdma_event_str(event);
}

int wire_join(struct wire_conn *conn)
{
	struct private_data offer = {
		.magic = htonl(0xf6ab0e18),
		.version = 1,
		.send_size = WIRE_INLINE / 1024 - 1,
		.recv_size = WIRE_INLINE / 1024 - 1,
	};
	struct rdma_conn_param param = {
		.private_data = &offer,
		.private_data_len = sizeof(offer),
		.responder_resources = 16,
		.retry_count = 6,	/* 7 is without end on rxe */
		.rnr_retry_count = 7,
	};

	if (rdma_connect(conn->id, &param))
		conn->answer = "rdma_connect() fails";
	else
		conn->answer = answer_of(conn);
	conn->closed = conn->answer;
	return conn->closed ? -1 : 0;
}

int wire_try_connect(struct wire_device *device, struct wire_conn *conn)
{
	wire_prepare(device, conn);
	return wire_join(conn);
}

void wire_connect(struct wire_device *device, struct wire_conn *conn)
{
	if (wire_try_connect(device, conn))
		wire_die("port %d of %s does not accept a connection",
			 device->port, device->address);
}

/* Takes one completion; WIRE_GOT is a message. */
static enum wire_end take_completion(struct wire_conn *conn, void *bytes,
				     size_t *length)
{
	struct ibv_wc wc;

	if (ibv_poll_cq(conn->cq, 1, &wc) != 1)
		return WIRE_NOTHING;
	if (wc.status != IBV_WC_SUCCESS) {
		conn->closed = true;
		return WIRE_CLOSED;
	}
	conn->heard = true;
	*length = wc.byte_len;
	memcpy(bytes, conn->buffers + wc.wr_id * WIRE_INLINE, wc.byte_len);
	post_receive(conn, wc.wr_id);
	return WIRE_GOT;
}

static void wait_for_either(struct wire_conn *conn, int milliseconds)
{
	struct pollfd fds[] = {
		{ .fd = conn->completions->fd, .events = POLLIN },
		{ .fd = conn->events->fd, .events = POLLIN },
	};
	struct ibv_cq *cq;
	void *context;

	if (poll(fds, 2, milliseconds) < 1)
		return;
	if (fds[0].revents & POLLIN) {
		ibv_get_cq_event(conn->completions, &cq, &context);
		ibv_ack_cq_events(cq, 1);
		ibv_req_notify_cq(cq, 0);
	}
	if (fds[1].revents & POLLIN &&
	    next_event(conn->events, 0) != RDMA_CM_EVENT_ESTABLISHED)
		conn->closed = true;
}

/*
 * siw's accept sends its answer before it listens for messages: what comes in
 * between lies in the socket until more comes. A DONE has no other effect.
 */
static void knock(struct wire_conn *conn)
{
	uint32_t done[] = { 0, htonl(1), htonl(32), htonl(3), 0, 0, 0 };

	printf("# siw did not see the first message at once\n");
	conn->heard = true;
	wire_send(conn, done, sizeof(done));
}

static enum wire_end receive_until(struct wire_conn *conn, uint64_t end,
				   void *bytes, size_t *length)
{
	enum wire_end got;
	uint64_t now;

	for (;;) {
		got = take_completion(conn, bytes, length);
		if (got)
			return got;
		if (conn->closed)
			return WIRE_CLOSED;
		now = wire_now();
		if (now >= end)
			return WIRE_NOTHING;
		wait_for_either(conn, end - now);
	}
}

enum wire_end wire_receive(struct wire_conn *conn, int milliseconds,
			   void *bytes, size_t *length)
{
	uint64_t end = wire_now() + milliseconds;
	enum wire_end got;

	if (conn->device->siw && !conn->heard && milliseconds > KNOCK_TIME) {
		got = receive_until(conn, wire_now() + KNOCK_TIME, bytes,
				    length);
		if (got)
			return got;
		knock(conn);
	}
	return receive_until(conn, end, bytes, length);
}

/* Whatever arrives meanwhile is not looked at. */
enum wire_end wire_wait_closed(struct wire_conn *conn, int milliseconds)
{
	uint64_t end = wire_now() + milliseconds, now;
	uint8_t bytes[WIRE_INLINE];
	size_t length;

	while ((now = wire_now()) < end)
		if (wire_receive(conn, end - now, bytes, &length) == WIRE_CLOSED)
			return WIRE_CLOSED;
	return WIRE_NOTHING;
}

void wire_flush(struct wire_conn *conn)
{
	uint64_t end = wire_now() + CONNECT_TIME;
	struct ibv_wc wc;

	while (conn->sending && !conn->closed) {
		if (ibv_poll_cq(conn->sent, 1, &wc) == 1) {
			conn->closed = wc.status != IBV_WC_SUCCESS;
			conn->sending = false;
		} else if (next_event(conn->events, 0) > 0 ||
			   wire_now() > end) {
			conn->closed = true;
		}
	}
}

void wire_send(struct wire_conn *conn, const void *bytes, size_t length)
{
	uint8_t *buffer = conn->buffers + WIRE_RECEIVES * WIRE_INLINE;
	struct ibv_sge sge = {
		.addr = (uintptr_t)buffer,
		.length = length,
		.lkey = conn->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};

	/* The buffer is in use until the Send before is complete. */
	wire_flush(conn);
	if (conn->closed)
		return;
	memcpy(buffer, bytes, length);
	if (ibv_post_send(conn->id->qp, &wr, &bad))
		conn->closed = true;
	else
		conn->sending = true;
}

void wire_disconnect(struct wire_conn *conn)
{
	rdma_disconnect(conn->id);
	rdma_destroy_qp(conn->id);
	ibv_destroy_cq(conn->cq);
	ibv_destroy_cq(conn->sent);
	ibv_destroy_comp_channel(conn->completions);
	ibv_dereg_mr(conn->mr);
	free(conn->buffers);
	rdma_destroy_id(conn->id);
	rdma_destroy_event_channel(conn->events);
}
