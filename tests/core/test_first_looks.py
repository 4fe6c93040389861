"""First looks: where the scanner is not asked about a text or a name, it would have nothing to say."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_gates import NAMES
from tests.core.test_properties import ALWAYS
from tests.security.test_scan import ON_THE_EDGE

from foreword._plain_edit import is_plain_name
from foreword._prepare import is_clean  # pyright: ignore[reportPrivateUsage]
from foreword.scan._scan import RULES, scan, scan_name
from foreword.scan._suspects import SHAPE, suspected

LENGTHS = st.sampled_from((1, 2, 3, 18, 19, 20, 21, 22, 64, 66, 130, 195, 196, 197, 198, 199, 200, 201, 202))


def test_texts_that_are_clean_together_are_clean_each() -> None:
    """Where the scanner has nothing to look at in many texts at once, it finds nothing in any of them."""
    seen: Counter[bool] = Counter()

    @given(st.lists(ON_THE_EDGE, min_size=1, max_size=4))
    @settings(ALWAYS, max_examples=800)
    def check(several: list[str]) -> None:
        clean = is_clean(several)
        seen[clean] += 1
        if clean:
            for text in several:
                assert suspected(text) == 0
                assert scan(text) == ()

    check()
    assert seen[True] > 50
    assert seen[False] > 300


def test_what_is_long_is_seen_wherever_it_stands() -> None:
    """A run of 200 letters and a row of 21 blanks are suspected, and nothing shorter is."""
    seen: Counter[bool] = Counter()
    pieces = st.tuples(st.sampled_from(("x", "aB3", "-", " ", "\n", " \t\n", "word ", "é", ".", "چ ")), LENGTHS)

    @given(st.lists(pieces, min_size=1, max_size=6))
    @settings(ALWAYS, max_examples=2000)
    def check(several: list[tuple[str, int]]) -> None:
        text = "".join([(piece * length)[:length] for piece, length in several])
        found = suspected(text) & SHAPE
        assert bool(found) == bool(re.search(r"[A-Za-z0-9+/_-]{200}|[ \t\n]{21}", text))
        seen[found != 0] += 1

    check()
    assert min(seen[True], seen[False]) > 200


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\x00", "\ufeff", "<!-- x -->", "x" * 2001, "ü", "aB3cD4eF5g" * 20, "\t" * 80]
)
def test_one_text_that_is_looked_at_spoils_all(text: str) -> None:
    """A text that the scanner has to look at is seen among others, wherever it stands."""
    for place in range(3):
        several = ["One.", "Two."]
        assert is_clean(several)
        several.insert(place, text)
        assert not is_clean(several)


@given(ON_THE_EDGE.map(lambda text: text[:210]) | st.sampled_from(NAMES))
@settings(ALWAYS, max_examples=400)
def test_in_a_plain_name_nothing_is_found(name: str) -> None:
    """Where a name is seen to be plain, the scanner finds nothing in it, however strict its rules are set."""
    if is_plain_name(name):
        assert scan_name(name) == scan_name(name, severities=dict.fromkeys(RULES, "error")) == ()


def test_which_names_are_plain() -> None:
    """Names of files and ids are seen to be plain as far as ids may be long, and suspicious ones never are."""
    long = "word " * 40
    assert all(map(is_plain_name, ("RULES.md", "custom_rules", "Überschrift.md", "", long)))
    assert not any(map(is_plain_name, (f"{long}x", "a\u202eb.md", "p\u0430y", "a\nb", "[/INST].md", "\x00")))
