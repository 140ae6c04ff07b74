# table-hub: every target sets up what it needs first and is quick when nothing is missing.
# Works from any folder (make -C, make -f) and in a path that holds spaces.

ROOT := $(shell cd "$$(dirname "$$(echo "$(MAKEFILE_LIST)" | sed 's/^ *//')")" && pwd)
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test check bench firmware setup install clean

# What `make setup` installs beside the hub itself: any of pi ble camera firmware dev, with commas.
EXTRAS ?=
# More arguments for the program a target runs: make test ARGS="-k auction", make demo ARGS="--port 9000".
ARGS ?=

help:
	@echo 'make demo     a simulated table in the browser: boxes, dice, phones, e-ink'
	@echo 'make test     all tests'
	@echo 'make check    linter, types, the floors of the house, and all tests'
	@echo 'make bench    the measurements, side by side with their peers'
	@echo 'make firmware the file that turns a Raspberry Pi Pico into a seat box'
	@echo 'make setup    only install what the hub needs (EXTRAS=pi,ble,camera,dev,firmware)'
	@echo 'make install  put the hub on this Raspberry Pi as a system service (says first what it changes)'
	@echo 'make clean    remove what set-up and tests made inside this folder'

demo:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py demo && exec .venv/bin/table-hub demo $(ARGS)

test:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/pytest $(ARGS)

check:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py check && .venv/bin/ruff check . && .venv/bin/mypy && .venv/bin/lint-imports && .venv/bin/python -m phone_ui.javascript check && exec .venv/bin/pytest $(ARGS)

bench:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py bench && exec .venv/bin/python -m tests.bench $(ARGS)

firmware:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py firmware && exec .venv/bin/python firmware/build_uf2.py $(ARGS)

setup:
	@cd "$(ROOT)" && exec python3 -I hub/operations/setup.py setup --extras "$(EXTRAS)"

install:
	@cd "$(ROOT)" && exec sh systemd/install.sh $(ARGS)

clean:
	@cd "$(ROOT)" && rm -rf .venv phone_ui/node_modules tests/bench/peers/node_modules build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@cd "$(ROOT)" && find hub drivers phone_ui tests -name __pycache__ -type d -prune -exec rm -rf {} +
