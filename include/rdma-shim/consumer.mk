# SPDX-License-Identifier: GPL-2.0
#
# Linux 7.3's RDMA API on the kernel being built for. Put this one line into
# the Kbuild file of a driver:
#
#	-include /usr/share/rdma-shim/consumer.mk
#
# Where rdma-shim is not installed, the line does nothing and the driver gets
# the kernel's own functions.

RDMA_SHIM_STATE ?= /var/lib/rdma-shim
RDMA_SHIM_INCLUDE ?= /usr/share/rdma-shim/include

rdma-shim-state := $(RDMA_SHIM_STATE)/$(KERNELRELEASE)
rdma-shim-config := $(wildcard $(rdma-shim-state)/config.h)

# "make clean" and a Makefile that is not yet inside kbuild need nothing.
rdma-shim-wanted := $(if $(filter %Makefile.clean,$(MAKEFILE_LIST)),,$(KERNELRELEASE))

ifneq ($(rdma-shim-wanted),)
ifeq ($(rdma-shim-config),)
$(error rdma-shim is installed but not built for kernel $(KERNELRELEASE): run "rdma-shim build $(KERNELRELEASE)", then build again)
endif

rdma-shim-lacks := $(shell sed -n 's/^.define RDMA_SHIM_LACKS "\(.*\)"/\1/p' $(rdma-shim-config))
ifneq ($(rdma-shim-lacks),)
$(error rdma-shim cannot work on kernel $(KERNELRELEASE), which lacks $(rdma-shim-lacks))
endif

NOSTDINC_FLAGS += -I$(RDMA_SHIM_INCLUDE) -I$(rdma-shim-state)/include
KBUILD_EXTRA_SYMBOLS += $(rdma-shim-state)/Module.symvers
endif
