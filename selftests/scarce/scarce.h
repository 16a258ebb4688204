/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that can be made to fail, one by one. Included before everything
 * else when the transport is built for the suite svc_scarce.
 *
 * The names of the kernel's functions become macros, behind the headers that
 * use them. Symbol versions must not see that: test modules are built against
 * the package's own module.
 */
#ifndef RDMA_SHIM_TEST_SCARCE_H
#define RDMA_SHIM_TEST_SCARCE_H

#ifndef __GENKSYMS__
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>
#include <linux/sunrpc/xprt.h>
#include <rdma/rw.h>

/* One place in the source that asks for something. */
struct scarce_site {
	const char *file;
	int line;
	atomic_t asked;
	atomic_t failed;
	struct scarce_site *next;
	bool listed;
};

/* Is this request to fail? */
bool scarce_fails(struct scarce_site *site);
/* Counts what is there; returns @what. */
void *scarce_got(void *what);
void scarce_gave(const void *what);

static inline void *scarce_kmalloc(struct scarce_site *site, size_t size,
				   gfp_t flags)
{
	return scarce_fails(site) ? NULL : scarce_got(kmalloc(size, flags));
}

static inline void *scarce_kvzalloc(struct scarce_site *site, size_t size,
				    gfp_t flags)
{
	return scarce_fails(site) ? NULL : scarce_got(kvzalloc(size, flags));
}

static inline void *scarce_kvcalloc(struct scarce_site *site, size_t n,
				    size_t size, gfp_t flags)
{
	return scarce_fails(site) ? NULL :
	       scarce_got(kvcalloc(n, size, flags));
}

static inline void scarce_kfree(const void *what)
{
	scarce_gave(what);
	kfree(what);
}

static inline void scarce_kvfree(const void *what)
{
	scarce_gave(what);
	kvfree(what);
}

static inline struct ib_pd *scarce_alloc_pd(struct scarce_site *site,
					    struct ib_device *device)
{
	return scarce_fails(site) ? ERR_PTR(-ENOMEM) :
	       scarce_got(ib_alloc_pd(device, 0));
}

static inline void scarce_dealloc_pd(struct ib_pd *pd)
{
	scarce_gave(pd);
	ib_dealloc_pd(pd);
}

static inline struct ib_cq *scarce_alloc_cq(struct scarce_site *site,
					    struct ib_device *device,
					    void *private, int cqe,
					    enum ib_poll_context context)
{
	return scarce_fails(site) ? ERR_PTR(-ENOMEM) :
	       scarce_got(ib_alloc_cq_any(device, private, cqe, context));
}

static inline void scarce_free_cq(struct ib_cq *cq)
{
	scarce_gave(cq);
	ib_free_cq(cq);
}

static inline int scarce_create_qp(struct scarce_site *site,
				   struct rdma_cm_id *id, struct ib_pd *pd,
				   struct ib_qp_init_attr *attr)
{
	int ret = scarce_fails(site) ? -ENOMEM : rdma_create_qp(id, pd, attr);

	if (!ret)
		scarce_got(id->qp);
	return ret;
}

static inline void scarce_destroy_qp(struct rdma_cm_id *id)
{
	scarce_gave(id->qp);
	rdma_destroy_qp(id);
}

static inline int scarce_rw_init(struct scarce_site *site,
				 struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				 u32 port, struct scatterlist *sg, u32 nents,
				 u32 offset, u64 address, u32 rkey,
				 enum dma_data_direction dir)
{
	int ret = scarce_fails(site) ? -ENOMEM :
		  rdma_rw_ctx_init(ctx, qp, port, sg, nents, offset, address,
				   rkey, dir);

	if (ret >= 0)
		scarce_got(ctx);
	return ret;
}

static inline void scarce_rw_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				     u32 port, struct scatterlist *sg,
				     u32 nents, enum dma_data_direction dir)
{
	scarce_gave(ctx);
	rdma_rw_ctx_destroy(ctx, qp, port, sg, nents, dir);
}

/* rxe and siw map nothing, so nothing is to be unmapped. */
static inline int scarce_mapping_error(struct scarce_site *site,
				       struct ib_device *device, u64 address)
{
	return scarce_fails(site) ? -ENOMEM :
	       ib_dma_mapping_error(device, address);
}

static inline int scarce_post_recv(struct scarce_site *site, struct ib_qp *qp,
				   const struct ib_recv_wr *wr,
				   const struct ib_recv_wr **bad)
{
	return scarce_fails(site) ? -ENOMEM : ib_post_recv(qp, wr, bad);
}

#define SCARCE_SITE \
	({ static struct scarce_site site = { KBUILD_BASENAME, __LINE__ }; &site; })

#undef kmalloc
#undef kzalloc
#undef kvzalloc
#undef kvcalloc
#undef kfree
#undef kvfree
#undef ib_alloc_pd
#define kmalloc(size, flags)	scarce_kmalloc(SCARCE_SITE, size, flags)
#define kzalloc(size, flags) \
	scarce_kmalloc(SCARCE_SITE, size, (flags) | __GFP_ZERO)
#define kvzalloc(size, flags)	scarce_kvzalloc(SCARCE_SITE, size, flags)
#define kvcalloc(n, size, flags) \
	scarce_kvcalloc(SCARCE_SITE, n, size, flags)
#define kfree(what)		scarce_kfree(what)
#define kvfree(what)		scarce_kvfree(what)
#define ib_alloc_pd(device, flags)	scarce_alloc_pd(SCARCE_SITE, device)
#define ib_dealloc_pd(pd)		scarce_dealloc_pd(pd)
#define ib_alloc_cq_any(device, private, cqe, context) \
	scarce_alloc_cq(SCARCE_SITE, device, private, cqe, context)
#define ib_free_cq(cq)			scarce_free_cq(cq)
#define rdma_create_qp(id, pd, attr)	scarce_create_qp(SCARCE_SITE, id, pd, attr)
#define rdma_destroy_qp(id)		scarce_destroy_qp(id)
#define rdma_rw_ctx_init(...)		scarce_rw_init(SCARCE_SITE, __VA_ARGS__)
#define rdma_rw_ctx_destroy(...)	scarce_rw_destroy(__VA_ARGS__)
#define ib_dma_mapping_error(device, address) \
	scarce_mapping_error(SCARCE_SITE, device, address)
#define ib_post_recv(qp, wr, bad)	scarce_post_recv(SCARCE_SITE, qp, wr, bad)
#endif
#endif
