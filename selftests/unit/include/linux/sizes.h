/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UNIT_LINUX_SIZES_H
#define UNIT_LINUX_SIZES_H

#define SZ_1M 0x00100000
#define SZ_2M 0x00200000
#define SZ_4G 0x100000000ULL

#endif
