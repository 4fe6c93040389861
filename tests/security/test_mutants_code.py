"""Where the scanner takes Markdown for code: every C stands in code, every N does not, and every D is in doubt."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from foreword.scan._code import Code
from foreword.scan._fences import read_fences
from foreword.scan._findings import MARKUP_BUDGET

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
    "\\``C` N",
    "\\``N``` N",
    "\\" * 199 + "`N` N",
    "\\" * 200 + "`C` N",
    "\\" * 201 + "`N` N",
    "\\" * 402 + "`C` N",
    "a" + "\\" * 601 + "`N` N",
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
    "    <b>\n\n```\nC\n```\nN",
    "- a\n     ```\n     C\n     ```\n\nN",
    "- a\n    ```\n    C\n    ```\n\nN",
    "- a\n  ```\n  C\n  ```\n\nN",
    "- a\n      ```\n      N\n\nN",
    "10. a\n       ```\n       C\n       ```\n\nN",
    "N\n\n    ```\n    N\n\n```\nC\n```\nN",
    "    <!--\n\n```\nC\n```\nN",
    "<b>N\n`N`\n\n`C`\n```\nC\n```\nN",
    "- <!-- a -->\n\n```\nC\n```\nN",
    "> <!-- a -->\n\n```\nC\n```\nN",
    "1. `C`\n   `C` N\n\n   N\n\n~~~\nC\n~~~\nN",
    "N <i> `C` N\n\n`C` <i> N `C`",
    "<i>N</i> `D` N",
    "[a] `C` N [b] `C`",
    "![a](b) `C` N",
    "\\<b c='`'>C` N",
    "N\n\n> `C` N\n> N `C`\n\nN",
    "~~~~\nC\n~~~\nC\n~~~~~\nN `C`",
    "```\nC\n   ```\nN",
    "```\nC\n\t```\nC\n```\nN",
    "```\nC\n``` `\nC\n```\nN",
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
    answers = [forward.holds(place) for place in places]
    assert answers == [backward.holds(place) for place in places[::-1]][::-1]
    assert set(answers) <= {True, False}


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


# Where fenced code and raw HTML stand, and from where on nothing is known.
BLOCKS = [
    ("", [], [], 0),
    ("a", [], [], 1),
    ("```\na", [(0, 5)], [], 5),
    ("```\na\n```", [(0, 9)], [], 9),
    ("\n\n```\na\n```\n", [(2, 11)], [], 12),
    ("a\n> ```\nb", [], [], 1),
    ("> ```\n> a\n> ```\nb", [(0, 15)], [], 17),
    ("- ```\n  a\n  ```\nb", [(0, 15)], [], 17),
    ("- ```\n  a\n ```\nb", [], [], 0),
    ("1. ```\nx\n```", [], [], 0),
    ("  - a\n  ```\n b\n```\nc", [], [], 5),
    ("- a\n      ```\n   b\n      ```", [], [], 3),
    ("    ```\na", [], [], 9),
    ("<div>\n```\n\na", [], [], 0),
    ("<div>a\n\nb", [], [(0, 7)], 9),
    ("<div>", [], [(0, 5)], 5),
    ("a\n\n<div>\n", [], [(3, 9)], 9),
    ("- <div>\n  a\n\nb", [], [], 0),
    ("- <div>\n\nb", [], [(0, 8)], 10),
    ("> <b>\n> c\n\nd", [], [], 0),
    ("    <b>\n\na", [], [], 10),
    ("<!-- a\nb", [], [], 0),
    ("a\n<!-- a\nb", [], [], 1),
    ("x <!-- a", [], [], 8),
    ("<!-- a --> b\nc", [], [(0, 12)], 14),
    ("<!-- a\n--> b\nc", [], [(0, 12)], 14),
    ("<!-->\nb", [], [(0, 5)], 7),
    ("<pre>a</pre>\nb", [], [(0, 12)], 14),
    ("<PRE>\n\na</Script>\nb", [], [(0, 17)], 19),
    ("<prefix>\n\nb", [], [(0, 9)], 11),
    ("<?a\n?>\nb", [], [(0, 6)], 8),
    ("<![CDATA[\n]]>\nb", [], [(0, 13)], 15),
    ("<!A\n>\nb", [], [(0, 5)], 7),
    ("<div>\n<pre>\n\n</pre>\n```", [], [], 0),
    ("<div>\n<pre></pre>\n\na", [], [(0, 18)], 20),
    ("<div>\n<!-- a\n\nb", [], [], 0),
]


@pytest.mark.parametrize(("text", "fences", "html", "known"), BLOCKS, ids=[repr(text) for text, *_ in BLOCKS])
def test_where_blocks_stand(text: str, fences: list[tuple[int, int]], html: list[tuple[int, int]], known: int) -> None:
    """Fences and raw HTML are told by where they begin and end, up to the first block that has two readings."""
    read = read_fences(text)
    assert (read.fences, read.html, read.known) == (fences, html, known)


def test_what_is_too_much_is_no_code() -> None:
    """Behind more blocks than are looked at nothing counts as code, and in a paragraph of more backticks nothing."""
    fence = "~~~\na\n~~~\n"
    few, many = fence * (MARKUP_BUDGET // 2), fence * (MARKUP_BUDGET // 2 + 2)
    assert Code(few).holds(len(few) - 6)
    assert Code(many).holds(4)
    assert Code(many).holds(len(few) - 3 * len(fence) + 4)
    assert not Code(many).holds(len(many) - 6)
    span = "`a` "
    assert Code(span * (MARKUP_BUDGET // 2)).holds(1)
    assert not Code(span * (MARKUP_BUDGET // 2 + 1)).holds(1)


def test_the_signs_of_code_are_part_of_it() -> None:
    """A code span holds its backticks, but not the one that a backslash takes, nor what follows the last."""
    code = Code("\\``a` b")
    assert [code.holds(place) for place in range(8)] == [False, False, True, True, True, False, False, False]
