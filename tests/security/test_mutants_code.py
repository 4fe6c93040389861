"""Where the scanner takes Markdown for code: every C stands in code, every N does not, and every D is in doubt."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from foreword.scan._code import Code

TEXTS = [
    # Code spans.
    "`C`N `C` N",
    "`` C ` C `` N ` N",
    "N ` N\n\n` N",
    "`C`\n\n`N\n\nN `C`",
    "\\`N` N",
    "\\\\`C` N",
    "\\\\\\`N` N",
    "\\``N`` N",
    "`C\\` N` N",
    "``C` C`` N",
    "` D\nD ` N",
    "`D\nD` ``D`` N",
    "<b c='`'> N ` N",
    "a <b c='`'> N ` N",
    '<b c="`" d> N ` N',
    "a <b c=d> `C` N",
    "a </b > `C` N",
    "a <http://a`b> N ` N",
    "a <a`b@c> N ` N",
    "a <!-- ` --> N ` N",
    "a <!-- `C` N",
    "a <? ` ?> N ` N",
    "a <!A ` > N ` N",
    "[a](b`c) `D` N",
    "[a](<b`c>) `D` N",
    "[a](b 'c') `C` N",
    '[a](b "c") `C` N',
    "[a](b (c)) `C` N",
    "[a](b) `C` N",
    "[a](b ``c) `D` N",
    "a><!b > `C` N",
    # Fences.
    "```\nC\n```\nN",
    "```\nC",
    "```\nC\n``\nC\n````\nN",
    "````\nC\n```\nC\n````\nN",
    "~~~\nC\n```\nC\n~~~\nN",
    "```\nC\n~~~\nC\n```\nN",
    "   ```\nC\n   ```\nN",
    "    ```\nN\n    ```\nN",
    "\t```\nN\n\t```\nN",
    "```\nC\n    ```\nC\n```\nN",
    "```py\nC\n``` x\nC\n```\nN",
    "``` a`b\nN\n```\nC",
    "~~~ a`b\nC\n~~~\nN",
    "```\nC\n```   \nN",
    "```\nC\n``` \t\nN",
    "> ```\n> C\n> ```\nN",
    "> ```\n> D\n\nN",
    "> ```\n> D\nN",
    "- ```\n  C\n  ```\n\nN",
    "- ```\n  D\n\nN",
    "1. ```\n   C\n   ```\n\nN",
    "- a\n\n  ```\n  C\n  ```\n\nN",
    "```\nC\n```\n`\n```\nC\n```\n`C` N",
    "`\n```\nC\n```\n` N",
    "`C`\n```\nC\n```\n`C` N\n```\nC\n```\n`C` N",
    "N ` N\n```\nC\n```\nN ` N",
    # Raw HTML.
    "<div>\n`N`\n</div>\n\n`C` N",
    "<pre>\n`N`\n</pre>\n`C` N",
    "<!--\n`N`\n-->\n`C` N",
    "<script>\n\n`N`\n\n</script>\n`C` N",
    "<?\n`N`\n?>\n`C` N",
    "N ` N <div>\nN ` N",
    "N\n<div>\n`N`\n\n`C` N",
    "<div>\n```\nN\n```\n\nN",
    "<!-- a --> `N`\n`C` N",
    "<!-- a\n-->\n\n```\nC\n```\nN",
    "```\nC\n```\n<div>\n`N`\n\n```\nC\n```\nN",
    "- `C`\n- `C` N\n\n```\nC\n```\nN",
    "> `C` N\n\n```\nC\n```\nN",
    "    `C`\n\n```\nC\n```\nN",
    "```\n\n\nC\n\n```\n\nN `C` N\n\n~~~\nC",
]


def _read(text: str) -> str:
    code = Code(text)
    return "".join("C" if code.holds(place) else "N" for place, char in enumerate(text) if char in "CND")


@pytest.mark.parametrize("text", TEXTS)
def test_what_stands_in_code(text: str) -> None:
    """Each place is read as CommonMark reads it, and where that is in doubt, as no code."""
    wanted = "".join(char for char in text if char in "CND")
    assert _read(text) == wanted.replace("D", "N")


@pytest.mark.parametrize("text", TEXTS)
def test_places_may_be_asked_for_in_any_order(text: str) -> None:
    """The answer for a place is the same whatever was asked before."""
    forward, backward = Code(text), Code(text)
    places = range(len(text))
    assert [forward.holds(place) for place in places] == [backward.holds(place) for place in places[::-1]][::-1]


@pytest.mark.parametrize("text", TEXTS)
def test_the_table_is_true(text: str) -> None:
    """CommonMark's own parser reads the texts as they are marked."""
    inside = "".join(
        child.content
        for token in MarkdownIt("commonmark").parse(text)
        for child in (token, *(token.children or ()))
        if child.type in ("fence", "code_inline", "code_block")
    )
    marked = "".join(char for char in text if char in "CD")
    assert "".join(char for char in inside if char in "CD") == marked


def test_a_tick_in_character_data_begins_no_code() -> None:
    """What stands in a piece of character data is passed over."""
    text = "a <![CDATA[ ` ]]> x ` `y`"
    code = Code(text)
    assert not code.holds(text.index("x"))
    assert not code.holds(text.index("y"))
    assert Code("a <![CDATA[ `y` ]]").holds(13)
