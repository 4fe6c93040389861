"""Markdown structure: headings, the text under them, and the heading a text starts with."""

from __future__ import annotations

import subprocess
import sys
import time
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from foreword.markdown._headings import ATX, Heading, Target, headings, leading_heading, targets

# Lines from which most of CommonMark's block structure, and much that nearly is, can be put together.
LINE = st.sampled_from(
    [
        "",
        " ",
        "\t",
        "text",
        "some *more* `text`",
        "# One",
        "#",
        "# #",
        "## Two ##",
        "## Two#",
        "  ### Three  ",
        "    # code",
        "\t# code",
        "#\ttab",
        "#no",
        "####### seven",
        "# a\\# \\*b\\*",
        "# **b** _i_ &amp; ![alt *x*](u) [link](u)",
        "# [ref]",
        "[ref]: /url 'x'",
        "# a > b ] !",
        "# a\\",
        "===",
        "---",
        "  --- ",
        "    ---",
        "- - -",
        "-",
        "=",
        "--- x",
        "***",
        "```",
        "~~~",
        "````python",
        "> quote",
        "> # quoted",
        ">",
        "- item",
        "- # in a list",
        "  # two in",
        "1. one",
        "2) two",
        "<div>",
        "</div>",
        "<!--",
        "-->",
        "| a | b |",
        "| - | - |",
        "\u00a0# no break space",
        "#\u00a0no break space",
        "\u2028",
        "# a\u2029",
        "\x0c",
        "# \x00",
        "a\rb",
    ]
)
TEXT = st.lists(LINE, max_size=8).map("\n".join) | st.text("# \t\n=-`*_>a1.\\[]()&;", max_size=40)


class Outline(HTMLParser):
    """The headings of a rendered document that stand in no quote and no list."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._inside = 0
        self._level = 0
        self._text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element."""
        if tag in ("blockquote", "ul", "ol"):
            self._inside += 1
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self._level, self._text = int(tag[1]), ""
        elif tag == "img":
            self._text += dict(attrs)["alt"] or ""

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag in ("blockquote", "ul", "ol"):
            self._inside -= 1
        elif tag == f"h{self._level}" and not self._inside:
            self.found.append((self._level, " ".join(self._text.split())))

    def handle_data(self, data: str) -> None:
        """Take the text along."""
        self._text += data


def test_headings_of_both_kinds_are_found() -> None:
    """A heading has its level, its rendered text and its lines, in both notations."""
    text = "# One\ntext\n\nTwo\nlines\n===\n  ## Use **bold** `x` ##\n#\n"
    assert headings(text) == [
        Heading(1, "One", 0, 1),
        Heading(1, "Two lines", 3, 6),
        Heading(2, "Use bold x", 6, 7),
        Heading(1, "", 7, 8),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# One\n```",
        "~~~\n# One",
        "    # One",
        "> # One",
        "- # One",
        "1. a\n\n   # One",
        "<!--\n# One\n-->",
        "text # One",
        "#One",
        "\\# One",
        "####### One",
        "---\n\n---",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    """Code, quotes, lists, comments and plain text hold no heading of the document."""
    assert headings(text) == []


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Use **bold** `x`", "Use bold x"),
        ("a &amp; b", "a & b"),
        ("a \\* b", "a * b"),
        ("![alt *text*](u) [link](v)", "alt text link"),
        ("see [ref]", "see ref"),
        ("<b>x</b>", "x"),
        ("`` a ` b ``", "a ` b"),
        ("snake_case_name", "snake_case_name"),
        ("<https://example.org>", "https://example.org"),
    ],
)
def test_a_heading_reads_as_it_is_rendered(source: str, text: str) -> None:
    """The text of a heading is without its markup, wherever its references are defined."""
    document = f"# {source}\n\n[ref]: /url\n"
    assert headings(document)[0].text == text
    assert leading_heading(document) == text


def test_lines_are_counted_as_foreword_counts_them() -> None:
    """A stray carriage return makes no line of its own."""
    assert headings("a\rb\r\n\r\n# One\r\n\n## T\rwo") == [Heading(1, "One", 2, 3), Heading(2, "T wo", 4, 5)]


def test_targets_run_to_the_next_heading_of_the_same_or_a_higher_level() -> None:
    """What stands under a heading runs on through its sub-headings and ends at an equal or higher one."""
    text = "# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n"
    spans = {heading.text: targets(text, heading.text) for heading in headings(text)}
    assert {name: [(hit.start, hit.end) for hit in hits] for name, hits in spans.items()} == {
        "A": [(1, 8)],
        "B": [(3, 6)],
        "C": [(5, 6)],
        "D": [(7, 8)],
        "E": [(9, 11)],
    }


def test_targets_are_found_as_rendered_or_as_written() -> None:
    """A heading may be named as it reads, or as it is written; hashes are part of neither."""
    text = "## Use **bold** `x`\ntext"
    hit = [Target(1, 2, Heading(2, "Use bold x", 0, 1))]
    assert targets(text, " Use bold x ") == hit
    assert targets(text, "Use **bold** `x`") == hit
    assert targets(text, "Use *bold* x") == hit
    assert targets(text, "## Use bold x") == []
    assert targets(text, "use bold x") == []


def test_a_heading_as_rendered_goes_first() -> None:
    """When one heading reads as asked, another that is only written like that is not meant."""
    text = "# *a*\n# \\*a\\*\n"
    assert [hit.heading.start for hit in targets(text, "*a*")] == [1]


def test_every_heading_of_one_text_is_a_target() -> None:
    """Headings that read the same are all returned, and those in code are not."""
    text = "# A\n```\n# A\n```\n## A\n> # A\n"
    assert [hit.heading.start for hit in targets(text, "A")] == [0, 4]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("", None),
        ("text\n\n# One", None),
        ("# One", "One"),
        ("\n\n   # One ##  \ntext", "One"),
        ("#", ""),
        ("# #", ""),
        ("#One", None),
        ("One\n===\ntext", "One"),
        ("One\nmore\n  --  \ntext", "One more"),
        ("One\\\nmore  \nlines\n---", "One more lines"),
        ("One\n\n---", None),
        ("One\n    ---\n", None),
        ("- One\n---", None),
        ("> One\n---", None),
        ("```\na\n---\n```", None),
        ("[a]: /b\nOne\n---", None),
        ("# [a]\n\n[a]: /b", "a"),
        ("# a\\#", "a#"),
    ],
)
def test_the_heading_a_text_starts_with(text: str, heading: str | None) -> None:
    """A text starts with a heading when its first line belongs to one."""
    assert leading_heading(text) == heading


@given(TEXT)
@example("a\n-")
@example("# \x00")
def test_the_first_line_tells_what_the_parser_tells(text: str) -> None:
    """Looking at the first line finds exactly the leading heading that reading the whole text finds."""
    found = [heading.text for heading in headings(text.strip()) if heading.start == 0]
    assert leading_heading(text) == (found[0] if found else None)


@given(TEXT, st.sampled_from(ATX))
def test_a_text_that_begins_like_a_heading_begins_with_one(text: str, mark: str) -> None:
    """Whatever stands behind the number signs and the space, the first line is a heading."""
    assert leading_heading(mark + text) is not None


@given(TEXT.filter(lambda text: "<" not in text and "\r" not in text))
def test_headings_are_those_of_the_rendered_document(text: str) -> None:
    """The headings are those that a reader of the rendered document sees, in its order."""
    rendered = Outline(MarkdownIt("commonmark").render(text)).found
    assert [(level, " ".join(words.split())) for level, words, _, _ in headings(text)] == rendered


@given(TEXT)
def test_targets_and_headings_fit_the_lines(text: str) -> None:
    """Headings come in order, do not overlap, and what stands under one begins where it ends."""
    found = headings(text)
    last = text.count("\n") + 1
    line = 0
    for heading in found:
        assert line <= heading.start < heading.end <= last
        line = heading.end
        hits = targets(text, heading.text)
        assert heading in [hit.heading for hit in hits]
        for hit in hits:
            assert hit.heading.end == hit.start <= hit.end <= last
            inside = [other for other in found if hit.start <= other.start < hit.end]
            assert all(other.level > hit.heading.level for other in inside)


@pytest.mark.parametrize(
    "text", ["# Style\nBe brief.", "Be brief.\nAlways.\n\n---\n", "- a\n- b", "## **", ""]
)
def test_the_parser_is_not_loaded_for_common_texts(text: str) -> None:
    """A text whose first lines tell is not parsed, and only others load the parser."""
    code = (
        "import sys; from foreword.markdown._headings import leading_heading; leading_heading(sys.argv[1]);"
        "print('markdown_it' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str("*" in text)


@pytest.mark.parametrize(
    "text", ["# " + "[" * 50_000, "a\n" * 25_000 + "---", "> " * 25_000, "#\n" * 25_000, "# " + "*a" * 25_000]
)
def test_texts_made_to_be_slow_are_read(text: str) -> None:
    """A text made to be slow takes a moment, as it would not if the time grew with the square."""
    start = time.perf_counter()
    leading_heading(text)
    targets(text, "a")
    assert time.perf_counter() - start < 15
