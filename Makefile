# What a fresh machine needs is Python 3.11; everything else comes from PyPI into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all test-fast test-lowest test-newest locked lock lint codes schemas bench soak fuzz explore clean

demo: .venv/installed
	$(BIN)/kbsync demo

# A worker that is done takes tests over from the others: the first folders, shared out in advance, are the slowest.
PYTEST := $(BIN)/python -m pytest -n 4 --dist worksteal --durations=5 --durations-min=1

# A quarter of the games at random, others for each commit, and all else once (tests/rings.py).
test: .venv/tested
	$(PYTEST)

# Everything, before a release.
test-all: .venv/tested
	KBSYNC_TESTS_ALL=1 $(PYTEST)
	$(MAKE) test-lowest test-newest

FAST := $(addprefix tests/,config content history lint markdown plan report service trust test_layers.py \
	cli/test_lint.py cli/test_plan_and_push.py push/test_push.py)

# What is decided, read, compared and printed, without portals, processes and browsers: while one works.
test-fast: .venv/tested
	$(PYTEST) -m 'not slow' $(FAST)

# The core of the suite with the lowest versions that pyproject.toml allows, and with the newest Python of this machine.
test-lowest:
	.ci/core lowest $(PYTHON)

test-newest:
	.ci/core newest

lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The help center's page of codes, from the rules and their explanations. A test fails where it is out of date.
codes: .venv/installed
	$(BIN)/python tools/codes.py

# The JSON Schemas that a test compares with what kbsync prints. After a change of a report, of a setting or of a key.
schemas: .venv/installed
	$(BIN)/python tools/schemas.py

bench: .venv/tested
	$(BIN)/python bench/run.py

soak: .venv/tested
	$(BIN)/python bench/soak.py

fuzz: .venv/tested
	$(BIN)/python bench/fuzz.py

# The properties with examples that no run has tried before.
explore: .venv/tested
	KBSYNC_EXPLORE=1 $(BIN)/python -m pytest -n 2 -k properties

# The user's needs first, so that the demo does not wait for test tools.
.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/tested: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# What CI installs: exactly the files of requirements/ci.txt, by their hashes. The list has every file of a version, for
# all platforms; so a file without a hash there is not the one that was looked at, and stops the installation.
locked: pyproject.toml requirements/ci.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/ci.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch .venv/installed
	touch .venv/tested

# Writes requirements/ci.txt anew, with the newest versions that pyproject.toml allows, for Python 3.11 and later.
lock:
	$(PYTHON) -m venv build/tools
	build/tools/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/tools/bin/uv pip compile pyproject.toml requirements/build.in --extra dev --upgrade --universal \
		--python-version 3.11 --generate-hashes --no-emit-package kbsync --custom-compile-command 'make lock' \
		--quiet --output-file requirements/ci.txt

clean:
	rm -rf .venv .kbsync bench/out build
