"""What makes reading cheap, held against what it stands for: gates, files made at once, and looking only once."""

from __future__ import annotations

import os
import pickle
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import MarkdownFile
from foreword._diagnostics import Diagnostic, Place
from foreword.files import _assembled
from foreword.files._assembled import assembled
from foreword.files._batch_roots import BatchRoots
from foreword.files._cache import Cache
from foreword.files._entries import Entry, file_of
from foreword.files._markdown_file import markdown_file
from foreword.files._reader import Reader, Readings
from foreword.files._roots import Root
from foreword.files._stamps import now
from foreword.files._taking import Taking
from foreword.files._walk import DIRECTORY, Enclosure, opening, real_path
from foreword.files._ways import places_around
from foreword.markdown._front_matter import Document

ROOT = Root("r", "/r")
FINDING = Diagnostic("FW010", "warning", "something", Place("r/a.md"), "mend it")
NAMES = ("AGENTS.md", "a.md", "b.md", "sub/a.md", "tools/x.md", "SAFETY.md")
PATHS = ("", ".", "..", "/", "real", "real/", "./real", "real/../real", "link", "link/deep", "real/deep", "file",
         "gone", "loop", "real//deep", "other/link", "\0", "real/deep/..")  # fmt: skip


# -- files that are made at once -------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, FINDING])
@pytest.mark.parametrize("document", [None, Document("text"), Document("text", 3), Document("")])
def test_a_file_that_is_made_at_once_is_the_one_that_its_class_makes(
    document: Document | None, error: Diagnostic | None
) -> None:
    """It has the same fields and the same class, and can neither be changed nor told apart when it comes back."""
    other = MarkdownFile(ROOT, "sub/a.md", "r/sub/a.md", document, error, (1, 2), 7)
    made = markdown_file(ROOT, "sub/a.md", "r/sub/a.md", other.text, other.more, error, (1, 2), 7)
    assert (made.document, made.error) == (document, error)
    assert type(made) is MarkdownFile
    assert made.__reduce__() == other.__reduce__() == pickle.loads(pickle.dumps(made)).__reduce__()
    assert (made.text, made.line, made.stem, made.path, repr(made)) == (
        other.text,
        other.line,
        other.stem,
        other.path,
        repr(other),
    )
    with pytest.raises(AttributeError, match="never changes"):
        made.name = "b.md"
    with pytest.raises(AttributeError, match="never changes"):
        del made.text
    assert not hasattr(made, "__dict__")


# -- gates -----------------------------------------------------------------------------------------


def entries_of(seed: int) -> list[Entry]:
    """A few entries, most of them ordinary."""
    chance = random.Random(seed)
    found: list[Entry] = []
    for number, name in enumerate(chance.sample(NAMES, chance.randrange(len(NAMES) + 1))):
        inode = chance.choice((7, 100 + number, 100 + number, 100 + number))
        said = (FINDING,) if chance.randrange(9) == 0 else ()
        error = FINDING if chance.randrange(9) == 0 else None
        document = Document("text", diagnostics=said) if error is None else None
        stamp = (1, inode, 4, 5, 6) if error is None or chance.randrange(2) else None
        identity = (1, inode) if stamp is not None else None
        file = MarkdownFile(ROOT, name, f"r/{name}", document, error, identity, 4)
        links = chance.choice((1, 1, 1, 1, 2))
        found.append((f"/r/{name}", stamp, stamp, chance.randrange(9) == 0, links, b"text", file))
    return found


def _never(*_: object, **__: object) -> bool:
    return False


@given(st.integers(0, 10**9), st.booleans(), st.booleans())
@settings(max_examples=400)
def test_where_nothing_is_to_be_said_of_files_looking_closer_says_nothing(
    seed: int, trusted: bool, has_said: bool
) -> None:
    """What a directory holds is the same whether or not it is first asked if anything is out of the ordinary."""
    entries, said = entries_of(seed), [FINDING] if has_said else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_assembled, "_is_quiet", _never)
        full = assembled(entries, said, exists=True, trusted=trusted)
    short = assembled(entries, said, exists=True, trusted=trusted)
    assert [file.__reduce__() for file in short.files] == [file.__reduce__() for file in full.files]
    assert (short.diagnostics, short.exists) == (full.diagnostics, full.exists)


@pytest.mark.parametrize("base", ["", "link", "real"])
@pytest.mark.parametrize("path", PATHS)
def test_the_real_path_is_that_of_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, path: str
) -> None:
    """Of any path, through links or not, there or not, relative or not, the real path is what `realpath` says."""
    (tmp_path / "real/deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "other/link").symlink_to(tmp_path / "real/deep")
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path / "real")
    for asked in (path, os.path.join(tmp_path, base, path), str(tmp_path / base / path)):
        try:
            expected = os.path.realpath(asked)
        except ValueError:
            with pytest.raises(ValueError, match="null"):
                real_path(asked)
        else:
            assert real_path(asked) == expected


# -- one state -------------------------------------------------------------------------------------


def settled(root: Root) -> Readings:
    """Return readings of a directory of files that were not touched of late."""
    time.sleep(0.1)
    readings: Readings = Cache()
    assert Reader(readings=readings).read_directory(root).exists
    return readings


def texts_when_changing(root: Root, readings: Readings, act: Callable[[], None]) -> list[str]:
    """Read again, and do something once while the first file is read."""
    turns = [act]

    def acting(*given: Any) -> MarkdownFile:
        while turns:
            turns.pop()()
        return markdown_file(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foreword.files._taking.markdown_file", acting)
        directory = Reader(readings=readings).read_directory(root)
    assert not turns
    assert directory.diagnostics == ()
    return [file.text for file in directory.files]


@pytest.mark.parametrize("others", [("a",), ("c",), ("a", "c"), ("b",), ("a", "b", "c")])
def test_what_changes_while_a_changed_file_is_read_is_seen(tmp_path: Path, others: tuple[str, ...]) -> None:
    """Files that were looked at before it, or will be after it, or it itself: all are as they were at one moment."""
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("old")
    root = Root("r", str(tmp_path))
    readings = settled(root)
    (tmp_path / "b.md").write_text("changed")

    def act() -> None:
        for name in others:
            (tmp_path / f"{name}.md").write_text("newest")

    expected = ["newest" if name in others else "changed" if name == "b" else "old" for name in "abc"]
    assert texts_when_changing(root, readings, act) == expected


def test_a_file_that_changed_last_is_looked_at_first(tmp_path: Path) -> None:
    """Where one file changes over and over, each reading finds it at the first look and looks at each other once."""
    for name in "abcdef":
        (tmp_path / f"{name}.md").write_text("old")
    root = Root("r", str(tmp_path))
    readings = settled(root)
    looked: list[str] = []
    original = os.lstat

    def looking(path: str, **more: int) -> os.stat_result:
        looked.append(os.path.basename(path))
        return original(path, **more)

    for number in range(3):
        (tmp_path / "e.md").write_text(f"{number}")
        time.sleep(0.1)
        looked.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "lstat", looking)
            files = Reader(readings=readings).read_directory(root).files
        assert [file.text for file in files] == ["old"] * 4 + [f"{number}", "old"]
        if number:
            assert looked == ["e.md", "a.md", "b.md", "c.md", "d.md", "f.md", "e.md"]


def test_a_way_that_leads_elsewhere_since_the_batch_began_proves_nothing(tmp_path: Path) -> None:
    """What was looked at for one directory is taken for those beside it, and never holds when it has changed."""
    for agent in ("ada", "bea"):
        (tmp_path / "agents" / agent).mkdir(parents=True)
        (tmp_path / "agents" / agent / "a.md").write_text(agent)
    time.sleep(0.1)
    root, ways = Root("r", str(tmp_path)), BatchRoots(())
    first = ways.around(root, "agents/ada", frozenset())
    assert first is not None
    assert first == places_around(root, "agents/bea", frozenset())
    assert ways.around(root, "agents/bea", frozenset()) is first
    reader = Reader()
    watched = reader.watch()
    assert reader.read_directory(root, "agents/ada").files[0].text == "ada"
    (tmp_path / "agents").rename(tmp_path / "kept")
    (tmp_path / "agents").symlink_to("kept")
    assert reader.read_directory(root, "agents/bea").files[0].text == "bea"
    evidence = reader.evidence(watched)
    assert evidence is None or not evidence.holds()
    assert not first.holds()


# -- many files at once ----------------------------------------------------------------------------

CONTENTS = (
    b"Be brief.\n", b"# H\n\ntext", b"", b"\n", b"\xef\xbb\xbfBOM", b"\xff\xfeA\0", b"a\0b", b"\xff", "نه".encode(),
    b"---\ntitle: T\n---\ntext", b"---\nmood: x\n---\n", b"a\r\nb\r", b"x" * 64, b"x" * 65, b"x" * 4096,
)  # fmt: skip
CALLED = ("a.md", "B.md", "über.md", "AGENTS.md", "c d.md", "gone.md", "fifo.md", "folder.md", "link.md", "out.md")


@given(
    st.dictionaries(st.sampled_from(CALLED[:5]), st.sampled_from(CONTENTS)),
    st.sets(st.sampled_from(CALLED[5:])),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_files_that_are_taken_at_once_are_those_that_are_taken_one_by_one(
    contents: dict[str, bytes], others: set[str], again: bool, by_stamp: bool
) -> None:
    """Whatever is there when they are opened, files and states are the same, and so is what there is to say."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "p").mkdir()
        for name, data in contents.items():
            (Path(place) / "p" / name).write_bytes(data)
        _strange(Path(place) / "p", others)
        names = sorted({*contents, *others, "gone.md"})
        root, enclosure = Root("p", f"{place}/p"), Enclosure(os.path.realpath(f"{place}/p"))
        known: dict[str, Entry] = {}
        for _ in range(2 if again else 1):
            taken = [Taking(root, enclosure, 64, now(), known, by_stamp=by_stamp) for _ in range(2)]
            with opening(enclosure, "", DIRECTORY) as directory:
                taken[0].plain(directory, "", names)
                for name in names:
                    taken[1].one(directory, name, name, False, True)
            assert taken[0].states() == taken[1].states()
            assert taken[0].size == taken[1].size
            entries = [[_told(entry) for entry in one.entries] for one in taken]
            assert entries[0] == entries[1]
            # What says the same is the same file, if it could be read at all.
            assert all(file_of(one) is known[file_of(one).name][6] for one in taken[0].entries if known)
            known = {file_of(entry).name: entry for entry in taken[0].entries}


def _strange(folder: Path, names: set[str]) -> None:
    """Make what a listing may have taken for a regular file a moment ago."""
    for name in names - {"gone.md"}:
        path = folder / name
        if name == "fifo.md":
            os.mkfifo(path)
        elif name == "folder.md":
            path.mkdir()
        elif name == "link.md":
            path.symlink_to("a.md")
        else:
            path.symlink_to("/etc/hostname")


def _told(entry: Entry) -> tuple[object, ...]:
    file = file_of(entry)
    return (*entry[:-1], file.name, file.place, file.document, file.error, file.identity, file.size)
