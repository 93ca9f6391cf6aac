# Everything runs in .venv, which the first target you call makes. Needed beforehand: Python >= 3.11, a C++20
# compiler, make, and PyPI. Stamp files in .venv remember what is installed and built, so a second run starts at once.

PYTHON ?= python3
JOBS ?= 2
FUZZ_CALLS ?= 3000
FUZZ_FILES ?= 10000

BIN := .venv/bin
CPP_FILES := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
SRC_DIRS := src tests tools benchmarks studies

.DEFAULT_GOAL := help
.PHONY: help build demo test test-full bench study lint format docs pytest sanitize portable fuzz ratio clean

help:
	@echo "make demo       a tree for the heart-disease data, other methods, the frontier, and report.html"
	@echo "make test       lint, Python tests, sanitized C++ tests, doc examples, fuzz of bindings and files"
	@echo "make test-full  the same with the tests that need a browser, Node, Weka, databases and THRIFTREE_DATA"
	@echo "make bench      speed and memory against other libraries"
	@echo "make study      the learners on tables with real prices, and on those of papers 001 and 002 (THRIFTREE_DATA)"
	@echo "make lint       ruff, mypy, clang-format, layer check"
	@echo "make format     let ruff and clang-format rewrite the sources"
	@echo "make docs       run the examples in README.md and docs/, check their links"
	@echo "make clean      remove .venv and build"

# --- the environment ---------------------------------------------------------------------------------------------

# An extra of pyproject.toml, as words for pip: the file stays the only list of requirements.
extra = $$($(BIN)/python -c 'import sys, tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]])' $(1))

.venv/.tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  "thriftree needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(call extra,dev)
	@touch $@

# The install is editable: only native code and packaging need a rebuild. The stub beside the sources is for mypy.
.venv/.built: .venv/.tools CMakeLists.txt $(CPP_FILES)
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --no-build-isolation --editable .
	cp "$$($(BIN)/python -c 'import thriftree._core as core, pathlib; \
	  print(pathlib.Path(core.__file__).with_name("_core.pyi"))')" src/thriftree/_core.pyi
	@touch $@

.venv/.full: .venv/.built
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(call extra,full)
	@touch $@

.venv/.bench: .venv/.built
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(call extra,bench)
	@touch $@

build: .venv/.built

# --- what people run ---------------------------------------------------------------------------------------------

demo: .venv/.built
	$(BIN)/python -m thriftree demo --jobs $(JOBS)

test: lint pytest sanitize docs fuzz ratio

# THRIFTREE_FULL selects the tests marked "full" and turns every "tool or data missing" skip into a failure.
test-full: export THRIFTREE_FULL := 1
test-full: .venv/.full test portable

bench: .venv/.bench
	PYTHONPATH=tests $(BIN)/python -m benchmarks

# THRIFTREE_DATA names the folder of the public tables.
study: .venv/.bench
	$(BIN)/python -m studies.prices --data $(THRIFTREE_DATA)
	$(BIN)/python -m studies.worst_case --data $(THRIFTREE_DATA) --certificates
	$(BIN)/python -m studies.self_tuning --data $(THRIFTREE_DATA) --short-models --synthetic

# --- the parts of the test run -----------------------------------------------------------------------------------

lint: .venv/.built
	$(BIN)/ruff check $(SRC_DIRS)
	$(BIN)/ruff format --check $(SRC_DIRS)
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
	$(BIN)/python tools/check_layers.py

format: .venv/.tools
	$(BIN)/ruff check --fix --select I $(SRC_DIRS)
	$(BIN)/ruff format $(SRC_DIRS)
	$(BIN)/clang-format -i $(CPP_FILES)

pytest: .venv/.built
	$(BIN)/python -m pytest -n $(JOBS)

# The same tests once more without special CPU instructions: `portable`.
sanitize: PORTABLE := OFF
portable: PORTABLE := ON
sanitize portable: .venv/.tools
	$(BIN)/cmake -S . -B build/$@ -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Debug \
	  -DTHRIFTREE_PYTHON=OFF -DTHRIFTREE_CPP_TESTS=ON -DTHRIFTREE_SANITIZE=ON -DTHRIFTREE_PORTABLE=$(PORTABLE)
	$(BIN)/cmake --build build/$@ -j $(JOBS)
	build/$@/thriftree_tests

docs: .venv/.built
	$(BIN)/python tools/check_docs.py

fuzz: .venv/.built
	$(BIN)/python tools/fuzz_bindings.py --seed 1 --calls $(FUZZ_CALLS)
	$(BIN)/python tools/fuzz_files.py --seed 1 --files $(FUZZ_FILES)

# How far greedy trees are from the best: 10,000 brute-forced instances against the recorded ratios.
ratio: .venv/.built
	PYTHONPATH=tests $(BIN)/python tools/greedy_ratio.py

clean:
	rm -rf .venv build src/thriftree/_core.pyi
