"""The text of a section as spans: every line keeps its origin through every edit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from foreword._diagnostics import Place
from foreword._prepared import PreparedEdit, Span
from foreword._provider import Provider
from foreword._text import BLANK, exchange, join, surround, whole


def edit(text: str, name: str = "a") -> PreparedEdit:
    """An edit with this text, from a file of this name."""
    return PreparedEdit("x", "project", "plain", Provider("d", "1", "e"), Place(f"{name}.md", 1), text=text)


def origins(spans: tuple[Span, ...]) -> list[str]:
    """Each line of the spans, with the file it came from and its line there."""
    lines: list[str] = []
    for span in spans:
        for offset, text in enumerate(span.text.split("\n"), span.offset):
            lines.append(f"{text} <- {span.edit.line(offset)}" if span.edit is not None else text)
    return lines


def test_whole_text_is_one_span() -> None:
    """A text by itself is one span of its edit."""
    one = edit("a\nb")
    assert whole(one) == (Span("a\nb", one, 0),)
    assert join(whole(one)) == "a\nb"


def test_surrounding_puts_blank_lines_between() -> None:
    """Texts put before and after stand in their order, one blank line between the parts."""
    below = whole(edit("1\n2"))
    spans = surround(below, [edit("p", "p"), edit("q", "q")], [edit("s", "s")])
    assert join(spans) == "p\n\nq\n\n1\n2\n\ns"
    assert origins(spans) == ["p <- p.md:1", "", "q <- q.md:1", "", "1 <- a.md:1", "2 <- a.md:2", "", "s <- s.md:1"]
    assert surround(below, [], []) == below


def test_exchange_of_lines_in_the_middle() -> None:
    """The lines of a body are exchanged, and those around it keep their numbers."""
    spans = exchange(whole(edit("# A\n\nold\nold\n\n# B\n\nb")), [(1, 5, edit("new", "n"))])
    assert origins(spans) == [
        "# A <- a.md:1",
        " <- a.md:2",
        "new <- n.md:1",
        " <- a.md:5",
        "# B <- a.md:6",
        " <- a.md:7",
        "b <- a.md:8",
    ]


def test_exchange_of_several_bodies() -> None:
    """Several bodies are exchanged at once, whatever the order in which they are given."""
    below = whole(edit("# A\na\n# B\nb\n# C\nc"))
    bodies = [(1, 2, edit("1\n2", "x")), (3, 4, edit("3", "y")), (5, 6, edit("4", "z"))]
    spans = exchange(below, bodies)
    assert exchange(below, bodies[::-1]) == spans
    assert join(spans) == "# A\n1\n2\n\n# B\n3\n\n# C\n4"


def test_exchange_of_nothing() -> None:
    """Where nothing stands under a heading, the text is set off by one blank line on each side."""
    assert join(exchange(whole(edit("# A\n# B")), [(1, 1, edit("new"))])) == "# A\n\nnew\n\n# B"
    assert join(exchange(whole(edit("# A\n\n\n\n# B")), [(1, 4, edit("new"))])) == "# A\n\nnew\n\n# B"
    assert join(exchange(whole(edit("# A")), [(1, 1, edit("new"))])) == "# A\n\nnew"
    assert join(exchange(whole(edit("# A\n\n")), [(1, 3, edit("new"))])) == "# A\n\nnew"


def test_exchange_inside_exchanged_lines() -> None:
    """A body may lie in lines that an earlier exchange gave; their numbers are those of their own file."""
    spans = exchange(whole(edit("# A\n\nold")), [(1, 3, edit("one\n\n## B\n\ntwo\nthree", "n"))])
    spans = exchange(spans, [(5, 8, edit("deep", "d"))])
    assert origins(spans) == [
        "# A <- a.md:1",
        " <- a.md:2",
        "one <- n.md:1",
        " <- n.md:2",
        "## B <- n.md:3",
        " <- n.md:4",
        "deep <- d.md:1",
    ]


def test_lines_in_step_are_one_span() -> None:
    """Lines that follow one another in their file are kept as one span, others are not."""
    first = edit("1\n2\n3\n4")
    spans = exchange(whole(first), [(1, 2, edit("x", "n"))])
    assert [(span.text, span.offset) for span in spans] == [("1", 0), ("x", 0), ("", 0), ("3\n4", 2)]
    assert spans[2] == BLANK


@given(
    st.lists(st.lists(st.sampled_from(["", "text", "  ", "x y"]), min_size=1, max_size=6), min_size=1, max_size=4),
    st.data(),
)
@settings(derandomize=True, max_examples=300, deadline=None)
def test_every_line_can_be_read_at_its_origin(parts: list[list[str]], data: st.DataObject) -> None:
    """However texts are put together and exchanged, each line is what its own edit has at that place."""
    edits = [edit("\n".join(lines), str(number)) for number, lines in enumerate(parts)]
    spans = whole(edits[0])
    for one in edits[1:]:
        how = data.draw(st.sampled_from(["before", "after", "exchange"]))
        if how == "before":
            spans = surround(spans, [one], [])
        elif how == "after":
            spans = surround(spans, [], [one])
        else:
            count = join(spans).count("\n") + 1
            start = data.draw(st.integers(1, count))
            spans = exchange(spans, [(start, data.draw(st.integers(start, count)), one)])
    for span in spans:
        if span.edit is None:
            assert not span.text.strip()
            continue
        source = span.edit.text.split("\n")
        lines = span.text.split("\n")
        assert lines == source[span.offset : span.offset + len(lines)]


@given(st.lists(st.sampled_from(["", "a", "b"]), min_size=2, max_size=8), st.data())
@settings(derandomize=True, max_examples=300, deadline=None)
def test_exchange_keeps_what_is_outside(lines: list[str], data: st.DataObject) -> None:
    """An exchange keeps every line before and after its body, blank lines at the border aside."""
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    result = join(
        exchange(
            whole(edit("\n".join(lines))),
            [
                (start, end, edit("NEW")),
            ],
        )
    )
    before, new, after = result.partition("NEW")
    assert new
    assert before.startswith("\n".join(lines[:start]))
    assert not before[len("\n".join(lines[:start])) :].strip("\n")
    assert after.endswith("\n".join(lines[end:]))
    assert not after.removesuffix("\n".join(lines[end:])).strip("\n")
