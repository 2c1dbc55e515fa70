# From a fresh clone: Python 3.11 or newer (with venv), Java 17 or newer and PyPI are enough.
# `make sbt` needs Maven Central too.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3,$(shell $(name) -c 'import sys; print(sys.executable) if sys.version_info >= (3, 11) else None' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
# pip loads whole archives of Spark, 450 MB each, to see what versions that do not fit depend on.
UV := $(BIN)/uv
UV_PINNED := $(shell sed -n 's/^ *"\(uv==.*\)",$$/\1/p' pyproject.toml)
STAMPS := .stamps
VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)
SPARK_DEFAULT := 4.1
SPARK ?= $(SPARK_DEFAULT)
KERNELS ?= arrow
SCALE ?= 1
PYTEST_ARGS ?=
CHECK_ARGS ?=
JOBS ?= 2
PYTEST = -m pytest $(PYTEST_ARGS)
# Tests that share sessions and tables are a group, which one worker runs; long groups come first.
PYTEST_JOBS = $(PYTEST) -n $(JOBS) --dist loadgroup --no-loadscope-reorder
# The random tests of a night are those of its date.
SEED ?= $(shell date -u +%Y%m%d)
NIGHTLY_SPARKS ?= 3.5 4.0 4.2 4.3

# One jar serves 4.0 to 4.3; Spark 3.5 has its own, which the compiler of its PySpark makes.
OWN_JAR := $(filter 3.%,$(SPARK))
JAR_PYTHON := $(if $(OWN_JAR),.venv-spark-$(SPARK),$(VENV))/bin/python
JAR := jvm/dist/broadhead_spark$(if $(OWN_JAR),$(SPARK)_2.12,$(SPARK_DEFAULT)_2.13)-$(VERSION).jar

SBT_VERSION := $(shell sed -n 's/^sbt.version=//p' project/build.properties)
SBT_LAUNCHER := $(STAMPS)/sbt-launch-$(SBT_VERSION).jar
SBT := java -Xmx2g -Dsbt.log.noformat=true -jar $(SBT_LAUNCHER)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: $(STAMPS)/setup $(STAMPS)/classes ## Create .venv, install Broadhead (editable) with all it is developed with, archive Spark's classes for tests

$(STAMPS)/setup: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found; name one: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@command -v java >/dev/null || { echo "No java on the PATH; install a JDK or JRE, 17 or newer" >&2; exit 1; }
	@mkdir -p $(STAMPS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet '$(UV_PINNED)'
	$(UV) pip install --quiet --python $(BIN)/python --editable '.[dev]' 'pyspark==$(SPARK_DEFAULT).*'
	@touch $@

.PHONY: jar
jar: $(JAR) ## Compile the plugin's jar with the Scala compiler that PySpark ships (SPARK=3.5 for that of Spark 3.5)

# The program compares contents: times do not show removed files.
.PHONY: $(JAR)
$(JAR): $(STAMPS)/setup $(OWN_JAR:%=$(STAMPS)/spark-%)
	$(JAR_PYTHON) jvm/compile.py

.PHONY: demo
demo: $(JAR) ## Run TPC-H on plain Spark and on Broadhead, compare, write demo.html (SCALE=1)
	$(BIN)/broadhead demo --scale $(SCALE) --html demo.html --json demo.json

$(STAMPS)/classes: tests/class_archive.py $(STAMPS)/setup
	$(BIN)/python tests/class_archive.py
	@touch $@

# What stands around Spark and the engine: the commands of the pages, images, clusters, notebooks, logs, UI.
TOOL_TESTS := tests/clusters tests/connect tests/event_logs tests/examples tests/notebook tests/platforms \
	tests/ui tests/launch/test_commands.py tests/launch/test_launchers.py tests/launch/test_readme.py \
	tests/tpch/test_demo.py

# The tests that depend most on the version of pandas.
PANDAS_2_TESTS := tests/python_functions/test_pyspark_libraries.py tests/tracing

# S3 and table formats: their tests need hundreds of megabytes from Maven Central.
STORAGE_TESTS := tests/storage

.PHONY: test
test: $(JAR) $(STAMPS)/classes ## Run the tests of Spark and the engine, for every change (JOBS=2 PYTEST_ARGS="-k name")
	$(BIN)/python $(PYTEST_JOBS) $(addprefix --ignore=,$(TOOL_TESTS) $(STORAGE_TESTS)) tests

.PHONY: test-tools
test-tools: $(JAR) $(STAMPS)/classes $(STAMPS)/pandas-2 ## Run the tests of what stands around: README, images, clusters, notebooks, logs, UI
	$(BIN)/python $(PYTEST_JOBS) $(TOOL_TESTS)
	PYTHONPATH=$(CURDIR)/$(STAMPS)/pandas-2 $(BIN)/python $(PYTEST_JOBS) $(PANDAS_2_TESTS)

# `pyspark.pandas` of Spark 4.0 and 4.1 needs pandas 2, which is installed instead of the newest one.
$(STAMPS)/pandas-2: $(STAMPS)/setup
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --target $@ 'pandas<3' pytz tzdata

.PHONY: test-nightly
test-nightly: sbt sbt-matrix $(JAR) $(STAMPS)/classes ## Run all tests in all modes, against every Spark (SEED=date NIGHTLY_SPARKS="3.5 4.0 4.2 4.3")
	@echo "Again with the same random tests: make test-nightly SEED=$(SEED)"
	$(BIN)/python $(PYTEST_JOBS) --nightly --answers spark --hypothesis-seed $(SEED) --timeout 1200 \
		--ignore=$(STORAGE_TESTS) tests
	$(BIN)/python $(PYTEST_JOBS) --device process --timeout 1200 tests/spark/test_sql_files.py tests/spark/test_random_plans.py
	$(MAKE) --no-print-directory test-storage PYTEST_ARGS="$(PYTEST_ARGS) --nightly"
	$(MAKE) --no-print-directory test-query-suite
	for version in $(NIGHTLY_SPARKS); do \
		$(MAKE) --no-print-directory test-spark SPARK=$$version PYTEST_ARGS="$(PYTEST_ARGS) --nightly --hypothesis-seed $(SEED)"; \
	done

.PHONY: test-storage
test-storage: $(STAMPS)/storage $(JAR) $(STAMPS)/classes ## Run the tests of Hive, S3, Delta Lake and Iceberg (700 MB from Maven Central)
	$(BIN)/python $(PYTEST_JOBS) $(STORAGE_TESTS)

# Of the tests of storage, those that need no more than the jars of Delta Lake and Iceberg.
TABLE_TESTS := tests/storage/test_delta_writes.py tests/storage/test_delta.py::test_partitions_and_changes \
	tests/storage/test_delta.py::test_deletion_vectors tests/storage/test_iceberg.py::test_all_types \
	tests/storage/test_iceberg_writes.py::test_commands

.PHONY: test-tables
test-tables: $(STAMPS)/tables $(JAR) $(STAMPS)/classes ## Run some tests of Delta Lake and Iceberg (60 MB from Maven Central)
	$(BIN)/python $(PYTEST) $(TABLE_TESTS)

# Single artifacts: to resolve the whole pom would fetch the client of S3.
$(STAMPS)/tables: tests/storage/pom.xml $(STAMPS)/setup
	for artifact in $$($(BIN)/python tests/storage/storage_jars.py --tables); do \
		mvn --batch-mode --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
			-Dartifact=$$artifact -DoutputDirectory=$(abspath $(STAMPS))/storage-jars; \
	done
	@touch $@

# The connectors of Spark's own Hadoop, without what Spark has itself.
$(STAMPS)/storage: tests/storage/pom.xml $(STAMPS)/setup
	$(UV) pip install --quiet --python $(BIN)/python --editable '.[storage]' 'pyspark==$(SPARK_DEFAULT).*'
	rm -rf $(STAMPS)/storage-jars
	mvn --batch-mode --quiet --file tests/storage/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
		-DexcludeGroupIds=org.scala-lang,org.slf4j,org.apache.logging.log4j,com.google.code.findbugs \
		-Dhadoop.version=$$($(BIN)/python tests/storage/storage_jars.py) \
		-DoutputDirectory=$(abspath $(STAMPS))/storage-jars
	@touch $@

.PHONY: test-query-suite
test-query-suite: $(STAMPS)/query-suite $(JAR) ## Run Spark's own SQLQueryTestSuite (80 MB from Maven Central; TESTS="math.sql")
	PYTHONPATH=python:tests $(BIN)/python tests/query_suite/run.py $(TESTS)

$(STAMPS)/query-suite: tests/query_suite/pom.xml $(STAMPS)/setup
	rm -rf $(STAMPS)/query-suite-jars
	mvn --batch-mode --quiet --file tests/query_suite/pom.xml dependency:copy-dependencies \
		-DoutputDirectory=$(abspath $(STAMPS))/query-suite-jars
	@touch $@

.PHONY: golden
golden: $(JAR) $(STAMPS)/classes ## Ask Spark for the answers of changed .sql files, into tests/golden (FILES="add window" or --all)
	PYTHONPATH=python:tests $(BIN)/python tests/refresh_golden.py $(FILES)

.PHONY: durations
durations: ## Run the tests of the day and write tests/durations.json; the machine must be quiet
	$(MAKE) --no-print-directory test test-tools PYTEST_ARGS="$(PYTEST_ARGS) --write-durations"

.PHONY: test-kernels
test-kernels: $(STAMPS)/setup ## Run the kernel and engine tests on KERNELS=arrow or cudf
	BROADHEAD_TEST_KERNELS=$(KERNELS) $(BIN)/python $(PYTEST) tests/kernels tests/engine

# Most modules of tests name SQL and functions of Spark 4.
SPARK_TESTS := $(if $(OWN_JAR),tests/spark/test_linkage.py tests/spark/test_sql_files.py \
	tests/spark/test_parquet_files.py::test_wider_types_than_the_files \
	tests/spark/test_parquet_files.py::test_old_dates_of_an_unknown_calendar \
	tests/spark/test_old_dates.py tests/spark/test_python_kinds.py tests/spark/test_time_parser.py \
	tests/tpch/test_answers.py,tests/spark tests/launch tests/python_functions tests/ui)

.PHONY: test-spark
test-spark: $(STAMPS)/spark-$(SPARK) $(JAR) ## Run the tests that start Spark against SPARK=3.5, 4.0, 4.1, 4.2 or 4.3
	.venv-spark-$(SPARK)/bin/python $(PYTEST_JOBS) $(SPARK_TESTS)

# PySpark 3.5 takes numpy 1, and pyarrow 26 does not; nor does it take pandas 3.
$(STAMPS)/spark-%: $(STAMPS)/setup tests/class_archive.py
	@mkdir -p $(STAMPS)
	test -x .venv-spark-$*/bin/python || $(PYTHON) -m venv .venv-spark-$*
	$(UV) pip install --quiet --python .venv-spark-$*/bin/python --editable '.[demo,test]' 'pyspark==$*.*' $(if $(filter 3.%,$*),'pandas<3' 'pyarrow<26')
	.venv-spark-$*/bin/python tests/class_archive.py
	@touch $@

.PHONY: test-tpch
test-tpch: $(JAR) ## Compare TPC-H's rows with plain Spark's for all settings and on a cluster (SCALE=1 JOBS=2)
	BROADHEAD_TPCH_SCALE=$(SCALE) $(BIN)/python $(PYTEST_JOBS) --nightly --timeout 3600 \
		tests/tpch/test_answers.py tests/tpch/test_cluster_answers.py

.PHONY: lint
lint: $(STAMPS)/setup ## Check style, types, spelling, docker/, workflows, scripts, import directions and file sizes
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/codespell --toml pyproject.toml $$(git ls-files --cached --others --exclude-standard)
	$(BIN)/hadolint --config docker/.hadolint.yaml docker/Dockerfile
	$(BIN)/shellcheck $$(git ls-files --cached --others --exclude-standard '*.sh')
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker/compose*.yaml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[bf]*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/python $(PYTEST) -q tests/launch/test_layout.py

.PHONY: format
format: $(STAMPS)/setup ## Format the Python sources and fix what ruff can fix
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format --quiet

.PHONY: format-scala
format-scala: $(SBT_LAUNCHER) ## Format the Scala sources
	$(SBT) scalafmtAll spark35/scalafmtAll

.PHONY: bench
bench: $(JAR) ## Run the benchmarks and write JSON results
	$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

.PHONY: docs
docs: $(STAMPS)/setup ## Refresh capabilities.json, docs/functions.md, compatibility.md, configuration.md and conf/
	$(BIN)/python -m broadhead.capabilities
	$(MAKE) --no-print-directory jar $(STAMPS)/classes
	PYTHONPATH=python:tests $(BIN)/python tests/refresh_function_names.py
	PYTHONPATH=python:tests $(BIN)/python docs/generate.py

.PHONY: site
site: $(STAMPS)/setup ## Build the site of docs/ into site/, with warnings as errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

.PHONY: sbt
sbt: $(SBT_LAUNCHER) ## Check format, compile and test the Scala sources with sbt
	$(SBT) scalafmtCheckAll spark35/scalafmtCheckAll compile test

.PHONY: sbt-matrix
sbt-matrix: $(SBT_LAUNCHER) ## Compile the Scala sources for Spark 3.5 with Scala 2.12 and 2.13
	$(SBT) spark35/compile spark35Scala213/compile

$(SBT_LAUNCHER):
	@mkdir -p $(STAMPS)
	mvn --batch-mode --quiet dependency:copy \
		-Dartifact=org.scala-sbt:sbt-launch:$(SBT_VERSION) -DoutputDirectory=$(STAMPS)

.PHONY: wheel
wheel: $(JAR) $(STAMPS)/spark-3.5 ## Build the wheel and the source distribution, for each Python, into dist/
	rm -rf dist
	pythons=$$($(BIN)/python release/interpreters.py) && \
		for spark in $(VENV) .venv-spark-3.5; do \
			$$spark/bin/python jvm/compile.py $$(printf -- '--python %s ' $$pythons); \
		done
	$(UV) build --quiet --out-dir dist

.PHONY: release-check
release-check: wheel ## Install wheel and sdist for Spark 3.5 to 4.3 and Python 3.11 to 3.13 (CHECK_ARGS=--all)
	$(BIN)/python release/check.py $(CHECK_ARGS)

.PHONY: clean
clean: ## Remove what was built; keeps .venv and .data
	rm -rf $(STAMPS) jvm/dist jvm/target target project/target project/project build dist site \
		.mypy_cache .pytest_cache .ruff_cache .hypothesis demo.html demo.json
