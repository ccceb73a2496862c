# Every target sets up what it needs in .venv, once; a stamp there says what is installed, and a
# newer pyproject.toml makes it install again.

PYTHON ?= python3
JOBS ?= auto

VENV := .venv
PY := $(VENV)/bin/python
BENCH := [river,dev]
SETUP := [all,spark,dev]
STAMPS := $(addprefix $(VENV)/,.core .bench .setup)

# The arithmetic is compiled and runs in one thread; more BLAS threads only disturb each other.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

# Streams that lie beside the project are found unless told otherwise.
ifeq ($(origin MOOE_DATA_HOME),undefined)
  BESIDE := $(shell cd ../shared/data 2>/dev/null && pwd)
  ifneq ($(BESIDE),)
    export MOOE_DATA_HOME := $(BESIDE)
  endif
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run setup test check wheel bench peers clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.core ## install the core and run the demo
	@$(VENV)/bin/mooe demo

setup: $(VENV)/.setup ## install all but CapyMOA, for development

test: check ## everything that must pass: format, lint, types, all tests
	@$(PY) -m pytest -n $(JOBS) --maxprocesses 8 --dist loadgroup

check: $(VENV)/.setup ## format, lint and types only
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy

wheel: $(VENV)/.bench ## both wheels into dist: for this platform, with compiled code; and for all
	@$(PY) native/wheels.py

bench: $(VENV)/.bench ## measure all that is ours; what is of this state of the code is kept; hours
	@$(PY) benchmarks/answers.py
	@$(PY) benchmarks/core.py
	@$(PY) benchmarks/auto.py
	@$(PY) benchmarks/shells.py
	@$(PY) benchmarks/first_use.py
	@$(PY) benchmarks/evaluate.py --memory
	@$(PY) benchmarks/baselines.py
	@$(PY) benchmarks/ablation.py
	@$(PY) benchmarks/ablation.py --times
	@$(PY) benchmarks/before.py 16c952b
	@$(PY) benchmarks/sensitivity.py
	@$(PY) benchmarks/regimes.py
	@$(PY) benchmarks/recurrence.py
	@$(PY) benchmarks/forest_pool.py
	@$(PY) benchmarks/regression.py
	@$(PY) benchmarks/texts.py
	@$(PY) benchmarks/forecast.py
	@$(PY) benchmarks/keyed.py
	@$(PY) benchmarks/reproduce.py
	@$(PY) benchmarks/peers.py --models no-change,majority,mooe
	@$(PY) benchmarks/peers.py --speed
	@$(PY) benchmarks/page.py

peers: $(VENV)/.bench ## CapyMOA's and River's learners beside ours, in .venv-peers; hours
	@$(PY) benchmarks/peers.py
	@$(PY) benchmarks/peers.py --speed

clean: ## remove caches and build results; .venv stays, its stamps go
	@rm -rf build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name '.venv*' -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -f $(STAMPS)

# $(call install,what,how long,extras,stamps that hold from now on)
define install
	@echo "installing $(1) into $(VENV), once; $(2) ..."
	@$(PY) -m pip install -qq --disable-pip-version-check -e '.$(3)'
	@touch $(addprefix $(VENV)/,$(4))
endef

$(VENV)/.core: pyproject.toml | $(VENV)/bin/pip
	$(call install,the core,a minute or two,,.core)

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/pip
	$(call install,the core and River,a minute or two,$(BENCH),.core .bench)

$(VENV)/.setup: pyproject.toml | $(VENV)/bin/pip
	$(call install,all that the tests need,a minute or two,$(SETUP),.core .bench .setup)

# pip is the last that venv writes: where it is missing, an earlier attempt was cut short.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "mooe needs Python 3.11 or newer, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)" >&2; \
	  echo "name another one: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
