"""Build packages: the wheel and the source package contain the pages' libraries, which a clone gets from npm."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

PAGES = Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("vendored", PAGES / "vendored.py")
assert _spec is not None
assert _spec.loader is not None
vendored = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(vendored)


class BuildWithLibraries(build_py):  # type: ignore[misc] # setuptools has no types
    """Build the packages, and copy the libraries to `phone_ui/vendor`. An editable install reads npm's folder."""

    def run(self) -> None:
        """Build. Raise LibrariesMissing instead of making a wheel with empty pages."""
        super().run()
        if not self.editable_mode:
            vendored.pack(PAGES, Path(self.build_lib) / "phone_ui" / "vendor")


class SourceWithLibraries(sdist):  # type: ignore[misc] # setuptools has no types
    """Make the source package with the libraries in it, so that a build from it needs no npm."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Add the libraries. Raise LibrariesMissing if there are none."""
        super().make_release_tree(base_dir, files)
        vendored.pack(PAGES, Path(base_dir) / "phone_ui" / "vendor")
