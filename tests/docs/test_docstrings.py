"""The examples in the docstrings of foreword are run."""

from __future__ import annotations

import doctest
import os
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import foreword
import foreword_plugins

MODULES = sorted(
    name
    for package in (foreword, foreword_plugins)
    for name in (
        package.__name__,
        *(found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
    )
    if not name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example in a docstring of the module gives what it shows."""
    for variable in [variable for variable in os.environ if variable.startswith("FOREWORD_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    module = import_module(name)
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        runner.run(test, out=said.append)
    assert not said, "".join(said)


def test_there_are_examples() -> None:
    """The public names have examples, and the tests above find them."""
    for name in ("foreword._builder", "foreword._build", "foreword._model"):
        found = doctest.DocTestFinder().find(import_module(name))
        assert sum(len(test.examples) for test in found) >= 1
