# The two commands for a fresh machine are `make demo` and `make test`; each does its own set-up and may be run again.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-dev model demo test test-deep check format lock clean
SHELL := bash
BIN := .venv/bin
# For tests of the plumbing around a model (93 MB).
SMALL_MODEL := smollm2-135m-instruct

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Debian packages and .venv for running it
	@tools/apt-setup.sh demo
	@tools/venv-setup.sh requirements.lock

setup-dev: ## the same, and what the tests need
	@tools/apt-setup.sh test
	@tools/venv-setup.sh requirements-dev.lock

model: setup ## fetch the default local model (1.1 GB, resumable, checked by hash)
	@$(BIN)/deskcrew models pull

demo: model ## watch the crew do a chore on a virtual desktop
	@$(BIN)/deskcrew demo

test: setup-dev check model ## everything that runs in a quarter of an hour; ARGS="-k plan" for some of it
	@$(BIN)/deskcrew models pull $(SMALL_MODEL)
	@# Real programs on a busy machine miss a moment now and then: what fails runs once more, and the summary names it.
	@$(BIN)/pytest -m "not deep" --reruns 1 -raR $(ARGS)

test-deep: setup-dev model ## the long tests, in parts of under half an hour
	@$(BIN)/deskcrew models pull $(SMALL_MODEL)
	@tools/test-deep.sh $(ARGS)

check: setup-dev ## lint, format, types, import directions
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "Not formatted: run make format."; exit 1; }
	@$(BIN)/pyright --warnings
	@$(BIN)/lint-imports --no-logo

format: ## lay out the code the way check wants it
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format

lock: setup ## resolve the dependencies anew; ARGS=--upgrade for newer ones
	@tools/lock.sh $(ARGS)

clean: ## remove .venv and caches (models and runs are kept)
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build
	@find src tests -name __pycache__ -type d -exec rm -rf {} +
