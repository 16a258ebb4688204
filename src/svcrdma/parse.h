/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RDMA_SHIM_SVC_PARSE_H
#define RDMA_SHIM_SVC_PARSE_H

#include <linux/types.h>

struct svc_rdma_pcl;

/* What to do with a message, from its transport header alone. */
enum rdma_shim_verdict {
	RDMA_SHIM_CALL,		/* hand its body on */
	RDMA_SHIM_IGNORE,	/* nothing is owed to the sender */
	RDMA_SHIM_BAD_VERSION,	/* answer ERR_VERS */
	RDMA_SHIM_BAD_CHUNK,	/* answer ERR_CHUNK */
	RDMA_SHIM_UNANSWERABLE,	/* close: not even an xid to answer to */
};

/**
 * struct rdma_shim_header - a transport header whose lists are well formed
 * @size: bytes, lists included
 * @credits: what the sender asks for, or grants
 * @nomsg: the body is in the call chunk
 * @reads: first word of the Read list
 * @writes: first word of the Write list
 * @reply: first word of the Reply chunk
 * @call_bytes: length of the call chunk
 * @read_bytes: length of all data chunks
 * @call_segments: segments at position zero
 * @read_segments: segments at other positions
 * @read_chunks: different positions other than zero
 * @write_chunks: entries of the Write list
 * @reply_chunks: 0 or 1
 */
struct rdma_shim_header {
	unsigned int size;
	u32 credits;
	bool nomsg;
	const __be32 *reads;
	const __be32 *writes;
	const __be32 *reply;
	u64 call_bytes;
	u64 read_bytes;
	unsigned int call_segments;
	unsigned int read_segments;
	unsigned int read_chunks;
	unsigned int write_chunks;
	unsigned int reply_chunks;
};

enum rdma_shim_verdict rdma_shim_parse(const __be32 *words, unsigned int bytes,
				       unsigned int max_segments,
				       struct rdma_shim_header *header);
unsigned int rdma_shim_rpc_header(const __be32 *words, unsigned int bytes);

/* Builders of chunk lists from words that rdma_shim_parse() has accepted. */
int rdma_shim_chunks_call(struct svc_rdma_pcl *pcl, const __be32 *reads);
int rdma_shim_chunks_read(struct svc_rdma_pcl *pcl, const __be32 *reads);
int rdma_shim_chunks_write(struct svc_rdma_pcl *pcl, const __be32 *p);

#endif
