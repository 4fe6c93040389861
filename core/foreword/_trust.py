"""Content hashes of plugins and skills: what the operator has looked at, and what has changed since."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from foreword.files._reader import MarkdownFile, Reader

_OTHERS_WRITE: Final = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""What an installer writes into a distribution's metadata, and not its author."""

_CACHES: Final = "__pycache__"
_MOST_BYTES: Final = 1 << 26
_MOST_FILES: Final = 100_000


def plugin_hash(distribution: Any, value: str) -> str:
    """Return the SHA-256 of everything a plugin's distribution installs; nothing of it is imported.

    Args:
        distribution: the distribution, as its metadata describes it.
        value: the value of the entry point; the package it names is hashed too, for editable installs.
    """
    # The name counts, and where the environment lies does not.
    names = {os.path.normpath(str(distribution.locate_file(file))): str(file) for file in distribution.files or ()}
    for path, name in _package_files(value):
        names.setdefault(os.path.normpath(path), name)
    return _hash_of((name, _bytes(path, name)) for path, name in sorted(names.items(), key=_by_name) if _counts(name))


def skill_hash(reader: Reader, file: MarkdownFile) -> str | None:
    """Return the SHA-256 of a skill: of its file as it was read, and of everything in its directory.

    Args:
        reader: reads the other files.
        file: the skill's ``SKILL.md``.

    Returns:
        The hash, or None where something in the directory cannot be read whole.
    """
    folder = file.name.rpartition("/")[0]
    found = reader.tree(
        file.root, start=folder, depth=64, limit=_MOST_FILES, hidden=True, trusted_links=True
    )
    if len(found) >= _MOST_FILES:
        return None
    # What stands in the prompt is the text that was read then, whatever the file says by now.
    contents = [("", file.content_hash.encode())]
    for name in found:
        if not name.endswith("/"):
            data = reader.read_file(file.root, name, max_bytes=_MOST_BYTES)
            if not isinstance(data, bytes):
                return None
            contents.append((name[len(folder) :].lstrip("/"), data))
    return _hash_of(contents)


def _counts(name: str) -> bool:
    folder, _, last = name.rpartition("/")
    return _CACHES not in name.split("/") and not (last in _OTHERS_WRITE and folder.endswith(".dist-info"))


def _package_files(value: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of every file of the package, or of the module, that an entry point names."""
    top = value.partition(":")[0].partition(".")[0].strip()
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for inside, _, files in os.walk(folder):
            for file in files:
                path = os.path.join(inside, file)
                yield path, f"{top}/{os.path.relpath(path, folder).replace(os.sep, '/')}"
    if spec is not None and spec.origin is not None and os.path.isfile(spec.origin):
        yield spec.origin, os.path.basename(spec.origin)


def _by_name(item: tuple[str, str]) -> tuple[str, str]:
    return item[1], item[0]


def _bytes(path: str, name: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return b""
    if name.startswith("../") and data.startswith(b"#!"):
        # The first line of a script that an installer has made names the environment.
        return data.partition(b"\n")[2]
    return data


def _hash_of(contents: Iterable[tuple[str, bytes]]) -> str:
    total = hashlib.sha256()
    for name, data in contents:
        named = name.encode("utf-8", "surrogateescape")
        total.update(f"{len(named)}:".encode() + named + f":{len(data)}:".encode())
        total.update(data)
    return total.hexdigest()
