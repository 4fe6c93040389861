"""The cache of readings: bounded in number and bytes, and never an answer to another question."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.test_concurrency import containers

from foreword import Builder
from foreword.files._cache import MOST_BYTES, MOST_READINGS, Cache
from foreword.files._reader import Reader, Readings
from foreword.files._roots import Root


class Text(NamedTuple):
    """A value that takes some bytes."""

    name: int
    size: int


def total(cache: Cache[int, Text], keys: int) -> int:
    """How many bytes the values of a cache take."""
    return sum(value.size for value in map(cache.get, range(keys)) if value is not None)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 60)), max_size=200), st.integers(1, 12), st.integers(1, 200)
)
def test_a_cache_keeps_no_more_than_it_may(puts: list[tuple[int, int]], most: int, most_bytes: int) -> None:
    """After each step the bounds hold, but for the last value, which is always kept; a key gives what was put last."""
    cache: Cache[int, Text] = Cache(most, most_bytes)
    put: dict[int, Text] = {}
    for number, (key, size) in enumerate(puts):
        value = put[key] = Text(number, size)
        cache.put(key, value)
        assert cache.get(key) is value
        assert len(cache) <= most
        assert total(cache, 31) <= max(most_bytes, size)
        for other, known in put.items():
            assert cache.get(other) in (known, None)


@given(st.integers(2, 20), st.integers(0, 100))
def test_those_that_were_kept_longest_ago_go_first(most: int, more: int) -> None:
    """What is let go was put before everything that stays."""
    cache: Cache[int, Text] = Cache(most, 10**9)
    for key in range(most + more):
        cache.put(key, Text(key, 1))
    kept = [key for key in range(most + more) if cache.get(key) is not None]
    assert kept == list(range(most + more))[-len(kept) :]
    assert len(kept) >= most // 2


def test_a_value_that_is_put_again_counts_once() -> None:
    """The same key over and over takes no room from others, and stays with those that were put last."""
    cache: Cache[int, Text] = Cache(4, 100)
    cache.put(1, Text(1, 30))
    for number in range(1000):
        cache.put(0, Text(number, 60))
    assert cache.get(1) == Text(1, 30)
    assert cache.get(0) == Text(999, 60)
    for key in (2, 3, 1, 4, 5):
        cache.put(key, Text(key, 1))
    assert cache.get(1) is not None
    assert cache.get(0) is None


def test_threads_share_a_cache() -> None:
    """Threads that put and get at once find their own values or none, and the bounds hold when they are done."""
    cache: Cache[int, Text] = Cache(50, 5000)
    wrong: list[object] = []
    start = threading.Barrier(8)

    def work(mine: int) -> None:
        start.wait()
        try:
            for number in range(4000):
                key = number % 40 * 8 + mine
                cache.put(key, Text(key, number % 97))
                found = cache.get((number * 7) % 320)
                if found is not None and found.name != (number * 7) % 320:
                    wrong.append(found)
        except Exception as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(cache) <= 50
    for key in range(60):
        cache.put(key, Text(key, 90))
    assert total(cache, 320) <= 5000


class Slow(NamedTuple):
    """A value whose size takes a while to be counted, so that other threads come between."""

    bytes: int

    @property
    def size(self) -> int:
        """The bytes."""
        time.sleep(0.0005)
        return self.bytes


def test_no_thread_makes_another_forget_what_is_kept() -> None:
    """However the steps of threads fall between each other, the bytes that are kept stay within their bound."""
    cache: Cache[int, Slow] = Cache(10_000, 40_000)
    start = threading.Barrier(8)

    def work(mine: int) -> None:
        start.wait()
        for number in range(100):
            cache.put(number * 8 + mine, Slow(100))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [value for value in map(cache.get, range(800)) if value is not None]
    # A thread may be about to let go of something while another puts one value more.
    assert 100 * len(kept) <= 40_000 + 8 * 100


# -- readings --------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A directory with one file, whose times are settled."""
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "note.txt").write_text("one")
    time.sleep(0.03)
    return Root("r", str(tmp_path))


def change(root: Root) -> None:
    """Write other files, and wait until their times are settled."""
    for name in ("a.md", "note.txt"):
        Path(root.path, name).write_text("two")
    Path(root.path, "new.md").write_text("new")
    time.sleep(0.03)


@pytest.mark.parametrize("ask", ["directory", "file", "tree"])
def test_evidence_is_for_the_answer_that_was_given(root: Root, ask: str) -> None:
    """What a later batch has read is no evidence for what an earlier one was answered."""
    readings: Readings = Cache()
    early, late = Reader(readings=readings), Reader(readings=readings)
    asks = {
        "directory": lambda reader: reader.read_directory(root),
        "file": lambda reader: reader.read_file(root, "note.txt"),
        "tree": lambda reader: reader.tree(root),
    }
    seen = early.watch()
    asks[ask](early)
    evidence = early.evidence(seen)
    assert evidence is not None
    assert evidence.holds()
    change(root)
    also_seen = late.watch()
    asks[ask](late)
    stale = early.evidence(seen)
    assert stale is None or not stale.holds()
    fresh = late.evidence(also_seen)
    assert fresh is not None
    assert fresh.holds()


@pytest.mark.parametrize("by_stamp", [True, False])
@pytest.mark.parametrize("ask", ["directory", "file", "tree"])
def test_an_answer_is_confirmed_only_by_the_same_answer(root: Root, ask: str, by_stamp: bool) -> None:
    """An answer that has changed is not confirmed, whoever has asked the question in between."""
    readings: Readings = Cache()

    def reader() -> Reader:
        return Reader(readings=readings, by_stamp=by_stamp)

    asks = {
        "directory": lambda reader: reader.read_directory(root),
        "file": lambda reader: reader.read_file(root, "note.txt"),
        "tree": lambda reader: reader.tree(root),
    }
    first = reader()
    seen = first.watch()
    asks[ask](first)
    assert reader().confirms(seen)
    change(root)
    assert not reader().confirms(seen)
    asks[ask](reader())
    assert not reader().confirms(seen)


def test_one_batch_reads_one_root(tmp_path: Path) -> None:
    """A root that is a link stays the same directory for a whole batch, also where much is known from before."""
    for name in ("one", "two"):
        (tmp_path / name / "tools").mkdir(parents=True)
        (tmp_path / name / "a.md").write_text(name)
        (tmp_path / name / "tools" / "t.md").write_text(name)
    link = tmp_path / "link"
    link.symlink_to("one")
    time.sleep(0.03)
    root = Root("r", str(link))
    readings: Readings = Cache()
    for cached in (Cache(), readings, readings):
        reader = Reader(readings=cached)
        texts = [reader.read_directory(root, known=("tools",)).files[0].text]
        link.unlink()
        link.symlink_to("two")
        texts.append(reader.read_directory(root, "tools").files[0].text)
        link.unlink()
        link.symlink_to("one")
        assert texts == ["one", "one"]
        warm = Reader(readings=readings)
        warm.read_directory(root, known=("tools",))
        warm.read_directory(root, "tools")


# -- a builder -------------------------------------------------------------------------------------


def test_a_builder_of_many_agents_stays_within_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many agents it has built for, a builder holds no more of anything than its bounds say."""
    for bound, most in {"_built.MOST_BUILT": 300, "_sources.MOST_KEPT": 500, "_prepare.MOST_DRAFTS": 700}.items():
        monkeypatch.setattr(f"foreword.{bound}", most)
    (tmp_path / "rules.md").write_text("{{ agent_name }} keeps the rules.")
    for number in range(0, 5000, 5):
        folder = tmp_path / "agents" / f"agent-{number}"
        folder.mkdir(parents=True)
        (folder / "own.md").write_text(f"own {number}")
    builder = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
    largest = 0
    for number in range(5000):
        prompt = builder.build(f"agent-{number}")
        assert f"agent-{number} keeps" in prompt.text
        largest = max(largest, len(builder._assembly.built))
    assert 150 < largest <= 300
    # The directory of agents is one list of 1,000 names; the readings have bounds of their own.
    readings = builder._assembly.readings
    assert 1000 < len(readings) <= MOST_READINGS
    assert 0 < readings._bytes <= MOST_BYTES
    del builder._assembly.readings, builder._assembly._exchanges
    sizes = sorted(len(one) for one in containers(builder).values())
    assert 300 < sizes[-1] <= 1000
    assert sum(size > 700 for size in sizes) <= 1


def test_what_was_warned_about_is_bounded(tmp_path: Path) -> None:
    """A builder that warns about thousands of places does not keep them all."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "memory").mkdir()
    builder = Builder(prompts_dir=tmp_path / "prompts", memory=tmp_path / "memory", plugins=False)
    record = tmp_path / "memory" / "souveraine_operations" / ".foreword"
    record.mkdir(parents=True)
    (record.parent / "prompts").mkdir()
    (record / "record.json").write_text('{"version": 1, "agent": "owner"}')
    for number in range(5000):
        with pytest.warns(match="FW041"):
            builder.build(f"agent-{number}")
    assert 0 < len(builder._telling._warned) <= 4096
