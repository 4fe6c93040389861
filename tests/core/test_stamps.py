"""Stamps: when they can be relied on, and what shows that everything is as it was."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.files import _stamps
from foreword.files._cache import Cache
from foreword.files._reader import Reader
from foreword.files._roots import Root
from foreword.files._stamps import Evidence, ancestry, identity, is_settled, now, place_of, stamp
from foreword.files._ways import places_around

SECOND = 1_000_000_000
MS = 1_000_000
times = st.integers(0, 4 * 10**18)
fine = times.filter(lambda time: time % MS)


def status(modified: int, changed: int) -> tuple[int, int, int, int, int]:
    """A stamp with these times."""
    return (1, 2, 3, modified, changed)


# -- when times can be relied on -------------------------------------------------------------------


@given(times, times, times)
def test_a_settled_file_has_no_time_near_its_reading(modified: int, changed: int, at: int) -> None:
    """No file is settled whose times are within the grain of the clock before the reading, or after it."""
    if is_settled(status(modified, changed), at):
        assert max(modified, changed) < at - 20 * MS
        if modified % MS == 0 or changed % MS == 0:
            assert max(modified, changed) < at - 2 * SECOND


@given(fine, fine)
def test_fine_times_settle_after_twenty_milliseconds(modified: int, changed: int) -> None:
    """A file with fine times is settled as soon as its later time is more than 20 ms before the reading."""
    latest = max(modified, changed)
    assert is_settled(status(modified, changed), latest + 20 * MS + 1)
    assert not is_settled(status(modified, changed), latest + 20 * MS)


@given(times, times, st.booleans())
def test_coarse_times_settle_after_two_seconds(one: int, other: int, first: bool) -> None:
    """Where either time is a whole millisecond, the file system may count in seconds, and two of them have to pass."""
    coarse = one // MS * MS
    times = status(coarse, other) if first else status(other, coarse)
    latest = max(coarse, other)
    assert is_settled(times, latest + 2 * SECOND + 1)
    assert not is_settled(times, latest + 2 * SECOND)


@given(times, times, st.integers(0, 5 * SECOND), st.integers(0, 5 * SECOND))
def test_what_is_settled_stays_settled(modified: int, changed: int, after: int, later: int) -> None:
    """A later reading of an unchanged file finds it settled where an earlier one did."""
    at = max(modified, changed) + after
    if is_settled(status(modified, changed), at):
        assert is_settled(status(modified, changed), at + later)


def test_the_clock_is_that_of_the_files(tmp_path: Path) -> None:
    """A file that was just written is not settled, and is so when its times have passed."""
    path = tmp_path / "a.md"
    path.write_text("a")
    assert not is_settled(stamp(path.stat()), now())
    assert is_settled(stamp(path.stat()), now() + 3 * SECOND)


def test_a_file_that_was_read_in_its_own_grain_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the clock stands still, every reading looks at the bytes; afterwards none does until a stamp changes."""
    path = tmp_path / "a.md"
    path.write_text("a")
    written = path.stat().st_mtime_ns
    cache, root = Cache(), Root("r", str(tmp_path))

    def opened_at(at: int) -> int:
        with monkeypatch.context() as patch:
            for module in ("_fresh", "_names", "_reader"):
                patch.setattr(f"foreword.files.{module}.now", lambda: at)
            count = 0
            original = os.open

            def counting(name: str, *more: int, **named: int) -> int:
                nonlocal count
                count += name == "a.md"
                return original(name, *more, **named)

            patch.setattr(os, "open", counting)
            assert [file.text for file in Reader(readings=cache).read_directory(root).files] == ["a"]
            return count

    assert [opened_at(written + 1) > 0 for _ in range(3)] == [True] * 3
    opened_at(written + 3 * SECOND)
    assert opened_at(written + 3 * SECOND) == 0


# -- evidence --------------------------------------------------------------------------------------


def swap_for_link(path: Path) -> None:
    """Put a link to where it is now in the place of an entry."""
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def replace_by_copy(path: Path) -> None:
    """Put a copy with the same times in the place of a file."""
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    os.utime(copy, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    copy.rename(path)


def restore_times(path: Path) -> None:
    """Change a byte of a file, and set its times back."""
    before = path.stat()
    time.sleep(0.02)
    path.write_text("b")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "replaced": replace_by_copy,
    "link": swap_for_link,
    "same size and times": restore_times,
    "gone": Path.unlink,
    "longer": lambda path: path.write_text("longer"),
    "second name": lambda path: os.link(path, path.with_name("second")),
    "mode": lambda path: path.chmod(0o600),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_stamp_shows_every_change(tmp_path: Path, change: str) -> None:
    """Whatever is done to a file, evidence of its stamp does not hold any more."""
    path = tmp_path / "a.md"
    path.write_text("a")
    evidence = Evidence(stamps=((str(path), stamp(path.lstat())),))
    time.sleep(0.02)
    assert evidence.holds()
    CHANGES[change](path)
    assert not evidence.holds()


PLACES: dict[str, Callable[[Path], object]] = {
    "link": swap_for_link,
    "gone": Path.rmdir,
    "file": lambda path: (path.rmdir(), path.write_text("a")),
    "other": lambda path: (path.rename(path.with_name("old")), path.mkdir()),
    "mode": lambda path: path.chmod(0o700),
}


@pytest.mark.parametrize("change", PLACES)
def test_a_place_shows_what_takes_its_place(tmp_path: Path, change: str) -> None:
    """Evidence of a place holds whatever is put into the directory, and not when something else stands there."""
    path = tmp_path / "d"
    path.mkdir(mode=0o755)
    evidence = Evidence(places=((str(path), place_of(str(path))),))
    (path / "new").touch()
    assert evidence.holds()
    (path / "new").unlink()
    PLACES[change](path)
    assert not evidence.holds()


def test_a_place_where_nothing_is_shows_that_something_is(tmp_path: Path) -> None:
    """Where nothing was, a dangling link is something too."""
    path = tmp_path / "d"
    assert place_of(str(path)) is None
    evidence = Evidence(places=((str(path), None),))
    assert evidence.holds()
    path.symlink_to("nowhere")
    assert place_of(str(path)) == identity(path.lstat())
    assert not evidence.holds()


def test_what_cannot_be_looked_at_does_not_hold(tmp_path: Path) -> None:
    """A path through a file, or one that no system takes, shows nothing."""
    (tmp_path / "file").touch()
    for path in (f"{tmp_path}/file/x", "\0", f"{tmp_path}/{'x' * 300}"):
        assert not Evidence(places=((path, None),)).holds()
        assert not Evidence(roots=((path, (1, 2, 3)),)).holds()
        assert not Evidence(stamps=((path, status(1, 1)),)).holds()


def test_a_root_is_looked_at_through_links(tmp_path: Path) -> None:
    """Evidence of a root holds as long as its path leads to the same directory, whatever links are on the way."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    for found in (stamp, identity):
        evidence = Evidence(roots=((str(link), found(link.stat())),))
        assert evidence.holds()
        link.unlink()
        link.symlink_to(tmp_path / "one")
        assert evidence.holds()
        link.unlink()
        link.symlink_to("two")
        assert not evidence.holds()
        link.unlink()
        link.symlink_to("one")


def test_the_evidence_of_all_is_that_of_each(tmp_path: Path) -> None:
    """Several together hold exactly when each does, and nothing is looked at twice."""
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.touch()
    parts = [evidence_of(tmp_path, path) for path in paths]
    together = Evidence.of_all([*parts, *parts])
    assert (len(together.roots), len(together.stamps)) == (1, 3)
    assert together.holds()
    assert Evidence.of_all([]).holds()
    for path in paths:
        path.write_text("longer")
        assert [part.holds() for part in parts].count(False) == 1
        assert not together.holds()
        parts = [evidence_of(tmp_path, path) for path in paths]
        together = Evidence.of_all(parts)


def evidence_of(root: Path, path: Path) -> Evidence:
    """What shows that a file below a root is as it is."""
    return Evidence(((str(root), identity(root.stat())),), (), ((str(path), stamp(path.lstat())),))


# -- the way to a directory ------------------------------------------------------------------------


def test_what_comes_into_a_root_is_seen_by_the_stamp_of_the_root(tmp_path: Path) -> None:
    """Where the stamp of a directory is looked at, what is not in it need not be; elsewhere it is."""
    root, below = str(tmp_path), tmp_path / "below"
    below.mkdir()
    absent = ((f"{root}/tools", None), (f"{below}/tools", None))
    by_stamp = Evidence.of_all([Evidence(roots=((root, stamp(os.stat(root))),), places=absent)])
    by_identity = Evidence.of_all([Evidence(roots=((root, identity(os.stat(root))),), places=absent)])
    assert by_stamp.places == absent[1:]
    assert by_identity.places == absent
    time.sleep(0.03)
    for evidence in (by_stamp, by_identity):
        assert evidence.holds()
    (tmp_path / "tools").mkdir()
    for evidence in (by_stamp, by_identity):
        assert not evidence.holds()


def test_the_first_stamp_that_is_another_is_told_apart_from_all_else(tmp_path: Path) -> None:
    """A regular file that has changed has a place; what is gone, or something else now, and other changes have none."""
    paths = [tmp_path / name for name in ("a.md", "b.md")]
    for path in paths:
        path.write_text("one")
    stamps = tuple([(str(path), stamp(os.lstat(path))) for path in paths])
    evidence = Evidence(roots=((str(tmp_path), identity(os.stat(tmp_path))),), stamps=stamps)
    assert evidence.first_changed() == 2
    assert evidence._replace(places=((str(tmp_path / "a.md"), None),)).first_changed() == -1
    assert evidence._replace(roots=((str(tmp_path / "gone"), (1, 2, 3)),)).first_changed() == -1
    assert evidence._replace(stamps=(stamps[0], (stamps[1][0], None))).first_changed() == 1
    paths[1].write_text("three")
    assert evidence.first_changed() == 1
    paths[0].write_text("three")
    assert evidence.first_changed() == 0
    paths[0].unlink()
    assert evidence.first_changed() == -1
    paths[0].mkdir()
    assert evidence.first_changed() == -1


@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c"])
def test_the_ancestry_of_a_path_shows_each_step(tmp_path: Path, swapped: str) -> None:
    """A directory above, or the directory itself, that becomes a link to where it is now is seen."""
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    evidence = ancestry(str(tmp_path / "a" / "b" / "c"))
    assert evidence.holds()
    (tmp_path / "a" / "b" / "c" / "new").touch()
    assert evidence.holds()
    swap_for_link(tmp_path / swapped)
    assert not evidence.holds()


def test_the_ancestry_of_a_link_shows_where_it_leads(tmp_path: Path) -> None:
    """A link on the way that is re-pointed is seen, and so is something in the place of nothing."""
    for name in ("one", "two"):
        (tmp_path / name / "d").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to("one")
    evidence = ancestry(f"{link}/d")
    missing = ancestry(f"{tmp_path}/three/d")
    assert evidence.holds()
    assert missing.holds()
    link.unlink()
    link.symlink_to("two")
    assert not evidence.holds()
    (tmp_path / "three").mkdir()
    assert not missing.holds()


def test_no_evidence_stands_on_a_link_on_the_way(tmp_path: Path) -> None:
    """A way below a root, or what is left out, that is a link can change without a trace, so there is no evidence."""
    (tmp_path / "real" / "d").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    root = Root("r", str(tmp_path))
    plain = places_around(root, "real/d", frozenset({"gone"}))
    assert plain is not None
    assert plain.holds()
    assert [path for path, _ in plain.places] == [f"{tmp_path}/real", f"{tmp_path}/gone"]
    assert places_around(root, "link/d", frozenset()) is None
    assert places_around(root, "", frozenset({"link"})) is None
    assert places_around(Root("r", f"{tmp_path}/none"), "", frozenset()) is None


def test_the_time_is_in_nanoseconds() -> None:
    """The clock that readings are dated by is the one that files are dated by."""
    assert abs(_stamps.now() - time.time_ns()) < SECOND
