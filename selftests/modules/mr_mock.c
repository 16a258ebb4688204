// SPDX-License-Identifier: GPL-2.0
/*
 * A device that only counts, for what no software device does: region types
 * they lack, and failures on demand.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "mr_suite.h"

/**
 * struct mock - the device and what it was asked
 * @device: the device
 * @pd: regions belong to it
 * @fail: what the map function answers, 0 to succeed
 * @calls: how often it was called
 * @nents: elements it was given last
 */
struct mock {
	struct ib_device device;
	struct ib_pd pd;
	int fail;
	int calls;
	int nents;
};

static struct mock *to_mock(struct ib_device *device)
{
	return container_of(device, struct mock, device);
}

static struct ib_mr *mock_alloc(struct ib_pd *pd, enum ib_mr_type type,
				u32 max_num_sg)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ?: ERR_PTR(-ENOMEM);
}

static int mock_dereg(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

static int mock_map(struct ib_mr *mr, struct scatterlist *sg, int nents,
		    unsigned int *offset)
{
	struct mock *mock = to_mock(mr->device);
	unsigned int skip = offset ? *offset : 0;
	int i;

	mock->calls++;
	mock->nents = nents;
	if (mock->fail)
		return mock->fail;
	mr->iova = sg_dma_address(sg) + skip;
	mr->length = 0;
	for (i = 0; i < nents; i++, sg = sg_next(sg))
		mr->length += sg_dma_len(sg) - (i ? 0 : skip);
	if (offset)
		*offset = 0;
	return nents;
}

static int mock_map_pi(struct ib_mr *mr, struct scatterlist *data_sg,
		       int data_nents, unsigned int *data_offset,
		       struct scatterlist *meta_sg, int meta_nents,
		       unsigned int *meta_offset)
{
	struct mock *mock = to_mock(mr->device);

	mock->calls++;
	mock->nents = data_nents;
	mr->length = sg_dma_len(data_sg);
	return mock->fail;
}

static const struct ib_device_ops mock_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.alloc_mr = mock_alloc,
	.dereg_mr = mock_dereg,
	.map_mr_sg = mock_map,
	.map_mr_sg_pi = mock_map_pi,
};

static struct mock *mock_create(void)
{
	struct mock *mock = ib_alloc_device(mock, device);

	if (!mock)
		return NULL;
	ib_set_device_ops(&mock->device, &mock_ops);
	mock->pd.device = &mock->device;
	mock->pd.res.kern_name = KBUILD_MODNAME;
	return mock;
}

/* Elements at 1M, 2M, ...: @len bytes each, @skip into their page. */
static void make_list(struct scatterlist *sg, int nents, u32 len, u32 skip)
{
	int i;

	sg_init_table(sg, nents);
	for (i = 0; i < nents; i++) {
		sg_dma_address(&sg[i]) = (u64)(i + 1) * SZ_1M + skip;
		sg_dma_len(&sg[i]) = len;
	}
}

static const char *no_map_op(const struct mr_api *api, struct mock *mock)
{
	struct scatterlist sg;
	struct ib_mr *mr;
	int ret;

	make_list(&sg, 1, SZ_4K, 0);
	mr = api->alloc(&mock->pd, IB_MR_TYPE_MEM_REG, 4);
	if (IS_ERR(mr))
		return "no region";
	mock->device.ops.map_mr_sg = NULL;
	ret = api->map(mr, &sg, 1, NULL, SZ_4K);
	mock->device.ops.map_mr_sg = mock_map;
	api->dereg(mr);
	return ret == -EOPNOTSUPP ? NULL : "not -EOPNOTSUPP";
}

static const char *with_gaps(const struct mr_api *api, struct mock *mock,
			     u32 max_num_sg, u32 page_size, int expected)
{
	struct scatterlist sg[6];
	unsigned int offset = 5;
	const char *wrong = NULL;
	struct ib_mr *mr;

	make_list(sg, ARRAY_SIZE(sg), 100, 3);
	mr = api->alloc(&mock->pd, IB_MR_TYPE_SG_GAPS, max_num_sg);
	if (IS_ERR(mr))
		return "no region";
	if (api->map(mr, sg, ARRAY_SIZE(sg), &offset, page_size) != expected)
		wrong = "wrong number of elements";
	else if (mr->length != expected * 100 - 5 || mr->iova != SZ_1M + 8)
		wrong = "wrong region";
	else if (offset || mock->nents != expected)
		wrong = "wrong offset or elements";
	api->dereg(mr);
	return wrong;
}

static const char *driver_fails(const struct mr_api *api, struct mock *mock)
{
	const char *wrong = NULL;
	struct scatterlist sg;
	struct ib_mr *mr;

	make_list(&sg, 1, SZ_4K, 0);
	mr = api->alloc(&mock->pd, IB_MR_TYPE_MEM_REG, 4);
	if (IS_ERR(mr))
		return "no region";
	if (api->map(mr, &sg, 1, NULL, SZ_4K) != 1 || mr->length != SZ_4K)
		wrong = "not mapped";
	mock->fail = -EIO;
	if (api->map(mr, &sg, 1, NULL, SZ_4K) != -EIO)
		wrong = "the driver's error is lost";
	else if (mr->length)
		wrong = "the region looks usable";
	mock->fail = 0;
	if (!wrong && api->map(mr, &sg, 1, NULL, SZ_4K) != 1)
		wrong = "not mapped again";
	api->dereg(mr);
	return wrong;
}

static const char *table_lost(const struct mr_api *api, struct mock *mock)
{
	struct scatterlist sg;
	const char *wrong = NULL;
	struct ib_mr *mr;

	make_list(&sg, 1, SZ_4K, 0);
	mr = api->alloc(&mock->pd, IB_MR_TYPE_MEM_REG, 4);
	if (IS_ERR(mr))
		return "no region";
	mock->device.ops.driver_id = RDMA_DRIVER_RXE;
	mock->fail = -ENOMEM;
	if (api->map(mr, &sg, 1, NULL, SZ_64K) != -ENOMEM)
		wrong = "the driver's error is lost";
	mock->fail = 0;
	mock->calls = 0;
	if (!wrong && (api->map(mr, &sg, 1, NULL, SZ_4K) != -ENOMEM ||
		       api->map(mr, &sg, 1, NULL, SZ_64K) != -ENOMEM))
		wrong = "mapped without a table";
	if (!wrong && mock->calls)
		wrong = "the driver was called without a table";
	mock->device.ops.driver_id = RDMA_DRIVER_UNKNOWN;
	api->dereg(mr);
	return wrong;
}

static const char *table_too_large(const struct mr_api *api, struct mock *mock)
{
	struct scatterlist sg;
	const char *wrong = NULL;
	struct ib_mr *mr;

	make_list(&sg, 1, SZ_4K, 0);
	mr = api->alloc(&mock->pd, IB_MR_TYPE_MEM_REG, 129);
	if (IS_ERR(mr))
		return "no region";
	mock->device.ops.driver_id = RDMA_DRIVER_RXE;
	mock->calls = 0;
	if (api->map(mr, &sg, 1, NULL, SZ_2M) != -EINVAL || mock->calls)
		wrong = "a table above 1 MiB was asked for";
	else if (api->map(mr, &sg, 1, NULL, SZ_1M) != 1)
		wrong = "a table below 1 MiB was refused";
	mock->device.ops.driver_id = RDMA_DRIVER_UNKNOWN;
	api->dereg(mr);
	return wrong;
}

static const char *integrity(const struct mr_api *api, struct mock *mock)
{
	struct ib_mr mr = {
		.device = &mock->device,
		.type = IB_MR_TYPE_INTEGRITY,
		.page_size = 1,
		.length = 1,
	};
	struct scatterlist sg;

	make_list(&sg, 1, SZ_4K, 0);
	mock->calls = 0;
	if (api->map_pi(&mr, &sg, 1, NULL, NULL, 0, NULL, SZ_4K) ||
	    mock->calls != 1 || mr.length != SZ_4K || mr.page_size != SZ_4K)
		return "not forwarded";
	mock->fail = -EIO;
	if (api->map_pi(&mr, &sg, 1, NULL, NULL, 0, NULL, SZ_4K) != -EIO ||
	    mr.length)
		return "a failure leaves a region that looks usable";
	mock->fail = 0;
	mock->device.ops.map_mr_sg_pi = NULL;
	if (api->map_pi(&mr, &sg, 1, NULL, NULL, 0, NULL, SZ_2M) !=
	    -EOPNOTSUPP || mr.page_size != SZ_4K)
		return "not refused without the operation";
	return NULL;
}

/**
 * mr_mock - what only a device of our own can show
 * @api: whose functions
 * @tap: where results go
 */
void mr_mock(const struct mr_api *api, struct mr_tap *tap)
{
	struct mock *mock = mock_create();

	if (!mock) {
		mr_tap_result(tap, 0, "out of memory", "mock device");
		return;
	}
	mr_tap_result(tap, 1, no_map_op(api, mock),
		      "device that cannot map lists");
	mr_tap_result(tap, 8, with_gaps(api, mock, 8, SZ_4K, 6),
		      "SG_GAPS takes unaligned elements");
	mr_tap_result(tap, 8, with_gaps(api, mock, 8, 0, 6),
		      "SG_GAPS ignores the page size");
	mr_tap_result(tap, 9, driver_fails(api, mock),
		      "driver failure leaves length 0");
	if (api == &mr_api_ours) {
		mr_tap_result(tap, 8, with_gaps(api, mock, 4, SZ_4K, 4),
			      "SG_GAPS holds max_num_sg elements");
		mr_tap_result(tap, 9, table_lost(api, mock),
			      "rxe without a table is never called");
		mr_tap_result(tap, 9, table_too_large(api, mock),
			      "driver table above 1 MiB refused before the call");
		mr_tap_result(tap, 1, integrity(api, mock),
			      "integrity lists are forwarded");
	}
	ib_dealloc_device(&mock->device);
}
