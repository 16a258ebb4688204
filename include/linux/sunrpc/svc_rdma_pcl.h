/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parsed chunk lists with Linux 7.3's interface. No kernel exports its own, so
 * this file replaces the kernel's (absent in 5.10) on all of them.
 *
 * The chunks of a list are in the order of their positions (Read) or of the
 * wire (Write).
 */
#ifndef SVC_RDMA_PCL_H
#define SVC_RDMA_PCL_H

#include <linux/list.h>
#include <linux/sunrpc/xdr.h>
#include <linux/types.h>

#define pcl_free		rdma_shim_pcl_free
#define pcl_alloc_call		rdma_shim_pcl_alloc_call
#define pcl_alloc_read		rdma_shim_pcl_alloc_read
#define pcl_alloc_write		rdma_shim_pcl_alloc_write
#define pcl_check_read_chunk_positions \
				rdma_shim_pcl_check_read_chunk_positions
#define pcl_process_nonpayloads	rdma_shim_pcl_process_nonpayloads

struct svc_rdma_segment {
	u32			rs_handle;
	u32			rs_length;
	u64			rs_offset;
};

struct svc_rdma_chunk {
	struct list_head	ch_list;

	u32			ch_position;
	u32			ch_length;
	u32			ch_payload_length;

	u32			ch_segcount;
	struct svc_rdma_segment	ch_segments[];
};

struct svc_rdma_pcl {
	unsigned int		cl_count;
	struct list_head	cl_chunks;
};

static inline void pcl_init(struct svc_rdma_pcl *pcl)
{
	INIT_LIST_HEAD(&pcl->cl_chunks);
}

static inline bool pcl_is_empty(const struct svc_rdma_pcl *pcl)
{
	return list_empty(&pcl->cl_chunks);
}

static inline struct svc_rdma_chunk *
pcl_first_chunk(const struct svc_rdma_pcl *pcl)
{
	if (pcl_is_empty(pcl))
		return NULL;
	return list_first_entry(&pcl->cl_chunks, struct svc_rdma_chunk,
				ch_list);
}

static inline struct svc_rdma_chunk *
pcl_next_chunk(const struct svc_rdma_pcl *pcl, struct svc_rdma_chunk *chunk)
{
	if (chunk->ch_list.next == &pcl->cl_chunks)
		return NULL;
	return list_next_entry(chunk, ch_list);
}

#define pcl_for_each_chunk(pos, pcl) \
	list_for_each_entry(pos, &(pcl)->cl_chunks, ch_list)

#define pcl_for_each_segment(pos, chunk) \
	for (pos = (chunk)->ch_segments; \
	     pos < (chunk)->ch_segments + (chunk)->ch_segcount; pos++)

/* Where the bytes after @chunk's payload and its XDR pad begin. */
static inline unsigned int
pcl_chunk_end_offset(const struct svc_rdma_chunk *chunk)
{
	return (chunk->ch_position + chunk->ch_payload_length + 3) & ~3U;
}

struct svc_rdma_recv_ctxt;

void pcl_free(struct svc_rdma_pcl *pcl);
bool pcl_alloc_call(struct svc_rdma_recv_ctxt *rctxt, __be32 *p);
bool pcl_alloc_read(struct svc_rdma_recv_ctxt *rctxt, __be32 *p);
bool pcl_alloc_write(struct svc_rdma_recv_ctxt *rctxt,
		     struct svc_rdma_pcl *pcl, __be32 *p);
bool pcl_check_read_chunk_positions(struct svc_rdma_recv_ctxt *rctxt,
				    unsigned int inline_len);
int pcl_process_nonpayloads(const struct svc_rdma_pcl *pcl,
			    const struct xdr_buf *xdr,
			    int (*actor)(const struct xdr_buf *xdr, void *data),
			    void *data);

#endif
