"""The fuzzer's inputs that are kept: each is read as it must be, without the fuzzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .targets import SEEDS, TARGETS

FILES = sorted(file for file in SEEDS.glob("*/*") if file.is_file())


def test_every_target_has_seeds() -> None:
    """The inputs that are kept are those of the targets there are, and every target has some."""
    assert {file.parent.name for file in FILES} == set(TARGETS)


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.name}" for file in FILES])
def test_seed(file: Path) -> None:
    """What was once a hard input breaks no promise of its target."""
    TARGETS[file.parent.name].run(file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_bytes_that_are_no_text(name: str) -> None:
    """Every target takes any bytes, also none."""
    for data in (b"", b"\xff\xfe\x00", bytes(range(256)), b"\n%%\n" * 20):
        TARGETS[name].run(data)
