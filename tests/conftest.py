"""What holds for every test here."""

import pytest
from hypothesis import settings

settings.register_profile("table", deadline=None)  # a busy machine is no failure
settings.load_profile("table")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that are known to be slow more time than the limit of pyproject.toml."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))
