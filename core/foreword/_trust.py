"""Content hashes of plugins and skills: what the operator has looked at, and what has changed since."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._diagnostics import Diagnostic
from ._roots import Root

if TYPE_CHECKING:
    from ._files import Reader

_OTHERS_WRITE = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""What an installer writes into a distribution's metadata, and not its author."""


def plugin_hash(distribution: Any, value: str) -> str:
    """Return the SHA-256 of everything a plugin's distribution installs; nothing of it is imported.

    Args:
        distribution: the distribution, as its metadata describes it.
        value: the value of the entry point; the package it names is hashed too, for editable installs.
    """
    paths = {str(distribution.locate_file(file)) for file in distribution.files or () if _counts(str(file))}
    paths.update(_package_files(value))
    return _hash_of((name, _bytes(path)) for name, path in sorted((_shared_name(path), path) for path in paths))


def skill_hash(reader: Reader, root: Root, folder: str) -> str:
    """Return the SHA-256 of everything in a skill's directory, as the safe reader sees it.

    Args:
        reader: reads the files.
        root: the root of skills.
        folder: the skill's directory below the root; empty for the root itself.
    """
    inside = Root(f"{root.written}/{folder}", os.path.join(root.path, folder)) if folder else root
    names = [name for name in reader.tree(inside, limit=100_000) if not name.endswith("/")]
    found = ((name, reader.read_file(inside, name)) for name in names)
    return _hash_of((name, b"" if data is None or isinstance(data, Diagnostic) else data) for name, data in found)


def _counts(name: str) -> bool:
    parts = name.split("/")
    return not (name.endswith(".pyc") or "__pycache__" in parts or parts[-1] in _OTHERS_WRITE)


def _package_files(value: str) -> Iterator[str]:
    top = value.partition(":")[0].partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for inside, _, names in os.walk(folder):
            for name in names:
                if _counts(os.path.join(inside, name).replace(os.sep, "/")):
                    yield os.path.join(inside, name)
    if spec is not None and spec.origin is not None and os.path.isfile(spec.origin):
        yield spec.origin


def _shared_name(path: str) -> str:
    # The name counts, and where the environment lies does not.
    return "/".join(os.path.normpath(path).split(os.sep)[-2:])


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _hash_of(contents: Iterable[tuple[str, bytes]]) -> str:
    total = hashlib.sha256()
    for name, data in contents:
        total.update(f"{len(name.encode())}:{name}:{len(data)}:".encode())
        total.update(data)
    return total.hexdigest()
