# The front door. Everything is built by CMake (CMakePresets.json); this file names the things a person wants.
#
#   make build        build/mlia
#   make demo         build it and analyse the keyword spotter in examples/
#   make test         set up and run all tests          make test-quick   the ones that need no other tool
#   make lint         formatting and static analysis    make asan         the tests under Address- and UBSanitizer
#   make fuzz         run every fuzz target             make bench        times and memory beside the official tools
#   make install      into PREFIX (default /usr/local)  make clean        remove what was built
#
# Each target installs the packages it needs on Debian 12 and Ubuntu 24.04 (scripts/setup.sh).

.PHONY: build demo test test-quick lint format asan clang fuzz bench install clean

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60
PYTEST        = .venv/bin/python -m pytest -q -p no:cacheprovider

build:
	@scripts/setup.sh build
	@cmake --preset gcc >/dev/null
	@cmake --build --preset gcc

demo: build
	build/mlia check examples/keyword_spotter.vgf --target-profile neural-technology \
	    --compatibility --performance --no-output

test:
	@scripts/setup.sh test
	@cmake --preset gcc >/dev/null
	@cmake --build --preset gcc
	ctest --test-dir build --output-on-failure
	MLIA_PROGRAM=build/mlia $(PYTEST) tests/cli tests/oracle

test-quick:
	@scripts/setup.sh test
	@cmake --preset gcc >/dev/null
	@cmake --build --preset gcc
	ctest --test-dir build --output-on-failure
	MLIA_PROGRAM=build/mlia $(PYTEST) -m "not slow" tests/cli

lint:
	@scripts/setup.sh lint
	@cmake --preset clang >/dev/null
	scripts/lint.sh

format:
	@scripts/setup.sh test
	scripts/lint.sh --format

# The whole suite again, built by clang with sanitizers: a crash, leak or undefined step fails it, and so does an answer that
# differs from the gcc build's.
asan: build
	@scripts/setup.sh asan
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan
	ctest --test-dir build-asan --output-on-failure
	MLIA_PROGRAM=build-asan/mlia MLIA_OTHER_PROGRAM=build/mlia $(PYTEST) -m "not slow" tests/cli

clang:
	@scripts/setup.sh asan
	@cmake --preset clang >/dev/null
	@cmake --build --preset clang
	ctest --test-dir build-clang --output-on-failure

fuzz:
	@scripts/setup.sh asan
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target fuzzers
	scripts/fuzz.sh $(FUZZ_SECONDS)

bench: build
	@scripts/setup.sh test
	.venv/bin/python bench/bench.py build/mlia

install: build
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-clang build-asan build-fuzz .venv
