"""First looks: where the scanner is not asked about a text or a name, it would have nothing to say."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_gates import NAMES
from tests.core.test_properties import ALWAYS
from tests.security.test_scan import ON_THE_EDGE

from foreword._plain_edit import is_plain_name
from foreword._prepare import _is_clean  # pyright: ignore[reportPrivateUsage]
from foreword.scan._scan import RULES, scan, scan_name
from foreword.scan._suspects import suspected


def test_texts_that_are_clean_together_are_clean_each() -> None:
    """Where the scanner has nothing to look at in many texts at once, it finds nothing in any of them."""
    seen: Counter[bool] = Counter()

    @given(st.lists(ON_THE_EDGE, min_size=1, max_size=4))
    @settings(ALWAYS, max_examples=800)
    def check(several: list[str]) -> None:
        clean = _is_clean(several)
        seen[clean] += 1
        if clean:
            for text in several:
                assert suspected(text) == 0
                assert scan(text) == ()

    check()
    assert seen[True] > 50
    assert seen[False] > 300


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\x00", "\ufeff", "<!-- x -->", "x" * 2001, "ü", "aB3cD4eF5g" * 20, "\t" * 80]
)
def test_one_text_that_is_looked_at_spoils_all(text: str) -> None:
    """A text that the scanner has to look at is seen among others, wherever it stands."""
    for place in range(3):
        several = ["One.", "Two."]
        assert _is_clean(several)
        several.insert(place, text)
        assert not _is_clean(several)


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
