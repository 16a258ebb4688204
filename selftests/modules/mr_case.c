// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/slab.h>

#include "mr_case.h"

/* xorshift: the same cases for the same seed, on every kernel. */
u32 mr_random(struct mr_ctx *c, u32 below)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return (u32)(c->random >> 16) % below;
}

/**
 * mr_case_connect - a connection that works
 * @c: the context
 *
 * Return: 0 or an error.
 */
int mr_case_connect(struct mr_ctx *c)
{
	int ret;

	if (c->pair.listener && !c->broken)
		return 0;
	mr_pair_disconnect(&c->pair);
	ret = mr_pair_connect(&c->pair, c->addr, c->port++);
	c->broken = ret;
	return ret;
}

/**
 * mr_case_region - a region on a connection that works
 * @c: the context
 * @max_num_sg: pages it may hold
 *
 * Return: the region or ERR_PTR.
 */
struct ib_mr *mr_case_region(struct mr_ctx *c, u32 max_num_sg)
{
	int ret = mr_case_connect(c);

	if (ret)
		return ERR_PTR(ret);
	return c->api->alloc(c->pair.server.pd, IB_MR_TYPE_MEM_REG, max_num_sg);
}

static void ask_model(struct mr_ctx *c, const struct mr_case *t)
{
	struct mr_question q = {
		.element = c->memory.element,
		.nents = t->nents,
		.offset = t->offset == MR_NULL_OFFSET ? 0 : t->offset,
		.page_size = t->page_size,
		.max_num_sg = t->max_num_sg,
	};

	mr_model(&q, &c->answer);
}

/* M10 allows this one refusal. */
static bool may_refuse(const struct mr_ctx *c, const struct mr_case *t)
{
	return t->page_size < SZ_4K && c->answer.runs > 1;
}

static int call(struct mr_ctx *c, struct ib_mr *mr, const struct mr_case *t,
		unsigned int *offset)
{
	unsigned long flags;
	int ret;

	if (t->page_size > PAGE_SIZE)
		return c->api->map(mr, c->memory.read_only, t->nents, offset,
				   t->page_size);
	spin_lock_irqsave(&c->atomic, flags);
	ret = c->api->map(mr, c->memory.read_only, t->nents, offset,
			  t->page_size);
	spin_unlock_irqrestore(&c->atomic, flags);
	return ret;
}

/**
 * mr_case_map - make the call and judge what it says
 * @c: the context
 * @mr: the region, of t->max_num_sg pages
 * @t: the case
 * @ret: what the call returned
 * @resume: *sg_offset afterwards
 *
 * Return: what is wrong, or NULL.
 */
const char *mr_case_map(struct mr_ctx *c, struct ib_mr *mr,
			const struct mr_case *t, int *ret, u32 *resume)
{
	unsigned int offset = t->offset;
	struct ib_mr before = *mr;

	c->transferring = false;
	mr_memory_list(&c->memory, t->place, t->nents, t->chain_after);
	ask_model(c, t);
	*ret = call(c, mr, t, t->offset == MR_NULL_OFFSET ? NULL : &offset);
	*resume = offset;

	if (*ret == -EINVAL && (c->answer.ret < 0 || may_refuse(c, t))) {
		if (mr->page_size != before.page_size ||
		    mr->iova != before.iova || mr->length != before.length)
			return "a refused call changed the region";
		return NULL;
	}
	if (*ret != c->answer.ret)
		return *ret < 0 ? "refused what must be served" :
		       c->answer.ret < 0 ? "served what must be refused" :
		       "wrong number of elements";
	if (mr->length != c->answer.length)
		return "wrong length";
	if (mr->iova != c->answer.run[0].addr)
		return "wrong iova";
	if (t->offset != MR_NULL_OFFSET && offset != c->answer.resume)
		return "wrong offset to resume at";
	return NULL;
}

/* Walks the bytes [at, at + len) of the region through the model's runs. */
static bool walk(struct mr_ctx *c, u64 at, u32 len, u8 *data, bool expect)
{
	unsigned int i;

	for (i = 0; i < c->answer.runs && len; i++) {
		u64 n = c->answer.run[i].len;

		if (at >= n) {
			at -= n;
			continue;
		}
		n = min_t(u64, n - at, len);
		if (expect)
			mr_memory_expect(&c->memory,
					 c->answer.run[i].addr + at, data, n);
		else if (!mr_memory_expected(&c->memory,
					     c->answer.run[i].addr + at,
					     data, n))
			return false;
		data += n;
		len -= n;
		at = 0;
	}
	return !len;
}

/* siw damages whatever it sends of 32 bytes or less across a page (M10). */
static bool siw_would_damage(const struct mr_ctx *c, u64 at, u32 len)
{
	return c->siw && len <= 32;
}

static const char *read_window(struct mr_ctx *c, struct ib_mr *mr, u64 at,
			       u32 len)
{
	if (siw_would_damage(c, at, len))
		return NULL;
	memset(c->pair.buffer, 0xee, len);
	if (mr_pair_transfer(&c->pair, IB_WR_RDMA_READ, mr->iova + at,
			     mr->rkey, len)) {
		c->broken = true;
		return "the peer's Read failed";
	}
	if (!walk(c, at, len, c->pair.buffer, false))
		return "the peer read other bytes";
	return NULL;
}

static const char *write_window(struct mr_ctx *c, struct ib_mr *mr, u64 at,
				u32 len)
{
	u32 i, salt = mr_random(c, 1 << 20);

	if (siw_would_damage(c, at, len))
		return NULL;
	for (i = 0; i < len; i++)
		c->pair.buffer[i] = (salt + i * 7) >> (i & 3);
	walk(c, at, len, c->pair.buffer, true);
	if (mr_pair_transfer(&c->pair, IB_WR_RDMA_WRITE, mr->iova + at,
			     mr->rkey, len)) {
		c->broken = true;
		return "the peer's Write failed";
	}
	/* On iWARP only an answer tells that a Write has arrived. */
	return read_window(c, mr, at, len);
}

static const char *window(struct mr_ctx *c, struct ib_mr *mr, u64 at, u64 len)
{
	const char *wrong;

	if (at >= mr->length)
		return NULL;
	len = min3(len, mr->length - at, (u64)MR_PEER_BYTES);
	wrong = read_window(c, mr, at, len);
	return wrong ?: write_window(c, mr, at, len);
}

/* All of a small region; of a large one its ends, seams and some more. */
static const char *windows(struct mr_ctx *c, struct ib_mr *mr)
{
	const char *wrong;
	unsigned int i;
	u64 seam = 0;

	if (mr->length <= SZ_64K)
		wrong = window(c, mr, 0, mr->length);
	else
		wrong = window(c, mr, 0, SZ_16K);
	for (i = 0; !wrong && mr->length > SZ_64K && i < c->answer.runs; i++) {
		seam += c->answer.run[i].len;
		wrong = window(c, mr, seam - min_t(u64, seam, SZ_4K), SZ_8K);
	}
	for (i = 0; !wrong && i < 3; i++)
		wrong = window(c, mr, mr_random(c, mr->length),
			       1 + mr_random(c, SZ_8K));
	return wrong;
}

/**
 * mr_case_transfer - a peer reads and writes what has been mapped
 * @c: the context, whose answer tells which bytes those are
 * @mr: the region
 *
 * Return: what is wrong, or NULL.
 */
const char *mr_case_transfer(struct mr_ctx *c, struct ib_mr *mr)
{
	const char *wrong;

	c->transferring = true;
	if (mr_register(&c->pair.server, mr, IB_ACCESS_LOCAL_WRITE |
			IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE)) {
		c->broken = true;
		return "REG_MR failed";
	}
	wrong = windows(c, mr);
	if (!c->broken && mr_invalidate(&c->pair.server, mr)) {
		c->broken = true;
		wrong = wrong ?: "LOCAL_INV failed";
	}
	if (!wrong && !mr_memory_intact(&c->memory))
		wrong = "bytes outside the region were written";
	return wrong;
}

/**
 * mr_case_on - a case on a region that is there already
 * @c: the context
 * @mr: the region, of t->max_num_sg pages
 * @t: the case
 *
 * Return: what is wrong, or NULL.
 */
const char *mr_case_on(struct mr_ctx *c, struct ib_mr *mr,
		       const struct mr_case *t)
{
	const char *wrong;
	u32 resume;
	int ret;

	wrong = mr_case_map(c, mr, t, &ret, &resume);
	if (wrong || ret < 0)
		return wrong;
	return mr_case_transfer(c, mr);
}

/**
 * mr_case_run - a case on a region of its own
 * @c: the context
 * @t: the case
 *
 * Return: what is wrong, or NULL.
 */
const char *mr_case_run(struct mr_ctx *c, const struct mr_case *t)
{
	const char *wrong;
	struct ib_mr *mr;

	mr = mr_case_region(c, t->max_num_sg);
	if (IS_ERR(mr))
		return "no region";
	wrong = mr_case_on(c, mr, t);
	if (c->api->dereg(mr) && !wrong)
		wrong = "the region was not freed";
	return wrong;
}
