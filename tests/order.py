"""A pytest plugin that runs files, and the tests within each file, in an order of its own: `-p tests.order`.

The environment variable TABLE_HUB_ORDER is its seed. A file's tests stay together, for the fixtures that they share.
"""

from __future__ import annotations

import os
from itertools import groupby
from random import Random

import pytest

SEED = "TABLE_HUB_ORDER"


def pytest_report_header() -> str:
    return f"order of tests: {SEED}={os.environ.get(SEED, '')}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the tests."""
    random = Random(os.environ.get(SEED, ""))
    files = [list(tests) for _, tests in groupby(items, lambda item: item.path)]
    random.shuffle(files)
    for tests in files:
        random.shuffle(tests)
    items[:] = [test for tests in files for test in tests]
