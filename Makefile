# `make chat` talks, `make test` checks; both set themselves up in .venv and are quick when run again.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # every process that tests start would compile the package

.PHONY: help chat inspect eval quick test lint unit suites lowest faults docs build notes pin clean

help:  ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST)

chat: $(VENV)/.run  ## Talk to the assistant in the terminal; no key, memory kept in ~/.memory-graph
	@$(BIN)/memory-graph chat

inspect: $(VENV)/.run  ## See, try and correct a made-up person's memory in a browser
	@$(BIN)/memory-graph inspect --demo

eval: $(VENV)/.dev  ## Measure memory quality: every suite, a report with charts; no key needed
	@$(BIN)/python -m evals run --all

quick: $(VENV)/.dev  ## Check an edit within a minute: lint, types, and the tests that start no server
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/unit -m "not server and not whole_suite" -n 2 -q

test: lint unit  ## Check everything: format, lint, types, imports, tests

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup

suites: $(VENV)/.dev  ## Check that the long suites of memory quality, and the tuning, are no worse
	$(BIN)/python -m pytest tests/evals -m whole_suite -n 2 --dist load

faults: $(VENV)/.dev  ## Run the fault suite and print its card, by store
	@$(BIN)/python -m tests.faults.card

docs: $(VENV)/.dev  ## Build the documents as a site in site/, without a warning
	$(BIN)/python -m docs.events
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lowest: $(VENV)/.dev  ## Run the tests with the oldest versions that pyproject.toml allows
	$(BIN)/pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .lowest
	$(BIN)/uv pip install --quiet --python .lowest/bin/python --resolution lowest-direct --all-extras --group test -e .
	.lowest/bin/python -m pytest tests/unit tests/contract -n 2 --dist loadgroup

build: $(VENV)/.dev  ## Build the wheel and the source archive in dist/
	rm -rf dist
	$(BIN)/python -m hatchling build

notes:  ## Write the changes of one version, TAG=v0.2.0, to dist/NOTES.md
	@mkdir -p dist
	@sed -n '/^## \[$(TAG:v%=%)\]/,/^## \[/{/^## \[/!p;}' CHANGELOG.md > dist/NOTES.md
	@test -s dist/NOTES.md || { echo "CHANGELOG.md has no section [$(TAG:v%=%)]" >&2; exit 1; }

pin: $(VENV)/.dev  ## Choose newer versions for the two requirements files
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml $(PIN) --extra inspect --group build -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml $(PIN) --all-extras --group dev -o requirements-dev.txt
PIN := --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade

clean:  ## Remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist .lowest site

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
	@$(PROGRAMS)
	@touch $@ $(VENV)/.run

# Some tests want Debian's chromium, and say so where it is missing.
PROGRAMS := test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || command -v chromium || \
	(apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium) >/dev/null 2>&1 || true
