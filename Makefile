# Every target does all the set-up that it needs: a virtual environment in .venv with pinned versions.
# `make help` lists the targets, from the comments that begin with ## below.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help completion reality run test style types test-fast test-slow test-long notebooks docs wheel coverage fuzz pythons bench figure corpus papers paper-figures format \
	pins clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s  %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# Python keeps what it compiles: without that, each worker of pytest and each command that a test runs compiles all anew.
unexport PYTHONDONTWRITEBYTECODE

run: .venv/installed  ## run DPDS with a thousand users
	$(BIN)/simnet run dpds

test: .venv/ready  ## check style and types and run the fast tests (about four minutes on two cores)
	$(MAKE) --jobs=3 --output-sync=line --no-print-directory style types test-fast

style: .venv/ready  ## check style and format alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready  ## check types alone
	$(BIN)/mypy

PYTEST := $(BIN)/pytest -n auto --dist worksteal
# A test that hangs ends its worker, after its stack was printed, and fails; the others go on.
BOUNDED := $(PYTEST) -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true

test-fast: .venv/ready  ## run the fast tests alone
	HYPOTHESIS_PROFILE=quick $(BOUNDED) -m "not slow"

# Slow tests often wait for other processes, so there is one test more at a time than there are processors.
test-slow: .venv/ready .venv-accounting/ready pythons  ## run the tests that are too slow for `make test` (a quarter of an hour or more)
	PYTEST_XDIST_AUTO_NUM_WORKERS=$$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) \
		HYPOTHESIS_PROFILE=quick $(BOUNDED) -rs -m "slow and not long"

test-long: .venv/ready  ## run the tests that are too long for CI, and all cases of slow property tests (an hour or more)
	$(PYTEST) -m "long or (slow and fuzz)"

notebooks: .venv/ready  ## execute the notebooks; build/notebooks gets them with their outputs, for the site
	$(PYTEST) -m slow tests/test_notebooks.py

# The documentation site, in build/site. A broken link, a wrong role or an undocumented public name fails.
docs: .venv/ready  ## build the documentation site in build/site, offline
	rm -rf build/site
	$(BIN)/python -m sphinx -j auto -b html -E -q -W --keep-going -d build/site-doctrees docs build/site
	@echo "The site is in build/site: open build/site/index.html."

# A wheel that works where nothing but it and its libraries is installed.
wheel: .venv/ready  ## build the wheel into dist/, and try it in an environment of its own
	rm -rf dist build/lib build/bdist.*
	$(BIN)/$(PIP_PROGRAM) wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PYTHON) -m venv --clear build/wheel
	PIP_CONSTRAINT=constraints.txt build/wheel/bin/$(PIP) dist/*.whl
	cd build/wheel && bin/python -I -m simnet --version && bin/simnet list > list.txt && bin/simnet run dpds --users 20 > run.txt

coverage: .venv/ready  ## run the fast tests and say which lines they never reach (build/coverage)
	$(PYTEST) -m "not slow" --cov --cov-report=term:skip-covered --cov-report=html:build/coverage

# Fresh cases of every property test, 25 times as many as `make test` draws; a failure prints how to repeat it.
# Then verdicts on random small scripts, held against the exact laws of these scripts: SCRIPTS=FIRST:AFTER are their seeds.
# Then random runs of every protocol in which parties drop out: FATES=FIRST:AFTER are the numbers of these cases.
# Then verdicts on random scripts of seeds, keys and boxes, held against an enumeration: PRIMITIVES are their seeds.
# Then corrupted certificates, held against an elimination of the tests' own: CERTIFICATES is the seed that draws them.
SCRIPTS ?= 0:200000
FATES ?= 0:2000
PRIMITIVES ?= 0:50000
CERTIFICATES ?= 0
fuzz: .venv/ready  ## draw many more cases of every property test, random scripts, drop-outs and certificates (hours)
	HYPOTHESIS_PROFILE=fuzz $(PYTEST) -m fuzz
	$(BIN)/python -m tests.harness.small_scripts --seeds $(SCRIPTS) --workers $$(nproc)
	$(BIN)/python -m tests.harness.fate_cases --seeds $(FATES) --workers $$(nproc)
	$(BIN)/python -m tests.harness.random_functions --seeds $(PRIMITIVES)
	$(BIN)/python -m tests.harness.certificates --corruptions 10000 --valid 1000 --seed $(CERTIFICATES)

# The table of speeds in docs/reference/speed.md.
bench: .venv/ready  ## measure speed and memory, and write the table of speeds
	$(BIN)/simnet bench --page docs/reference/speed.md

figure: .venv/ready  ## draw the picture of the README
	$(BIN)/simnet run dpds --seed 3 --figure notebooks/dpds.png

corpus: .venv/ready  ## write the tables of tests/harness/corpus/MUTANTS.md
	$(BIN)/python -m tests.harness.corpus.defects
	$(BIN)/python -m tests.harness.corpus.judged

reality: .venv/ready  ## hold predicted times against real sockets (root; two minutes)
	$(BIN)/python -m protocols.bench.reality

completion: .venv/ready  ## run the study of completion time and error, and write its page (ten minutes)
	$(BIN)/python -m scenarios.completion.page

# The pages of the papers; with DATA=DIR (real data) the trials run first that the store lacks, which takes half an hour or more.
# Stop it at any time: the same command goes on where it stopped.
papers: .venv/ready  ## write the pages docs/papers from the papers' claims
	mkdir -p build
	$(BIN)/python -m scenarios.papers.pages $(if $(DATA),$(DATA) build/papers.jsonl)

PAPER_FIGURES := fig1.svg fig4.svg wang_fig1.svg wang_fig3.svg jia_fig7.svg joy_fig3.svg joy_population.svg \
	biswas_fig1.png biswas_fig3.svg
REPRODUCE = $(BIN)/simnet reproduce --quick --store build/paper-figures.jsonl --out build/paper-figures
paper-figures: .venv/ready  ## draw the figures of docs/papers (a minute)
	$(REPRODUCE) fig4 --trials 20
	$(REPRODUCE) wang_fig3 --set attributes=5,10
	$(REPRODUCE) jia_fig7 --set population=retail --set epsilon=1,2,3,4,5 --trials 4
	$(REPRODUCE) fig1 wang_fig1 joy_fig3 joy_population biswas_fig1 biswas_fig3
	mkdir -p docs/papers/figures
	cp $(addprefix build/paper-figures/,$(PAPER_FIGURES)) docs/papers/figures

format: .venv/ready  ## mend style and format, and strip the notebooks of their outputs
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/nbstripout notebooks/*.ipynb

PIP_PROGRAM := python -m pip
PIP := $(PIP_PROGRAM) install --quiet --disable-pip-version-check

# What every command of the README needs. The tests add their own tools to it.
.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")'
	@echo "Installing simnet-workbench with its libraries into .venv: over 500 MB, a minute or more."
	@rm -rf *.egg-info
	@$(PYTHON) -m venv --clear .venv
	@PIP_CONSTRAINT=constraints.txt $(BIN)/$(PIP) --editable '.[data,plots,testing]'
	@touch $@

.venv/ready: .venv/installed
	@echo "Installing the tools of the tests into .venv: about 800 MB more, a minute or two."
	@PIP_CONSTRAINT=constraints.txt $(BIN)/$(PIP) --editable '.[test]'
	@touch $@

# An environment without tests for each other Python that is installed: the same seed gives the same run on all of them.
# Where pyenv manages them, PYENV_VERSION makes it give the one that is named.
other_python = PYENV_VERSION=$(1) python$(1)
pythons: $(foreach version,3.12 3.13,$(if $(shell $(call other_python,$(version)) -c 'print(1)' 2>/dev/null),.venv-$(version)/ready))

.venv-3.%/ready: pyproject.toml constraints.txt
	$(call other_python,3.$*) -m venv .venv-3.$*
	PIP_CONSTRAINT=constraints.txt .venv-3.$*/bin/$(PIP) --editable .
	touch $@

# Google's accountant, which tests compare with, allows no attrs that the rest can use.
.venv-accounting/ready: accounting.txt
	$(PYTHON) -m venv .venv-accounting
	.venv-accounting/bin/$(PIP) --requirement accounting.txt
	touch $@

pins:  ## write constraints.txt anew, with the newest versions that pyproject.toml allows
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) --upgrade setuptools --editable '.[test]'
	(echo "# Every package of a test environment in the version that is known to work; made by 'make pins'."; \
	 $(BIN)/python -m pip freeze --all --exclude-editable --exclude pip) > constraints.txt

clean:  ## remove everything that these targets made
	rm -rf .venv .venv-* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
