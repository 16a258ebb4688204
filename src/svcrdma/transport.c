// SPDX-License-Identifier: GPL-2.0
/*
 * Listeners and connections of the class rdma-shim: from the connection
 * manager's events to a svc_xprt, and back to nothing.
 */
#include "svcrdma/svcrdma.h"

#include <linux/module.h>
#include <linux/sunrpc/addr.h>
#include <linux/workqueue.h>
#include <rdma/rw.h>

#include "svcrdma/connect.h"

static struct workqueue_struct *free_wq;
static struct svc_xprt_ops xprt_ops;

static struct svc_xprt_class xprt_class = {
	.xcl_name	 = RDMA_SHIM_XPRT_NAME,
	.xcl_owner	 = THIS_MODULE,
	.xcl_ops	 = &xprt_ops,
	.xcl_max_payload = RPCSVC_MAXPAYLOAD_RDMA,
	.xcl_ident	 = RDMA_SHIM_XPRT_IDENT,
};

/**
 * rdma_shim_svc_rdma_xprt_deferred_close - close as soon as a thread is free
 * @rdma: the connection
 *
 * Context: any.
 */
void rdma_shim_svc_rdma_xprt_deferred_close(struct svcxprt_rdma *rdma)
{
	rdma_shim_xprt_close_later(&rdma->sc_xprt);
	/* Initialised by whoever made the connection; see svc_rdma_sq_wait. */
	wake_up_all(&rdma->sc_send_wait);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_xprt_deferred_close);

static struct svcxprt_rdma *new_xprt(struct svc_serv *serv, struct net *net)
{
	struct svcxprt_rdma *rdma = kzalloc(sizeof(*rdma), GFP_KERNEL);

	if (!rdma)
		return NULL;
	svc_xprt_init(net, &xprt_class, &rdma->sc_xprt, serv);
	rdma->sc_shim_pages = rdma_shim_serv_pages(serv);
	INIT_LIST_HEAD(&rdma->sc_accept_q);
	INIT_LIST_HEAD(&rdma->sc_rq_dto_q);
	INIT_LIST_HEAD(&rdma->sc_read_complete_q);
	init_llist_head(&rdma->sc_send_ctxts);
	init_llist_head(&rdma->sc_recv_ctxts);
	init_llist_head(&rdma->sc_rw_ctxts);
	init_llist_head(&rdma->sc_send_release_list);
	init_waitqueue_head(&rdma->sc_send_wait);
	init_waitqueue_head(&rdma->sc_sq_ticket_wait);
	spin_lock_init(&rdma->sc_lock);
	spin_lock_init(&rdma->sc_rq_dto_lock);
	spin_lock_init(&rdma->sc_send_lock);
	spin_lock_init(&rdma->sc_rw_ctxt_lock);
	/* NFSv4 wants to know that the transport controls congestion. */
	set_bit(XPT_CONG_CTRL, &rdma->sc_xprt.xpt_flags);
	return rdma;
}

static int connection_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct svcxprt_rdma *rdma = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		clear_bit(RDMAXPRT_CONN_PENDING, &rdma->sc_flags);
		svc_xprt_enqueue(&rdma->sc_xprt);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		svc_rdma_xprt_deferred_close(rdma);
		break;
	default:
		break;
	}
	return 0;
}

/* The id is ours when this succeeds; an error makes the caller destroy it. */
static int queue_connection(struct svcxprt_rdma *listener,
			    struct rdma_cm_id *id,
			    const struct rdma_conn_param *param)
{
	struct svcxprt_rdma *rdma;
	bool full;

	rdma = new_xprt(listener->sc_xprt.xpt_server,
			listener->sc_xprt.xpt_net);
	if (!rdma)
		return -ENOMEM;
	set_bit(RDMAXPRT_CONN_PENDING, &rdma->sc_flags);
	rdma_shim_connect_offer(rdma, param);
	svc_xprt_set_remote(&rdma->sc_xprt,
			    (struct sockaddr *)&id->route.addr.dst_addr,
			    svc_addr_len((struct sockaddr *)
					 &id->route.addr.dst_addr));
	svc_xprt_set_local(&rdma->sc_xprt,
			   (struct sockaddr *)&id->route.addr.src_addr,
			   svc_addr_len((struct sockaddr *)
					&id->route.addr.src_addr));
	/* A client's port means nothing here, and DRC must survive a new one. */
	rpc_set_port((struct sockaddr *)&rdma->sc_xprt.xpt_remote, 0);

	spin_lock_bh(&listener->sc_lock);
	full = listener->sc_shim_pending >= RDMA_SHIM_MAX_PENDING ||
	       test_bit(XPT_CLOSE, &listener->sc_xprt.xpt_flags);
	if (!full) {
		rdma->sc_cm_id = id;
		id->context = rdma;
		id->event_handler = connection_event;
		list_add_tail(&rdma->sc_accept_q, &listener->sc_accept_q);
		listener->sc_shim_pending++;
	}
	spin_unlock_bh(&listener->sc_lock);
	if (full) {
		__module_get(THIS_MODULE);
		svc_xprt_put(&rdma->sc_xprt);
		return -EBUSY;
	}
	set_bit(XPT_CONN, &listener->sc_xprt.xpt_flags);
	svc_xprt_enqueue(&listener->sc_xprt);
	return 0;
}

static int listener_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct svcxprt_rdma *listener = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return queue_connection(listener, id, &event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		svc_rdma_xprt_deferred_close(listener);
		return 0;
	default:
		return 0;
	}
}

static struct rdma_cm_id *listen(struct svcxprt_rdma *rdma, struct net *net,
				 struct sockaddr *sa)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(net, listener_event, rdma, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return id;
	/* The same port for IPv4 and IPv6, on a listener each. */
	ret = sa->sa_family == AF_INET6 ? rdma_set_afonly(id, 1) : 0;
	if (!ret)
		ret = rdma_set_reuseaddr(id, 1);
	if (!ret)
		ret = rdma_bind_addr(id, sa);
	if (!ret) {
		/* Known before the first event can come. */
		rdma->sc_cm_id = id;
		ret = rdma_listen(id, RPCRDMA_LISTEN_BACKLOG);
	}
	if (!ret)
		return id;
	rdma->sc_cm_id = NULL;
	rdma_destroy_id(id);
	return ERR_PTR(ret);
}

/*
 * siw of 5.10 takes a port for IPv4 as well when it is to listen for IPv6, so
 * one of the two has to do. nfsd goes on without a family that is not there.
 */
static int listen_error(struct svc_serv *serv, struct net *net,
			struct sockaddr *sa, int error)
{
	struct svc_xprt *other;

	if (error != -EADDRINUSE || sa->sa_family != AF_INET6)
		return error;
	other = svc_find_xprt(serv, RDMA_SHIM_XPRT_NAME, net, AF_INET,
			      rpc_get_port(sa));
	if (!other)
		return error;
	svc_xprt_put(other);
	pr_warn("svcrdma_shim: port %u is served for IPv4 only: a device cannot listen for both\n",
		rpc_get_port(sa));
	return -EAFNOSUPPORT;
}

static struct svc_xprt *create(struct svc_serv *serv, struct net *net,
			       struct sockaddr *sa, int salen, int flags)
{
	struct svcxprt_rdma *rdma;
	struct rdma_cm_id *id;

	if (sa->sa_family != AF_INET && sa->sa_family != AF_INET6)
		return ERR_PTR(-EAFNOSUPPORT);
	rdma = new_xprt(serv, net);
	if (!rdma)
		return ERR_PTR(-ENOMEM);
	set_bit(XPT_LISTENER, &rdma->sc_xprt.xpt_flags);

	id = listen(rdma, net, sa);
	if (IS_ERR(id)) {
		/* The caller gives back its module reference by itself. */
		__module_get(THIS_MODULE);
		svc_xprt_put(&rdma->sc_xprt);
		return ERR_PTR(listen_error(serv, net, sa, PTR_ERR(id)));
	}
	svc_xprt_set_local(&rdma->sc_xprt,
			   (struct sockaddr *)&id->route.addr.src_addr, salen);
	return &rdma->sc_xprt;
}

static struct svcxprt_rdma *next_pending(struct svcxprt_rdma *listener)
{
	struct svcxprt_rdma *rdma;

	spin_lock_bh(&listener->sc_lock);
	rdma = list_first_entry_or_null(&listener->sc_accept_q,
					struct svcxprt_rdma, sc_accept_q);
	if (rdma) {
		list_del_init(&rdma->sc_accept_q);
		listener->sc_shim_pending--;
	}
	if (!list_empty(&listener->sc_accept_q))
		set_bit(XPT_CONN, &listener->sc_xprt.xpt_flags);
	spin_unlock_bh(&listener->sc_lock);
	return rdma;
}

static struct svc_xprt *accept(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *listener =
		container_of(xprt, struct svcxprt_rdma, sc_xprt);
	struct svcxprt_rdma *rdma;

	clear_bit(XPT_CONN, &xprt->xpt_flags);
	rdma = next_pending(listener);
	if (!rdma)
		return NULL;
	if (rdma_shim_connect_accept(rdma)) {
		/* The core took a module reference and gives it back itself. */
		__module_get(THIS_MODULE);
		svc_xprt_put(&rdma->sc_xprt);
		return NULL;
	}
	rdma_shim_count(RDMA_SHIM_COUNT_ACCEPTED);
	return &rdma->sc_xprt;
}

static int has_wspace(struct svc_xprt *xprt)
{
	/* No new call while replies wait for slots. */
	return !rdma_shim_chain_waits(container_of(xprt, struct svcxprt_rdma,
						   sc_xprt));
}

static void detach(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma =
		container_of(xprt, struct svcxprt_rdma, sc_xprt);

	if (rdma->sc_cm_id && rdma->sc_qp)
		rdma_disconnect(rdma->sc_cm_id);
	rdma_shim_chain_purge(rdma);
	if (!test_bit(XPT_LISTENER, &xprt->xpt_flags))
		rdma_shim_count(RDMA_SHIM_COUNT_CLOSED);
}

/* Connections that nobody accepted. */
static void free_pending(struct svcxprt_rdma *listener)
{
	struct svcxprt_rdma *rdma;

	while ((rdma = next_pending(listener))) {
		__module_get(THIS_MODULE);
		svc_xprt_put(&rdma->sc_xprt);
	}
}

static void free_work(struct work_struct *work)
{
	struct svcxprt_rdma *rdma =
		container_of(work, struct svcxprt_rdma, sc_work);

	/* A listener's id goes first, so that nothing more is queued. */
	if (test_bit(XPT_LISTENER, &rdma->sc_xprt.xpt_flags)) {
		if (rdma->sc_cm_id)
			rdma_destroy_id(rdma->sc_cm_id);
		free_pending(rdma);
	} else {
		rdma_shim_connect_free(rdma);
	}
	kfree(rdma);
}

/* The last reference may be put where nothing may sleep. */
static void free_xprt(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma =
		container_of(xprt, struct svcxprt_rdma, sc_xprt);

	INIT_WORK(&rdma->sc_work, free_work);
	queue_work(free_wq, &rdma->sc_work);
}

static void kill_temp(struct svc_xprt *xprt)
{
}

static struct svc_xprt_ops xprt_ops = {
	.xpo_create		= create,
	.xpo_accept		= accept,
	.xpo_has_wspace		= has_wspace,
	.xpo_recvfrom		= svc_rdma_recvfrom,
	.xpo_sendto		= svc_rdma_sendto,
	.xpo_detach		= detach,
	.xpo_free		= free_xprt,
	.xpo_kill_temp_xprt	= kill_temp,
};

/**
 * rdma_shim_transport_init - offer the class to the RPC services
 * @max_payload: bytes of data in one call or reply
 *
 * Context: process.
 * Return: 0 or an error of the RPC layer.
 */
int rdma_shim_transport_init(unsigned int max_payload)
{
	int ret;

	/* Not bound to a CPU: what it waits for can take a while. */
	free_wq = alloc_workqueue("svcrdma_shim", WQ_UNBOUND, 0);
	if (!free_wq)
		return -ENOMEM;
	xprt_class.xcl_max_payload = max_payload;
	rdma_shim_fill_ops(&xprt_ops);
	ret = svc_reg_xprt_class(&xprt_class);
	if (ret)
		destroy_workqueue(free_wq);
	return ret;
}

/**
 * rdma_shim_transport_exit - take the class away
 *
 * Context: process; waits for connections that are being freed.
 */
void rdma_shim_transport_exit(void)
{
	svc_unreg_xprt_class(&xprt_class);
	/* Freeing a listener frees what it never accepted: twice is enough. */
	flush_workqueue(free_wq);
	destroy_workqueue(free_wq);
}
