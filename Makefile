# Every target makes its own environment in .venv; PYTHON chooses the interpreter (3.11 or later).
PYTHON ?= python3
export PYTHONDONTWRITEBYTECODE :=  # whatever the shell says, bytecode is kept: a test run starts hundreds of processes
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable

.PHONY: demo test test-full bench lint docs reproduce compare dist clean

demo: $(CORE)  ## find a good radio configuration among simulated devices, live; then look at the study
	mkdir -p out && rm -f out/iot.db out/iot.db-*
	$(BIN)/satisfice run examples/iot/study.toml --cwd examples/iot --env BENCH_SECONDS=0.1 --storage sqlite:///out/iot.db
	$(BIN)/satisfice explain sqlite:///out/iot.db --config codec=lc3,txpower=12
	$(BIN)/satisfice verify sqlite:///out/iot.db
	$(BIN)/satisfice report sqlite:///out/iot.db --out out/iot.html
	@echo "The report: out/iot.html    Live in a browser: $(BIN)/satisfice dashboard sqlite:///out/iot.db"

test: $(READY)  ## the tests that finish in minutes
	$(BIN)/python -m pytest -n auto --dist worksteal

test-full: $(READY)  ## all tests, heavy statistics included
	$(BIN)/python -m pytest -n auto --dist worksteal -m "full or not full"

bench: $(READY)  ## speed of the simulator and cost of a live study, measured in one run
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.live
	$(BIN)/python -m benchmarks.programs
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.cluster

lint: $(READY)  ## ruff, mypy --strict, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)  ## the documentation as a site in site/
	$(INSTALL) ".[dev,docs]"
	$(BIN)/mkdocs build --strict

reproduce: $(READY)  ## the paper at its own repetitions, about a quarter of an hour
	$(BIN)/satisfice reproduce --repetitions paper --out out/reproduction

compare: $(READY)  ## the benchmark page of the documentation, about half an hour
	$(BIN)/python -m benchmarks.evaluations --repetitions 2000 --out out/benchmark
	cp out/benchmark/benchmark.md out/benchmark/benchmark.csv out/benchmark/benchmark_limits.csv docs/
	cp out/benchmark/figures/benchmark.png docs/figures/

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "satisfice needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml | $(BIN)/python  # satisfice and what it cannot do without
	$(INSTALL) .
	touch $@

$(READY): pyproject.toml | $(BIN)/python  # the extras too, and the tools
	$(INSTALL) ".[dev]"
	touch $(CORE) $@

dist: $(READY)  ## a wheel and an sdist in dist/, tried in an empty environment of every Python from 3.11 to 3.13 that is there
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m benchmarks.install dist

clean:
	rm -rf $(VENV) build dist site out .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
