"""Durable writes inside one directory."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.store._lock import Lock, LockTimeout
from foreword.store._store import DurabilityError, Store, StoreError, staging_name
from foreword.store._system import System

CALLS = frozenset(name for name in vars(System) if not name.startswith("_"))
ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES]
OLD, NEW = b"old\n" * 500, b"new\n" * 3000


class Watched(System):
    """The real system, which lets somebody step in before each call."""

    def __init__(self, step_in: Callable[[int, str], None]) -> None:
        self.log: list[str] = []
        self.step_in = step_in

    def __getattribute__(self, name: str) -> Any:
        """Return a call that is written down, and made when nobody objects."""
        real = super().__getattribute__(name)
        if name not in CALLS:
            return real

        def call(*args: Any, **options: Any) -> Any:
            self.log.append(name)
            try:
                self.step_in(len(self.log), name)
            except OSError:
                if name == "close":
                    real(*args, **options)  # A descriptor is free even when closing it says that data is lost.
                raise
            return real(*args, **options)

        return call


class Short(System):
    """A system that writes a few bytes at a time."""

    def __init__(self, size: int) -> None:
        self.size = size

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Write less than asked for."""
        return os.write(fd, data[: self.size])


def failing(when: Callable[[int, str], bool], number: int) -> Watched:
    """Return a system in which the calls that are chosen fail."""

    def step_in(count: int, name: str) -> None:
        if when(count, name):
            raise OSError(number, os.strerror(number))

    return Watched(step_in)


def failing_at(position: int, number: int) -> Watched:
    """Return a system in which one call fails."""
    return failing(lambda count, name: count == position, number)


def failing_from(position: int, number: int) -> Watched:
    """Return a system in which every call fails from one on."""
    return failing(lambda count, name: count >= position, number)


def calls_of(root: Path, act: Callable[[Store], object]) -> list[str]:
    """Return the calls that an act makes when all goes well."""
    system = Watched(lambda count, name: None)
    act(Store(str(root), system))
    return system.log


def tree(root: Path) -> dict[str, bytes | None]:
    """Return every path below a directory, with the bytes of the files."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))
    }


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(os.listdir("/dev/fd"))


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, and expect it to end well."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """The mask of this process during a test."""
    mask: int = request.param
    before = os.umask(mask)
    yield mask
    os.umask(before)


# Plain behaviour


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """A file and the directories that lead to it come into being; nothing else does, and nothing before."""
    store = Store(str(tmp_path / "memories" / "ada"))
    assert store.read("a/b/c.md") is None
    assert store.names() == store.names("a") == []
    store.remove("a/b/c.md")
    store.sweep("a")
    assert tree(tmp_path) == {}
    store.write("a/b/c.md", b"one")
    store.write("a/b/c.md", b"two")
    assert store.read("a/b/c.md") == b"two"
    expected = {"memories": None, "memories/ada": None, "memories/ada/a": None, "memories/ada/a/b": None}
    assert tree(tmp_path) == expected | {"memories/ada/a/b/c.md": b"two"}


@given(data=st.binary(max_size=2000), repeated=st.integers(0, 200), size=st.integers(1, 70_000))
def test_any_bytes_come_back(data: bytes, repeated: int, size: int) -> None:
    """Whatever is written is read back whole, however little the system takes at a time."""
    with tempfile.TemporaryDirectory() as root:
        store = Store(root, Short(max(size, len(data) * repeated // 20)))
        store.write("file", data * repeated)
        assert store.read("file") == data * repeated
        assert os.listdir(root) == ["file"]


def test_names_are_sorted_entries(tmp_path: Path) -> None:
    """The names of a directory are those of its files and directories, in order."""
    store = Store(str(tmp_path))
    for name in ("b.md", "sub/a.md", "a.md", ".hidden"):
        store.write(name, b"")
    assert store.names() == [".hidden", "a.md", "b.md", "sub"]
    assert store.names("sub") == ["a.md"]
    with pytest.raises(StoreError, match=r"a\.md: this is a file, not a directory"):
        store.names("a.md")


def test_a_directory_is_made_once(tmp_path: Path) -> None:
    """Making a directory makes those that lead to it, and leaves one that is there as it is."""
    store = Store(str(tmp_path / "root"))
    store.make_directory()
    assert tree(tmp_path) == {"root": None}
    store.make_directory("a/b")
    store.write("a/b/file", b"x")
    store.make_directory("a/b")
    assert store.read("a/b/file") == b"x"
    with pytest.raises(StoreError, match="this is a file, not a directory"):
        store.make_directory("a/b/file")


def test_removing(tmp_path: Path) -> None:
    """A file is removed, a link without its target, and a directory not at all."""
    store = Store(str(tmp_path))
    store.write("kept", b"kept")
    store.write("sub/file", b"x")
    (tmp_path / "link").symlink_to("kept")
    store.remove("sub/file")
    store.remove("link")
    store.remove("absent")
    store.remove("absent/file")
    with pytest.raises(StoreError, match="sub: this is a directory, not a file"):
        store.remove("sub")
    assert tree(tmp_path) == {"kept": b"kept", "sub": None}


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/../b", "/etc/x", "a//b", "a/", "a\0b", "a\ud800"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    """Only plain relative paths are names of files."""
    root = tmp_path / "root"
    root.mkdir()
    store = Store(str(root))
    acts: list[Callable[[str], object]] = [
        store.read, store.remove, lambda name: store.write(name, b"x"), lambda name: Lock(store, name),
    ]  # fmt: skip
    for act in acts:
        with pytest.raises(StoreError):
            act(name)
    with pytest.raises(StoreError):
        store.rename_into_place("a", name)
    assert tree(tmp_path) == {"root": None}


def test_a_name_of_any_bytes_is_written(tmp_path: Path) -> None:
    """Names as long as the file system allows are written, and those that are not text."""
    store = Store(str(tmp_path))
    for name in ("é" * 127, "x" * 255, os.fsdecode(b"bad\xff.md"), os.fsdecode(b"\xff" * 20), "new\nline"):
        store.write(name, OLD)
        store.write(name, NEW)
        assert store.read(name) == NEW
        store.remove(name)
    with pytest.raises(StoreError, match="File name too long") as raised:
        store.write("x" * 256, b"")
    assert isinstance(raised.value.__cause__, OSError)
    assert tree(tmp_path) == {}


def test_only_regular_files_are_read_or_replaced(tmp_path: Path) -> None:
    """A link, a directory, a FIFO or a socket is named and left alone, without waiting for anybody."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    (root / "inside").symlink_to("file")
    (root / "nowhere").symlink_to("absent")
    (root / "file").write_bytes(b"x")
    (root / "directory").mkdir()
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(root / "socket"))
    before = sorted(os.listdir(root))
    store = Store(str(root))
    acts: list[Callable[[str], object]] = [store.read, lambda name: store.write(name, b"y")]
    kinds = {"link": "a link", "inside": "a link", "nowhere": "a link", "directory": "a directory"}
    for name, kind in (kinds | {"fifo": "a FIFO", "socket": "a socket"}).items():
        for act in acts:
            with pytest.raises(StoreError, match=f"/root/{name}: this is {kind}, not a file") as raised:
                act(name)
            assert raised.value.path == str(root / name)
        if kind != "a directory":
            with pytest.raises(StoreError, match=f"this is {kind}, not a directory"):
                store.write(f"{name}/x", b"y")
            with pytest.raises(StoreError, match=f"this is {kind}, not a"):
                Lock(store, name, timeout=0).__enter__()
    assert sorted(os.listdir(root)) == before
    assert outside.read_bytes() == b"secret"
    assert (root / "file").read_bytes() == b"x"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    """A file over the limit is refused, one at the limit is read."""
    store = Store(str(tmp_path))
    store.write("file", b"x" * 100)
    assert store.read("file", max_bytes=100) == b"x" * 100
    with pytest.raises(StoreError, match="larger than 99 bytes"):
        store.read("file", max_bytes=99)


def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    """A root that is a link is followed, one that leads to nothing is an error."""
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to("real")
    Store(str(tmp_path / "root")).write("a/file", b"x")
    assert (tmp_path / "real" / "a" / "file").read_bytes() == b"x"
    (tmp_path / "dangling").symlink_to("absent")
    with pytest.raises(StoreError, match="it cannot be written"):
        Store(str(tmp_path / "dangling")).write("file", b"x")
    assert not (tmp_path / "absent").exists()


def test_a_relative_root_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store goes on meaning the same directory when the process goes elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = Store("root")
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.write("file", b"x")
    assert (tmp_path / "root" / "file").read_bytes() == b"x"


def test_permissions(tmp_path: Path, umask: int) -> None:
    """A new file has the permissions that the mask leaves, and a replaced one keeps its own."""
    store = Store(str(tmp_path / "root"))
    store.write("sub/file", b"x")
    file = tmp_path / "root" / "sub" / "file"
    assert stat.S_IMODE(file.stat().st_mode) == 0o644 & ~umask
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o755 & ~umask
    for mode in (0o600, 0o444, 0o666, 0o755, 0o640):
        file.chmod(mode)
        store.write("sub/file", b"y")
        assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_hard_link_is_not_written_through(tmp_path: Path) -> None:
    """Another name of the same file keeps the old bytes."""
    store = Store(str(tmp_path))
    store.write("file", OLD)
    os.link(tmp_path / "file", tmp_path / "other")
    store.write("file", NEW)
    assert (tmp_path / "other").read_bytes() == OLD


# Directories put in place


def staged(root: Path) -> Store:
    """Return a store with a complete directory that waits for its name."""
    store = Store(str(root))
    store.write(".staging-1-a/prompts/SAFETY.md", NEW)
    store.write(".staging-1-a/record", b"record")
    return store


WHOLE = {"prompts": None, "prompts/SAFETY.md": NEW, "record": b"record"}


@pytest.mark.parametrize("final", ["final", "a/b/final"])
@pytest.mark.parametrize("empty", [True, False])
def test_a_directory_gets_its_name(tmp_path: Path, final: str, empty: bool) -> None:
    """A staged directory takes the place of nothing, or of an empty directory."""
    store = staged(tmp_path)
    if empty:
        store.make_directory(final)
    store.rename_into_place(".staging-1-a", final)
    assert tree(tmp_path / final) == WHOLE
    assert store.names() == [final.split("/")[0]]


def test_a_directory_takes_the_place_of_nothing_else(tmp_path: Path) -> None:
    """What is there already stays, and so does the staged directory."""
    store = staged(tmp_path)
    store.write("full/kept", b"kept")
    store.write("file", b"kept")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    before = tree(tmp_path)
    for staged_name, final, reason in [
        (".staging-1-a", "full", "/full: it is there already and not empty"),
        (".staging-1-a", "file", "/file: this is a file, not a directory"),
        (".staging-1-a", "link", "/link: this is a link, not a directory"),
        (".staging-1-a", "file/final", "/file: this is a file, not a directory"),
        (".staging-1-a", ".staging-1-a/final", "cannot be put in place"),
        ("file", "empty", "/file: this is a file, not a directory"),
        ("link", "empty", "/link: this is a link, not a directory"),
        ("absent", "empty", "cannot be put in place"),
    ]:
        with pytest.raises(StoreError, match=reason):
            store.rename_into_place(staged_name, final)
    assert tree(tmp_path) == before


# Faults


def old_file(root: Path) -> None:
    """Lay the old file."""
    (root / "sub").mkdir()
    (root / "sub" / "file").write_bytes(OLD)


def no_file(root: Path) -> None:
    """Lay a directory without the file."""
    (root / "sub").mkdir()


def nothing(root: Path) -> None:
    """Lay nothing."""


LAYING = pytest.mark.parametrize("lay", [old_file, no_file, nothing])


def write_new(store: Store) -> None:
    """Replace the file."""
    store.write("sub/file", NEW)


@LAYING
@pytest.mark.parametrize("number", ERRORS)
def test_no_fault_of_a_write_harms(tmp_path: Path, lay: Callable[[Path], None], number: int) -> None:
    """Whichever call fails, the file is the old one or the new one as the outcome says, and no other is left."""
    (tmp_path / "root").mkdir()
    lay(tmp_path / "root")
    old = Store(str(tmp_path / "root")).read("sub/file")
    shutil.copytree(tmp_path / "root", tmp_path / "measure")
    log = calls_of(tmp_path / "measure", write_new)
    outcomes: set[str] = set()
    outcome: str
    expected: bytes | None
    for position in range(1, len(log) + 1):
        root = tmp_path / f"root{position}"
        shutil.copytree(tmp_path / "root", root)
        system = failing_at(position, number)
        before = descriptors()
        raised: StoreError | None = None
        try:
            write_new(Store(str(root), system))
        except StoreError as error:
            raised = error
        if raised is None:
            outcome, expected = "written", NEW
            assert log[position - 1] == "close"
            assert log[position : position + 1] != ["replace"]
        elif isinstance(raised, DurabilityError):
            outcome, expected = "unconfirmed", NEW
            assert "committed" in str(raised)
            assert log[position - 1] == "fsync"
            assert "replace" in log[: position - 1]
        else:
            outcome, expected = "not written", old
            assert os.strerror(number) in str(raised)
            assert isinstance(raised.__cause__, OSError)
            assert "replace" not in log[: position - 1]
        assert descriptors() == before
        assert Store(str(root)).read("sub/file") == expected
        assert [path.name for path in root.rglob("*") if path.is_file()] == (["file"] if expected is not None else [])
        write_new(Store(str(root)))
        assert tree(root) == {"sub": None, "sub/file": NEW}
        outcomes.add(outcome)
    assert outcomes == {"written", "unconfirmed", "not written"}


@LAYING
def test_a_dead_disk_tears_no_file(tmp_path: Path, lay: Callable[[Path], None]) -> None:
    """When everything fails from some call on, even cleaning up, the file is still the old one or the new one."""
    (tmp_path / "root").mkdir()
    lay(tmp_path / "root")
    old = Store(str(tmp_path / "root")).read("sub/file")
    shutil.copytree(tmp_path / "root", tmp_path / "measure")
    log = calls_of(tmp_path / "measure", write_new)
    for position in range(1, len(log) + 1):
        root = tmp_path / f"root{position}"
        shutil.copytree(tmp_path / "root", root)
        system = failing_from(position, errno.EIO)
        before = descriptors()
        try:
            write_new(Store(str(root), system))
            expected: bytes | None = NEW
        except DurabilityError:
            expected = NEW
        except StoreError:
            expected = old
        assert descriptors() == before
        assert Store(str(root)).read("sub/file") == expected


def test_a_short_write_is_continued(tmp_path: Path) -> None:
    """A system that takes some bytes at a time gets all of them, and one that takes none is an error."""
    store = Store(str(tmp_path), Short(700))
    store.write("file", OLD)
    assert (tmp_path / "file").read_bytes() == OLD
    with pytest.raises(StoreError, match="it cannot be written: Input/output error"):
        Store(str(tmp_path), Short(0)).write("file", NEW)
    assert tree(tmp_path) == {"file": OLD}


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """When there is room for a part of the new file only, the old one stays, with nothing beside it."""
    Store(str(tmp_path)).write("file", OLD)
    run(
        """
import errno, resource, sys
from foreword.store._store import Store, StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Store(sys.argv[1]).write("file", b"x" * 100_000)
except StoreError as error:
    assert error.__cause__.errno == errno.EFBIG, error
else:
    sys.exit("no error")
""",
        tmp_path,
    )
    assert tree(tmp_path) == {"file": OLD}


def test_a_file_system_that_cannot_sync_directories_is_served(tmp_path: Path) -> None:
    """Where directories cannot be synchronised at all, writing is no error."""
    calls: list[str] = []

    def last_sync(count: int, name: str) -> bool:
        calls.append(name)
        return name == "fsync" and "replace" in calls

    system = failing(last_sync, errno.EINVAL)
    Store(str(tmp_path), system).write("file", NEW)
    assert system.log.count("fsync") == 2
    assert tree(tmp_path) == {"file": NEW}


def test_everything_is_synchronised_in_order(tmp_path: Path) -> None:
    """A file is synchronised before it gets its name and its directory after, and each new directory's parent."""
    log = calls_of(tmp_path / "root", lambda store: store.write("a/b/file", NEW))
    assert [name for name in log if name in {"mkdir", "write", "fsync", "replace"}] == [
        *["mkdir", "fsync"] * 3, "write", "fsync", "replace", "fsync",
    ]  # fmt: skip


def test_a_directory_that_is_not_confirmed_is_made_again(tmp_path: Path) -> None:
    """A directory whose parent could not be synchronised is taken back, so that the next writer does both."""
    with pytest.raises(StoreError):
        Store(str(tmp_path), failing(lambda count, name: name == "fsync", errno.EIO)).write("sub/file", NEW)
    assert tree(tmp_path) == {}
    assert calls_of(tmp_path, write_new).count("fsync") == 3


def test_both_parents_of_a_renaming_are_synchronised(tmp_path: Path) -> None:
    """A directory that moves is confirmed where it went to and where it came from."""
    staged(tmp_path).make_directory("sub")
    log = calls_of(tmp_path, lambda store: store.rename_into_place(".staging-1-a", "sub/final"))
    assert log[log.index("rename") :].count("fsync") == 2


@pytest.mark.parametrize("number", ERRORS)
@pytest.mark.parametrize("final", ["final", "sub/final"])
def test_no_fault_of_a_renaming_harms(tmp_path: Path, number: int, final: str) -> None:
    """Whichever call fails, the directory is whole, under the old name or the new one as the outcome says."""

    def act(store: Store) -> None:
        store.rename_into_place(".staging-1-a", final)

    staged(tmp_path / "measure")
    log = calls_of(tmp_path / "measure", act)
    outcomes: set[str] = set()
    for position in range(1, len(log) + 1):
        root = tmp_path / f"root{position}"
        staged(root)
        before = descriptors()
        try:
            act(Store(str(root), failing_at(position, number)))
            outcome = "renamed"
            assert log[position - 1] == "close"
        except DurabilityError:
            outcome = "unconfirmed"
        except StoreError:
            outcome = "not renamed"
        assert descriptors() == before
        renamed = outcome != "not renamed"
        assert renamed == ("rename" in log[: position - 1] or log[position - 1] == "close")
        assert tree(root / (final if renamed else ".staging-1-a")) == WHOLE
        assert not (root / (".staging-1-a" if renamed else final)).exists()
        outcomes.add(outcome)
    assert outcomes == {"renamed", "unconfirmed", "not renamed"}


@pytest.mark.parametrize("number", ERRORS)
def test_no_fault_of_a_removal_harms(tmp_path: Path, number: int) -> None:
    """Whichever call fails, the file is there or gone as the outcome says."""
    Store(str(tmp_path)).write("sub/file", OLD)
    log = calls_of(tmp_path, lambda store: store.remove("sub/file"))
    for position in range(1, len(log) + 1):
        Store(str(tmp_path)).write("sub/file", OLD)
        try:
            Store(str(tmp_path), failing_at(position, number)).remove("sub/file")
            gone = True
        except DurabilityError:
            gone = True
        except StoreError:
            gone = False
        assert (tmp_path / "sub" / "file").exists() != gone


@pytest.mark.parametrize("number", ERRORS)
def test_a_fault_of_a_reading_is_told(tmp_path: Path, number: int) -> None:
    """A file that cannot be read is never taken for one that is not there."""
    Store(str(tmp_path)).write("sub/file", OLD)
    log = calls_of(tmp_path, lambda store: store.read("sub/file"))
    for position in range(1, len(log) + 1):
        store = Store(str(tmp_path), failing_at(position, number))
        before = descriptors()
        if log[position - 1] == "close":
            assert store.read("sub/file") == OLD
        else:
            with pytest.raises(StoreError, match=f"it cannot be read: {os.strerror(number)}"):
                store.read("sub/file")
        assert descriptors() == before


# Killed processes


KILLED_AT_EVERY_CALL = """
import os, signal, sys
from pathlib import Path
from foreword.store._store import Store
from foreword.store._system import System

class Killing(System):
    left = 0
    def __getattribute__(self, name):
        if not name.startswith("_") and name in vars(System):
            Killing.left -= 1
            if not Killing.left:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().__getattribute__(name)

OLD, NEW = b"old" * 1000, b"new" * 9000
top = Path(sys.argv[1])

def killed(act, root, position):
    child = os.fork()
    if not child:
        Killing.left = position
        act(Store(str(root), Killing()))
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

def write(store):
    store.write("sub/file", NEW)

def rename(store):
    store.rename_into_place("staging", "sub/final")

seen = set()
position = 1
while True:
    root = top / f"write{position}"
    Store(str(root)).write("sub/file", OLD)
    alive = not killed(write, root, position)
    found = (root / "sub" / "file").read_bytes()
    assert found in (OLD, NEW), position
    seen.add(found)
    if alive:
        break
    position += 1
assert position > 8 and seen == {OLD, NEW}

seen = set()
position = 1
while True:
    root = top / f"rename{position}"
    store = Store(str(root))
    store.write("staging/a", OLD)
    store.write("staging/b", OLD)
    alive = not killed(rename, root, position)
    names = store.names("staging"), store.names("sub/final")
    assert names in ((["a", "b"], []), ([], ["a", "b"])), (position, names)
    seen.add(not names[0])
    if alive:
        break
    position += 1
assert position > 6 and seen == {False, True}
"""

KILLED_AT_RANDOM = """
import os, random, signal, sys, time
from foreword.store._store import Store

SIDES = b"a" * 150_000, b"b" * 90_000
store = Store(sys.argv[1])
store.write("sub/file", SIDES[0])
dice = random.Random(7)
for round in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        while True:
            for side in SIDES:
                store.write("sub/file", side)
    time.sleep(dice.random() * 0.008)
    assert store.read("sub/file") in SIDES
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert store.read("sub/file") in SIDES, round
"""


def test_a_process_killed_at_any_call_tears_nothing(tmp_path: Path) -> None:
    """A process that dies before any of its calls leaves the old state or the new one."""
    run(KILLED_AT_EVERY_CALL, tmp_path)


def test_processes_killed_at_random_tear_nothing(tmp_path: Path) -> None:
    """Sixty writers killed in the middle of it leave a whole file, and what they left behind is swept away."""
    run(KILLED_AT_RANDOM, tmp_path, 60)
    store = Store(str(tmp_path))
    for name in store.names("sub"):
        os.utime(tmp_path / "sub" / name, (0, 0))
    store.sweep("sub")
    assert store.names("sub") == ["file"]


def test_only_old_leftovers_are_swept(tmp_path: Path) -> None:
    """Temporary files and staged directories go when they are older than an hour, and nothing else ever does."""
    store = Store(str(tmp_path))
    staging = staging_name()
    leftovers = [".file.tmp-12-0123456789abcdef", ".a\nb.tmp-1-0123456789abcdef", "..tmp-1-0123456789abcdef"]
    others = ["file", "file.tmp-12-0123456789abcdef", ".file.tmp-12-short", ".staging-file", ".hidden"]
    for name in [*leftovers, *others, f"{staging}/a/b/c", f"{staging}/d", "kept/a"]:
        store.write(name, b"x")
    (tmp_path / staging / "link").symlink_to(tmp_path / "kept")
    (tmp_path / ".staging-link").symlink_to("kept")
    (tmp_path / "..x.tmp-1-0123456789abcdef").mkdir()
    before = store.names()
    now = time.time()
    for name in before:
        os.utime(tmp_path / name, (now - 3500, now - 3500), follow_symlinks=False)
    store.sweep()
    assert store.names() == before
    for name in before:
        os.utime(tmp_path / name, (now - 3700, now - 3700), follow_symlinks=False)
    store.sweep()
    assert store.names() == sorted({*before} - {*leftovers, staging})
    assert store.read("kept/a") == b"x"


def test_a_sweep_leaves_what_it_cannot_remove(tmp_path: Path) -> None:
    """A leftover that cannot be removed, or is nested without end, does not stop the sweep."""
    store = Store(str(tmp_path))
    names = [f".file{number}.tmp-1-0123456789abcdef" for number in range(3)]
    deep = ".staging-1-deep/" + "d/" * 400 + "file"
    for name in [*names, deep]:
        store.write(name, b"x")
    for name in store.names():
        os.utime(tmp_path / name, (0, 0))
    calls: list[str] = []

    def second_unlink(count: int, name: str) -> bool:
        calls.append(name)
        return name == "unlink" and calls.count("unlink") == 2

    system = failing(second_unlink, errno.EACCES)
    before = descriptors()
    Store(str(tmp_path), system).sweep()
    assert descriptors() == before
    assert len(store.names()) == 2
    assert ".staging-1-deep" in store.names()


# Links put in the way


def test_no_exchange_of_a_directory_for_a_link_leads_out(tmp_path: Path) -> None:
    """Whenever a directory on the way is exchanged for a link, nothing outside is written, removed or read."""
    temporary = ".x.tmp-1-0123456789abcdef"

    def rename(store: Store) -> None:
        store.rename_into_place("a/b/staged", "a/b/c/final")

    acts: list[Callable[[Store], object]] = [
        lambda store: store.write("a/b/file", NEW),
        lambda store: store.write("a/b/c/new", NEW),
        lambda store: store.remove("a/b/file"),
        lambda store: store.read("a/b/file"),
        lambda store: store.make_directory("a/b/c/d"),
        lambda store: store.sweep("a/b"),
        lambda store: Lock(store, "a/b/lock").__enter__().__exit__(None, None, None),
        rename,
    ]

    def lay(root: Path) -> Store:
        store = Store(str(root / "root"))
        for side, data in (("root/a/b", b"inside"), ("outside", b"outside"), ("outside/b", b"outside")):
            for name in ("file", "staged/file", temporary):
                (root / side / name).parent.mkdir(parents=True, exist_ok=True)
                (root / side / name).write_bytes(data)
            os.utime(root / side / temporary, (0, 0))
        return store

    swaps = 0
    for act_number, act in enumerate(acts):
        measured = tmp_path / f"{act_number}"
        lay(measured)
        log = calls_of(measured / "root", act)
        for target in ("a", "a/b", "a/b/file", "a/b/lock"):
            for position in range(1, len(log) + 1):
                top = tmp_path / f"{act_number}-{target.replace('/', '')}-{position}"
                lay(top)
                before = tree(top / "outside")

                def swap(
                    count: int, name: str, position: int = position, top: Path = top, target: str = target
                ) -> None:
                    if count == position:
                        with suppress(FileNotFoundError):
                            (top / "root" / target).rename(top / "moved")
                        beyond = "outside/file" if "/b/" in target else "outside"
                        with suppress(FileExistsError):
                            (top / "root" / target).symlink_to(top / beyond)

                try:
                    found = act(Store(str(top / "root"), Watched(swap)))
                    assert found in (None, b"inside")
                except StoreError:
                    swaps += 1
                assert tree(top / "outside") == before
    assert swaps > 20


# The lock


INCREMENT = """
import sys
from foreword.store._lock import Lock
from foreword.store._store import Store
store = Store(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with Lock(store, timeout=60):
        store.write("count", str(int(store.read("count") or b"0") + 1).encode())
"""

HOLD = """
import sys, time
from foreword.store._lock import Lock
from foreword.store._store import Store
with Lock(Store(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock of the store in ``tmp_path``."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_no_update_is_lost(tmp_path: Path) -> None:
    """Four processes that count to a hundred each under the lock count to four hundred."""
    processes = [subprocess.Popen([sys.executable, "-c", INCREMENT, str(tmp_path), "100"]) for _ in range(4)]
    assert [process.wait(120) for process in processes] == [0] * 4
    assert Store(str(tmp_path)).read("count") == b"400"


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    """Threads with locks of their own are alone inside."""
    store = Store(str(tmp_path))
    inside: list[int] = []
    most: list[int] = []

    def enter() -> None:
        for _ in range(5):
            with Lock(store):
                inside.append(1)
                time.sleep(0.001)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 20


def test_waiting_ends_and_names_the_holder(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Whoever waits too long is told which process holds the lock, and has waited as long as was said."""
    store = Store(str(tmp_path))
    started = time.monotonic()
    before = descriptors()
    with pytest.raises(LockTimeout, match=f"lock: process {holder.pid} holds this lock"), Lock(store, timeout=0.3):
        pytest.fail("two are inside")
    assert 0.3 <= time.monotonic() - started < 5
    assert descriptors() == before


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """A holder that dies lets the next one in at once, and the lock file stays the same."""
    store = Store(str(tmp_path))
    file = tmp_path / ".foreword" / "lock"
    before = file.stat().st_ino
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    with Lock(store, timeout=0):
        assert file.read_text() == f"{os.getpid()}\n"
    assert file.stat().st_ino == before


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    """A lock is free after an error in its block, and can be taken again with the same object."""
    lock = Lock(Store(str(tmp_path)), timeout=0)
    before = descriptors()
    with pytest.raises(ZeroDivisionError), lock:
        raise ZeroDivisionError
    with lock, pytest.raises(LockTimeout, match=f"process {os.getpid()} holds"):
        Lock(Store(str(tmp_path)), timeout=0).__enter__()
    assert descriptors() == before


def test_a_lock_is_not_kept_by_a_forked_process(tmp_path: Path) -> None:
    """A process that was forked inside the block does not hold the lock when its parent has left."""
    run(
        """
import os, sys, time
from foreword.store._lock import Lock
from foreword.store._store import Store
store = Store(sys.argv[1])
with Lock(store):
    child = os.fork()
    if not child:
        time.sleep(30)
        os._exit(0)
with Lock(store, timeout=0):
    pass
os.kill(child, 9)
""",
        tmp_path,
    )


@pytest.mark.parametrize("number", ERRORS)
def test_a_fault_of_locking_is_told(tmp_path: Path, number: int) -> None:
    """A lock that cannot be taken is an error; one whose holder cannot be written down is held all the same."""
    with Lock(Store(str(tmp_path))):
        pass
    log = calls_of(tmp_path, lambda store: Lock(store).__enter__().__exit__(None, None, None))
    for position in range(1, len(log) + 1):
        store = Store(str(tmp_path), failing_at(position, number))
        before = descriptors()
        if log[position - 1] in {"truncate", "write", "close"} or position >= len(log) - 1:
            with Lock(store, timeout=0), pytest.raises(LockTimeout):
                Lock(Store(str(tmp_path)), timeout=0).__enter__()
        else:
            with pytest.raises(StoreError, match="it cannot be locked"), Lock(store, timeout=0):
                pytest.fail("inside without the lock")
        assert descriptors() == before
