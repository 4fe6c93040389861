"""Three-way merging of texts by lines."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.memory._line_changes import Change, changes_between
from foreword.memory._merge import Conflict, Merge, merge3

TEXTS = st.one_of(
    st.lists(st.sampled_from(["", "a", "b", "c", "- item"]), max_size=9).map("\n".join),
    st.text(alphabet="a\n\r\x0b\u2028 é", max_size=12),
)


def spaced(letters: str) -> str:
    """Return a text with one line for each letter."""
    return "\n".join(letters)


def mirrored(merge: Merge) -> Merge:
    """Return a merge with its two sides exchanged."""
    return Merge(
        merge.text, tuple(Conflict(base, new, mine, text, b, a) for base, mine, new, text, a, b in merge.conflicts)
    )


@pytest.mark.parametrize(
    ("base", "mine", "new", "merged"),
    [
        ("abc", "Abc", "abC", "AbC"),
        ("abc", "abc", "abC", "abC"),
        ("abc", "Abc", "abc", "Abc"),
        ("abc", "aXc", "aXc", "aXc"),
        ("abc", "ac", "ac", "ac"),
        ("abc", "xabc", "abcy", "xabcy"),
        ("abc", "bc", "abcy", "bcy"),
        ("abcd", "aXcd", "aXcD", "aXcD"),
        ("abcdef", "abXYcdef", "abcdf", "abXYcdf"),
        ("abc", "", "", ""),
        ("abc", "", "abc", ""),
        ("", "", "abc", "abc"),
        ("", "abc", "abc", "abc"),
        ("", "", "", ""),
    ],
)
def test_changes_apart_are_both_made(base: str, mine: str, new: str, merged: str) -> None:
    """Changes of either side that do not touch are made, and equal ones are made once."""
    assert merge3(spaced(base), spaced(mine), spaced(new)) == Merge(spaced(merged), ())


@pytest.mark.parametrize(
    ("base", "mine", "new", "lines"),
    [
        ("abc", "aXc", "aYc", (range(1, 2), range(1, 2), range(1, 2))),
        ("abc", "Xbc", "aYc", (range(2), range(2), range(2))),
        ("abc", "aXbc", "aYbc", (range(1, 1), range(1, 2), range(1, 2))),
        ("abc", "aXbc", "aBc", (range(1, 2), range(1, 3), range(1, 2))),
        ("abc", "ac", "aYc", (range(1, 2), range(1, 1), range(1, 2))),
        ("abc", "", "aYc", (range(3), range(0), range(3))),
        ("", "x", "y", (range(0), range(1), range(1))),
        ("abcde", "1abXde", "abYZde", (range(2, 3), range(3, 4), range(2, 4))),
    ],
)
def test_changes_that_touch_are_a_conflict(base: str, mine: str, new: str, lines: tuple[range, range, range]) -> None:
    """Different changes of the same or of neighbouring lines are a conflict that says which lines of each text."""
    merge = merge3(spaced(base), spaced(mine), spaced(new))
    assert merge.text is None
    base_lines, mine_lines, new_lines = lines
    texts = (spaced(text[part.start : part.stop]) for text, part in zip((base, mine, new), lines, strict=True))
    assert merge.conflicts == (Conflict(base_lines, mine_lines, new_lines, *texts),)


def test_every_conflict_is_told() -> None:
    """Conflicts come in the order of the lines, each by itself, with what both sides agree on left out."""
    merge = merge3(spaced("abcdefg"), spaced("aXcDeYg"), spaced("aVcDeWg"))
    assert merge.text is None
    assert [(found.base, found.mine, found.new) for found in merge.conflicts] == [("b", "X", "V"), ("f", "Y", "W")]


@pytest.mark.parametrize(
    ("base", "mine", "new"),
    [
        pytest.param("bdb", "dbb", "bdbb", id="one reading adds a line twice"),
        pytest.param("da", "d", "ad", id="either line may be the one that moved"),
        pytest.param("ccb", "cbc", "cbcb", id="one reading merges and the other does not"),
    ],
)
def test_an_ambiguous_move_is_a_conflict(base: str, mine: str, new: str) -> None:
    """A merge that depends on which of several lines is thought to have moved is left to the person."""
    merge = merge3(spaced(base), spaced(mine), spaced(new))
    assert merge.text is None
    assert merge.conflicts
    assert merge3(spaced(base), spaced(new), spaced(mine)) == mirrored(merge)


def test_only_newlines_end_a_line() -> None:
    """Form feeds, line separators and other characters that some call line ends stay inside their line."""
    merge = merge3("a\x0bb\u2028c\x85\nd\ne", "a\x0bb\u2028c\x85\nd\nE", "a\x0bb\u2028C\x85\nd\ne")
    assert merge.text == "a\x0bb\u2028C\x85\nd\nE"


@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_yields(base: str, new: str) -> None:
    """When one side is the base, the merge is the other side; when both sides are equal, it is that text."""
    assert merge3(base, base, new) == Merge(new, ())
    assert merge3(base, new, base) == Merge(new, ())
    assert merge3(base, new, new) == Merge(new, ())


@given(TEXTS, TEXTS, TEXTS)
def test_the_sides_are_alike(base: str, mine: str, new: str) -> None:
    """It makes no difference which side is which, and there is a text exactly when there is no conflict."""
    merge = merge3(base, mine, new)
    assert merge3(base, new, mine) == mirrored(merge)
    assert (merge.text is None) == bool(merge.conflicts)


@given(TEXTS, TEXTS, TEXTS)
def test_a_conflict_shows_the_lines_it_names(base: str, mine: str, new: str) -> None:
    """The three texts of a conflict are the lines of its ranges, and the ranges follow one another."""
    done = [0, 0, 0]
    for found in merge3(base, mine, new).conflicts:
        ranges = (found.base_lines, found.mine_lines, found.new_lines)
        assert all(part.start >= end for part, end in zip(ranges, done, strict=True))
        for text, part, shown in zip((base, mine, new), ranges, (found.base, found.mine, found.new), strict=True):
            assert "\n".join((text.split("\n") if text else [])[part.start : part.stop]) == shown
        assert found.mine != found.new or found.mine_lines != found.new_lines
        done = [part.stop for part in ranges]


@given(TEXTS, TEXTS, TEXTS)
def test_no_added_line_is_lost(base: str, mine: str, new: str) -> None:
    """Every line that the base does not have and one side added stands in the merged text, as often as there."""
    merge = merge3(base, mine, new)
    if merge.text is not None:
        merged = Counter(merge.text.split("\n"))
        old = set(base.split("\n"))
        for side in (mine, new):
            added = Counter(line for line in side.split("\n") if line not in old and line)
            assert added <= merged


@given(st.data())
def test_each_line_of_the_base_stays_only_if_both_sides_kept_it(data: st.DataObject) -> None:
    """In a clean merge a line is gone exactly when a side deleted it, and nothing else comes in."""
    base = [f"line {number}" for number in range(data.draw(st.integers(0, 10)))]
    sides = [[line for line in base if data.draw(st.booleans())] for _ in range(2)]
    for side, mark in zip(sides, "mn", strict=True):
        for number in range(data.draw(st.integers(0, 2))):
            side.insert(data.draw(st.integers(0, len(side))), f"{mark}{number}")
    merge = merge3("\n".join(base), "\n".join(sides[0]), "\n".join(sides[1]))
    if merge.text is not None:
        merged = merge.text.split("\n") if merge.text else []
        kept = [line for line in base if line in sides[0] and line in sides[1]]
        assert [line for line in merged if line in base] == kept
        assert sorted(merged) == sorted(kept + [line for side in sides for line in side if line not in base])


@given(TEXTS, TEXTS, st.booleans())
def test_changes_lead_from_one_text_to_the_other(old: str, new: str, from_end: bool) -> None:
    """Changes describe the new text completely, are never empty, and have a common line between them."""
    before, after = old.split("\n"), new.split("\n")
    changes = changes_between(before, after, from_end=from_end)
    rebuilt: list[str] = []
    done = 0
    for number, change in enumerate(changes):
        assert change.start > done or not number
        assert before[change.start : change.end] != after[change.new_start : change.new_end]
        rebuilt += before[done : change.start]
        assert len(rebuilt) == change.new_start
        rebuilt += after[change.new_start : change.new_end]
        done = change.end
    assert rebuilt + before[done:] == after


def test_of_equal_lines_the_last_counts_as_new() -> None:
    """An insertion among equal lines, and a deletion, stand as low as they can."""
    assert changes_between(list("xaa"), list("xaaay")) == [Change(3, 3, 3, 5)]
    assert changes_between(list("aaxb"), list("axb")) == [Change(1, 2, 1, 1)]
    assert changes_between(list("abc"), list("ababc")) == [Change(2, 2, 2, 4)]


def test_a_large_text_is_merged_by_its_unique_lines() -> None:
    """A text with thousands of blank lines is still compared line by line."""
    base = [f"line {number // 2}" if number % 2 else "" for number in range(5000)]
    mine = [f"{line}!" if place % 6 == 1 else line for place, line in enumerate(base)]
    new = [f"{line}?" if place % 10 == 3 and place % 6 != 1 else line for place, line in enumerate(base)]
    expected = [
        f"{line}!" if place % 6 == 1 else f"{line}?" if place % 10 == 3 else line for place, line in enumerate(base)
    ]
    assert merge3("\n".join(base), "\n".join(mine), "\n".join(new)).text == "\n".join(expected)


def test_a_hostile_text_takes_no_time() -> None:
    """Texts of nothing but equal lines end in a conflict within seconds, not in hours."""
    started = time.monotonic()
    for length in (600, 2500, 60_000):
        mine = spaced("".join("abc"[place % 3] for place in range(length)))
        merge = merge3(spaced("ab" * (length // 2)), mine, spaced("ab" * 50))
        assert merge.text is None
    parts = [(f"{number}", "ab" * 220, "abc" * 147) for number in range(120)]
    base = "\n".join(f"{name}\n{spaced(old)}" for name, old, _ in parts)
    merge = merge3(base, "\n".join(f"{name}\n{spaced(text)}" for name, _, text in parts), "other")
    assert merge.text is None
    assert time.monotonic() - started < 20


def markdown(dice: random.Random, most: int) -> list[str]:
    """Return lines as prompts have them: many that are blank or alike."""
    lines: list[str] = []
    for number in range(dice.randint(0, most)):
        kind = dice.random()
        lines.append("" if kind < 0.35 else dice.choice(["- item", "```", "text"]) if kind < 0.5 else f"line {number}")
    return lines


def unlike(dice: random.Random, most: int) -> list[str]:
    """Return lines of which no two are alike."""
    return [f"line {number}" for number in range(dice.randint(0, most))]


def edited(dice: random.Random, lines: Sequence[str], mark: str, alike: bool) -> list[str]:
    """Return lines with a few insertions, deletions and replacements."""
    result = list(lines)
    for number in range(dice.randint(1, 4)):
        place, kind = dice.randint(0, len(result)), dice.random()
        fresh = [f"{mark}{number}", f"shared {number}", *(["", "- item"] if alike else [])]
        if kind < 0.4:
            result[place:place] = dice.sample(fresh, dice.randint(1, 2))
        elif kind < 0.7:
            del result[place : place + dice.randint(1, 2)]
        else:
            result[place : place + 1] = [dice.choice(fresh)]
    return result


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(("make", "most"), [(markdown, 14), (markdown, 70), (unlike, 14)])
def test_git_merges_the_same(tmp_path: Path, make: Callable[[random.Random, int], list[str]], most: int) -> None:
    """What git merges is merged to the same text, save a move that can be read in two ways; its conflicts stay."""
    outcomes: Counter[str] = Counter()
    for seed in range(250):
        dice = random.Random(seed)
        base = make(dice, most)
        texts = [edited(dice, base, mark, make is markdown) for mark in "mn"]
        texts.insert(1, base)
        if [""] in texts:
            continue  # A single blank line is no line here.
        for name, lines in zip(("mine", "base", "new"), texts, strict=True):
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        git = subprocess.run(
            ["git", "merge-file", "-p", "--diff3", "mine", "base", "new"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert 0 <= git.returncode < 128, git.stderr
        mine, _, new = ("\n".join(lines) for lines in texts)
        merge = merge3("\n".join(base), mine, new)
        if git.returncode:
            assert merge.text is None, seed
            outcomes["conflict"] += 1
        elif merge.text is None:
            outcomes["conflict only here"] += 1
        else:
            assert merge.text == git.stdout.removesuffix("\n"), seed
            outcomes["merged"] += 1
    assert outcomes["conflict"] > 50
    assert outcomes["merged"] > 50
    assert outcomes["conflict only here"] <= 0.01 * (outcomes["merged"] + outcomes["conflict only here"]), outcomes
