"""The reader of Markdown files: what it reads, what it refuses, and in which words."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword._diagnostics import Diagnostic
from foreword.files._reader import Directory, Reader, Root

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """An empty directory below a written root."""
    path = tmp_path / "prompts"
    path.mkdir()
    return Root("prompts", str(path))


@pytest.fixture
def five_seconds() -> Iterator[None]:
    """End the test when a reading hangs."""

    def hung(*_: object) -> None:
        raise AssertionError("the reading hangs")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def write(root: Root, **files: str | bytes) -> None:
    """Write files; ``__`` in a keyword is ``/``."""
    for keyword, content in files.items():
        path = Path(root.path, keyword.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def codes(directory: Directory) -> list[tuple[str, str, str]]:
    """Return code, severity and place of all diagnostics."""
    return [(found.code, found.severity, str(found.place)) for found in directory.diagnostics]


def texts(directory: Directory) -> dict[str, str]:
    """Return the texts by name."""
    return {file.name: file.text for file in directory.files}


def test_files_come_sorted_with_their_place_and_path(root: Root) -> None:
    """Markdown files are read whatever the case of their suffix, and know where they stand."""
    write(root, SAFETY="Be safe.", AGENTS="You are Ada.")
    Path(root.path, "style.MD").write_text("Short.")
    directory = Reader().read_directory(root)
    assert texts(directory) == {"AGENTS.md": "You are Ada.", "SAFETY.md": "Be safe.", "style.MD": "Short."}
    assert directory.exists
    assert directory.diagnostics == ()
    first = directory.files[0]
    status = os.stat(first.path)
    assert (first.place, first.stem, first.line) == ("prompts/AGENTS.md", "AGENTS", 1)
    assert first.identity == (status.st_dev, status.st_ino)
    assert directory.files[2].stem == "style"


def test_a_sub_directory_is_named_below_its_root(root: Root) -> None:
    """A file below a sub-directory has its whole path below the root as name."""
    write(root, tools__read="Read first.")
    directory = Reader().read_directory(root, "tools")
    assert [(file.name, file.place, file.stem) for file in directory.files] == [
        ("tools/read.md", "prompts/tools/read.md", "read")
    ]


@pytest.mark.parametrize("sub", ["missing", "missing/deeper"])
def test_a_missing_directory_is_only_said_to_be_missing(root: Root, sub: str) -> None:
    """What is not there has no files, no diagnostics, and does not exist."""
    assert Reader().read_directory(root, sub) == ((), (), False)
    assert Reader().read_directory(Root("gone", root.path + "-gone")) == ((), (), False)


def test_a_file_where_a_directory_should_be_is_an_error(root: Root) -> None:
    """A component that is a file is never taken for a missing directory."""
    Path(root.path, "tools").write_text("")
    for directory in (
        Reader().read_directory(root, "tools"),
        Reader().read_directory(root, "tools/deeper"),
    ):
        assert directory.exists
        assert [found[:2] for found in codes(directory)] == [("FW003", "error")]


@pytest.mark.parametrize("sub", ["..", "a/../..", "/etc", "a//b", "a/", "\0", "\ud800"])
def test_a_path_that_leaves_its_root_is_refused(root: Root, sub: str) -> None:
    """A path below a root is made of plain names."""
    directory = Reader().read_directory(root, sub)
    assert directory.files == ()
    assert [found[:2] for found in codes(directory)] == [("FW007", "error")]


def test_what_is_not_read_is_listed_where_it_could_surprise(root: Root) -> None:
    """README files, leftovers, other files and unknown sub-directories are infos; dot files are not."""
    write(root, SAFETY="x", README="x", **{".hidden": "x"})
    for name in ("SAFETY.md~", ".SAFETY.md.swp", "notes.txt", ".env", "#SAFETY.md#"):
        Path(root.path, name).write_text("x")
    for name in ("agents", "drafts", ".git"):
        Path(root.path, name).mkdir()
    directory = Reader().read_directory(root, known=("agents", "tools"))
    assert list(texts(directory)) == ["SAFETY.md"]
    assert codes(directory) == [
        ("FW008", "info", f"prompts/{name}")
        for name in ("#SAFETY.md#", ".SAFETY.md.swp", "README.md", "SAFETY.md~", "drafts", "notes.txt")
    ]
    assert all(found.remedy for found in directory.diagnostics)


@pytest.mark.usefixtures("five_seconds")
def test_what_is_no_regular_file_is_named_and_never_waited_for(root: Root) -> None:
    """A directory, a FIFO, a socket and links to them are errors, each in a file without text."""
    Path(root.path, "dir.md").mkdir()
    os.mkfifo(Path(root.path, "fifo.md"))
    Path(root.path, "to_fifo.md").symlink_to("fifo.md")
    Path(root.path, "to_dir.md").symlink_to("dir.md")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(root.path)
        try:
            listener.bind("socket.md")
        finally:
            os.chdir(here)
        directory = Reader().read_directory(root)
    assert list(texts(directory).values()) == [""] * len(directory.files)
    errors = {file.name: (file.error.code, file.error.message) for file in directory.files if file.error}
    assert errors["dir.md"] == ("FW003", "this is a directory, not a file")
    assert errors["fifo.md"] == ("FW003", "this is a FIFO, not a file")
    assert errors["socket.md"] == ("FW003", "this is a socket, not a file")
    assert errors["to_fifo.md"] == ("FW003", "this is a FIFO, not a file")
    assert errors["to_dir.md"] == ("FW003", "this is a directory, not a file")
    assert Reader().read_file(root, "fifo.md") == directory.files[1].error


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"one\ntwo \xff\n", 2, "byte 0xff at offset 8"),
        (b"\xef\xbb\xbfone\r\ntwo\rthr\xc3", 3, "byte 0xc3 at offset 15"),
        (b"one\ntwo\n\0", 3, "NUL byte at offset 8"),
        ("text".encode("utf-16"), None, "UTF-16"),
        (b"\xfe\xff" + "text".encode("utf-16-be"), None, "UTF-16"),
        (b"\xff\xfe\0\0" + "text".encode("utf-32-le"), None, "UTF-32"),
        ("text".encode("utf-16-le"), 1, "NUL byte at offset 1"),
    ],
)
def test_what_is_not_utf_8_is_an_error_with_its_place(
    root: Root, content: bytes, line: int | None, words: str
) -> None:
    """Bytes that are no UTF-8 text are refused with offset and line, or with the encoding they are in."""
    write(root, SAFETY=content)
    (file,) = Reader().read_directory(root).files
    assert file.error is not None
    assert (file.error.code, file.error.place) == ("FW004", ("prompts/SAFETY.md", line))
    assert words in file.error.message
    assert "UTF-8" in file.error.remedy
    assert (file.document, file.text, file.front_matter.id) == (None, "", None)


def test_the_limit_is_exact_and_a_larger_file_is_never_shortened(root: Root) -> None:
    """A file as large as the limit is read, one byte more is refused with the setting to change."""
    write(root, fits="x" * 100, large="x" * 101)
    fits, large = Reader(max_bytes=100).read_directory(root).files
    assert fits.text == "x" * 100
    assert large.error is not None
    assert (large.error.code, large.text) == ("FW005", "")
    assert "100 bytes" in large.error.message
    assert "max_bytes" in large.error.remedy


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_file_is_read_to_its_end_whatever_its_size_says(root: Root) -> None:
    """Files of /proc say that they hold nothing; they are read whole, and bounded all the same."""
    proc = Root("proc", "/proc/self")
    assert os.stat("/proc/self/status").st_size == 0
    data = Reader().read_file(proc, "status")
    assert isinstance(data, bytes)
    assert data.startswith(b"Name:")
    assert b"ctxt_switches" in data
    refused = Reader(max_bytes=64).read_file(proc, "status")
    assert isinstance(refused, Diagnostic)
    assert refused.code == "FW005"
    write(root, plain="")
    assert Reader().read_file(root, "plain.md") == b""


def test_read_file_tells_absent_from_unreadable(root: Root) -> None:
    """A single file is bytes, a diagnostic, or None when there is nothing; it is read anew each time."""
    reader = Reader()
    assert reader.read_file(root, "a/b.json") is None
    Path(root.path, "a").mkdir()
    Path(root.path, "a/b.json").write_bytes(b"\xff{}")
    assert reader.read_file(root, "a/b.json") == b"\xff{}"
    Path(root.path, "a/b.json").write_bytes(b"new")
    assert reader.read_file(root, "a/b.json") == b"new"
    for name, code in (("a", "FW003"), ("a/b.json/c", "FW003"), ("../x", "FW007"), ("", "FW003")):
        refused = reader.read_file(root, name)
        assert isinstance(refused, Diagnostic)
        assert refused.code == code


@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="needs root, to become nobody")
def test_what_may_not_be_read_is_an_error_and_not_absent(root: Root) -> None:
    """Without permission a file, a directory and a root exist and are errors."""
    write(root, open="x", closed="x", locked__a="x", listed__b="x")
    Path(root.path, "closed.md").chmod(0)
    Path(root.path, "locked").chmod(0)
    Path(root.path, "listed").chmod(0o444)
    parent = Path(root.path)
    while parent != parent.parent:
        parent.chmod(parent.stat().st_mode | 0o555)
        parent = parent.parent
    script = (
        "import json, os, sys\n"
        "from foreword.files._reader import Reader, Root\n"
        "import foreword.markdown._front_matter\n"
        f"os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "root = Root('prompts', sys.argv[1])\n"
        "found = [Reader().read_directory(root, sub) for sub in ('', 'locked', 'listed')]\n"
        "found.append(Reader().read_directory(Root('prompts', sys.argv[1] + '/locked'), 'deeper'))\n"
        "print(json.dumps([[d.exists, [f.text for f in d.files],"
        " [(x.code, str(x.place)) for x in d.diagnostics if x.severity == 'error']] for d in found]))\n"
        "print(Reader().read_file(root, 'closed.md').code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, root.path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    listing, single = done.stdout.splitlines()
    assert json.loads(listing) == [
        [True, ["", "x"], [["FW002", "prompts/closed.md"]]],
        [True, [], [["FW002", "prompts/locked"]]],
        [True, [""], [["FW002", "prompts/listed/b.md"]]],
        [True, [], [["FW002", "prompts/deeper"]]],
    ]
    assert single == "FW002"


def test_a_batch_reads_a_directory_once(root: Root) -> None:
    """The same arguments give the identical object, also to many threads; another reader looks again."""
    write(root, SAFETY="old")
    reader = Reader()
    found: list[Directory] = []
    threads = [
        threading.Thread(target=lambda: found.append(reader.read_directory(root, known=["a", "b"])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    write(root, SAFETY="new")
    assert len(found) == 8
    assert all(directory is found[0] for directory in found)
    assert reader.read_directory(root, known=("b", "a")) is found[0]
    assert texts(reader.read_directory(root)) == {"SAFETY.md": "new"}
    assert texts(Reader().read_directory(root, known=("b", "a"))) == {"SAFETY.md": "new"}


def test_names_that_are_no_text_do_not_stop_a_reading(root: Root) -> None:
    """A name of bytes that decode to nothing is read, and shown so that it can be printed."""
    Path(os.fsdecode(os.fsencode(root.path) + b"/bad\xff.md")).write_text("x")
    Path(os.fsdecode(os.fsencode(root.path) + b"/bad\xff.txt")).write_text("x")
    directory = Reader().read_directory(root)
    assert [file.place for file in directory.files] == ["prompts/bad\\udcff.md"]
    assert codes(directory) == [("FW008", "info", "prompts/bad\\udcff.txt")]
    assert directory.files[0].text == "x"
    assert Reader().tree(root) == ["bad\\udcff.md", "bad\\udcff.txt"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(order=st.randoms(use_true_random=False))
def test_the_order_of_creation_decides_nothing(
    tmp_path_factory: pytest.TempPathFactory, order: random.Random
) -> None:
    """However the file system lists a directory, the reading is the same."""
    names = ["A.md", "a.md", "é.md", "sub/z.md", "sub/b.md", "README.md", "x.txt", "link.md", "dir"]
    path = tmp_path_factory.mktemp("order")
    (path / "sub").mkdir()
    order.shuffle(names)
    for name in names:
        if name == "link.md":
            (path / name).symlink_to("a.md")
        elif name == "dir":
            (path / name).symlink_to("sub")
        else:
            (path / name).write_text(name)
    directory = Reader().read_directory(Root("r", str(path)), recursive=True)
    assert list(texts(directory)) == ["A.md", "a.md", "sub/b.md", "sub/z.md", "é.md"]
    assert codes(directory) == [
        ("FW008", "info", "r/README.md"),
        ("FW019", "info", "r/dir"),
        ("FW019", "info", "r/link.md"),
        ("FW008", "info", "r/x.txt"),
    ]


def test_no_descriptor_stays_open(root: Root) -> None:
    """Whatever is found on the way, everything that was opened is closed."""
    write(root, good="x", bad=b"\xff", sub__deep="x", x__SKILL="x")
    os.mkfifo(Path(root.path, "fifo.md"))
    for name, target in (
        ("loop.md", "loop.md"),
        ("out.md", "/etc/passwd"),
        ("up", ".."),
        ("in.md", "sub/deep.md"),
    ):
        Path(root.path, name).symlink_to(target)
    before = os.listdir("/proc/self/fd")
    for _ in range(20):
        reader = Reader(max_bytes=10)
        reader.read_directory(root, recursive=True)
        reader.read_directory(root, only="SKILL.md")
        reader.read_directory(root, "good.md")
        reader.read_file(root, "out.md")
        reader.read_file(root, "in.md")
        reader.tree(root)
    assert len(os.listdir("/proc/self/fd")) == len(before)
