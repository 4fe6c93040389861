"""What a reader decides at a glance, held against looking closer: quiet directories, absent names, an open root."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.files import _assembled, _fresh
from foreword.files._assembled import assembled
from foreword.files._batch_roots import BatchRoots
from foreword.files._cache import Cache
from foreword.files._entries import Entry, file_of
from foreword.files._fresh import read_whole
from foreword.files._listing import Listing
from foreword.files._markdown_file import Directory
from foreword.files._plain_reading import read_plain
from foreword.files._questions import DirectoryKey
from foreword.files._reader import Reader
from foreword.files._reading import Reading, read
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, now
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, Enclosure, Refused, open_real, opening

PLACES = ("AGENTS.md", "a.md", "b.md", "sub/a.md", "sub.md", "über.md", "README.md", "note.txt")
CONTENTS = (b"text", b"more", b"---\nmood: x\n---\ntext", b"\xff", b"")
SUBS = ("tools", "tools/x", "a", "a/b", "a/gone", "gone", "gone/a", "f.md", "f.md/x", ".", "..", "a/..", "a/", "a//b",
        "\0", "gone\0", "a/\udcff", "link", "link/b", "link/gone")  # fmt: skip
PATHS = ("", "real", "real/deep", "gone", "real/gone", "file", "file/x", "link", "out", "loop", "..", "real/", "\0")


def _never(*_: object, **__: object) -> bool:
    return False


@given(
    st.dictionaries(st.sampled_from(PLACES), st.sampled_from(CONTENTS)),
    st.sets(st.sampled_from((("a.md", "twin.md"), ("b.md", "sub/twin.md"), ("a.md", "../outside.md")))),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_directory_that_is_read_holds_what_looking_closer_makes_of_its_files(
    contents: dict[str, bytes], twins: set[tuple[str, str]], recursive: bool, trusted: bool
) -> None:
    """Whether its files come in order with nothing to say, or are sorted and looked at one by one: it is the same."""
    with tempfile.TemporaryDirectory() as place:
        top = Path(place, "p")
        (top / "sub").mkdir(parents=True)
        for name, data in contents.items():
            (top / name).write_bytes(data)
        for name, twin in twins:
            if (top / name).exists() and not (top / twin).exists():
                os.link(top / name, top / twin)
        root, enclosure = Root("p", str(top)), Enclosure(os.path.realpath(top))
        asked = DirectoryKey("directory", root, "", frozenset({"sub"}), recursive, None, 8, frozenset(), trusted)
        taking = Taking(root, enclosure, 64, now(), {}, by_stamp=True)
        listing = Listing(enclosure, asked, taking)
        said = tuple(listing.diagnostics)
        found = read(taking, listing.names, said, None, settled=True, trusted=trusted, real=enclosure.root)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_assembled, "_is_quiet", _never)
            full = assembled(found.entries, found.said, exists=True, trusted=trusted)
    assert [file.__reduce__() for file in found.directory.files] == [file.__reduce__() for file in full.files]
    assert found.directory.diagnostics == full.diagnostics
    assert found.size == 2000 + sum(1000 + 3 * file.size for file in map(file_of, found.entries))


KINDS = ("text", "text", "text", "front matter", "bad", "empty", "link", "fifo", "directory", "twin")


def _put(place: Path, name: str, kind: str) -> None:
    path = place / name
    if kind == "link":
        path.symlink_to("a.md")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "twin" and (place / "a.md").is_file() and name != "a.md":
        os.link(place / "a.md", path)
    else:
        path.write_bytes({"front matter": CONTENTS[2], "bad": CONTENTS[3], "empty": b""}.get(kind, b"# T\n\ntext\n"))


def _fields(reading: Reading) -> object:
    directory, entries, *others, size = reading
    files = [file.__reduce__() for file in directory.files]
    read = sorted((*entry[:6], *entry[6].__reduce__()[1][1:3]) for entry in entries)
    return files, directory.diagnostics, directory.exists, read, others, size


@given(
    st.dictionaries(st.sampled_from((*PLACES[:3], *PLACES[4:], ".h.md", "x.md~", "agents")), st.sampled_from(KINDS)),
    st.sampled_from(("", "sub", "sub/below", "ways/by/link", "gone")),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_directory_that_is_read_in_one_go_is_read_as_any_other(
    kinds: dict[str, str], sub: str, waits: bool, knows: bool, recursive: bool
) -> None:
    """Where a directory is as simple as that, reading it in one go gives all that looking at each entry gives."""
    with tempfile.TemporaryDirectory() as place:
        top = Path(place, "p")
        (top / "sub/below").mkdir(parents=True)
        (top / "sub/link").mkdir()
        (top / "ways").mkdir()
        (top / "ways/by").symlink_to("../sub")
        if (top / sub).is_dir():
            for name, kind in sorted(kinds.items()):
                _put(top / sub, name, kind)
        if waits:
            time.sleep(0.025)
        root = Root("p", str(top))
        theirs = frozenset({"agents", "sub", "below", "link", "ways", "sub.md", "README.md", ".h.md", "x.md~"})
        key = DirectoryKey("directory", root, sub, theirs, recursive, None, 8, frozenset(), True)
        known: dict[str, Entry] = {}
        if knows:
            known = {file_of(entry).name: entry for entry in _whole(key, {}).entries}
        simple = _whole(key, known)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_fresh, "read_plain", lambda *_, **__: None)
            full = _whole(key, known)
        plain = read_plain(key, Enclosure(os.path.realpath(top)), None, Evidence(), 64, known, by_stamp=True)
    assert _fields(simple) == _fields(full)
    if plain is not None:
        assert _fields(plain)[:4] == _fields(full)[:4]  # type: ignore[index]
    is_simple = {*kinds.values()} <= {"text", "front matter"} and kinds.keys() <= {*PLACES[:3], *PLACES[4:6]}
    if waits and is_simple and (sub == "sub/below" or (sub in ("", "sub") and not recursive)):
        assert plain is not None


@pytest.mark.parametrize("name", ["plain", "weird.md", "README.md", ".x.swp", ".hidden", "x.md~", "a.md.bak", "tools"])
@pytest.mark.parametrize("known", [True, False])
def test_what_is_said_of_a_directory_is_said_however_it_is_read(tmp_path: Path, name: str, known: bool) -> None:
    """A directory with the name of a file is one that somebody else reads, or none, in either way of reading."""
    (tmp_path / "a.md").write_text("text")
    (tmp_path / name).mkdir()
    time.sleep(0.03)
    root, theirs = Root("p", str(tmp_path)), frozenset([name] if known else [])
    key = DirectoryKey("directory", root, "", theirs, False, None, 8, frozenset(), True)
    simple = _whole(key, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_fresh, "read_plain", lambda *_, **__: None)
        full = _whole(key, {})
    assert _fields(simple) == _fields(full)


@pytest.mark.parametrize("change", ["text", "file", "gone", "directory"])
@pytest.mark.parametrize("sub", ["", "sub"])
def test_what_changes_while_a_directory_is_read_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sub: str, change: str
) -> None:
    """All files of a reading are as they were at one moment, and what is kept of it holds for nothing else."""
    top = tmp_path / "top"
    folder = top / sub
    folder.mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (folder / name).write_text("before")
    time.sleep(0.03)

    def changed() -> None:
        if change == "gone":
            (folder / "b.md").unlink()
            return
        if change == "directory":
            folder.rename(tmp_path / "old")
            folder.mkdir()
        (folder / ("c.md" if change == "file" else "a.md")).write_text("after")

    read, left = os.read, [changed]

    def reads(fd: int, size: int) -> bytes:
        data = read(fd, size)
        if left:
            left.pop()()
        return data

    root, readings = Root("p", str(top)), Cache[Any, Any]()
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", reads)
        found = Reader(readings=readings).read_directory(root, sub)
    fresh = Reader().read_directory(root, sub)
    kept = Reader(readings=readings).read_directory(root, sub)
    assert not left
    assert _files(kept) == _files(fresh)
    if change != "directory":
        assert _files(found) == _files(fresh)


def _files(directory: Directory) -> object:
    return [file.__reduce__() for file in directory.files], directory.diagnostics


def _whole(key: DirectoryKey, known: dict[str, Entry]) -> Reading:
    return read_whole(key, BatchRoots(()), 64, known, by_stamp=True)


@pytest.mark.parametrize("sub", SUBS)
def test_what_is_not_there_by_name_is_what_cannot_be_opened(tmp_path: Path, sub: str) -> None:
    """A reader that knows the names beside answers as one that never looked at them."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/in.md").write_text("x")
    (tmp_path / "f.md").write_text("x")
    (tmp_path / "link").symlink_to("a")
    root, reader = Root("r", str(tmp_path)), Reader()
    for other in ("", "a", "gone"):
        reader.read_directory(root, other, known=("a", "link"))
    new = BatchRoots(())
    asked = DirectoryKey("directory", root, sub, frozenset(), False, None, 8, frozenset(), True)
    found, whole = reader.read_directory(root, sub), read_whole(asked, new, 64, {}, by_stamp=True).directory
    assert [file.__reduce__() for file in found.files] == [file.__reduce__() for file in whole.files]
    assert (found.diagnostics, found.exists) == (whole.diagnostics, whole.exists)


@pytest.mark.parametrize("path", PATHS)
def test_a_root_that_is_open_already_leads_to_the_same(tmp_path: Path, path: str) -> None:
    """What is opened from there is what is opened from its path, or refused alike, and no descriptor stays open."""
    (tmp_path / "p/real/deep").mkdir(parents=True)
    (tmp_path / "p/file").write_text("x")
    (tmp_path / "p/link").symlink_to("real/deep")
    (tmp_path / "p/out").symlink_to(tmp_path)
    (tmp_path / "p/loop").symlink_to("loop")
    enclosure = Enclosure(os.path.realpath(tmp_path / "p"))
    before = os.listdir("/proc/self/fd")

    def opened(top: int | None) -> tuple[object, ...]:
        try:
            with opening(enclosure, path, DIRECTORY, top) as found:
                return found.real, found.linked, os.fstat(found.fd).st_ino
        except (FileNotFoundError, Refused) as error:
            return type(error), str(error)

    assert opened(None) == opened(open_real(enclosure.root))
    assert len(os.listdir("/proc/self/fd")) == len(before)
