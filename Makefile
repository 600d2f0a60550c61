# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The everyday commands; CMake and Ninja do the work. `make help` explains them.
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
# Further options for CMake, as in `make CMAKE_FLAGS=-DTESSERA_LLVM=OFF`.
CMAKE_FLAGS ?=

ASAN = build-asan
FUZZ = build-fuzz
DEPS = $(BUILD)/.deps
export DESTDIR

.PHONY: build demo wheel deb test-deb test test-variants test-aarch64 test-gpu-emu web test-web gpu-bundle bench fuzz random-block random-ops mutants install uninstall docs golden format format-check deps clean help
.DEFAULT_GOAL = build

build: $(BUILD)/build.ninja ## The libraries and the command, build/bin/tessera
	@cmake --build $(BUILD) --target product

demo: $(BUILD)/build.ninja ## Watch kernels classify handwritten digits, and how fast
	@cmake --build $(BUILD) --target product example_digits
	@scripts/demo $(BUILD)

test: $(BUILD)/build.ninja $(ASAN)/build.ninja ## All tests, also under the address and undefined sanitizers
	@cmake --build $(BUILD)
	@cmake --build $(ASAN)
	@scripts/test $(BUILD) $(ASAN)

test-variants: | $(DEPS) ## Other builds: without LLVM, by clang, with ThreadSanitizer; and clang-tidy (ONLY=thread for one)
	@scripts/deps variants
	@scripts/test-variants $(ONLY)

test-gpu-emu: $(BUILD)/build.ninja ## The GPU backend's tests on the PTX emulator, whole (`make test` has a sample)
	@cmake --build $(BUILD)
	@scripts/test-gpu-emu $(BUILD)

gpu-bundle: $(BUILD)/build.ninja ## What scripts/gpu-check runs on a machine with a GPU, packed into build/gpu-bundle (TARGET=sm_90a, gfx942, …, amd)
	@cmake --build $(BUILD) --target product gpu_check
	@scripts/gpu-check --pack $(BUILD)/gpu-bundle --build $(BUILD) --target $(or $(TARGET),sm_90a)

test-aarch64: $(BUILD)/build.ninja ## Code for 64-bit Arm: a cross build, its tests under qemu-user (ONLY=core for one)
	@scripts/deps aarch64
	@scripts/test-aarch64 $(BUILD) build-aarch64 $(ONLY)

WEB = build-web
web: ## A page for browsers, build-web/tessera.html: layouts and a playground, without a server
	@scripts/deps web
	@cmake -S web -B $(WEB) -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/web/wasm32-wasi.cmake >/dev/null
	@cmake --build $(WEB)
	@echo "$(WEB)/tessera.html"

test-web: build web ## Use the page in headless Chromium; screenshots go to build-web/screenshots
	@scripts/deps test-web
	@TESSERA_PAGE=$(CURDIR)/$(WEB)/tessera.html TESSERA_COMMAND=$(CURDIR)/$(BUILD)/bin/tessera \
	  TESSERA_SCREENSHOTS=$(CURDIR)/$(WEB)/screenshots /usr/bin/python3 -m pytest -q tests/web

# LLVM's archives are those of the llvm-config that CMake finds; CMAKE_FLAGS="-DLLVM_CONFIG=FILE"
# names another (docs/python.md).
WHEEL = build-wheel
wheel: | $(DEPS) ## A Python wheel with LLVM inside, for any Linux with glibc 2.34 (build-wheel/wheel)
	@scripts/deps wheel
	@cmake -S . -B $(WHEEL) -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_LLVM_STATIC=ON -DTESSERA_TESTS=OFF $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(WHEEL) --target product
	@scripts/wheel $(WHEEL)

deb: ## Debian packages: tessera, libtessera0, libtessera-dev, python3-tessera (build-deb)
	@scripts/deps deb
	@scripts/deb build-deb

test-deb: deb ## Install the packages in a bare Debian, and use them there (as root)
	@scripts/deps test-deb
	@scripts/test-deb build-deb

# With TESSERA_MACHINE=avx2 or baseline, which hides what the processor has beyond, the C loops are
# compiled for that too, in a build folder of their own.
march_avx2 = x86-64-v3
march_baseline = x86-64
march = $(march_$(TESSERA_MACHINE))
BENCH = $(BUILD)$(if $(march),-$(TESSERA_MACHINE))
bench: $(BENCH)/build.ninja ## Speed beside C loops and OpenBLAS, in the same run (ONLY=gemm for one, ONLY=scaling for whether files cost in proportion to their size, TESSERA_MACHINE=avx2 without AVX-512)
	@cmake --build $(BENCH) --target product bench
	@scripts/bench $(BENCH) $(ONLY)

# `programs` needs a fast build, the fuzzers of readers one with sanitizers.
fuzz_readers = $(filter-out programs,$(or $(ONLY),all))
fuzz_programs = $(filter programs all,$(or $(ONLY),all))
fuzz: $(if $(fuzz_programs),$(BUILD)/build.ninja) $(if $(fuzz_readers),$(FUZZ)/build.ninja) ## Broken input for every reader, random programs for every engine (SECONDS_EACH=60, ONLY=programs, COUNT=1000, ENGINES=gpu)
	@$(if $(fuzz_readers),cmake --build $(FUZZ) --target fuzz)
	@$(if $(fuzz_programs),cmake --build $(BUILD) --target fuzz_programs)
	@scripts/fuzz $(BUILD) $(FUZZ) $(ONLY)

SEEDS = 20000
random-block: $(BUILD)/build.ninja ## Random kernels of the block level on the interpreter, CPUs and emulated cards (SEEDS=20000, from FIRST=1000 on)
	@cmake --build $(BUILD) --target test_block_random test_cpu_block test_nvptx_block_random
	@for test in test_block_random test_cpu_block test_nvptx_block_random; do \
	  echo "$$test: $(SEEDS) kernels" && $(BUILD)/tests/unit/$$test $(or $(FIRST),1000) $(SEEDS) || exit 1; done

random-ops: $(BUILD)/build.ninja ## Random problems of operators on the interpreter, CPUs of each level and emulated cards (TIMES=10 as many as the tests have, from FIRST=1000 on, ONLY=chains)
	@scripts/random-ops $(BUILD) $(or $(TIMES),10) $(or $(FIRST),1000) $(ONLY)

mutants: build ## Each single mistake in each kernel of the block level: the checks of the interpreter and the emulator find it
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/support/all_mutants.py $(BUILD)/bin/tessera $(BUILD)/mutants $(ONLY)

install: build ## Install below PREFIX (/usr/local), staged below DESTDIR
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

uninstall: ## Remove what `make install` of this build folder has put below PREFIX
	@scripts/uninstall $(BUILD) "$(DESTDIR)"

docs: build ## Rewrite what comes from tables (docs/ops.md, docs/tessera.1, docs/unsupported.md, include/tessera/ops.h)
	@scripts/docs $(BUILD)
	@scripts/gen-builder $(BUILD)

golden: build ## Rewrite what tests expect the command to print; look at git diff after it
	@BUILD=$(BUILD) scripts/update-golden

format: ## Lay out all C files as .clang-format says
	@scripts/deps format
	@scripts/format

format-check: ## Say which C files `make format` would change
	@scripts/deps format
	@scripts/format --check

deps: ## Install the Debian packages that are missing (others call it when needed)
	@scripts/deps

clean: ## Remove everything that was built
	rm -rf $(BUILD) $(ASAN) $(FUZZ) build-no-llvm build-clang build-thread build-aarch64 build-deb $(WEB) $(WHEEL)

help: ## This page
	@scripts/help $(firstword $(MAKEFILE_LIST))

# Looked at again only when this list or the system's set of packages has changed.
$(DEPS): scripts/deps $(wildcard /var/lib/dpkg/status)
	@scripts/deps
	@mkdir -p $(@D) && touch $@

# Configured once, and again when CMAKE_FLAGS changes; Ninja sees to the rest.
%/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CMAKE_FLAGS)' | cmp -s - $@ || echo '$(CMAKE_FLAGS)' >$@
.PRECIOUS: %/.flags
.PHONY: FORCE

sanitized = -DCMAKE_BUILD_TYPE=Debug -DTESSERA_SANITIZE=address,undefined
configure = cmake -S . -B $(@D) -G Ninja $(CMAKE_FLAGS)
$(BUILD)/build.ninja: $(BUILD)/.flags | $(DEPS)
	@$(configure)
ifneq ($(march),)
$(BENCH)/build.ninja: $(BENCH)/.flags | $(DEPS)
	@$(configure) -DTESSERA_BENCH_MARCH=$(march) -DTESSERA_TESTS=OFF
endif
$(ASAN)/build.ninja: $(ASAN)/.flags | $(DEPS)
	@$(configure) $(sanitized)
$(FUZZ)/build.ninja: $(FUZZ)/.flags | $(DEPS)
	@$(configure) $(sanitized) -DTESSERA_TESTS=OFF -DTESSERA_FUZZ=ON
