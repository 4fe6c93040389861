"""Front matter: what a file's block says, and that no text is lost or leaked around it."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from foreword._diagnostics import Place
from foreword.markdown import _yaml
from foreword.markdown._front_matter import EMPTY, KEYS, Document, FrontMatter, When, parse

BOM = "\ufeff"


def codes(document: Document) -> list[str]:
    """Return the codes of everything that the parser had to say."""
    return [diagnostic.code for diagnostic in document.diagnostics]


def said(document: Document) -> str:
    """Return the one thing that the parser had to say."""
    (diagnostic,) = document.diagnostics
    assert diagnostic.remedy
    return str(diagnostic)


def block(lines: str, body: str = "text") -> Document:
    """Return the document of a file with this front matter."""
    return parse(f"---\n{lines}\n---\n{body}", "a.md")


@pytest.fixture(params=["libyaml", "pure"])
def _either_loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "pure":
        monkeypatch.setattr(_yaml, "_LOADER", _yaml.text_loader(yaml.SafeLoader))


both_loaders = pytest.mark.usefixtures("_either_loader")


@pytest.mark.parametrize(
    ("source", "text", "line"),
    [
        ("text", "text", 1),
        ("", "", 1),
        (" \n\t\n\u3000 text\n\n", "text", 3),
        (f"{BOM}text", "text", 1),
        ("a\r\nb\rc\n", "a\nb\nc", 1),
        ("a\n---\nb: c\n---\n", "a\n---\nb: c\n---", 1),
        ("a\x0c\u2028b", "a\x0c\u2028b", 1),
    ],
)
def test_text_without_front_matter(source: str, text: str, line: int) -> None:
    """A file without a block is its trimmed text, with nothing to say."""
    assert parse(source, "a.md") == Document(text, line)
    assert parse(source, "a.md").front_matter is EMPTY


@both_loaders
def test_front_matter_and_text() -> None:
    """The block says what the section is called and where it stands, and the rest is its text."""
    document = block("id: Acme.Style\ntitle: Style\npriority: 300\nmode: patch\nheading: Tone", "\n\n one\ntwo \n")
    assert document.text == "one\ntwo"
    assert document.line == 10
    found = document.front_matter
    assert (found.id, found.title, found.priority) == ("acme.style", "Style", 300)
    assert (found.mode, found.heading, found.template, found.when) == ("patch", "Tone", None, None)
    assert found.given == {"id", "title", "priority", "mode", "heading"}
    assert not document.diagnostics
    assert not document.failed
    assert not document.only_front_matter


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", BOM])
@pytest.mark.parametrize("end", ["", "\n"])
def test_newlines_and_byte_order_mark_do_not_matter(newline: str, bom: str, end: str) -> None:
    """A file means the same with any newline and with or without a byte order mark."""
    lines = ["---", "title: x", "---", "", "one", "two"]
    assert parse(bom + newline.join(lines) + end, "a.md") == parse("\n".join(lines), "a.md")
    only = parse(bom + newline.join(lines[:3]) + end, "a.md")
    assert only.front_matter.title == "x"
    assert only.only_front_matter


@given(st.text(st.sampled_from("-\n\r #:abtitle{}'\"\ufeff\x0c\u2028"), max_size=60))
def test_parsing_always_gives_trimmed_text_in_the_file(source: str) -> None:
    """Whatever a file holds, its text is trimmed and stands in the file where the line says."""
    document = parse(source, "a.md")
    lines = source.lstrip(BOM).replace("\r\n", "\n").replace("\r", "\n")
    assert document.text == document.text.strip()
    assert document.text in lines
    if document.text:
        rest = "\n".join(lines.split("\n")[document.line - 1 :])
        assert rest.strip().endswith(document.text)
        assert document.text.split("\n")[0] in rest.split("\n")[0]
    assert parse(lines, "a.md") == document
    assert all(diagnostic.place is not None for diagnostic in document.diagnostics)


@given(st.text(max_size=40), st.text(max_size=40))
def test_nothing_is_lost(lines: str, body: str) -> None:
    """A file in which no key is known is text from its first character to its last."""
    lines = f"x{lines.replace(':', ';').replace('---', '')}"
    source = f"---\n{lines}\n.\n---\n{body}"
    normalised = source.replace("\r\n", "\n").replace("\r", "\n")
    document = parse(source, "a.md")
    assert document.text == normalised.strip()
    assert document.front_matter is EMPTY
    assert not document.failed


@pytest.mark.parametrize("fence", ["---", "--- ", "---\t", "--- \t "])
def test_fences_may_have_trailing_blanks(fence: str) -> None:
    """Spaces and tabs after the three hyphens do not count."""
    assert parse(f"{fence}\ntitle: x\n{fence}\nbody", "a.md") == Document("body", 4, FrontMatter(title="x"))


@pytest.mark.parametrize("fence", ["----", "---x", "--- x", "--", "...", "---\x0c", "---\u00a0", "- - -", "***"])
def test_other_lines_are_no_fences(fence: str) -> None:
    """Only three hyphens make a fence, at the beginning and at the end."""
    source = f"{fence}\ntitle: x\n{fence}\nbody"
    assert parse(source, "a.md") == Document(source)
    unclosed = f"---\ntitle: x\n{fence}\nbody"
    assert parse(unclosed, "a.md").text == unclosed


def test_hyphens_inside_a_value_close_nothing() -> None:
    """Hyphens inside a line, or more than three of them, do not end the block."""
    document = block("description: a --- b\ntitle: |\n  ----\n  --- x", "---- \nbody")
    assert document.front_matter.description == "a --- b"
    assert document.front_matter.title == "---- --- x"
    assert document.text == "---- \nbody"


def test_unclosed_block_is_text() -> None:
    """A block that is never closed is text, with a warning."""
    document = parse("---\ntitle: x\n\nbody\n", "a.md")
    assert document.text == "---\ntitle: x\n\nbody"
    assert not document.failed
    assert said(document).startswith("FW013 warning a.md:1: the block that '---' opens is never closed")


@pytest.mark.parametrize("lines", ["- a\n- b", "just words", "~", "'quoted'"])
def test_block_that_is_no_mapping_is_text(lines: str) -> None:
    """A block that holds something other than keys is text, with a warning."""
    document = block(lines)
    assert document.text == f"---\n{lines}\n---\ntext"
    assert document.line == 1
    assert said(document).startswith("FW013 warning a.md:1: the block at the start is no mapping")


@pytest.mark.parametrize("lines", ["author: me", "{}", "1: 2"])
def test_block_without_a_known_key_is_text(lines: str) -> None:
    """A block in which no key is known is text, with a warning."""
    document = block(lines)
    assert document.text == f"---\n{lines}\n---\ntext"
    assert said(document).startswith("FW013 warning a.md:1: the block at the start has no known key")


def test_block_without_a_known_key_names_the_nearest() -> None:
    """When no key is known, the warning names the known key that is nearest."""
    assert "perhaps 'title' is meant" in said(block("Title: x"))


@pytest.mark.parametrize("lines", ["**Important**: read this", "`code` and more", "Note: this: that", "@all: x"])
def test_prose_between_two_rules_is_text(lines: str) -> None:
    """Prose between two rules that YAML cannot read is text, with a warning, and nothing fails."""
    document = block(lines)
    assert document.text == f"---\n{lines}\n---\ntext"
    assert not document.failed
    assert said(document).startswith("FW013 warning a.md:1: the block at the start is not YAML")


@pytest.mark.parametrize("lines", ["", "\n", "# a comment", "  # a comment\n\n#\t\n"])
def test_empty_block_is_empty_front_matter(lines: str) -> None:
    """A block without content says nothing, and nothing of it reaches the text."""
    assert block(lines) == Document("text", 4 + lines.count("\n"))
    assert parse("---\n---\ntext", "a.md") == Document("text", 3)
    assert parse("---\n---", "a.md") == Document("", only_front_matter=True)


@pytest.mark.parametrize("before", ["\n", "\n\n", " \n", " ", "\x0c"])
def test_misplaced_block_is_text(before: str) -> None:
    """A block that does not begin the file is text, with a warning where it stands."""
    document = parse(f"{before}---\ntitle: x\n---\nbody", "a.md")
    assert document.text == "---\ntitle: x\n---\nbody"
    assert document.line == 1 + before.count("\n")
    assert said(document).startswith(f"FW013 warning a.md:{document.line}: front matter counts only at the very start")


@pytest.mark.parametrize("source", ["\n---\nintro\n---\nbody", "\n---\ntitle: x\n", "\n----\ntitle: x\n---"])
def test_rule_after_an_empty_line_is_no_misplaced_block(source: str) -> None:
    """An empty line before a rule makes it text without a word."""
    assert parse(source, "a.md") == Document(source.strip(), 2)


@pytest.mark.parametrize("between", ["", "\n", " \n\n"])
def test_second_block_is_text(between: str) -> None:
    """A second block directly after the first is text, with a warning."""
    document = block("title: a", f"{between}---\ntitle: b\n---\nbody")
    assert document.front_matter.title == "a"
    assert document.text == "---\ntitle: b\n---\nbody"
    line = 4 + between.count("\n")
    assert document.line == line
    assert said(document).startswith(f"FW013 warning a.md:{line}: only the first block is front matter")


@pytest.mark.parametrize("body", ["---\nintro\n---\nbody", "---\ntitle: b", "---- \ntitle: b\n---"])
def test_rule_after_the_front_matter_is_text(body: str) -> None:
    """Rules after the front matter are text without a word."""
    document = block("title: a", body)
    assert document.text == body
    assert not document.diagnostics


@pytest.mark.parametrize("body", ["", "\n", " \n\t\u3000\n"])
def test_only_front_matter(body: str) -> None:
    """A file that is only front matter has no text, and none of the block becomes one."""
    document = block("description: s", body)
    assert document.text == ""
    assert document.only_front_matter
    assert document.front_matter.description == "s"


@both_loaders
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3000", "3000"),
        ("yes", "yes"),
        ("2026-01-01", "2026-01-01"),
        ("1e3", "1e3"),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("=", "="),
        ("<<", "<<"),
        ("nullable", "nullable"),
        ('"null"', "null"),
        ("!!int 3", "3"),
        ("use # tag", "use"),
        ("règle 写作", "règle 写作"),
    ],
)
def test_scalars_are_the_text_that_was_written(value: str, text: str) -> None:
    """Numbers, dates and words are the text that the author wrote."""
    found = block(f"title: {value}\ndescription: {value}\nname: {value}").front_matter
    assert (found.title, found.description, found.name) == (text, text, text)


@pytest.mark.parametrize("value", ["", "~", "null", "# nothing"])
def test_key_without_a_value_is_not_given(value: str) -> None:
    """A key that its author left open counts as absent."""
    document = block(f"title: {value}\npriority: {value}\nmode: {value}")
    assert document == Document("text", 6)


def test_title_may_be_explicitly_empty() -> None:
    """An empty title that is written out is an empty title, not an absent one."""
    assert block('title: ""').front_matter.title == ""
    assert block("title: ' '").front_matter.title == ""
    assert "title" in block('title: ""').front_matter.given
    assert block("priority: 1").front_matter.title is None


def test_title_is_one_line() -> None:
    """A title over several lines becomes one line."""
    assert block("title: |\n  a\n  b").front_matter.title == "a b"


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "yes", "YES", "on", "1", '"true"'])
def test_words_that_mean_true(word: str) -> None:
    """Every usual word for true protects a file."""
    assert block(f"read_only: {word}").front_matter.read_only is True


@pytest.mark.parametrize("word", ["false", "No", "off", "0"])
def test_words_that_mean_false(word: str) -> None:
    """Every usual word for false leaves a file open."""
    assert block(f"read_only: {word}").front_matter.read_only is False


@both_loaders
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("priority: high", "FW014 error a.md:3: the value of 'priority' is not a whole number"),
        ("priority: 3.5", "the value of 'priority' is not a whole number"),
        ("priority: true", "the value of 'priority' is not a whole number"),
        ("priority: ''", "the value of 'priority' is not a whole number"),
        ("priority: 1_000", "the value of 'priority' is not a whole number"),
        ("priority: ٣", "the value of 'priority' is not a whole number"),
        ("priority: 99999999999999999999", "the value of 'priority' is not a whole number"),
        ("priority: 10000", "the value of 'priority' is not a whole number from -9999 to 9999"),
        ("priority: [1]", "the value of 'priority' is not a whole number"),
        (
            "mode: Remove",
            "the value of 'mode' is not one of define, replace, remove, patch, prepend, append, move",
        ),
        ("template: mustache", "the value of 'template' is not one of names, jinja"),
        ("title: [a]", "the value of 'title' is not text"),
        ("title: {{ agent_name }}", "a key is not text"),
        ("heading: {a: b}", "the value of 'heading' is not text"),
        ("description: [a]", "the value of 'description' is not text"),
        ("name: {a: b}", "the value of 'name' is not text"),
        ("id: [a]", "the value of 'id' is not an id"),
        ("id: ''", "the value of 'id' is not an id"),
        ("id: a//b", "the value of 'id' is not an id"),
        ("read_only: ture", "the value of 'read_only' is not true or false"),
        ("read_only: [true]", "the value of 'read_only' is not true or false"),
        ("when: operator", "FW014 error a.md:3: the value of 'when' is not a condition"),
        ("when: [operator]", "the value of 'when' is not a condition"),
        (
            "when:\n  agent: operator",
            "FW014 error a.md:4: 'when' has no key 'agent' (perhaps 'agents' is meant)",
        ),
        ("when: {xyz: 1}", "'when' has no key 'xyz' (use agents or variables)"),
        ("when:\n  agents: {a: b}", "FW014 error a.md:4: the value of 'when.agents' is not a list of agents"),
        ("when: {agents: [a, null]}", "the value of 'when.agents' is not a list of agents"),
        ("when: {agents: 'a, b'}", "the value of 'when.agents' is not a list of agents"),
        ("when: {variables: [a]}", "the value of 'when.variables' is not a mapping of variables to texts"),
        (
            "when:\n  variables:\n    a: b\n    channel: {c: d}",
            "FW014 error a.md:6: the value of 'when.variables' is not a mapping",
        ),
        ("when: {variables: {channel: }}", "the value of 'when.variables' is not a mapping"),
    ],
)
def test_known_key_of_the_wrong_kind_fails_the_edit(lines: str, message: str) -> None:
    """A known key whose value is of the wrong kind fails the edit, and file, line and key are named."""
    document = block(f"tags: t\n{lines}")
    assert document.failed
    assert document.text == "text"
    assert codes(document) == ["FW014"]
    assert message in said(document)


def test_what_can_be_read_of_a_failed_edit_stays() -> None:
    """A failed edit still says which section it is about and whom it is for."""
    document = block("id: safety\npriority: high\nmode: replcae\nwhen: {agents: [a]}\ntitle: x")
    assert document.failed
    assert document.front_matter == FrontMatter.model_validate(
        {"id": "safety", "title": "x", "when": {"agents": ["a"]}}
    )
    assert [diagnostic.place for diagnostic in document.diagnostics] == [Place("a.md", 3), Place("a.md", 4)]


@both_loaders
@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("id: safety\ntitle: [x", 4),
        ("id: safety\ntitle: a: b", 3),
        ("id: safety\ntitle: !!python/object/apply:os.system [id]", 3),
        ("id: safety\ntitle: !custom x", 3),
        ("id: safety\ntitle: &a x\nname: *a", 3),
        ("id: safety\ntitle: *a", 3),
        ("id: safety\ntitle: x\x01y", 2),
        ("id: safety\n? [a]\n: b", 3),
        ("id: safety\nwhen: {[a]: b}", 3),
        ("id: safety\n\tname: x", 3),
        ("id: safety\n...\nname: x", 4),
    ],
)
def test_broken_yaml_fails_the_edit_it_was_meant_for(lines: str, line: int) -> None:
    """Broken YAML fails the edit, keeps block and text apart, and still says which section was meant."""
    document = block(lines)
    assert document.failed
    assert document.text == "text"
    assert document.front_matter == FrontMatter(id="safety")
    assert codes(document) == ["FW014"]
    assert said(document).startswith("FW014 error a.md:")
    assert "the front matter is broken YAML: " in said(document)
    place = document.diagnostics[0].place
    assert place is not None
    assert place.line is not None
    assert abs(place.line - line) <= 1


@pytest.mark.parametrize("lines", ["title: [x", "id: [x\ntitle: x", "id: a//b\ntitle: [x", "id: \ntitle: [x"])
def test_broken_yaml_without_an_id(lines: str) -> None:
    """Broken YAML that names no section says nothing more than that it failed."""
    document = block(lines)
    assert document.failed
    assert document.front_matter == EMPTY


def test_line_numbers_are_those_of_the_file() -> None:
    """Characters that YAML takes for line breaks do not shift the lines that are named."""
    document = block("title: 'a\u2028b'\ndescription: \"\u0085é写\U0001f600\"\npriority: x")
    assert document.diagnostics[0].place == Place("a.md", 4)


@both_loaders
@pytest.mark.parametrize(
    "value",
    [
        "Triggers include: X",
        "Use when: it's asked # really",
        "[beta] reads files",
        "*bold* words",
        "`code`: x",
        '"quoted" words: y',
        "@all",
        "!important",
        "{{ x }} {y: z}: w",
    ],
)
def test_description_is_read_as_plain_text_when_yaml_cannot(value: str) -> None:
    """A description that breaks the YAML is taken literally, with a warning."""
    document = block(f"title: t\ndescription:  {value} \nname: n")
    found = document.front_matter
    assert (found.title, found.description, found.name) == ("t", value, "n")
    assert not document.failed
    assert said(document).startswith("FW015 warning a.md:3: the value of 'description' is broken YAML")


@pytest.mark.parametrize(
    "lines", ["description: a: b\ntitle: [x", "description: |\n  a\ntitle: [x", "description:\ntitle: [x"]
)
def test_quoting_the_description_does_not_mend_everything(lines: str) -> None:
    """When something else is broken too, the edit fails with one error."""
    document = block(lines)
    assert document.failed
    assert codes(document) == ["FW014"]


def test_sound_description_is_not_touched() -> None:
    """YAML that can be read is never read a second way."""
    assert block("description: 'it''s: fine' # comment").front_matter.description == "it's: fine"
    assert block("description: >\n  a\n  b").front_matter.description == "a b\n"


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        ("titel", "perhaps 'title' is meant"),
        ("read-only", "perhaps 'read_only' is meant"),
        ("xyzzy", "remove it"),
    ],
)
def test_unknown_key_is_named_with_the_nearest(key: str, remedy: str) -> None:
    """An unknown key is a warning with its line and the nearest known key, and harms nothing."""
    document = block(f"title: t\n{key}: x")
    assert document.front_matter == FrontMatter(title="t")
    assert not document.failed
    assert said(document) == f"FW011 warning a.md:3: front matter has no key '{key}' ({remedy})"


def test_key_given_twice() -> None:
    """Of a key that is given twice the last one counts, with a warning, also inside a condition."""
    document = block("title: a\ntitle: b")
    assert document.front_matter.title == "b"
    assert said(document).startswith("FW011 warning a.md:3: the key 'title' is given more than once")
    document = block("when:\n  agents: a\n  agents: b")
    assert document.front_matter.when == When(agents=("b",))
    assert said(document).startswith("FW011 warning a.md:4: the key 'when.agents'")


def test_many_mistakes_are_told_briefly() -> None:
    """A hostile block cannot make foreword talk, or work, without end."""
    started = time.perf_counter()
    many = "\n".join(f"{'k' * 500}{number}: x" for number in range(40))
    document = block(f"title: t\n{many}")
    assert len(document.diagnostics) == 11
    assert "30 more keys" in str(document.diagnostics[-1])
    assert all(len(str(diagnostic)) < 200 for diagnostic in document.diagnostics)
    inner = ", ".join(f"k{number}: {{a: b}}" for number in range(5000))
    assert len(block(f"when: {{{inner}}}").diagnostics) == 10
    assert len(block("title: a\n" * 5000).diagnostics) <= 10
    assert block("description: " + "[" * 200_000).front_matter.description == "[" * 200_000
    assert block("title: " + "[" * 200_000).failed
    assert block("description: x" + " " * 200_000 + ": y").failed is False
    assert block("title: x\ntags: &a [x]\nmetadata: [*a, *a]").failed
    assert time.perf_counter() - started < 20


def test_pure_loader_survives_deep_nesting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nesting deeper than can be followed is broken YAML, never a crash."""
    monkeypatch.setattr(_yaml, "_LOADER", _yaml.text_loader(yaml.SafeLoader))
    assert block("title: " + "[" * 1000 + "]" * 1000).failed


@both_loaders
def test_keys_of_memories_and_skills_are_known() -> None:
    """The keys of both memory layouts and of skills are read without a word."""
    document = block(
        "name: pdf\ndescription: d\nlicense: MIT\ncompatibility: [a, b]\nallowed-tools: [Read, Bash]\n"
        "when_to_use: w\ntags: [x, y]\nlimit: 5000\nmetadata:\n  version: 1.0\ntools: a b\nread_only: 'true'"
    )
    found = document.front_matter
    assert not document.diagnostics
    assert (found.name, found.license, found.compatibility, found.when_to_use) == ("pdf", "MIT", "a, b", "w")
    assert (found.allowed_tools, found.tools, found.tags, found.limit) == (
        "Read Bash",
        "a b",
        ("x", "y"),
        5000,
    )
    assert found.metadata == {"version": "1.0"}
    assert "allowed-tools" in KEYS
    assert "allowed_tools" in found.given


@pytest.mark.parametrize("value", ["[[a], {b: c}]", "{a: {b: [c]}}", "x", "''", "[]", "1.5"])
def test_strange_values_of_foreign_keys_fail_nothing(value: str) -> None:
    """Keys that are not foreword's own never make a file fail, whatever they hold."""
    keys = ("license", "compatibility", "allowed-tools", "when_to_use", "tags", "limit", "metadata", "tools")
    document = block("\n".join(f"{key}: {value}" for key in keys))
    assert not document.failed
    assert not document.diagnostics
    assert document.front_matter.limit is None


@both_loaders
@pytest.mark.parametrize(
    "lines",
    [
        "when: {agents: operator, variables: {channel: slack, level: [1, 2]}}",
        "when:\n  agents:\n  - operator\n  variables:\n    channel: slack\n    level:\n    - 1\n    - 2",
    ],
)
def test_condition(lines: str) -> None:
    """A condition is read from either style, and one agent counts as a list of one."""
    when = block(lines).front_matter.when
    assert when == When(agents=("operator",), variables={"channel": "slack", "level": ("1", "2")})
    assert when is not None
    assert when.holds("operator", {"channel": "slack", "level": 2})


@pytest.mark.parametrize(
    ("when", "agent", "variables", "holds"),
    [
        ({}, None, {}, True),
        ({"agents": ["a", "b"]}, "b", {}, True),
        ({"agents": ["a"]}, "b", {}, False),
        ({"agents": ["a"]}, None, {}, False),
        ({"agents": ["A"]}, "a", {}, False),
        ({"agents": ["e\u0301"]}, "\u00e9", {}, True),
        ({"agents": []}, "a", {}, False),
        ({"agents": []}, None, {}, False),
        ({"variables": {"c": "slack"}}, None, {"c": "slack"}, True),
        ({"variables": {"c": "slack"}}, None, {"c": "Slack"}, False),
        ({"variables": {"c": "slack"}}, None, {}, False),
        ({"variables": {"c": ["x", "slack"]}}, "a", {"c": "slack"}, True),
        ({"variables": {"c": []}}, None, {"c": "slack"}, False),
        ({"variables": {"c": "1", "d": "2"}}, None, {"c": 1, "d": 3}, False),
        ({"variables": {"c": "1", "d": "2"}}, None, {"c": 1, "d": 2}, True),
        ({"variables": {"c": "1.5"}}, None, {"c": 1.5}, True),
        ({"variables": {"c": "true"}}, None, {"c": True}, True),
        ({"variables": {"c": "Yes"}}, None, {"c": True}, True),
        ({"variables": {"c": "off"}}, None, {"c": False}, True),
        ({"variables": {"c": "off"}}, None, {"c": True}, False),
        ({"variables": {"c": "on"}}, None, {"c": "true"}, False),
        ({"agents": ["a"], "variables": {"c": "1"}}, "a", {"c": "2"}, False),
    ],
)
def test_when_a_condition_holds(
    when: dict[str, Any], agent: str | None, variables: dict[str, Any], holds: bool
) -> None:
    """A condition holds when the agent is among its agents and every variable has one of its values."""
    assert When.model_validate(when).holds(agent, variables) is holds


def test_front_matter_cannot_be_changed() -> None:
    """Front matter and conditions are frozen, and take no key that they do not know."""
    with pytest.raises(ValidationError, match="frozen"):
        EMPTY.title = "x"
    with pytest.raises(ValidationError, match="frozen"):
        When().agents = ("x",)
    with pytest.raises(ValidationError, match="extra"):
        FrontMatter.model_validate({"titel": "x"})


@pytest.mark.parametrize("value", [True, 3.0, None.__class__])
def test_priority_from_code_is_a_whole_number(value: object) -> None:
    """A priority from code is an int, not a truth value and not a float."""
    with pytest.raises(ValidationError):
        FrontMatter.model_validate({"priority": value})
    assert FrontMatter(priority=300).priority == 300
    assert FrontMatter.model_validate({"read_only": True}).read_only is True


def test_yaml_is_loaded_only_for_front_matter_that_needs_it() -> None:
    """YAML is not loaded for a file without front matter or with one of plain words, nor is what compares texts."""
    plain = "---\ntitle: x y\npriority: 5\ntags: [a, b]\n---\ntext"
    for source, loaded in (("# A\n\ntext", []), (plain, []), ("---\ntitle: 'x'\n---\ntext", ["yaml"])):
        code = (
            "import sys; from foreword.markdown._front_matter import parse; parse(sys.argv[1], 'a.md');"
            "print(sorted({'yaml', 'difflib', 'markdown_it', 'jinja2'} & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", code, source], capture_output=True, text=True, check=True)
        assert done.stdout == f"{loaded}\n"


_VALUES = ["1", '"é\u2028  é"', "|\n  x\n\n  y", "'q\n\n  r'", "[a,\n b]", "", "{x: 1,\n  y: 2}", "v # c\n# d\n"]


@given(st.lists(st.sampled_from(_VALUES), min_size=1, max_size=8), st.integers(1, 9))
def test_every_key_stands_in_its_line(values: list[str], first: int) -> None:
    """The line of a key is the line of the file in which it is written, however many lines the values take."""
    text = "".join(f"k{number}: {value}\n" for number, value in enumerate(values))
    read = _yaml.read_mapping(text, first)
    assert read is not None
    lines = text.split("\n")
    for number in range(len(values)):
        assert lines[read.line((f"k{number}",)) - first].startswith(f"k{number}:")
    inner = [path for path in read.lines if len(path) > 1]
    assert {path[1:] for path in inner} <= {("x",), ("y",)}
    for path in inner:
        assert f"{path[1]}: " in lines[read.line(path) - first]
        assert read.line((*path, "deeper")) == read.line(path)
