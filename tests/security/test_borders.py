"""Untrusted text stays inside its section; the CommonMark parser is the oracle."""

from __future__ import annotations

import re
import time
from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from foreword._names import clean_title
from foreword.markdown import _borders
from foreword.markdown._blocks import MAX_DEPTH, read_blocks
from foreword.markdown._borders import Neutralised, is_noteworthy, neutralise, safe_title
from foreword.markdown._plain_blocks import is_deep, plain_blocks

CONTAINERS = ["> ", ">", "- ", "-", "* ", "+   ", "1. ", "2. ", "10) ", "-\t", ">\t", "  ", "    ", "      ", "\t", " "]
# fmt: off
LEAVES = [
    "# One", "## Two", "#", "###### Six", "#\tTab", "####### no", "Text", "T", "===", "=", "---", "--", "-", "- - -",
    "***", "___", "```", "````", "```py", "``` `", "~~~", "~~~~ x", "`` `", "<!--", "-->", "<!-- a -->", "<?", "?>",
    "<!X", ">", "<![CDATA[", "]]>", "<script>", "</script>", "<PRE", "</pre>", "<style x>", "<textarea>", "<div>",
    "</div", "<p\u00a0", "<a>", "<a b='c'>", "</b>", "<a>\u2028", "[a]: /b", "[a]:", "'x'", "[a", "b]: c 'd",
    "[a]: /b 'c", "\\", "&lt;!--", "&#35; x", "{{ x }}", "\u00a0# x", "", "",
]
# fmt: on
ENDS = ["\n", "\n", "\n", "\n\n", "", " ", "  \n", "\r", "\r\n", "\t\n", "\x0c"]


def _lines() -> st.SearchStrategy[str]:
    prefix = st.lists(st.sampled_from(CONTAINERS), max_size=4).map("".join)
    line = st.tuples(prefix, st.sampled_from(LEAVES), st.sampled_from(ENDS)).map("".join)
    return st.lists(line, min_size=1, max_size=9).map("".join)


def _soup() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*CONTAINERS, *LEAVES, *ENDS]), min_size=1, max_size=16).map("".join)


TEXTS = st.one_of(_lines(), _soup()).map(str.strip).filter(bool)
TITLES = st.sampled_from([None, "One", "T", "Text", "Style"])

# Where an untrusted text can come to stand: what is before it, and what is behind it.
BEFORE = [
    "## Title\n",
    "Operator.\n\n",
    "",
    "# Top\n\n- item\n\n  1. inner\n\n",
    "> # quoted\n\n",
    "-\n\n",
    "Under\n---\n\n    code\n\n",
    "<div>\n\n",
]
AFTER = [
    "\n\n## Next\nbody",
    "",
    "\n\nUnder\n===\n\n- # In a list",
    "\n\n> # q\n\n2. b\n   # h\n\n    # code",
    "\n\n[x]: /y\n\n#",
]


class Heading(NamedTuple):
    level: int
    depth: int
    markup: str
    content: str
    start: int
    end: int


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 300}).disable("inline")


def _headings(text: str) -> list[Heading]:
    tokens = _parser().parse(text)
    return [
        Heading(int(token.tag[1:]), token.level, token.markup, tokens[place + 1].content, *token.map)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.map is not None
    ]


def _moved(headings: list[Heading], lines: int) -> list[Heading]:
    return [heading._replace(start=heading.start + lines, end=heading.end + lines) for heading in headings]


AROUND = [(before, _headings(before), after, _headings(after)) for before in BEFORE for after in AFTER]


def _assert_inside(text: str) -> None:
    """Hold a neutralised text against everything that can stand around it."""
    for before, above, after, below in AROUND:
        found = _headings(before + text + after)
        where = (before, text, after)
        assert found[: len(above)] == above, where
        start = len(found) - len(below)
        assert found[start:] == _moved(below, (before + text).count("\n")), where
        assert all(heading.level >= 3 for heading in found[len(above) : start]), where


@settings(max_examples=400, deadline=None)
@given(TEXTS, TITLES)
@example(">>--\n    ```\nb\n-", None)
@example(">\n    >#", None)
@example("> [a]: b\nfoo\n===", None)
@example("[a]: b\n<a>\n```\n\n# y", None)
@example("[a]: b\n2. x\n\n      # y", None)
@example("[a]: b\n-\n     # x", None)
@example("[a]: /b\n---\n-", None)
@example("-    a\n    ```\n# x", None)
@example("- ~~~\n  code", None)
@example("> 1. ````\n>    ```", None)
@example(">- ```", None)
@example(">>> \t#", None)
@example("- <!--\n  x", None)
@example("<Script>\nx", None)
@example("a\r# x", None)
@example("# One\n\n    # code", "One")
@example("# T\n\u2028\n-", "T")
def test_no_text_changes_the_headings_around_it(text: str, title: str | None) -> None:
    """Whatever an untrusted text holds, all other headings read as without it and none of its own is level 1 or 2."""
    _assert_inside(neutralise(text, title=title).text)


@settings(max_examples=400, deadline=None)
@given(TEXTS, TITLES)
@example("# T\n\n# T\n\n    code", "T")
@example("a #\n===", None)
@example("- ```\n  code", None)
def test_neutralising_again_changes_nothing(text: str, title: str | None) -> None:
    """A text that was neutralised is left as it is, line for line."""
    once = neutralise(text, title=title).text
    again = neutralise(once, title=title)
    assert (again.text, again.lines) == (once, None)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("Text\n-")
@example("<SCRIPT")
@example("~~~")
@example("- a\n\n      > b\n1. c")
def test_text_without_marks_is_not_even_read(text: str) -> None:
    """A text that is passed on unread has no heading and leaves nothing open."""
    noteworthy = is_noteworthy(text)
    blocks = read_blocks(text.split("\n"))
    if not noteworthy:
        assert neutralise(text, title="Text") == Neutralised(text, None, ())
        assert not blocks.headings
        assert blocks.open is None
        assert _headings(text) == []
        _assert_inside(text)


PLAIN = [
    "Text",
    "b `c` d",
    "**b**",
    "[x](y)",
    "| a | b |",
    "caf\u00e9",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "  ",
    "    ",
    "# H",
    "## H #",
]
PLAIN += [
    "###",
    "#### x\ty",
    "### H",
    "\n### One\n",
    "\nText\n",
    "#tag",
    "```",
    "```sh",
    "~~~",
    "````",
    "``",
    "  ```",
    "``` `",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "> ",
]
PLAIN += ["---", "<b>", "-", "[a]:", "\\", "\x0c", "\u00a0", "0", "_"]


def _some_of(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*pieces, "\n", "\n"]), min_size=1, max_size=24).map("".join)


@settings(max_examples=1_000, deadline=None)
@given(st.one_of(TEXTS, st.lists(st.sampled_from(PLAIN), min_size=3, max_size=9).flatmap(_some_of)))
@example("```\n# a")
@example("- a\n```\n# b\n   ```` \t\n# c")
@example("~~~ `\n~~~~\n# c")
@example("a\n2. b\n   # c")
@example("- a\n    # b")
@example("- a\nb\n[c]: d")
def test_plain_blocks_are_read_as_all_are(text: str) -> None:
    """Where the headings of a text are found without reading it line by line, reading it finds the same."""
    plain = plain_blocks(text)
    if plain is not None:
        assert plain == read_blocks(text.split("\n"))


PIECES = st.lists(st.sampled_from(PLAIN), min_size=3, max_size=9).flatmap(_some_of)


def test_plain_blocks_change_nothing_of_what_comes_out() -> None:
    """A text whose blocks are plain comes out as it does when all of it is read."""
    seen: Counter[bool] = Counter()

    @settings(max_examples=1_000, deadline=None)
    @given(st.one_of(TEXTS, PIECES, PIECES.map(str.strip)), TITLES)
    @example("### One\n- b", "One")
    @example("### One ###\nb", "o-n_e")
    @example("#### `One`\nb", "One")
    @example("### " + "x" * 2_100, "x" * 2_100)
    @example("### ", "")
    @example("a\n### One", "One")
    @example("-\n \n### x", None)
    @example("### x\n[a]: /b\n---", None)
    def check(text: str, title: str | None) -> None:
        quick = neutralise(text, title=title)
        seen[is_deep(text) and "#" in text] += 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_borders, "is_deep", lambda text: False)
            assert quick == neutralise(text, title=title)
            patch.setattr(_borders, "plain_blocks", lambda text: None)
            assert quick == neutralise(text, title=title)

    check()
    assert seen[True] > 20
    assert seen[False] > 200


@settings(max_examples=1_000, deadline=None)
@given(st.one_of(TEXTS, PIECES))
@example("- a\n### b\n\n1. c\n###### d")
@example("###\n")
@example("- ### a")
@example("  ## a")
@example("####### a")
def test_a_deep_text_has_no_heading_of_a_section(text: str) -> None:
    """Where a text is seen to be deep, its headings are of level 3 to 6, and there is nothing to mend or to close."""
    if is_deep(text):
        blocks = read_blocks(text.split("\n"))
        assert all(heading.level >= 3 for heading in blocks.headings)
        assert (blocks.mends, blocks.open) == ([], None)
        assert blocks == plain_blocks(text)


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("### A\n\nText with *marks* and `code`, #7 and C#.\n\n- One\n- **Two**\n  goes on\n###### B\n\n1. x\n", True),
        ("A\n", True),
        ("#### A", True),
        ("###", True),
        ("## A", False),
        ("b\n# A", False),
        ("- ### A", False),
        ("####### A", False),
        ("```\nb\n```", False),
        ("> b", False),
        ("A\n---", False),
        ("-\n", False),
        ("[a]: b", False),
        ("a\rb", False),
    ],
)
def test_which_texts_are_deep(text: str, deep: bool) -> None:
    """Paragraphs, flat lists and headings from level 3 on make a deep text, and nothing else does."""
    assert is_deep(text) == deep


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("## A\n\nText with *marks* and `code`.\n\n- One\n- **Two**\n  goes on\n\n1. x\n2. y\n\n| a |\n", True),
        ("# A\n```sh\n# no heading\n> x\n```\nText\n~~~\n~~~", True),
        ("```\nnot closed", False),
        ("> quoted", False),
        ("A\n---", False),
        ("<div>", False),
        ("- a\n\n      code", False),
        ("[a]: b", False),
        ("a\rb", False),
        ("- ```\n  x\n  ```", False),
    ],
)
def test_which_texts_have_plain_blocks(text: str, plain: bool) -> None:
    """Paragraphs, flat lists, headings and closed fences are plain, and nothing else is."""
    assert (plain_blocks(text) is not None) == plain


def _words(text: str) -> list[list[str]]:
    """What is written in paragraphs and headings, without markup and white space."""
    return [token.content.replace("\\", "").split() for token in _parser().parse(text) if token.type == "inline"]


def _code(text: str) -> list[str]:
    kinds = {"fence", "code_block"}
    return [token.content.rstrip("\n") for token in _parser().parse(text) if token.type in kinds]


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("a\nb\n===\n\n    # code\n\n```\n# code\n===")
@example("a #\n===")
def test_nothing_that_is_written_is_lost(text: str) -> None:
    """Where parsers agree on a text, its paragraphs and headings keep their words, and code is the same to the byte."""
    result = neutralise(text, title=None)
    if not {note.kind for note in result.notes} & {"mended", "fenced"} and "\t" not in text:
        assert _code(result.text) == _code(text)
        assert _words(result.text) == _words(text)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TITLES)
@example("a\nb\n===\n```", None)
@example("# T\n\ntext\r# x", "T")
def test_every_line_has_its_source(text: str, title: str | None) -> None:
    """Each line of a result comes from one line of the source, in the same order."""
    result = neutralise(text, title=title)
    count = result.text.count("\n") + 1
    given = text.split("\n")
    lines = result.lines if result.lines is not None else tuple(range(len(given)))
    assert len(lines) == count
    assert list(lines) == sorted(lines)
    assert all(0 <= note.line < len(given) for note in result.notes)
    for line, source in zip(result.text.split("\n"), lines, strict=True):
        words = re.findall(r"[A-Za-z]{3,}", line)
        assert all(word.lower() in text.lower() for word in words)
        if line in given and given.count(line) == 1 and line.strip() and result.text.split("\n").count(line) == 1:
            assert given[source] == line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n## B\n### C", "### A\n#### B\n##### C"),
        ("## B\n###### F", "### B\n###### F"),
        ("### C\n#### D", "### C\n#### D"),
        ("#### D", "#### D"),
        ("# A\n##### E", "### A\n###### E"),
        ("### C\n\n# A", "##### C\n\n### A"),
        ("# A #", "### A #"),
        ("   #\tA", "   ###\tA"),
        ("> # A\n\n- ## B", "> ### A\n\n- #### B"),
        ("1. > - # A", "1. > - ### A"),
        ("A\n===\nb\n\nC\n-", "### A\nb\n\n#### C"),
        ("> - A\n>   b\n>   ===\n> c", "> - ### A b\n> c"),
        ("A #\n---", "### A \\#"),
        ("```\n# A\n```\n\n    # B\n\n## C", "```\n# A\n```\n\n    # B\n\n### C"),
        ("<!--\n# A\n-->\n\n<div>\n# B\n</div>", "<!--\n# A\n-->\n\n<div>\n# B\n</div>"),
        ("#hashtag and issue #7", "#hashtag and issue #7"),
        ("\\# no heading", "\\# no heading"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
    ],
)
def test_headings_move_together(text: str, expected: str) -> None:
    """All headings of a text move by one amount, until the shallowest is level 3 and none is deeper than 6."""
    assert neutralise(text, title=None).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Code Review\n\nText\n## Steps", "Text\n### Steps"),
        ("Code_review\n===\nText", "Text"),
        ("## **Code** `review` ##\nText", "Text"),
        ("# Code Review\n# CODE-REVIEW\nText", "Text"),
        ("# Code Review", ""),
        ("# Code Reviews\nText", "### Code Reviews\nText"),
        ("Text\n# Code Review", "Text\n### Code Review"),
        ("> # Code Review\n\nText", "> ### Code Review\n\nText"),
        ("# Code Review\n\n    # code", "### Code Review\n\n    # code"),
        ("# Code Review\n\n\u00a0# x", "### Code Review\n\n\u00a0# x"),
    ],
)
def test_a_leading_heading_that_repeats_the_title_is_left_out(text: str, expected: str) -> None:
    """A heading at the very start that reads like the title is left out, unless what follows it is indented."""
    assert neutralise(text, title="Code Review").text == expected


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("```\ncode", "```"),
        ("~~~~ py\n~~~", "~~~~"),
        ("  ````", "  ````"),
        ("- a\n\n  ```\n  code", "  ```"),
        ("10. ```", "    ```"),
        ("> ```\n> code", "> ```"),
        (">> - ~~~", "> >   ~~~"),
        ("a\n<!-- b\n\nc", "-->"),
        ("- <!--", "  -->"),
        ("<?php\n\nx", "?>"),
        ("<!DOCTYPE html", ">"),
        ("<![CDATA[ x", "]]>"),
        ("<PRE class=x\n\ny", "</pre>"),
        ("<textarea>", "</textarea>"),
    ],
)
def test_what_is_left_open_is_closed(text: str, closing: str) -> None:
    """An open fence, comment or piece of raw HTML is closed on a line of its own, where it stands."""
    result = neutralise(text, title=None)
    assert result.text == f"{text}\n{closing}"
    assert [note.kind for note in result.notes] == ["closed"]
    assert result.lines == (*range(text.count("\n") + 1), text.count("\n"))


@pytest.mark.parametrize(
    "text",
    ["```\na\n```", "- ```\n  a\n\nb", "<div>\n\na", "<!-- a -->", "a <!-- b", "<a>\nb", "<pre></pre>", "`` ` ``"],
)
def test_what_is_closed_is_left_alone(text: str) -> None:
    """What ends by itself is not closed again."""
    assert neutralise(text, title=None) == Neutralised(text, None, ())


def test_what_was_done_is_told() -> None:
    """Every change is noted with its line."""
    result = neutralise("# T\n\n# A\nb\n\n> [a]: /b\nc\n\n<!--", title="T")
    assert [(note.kind, note.line) for note in result.notes] == [
        ("title", 0),
        ("headings", 2),
        ("mended", 5),
        ("closed", 8),
    ]
    assert result.text == "### A\nb\n\n> \\[a]: /b\nc\n\n<!--\n-->"
    assert result.lines == (2, 3, 4, 5, 6, 7, 8, 8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]: /b\n2. x\n\n# c", "\\[a]: /b\n2. x\n\n### c"),
        ("[a]: /b\n<i>\n# c", "\\[a]: /b\n<i>\n### c"),
        ("[a]: /b\n---\n# c", "[a]: /b\n\n---\n### c"),
        ("> [a]: /b\n> ---\n# c", "> [a]: /b\n>\n> ---\n### c"),
        ("[a]: /b\n--\nc", "### [a]: /b\nc"),
        (">> a\n    ```\n# b", ">> a\n    \\```\n### b"),
        ("> a\n    > # b", "> a\n    \\> # b"),
        ("> a\n     1. # b", "> a\n     1\\. # b"),
        (">\n    > # b", ">\n\n    > # b"),
        ("- >\n      > # b", "- >\n\n      > # b"),
        (">> -\t# a", ">> -    ### a"),
        ("> - a\n<i>\n# b", "> - a\n\\<i>\n### b"),
        ("<i>\u00a0\n# b", "\\<i>\u00a0\n### b"),
        ("1.\n    \n    # b", "1.\n\n    # b"),
    ],
)
def test_what_parsers_read_differently_is_made_clear(text: str, expected: str) -> None:
    """Where known parsers of CommonMark disagree, the text is changed as little as makes them agree."""
    result = neutralise(text, title=None)
    assert result.text == expected
    _assert_inside(result.text)


def test_link_definitions_stay() -> None:
    """Definitions of links that all parsers read alike are left as they are."""
    text = "### A\n\n[a]: https://example.org 'T'\n[b]:\n  /c\n\n- [c]: ./d\n- e"
    assert neutralise(text, title=None) == Neutralised(text, None, ())


@pytest.mark.parametrize("deep", [">" * (MAX_DEPTH + 1), "- " * (MAX_DEPTH + 1), "> 1. " * MAX_DEPTH])
def test_text_too_deep_to_be_read_stands_in_a_fence(deep: str) -> None:
    """What stands too deep in quotes and lists becomes code, to the byte, behind a fence that it cannot close."""
    text = f"# A ````\n{deep} # b"
    result = neutralise(text, title=None)
    assert result.text == f"`````\n{text}\n`````"
    assert result.lines == (0, 0, 1, 1)
    assert [note.kind for note in result.notes] == ["fenced"]
    assert neutralise(result.text, title=None) == Neutralised(result.text, None, ())
    _assert_inside(result.text)


def test_deep_text_that_can_be_read_is_read() -> None:
    """Headings are found as deep as quotes and lists are read."""
    prefix = "> " * (MAX_DEPTH - 1)
    assert neutralise(f"{prefix}- # a", title=None).text == f"{prefix}- ### a"


SIZE = 65_536
HOSTILE = {
    "quotes": ">" * 10_000 + "# x\n",
    "lazy": "> " * MAX_DEPTH + "a\n" + "b\n" * (SIZE // 2),
    "items": "- # a\n",
    "empty items": "-\n",
    "blank below items": "- " * MAX_DEPTH + "a\n" + "\n" * (SIZE - 200) + "x",
    "headings": "#\n",
    "underlines": "a\n=\n",
    "one paragraph": "a\n",
    "definitions": "[a]: /b\n",
    "underlined definitions": "[a]: /b\n---\n",
    "label": "[" + "a" * SIZE + "\n---",
    "brackets": "[\n",
    "tags": "<a\n",
    "attributes": "<a" + " b='c'" * (SIZE // 6) + " \x0c",
    "spaces in a tag": "<a" + " " * SIZE,
    "quotes in a tag": "<a" + " b='" * (SIZE // 4),
    "fences": "```\n",
    "ticks": "`" * SIZE,
    "dashes": "- " * (SIZE // 2),
    "tabs": "\t-\t-\n",
    "deep tabs": ">>\t-\t#\n",
    "title": "# " + "[" * SIZE,
    "stars": "# " + "*a" * 900,
    "carriage returns": "\r",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_little(name: str) -> None:
    """64 KiB of anything is done within two seconds."""
    piece = HOSTILE[name]
    text = ((piece * (SIZE // len(piece) + 1))[:SIZE] + "\n# x").strip()
    started = time.process_time()
    result = neutralise(text, title="Title")
    assert time.process_time() - started < 2
    assert result.text.endswith(("### x", "```", "# x\n</pre>", "# x"))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from([*LEAVES, *ENDS, "a", "#", "\\"])).map("".join)))
@example("C #")
@example("#")
@example("a \\#")
@example("<!--")
@example("## x ##")
def test_a_title_is_one_heading(title: str) -> None:
    """Behind two signs and a space, any title is one heading of level 2 that keeps all its characters."""
    safe = safe_title(title)
    assert safe.replace("\\", "") == clean_title(title).replace("\\", "")
    assert safe_title(safe) == safe
    heading, *rest = _headings(f"## {safe}\n\n## Next")
    assert (heading.level, heading.depth, heading.start, heading.end) == (2, 0, 0, 1)
    assert heading.content == safe.replace("\0", "\ufffd")
    assert [(other.level, other.content) for other in rest] == [(2, "Next")]


@given(st.text(alphabet="ab #.C"))
def test_a_plain_title_reads_as_given(title: str) -> None:
    """Signs at the end of a title are part of what a reader sees."""
    html = MarkdownIt("commonmark").render(f"## {safe_title(title)}")
    assert html == f"<h2>{clean_title(title)}</h2>\n"
