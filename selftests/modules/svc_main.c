// SPDX-License-Identifier: GPL-2.0
/*
 * An RPC service for the tests of the server transport, driven by parameters:
 *
 *	echo 2 > .../parameters/threads
 *	echo "rdma-shim 20999" > .../parameters/listen	(any transport class)
 *	echo 1 > .../parameters/close		(listeners and connections)
 *
 * A listener of the class in svc_consumer.c holds the module, so close comes
 * before rmmod.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <net/net_namespace.h>

#include "svc_kernel.h"
#include "svc_test.h"

static struct svc_serv *service;
static unsigned int running;
static DEFINE_MUTEX(service_lock);

static int serve(void *data)
{
	struct svc_rqst *rqstp = data;

	svc_k_ready(rqstp);
	while (!svc_k_should_stop(rqstp))
		svc_k_serve(rqstp);
	svc_exit_thread(rqstp);
	return 0;
}

static int set_threads(const char *text, const struct kernel_param *kp)
{
	unsigned int count;
	int ret;

	ret = kstrtouint(text, 0, &count);
	if (ret)
		return ret;
	if (!service || count > 64)
		return -EINVAL;
	mutex_lock(&service_lock);
	ret = svc_k_set_threads(service, count);
	if (!ret)
		running = count;
	mutex_unlock(&service_lock);
	return ret;
}

static int get_threads(char *text, const struct kernel_param *kp)
{
	return scnprintf(text, PAGE_SIZE, "%u\n", running);
}

static const struct kernel_param_ops threads_ops = {
	.set = set_threads,
	.get = get_threads,
};
module_param_cb(threads, &threads_ops, NULL, 0644);
MODULE_PARM_DESC(threads, "threads that serve");

static int set_listen(const char *text, const struct kernel_param *kp)
{
	unsigned int port;
	char name[32];
	int ret;

	if (!service || sscanf(text, "%31s %u", name, &port) != 2 ||
	    !port || port > 65535)
		return -EINVAL;
	mutex_lock(&service_lock);
	ret = svc_xprt_create(service, name, &init_net, PF_INET, port,
			      SVC_SOCK_ANONYMOUS, current_cred());
	mutex_unlock(&service_lock);
	return ret < 0 ? ret : 0;
}

static const struct kernel_param_ops listen_ops = {
	.set = set_listen,
};
module_param_cb(listen, &listen_ops, NULL, 0200);
MODULE_PARM_DESC(listen, "a transport class and a port");

static int get_served(char *text, const struct kernel_param *kp)
{
	return scnprintf(text, PAGE_SIZE, "%u\n",
			 atomic_read(&svc_echo_served));
}

static const struct kernel_param_ops served_ops = {
	.get = get_served,
};
module_param_cb(served, &served_ops, NULL, 0444);
MODULE_PARM_DESC(served, "calls that were answered (read only)");

static int set_close(const char *text, const struct kernel_param *kp)
{
	if (!service)
		return -EINVAL;
	mutex_lock(&service_lock);
	svc_k_close_all(service, &init_net);
	mutex_unlock(&service_lock);
	return 0;
}

static const struct kernel_param_ops close_ops = {
	.set = set_close,
};
module_param_cb(close, &close_ops, NULL, 0200);
MODULE_PARM_DESC(close, "close listeners and connections");

static int __init svc_test_init(void)
{
	int ret;

	ret = svc_consumer_init();
	if (ret)
		return ret;
	service = svc_create(&svc_echo_program, 1 << 20, serve);
	if (service)
		return 0;
	svc_consumer_exit();
	return -ENOMEM;
}

static void __exit svc_test_exit(void)
{
	svc_k_close_all(service, &init_net);
	svc_k_set_threads(service, 0);
	svc_k_destroy(service);
	svc_consumer_exit();
}

module_init(svc_test_init);
module_exit(svc_test_exit);

MODULE_DESCRIPTION("An RPC service that shows what its transport delivered");
MODULE_VERSION("1");
MODULE_LICENSE("GPL");
