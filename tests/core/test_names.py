"""Names: what becomes of file names, agent names, distributions and titles."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreword._errors import ConfigError
from foreword._names import (
    CUSTOM_PRIORITY,
    KNOWN,
    KNOWN_IDS,
    MAX_ID,
    NameRefused,
    SectionName,
    agent_name,
    check_id,
    clean_title,
    id_key,
    is_leftover,
    is_readme,
    is_tool,
    last_part,
    normalise,
    plugin_prefix,
    section_name,
    title_key,
    tool_id,
    variable_prefix,
)

HIDDEN = [
    ("\x07", "control character U+0007"),
    ("\t", "control character U+0009"),
    ("\x00", "control character U+0000"),
    ("\u200b", "format character U+200B"),
    ("\u202e", "format character U+202E"),
    ("\U000e0041", "format character U+E0041"),
    ("\u2028", "line separator U+2028"),
    ("\u2029", "paragraph separator U+2029"),
    ("\udce9", "surrogate U+DCE9"),
    ("\ue000", "private-use character U+E000"),
    ("\u0378", "unassigned character U+0378"),
]
PRINTABLE = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"]), min_size=1, max_size=30
).filter(lambda name: name not in {".", ".."})


@pytest.mark.parametrize(
    ("file", "id", "title", "priority"),
    [
        ("AGENTS.md", "identity", None, 100),
        ("IDENTITY.md", "agent_identity", None, 150),
        ("SAFETY.md", "safety", "Safety Guidelines", 200),
        ("CONVERSATION_RULES.md", "conversation_rules", "Conversation Rules", 300),
        ("OUTPUT_PRINCIPLES.md", "output_principles", "Output Principles", 350),
        ("TOOL_USAGE.md", "tool_usage", "Tool Usage Guidelines", 400),
    ],
)
def test_known_file_names(file: str, id: str, title: str | None, priority: int) -> None:
    """A known file name has its own id, title and place."""
    assert section_name(file) == SectionName(id, title, priority, known=True, cased=False)
    assert section_name(file.title()) == SectionName(id, title, priority, known=True, cased=True)
    assert KNOWN_IDS[id] is KNOWN[file]
    assert len(KNOWN) == len(KNOWN_IDS) == 6


@pytest.mark.parametrize("name", ["safety.md", "Safety.md", "SAFETY.MD", "sAFETY.Md"])
def test_known_name_in_another_case(name: str) -> None:
    """A known name in another case is the same section, and says that its case differs."""
    assert section_name(name)[0] == "safety"
    assert section_name(name).cased


@pytest.mark.parametrize(
    "name", ["ſafety.md", "İDENTITY.md", "ıdentity.md", "SAFETY .md", "SAFETY.md.md", "tool-usage.md"]
)
def test_lookalike_of_a_known_name_is_custom(name: str) -> None:
    """Only case is ignored: a name that merely resembles a known one is a section of its own."""
    found = section_name(name)
    assert not found.known
    assert found.id.startswith("custom_")
    assert found.priority == CUSTOM_PRIORITY == 900


@pytest.mark.parametrize(
    ("name", "id", "title"),
    [
        ("STYLE_GUIDE.md", "custom_style_guide", "STYLE GUIDE"),
        ("style-guide.md", "custom_style-guide", "style guide"),
        ("My Rules.MD", "custom_my_rules", "My Rules"),
        ("v1.2 (draft)!.md", "custom_v1.2__draft__", "v1.2 (draft)!"),
        ("R\u00c8GLES.md", "custom_r\u00e8gles", "R\u00c8GLES"),
        ("Re\u0300gles.md", "custom_r\u00e8gles", "R\u00e8gles"),
        ("ΟΔΟΣ.md", "custom_οδος", "ΟΔΟΣ"),
        ("写作者.md", "custom_写作者", "写作者"),
        ("नियम.md", "custom_नियम", "नियम"),
        ("a\u3000b\u00a0c.md", "custom_a_b_c", "a\u3000b\u00a0c"),
        ("❤\ufe0f.md", "custom___", "❤\ufe0f"),
        ("__.md", "custom___", None),
        (" .md", "custom__", None),
    ],
)
def test_custom_file_names(name: str, id: str, title: str | None) -> None:
    """Any other name is lower case in the id, and its stem with spaces is the title."""
    assert section_name(name) == SectionName(id, title, 900, known=False, cased=False)


@pytest.mark.parametrize(("char", "reason"), HIDDEN)
def test_character_that_does_not_print_is_refused_by_number(char: str, reason: str) -> None:
    """A name with a character that does not print is refused, and the reason names it without showing it."""
    for refused in (
        lambda: section_name(f"SAFE{char}TY.md"),
        lambda: normalise(f"a{char}"),
        lambda: tool_id(f"re{char}ad"),
        lambda: check_id(f"tools/re{char}ad"),
        lambda: check_id(f"memory/{char}"),
    ):
        with pytest.raises(NameRefused, match=r"^it contains the ") as caught:
            refused()
        assert reason in str(caught.value)
        assert str(caught.value).isascii()


@pytest.mark.parametrize("name", ["notes.txt", "md", "notes.md.bak", ""])
def test_other_suffix_is_refused(name: str) -> None:
    """A name that does not end in .md is no name of a section."""
    with pytest.raises(NameRefused):
        section_name(name)


def test_name_without_a_stem_is_refused() -> None:
    """A file that is called only .md has no name to make an id of."""
    with pytest.raises(NameRefused, match="empty"):
        section_name(".md")


def test_name_too_long_for_an_id_is_refused() -> None:
    """A file name whose id would be too long is refused, so that front matter can name every id."""
    assert len(section_name("x" * (MAX_ID - 7) + ".md").id) == MAX_ID
    with pytest.raises(NameRefused, match="201 characters, and at most 200"):
        section_name("x" * (MAX_ID - 6) + ".md")
    with pytest.raises(NameRefused, match="at most 200"):
        tool_id("x" * MAX_ID)
    with pytest.raises(NameRefused, match="at most 200"):
        check_id("x" * (MAX_ID + 1))


@given(PRINTABLE)
@example("İ")
@example("ΑΣ")
@example("\u0301a")
@example("=\u0338")
@example("\u1e9e")
def test_normalising_twice_changes_nothing(name: str) -> None:
    """A normalised name is composed, in lower case, of letters, marks, digits, _ - and . for good."""
    once = normalise(name)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.lower()
    assert all(char in "_-." or unicodedata.category(char)[0] in "LM" or char.isdecimal() for char in once)
    assert normalise(unicodedata.normalize("NFD", name)) == once


def test_every_single_character_normalises_once_and_for_all() -> None:
    """No character from the slash to the last of Unicode needs normalising twice."""
    for char in filter(str.isprintable, map(chr, range(ord("/"), sys.maxunicode + 1))):
        once = normalise(char)
        assert normalise(once) == once


@given(PRINTABLE)
def test_ids_made_from_file_names_can_be_given_in_front_matter(stem: str) -> None:
    """The id of a file, given as an id, is the same id."""
    id = section_name(f"{stem}.md").id
    assert check_id(id) == id
    tool = tool_id(stem)
    assert check_id(tool) == tool


@given(st.text(max_size=30))
def test_checking_an_id_refuses_or_settles_it(id: str) -> None:
    """An id is either refused or comes out in a spelling that stays as it is."""
    try:
        once = check_id(id)
    except NameRefused:
        return
    assert check_id(once) == once
    assert once.count("/") == id.count("/")


@pytest.mark.parametrize(
    ("given_id", "id"),
    [
        ("safety", "safety"),
        ("SAFETY", "safety"),
        ("Acme-Citations.Style", "acme-citations.style"),
        ("Memory/My Notes", "memory/my_notes"),
        ("tools/Read File", "tools/Read_File"),
        ("TOOLS/Read", "tools/Read"),
        ("tools", "tools"),
        ("skills/acme.Review", "skills/acme.review"),
        ("a\u0301:b", "\u00e1_b"),
    ],
)
def test_check_id(given_id: str, id: str) -> None:
    """An id that somebody gives is normalised part by part, and tools keep their case."""
    assert check_id(given_id) == id


@pytest.mark.parametrize("id", ["", "/", "a//b", "/a", "a/", "tools/", "tools//x"])
def test_empty_part_of_an_id_is_refused(id: str) -> None:
    """No part of an id may be empty."""
    with pytest.raises(NameRefused, match="empty"):
        check_id(id)


@pytest.mark.parametrize("id", [".", "..", "../safety", "memory/../x", "tools/.."])
def test_dots_alone_are_no_part_of_an_id(id: str) -> None:
    """An id cannot be read as a way out of a directory."""
    with pytest.raises(NameRefused, match="a part of it is '"):
        check_id(id)


def test_tools_compare_without_case() -> None:
    """Tools keep their spelling and compare without case; other ids compare as they are."""
    assert tool_id("Read") == "tools/Read"
    assert tool_id("e\u0301.X") == "tools/\u00e9.X"
    assert is_tool("tools/Read")
    assert not is_tool("tool_usage")
    assert not is_tool("tools")
    assert id_key("tools/Read") == id_key("tools/READ") == "tools/read"
    assert id_key("Read") != id_key("read")


@given(st.text("\u0130\u0307iI\u03a3\u03c3\u03c2aA_", min_size=1))
def test_key_of_a_tool_stands_for_itself(stem: str) -> None:
    """The key of a tool's id is its own key."""
    key = id_key(tool_id(stem))
    assert id_key(key) == key
    assert is_tool(key)


@pytest.mark.parametrize(
    "name",
    ["operator", "a", "Ops.Team_2-b", "-", "_x", "x" * 64, "写作者", "редактор", "नियम", "a..b", "nul"],
)
def test_agent_names(name: str) -> None:
    """Letters of any script, digits, dot, underscore and hyphen make an agent's name."""
    assert agent_name(name) == name


def test_agent_name_is_composed() -> None:
    """An agent's name means the same however its accents are written."""
    assert agent_name("re\u0301dacteur") == "r\u00e9dacteur"
    assert len(agent_name("e\u0301" * 64)) == 64


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is empty"),
        (".", "begins with a dot"),
        ("..", "begins with a dot"),
        (".hidden", "begins with a dot"),
        ("x" * 65, "has 65 characters, and at most 64"),
        ("a/b", "holds '/'"),
        ("a\\b", r"holds '\\'"),
        ("C:", "holds ':'"),
        ("a b", "holds ' '"),
        ("a\n", r"holds U\+000A"),
        ("a\x00", r"holds U\+0000"),
        ("a\u200b", r"holds U\+200B"),
        ("a\ufe0f", r"holds U\+FE0F"),
        ("a\u3164", r"holds U\+3164"),
        ("\u0301a", r"holds U\+0301"),
        ("a\u2044b", r"holds U\+2044"),
        ("a\udce9", r"holds U\+DCE9"),
        ("a²", r"holds U\+00B2"),
        ("{agent}", "holds '{'"),
    ],
)
def test_agent_name_refused(name: str, reason: str) -> None:
    """What is not one safe component of a path is a configuration error that says why."""
    with pytest.raises(ConfigError, match=reason) as caught:
        agent_name(name)
    assert str(caught.value).startswith("The agent's name ")
    assert str(caught.value).endswith(".")


@given(st.text(max_size=70))
def test_agent_name_is_one_component_of_a_path(name: str) -> None:
    """Whatever is let through cannot leave its directory, and stays as it is."""
    try:
        once = agent_name(name)
    except ConfigError:
        return
    assert agent_name(once) == once
    assert once.isprintable()
    assert not once.startswith(".")
    assert not set(once) & set('/\\:*?"<>| ')


@pytest.mark.parametrize(
    ("distribution", "prefix", "variable"),
    [
        ("acme-citations", "acme-citations", "acme_citations"),
        ("Acme_Citations", "acme-citations", "acme_citations"),
        ("acme.citations", "acme-citations", "acme_citations"),
        ("A--b__c..d", "a-b-c-d", "a_b_c_d"),
    ],
)
def test_prefixes_of_a_distribution(distribution: str, prefix: str, variable: str) -> None:
    """All spellings of a distribution's name have the same prefixes."""
    assert plugin_prefix(distribution) == prefix
    assert variable_prefix(distribution) == variable


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("  Style  ", "Style"),
        ("a\r\nb", "a b"),
        ("a\x1b[31mb", "a [31mb"),
        ("a\u2028b\u2029", "a b"),
        ("\x85a\ud800", "a"),
        ("\n\t", ""),
    ],
)
def test_clean_title(title: str, clean: str) -> None:
    """A title is one trimmed line without control characters."""
    assert clean_title(title) == clean


@given(st.text())
def test_clean_title_is_always_one_line(title: str) -> None:
    """No title has a line break or a control character, and cleaning it again changes nothing."""
    clean = clean_title(title)
    assert len(clean.splitlines()) <= 1
    assert clean == clean.strip() == clean_title(clean)
    assert not any(unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"} for char in clean)


@pytest.mark.parametrize(
    "title",
    [
        "safety guidelines",
        "SAFETY_GUIDELINES",
        "Safety-Guidelines",
        "Safety\u00a0Guidelines",
        "\uff33afety Guidelines",
        "Safe\u200bty Guidelines",
        "Safety\ufe0f Guidelines",
        "ſafety  guidelines ",
    ],
)
def test_titles_that_read_the_same_have_one_key(title: str) -> None:
    """Form, case, spacing and what cannot be seen do not tell titles apart."""
    assert title_key(title) == title_key("Safety Guidelines")


def test_titles_that_read_differently_have_different_keys() -> None:
    """A title of other words is another title."""
    assert title_key("Safety Guidelines 2") != title_key("Safety Guidelines")
    assert title_key("Règles") != title_key("Regles")


@pytest.mark.parametrize(
    ("id", "part"),
    [
        ("acme-citations.style", "style"),
        ("skills/acme.review", "review"),
        ("memory/a/b", "b"),
        ("safety", "safety"),
        ("custom_v1.", "custom_v1"),
        ("..", ".."),
    ],
)
def test_last_part(id: str, part: str) -> None:
    """The last part of an id is never empty."""
    assert last_part(id) == part


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.md",
        ".DS_Store",
        "._SAFETY.md",
        ".SAFETY.md.swp",
        "SAFETY.md~",
        "#SAFETY.md#",
        "SAFETY.md.SWP",
        "x.swo",
        "x.tmp",
        "x.bak",
        "x.orig",
        "x.rej",
        "x.part",
        "4913",
        "~$SAFETY.md",
        "Thumbs.db",
        "desktop.ini",
        "Desktop.ini",
    ],
)
def test_leftovers(name: str) -> None:
    """Hidden files and what editors leave behind are leftovers."""
    assert is_leftover(name)


@pytest.mark.parametrize("name", ["SAFETY.md", "#1.md", "#", "4913.md", "tmp.md", "a~b.md", "~notes.md", "", "notes"])
def test_no_leftovers(name: str) -> None:
    """A name that only resembles a leftover is an ordinary name."""
    assert not is_leftover(name)


def test_readme() -> None:
    """README.md in any case is for people, and no other file is."""
    assert is_readme("README.md")
    assert is_readme("readme.MD")
    assert not is_readme("README_FIRST.md")
    assert not is_readme("README")
