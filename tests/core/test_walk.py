"""The reader among links, deep directories and writers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foreword._diagnostics import Diagnostic
from foreword.files._markdown_file import MarkdownFile, markdown_file
from foreword.files._read_open import read_open
from foreword.files._reader import Directory, Reader, Root
from foreword.files._walk import real_target


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """An empty directory below a written root."""
    path = tmp_path / "prompts"
    path.mkdir()
    return Root("prompts", str(path))


def write(root: Root, name: str, text: str = "x") -> Path:
    """Write one file and the directories that lead to it."""
    path = Path(root.path, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def link(root: Root, name: str, target: str | Path) -> Path:
    """Make a symbolic link."""
    path = Path(root.path, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def names(directory: Directory) -> list[str]:
    """Return the names of the files."""
    return [file.name for file in directory.files]


def said(directory: Directory) -> list[tuple[str, str]]:
    """Return code and place of all diagnostics."""
    return [(found.code, str(found.place)) for found in directory.diagnostics]


def test_a_link_inside_the_root_is_followed(root: Root) -> None:
    """Relative and absolute links, to files and through directories, are read while they stay in the root."""
    write(root, ".store/v1/SAFETY.md", "safe")
    write(root, ".store/v1/tools/read.md", "read")
    link(root, ".data", ".store/v1")
    link(root, "SAFETY.md", ".data/SAFETY.md")
    link(root, "absolute.md", Path(root.path, ".store/v1/tools/read.md"))
    link(root, "tools", ".data/tools")
    reader = Reader()
    directory = reader.read_directory(root, known=("tools",))
    assert [(file.name, file.text) for file in directory.files] == [
        ("SAFETY.md", "safe"),
        ("absolute.md", "read"),
    ]
    assert directory.diagnostics == ()
    assert [file.text for file in reader.read_directory(root, "tools").files] == ["read"]
    assert reader.read_file(root, "tools/read.md") == b"read"


def test_the_root_may_be_a_link_and_is_resolved_once(root: Root) -> None:
    """A root that is pointed elsewhere stays the same directory for one batch."""
    write(root, "v1/a.md", "old")
    write(root, "v2/a.md", "new")
    current = link(root, "current", "v1")
    served = Root("current", str(current))
    reader = Reader()
    assert reader.read_file(served, "a.md") == b"old"
    current.unlink()
    current.symlink_to("v2")
    assert [file.text for file in reader.read_directory(served).files] == ["old"]
    assert [file.text for file in Reader().read_directory(served).files] == ["new"]


def test_a_link_that_leads_out_is_refused_with_the_remedy(root: Root, tmp_path: Path) -> None:
    """A file or directory outside of the root is not read, and its place and target are named."""
    secret = tmp_path / "prompts-secret"
    secret.mkdir()
    (secret / "a.md").write_text("secret")
    link(root, "a.md", secret / "a.md")
    link(root, "tools", "../prompts-secret")
    directory = Reader().read_directory(root)
    (file,) = directory.files
    assert (file.text, file.identity) == ("", None)
    assert file.error is not None
    assert (file.error.code, file.error.severity, str(file.error.place)) == ("FW006", "error", "prompts/a.md")
    assert str(secret / "a.md") in file.error.message
    assert "[files] link_roots" in file.error.remedy
    tools = Reader().read_directory(root, "tools")
    assert (tools.files, tools.exists, said(tools)) == ((), True, [("FW006", "prompts/tools")])
    refused = Reader().read_file(root, "tools/a.md")
    assert isinstance(refused, Diagnostic)
    assert refused.code == "FW006"


def test_link_roots_hold_only_where_links_are_trusted(root: Root, tmp_path: Path) -> None:
    """The operator may allow a directory outside, which an agent's own directories cannot use."""
    shared = tmp_path / "shared"
    (shared / "deep").mkdir(parents=True)
    (shared / "deep" / "a.md").write_text("shared")
    (tmp_path / "by_link").symlink_to(shared)
    link(root, "a.md", shared / "deep" / "a.md")
    link(root, "deep", shared / "deep")
    reader = Reader(link_roots=[str(tmp_path / "by_link")])
    assert [file.text for file in reader.read_directory(root).files] == ["shared"]
    assert [file.text for file in reader.read_directory(root, "deep").files] == ["shared"]
    assert reader.read_file(root, "a.md") == b"shared"
    untrusted = reader.read_directory(root, trusted_links=False)
    assert [file.error.code for file in untrusted.files if file.error] == ["FW006"]
    assert isinstance(reader.read_file(root, "a.md", trusted_links=False), Diagnostic)
    one_file = Reader(link_roots=[str(shared / "deep" / "a.md")])
    assert one_file.read_file(root, "a.md") == b"shared"


def test_links_that_lead_nowhere_are_errors(root: Root) -> None:
    """A dangling link and a circle are named; they are not absent."""
    link(root, "circle.md", "other.md")
    link(root, "other.md", "circle.md")
    link(root, "dangling.md", "gone.md")
    link(root, "dir", "gone")
    directory = Reader().read_directory(root, recursive=True)
    assert [file.error.code for file in directory.files if file.error] == ["FW002"] * 3
    assert said(directory) == [
        ("FW002", f"prompts/{name}") for name in ("circle.md", "dangling.md", "dir", "other.md")
    ]
    assert Reader().read_directory(root, "dir").exists
    gone = Reader().read_directory(Root("root", str(Path(root.path, "dir"))))
    assert (gone.exists, said(gone)) == (True, [("FW002", "root")])
    circle = Reader().read_directory(Root("root", str(Path(root.path, "circle.md"))))
    assert (circle.exists, said(circle)) == (True, [("FW002", "root")])


def test_a_file_reached_twice_is_kept_once(root: Root) -> None:
    """Of links and hard links to one file the first by name counts, but a regular entry before a link."""
    write(root, "b.md")
    os.link(Path(root.path, "b.md"), Path(root.path, "c.md"))
    link(root, "a.md", "b.md")
    directory = Reader().read_directory(root)
    assert names(directory) == ["b.md"]
    assert said(directory) == [("FW019", "prompts/a.md"), ("FW019", "prompts/c.md")]
    assert all(
        found.severity == "info" and "prompts/b.md" in found.message for found in directory.diagnostics
    )


def test_recursion_skips_ends_loops_and_prefers_regular_ways(root: Root) -> None:
    """Sub-directories are walked once each, by their regular way, but not what is left out."""
    for name in ("top.md", "z/one.md", "z/y/two.md", ".git/no.md", "ops/prompts/no.md", "z/ops/yes.md"):
        write(root, name)
    link(root, "a", "z")
    link(root, "z/up", "..")
    link(root, "notes", "ops")
    link(root, "pinned.md", "ops/prompts/no.md")
    directory = Reader().read_directory(root, recursive=True, skip=("ops",))
    read = [file.name for file in directory.files if file.error is None]
    assert read == ["top.md", "z/one.md", "z/ops/yes.md", "z/y/two.md"]
    assert said(directory) == [
        ("FW019", "prompts/a"),
        ("FW008", "prompts/notes"),
        ("FW008", "prompts/pinned.md"),
        ("FW019", "prompts/z/up"),
    ]


def test_a_parent_reached_by_a_link_does_not_open_what_is_left_out(root: Root) -> None:
    """What is left out stays out when a link to a directory above it is followed."""
    write(root, "ops/no.md")
    write(root, "yes.md")
    write(root, "system/a.md")
    link(root, "system/up", "..")
    directory = Reader().read_directory(root, "system", recursive=True, skip=("ops",))
    assert names(directory) == ["system/a.md", "system/up/yes.md"]


def test_recursion_is_bounded_in_depth(root: Root) -> None:
    """What lies deeper than asked for is listed and not read, also behind a link."""
    write(root, "1/2/3/a.md")
    write(root, "1/2/b.md")
    write(root, ".far/c/d.md")
    link(root, "1/far", "../.far")
    directory = Reader().read_directory(root, recursive=True, depth=2)
    assert names(directory) == ["1/2/b.md"]
    assert said(directory) == [("FW008", "prompts/1/2/3"), ("FW008", "prompts/1/far/c")]
    below = Reader().read_directory(root, "1", recursive=True, depth=2)
    assert names(below) == ["1/2/3/a.md", "1/2/b.md", "1/far/c/d.md"]


def test_recursion_is_bounded_in_directories(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """More directories than the most are not read, which is said once, and not silently."""
    for name in ("a/1.md", "b/2.md", "c/3.md", "d/4.md"):
        write(root, name)
    monkeypatch.setattr("foreword.files._listing.MAX_DIRECTORIES", 3)
    directory = Reader().read_directory(root, recursive=True)
    assert names(directory) == ["a/1.md", "b/2.md"]
    assert [(found.severity, str(found.place)) for found in directory.diagnostics] == [
        ("warning", "prompts/c")
    ]


def test_only_looks_for_one_name_and_not_below_it(root: Root) -> None:
    """One exact name is found at any depth, links included, and nothing else is mentioned."""
    write(root, "pdf/SKILL.md", "pdf")
    write(root, "pdf/examples/SKILL.md")
    write(root, "group/x.md/SKILL.md", "x")
    write(root, "lower/skill.md")
    write(root, "readme.txt")
    write(root, ".far/SKILL.md", "far")
    link(root, "linked", ".far")
    Path(root.path, "broken/SKILL.md").mkdir(parents=True)
    link(root, "out", "/etc")
    directory = Reader().read_directory(root, only="SKILL.md")
    assert [(file.name, file.text) for file in directory.files] == [
        ("broken/SKILL.md", ""),
        ("group/x.md/SKILL.md", "x"),
        ("linked/SKILL.md", "far"),
        ("pdf/SKILL.md", "pdf"),
    ]
    assert said(directory) == [("FW003", "prompts/broken/SKILL.md"), ("FW006", "prompts/out")]


def test_the_tree_lists_what_is_inside(root: Root, tmp_path: Path) -> None:
    """The tree names directories and files, sorted, without dot entries, links out, or what is left out."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("")
    for name in ("b/c.md", "b/d/e.txt", ".git/x", "ops/x", "a.md"):
        write(root, name)
    link(root, "out", "../outside")
    link(root, "alias", "b")
    link(root, "b/up", "..")
    link(root, "sneak", "ops")
    link(root, "gone", "nowhere")
    os.mkfifo(Path(root.path, "fifo"))
    reader = Reader()
    whole = ["a.md", "alias/", "b/", "b/c.md", "b/d/", "b/d/e.txt", "b/up/", "fifo"]
    assert reader.tree(root, skip=("ops/",)) == whole
    assert reader.tree(root, skip=("ops",), depth=1) == ["a.md", "alias/", "b/", "fifo"]
    assert reader.tree(root, skip=("ops",), limit=5) == ["a.md", "alias/", "b/", "b/c.md", "fifo"]
    assert reader.tree(Root("gone", root.path + "/gone")) == []
    assert reader.tree(Root("none", root.path + "-none")) == []


def test_a_swap_for_a_link_never_opens_what_lies_outside(root: Root, tmp_path: Path) -> None:
    """While a directory and a file are swapped for links to a secret, no reading ever holds the secret."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "a.md").write_text("secret")
    write(root, "tools/a.md", "public")
    write(root, "b.md", "public")
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        for turn in ("tools", "tools_link"), ("b.md", "b_link"):
            Path(root.path, turn[1]).symlink_to(secret if turn[0] == "tools" else secret / "a.md")
        while not stop.is_set():
            for name, other in (("tools", "tools_link"), ("b.md", "b_link")):
                real, kept = Path(root.path, name), Path(root.path, "kept")
                os.rename(real, kept)
                os.rename(Path(root.path, other), real)
                os.rename(real, Path(root.path, other))
                os.rename(kept, real)
                swaps += 1

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[str] = set()
    try:
        for _ in range(400):
            reader = Reader()
            found = (
                reader.read_directory(root, "tools").files + reader.read_directory(root, recursive=True).files
            )
            seen.update(file.text for file in found)
            for name in ("tools/a.md", "b.md"):
                data = reader.read_file(root, name)
                seen.add(data.decode() if isinstance(data, bytes) else "")
    finally:
        stop.set()
        thread.join()
    assert swaps > 0
    assert "public" in seen
    assert seen <= {"public", ""}


@pytest.mark.parametrize("swapped", [".store/tools/a.md", ".store/tools", ".store"])
@pytest.mark.parametrize("name", ["a.md", "tools/a.md", "store/tools/a.md"])
def test_a_target_swapped_after_it_was_resolved_is_not_followed(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, swapped: str
) -> None:
    """Whatever part of a link's target becomes a link out after the check, nothing is read there."""
    secret = Root("secret", str(tmp_path / "secret"))
    write(secret, ".store/tools/a.md", "secret")
    write(root, ".store/tools/a.md", "public")
    link(root, "a.md", ".store/tools/a.md")
    link(root, "tools", ".store/tools")
    link(root, "store", ".store")

    def swapping(path: str) -> str:
        target = real_target(path)
        real = Path(root.path, swapped)
        real.rename(f"{real}-kept")
        real.symlink_to(Path(secret.path, swapped))
        return target

    monkeypatch.setattr("foreword.files._walk.real_target", swapping)
    refused = Reader().read_file(root, name)
    assert isinstance(refused, Diagnostic)
    assert (refused.severity, str(refused.place)) == ("error", f"prompts/{name}")


def test_a_reading_is_of_one_state(root: Root) -> None:
    """Two files that are always replaced together in order are never seen newer before older."""
    write(root, "a.md", "0")
    write(root, "b.md", "0")
    stop = threading.Event()

    def count() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for name in ("a.md", "b.md"):
                Path(root.path, "next").write_text(str(number))
                os.replace(Path(root.path, "next"), Path(root.path, name))
            stop.wait(0.002)

    thread = threading.Thread(target=count)
    thread.start()
    stable = 0
    try:
        for _ in range(200):
            directory = Reader().read_directory(root)
            first, second = (int(file.text) for file in directory.files)
            if not any(found.severity == "warning" for found in directory.diagnostics):
                stable += 1
                assert 0 <= first - second <= 1
    finally:
        stop.set()
        thread.join()
    assert stable > 0


def _while_reading(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    def acting(*given: Any) -> MarkdownFile:
        act()
        return markdown_file(*given)

    monkeypatch.setattr("foreword.files._taking.markdown_file", acting)


def test_what_changes_all_the_time_is_kept_with_a_warning(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that grows during each of four readings is read as it last was, and said to have changed."""
    path = write(root, "log.md", "0")
    write(root, "still.md")
    turns: list[int] = []

    def grow() -> None:
        turns.append(0)
        with path.open("a") as file:
            file.write("+")

    _while_reading(monkeypatch, grow)
    directory = Reader().read_directory(root)
    assert len(turns) == 8
    assert [file.text for file in directory.files] == ["0++++++", "x"]
    (warning,) = directory.diagnostics
    assert (warning.code, warning.severity, str(warning.place)) == ("FW002", "warning", "prompts/log.md")
    assert "changed while it was read" in warning.message


def test_a_change_during_a_reading_is_read_again(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that comes, goes or is rewritten once during a reading leaves no trace of the state before."""
    write(root, "a.md", "old")
    gone = write(root, "b.md")
    target = write(root, ".store/d.md", "old")
    link(root, "d.md", ".store/d.md")
    turns: list[int] = []

    def change() -> None:
        turns.append(0)
        if len(turns) == 1:
            write(root, "a.md", "new")
            gone.unlink()
            write(root, "c.md", "added")
        elif turns == [0] * 5:
            target.write_text("new")

    _while_reading(monkeypatch, change)
    directory = Reader().read_directory(root)
    assert [(file.name, file.text) for file in directory.files] == [
        ("a.md", "new"),
        ("c.md", "added"),
        ("d.md", "new"),
    ]
    assert directory.diagnostics == ()


def test_a_single_file_is_read_in_one_state(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes while it is read is read again, and is an error when it never stands still."""
    path = write(root, "record.json", "0")
    left = 2

    def changing(fd: int, status: os.stat_result, max_bytes: int) -> bytes:
        nonlocal left
        data = read_open(fd, status, max_bytes)
        if left:
            left -= 1
            with path.open("a") as file:
                file.write("+")
        return data

    monkeypatch.setattr("foreword.files._reader.read_open", changing)
    assert Reader().read_file(root, "record.json") == b"0++"
    left = 100
    refused = Reader().read_file(root, "record.json")
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.severity) == ("FW002", "error")
    assert left == 96
