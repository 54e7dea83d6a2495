# make book          builds the executed site into book/_build/html
# make test          runs linters, type checker, import contracts and the tests that one wants at every change
# make test-rest     runs the others: verdicts, the site in a browser, JupyterLab, the reader's tab, another BLAS kernel
# make test-all      runs both
# All do their own set-up in .venv and are quick when nothing has changed.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TESTED := $(VENV)/.installed-for-tests
STEP   := $(PYTHON) scripts/step.py
# Two BLAS threads that spin for a two-core machine cost more than they give in notebooks.
export OMP_NUM_THREADS ?= 1
export PYTHONHASHSEED ?= 0

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests book test test-rest test-all test-kernels page course pdf lint format strip links quality bench calibrate fuzz mutants lock clean distclean

help:
	@sed -n 's/^# make/make/p' Makefile

setup: $(STAMP)

setup-tests: $(TESTED)

$(STAMP): requirements.lock pyproject.toml book/pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Isotropy Lab needs Python 3.11 or newer; set PYTHON=python3.11')"
	@test -x $(BIN)/python || $(STEP) "Making the environment $(VENV)" $(PYTHON) -m venv $(VENV)
	@$(STEP) "Installing the packages of requirements.lock into $(VENV) (about a minute the first time)" \
	  $(BIN)/python -m pip install --disable-pip-version-check --no-compile --no-deps --require-hashes -r requirements.lock
	@# All but the tests that packages bring, a third of it. What does not compile is compiled when it is imported, if ever.
	@-$(STEP) "Compiling them" $(BIN)/python -m compileall -q -j 0 -x "/tests?/" $(VENV)/lib
	@$(STEP) "Installing isotropy_lab, isotropy_report and the book's reanalyses" \
	  $(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e . -e book
	@touch $@

# What tests and linters need besides.
$(TESTED): $(STAMP) requirements-test.lock
	@$(STEP) "Installing the packages of requirements-test.lock" \
	  $(BIN)/python -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements-test.lock
	@$(STEP) "Compiling the loops over pairs of points (about a minute the first time)" \
	  $(BIN)/python -m isotropy_lab.projection.warm_up
	@touch $@

book: $(STAMP)
	@$(BIN)/python scripts/build_book.py

# make page          writes one page into the built site: make page NAME=isotropy/what-isotropy-is
page: $(STAMP)
	@$(BIN)/python scripts/build_book.py --page $(NAME)

# make course        writes notebooks, slides, quizzes and plans for a course into book/_build/course;
#                    NBGRADER=1: also as assignments for nbgrader; PDF=1: the slides also as PDF
course: $(STAMP)
	@$(BIN)/python scripts/make_course.py $(if $(NBGRADER),--nbgrader) $(if $(PDF),--pdf)

# make pdf           prints the lessons and the case files into book/_build/pdf (needs Chromium; four minutes)
pdf: book $(TESTED)
	@$(BIN)/python scripts/make_pdf.py

# The tests on all processors, in the groups of tests/conftest.py.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadgroup --no-loadscope-reorder

# ARGS goes to pytest: make test ARGS="tests/isotropy_lab/isotropy"
test: lint
	@$(STEP) "Running the tests" $(PYTEST) -m "not rest" $(ARGS)

test-rest: $(TESTED)
	@$(STEP) "Running the rest of the tests" $(PYTEST) -m rest $(ARGS)
	@# The kernel that differs most: it has no fused products. It runs the quick tests of numbers, and pages with verdicts
	@# on word associations and with all errata; the others take minutes. Lessons were compared in the browser, which has no
	@# BLAS. make test-kernels runs everything.
	@$(BIN)/python scripts/test_kernels.py --kernels Nehalem --threads 2 -m "numbers and not rest" \
	  --pages "case-(kindel$$|weller)|errata|^index"

test-all: test test-rest

# make test-kernels  runs the tests of numbers, and executes the book, under all BLAS kernels that this processor has
# ARGS goes to the script: make test-kernels ARGS="--threads 2"
test-kernels: $(TESTED)
	@$(BIN)/python scripts/test_kernels.py $(ARGS)

lint: $(TESTED)
	@$(STEP) "Linting" $(BIN)/ruff check .
	@$(STEP) "Checking the layout of code" $(BIN)/ruff format --check .
	@$(STEP) "Checking types" $(BIN)/mypy
	@$(STEP) "Checking import contracts" $(BIN)/lint-imports --no-logo
	@$(STEP) "Checking that every imported package is declared" sh -c "$(BIN)/deptry isotropy_lab isotropy_report \
	  && $(BIN)/deptry book/reanalyses --config book/pyproject.toml \
	  && $(BIN)/deptry tests scripts benchmarks book/_ext --ignore DEP002,DEP004"

# make format        puts code and notebooks in order: layout, imports, no outputs
format strip: $(TESTED)
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/python scripts/strip_notebooks.py

# make links         asks every address in the book whether it still answers (needs the network)
links: $(STAMP)
	@$(BIN)/python scripts/build_book.py --builder linkcheck

# make quality       runs what takes too long for every change: make calibrate, make bench and make fuzz (two hours)
quality: calibrate bench fuzz

# make calibrate     simulates level, coverage and power of tests and intervals again (about an hour, one core)
calibrate: $(STAMP)
	@$(BIN)/python -m benchmarks.calibration

# make bench         measures the package beside its peers and the physical floor
bench: $(TESTED)
	$(BIN)/python -m benchmarks

# make fuzz          tries 5,000 damaged files and 100,000 calls with odd arguments, from a new seed (ten minutes)
fuzz: $(TESTED)
	@ISOTROPY_LAB_FUZZ=100 $(BIN)/python -m pytest tests/test_odd_arguments.py tests/isotropy_report/io/test_fuzz.py

# make mutants       puts 300 mistakes into the package, one at a time, and prints those that no test notices (an hour)
mutants: $(TESTED)
	@$(BIN)/python -m benchmarks.mutants

# make lock          resolves both locks anew (needs uv); UPGRADE=--upgrade takes the latest versions
LOCK_PYTHON ?= 3.11
RESOLVE := uv pip compile --universal --python-version $(LOCK_PYTHON) --fork-strategy fewest --no-emit-package isotropy-lab \
  --generate-hashes --no-header --no-annotate --quiet
# numba limits the versions of NumPy: readers have such a version, but not numba, which would add a quarter to what they install.
lock:
	$(RESOLVE) $(UPGRADE) pyproject.toml book/pyproject.toml requirements.in --extra fast --no-emit-package numba \
	  --no-emit-package llvmlite --extra text --extra widgets --group docs -o requirements.lock
	$(RESOLVE) $(UPGRADE) pyproject.toml --extra dask --extra database --extra fast --extra parquet --group lint --group test \
	  -c requirements.lock -o requirements-test.lock

clean:
	rm -rf book/_build _build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
# make clean         removes what was built; make distclean also removes .venv
distclean: clean
	rm -rf $(VENV)
