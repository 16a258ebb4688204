// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/rdma-shim-mr: write a command, read TAP. One run at a time.
 *
 *	run ADDRESS PORT ours|native rxe|siw SEED LISTS
 *	soak ADDRESS PORT ours|native rxe|siw SEED SECONDS
 *	bench ADDRESS PORT ours rxe|siw SEED 0
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "mr_suite.h"

/**
 * struct session - one open file
 * @tap: its output
 * @started: a command was written
 */
struct session {
	struct mr_tap tap;
	bool started;
};

static DEFINE_MUTEX(one_run);

static void run_parts(struct mr_ctx *c, struct mr_tap *tap, u32 lists)
{
	mr_mock(c->api, tap);
	mr_refusals(c, tap);
	mr_history(c, tap);
	mr_records(c, tap);
	mr_shapes(c, tap);
	if (c->api == &mr_api_ours)
		mr_random_cases(c, tap, lists);
}

static void bench_parts(struct mr_ctx *c, struct mr_tap *tap, u32 unused)
{
	mr_bench(c, tap);
}

static int run(struct mr_ctx *c, struct mr_tap *tap,
	       void (*parts)(struct mr_ctx *, struct mr_tap *, u32), u32 amount)
{
	int ret;

	ret = mr_case_connect(c);
	if (ret) {
		mr_tap_note(tap, "no connection through the device of %pI4: error %d",
			    &c->addr, ret);
		goto out;
	}
	ret = mr_memory_init(&c->memory, c->pair.server.id->device, MR_CHUNKS,
			     get_order(SZ_4M));
	if (!ret)
		parts(c, tap, amount);
	else
		mr_tap_note(tap, "no memory for the lists");
	mr_memory_free(&c->memory);
out:
	mr_pair_disconnect(&c->pair);
	return ret;
}

static int carry_out(struct mr_ctx *c, struct mr_tap *tap, const char *verb,
		     u32 amount)
{
	if (!strcmp(verb, "run"))
		return run(c, tap, run_parts, amount);
	if (!strcmp(verb, "bench"))
		return run(c, tap, bench_parts, amount);
	mr_soak(c, tap, amount);
	return 0;
}

static int command(struct session *s, const char *line)
{
	char verb[8], address[16], api[8], kind[8];
	unsigned int port, seed, amount;
	struct mr_ctx *c;
	int ret;

	if (sscanf(line, "%7s %15s %u %7s %7s %u %u", verb, address, &port, api,
		   kind, &seed, &amount) != 7)
		return -EINVAL;
	c = kvzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->api = strcmp(api, "native") ? &mr_api_ours : &mr_api_native;
	c->siw = !strcmp(kind, "siw");
	c->addr = in_aton(address);
	c->port = port;
	c->random = 0x2545f4914f6cdd1dULL + seed;
	spin_lock_init(&c->atomic);

	ret = -EOPNOTSUPP;
	if (!c->api->alloc)
		goto out;
	ret = mr_tap_begin(&s->tap, c->api == &mr_api_native);
	if (ret)
		goto out;
	s->started = true;
	mr_tap_note(&s->tap, "%s, %s, seed %u", api, kind, seed);
	ret = carry_out(c, &s->tap, verb, amount);
	mr_tap_end(&s->tap);
out:
	kvfree(c);
	return ret;
}

static ssize_t session_write(struct file *file, const char __user *data,
			     size_t size, loff_t *pos)
{
	struct session *s = file->private_data;
	char line[128];
	int ret;

	if (size >= sizeof(line) || s->started)
		return -EINVAL;
	if (copy_from_user(line, data, size))
		return -EFAULT;
	line[size] = 0;
	if (mutex_lock_interruptible(&one_run))
		return -EINTR;
	ret = command(s, line);
	mutex_unlock(&one_run);
	return ret ?: size;
}

static ssize_t session_read(struct file *file, char __user *data, size_t size,
			    loff_t *pos)
{
	struct session *s = file->private_data;
	struct mr_tap *tap = &s->tap;

	if (!s->started)
		return 0;
	if (wait_event_interruptible(tap->more,
				     *pos < tap->used || tap->done))
		return -EINTR;
	return simple_read_from_buffer(data, size, pos, tap->text, tap->used);
}

static int session_open(struct inode *inode, struct file *file)
{
	struct session *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	file->private_data = s;
	return s ? 0 : -ENOMEM;
}

static int session_release(struct inode *inode, struct file *file)
{
	struct session *s = file->private_data;

	if (s->started)
		mr_tap_free(&s->tap);
	kvfree(s);
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.read = session_read,
	.write = session_write,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdma-shim-mr",
	.fops = &session_fops,
	.mode = 0600,
};

module_misc_device(device);

MODULE_DESCRIPTION("Tests of ib_map_mr_sg() on a device, byte by byte");
MODULE_VERSION("1");
MODULE_LICENSE("GPL");
