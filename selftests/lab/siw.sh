# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# siw for kernels that do not ship it, built from their own source package.

siw_into()
{
	:
}
