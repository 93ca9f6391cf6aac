# Everything runs in .venv, which the first target you call makes (`make oldest` has its own). Needed beforehand:
# Python >= 3.11, a C++20 compiler, make, and PyPI. Stamp files there remember what is installed and built, so a second
# run starts at once.

PYTHON ?= python3
JOBS ?= 2
FUZZ_CALLS ?= 3000
FUZZ_FILES ?= 10000

# Compiled tests are kept, whatever the caller's shell says: else each process of a test run compiles them anew.
export PYTHONDONTWRITEBYTECODE :=

BIN := .venv/bin
OLD := .venv-oldest
CPP_FILES := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
SRC_DIRS := src tests tools benchmarks studies
PIP := -m pip install --quiet --disable-pip-version-check

# The tests whose outcome numpy, scipy, scikit-learn or the CPU could change.
NUMERIC_TESTS := $(addprefix tests/,grow prune enhanced worst_case quest chaid msi public search sweep optimal seams \
  certificates costs criteria estimators table test_same_trees.py)
# What the plain and the full run share. Most of it is one process, so they run side by side; the sanitized tests need no
# Python package, so they are compiled while the package is built and its libraries are installed.
CHECKS := sanitize lint docs fuzz ratio

.DEFAULT_GOAL := help
.PHONY: help build demo test test-full test-more bench bench-optimal study study-quick study-page checks lint format docs pytest pytest-full \
  sanitize portable other-cpu oldest fuzz ratio stack promises clean

help:
	@echo "make demo       a tree for the heart-disease data, other methods, the frontier, and report.html"
	@echo "make test       lint, Python tests, sanitized C++ tests, doc examples, fuzz of bindings and files"
	@echo "make test-full  the same with many more tries, the tests that need a browser, Node, Weka, databases and"
	@echo "                THRIFTREE_DATA, and the numbers once more as on an old CPU and with the oldest numpy"
	@echo "make test-more  what test-full has beyond test"
	@echo "make promises   how far every estimator goes beyond its limits, and how soon it ends for Ctrl-C (half an hour)"
	@echo "make bench      speed and memory against other libraries"
	@echo "make bench-optimal  optimal trees against other solvers, which are installed into .venv-peers (THRIFTREE_DATA)"
	@echo "make study      which tree to pick, papers 000, 001 and 002 measured again, and the other studies (THRIFTREE_DATA)"
	@echo "make study-quick  the first four of them on a few small sets (THRIFTREE_DATA)"
	@echo "make study-page   docs/which_tree.md and docs/results.md from the results that make study has kept"
	@echo "make lint       ruff, mypy, clang-format, layer check, name check"
	@echo "make format     let ruff and clang-format rewrite the sources"
	@echo "make docs       run the examples in README.md and docs/, check their links"
	@echo "make clean      remove the environments and build"

# --- the environment ---------------------------------------------------------------------------------------------

# Extras of pyproject.toml, as words for pip: the file stays the only list of requirements.
extras = $$($(PYTHON) -c 'import sys, tomllib; \
	extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
	print(*(word for name in sys.argv[1:] for word in extras[name]))' $(1))

# How to install the package in place, with the environment's own build tools, and warnings of the compiler as errors.
in_place = CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(1)/bin/python $(PIP) --no-build-isolation \
	--config-settings=cmake.define.THRIFTREE_WERROR=ON $(2) --editable .

.venv/.tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	  "thriftree needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) $(call extras,build)
	@touch $@

# The install is editable: only native code and packaging need a rebuild. The stub beside the sources is for mypy.
.venv/.built: .venv/.tools CMakeLists.txt $(CPP_FILES)
	$(call in_place,.venv)
	cp "$$($(BIN)/python -c 'import thriftree._core as core, pathlib; \
	  print(pathlib.Path(core.__file__).with_name("_core.pyi"))')" src/thriftree/_core.pyi
	@touch $@

# What is installed on top of it: for the demo, for the tests, for the full tests, for the benchmarks.
.venv/.demo: EXTRAS := cli
.venv/.dev: EXTRAS := test dev
.venv/.full: EXTRAS := full
.venv/.bench: EXTRAS := bench
.venv/.full .venv/.bench: .venv/.dev
.venv/.demo .venv/.dev .venv/.full .venv/.bench: .venv/.built
	$(BIN)/python $(PIP) $(call extras,$(EXTRAS))
	@touch $@

# The oldest libraries, and a core without code for special CPU instructions.
$(OLD)/.built: pyproject.toml tests/oldest.txt CMakeLists.txt $(CPP_FILES)
	test -x $(OLD)/bin/python || $(PYTHON) -m venv $(OLD)
	$(OLD)/bin/python $(PIP) --constraint tests/oldest.txt $(call extras,build test)
	$(call in_place,$(OLD),--constraint tests/oldest.txt --config-settings=build-dir=build/oldest \
	  --config-settings=cmake.define.THRIFTREE_PORTABLE=ON)
	@touch $@

build: .venv/.dev

# --- what people run ---------------------------------------------------------------------------------------------

demo: .venv/.demo
	$(BIN)/python -m thriftree demo --jobs $(JOBS)

test: checks pytest

test-full: checks test-more

test-more: pytest-full portable other-cpu oldest stack

bench: .venv/.bench
	PYTHONPATH=tests $(BIN)/python -m benchmarks

# Optimal trees beside other solvers. Each is installed alone: one that does not compile here is named, and left out.
.venv-peers/.installed: benchmarks/optimal/peers.txt
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python $(PIP) numpy pandas pyarrow scikit-learn six numba matplotlib
	grep -v '^#' $< | while read peer; do .venv-peers/bin/python $(PIP) "$$peer" || echo "not installed: $$peer"; done
	.venv-peers/bin/python $(PIP) 'scikit-learn<1.8'  # gosdt uses a keyword that 1.8 took away; the others run with both
	@touch $@

bench-optimal: .venv/.bench .venv-peers/.installed
	$(BIN)/python -m benchmarks.optimal $(BENCH_OPTIONS)

# Trees of other libraries, each installed alone: one that does not install here is named, and left out.
.venv/.studies: EXTRAS := studies
.venv/.studies: .venv/.dev
	$(BIN)/python $(PIP) $(call extras,$(EXTRAS))
	for peer in $(call extras,study-peers); do $(BIN)/python $(PIP) "$$peer" || echo "not installed: $$peer"; done
	@touch $@

# THRIFTREE_DATA names the folder of the public tables. What is interrupted goes on where it was when called again.
study: .venv/.studies
	$(BIN)/python -m studies.which_tree --data $(THRIFTREE_DATA) --jobs $(JOBS) --publish
	$(BIN)/python -m studies.enhanced --data $(THRIFTREE_DATA) --jobs $(JOBS) --publish
	$(BIN)/python -m studies.worst_case --data $(THRIFTREE_DATA) --jobs $(JOBS) --certificates --publish
	$(BIN)/python -m studies.self_tuning --data $(THRIFTREE_DATA) --jobs $(JOBS) --short-models --synthetic --publish
	$(BIN)/python -m studies.soft --data $(THRIFTREE_DATA) --jobs $(JOBS) --publish
	$(BIN)/python -m studies.prices --data $(THRIFTREE_DATA) --jobs $(JOBS)
	$(BIN)/python -m studies.noise --data $(THRIFTREE_DATA) --jobs $(JOBS)
	$(BIN)/python -m studies.declared --data $(THRIFTREE_DATA) --jobs $(JOBS)
	$(BIN)/python -m studies.shrinkage --data $(THRIFTREE_DATA) --jobs $(JOBS)
	$(BIN)/python -m studies.optimal --data $(THRIFTREE_DATA) --jobs $(JOBS)
	$(MAKE) --no-print-directory study-page

study-quick: .venv/.studies
	$(BIN)/python -m studies.which_tree --data $(THRIFTREE_DATA) --jobs $(JOBS) --quick
	$(BIN)/python -m studies.enhanced --data $(THRIFTREE_DATA) --jobs $(JOBS) --quick
	$(BIN)/python -m studies.worst_case --data $(THRIFTREE_DATA) --jobs $(JOBS) --sets sonar wdbc
	$(BIN)/python -m studies.self_tuning --data $(THRIFTREE_DATA) --jobs $(JOBS) --sets cancer yeast --repeats 2

study-page: .venv/.studies
	$(BIN)/python -m studies.which_tree.page
	$(BIN)/python -m studies.papers

# --- the parts of the test run -----------------------------------------------------------------------------------

checks: .venv/.tools
	$(MAKE) --no-print-directory --jobs=$(JOBS) --output-sync=target $(CHECKS)

lint: .venv/.dev
	$(BIN)/ruff check $(SRC_DIRS)
	$(BIN)/ruff format --check $(SRC_DIRS)
	$(BIN)/mypy
	@echo clang-format --dry-run; $(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
	$(BIN)/python tools/check_layers.py
	$(BIN)/python tools/check_names.py

format: .venv/.dev
	$(BIN)/ruff check --fix --select I $(SRC_DIRS)
	$(BIN)/ruff format $(SRC_DIRS)
	$(BIN)/clang-format -i $(CPP_FILES)

# THRIFTREE_FULL selects the tests marked "full", lets all tests make their full number of tries, and turns every "tool
# or data missing" skip into a failure.
pytest-full: export THRIFTREE_FULL := 1
pytest-full: .venv/.full
pytest pytest-full: .venv/.dev
	$(BIN)/python tools/check_test_ids.py
	$(BIN)/python -m pytest -n $(JOBS) --durations=15 --durations-min=1

# The tests of the numbers once more, in the plain number of tries: as on an old CPU, and with the oldest libraries.
other-cpu: .venv/.dev
	env $$($(BIN)/python tools/old_cpu.py) $(BIN)/python -m pytest -q -n $(JOBS) $(NUMERIC_TESTS)

oldest: $(OLD)/.built
	$(OLD)/bin/python -m pytest -q -n $(JOBS) $(NUMERIC_TESTS)

# The C++ tests; `portable` is the same without special CPU instructions, and file by file, so that a source that does not
# include what it needs is found.
sanitize: VARIANT := -DTHRIFTREE_PORTABLE=OFF -DTHRIFTREE_UNITY=ON
portable: VARIANT := -DTHRIFTREE_PORTABLE=ON -DTHRIFTREE_UNITY=OFF
sanitize portable: .venv/.tools
	$(BIN)/cmake -S . -B build/$@ -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Debug \
	  -DTHRIFTREE_PYTHON=OFF -DTHRIFTREE_CPP_TESTS=ON -DTHRIFTREE_SANITIZE=ON -DTHRIFTREE_WERROR=ON $(VARIANT)
	$(BIN)/cmake --build build/$@ -j $(JOBS)
	build/$@/thriftree_tests

docs: .venv/.dev
	$(BIN)/python tools/check_docs.py

fuzz: .venv/.dev
	$(BIN)/python tools/fuzz_bindings.py --seed 1 --calls $(FUZZ_CALLS)
	$(BIN)/python tools/fuzz_files.py --seed 1 --files $(FUZZ_FILES)

# Estimators within scikit-learn's own and through what keeps models: every answer stays the same.
stack: .venv/.full
	$(BIN)/python tools/stack_check.py

# Limits and Ctrl-C, measured on tables that are hard on them.
promises: .venv/.dev
	$(BIN)/python tools/promises.py

# How far greedy trees are from the best: 10,000 brute-forced instances against the recorded ratios.
ratio: .venv/.dev
	PYTHONPATH=tests $(BIN)/python tools/greedy_ratio.py

clean:
	rm -rf .venv .venv-peers $(OLD) build src/thriftree/_core.pyi
