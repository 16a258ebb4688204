// SPDX-License-Identifier: GPL-2.0
/*
 * ib_map_mr_sg() and its siblings: check, decide the prefix, let the driver
 * map exactly that, report what the region covers.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "verbs/lookup.h"
#include "verbs/present.h"
#include "verbs/whole.h"

/**
 * struct map_request - one call, from its arguments to what the driver is asked
 * @mr: the region
 * @sg: the caller's list
 * @sg_nents: its elements
 * @offset: where in the first element the region starts
 * @page_size: as the caller gave it
 * @driver: how the driver has to be used
 * @region: the record of @mr or NULL
 * @prefix: what of the list is mapped
 */
struct map_request {
	struct ib_mr *mr;
	struct scatterlist *sg;
	int sg_nents;
	unsigned int offset;
	unsigned int page_size;
	const struct rdma_shim_driver *driver;
	struct rdma_shim_region *region;
	struct rdma_shim_prefix prefix;
};

/* sg_next() without the call, for a list that goes on. */
static inline struct scatterlist *following(struct scatterlist *sg)
{
	sg++;
	if (unlikely(sg_is_chain(sg))) {
		/* Looked at again here, which spares all others a copy. */
		barrier();
		sg = sg_chain_ptr(sg);
	}
	return sg;
}

static bool has_gaps(const struct ib_mr *mr)
{
	return mr->type == IB_MR_TYPE_SG_GAPS;
}

static int check_arguments(const struct map_request *req)
{
	if (!req->sg || req->sg_nents <= 0)
		return -EINVAL;
	if (!has_gaps(req->mr) && !is_power_of_2(req->page_size))
		return -EINVAL;
	if (req->offset >= sg_dma_len(req->sg))
		return -EINVAL;
	return 0;
}

/* What the driver would allocate; refused before it tries and fails (M9). */
static int check_table(const struct map_request *req)
{
	const struct rdma_shim_region *region = req->region;
	u64 bytes;

	if (req->page_size <= PAGE_SIZE || !req->driver->table_entry)
		return 0;
	bytes = (u64)(req->page_size >> PAGE_SHIFT) * req->driver->table_entry;
	/* Without a record: what 2 MiB pages take is the most that is asked. */
	if (!region)
		return req->page_size > SZ_2M ? -EINVAL : 0;
	return bytes * region->max_num_sg > RDMA_SHIM_TABLE_MAX ? -EINVAL : 0;
}

/* At most @most elements; in a copy, which the compiler keeps in registers. */
static void take_prefix(struct map_request *req, u64 capacity,
			unsigned int most)
{
	struct rdma_shim_prefix p = req->prefix;
	struct scatterlist *sg = req->sg;
	bool whole;

	most = min_t(unsigned int, most, req->sg_nents);
	whole = rdma_shim_prefix_start(&p, capacity, sg_dma_address(sg),
				       sg_dma_len(sg), req->offset);
	while (whole && p.nents < most) {
		sg = following(sg);
		whole = rdma_shim_prefix_add(&p, sg_dma_address(sg),
					     sg_dma_len(sg));
	}
	rdma_shim_prefix_finish(&p);
	req->prefix = p;
}

static int decide_prefix(struct map_request *req)
{
	const struct rdma_shim_region *region = req->region;
	struct rdma_shim_prefix *p = &req->prefix;
	unsigned int most = UINT_MAX;
	u64 capacity = U64_MAX;

	p->page_mask = req->page_size - 1;
	if (has_gaps(req->mr)) {
		p->page_mask = 0;
		/* mlx5 counts the elements of such a list in 16 bits. */
		most = region ? region->max_num_sg : U16_MAX;
	} else if (region) {
		capacity = (u64)region->max_num_sg * req->page_size;
	}
	if (!most)
		return -EINVAL;

	take_prefix(req, min(capacity, req->driver->max_bytes), most);
	if (!p->length)
		return -EINVAL;
	if (p->page_mask + 1 < req->driver->min_page_size &&
	    !has_gaps(req->mr) && p->runs > 1)
		return -EINVAL;
	return 0;
}

/*
 * The region must not look usable over a table of which nothing is known. A
 * driver that failed to enlarge its table has none now (rxe from 6.12.117 on)
 * and follows a NULL pointer when it is called again. A length of 0 beside the
 * larger page size marks that, for it has to be known of regions without a
 * record too.
 */
static int driver_failed(struct ib_mr *mr,
			 const struct rdma_shim_driver *driver, int ret)
{
	mr->length = 0;
	if (ret != -ENOMEM || !driver->table_entry)
		mr->page_size = PAGE_SIZE;
	return ret;
}

static bool table_lost(const struct map_request *req)
{
	return req->driver->table_entry && !req->mr->length &&
	       req->mr->page_size > PAGE_SIZE;
}

/*
 * The driver stopped early. It may do so where we could not know the region's
 * capacity; what it accounted for then says where, to the byte.
 */
static int driver_stopped(struct map_request *req)
{
	u64 length = req->mr->length;

	if (req->region || !length || length >= req->prefix.length)
		return driver_failed(req->mr, req->driver, -EINVAL);

	take_prefix(req, length + (req->prefix.iova & req->prefix.page_mask),
		    UINT_MAX);
	return 0;
}

static int call_driver(struct map_request *req)
{
	struct rdma_shim_present present;
	struct ib_mr *mr = req->mr;
	int ret;

	ret = rdma_shim_present(&present, &req->prefix, req->driver,
				req->region, req->sg, req->offset);
	if (ret)
		return ret;

	mr->page_size = max(req->page_size, req->driver->min_page_size);
	ret = mr->device->ops.map_mr_sg(mr, present.sg, present.nents,
					&present.offset);
	if (ret < 0)
		return driver_failed(req->mr, req->driver, ret);
	if (ret != present.nents || mr->length != req->prefix.length)
		return driver_stopped(req);
	return 0;
}

static noinline int map_prefix(struct ib_mr *mr, struct scatterlist *sg,
			       int sg_nents, unsigned int *sg_offset,
			       unsigned int page_size)
{
	struct map_request req = {
		.mr = mr,
		.sg = sg,
		.sg_nents = sg_nents,
		.offset = sg_offset ? *sg_offset : 0,
		.page_size = page_size,
	};
	int ret;

	if (!mr->device->ops.map_mr_sg)
		return -EOPNOTSUPP;
	ret = check_arguments(&req);
	if (ret)
		return ret;

	req.driver = rdma_shim_driver(mr->device);
	req.region = rdma_shim_region_find(mr);
	if (table_lost(&req))
		return -ENOMEM;
	ret = check_table(&req);
	if (ret)
		return ret;

	ret = decide_prefix(&req);
	if (ret)
		return ret;

	ret = call_driver(&req);
	if (ret)
		return ret;

	if (sg_offset)
		*sg_offset = req.prefix.resume;
	return req.prefix.nents;
}

/* Return: bytes from @offset on, or 0 when it is not proved that all fit. */
static inline u64 whole_length(const struct rdma_shim_region *region,
			       struct scatterlist *sg, int sg_nents,
			       unsigned int offset)
{
	u64 first = sg_dma_address(sg) + offset;
	struct rdma_shim_whole sum;

	if (offset >= sg_dma_len(sg))
		return 0;
	rdma_shim_whole_start(&sum, first, sg_dma_len(sg) - offset);
	while (--sg_nents) {
		sg = following(sg);
		rdma_shim_whole_add(&sum, sg_dma_address(sg), sg_dma_len(sg));
	}
	return rdma_shim_whole_fits(&sum, PAGE_SIZE - 1, region->room -
				    (first & (PAGE_SIZE - 1))) ? sum.length : 0;
}

/*
 * How the driver has to be used is looked up where that matters, so that it
 * need not be kept meanwhile.
 */
static noinline int whole_failed(struct ib_mr *mr, unsigned int *sg_offset,
				 unsigned int offset, int ret)
{
	if (sg_offset)
		*sg_offset = offset;
	return driver_failed(mr, rdma_shim_driver(mr->device),
			     ret < 0 ? ret : -EINVAL);
}

static __always_inline int drive_whole(struct ib_mr *mr, struct scatterlist *sg,
				       int sg_nents, unsigned int *sg_offset,
				       unsigned int offset, u64 length)
{
	int ret = mr->device->ops.map_mr_sg(mr, sg, sg_nents, sg_offset);

	if (unlikely(ret != sg_nents || mr->length != length))
		return whole_failed(mr, sg_offset, offset, ret);
	if (sg_offset)
		*sg_offset = 0;
	return sg_nents;
}

/* A list that fits as it is, by a short way; what that does not prove goes on. */
static noinline int map_list(struct ib_mr *mr, struct scatterlist *sg,
			     int sg_nents, unsigned int *sg_offset,
			     unsigned int page_size)
{
	unsigned int offset = sg_offset ? *sg_offset : 0;
	const struct rdma_shim_region *region;
	u64 length;

	if (page_size == PAGE_SIZE && mr->page_size <= PAGE_SIZE &&
	    sg && sg_nents > 0 && mr->device->ops.map_mr_sg) {
		region = rdma_shim_region_find(mr);
		if (region && rdma_shim_region_plain(region, sg_nents, offset)) {
			length = whole_length(region, sg, sg_nents, offset);
			if (length) {
				mr->page_size = PAGE_SIZE;
				return drive_whole(mr, sg, sg_nents, sg_offset,
						   offset, length);
			}
		}
	}
	return map_prefix(mr, sg, sg_nents, sg_offset, page_size);
}

/* Does the region hold one element, whatever the driver makes of lists? */
static inline bool one_fits(const struct rdma_shim_region *region,
			    const struct scatterlist *sg)
{
	u64 lost = sg_dma_address(sg) & (PAGE_SIZE - 1);

	return sg_dma_len(sg) && lost + sg_dma_len(sg) <= region->room;
}

/**
 * rdma_shim_ib_map_mr_sg - map the largest prefix of a list onto a region
 * @mr: the region, of type MEM_REG or SG_GAPS, not in use by a peer
 * @sg: DMA-mapped scatterlist; never written (M12)
 * @sg_nents: elements of @sg
 * @sg_offset: in: where in the first element the region starts, in bytes; out:
 *	where to resume inside element [return value], 0 when that element was
 *	not begun (M5, M6). NULL means 0 and is not written
 * @page_size: size of the region's pages in bytes, a power of two; ignored for
 *	SG_GAPS
 *
 * The first element may start anywhere and the last end anywhere; between
 * them, elements have to meet at page boundaries or be contiguous (M3, M4).
 * @mr->iova and @mr->length tell what the region covers; @mr->page_size is the
 * size the driver was given, which for rxe and siw is at least PAGE_SIZE.
 *
 * On rxe and siw, scattered elements with @page_size below PAGE_SIZE are
 * refused, for their data paths lose the place inside the page (facts 1.4,
 * S8). siw also damages whatever it sends of 32 bytes or less that crosses a
 * page, from any region; no way of mapping changes that (S9).
 *
 * A call with one element costs some 60 instructions more than the kernel's own,
 * of which finding the record is 13, telling it from a stale one 13, and saving
 * registers around the driver 8; with a list in the same function it was 95,
 * since lists want more registers. An element more costs 12 instructions.
 *
 * Context: any for @page_size up to PAGE_SIZE: takes no sleeping lock and
 * allocates nothing. Larger ones need process context the first time, since
 * rxe enlarges its table then.
 * Return: elements wholly mapped; %-EOPNOTSUPP (M1); %-EINVAL for arguments
 * that can be refused (M2, M7), a region that holds no page, or a driver table
 * above 1 MiB, and nothing has changed then (M9); else the driver's error,
 * %-ENOMEM also for a region that lost its driver table in an earlier call,
 * with @mr->length 0.
 *
 * Source: contract section 1, M1 to M12; ib_map_mr_sg(9) of Linux 7.3.
 */
int rdma_shim_ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg,
			   int sg_nents, unsigned int *sg_offset,
			   unsigned int page_size)
{
	const struct rdma_shim_region *region;

	if (sg_nents == 1 && page_size == PAGE_SIZE &&
	    mr->page_size == PAGE_SIZE && sg && !(sg_offset && *sg_offset)) {
		region = rdma_shim_region_find(mr);
		if (likely(region && one_fits(region, sg) &&
			   mr->device->ops.map_mr_sg))
			return drive_whole(mr, sg, 1, sg_offset, 0,
					   sg_dma_len(sg));
	}
	return map_list(mr, sg, sg_nents, sg_offset, page_size);
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_map_mr_sg);

/*
 * A driver that takes the offset inside a page from the iova needs a first
 * byte at a page boundary once the iova is 0.
 */
static bool zero_based(const struct ib_mr *mr, const struct scatterlist *sg,
		       unsigned int offset, unsigned int page_size)
{
	const struct rdma_shim_driver *driver = rdma_shim_driver(mr->device);
	unsigned int unit = max(page_size, driver->min_page_size);

	if (!driver->offset_from_iova || !sg || !page_size)
		return true;
	return !((sg_dma_address(sg) + offset) & (unit - 1));
}

/**
 * rdma_shim_ib_map_mr_sg_zbva - the same with addresses counted from zero
 * @mr: see rdma_shim_ib_map_mr_sg()
 * @sg: see there
 * @sg_nents: see there
 * @sg_offset: see there
 * @page_size: see there
 *
 * Context: as rdma_shim_ib_map_mr_sg().
 * Return: as rdma_shim_ib_map_mr_sg(), with @mr->iova 0 on success; %-EINVAL
 * too on rxe and siw when the first byte is not at a page boundary, since they
 * would compute wrong offsets inside the page.
 *
 * Source: contract section 1, last paragraph.
 */
int rdma_shim_ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg,
				int sg_nents, unsigned int *sg_offset,
				unsigned int page_size)
{
	int ret;

	if (mr->device->ops.map_mr_sg &&
	    !zero_based(mr, sg, sg_offset ? *sg_offset : 0, page_size))
		return -EINVAL;

	ret = rdma_shim_ib_map_mr_sg(mr, sg, sg_nents, sg_offset, page_size);
	if (ret >= 0)
		mr->iova = 0;
	return ret;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_map_mr_sg_zbva);

/**
 * rdma_shim_ib_map_mr_sg_pi - map data and integrity lists onto a region
 * @mr: a region of type INTEGRITY
 * @data_sg: DMA-mapped list of the data
 * @data_sg_nents: its elements
 * @data_sg_offset: where in its first element the data starts, bytes, or NULL
 * @meta_sg: DMA-mapped list of the protection information; may be empty
 * @meta_sg_nents: its elements, 0 for none
 * @meta_sg_offset: as @data_sg_offset, for @meta_sg
 * @page_size: size of the region's pages in bytes
 *
 * Forwards to the driver; no rule for prefixes applies.
 *
 * Context: as the driver's function.
 * Return: 0; %-EOPNOTSUPP when the driver or the region's type cannot, and
 * nothing has changed then; else the driver's error, with @mr->length 0.
 *
 * Source: contract section 1, M1 and M9.
 */
int rdma_shim_ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg,
			      int data_sg_nents, unsigned int *data_sg_offset,
			      struct scatterlist *meta_sg, int meta_sg_nents,
			      unsigned int *meta_sg_offset,
			      unsigned int page_size)
{
	int ret;

	if (!mr->device->ops.map_mr_sg_pi || mr->type != IB_MR_TYPE_INTEGRITY)
		return -EOPNOTSUPP;

	mr->page_size = page_size;
	ret = mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents,
					   data_sg_offset, meta_sg,
					   meta_sg_nents, meta_sg_offset);
	if (ret < 0)
		mr->length = 0;
	return ret;
}
EXPORT_SYMBOL_GPL(rdma_shim_ib_map_mr_sg_pi);
