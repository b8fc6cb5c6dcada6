# The short way to everything; CMake does the work. `make help` lists the targets.
BUILD  := build/release
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
# Seconds that each fuzzer runs.
FUZZ_SECONDS ?= 60

# The Python package is built and tested by `make test`, in an environment under build/; PYTHON=no leaves it out.
PYTHON ?= yes
VENV   := build/venv
WITH_PYTHON = $(if $(filter-out no,$(PYTHON)),-DDAEDALUS_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(VENV))/bin/python,-DDAEDALUS_PYTHON=OFF)
MAKE_VENV = $(if $(filter-out no,$(PYTHON)),scripts/python-env.sh $(VENV),true)

CCACHE := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
DEPS   := scripts/install-deps.sh

.PHONY: build test demo docs deb gallery install wheel lint format asan ci-sanitize portable tsan bench fuzz clean help
.DEFAULT_GOAL := build

build: ## build the library and the program, which is then build/release/daedalus
	@$(DEPS) build
	@mkdir -p $(BUILD)
	@cmake --preset release -DDAEDALUS_TESTS=OFF $(CCACHE) >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)

test: ## build everything and run all tests
	@$(DEPS) build test
	@$(MAKE_VENV)
	cmake --preset release -DDAEDALUS_TESTS=ON $(WITH_PYTHON) $(CCACHE)
	cmake --build $(BUILD) -j $(JOBS)
	ctest --preset release -j $(JOBS)

demo: build ## simulate a pendulum at position level (index 3) and a walking leg, and show them
	@scripts/demo.sh $(BUILD)/daedalus build/demo

gallery: build ## draw the pictures of docs/gallery anew
	@$(DEPS) test
	@scripts/gallery.py $(BUILD)/daedalus

install: build ## install library, headers and program under PREFIX (/usr/local)
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: build ## a package of Debian in build/deb
	@$(DEPS) deb
	cd $(BUILD) && cpack -G DEB -B ../deb >cpack.log || { cat cpack.log; exit 1; }
	@ls build/deb/*.deb

wheel: ## a wheel of the Python package that carries its libraries, in build/wheel
	@$(DEPS) build python
	@scripts/python-env.sh $(VENV)
	scripts/wheel.sh $(VENV) build/wheel

docs: build ## the site of the documentation, in build/site/html
	@$(DEPS) python
	@[ -x build/site/venv/bin/mkdocs ] || { python3 -m venv build/site/venv && build/site/venv/bin/pip install --quiet mkdocs-material; }
	scripts/site/build.py build/site --program $(BUILD)/daedalus --mkdocs build/site/venv/bin/mkdocs
	@echo "build/site/html/index.html"

lint: ## clang-format and clang-tidy over our sources
	@$(DEPS) build test lint
	scripts/lint.sh

format: ## let clang-format rewrite our sources
	@$(DEPS) lint
	scripts/sources.sh | xargs clang-format -i

asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(DEPS) build test
	@$(MAKE_VENV)
	cmake --preset asan -DDAEDALUS_TESTS=ON $(WITH_PYTHON) $(CCACHE)
	cmake --build build/asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

ci-sanitize: ## under the same sanitizers the slice of the tests that continuous integration runs
	@$(DEPS) build test
	cmake --preset asan -DDAEDALUS_TESTS=ON -DDAEDALUS_PYTHON=OFF $(CCACHE)
	cmake --build build/asan -j $(JOBS) --target tests_threads tests_sanitize
	ctest --preset asan -j $(JOBS) -L 'threads|sanitize'

portable: ## what chooses by the processor, built without machine code and without AVX, and its tests
	@$(DEPS) build test
	cmake --preset release -B build/portable -DDAEDALUS_TESTS=ON -DDAEDALUS_PYTHON=OFF -DDAEDALUS_PORTABLE=ON $(CCACHE)
	cmake --build build/portable -j $(JOBS) --target test_codegen test_numerics test_integrate
	for name in codegen numerics integrate; do build/portable/tests/$$name/test_$$name --gtest_brief=1 || exit 1; done

tsan: ## what runs in threads, under ThreadSanitizer
	@$(DEPS) build test
	cmake --preset tsan -DDAEDALUS_TESTS=ON -DDAEDALUS_PYTHON=OFF $(CCACHE)
	cmake --build build/tsan -j $(JOBS) --target tests_threads
	ctest --preset tsan -j $(JOBS) -L threads

bench: ## build and run the benchmarks, also of rivals as far as they can be installed
	@$(DEPS) build bench
	@$(DEPS) rivals || echo "the benchmarks do without some of the rivals"
	cmake --preset release -B build/bench -DDAEDALUS_TESTS=OFF -DDAEDALUS_BENCH=ON $(CCACHE)
	cmake --build build/bench -j $(JOBS)
	@scripts/bench.sh build/bench

fuzz: ## fuzz the parser for FUZZ_SECONDS (60) under the sanitizers
	@$(DEPS) build fuzz
	scripts/fuzz.sh $(FUZZ_SECONDS)

clean: ## remove everything that was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22
