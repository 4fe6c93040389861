"""What always holds for the texts that strangers write: front matter, names and templates."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from foreword import ConfigError
from foreword._names import (
    MAX_AGENT_NAME,
    MAX_ID,
    NameRefused,
    agent_name,
    check_id,
    clean_title,
    id_key,
    is_leftover,
    last_part,
    normalise,
    plugin_prefix,
    section_name,
    title_key,
    tool_id,
)
from foreword.markdown._front_matter import parse
from foreword.templates._jinja import JinjaError, render_jinja
from foreword.templates._jinja_rules import MAX_OUTPUT
from foreword.templates._names import Value, nearest, render_names

VALUES: Mapping[str, Value] = {
    "agent_name": "Ada",
    "a": "{{ b }}",
    "b": "\\{{ a }}\n{{ agent_name }}{{",
    "empty": "",
    "number": 3,
    "ratio": 2.5,
    "yes": True,
    "acme.version": "1.2",
    "1acme.x": "{",
}


def _is_true(holds: bool, told: object) -> None:
    assert holds, told


def front_matter(text: str) -> None:
    """Any file can be read; the text is a part of it and stands where it is said to stand."""
    document = parse(text, "x.md")
    source = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    assert document.text == document.text.strip()
    assert source.rstrip().endswith(document.text)
    assert 1 <= document.line <= len(lines)
    assert lines[document.line - 1].strip().startswith(document.text.split("\n")[0].strip())
    assert document.failed == any(found.severity == "error" for found in document.diagnostics)
    assert not (document.only_front_matter and document.text)
    for found in document.diagnostics:
        assert found.place is not None
        assert 1 <= (found.place.line or 0) <= len(lines), found
        assert str(found).isprintable(), found
    for newline in ("\r\n", "\r"):
        assert parse(source.replace("\n", newline), "x.md") == parse(source, "x.md")


def names(text: str) -> None:
    """Any name is refused or has one spelling, which it keeps."""
    for convert in (normalise, check_id, tool_id):
        try:
            name = convert(text)
        except NameRefused:
            continue
        assert name
        assert convert is normalise or len(name) <= MAX_ID
        assert name.isprintable()
        assert not {".", ".."} & set(name.split("/"))
        if convert is tool_id:
            assert id_key(check_id(name)) == id_key(name)
        else:
            assert convert(name) == name == unicodedata.normalize("NFC", name)
    spelled = []
    for form in ("NFC", "NFD"):
        try:
            spelled.append(section_name(unicodedata.normalize(form, f"{text}.md")))
        except NameRefused:
            spelled.append(None)
    assert spelled[0] == spelled[1]
    if (found := spelled[0]) is not None:
        assert check_id(found.id) == found.id
        assert found.title is None or found.title == clean_title(found.title) != ""
    try:
        agent = agent_name(text)
    except ConfigError as refused:
        _is_true(str(refused).isprintable(), str(refused))
    else:
        assert agent_name(agent) == agent
        assert 0 < len(agent) <= MAX_AGENT_NAME
        assert agent.isprintable()
        assert not agent.startswith(".")
        assert not {"/", "\\", " "} & set(agent)
    assert clean_title(clean_title(text)) == clean_title(text)
    assert plugin_prefix(plugin_prefix(text)) == plugin_prefix(text)
    assert title_key(f" {text}_- ") == title_key(text)
    assert bool(last_part(text)) == bool(text)
    is_leftover(text)


def template_names(text: str) -> None:
    """Placeholders of registered names are replaced, once and literally, and nothing else changes."""
    text = text.replace("\r", "\n")
    rendered = render_names(text, VALUES)
    expected, lines = _by_the_letter(text)
    assert rendered.text == expected
    assert (rendered.lines or tuple(range(text.count("\n") + 1))) == tuple(lines)
    source = text.split("\n")
    for unknown in rendered.unknown:
        assert unknown.name not in VALUES
        assert f"{unknown.name}" in source[unknown.line]
        nearest(unknown.name, VALUES)


def _by_the_letter(text: str) -> tuple[str, list[int]]:
    """Render in the slowest and plainest way: at each place try every registered name."""
    spellings = {f"{{{{{space}{name}{space}}}}}": str(value) for name, value in VALUES.items() for space in ("", " ")}
    parts: list[str] = []
    at = line = 0
    lines = [0]
    while at < len(text):
        before = text[at - 1] if at else ""
        spelling = next((spelling for spelling in spellings if text.startswith(spelling, at)), None)
        if spelling is None or before in ("$", "{"):
            part, step = text[at], 1
        elif before == "\\":
            parts.pop()
            part, step = spelling, len(spelling)
        else:
            part, step = spellings[spelling], len(spelling)
        line += part == "\n" and step == 1
        lines += [line] * part.count("\n")
        parts.append(part)
        at += step
    return "".join(parts), lines


def template_jinja(text: str) -> None:
    """Any template renders within the limits, or ends in an error with its line."""
    text = text.replace("\r", "\n")
    count = text.count("\n") + 1
    try:
        rendered, lines = render_jinja(text, VALUES)
    except JinjaError as error:
        _is_true(bool(error.message) and (error.line is None or 0 <= error.line < count), error.line)
        return
    assert len(rendered) <= max(MAX_OUTPUT, len(text) if "{" not in text else 0)
    assert len(lines) == rendered.count("\n") + 1
    assert all(0 <= line < count for line in lines)
