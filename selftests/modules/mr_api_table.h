/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plain 7.3 names; what they mean is decided by how the including file is
 * compiled.
 */
static int dereg(struct ib_mr *mr)
{
	return ib_dereg_mr(mr);
}

static int map_zbva(struct ib_mr *mr, struct scatterlist *sg, int nents,
		    unsigned int *offset, unsigned int page_size)
{
	return ib_map_mr_sg_zbva(mr, sg, nents, offset, page_size);
}

const struct mr_api MR_API = {
	.name = MR_API_NAME,
	.alloc = ib_alloc_mr,
	.dereg = dereg,
	.map = ib_map_mr_sg,
	.map_zbva = map_zbva,
	.map_pi = ib_map_mr_sg_pi,
	.pool_init = ib_mr_pool_init,
	.pool_destroy = ib_mr_pool_destroy,
};
