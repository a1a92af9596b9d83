# Two commands matter: `make run` and `make test`. Each prepares .venv by itself.
PYTHON ?= python3
ARGS ?=
JOBS ?= $(shell $(PYTHON) -c "import os; print(2 * (os.cpu_count() or 1))")
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
# Servers that tests start, and pytest's own rewriting of asserts, would compile everything again each time.
unexport PYTHONDONTWRITEBYTECODE
# A browser test mostly waits, so there are two workers to a core.
SPREAD := -n $(JOBS) --dist loadscope --no-loadscope-reorder
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test taps checks lint types kits pytest coverage bench proof clean

run: $(VENV)/ok
	$(BIN)/companion serve $(ARGS)

# What is quick goes on beside the tests, which wait a good part of their time.
test: $(VENV)/test-ok
	$(MAKE) --jobs=2 pytest checks

checks: lint types kits

lint: $(VENV)/test-ok
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test-ok
	$(BIN)/mypy --strict companion

kits: $(VENV)/test-ok
	$(BIN)/companion check

pytest: $(VENV)/test-ok
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

# What each act costs on the screens, held to its budget, and written into docs/taps.md.
taps: $(VENV)/test-ok
	COMPANION_TAPS=docs/taps.md $(BIN)/python -m pytest -n 0 tests/browser/test_taps.py $(ARGS)

# Tracing makes the unit tests two and a half times as long, so it is not part of `make test`.
coverage: $(VENV)/test-ok
	$(BIN)/python -m pytest $(SPREAD) --cov --cov-branch --cov-report=term $(ARGS)

bench: $(VENV)/ok
	$(BIN)/python -m bench $(ARGS)

proof: $(VENV)/test-ok
	$(BIN)/python -m bench.proof $(ARGS)

$(VENV)/ok: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -e .
	touch $@

# Playwright and psycopg's compiled half have no wheel for every machine (32-bit ARM, for one); what needs them is skipped.
$(VENV)/test-ok: $(VENV)/ok
	$(PIP) install -e '.[test,browser,postgres]' || { \
		$(PIP) install -e '.[test]'; \
		$(PIP) install -e '.[browser]' || echo 'No Playwright for this machine: the browser tests will be skipped.'; \
		$(PIP) install -e '.[postgres]' || echo 'No psycopg-binary for this machine: PostgreSQL is tested if libpq is here.'; }
	touch $@

clean:
	rm -rf $(VENV) dist build test-results .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
