# `make chat` talks, `make test` checks; both set themselves up in .venv and are quick when run again.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help chat demo eval test lint unit pin clean

help:  ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST)

chat: $(VENV)/.run  ## Talk to the assistant in the terminal; no key, memory kept in ~/.memory-graph
	@$(BIN)/memory-graph chat

demo: $(VENV)/.run  ## Watch three days of memory decisions in a few seconds
	@$(BIN)/memory-graph demo

eval: $(VENV)/.dev  ## Measure memory quality: every suite, a report with charts; no key needed
	@$(BIN)/memory-graph eval run --all

test: lint unit  ## Check everything: format, lint, types, imports, tests

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup

pin: $(VENV)/.dev  ## Choose newer versions for the two requirements files
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml $(PIN) --extra cli --group build -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml $(PIN) --all-extras --group dev -o requirements-dev.txt
PIN := --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade

clean:  ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memory_graph needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --require-hashes -r requirements.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run
