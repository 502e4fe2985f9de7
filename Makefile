# The two commands for a fresh machine are `make demo` and `make test`; each does its own set-up and may be run again.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-dev model demo test test-deep golden check format docs docs-serve lock release windows-agent clean
SHELL := bash
# Each worker would compile every test anew, which takes longer than most tests.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
# For tests of the plumbing around a model (93 MB).
SMALL_MODEL := smollm2-135m-instruct

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## packages of the system, and .venv, for running it
	@tools/apt-setup.sh demo
	@tools/venv-setup.sh requirements.lock

setup-dev: ## the same, the benchmarks, and what the tests need
	@tools/apt-setup.sh test
	@tools/venv-setup.sh requirements-dev.lock

model: setup ## fetch the default local model (1.1 GB, resumable, checked by hash)
	@$(BIN)/deskcrew models pull

demo: setup ## watch a chore being proven on a virtual desktop; the local model is fetched meanwhile
	@$(BIN)/deskcrew demo $$([ -t 0 ] || echo --yes)

test: setup-dev check model ## everything but the long tests; ARGS="-k plan" for some of it
	@$(BIN)/deskcrew models pull $(SMALL_MODEL)
	@# Most of them wait for real programs: two workers a core. A module's tests share its fixtures, and so its worker.
	@$(BIN)/pytest -m "not deep" -n $$(($$(nproc) * 2)) --maxprocesses 8 --dist loadscope --no-loadscope-reorder $(ARGS)

test-deep: setup-dev model ## the long tests, in parts of under an hour
	@$(BIN)/deskcrew models pull $(SMALL_MODEL)
	@tools/test-deep.sh $(ARGS)

golden: setup-dev ## record the golden runs anew; ARGS=--compare only compares, ARGS="lanes cola" for some
	@$(BIN)/python tests/golden/record.py $(ARGS)

check: setup-dev ## lint, format, spelling, types, import directions, tests that can be read
	@tools/check.sh

format: ## lay out the code the way check wants it
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format

docs: setup-dev ## build the documentation site into build/site; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Built build/site/index.html; make docs-serve shows it."

docs-serve: setup-dev ## show the documentation site at http://127.0.0.1:8000, rebuilt as you write
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --dev-addr 127.0.0.1:8000

lock: setup ## resolve the dependencies anew; ARGS=--upgrade for newer ones
	@tools/lock.sh $(ARGS)

release: setup-dev ## sdists, wheels, SBOM and checksums in dist/, tried in an empty environment; ARGS=--sign
	@tools/release.sh $(ARGS)

windows-agent: setup ## the agent for Windows in dist/: a wheel, and an archive with all it needs
	@tools/windows-agent.sh $(ARGS)

clean: ## remove .venv and caches (models and runs are kept)
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build
	@find src tests bench/src windows-agent/src -name __pycache__ -type d -exec rm -rf {} +
