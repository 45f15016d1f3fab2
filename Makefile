# `make run` and `make test` do all the set-up they need: a virtual environment in .venv with pinned versions.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: run test test-slow bench figure corpus quotes format pins clean

run: .venv/ready
	$(BIN)/simnet run dpds

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

test-slow: .venv/ready .venv-accounting/ready
	$(BIN)/pytest -n 2 --dist worksteal -m slow

bench: .venv/ready
	$(BIN)/simnet bench

figure: .venv/ready
	$(BIN)/simnet run dpds --seed 3 --figure notebooks/dpds.png

corpus: .venv/ready
	(sed '/^| /,$$d' MUTANTS.md; $(BIN)/python -m tests.harness.corpus) > MUTANTS.new
	mv MUTANTS.new MUTANTS.md

# Every quoted number with its verdict; DATA=DIR for real data, TRIALS= for as many trials as the papers had (an hour).
TRIALS ?= 5
quotes: .venv/ready
	$(BIN)/simnet reproduce all $(if $(TRIALS),--trials $(TRIALS)) $(if $(DATA),--data $(DATA)) --store build/quotes.sqlite --out build/reproduced
	(sed -n 1,2p build/reproduced/verdicts.md; echo 'Made by `make quotes TRIALS=$(TRIALS)$(if $(DATA), DATA=DIR)`.'; \
	 sed 1,2d build/reproduced/verdicts.md) > QUOTES.md

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/nbstripout notebooks/*.ipynb

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

# Google's accountant, which tests compare with, allows no attrs that the rest can use.
.venv-accounting/ready: accounting.txt
	$(PYTHON) -m venv .venv-accounting
	.venv-accounting/bin/python -m pip install --quiet --disable-pip-version-check --requirement accounting.txt
	touch $@

# New pins: the newest versions that pyproject.toml allows, as pip resolves them in an empty environment.
pins:
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade setuptools --editable '.[test]'
	(echo "# Every package of a test environment in the version that is known to work; made by 'make pins'."; \
	 $(BIN)/python -m pip freeze --all --exclude-editable --exclude pip) > constraints.txt

clean:
	rm -rf .venv .venv-accounting build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
