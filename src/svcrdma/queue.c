// SPDX-License-Identifier: GPL-2.0
/*
 * The Send Queue of a connection. A chain that finds too few slots waits in
 * line and is posted from a completion; no thread sleeps (R8).
 */
#include "svcrdma/svcrdma.h"

#include <linux/delay.h>
#include <linux/jiffies.h>

static bool closing(const struct svcxprt_rdma *rdma)
{
	return test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags);
}

static void park(struct svcxprt_rdma *rdma, struct svc_rdma_shim_chain *chain)
{
	chain->ch_shim_next = NULL;
	if (rdma->sc_shim_parked)
		rdma->sc_shim_parked_last->ch_shim_next = chain;
	else
		rdma->sc_shim_parked = chain;
	rdma->sc_shim_parked_last = chain;
}

/* Takes the slots of a chain; the caller holds sc_send_lock. */
static bool launch(struct svcxprt_rdma *rdma, struct svc_rdma_shim_chain *chain)
{
	if (atomic_read(&rdma->sc_sq_avail) < chain->ch_shim_slots)
		return false;
	atomic_sub(chain->ch_shim_slots, &rdma->sc_sq_avail);
	/* A completion can come before ib_post_send() returns. */
	hlist_add_head(&chain->ch_shim_posted, &rdma->sc_shim_posted);
	return true;
}

/**
 * rdma_shim_chain_land - the completion of a chain has come
 * @rdma: the connection
 * @chain: the chain
 *
 * Context: completion.
 * Return: false if the connection gave up waiting: @chain is not the caller's.
 */
bool rdma_shim_chain_land(struct svcxprt_rdma *rdma,
			  struct svc_rdma_shim_chain *chain)
{
	bool landed;

	spin_lock_bh(&rdma->sc_send_lock);
	landed = !hlist_unhashed(&chain->ch_shim_posted);
	hlist_del_init(&chain->ch_shim_posted);
	spin_unlock_bh(&rdma->sc_send_lock);
	return landed;
}

/* The chain has its slots. Returns an error only if nothing went out. */
static int post(struct svcxprt_rdma *rdma, struct svc_rdma_shim_chain *chain)
{
	const struct ib_send_wr *bad = NULL;
	int ret;

	ret = ib_post_send(rdma->sc_qp, chain->ch_shim_first, &bad);
	if (!ret)
		return 0;
	svc_rdma_xprt_deferred_close(rdma);
	/* siw names none when all are queued and it cannot begin to send. */
	if (!bad)
		return 0;
	/* No completion will give them back, and no more will be posted. */
	atomic_add(chain->ch_shim_slots, &rdma->sc_sq_avail);
	if (bad != chain->ch_shim_first)
		return 0;
	return rdma_shim_chain_land(rdma, chain) ? -ENOTCONN : 0;
}

/**
 * rdma_shim_chain_submit - post a chain, now or when there are slots
 * @rdma: the connection
 * @chain: first request, slots and drop callback are set
 *
 * Context: process or completion.
 * Return: 0, the chain has a new owner; -EINVAL, it can never fit;
 * -ENOTCONN, nothing went out and the connection closes (R1, R8).
 */
int rdma_shim_chain_submit(struct svcxprt_rdma *rdma,
			   struct svc_rdma_shim_chain *chain)
{
	bool now;

	if (chain->ch_shim_slots > rdma->sc_sq_depth)
		return -EINVAL;

	spin_lock_bh(&rdma->sc_send_lock);
	if (closing(rdma)) {
		spin_unlock_bh(&rdma->sc_send_lock);
		return -ENOTCONN;
	}
	now = !rdma->sc_shim_parked && launch(rdma, chain);
	if (!now)
		park(rdma, chain);
	spin_unlock_bh(&rdma->sc_send_lock);

	if (now)
		return post(rdma, chain);
	percpu_counter_inc(&svcrdma_stat_sq_starve);
	return 0;
}

/* The oldest chain that waits, if it can go now; @last: none waits any more. */
static struct svc_rdma_shim_chain *next_ready(struct svcxprt_rdma *rdma,
					      bool *last)
{
	struct svc_rdma_shim_chain *chain;

	spin_lock_bh(&rdma->sc_send_lock);
	chain = rdma->sc_shim_parked;
	if (chain && !closing(rdma) && launch(rdma, chain)) {
		rdma->sc_shim_parked = chain->ch_shim_next;
		*last = !rdma->sc_shim_parked;
	} else {
		chain = NULL;
	}
	spin_unlock_bh(&rdma->sc_send_lock);
	return chain;
}

/**
 * rdma_shim_svc_rdma_wake_send_waiters - give slots back
 * @rdma: the connection
 * @avail: how many
 *
 * Posts the chains that waited for them, in the order they came (R8).
 *
 * Context: process or completion.
 */
void rdma_shim_svc_rdma_wake_send_waiters(struct svcxprt_rdma *rdma, int avail)
{
	struct svc_rdma_shim_chain *chain;
	bool last;

	atomic_add(avail, &rdma->sc_sq_avail);
	while ((chain = next_ready(rdma, &last))) {
		if (post(rdma, chain))
			chain->ch_shim_drop(rdma, chain);
		if (last)
			svc_xprt_enqueue(&rdma->sc_xprt);
	}
	if (wq_has_sleeper(&rdma->sc_send_wait))
		wake_up(&rdma->sc_send_wait);
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_wake_send_waiters);

/**
 * rdma_shim_chain_waits - does a chain wait for slots?
 * @rdma: the connection
 *
 * Context: any.
 */
bool rdma_shim_chain_waits(struct svcxprt_rdma *rdma)
{
	return READ_ONCE(rdma->sc_shim_parked);
}

/*
 * A driver's drain may be done before the completions it should be behind, and
 * siw drops a request that it cannot begin: a completion that is not here by
 * then does not come.
 */
static void wait_for_completions(struct svcxprt_rdma *rdma)
{
	unsigned long end = jiffies + HZ;

	while (atomic_read(&rdma->sc_sq_avail) < rdma->sc_sq_depth &&
	       time_before(jiffies, end))
		msleep(20);
}

static struct svc_rdma_shim_chain *next_posted(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_shim_chain *chain = NULL;

	spin_lock_bh(&rdma->sc_send_lock);
	if (!hlist_empty(&rdma->sc_shim_posted)) {
		chain = hlist_entry(rdma->sc_shim_posted.first,
				    struct svc_rdma_shim_chain, ch_shim_posted);
		hlist_del_init(&chain->ch_shim_posted);
	}
	spin_unlock_bh(&rdma->sc_send_lock);
	return chain;
}

/**
 * rdma_shim_chain_purge - free all that waits for slots
 * @rdma: a connection with XPT_CLOSE set
 *
 * Context: process.
 */
void rdma_shim_chain_purge(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_shim_chain *chain, *next;

	spin_lock_bh(&rdma->sc_send_lock);
	chain = rdma->sc_shim_parked;
	rdma->sc_shim_parked = NULL;
	spin_unlock_bh(&rdma->sc_send_lock);
	for (; chain; chain = next) {
		next = chain->ch_shim_next;
		chain->ch_shim_drop(rdma, chain);
	}
}

/**
 * rdma_shim_chain_bury - free what has no completion to free it
 * @rdma: a connection whose QP is drained, and not yet destroyed
 *
 * That is what waits for slots, what failed half posted and what the device
 * owes a completion for. One that comes after all finds its chain gone.
 *
 * Context: process; waits up to a second.
 */
void rdma_shim_chain_bury(struct svcxprt_rdma *rdma)
{
	struct svc_rdma_shim_chain *chain;

	rdma_shim_chain_purge(rdma);
	wait_for_completions(rdma);
	while ((chain = next_posted(rdma)))
		chain->ch_shim_drop(rdma, chain);
}

static bool reserve(struct svcxprt_rdma *rdma, int slots)
{
	bool got = false;

	spin_lock_bh(&rdma->sc_send_lock);
	if (!rdma->sc_shim_parked &&
	    atomic_read(&rdma->sc_sq_avail) >= slots) {
		atomic_sub(slots, &rdma->sc_sq_avail);
		got = true;
	}
	spin_unlock_bh(&rdma->sc_send_lock);
	return got;
}

/**
 * rdma_shim_svc_rdma_sq_wait - take slots for requests of the caller's own
 * @rdma: the connection
 * @cid: identifies the caller
 * @sqecount: slots
 *
 * Nothing of ours calls it: it sleeps.
 *
 * Context: process.
 * Return: 0, -EINVAL if the queue is not that deep, -ENOTCONN if it closes.
 */
int rdma_shim_svc_rdma_sq_wait(struct svcxprt_rdma *rdma,
			       const struct rpc_rdma_cid *cid, int sqecount)
{
	bool got = false;

	if (sqecount > rdma->sc_sq_depth)
		return -EINVAL;
	wait_event(rdma->sc_send_wait,
		   closing(rdma) || (got = reserve(rdma, sqecount)));
	return got ? 0 : -ENOTCONN;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_sq_wait);

/**
 * rdma_shim_svc_rdma_post_send_err - after ib_post_send() failed
 * @rdma: the connection; it will close
 * @cid: identifies the caller
 * @bad_wr: the request that was not posted
 * @first_wr: the first of the chain
 * @sqecount: slots of the chain
 * @ret: what ib_post_send() returned
 *
 * Context: process or completion.
 * Return: -ENOTCONN if nothing went out, and the slots are given back; 0 if a
 * completion will come (R1).
 */
int rdma_shim_svc_rdma_post_send_err(struct svcxprt_rdma *rdma,
				     const struct rpc_rdma_cid *cid,
				     const struct ib_send_wr *bad_wr,
				     const struct ib_send_wr *first_wr,
				     int sqecount, int ret)
{
	svc_rdma_xprt_deferred_close(rdma);
	if (bad_wr != first_wr)
		return 0;
	svc_rdma_wake_send_waiters(rdma, sqecount);
	return -ENOTCONN;
}
EXPORT_SYMBOL_GPL(rdma_shim_svc_rdma_post_send_err);
