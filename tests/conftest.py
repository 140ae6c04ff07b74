"""What holds for every test here."""

import os
from collections.abc import Iterator
from itertools import groupby

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import held_still

pytest.register_assert_rewrite("hub.authoring")  # its laws are assertions
held_still.install()
settings.register_profile(
    "table",
    derandomize=True,  # no test draws from unseeded chance; `make fuzz` does
    deadline=None,  # a busy machine is no failure
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("table")
# Hypothesis draws constants of the modules that are loaded by then, so its inputs would depend on the order of tests.
providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that are known to be slow more time than the limit of pyproject.toml, and begin with their files."""
    for item in items:
        if is_slow(item) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = slow_first(items, workers)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Hold clock and chance of the machine still for a test, with its fixtures, unless a marker says that it uses them."""
    held_still.begin(item.nodeid, {marker.name for marker in item.iter_markers()})
    try:
        return (yield)
    finally:
        held_still.end()


@pytest.fixture(autouse=True)
def clock_and_chance_held_still() -> Iterator[None]:
    """Fail a test that has used clock or chance of the machine without saying so, even if something caught the error."""
    yield
    if found := held_still.GUARD.found:
        pytest.fail("\n".join(dict.fromkeys(found)))


def is_slow(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(marker) for marker in ("slow", "long", "wide"))


def slow_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order in which each of xdist's workers begins with files that have slow ones.

    `--dist worksteal` gives each worker an equal part of the list, from front to back, and moves what has not begun from
    the end of one part to a worker that is done: what takes long must not come last. A file stays with one worker as
    long as nobody takes from it, for its fixtures.
    """
    shares = [list[pytest.Item]() for _ in range(workers)]
    quick: list[pytest.Item] = []
    for _, group in groupby(items, lambda item: item.path):
        tests = [*group]
        slow = sum(map(is_slow, tests))
        (min(shares, key=len) if slow and 4 * slow > len(tests) else quick).extend(tests)
    shares.sort(key=len, reverse=True)
    ordered: list[pytest.Item] = []
    for number, share in enumerate(shares):
        size = (len(items) - len(ordered)) // (workers - number)
        rest = max(0, size - len(share))
        ordered += share + quick[:rest]
        quick = quick[rest:]
    return ordered + quick
