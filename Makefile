# graphrag: build, install, private cluster, tests.
#
#   make demo      set up everything, index a small corpus, ask questions
#   make test      set up everything, run every check and test
#
#   make           build the extension script             make install    install it into PostgreSQL
#   make start     private cluster with the extension     make stop       stop it
#   make dsn       print its connection string            make psql       open a session in it
#   make lint      all static checks (also: make check)   make clean      remove what make built
#   make models    local model server                     make stop-models
#   make dist      PGXN archive                           make tle        script for pg_tle
#   make installcheck   pgTAP tests on the installed extension (libpq's environment, or DSN=)
#   make bench-recall   how much of the gold evidence retrieval finds, on each data set in GRAPHRAG_DATA
#   make bench-ablations, bench-concurrency   what parts of it are worth; many clients at once (after bench-recall)
#   make bench-peers    LightRAG and post-graph-rag from PyPI on the same graph and vectors
#   make bench-latency  how long retrieval takes on a generated graph
#   make nightly        the tests with many more random examples and 1,000 killed backends
#   make bench-time     what the two clocks and the change feed cost, on a generated graph
#   make bench-cancel   how long a stop takes, at random instants
#   make bench-jobs     documents a second by 1, 2 and 4 workers
#   make bench-size     disk and memory of vectors by width and kind of index
#   make eval-longmemeval   index, ask, score: also eval-locomo, eval-ectqa, eval-musique; EVAL="…" (bench/eval/README.md)
#   make eval-graph     figures of graphs, in SQL only          make eval-extraction   extracted facts against gold ones
#   make benchmarks     docs/benchmarks.md from bench/results    make reference   signatures in docs/reference.md
#   make bench-write    figures of the write path on public data sets, into bench/results (GRAPHRAG_DATA)
#
# Variables: STATE (cluster, logs, Python environment; default in /var/tmp, one a checkout), PG_CONFIG, DESTDIR,
# PYTHON_LIBRARY (where `make install` puts the server-side Python packages), PYTHON (PL/Python's interpreter).

MAKEFLAGS += --no-print-directory
EXTENSION := graphrag
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" graphrag.control)
paths := $(shell bash -c '. extension/paths.sh && echo "$$STATE $$PG_BIN $$PYTHON"')
STATE := $(word 1,$(paths))
PG_BIN := $(word 2,$(paths))
PYTHON := $(word 3,$(paths))
VENV := $(STATE)/venv
export STATE PYTHON

PG_CONFIG ?= $(firstword $(wildcard $(PG_BIN)/pg_config) pg_config)
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
PKGLIBDIR := $(shell $(PG_CONFIG) --pkglibdir 2>/dev/null)
PYTHON_LIBRARY ?= /usr/local/lib/graphrag_python

# The root directory that the server will see as PYTHON_LIBRARY's; not empty only for the private cluster.
RUNTIME_ROOT :=
BUILD := build
DATA_built := $(sort $(BUILD)/$(EXTENSION)--$(EXTVERSION).sql \
    $(patsubst extension/%,$(BUILD)/%,$(filter-out %.tle.sql,$(wildcard extension/$(EXTENSION)--*.sql))))
EXTRA_CLEAN := build dist META.json extension/$(EXTENSION)--$(EXTVERSION).tle.sql

.PHONY: all build-scripts install install-python uninstall uninstall-python setup stage start stop dsn psql \
    models stop-models demo lint check test nightly bench-cancel bench-communities bench-latency bench-recall \
    bench-ablations bench-concurrency bench-peers \
    bench-time bench-write bench-jobs bench-size eval-longmemeval eval-locomo eval-ectqa eval-musique eval-graph \
    eval-extraction benchmarks reference installcheck tle dist clean

all: $(DATA_built)

ifneq ($(PGXS),)
include $(PGXS)
endif

# build.py is quicker than finding out whether it is needed, and leaves alone what does not change.
$(DATA_built): build-scripts ;
build-scripts:
	@$(if $(PKGLIBDIR),,$(error no pg_config: run make setup, or name one with PG_CONFIG=))
	@$(PYTHON) extension/build.py --output $(BUILD) --python-library $(RUNTIME_ROOT)$(PYTHON_LIBRARY)

install: install-python
install-python:
	@$(if $(PGXS),,$(error no PGXS: run make setup, or name another PG_CONFIG=))
	@extension/install_python.sh $(DESTDIR)$(PYTHON_LIBRARY) $(PKGLIBDIR)/plpython3.so

# Not with `uninstall`: servers of other major versions use them too.
uninstall-python:
	rm -rf $(DESTDIR)$(PYTHON_LIBRARY)

setup:
	@extension/quietly.sh setup extension/setup.sh

# The extension for the private cluster only: the same install, under a root directory in STATE that this
# cluster looks into first. It needs no root user, and checkouts on one machine do not disturb each other.
stage: setup
	@flock $(STATE)/stage.lock extension/quietly.sh install $(MAKE) install BUILD=$(STATE)/build \
	    DESTDIR=$(STATE)/root RUNTIME_ROOT=$(STATE)/root

start: stage
	@extension/quietly.sh start extension/cluster.sh start

# Those of test workers too.
stop:
	@for cluster in $(notdir $(wildcard $(STATE)/cluster $(STATE)/cluster-gw?)); do \
	    CLUSTER=$$cluster extension/cluster.sh stop; \
	done

dsn:
	@$(MAKE) start >&2
	@extension/cluster.sh dsn

psql: start
	@$(PG_BIN)/psql "$$(extension/cluster.sh dsn)"

models: setup
	@extension/quietly.sh models bench/local_models/serve.sh start
	@bench/local_models/serve.sh status

stop-models:
	@bench/local_models/serve.sh stop

# What demo and tests are told: where the cluster is, and where the models are.
environment = GRAPHRAG_DSN="$$(extension/cluster.sh dsn)" \
    GRAPHRAG_MODELS_URL="$$(bench/local_models/serve.sh status)"

demo: start
	@extension/quietly.sh models bench/local_models/serve.sh start
	@$(environment) $(VENV)/bin/python -m bench.demo

# Clustering beside plain igraph, and the reports on a novel; SIZES="10000 100000 1000000" for more relations.
bench-communities: start
	@GRAPHRAG_DSN="$$(extension/cluster.sh dsn)" $(VENV)/bin/python -m bench.communities

# What the benchmarks compare with lives apart from what the tests need.
$(STATE)/bench-venv/ready: bench/requirements.txt
	@$(PYTHON) -m venv $(STATE)/bench-venv
	@$(STATE)/bench-venv/bin/python -m pip install -q --disable-pip-version-check -r bench/requirements.txt
	@touch $@

# BENCH has the names of data sets, all of them by default; the other two read the graph that it leaves behind.
BENCH ?=
bench-recall bench-ablations bench-concurrency: bench-%: start $(STATE)/bench-venv/ready
	@extension/quietly.sh models bench/local_models/serve.sh start
	@$(environment) $(STATE)/bench-venv/bin/python -m bench.$* $(BENCH)

# Other systems from PyPI beside it; never part of the tests.
$(STATE)/peers-venv/ready: bench/requirements-peers.txt bench/requirements.txt
	@$(PYTHON) -m venv $(STATE)/peers-venv
	@$(STATE)/peers-venv/bin/python -m pip install -q --disable-pip-version-check -r bench/requirements-peers.txt
	@touch $@

bench-peers: start
	@$(MAKE) $(STATE)/peers-venv/ready || { echo "skipped: the packages of bench/requirements-peers.txt cannot be had"; exit 0; }
	@extension/quietly.sh models bench/local_models/serve.sh start
	@[ ! -f $(STATE)/peers-venv/ready ] || $(environment) $(STATE)/peers-venv/bin/python -m bench.peers $(BENCH)

# LATENCY="--entities 10000 --relations 40000" for another size, "--keep" for the graph that is there already.
LATENCY ?=
bench-latency: export SHARED_BUFFERS ?= 4GB
bench-latency: start
	@$(environment) $(VENV)/bin/python -m bench.latency $(LATENCY)

lint: setup
	@extension/lint.sh
check: lint

# A test file stays with one worker, whose server is its own, in the order of testpaths.
PYTEST_WORKERS ?= -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: start
	@extension/lint.sh --if-changed
	@extension/quietly.sh models bench/local_models/serve.sh start
	@$(environment) $(VENV)/bin/python -m pytest $(PYTEST_WORKERS) $(PYTEST_ARGS)

nightly:
	@GRAPHRAG_KILLS=1000 $(MAKE) test PYTEST_ARGS=--hypothesis-profile=nightly

bench-time: start
	@$(environment) $(VENV)/bin/python -m bench.time

# How long stops take, at random instants; into bench/results.
bench-cancel: start
	@GRAPHRAG_DSN="$$(extension/cluster.sh dsn)" $(VENV)/bin/python -m bench.cancel

# Throughput of the queue with models that take 200 ms; into bench/results.
bench-jobs: start
	@GRAPHRAG_DSN="$$(extension/cluster.sh dsn)" $(VENV)/bin/python -m bench.jobs

# Sizes of vectors and of their indexes, for docs/scaling.md; into bench/results.
bench-size: start
	@GRAPHRAG_DSN="$$(extension/cluster.sh dsn)" $(VENV)/bin/python -m bench.size

# Each takes minutes, and says so and goes on where its data set is not there.
bench-write: start
	@for part in carol text2kg atom musique; do \
	    $(environment) PYTHONPATH=plpython:. $(VENV)/bin/python -m bench.write_$$part || exit; \
	done

# Answers of a benchmark, by any endpoint; EVAL has the options. A run that was stopped goes on.
EVAL ?=
eval-longmemeval eval-locomo eval-ectqa eval-musique: eval-%: start
	@extension/quietly.sh models bench/local_models/serve.sh start
	@$(environment) $(VENV)/bin/python -m bench.eval.harness $* $(EVAL)

eval-extraction: start
	@extension/quietly.sh models bench/local_models/serve.sh start
	@$(environment) $(VENV)/bin/python -m bench.eval.extraction $(EVAL)

eval-graph: start
	@$(environment) $(VENV)/bin/python -m bench.eval.graph_report

reference: start
	@$(environment) $(VENV)/bin/python extension/reference.py

benchmarks: setup
	@$(VENV)/bin/python -m bench.eval.page

DSN ?= postgresql:///postgres
installcheck:
	@GRAPHRAG_DSN="$(DSN)" $(VENV)/bin/python -m pytest tests/integration/test_pgtap.py

tle:
	@$(if $(PKGLIBDIR),,$(error no pg_config: run make setup, or name one with PG_CONFIG=))
	@$(PYTHON) extension/build.py --tle --python-library $(or $(PYLIB),$(PYTHON_LIBRARY))
	@echo extension/$(EXTENSION)--$(EXTVERSION).tle.sql

dist:
	@$(PYTHON) extension/build.py --dist dist

ifeq ($(PGXS),)
clean:
	rm -rf $(EXTRA_CLEAN)
endif
