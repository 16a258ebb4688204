# SPDX-License-Identifier: GPL-2.0
#
# For people. Kbuild files are src/Kbuild and selftests/modules/Kbuild;
# `make help` says what there is.

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
BUILD := build/$(KVER)

help:
	@echo 'rdma-shim $(VERSION). Targets:'
	@echo '  modules        build the modules for KVER= (KDIR= names its headers)'
	@echo '  install        as root: install, and build by dkms for every kernel'
	@echo '  uninstall      as root: undo that'
	@echo '  deb            build/rdma-shim-dkms_$(VERSION)_all.deb'
	@echo '  rpm            build/rdma-shim-dkms-$(VERSION)-1.noarch.rpm'
	@echo '  check          unit tests of the pure code and style (no root)'
	@echo '  fuzz           the parser of chunk lists, guided by coverage (FUZZ_SECONDS=)'
	@echo '  demo           as root: a consumer registers memory, a peer reads it'
	@echo '  kselftest      as root: all tests on real kernels, in guests where this'
	@echo '                 machine cannot load modules (KERNELS= DEVICES= SUITES=)'
	@echo '  conformance    as root: all of it on all kernels, native functions too;'
	@echo '                 writes selftests/CONFORMANCE.md'
	@echo '  bench          as root: what the functions cost beside the kernel'"'"'s own;'
	@echo '                 writes selftests/bench/results'
	@echo '  lifecycle      as root: apt, dnf, dkms and kernel packages in chroots'
	@echo '  clean          remove what a build left'

# In a copy, so that kernels do not share objects and the tree stays clean.
# Headers and probes are copied afresh: one that is gone must not linger.
modules:
	@mkdir -p $(BUILD)/src
	@rm -rf $(BUILD)/include $(BUILD)/src/probe
	@cp -Rpu dkms.conf Makefile src include $(BUILD)/
	@$(MAKE) --no-print-directory -C $(BUILD) in-place KVER=$(KVER) KDIR=$(KDIR)

# What dkms runs in its own copy of the tree.
in-place:
	@KVER=$(KVER) src/probe/run $(KDIR) $(CURDIR)/src/generated
	@$(MAKE) -C $(KDIR) M=$(CURDIR)/src $$(cat src/generated/toolchain) modules

install uninstall:
	@src/admin/$@

deb:
	@debian/make-deb

rpm:
	@rpm/make-rpm

check:
	@$(MAKE) --no-print-directory -C selftests/unit run
	@selftests/style

fuzz:
	@$(MAKE) --no-print-directory -C selftests/unit fuzz

demo:
	@selftests/lab/lab demo

kselftest:
	@selftests/lab/lab kselftest

conformance:
	@selftests/lab/lab conformance

bench:
	@selftests/lab/lab bench

lifecycle:
	@selftests/lifecycle/run

clean:
	rm -rf build src/generated
	find src \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name Module.symvers -o -name modules.order \) -delete

.PHONY: help modules in-place install uninstall deb rpm lifecycle check fuzz \
	demo kselftest conformance bench clean
