// SPDX-License-Identifier: GPL-2.0
/*
 * A small RPC program. Its arguments are whatever follows the RPC header, so
 * that the message as the transport delivered it can be judged.
 *
 *	0 NULL
 *	1 SUM	-> length of the message as announced in rq_arg.len; length of
 *		its parts; length of the arguments; FNV-1a of them (two words)
 *	2 ECHO	-> the arguments as opaque<>; length 0xffffffff and nothing else
 *		if that is more than a reply, or its Write chunk, can hold
 */
#include <linux/sunrpc/xdr.h>

#include "svc_kernel.h"
#include "svc_test.h"

#define PROGRAM	0x2000bead

enum { PROC_NULL, PROC_SUM, PROC_ECHO, PROCS };

atomic_t svc_echo_served = ATOMIC_INIT(0);

/* What pg_authenticate saw, kept in rq_argp. */
struct seen {
	u32 announced;
	u32 parts;
};

static u32 parts_of(const struct xdr_buf *buf)
{
	return buf->head[0].iov_len + buf->page_len + buf->tail[0].iov_len;
}

static SVC_K_AUTH authenticate(struct svc_rqst *rqstp)
{
	struct seen *seen = rqstp->rq_argp;

	seen->announced = rqstp->rq_arg.len;
	seen->parts = parts_of(&rqstp->rq_arg);
	return SVC_OK;
}

static bool sum_bytes(const struct xdr_buf *buf, unsigned int at, u64 *sum)
{
	unsigned int part, i;
	u8 bytes[256];

	*sum = 0xcbf29ce484222325ULL;
	for (; at < buf->len; at += part) {
		part = min_t(unsigned int, sizeof(bytes), buf->len - at);
		if (read_bytes_from_xdr_buf((struct xdr_buf *)buf, at, bytes,
					    part))
			return false;
		for (i = 0; i < part; i++)
			*sum = (*sum ^ bytes[i]) * 0x100000001b3ULL;
	}
	return true;
}

static bool put_sum(struct svc_rqst *rqstp, unsigned int at)
{
	const struct seen *seen = rqstp->rq_argp;
	__be32 *p;
	u64 sum;

	if (!sum_bytes(&rqstp->rq_arg, at, &sum))
		return false;
	p = xdr_reserve_space(&rqstp->rq_res_stream, 5 * sizeof(*p));
	if (!p)
		return false;
	*p++ = cpu_to_be32(seen->announced);
	*p++ = cpu_to_be32(seen->parts);
	*p++ = cpu_to_be32(rqstp->rq_arg.len - at);
	*p++ = cpu_to_be32(sum >> 32);
	*p = cpu_to_be32(sum);
	return true;
}

/* In pieces that never ask for more than a page at a time. */
static bool put_bytes(struct svc_rqst *rqstp, unsigned int at)
{
	struct xdr_buf *arg = &rqstp->rq_arg;
	unsigned int part;
	u8 bytes[256];
	__be32 *p;

	for (; at < arg->len; at += part) {
		part = min_t(unsigned int, sizeof(bytes), arg->len - at);
		memset(bytes, 0, sizeof(bytes));
		if (read_bytes_from_xdr_buf(arg, at, bytes, part))
			return false;
		p = xdr_reserve_space(&rqstp->rq_res_stream, ALIGN(part, 4));
		if (!p)
			return false;
		memcpy(p, bytes, ALIGN(part, 4));
	}
	xdr_commit_encode(&rqstp->rq_res_stream);
	return true;
}

static bool put_echo(struct svc_rqst *rqstp, unsigned int at)
{
	struct xdr_stream *xdr = &rqstp->rq_res_stream;
	unsigned int length = rqstp->rq_arg.len - at;
	bool fits = length + PAGE_SIZE <= xdr->buf->buflen;
	unsigned int start;
	__be32 *p;

	p = xdr_reserve_space(xdr, sizeof(*p));
	if (!p)
		return false;
	*p = cpu_to_be32(fits ? length : U32_MAX);
	start = xdr->buf->len;
	if (!fits)
		return true;
	if (!put_bytes(rqstp, at))
		return false;
	rqstp->rq_next_page = xdr->page_ptr + 1;
	if (svc_encode_result_payload(rqstp, start, length)) {
		*p = cpu_to_be32(U32_MAX);
		xdr_truncate_encode(xdr, start);
	}
	return true;
}

static int answer(struct svc_rqst *rqstp, unsigned int at)
{
	atomic_inc(&svc_echo_served);
	switch (rqstp->rq_proc) {
	case PROC_SUM:
		return put_sum(rqstp, at);
	case PROC_ECHO:
		return put_echo(rqstp, at);
	default:
		return 1;
	}
}

static int __maybe_unused dispatch(struct svc_rqst *rqstp)
{
	return answer(rqstp, xdr_stream_pos(&rqstp->rq_arg_stream));
}

static int __maybe_unused prepare_and_dispatch(struct svc_rqst *rqstp,
					       __be32 *status)
{
	/* The parts of the RPC header that were read are gone from the head. */
	rqstp->rq_arg.len = parts_of(&rqstp->rq_arg);
	svcxdr_init_encode(rqstp);
	return answer(rqstp, 0);
}

static bool encode_nothing(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	return true;
}

static __be32 done(struct svc_rqst *rqstp)
{
	return rpc_success;
}

static const struct svc_procedure procedures[PROCS] = {
	[PROC_NULL] = {
		.pc_func = done, .pc_encode = encode_nothing, .pc_name = "NULL",
	},
	[PROC_SUM] = {
		.pc_func = done, .pc_encode = encode_nothing, .pc_name = "SUM",
	},
	[PROC_ECHO] = {
		.pc_func = done, .pc_encode = encode_nothing, .pc_name = "ECHO",
	},
};

/* Does without the counters that each kernel wants in another place. */
static __be32 init_request(struct svc_rqst *rqstp,
			   const struct svc_program *program,
			   struct svc_process_info *process)
{
	if (rqstp->rq_vers != 1) {
		process->mismatch.lovers = 1;
		process->mismatch.hivers = 1;
		return rpc_prog_mismatch;
	}
	if (rqstp->rq_proc >= PROCS)
		return rpc_proc_unavail;
	rqstp->rq_procinfo = &procedures[rqstp->rq_proc];
	process->dispatch = SVC_K_DISPATCHER(prepare_and_dispatch, dispatch);
	return rpc_success;
}

static const struct svc_version version = {
	.vs_vers	= 1,
	.vs_nproc	= PROCS,
	.vs_proc	= procedures,
	.vs_xdrsize	= sizeof(struct seen),
	.vs_hidden	= true,
};

static const struct svc_version *versions[] = { NULL, &version };

struct svc_program svc_echo_program = {
	.pg_prog		= PROGRAM,
	.pg_nvers		= ARRAY_SIZE(versions),
	.pg_vers		= versions,
	.pg_name		= "rdma-shim-echo",
	.pg_class		= "rdma-shim-echo",
	.pg_authenticate	= authenticate,
	.pg_init_request	= init_request,
	.pg_rpcbind_set		= svc_generic_rpcbind_set,
};
