# table-hub: every target sets up what it needs first and is quick when nothing is missing.
# Works from any folder (make -C, make -f) and in a path that holds spaces.

ROOT := $(shell cd "$$(dirname "$$(echo "$(MAKEFILE_LIST)" | sed 's/^ *//')")" && pwd)
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test long wide quick static check docs gallery bench simulate chaos mutants fuzz acceptance firmware drawings catalogues renew flaky lock wheels audit setup deb image image-check install clean

# What `make setup` installs beside the hub itself: any of pi ble camera firmware drawings docs dev, with commas.
EXTRAS ?=
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# More arguments for the program a target runs: make test ARGS="-k auction", make demo ARGS="--port 9000".
ARGS ?=
# What requirements.lock covers: every dependency group of pyproject.toml.
ALL_GROUPS = --group dev --group docs --group pi --group npm --group installer --group build

# The tests start hundreds of hubs: what Python compiled once is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

# Tests run beside each other in so many processes; WORKERS=0 runs them in one, as a debugger wants it.
WORKERS ?= 4
PYTEST = .venv/bin/pytest -n $(WORKERS) --dist worksteal

help:
	@echo 'make demo     a simulated table in the browser: boxes, dice, phones, e-ink'
	@echo 'make test     the tests'
	@echo 'make long     the tests on real clones, hundreds of pictures and an emulated seat box, left out of make test'
	@echo 'make wide     every state of every game: axe, keys, readers, WebKit, Firefox, German; by hand, on a machine that is free'
	@echo 'make quick    the tests without a browser and without those that take long'
	@echo 'make flaky    the tests ten times on a busy machine, each time in another order: which of them do not always agree'
	@echo 'make mutants  small changes to the code that no test notices (ARGS="hub/table/people/endings.py": in one file)'
	@echo 'make static   formatter, linter, types and layers: what is checked without running anything'
	@echo 'make check    static, test and long'
	@echo 'make docs     the pages for owners and developers, as a site in build/docs/html'
	@echo 'make gallery  every game, phase and screen as pictures on one page in build/gallery (ARGS="--against REV": what differs)'
	@echo 'make bench    the measurements, side by side with their peers'
	@echo 'make simulate evenings at a table in virtual time, each decided by its seed: which promise is broken'
	@echo 'make chaos    an hour of five tables while hub, broker, disk, clock, phones, boxes and dice fail'
	@echo 'make fuzz     odd bytes for all that reads bytes, until Ctrl-C'
	@echo 'make acceptance  the whole product on fresh Debian 12 and 13 machines, as root (half an hour each)'
	@echo 'make firmware the file that turns a Raspberry Pi Pico into a seat box'
	@echo 'make drawings schematic, perfboard, housing and tables of firmware/hardware/README.md'
	@echo 'make renew    every generated file that is out of date: catalogs, pages, types, digests of matches'
	@echo 'make catalogues  start a language, or list what is not translated: hub/docs/translate.md'
	@echo 'make setup    only install what the hub needs (EXTRAS=pi,ble,camera,dev,docs,firmware,drawings)'
	@echo 'make lock     renew requirements.lock after a change of pyproject.toml'
	@echo 'make wheels   check that every locked package is there ready-made for each machine'
	@echo 'make audit    ask public services whether a locked package has a known hole'
	@echo 'make deb      Debian packages with all that the hub needs, for this computer or (ARGS="--arch arm64") a Raspberry Pi'
	@echo 'make image    an SD card image for a Raspberry Pi from the packages of `make deb`, as root on Debian 12 or 13'
	@echo 'make image-check  that image on an emulated machine, with power cuts (an hour)'
	@echo 'make install  build the Debian packages and install them: the hub becomes a system service (ARGS=--kiosk: with the big screen)'
	@echo 'make clean    remove what set-up and tests made inside this folder'

demo:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py demo && exec .venv/bin/table-hub demo $(ARGS)

test:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec $(PYTEST) -m "not long and not wide" $(ARGS)

# Set-ups of real clones, the dice reader on hundreds of pictures, the emulated seat box, random players in a browser,
# every moment of every game on the smallest and largest screens.
long:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec $(PYTEST) -m long $(ARGS)

# Every state of every game for everybody: axe, whole matches by keys, by ear, in WebKit, in Firefox, in German with large
# text, and a language that shows what no catalogue has. By hand on a machine that has nothing else to do.
wide:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec $(PYTEST) -m wide $(ARGS)

# The laws of the rules are tried on a sixth of the matches.
quick:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && LAWS=1 exec $(PYTEST) -m "not slow and not long and not wide and not browser" $(ARGS)

# ARGS="--runs 3 --load 4 --seed 7 tests/table" for fewer runs, more load, other orders, some of the tests.
flaky:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && \
	exec .venv/bin/python -m tests.flaky -n $(WORKERS) --dist worksteal -m "not long and not wide" $(ARGS)

# ARGS="hub/table/people/endings.py" for some files; without, hours: all of hub/engine, hub/store and hub/table.
mutants:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.mutants $(ARGS)

static:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py check
	@cd "$(ROOT)" && .venv/bin/ruff format --check .
	@cd "$(ROOT)" && .venv/bin/ruff check .
	@cd "$(ROOT)" && .venv/bin/mypy
	@cd "$(ROOT)" && .venv/bin/lint-imports
	@cd "$(ROOT)" && .venv/bin/python -m phone_ui.javascript check
	@cd "$(ROOT)" && .venv/bin/python -m tests.renew --check
	@cd "$(ROOT)" && .venv/bin/python -m hub.docs.catalogues missing

check: static test long

# A link that leads nowhere, a page that is in no table of contents, an unknown name: any of them ends it.
SITE = .venv/bin/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto -c hub/docs -d build/docs/doctrees . build/docs/html

docs:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py docs && $(SITE) && echo "$(ROOT)/build/docs/html/index.html"

# ARGS="bidness" for some sections; ARGS="--against main" or ARGS="--before FOLDER" shows what looks different.
gallery:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.gallery $(ARGS)

bench:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py bench && exec .venv/bin/python -m tests.bench $(ARGS)

# ARGS="--minutes 10 --seed 7" for less of it, or for the same faults again.
# ARGS="--seed 17 --seeds 1 --trace" for one evening and all that happens.
simulate:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.simulation $(ARGS)

chaos:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.chaos $(ARGS)

# ARGS="serial deck --seconds 600" for some of it.
fuzz:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.fuzz $(ARGS)

# Needs no set-up here: everything happens on machines of its own. ARGS="trixie --only demo,install" for a part,
# ARGS="arm64" for an emulated Raspberry Pi processor.
acceptance:
	@cd "$(ROOT)" && exec python3 -m tests.acceptance $(ARGS)

firmware:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py firmware && exec .venv/bin/python firmware/build_uf2.py $(ARGS)

drawings:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py drawings && exec .venv/bin/python -m firmware.hardware.draw $(ARGS)

# ARGS=--check only says which ones are out of date.
renew:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.renew $(ARGS)

# ARGS="new fr" starts a language, ARGS=missing lists what is not translated, ARGS=--guess offers guesses to the translator.
catalogues:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m hub.docs.catalogues $(ARGS)

# Renew requirements.lock after a change of pyproject.toml; UPGRADE="--upgrade-package pillow" also takes a newer one.
# Then make sure that every locked package can be installed on each machine that README.md names.
lock:
	@cd "$(ROOT)" && { [ -x .venv/bin/uv ] || python3 -I hub/operations/setup.py setup; } && \
	UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-annotate $(ALL_GROUPS) $(UPGRADE) pyproject.toml -o requirements.lock && \
	.venv/bin/python -m tests.wheels --64

# Whether every locked package is there ready-made for each machine that README.md names; what a 32-bit Pi has to build.
wheels:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py setup && exec .venv/bin/python -m tests.wheels $(ARGS)

# Asks PyPI's and npm's services, so it needs the internet; nothing is installed into .venv.
audit:
	@cd "$(ROOT)" && { [ -x .venv/bin/uv ] || python3 -I hub/operations/setup.py setup; } && \
	.venv/bin/uv tool run pip-audit==2.10.1 --requirement requirements.lock --require-hashes --disable-pip && \
	cd phone_ui && npm audit --package-lock-only

setup:
	@cd "$(ROOT)" && exec python3 -I hub/operations/setup.py setup --extras "$(EXTRAS)"

# ARGS="--arch arm64" for a Raspberry Pi. Needs debhelper and help2man.
deb:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py deb && exec .venv/bin/python systemd/build_deb.py $(ARGS)

# After `make deb ARGS="--arch arm64"`. Needs root and Debian's programs; says which ones are missing.
image:
	@cd "$(ROOT)" && exec python3 systemd/build_image.py $(ARGS)

# ARGS="FILE --folder FOLDER" for another image, and to keep what its consoles and its screen showed.
image-check:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py test && exec .venv/bin/python -m tests.acceptance.image $(ARGS)

install:
	@cd "$(ROOT)" && python3 -I hub/operations/setup.py install
	@echo 'The Debian packages are built from this clone ...'
	@cd "$(ROOT)" && rm -rf build/install && mkdir -p build && .venv/bin/python systemd/build_deb.py --here --out build/install >build/install.log 2>&1 || { cat build/install.log; exit 1; }
	@cd "$(ROOT)" && exec $(SUDO) python3 -I hub/operations/update.py $(ARGS) build/install/*.deb

clean:
	@cd "$(ROOT)" && rm -rf .venv phone_ui/node_modules tests/bench/peers/node_modules tests/bench/peers/.venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@cd "$(ROOT)" && find hub drivers phone_ui firmware tests -name __pycache__ -type d -prune -exec rm -rf {} +
