/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_RHASHTABLE_H
#define UNIT_LINUX_RHASHTABLE_H

struct rhash_head {
	void *unused;
};

struct rcu_head {
	void *unused;
};

#endif
