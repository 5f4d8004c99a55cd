# What a fresh machine needs is Python 3.11; everything else comes from PyPI into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-fast lint bench soak fuzz clean

demo: .venv/installed
	$(BIN)/kbsync demo

test: .venv/tested
	$(BIN)/python -m pytest -n 2 --durations=15 --durations-min=1

# Without what is marked slow: browsers, processes, faults by the thousand.
test-fast: .venv/tested
	$(BIN)/python -m pytest -n 2 -m 'not slow'

lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/tested
	$(BIN)/python bench/run.py

soak: .venv/tested
	$(BIN)/python bench/soak.py

fuzz: .venv/tested
	$(BIN)/python bench/fuzz.py --write

# The user's needs first, so that the demo does not wait for test tools.
.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/tested: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .kbsync bench/out
