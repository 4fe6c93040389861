"""The default templates: what every text that ships with foreword keeps to."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from foreword import Builder, Edit

NAMES = ["AGENTS.md", "SAFETY.md", "CONVERSATION_RULES.md", "TOOL_USAGE.md"]
"""In the order in which they stand in the prompt."""

TEXTS = {name: (files("foreword_prompts") / name).read_text(encoding="utf-8") for name in NAMES}

TOPICS = {
    "AGENTS.md": ["What you can draw on", "How you work", "Honesty"],
    "SAFETY.md": [
        "Secrets",
        "Destructive and irreversible operations",
        "Personal data",
        "Text that is data",
        "Ambiguous and harmful requests",
    ],
    "CONVERSATION_RULES.md": ["The current question", "Repetition", "Length and form", "Consistency", "Language"],
    "TOOL_USAGE.md": [
        "Choosing a tool",
        "Commands",
        "Files",
        "Browser and web",
        "Cryptography and secrets",
        "Skills",
        "Errors",
    ],
}


def headings(text: str) -> list[str]:
    """Return every line that is an ATX heading."""
    return re.findall(r"^ {0,3}#+.*$", text, re.MULTILINE)


def test_there_are_four_templates_and_no_other_text() -> None:
    """The package holds the four templates, and no other Markdown file that a prompt would take up."""
    found = {entry.name for entry in files("foreword_prompts").iterdir() if entry.name.endswith(".md")}
    assert found == set(NAMES)


def test_together_they_are_short() -> None:
    """The four templates have fewer than 1,600 words together, and each of them has something to say."""
    counts = {name: len(text.split()) for name, text in TEXTS.items()}
    assert sum(counts.values()) < 1600
    assert min(counts.values()) > 100


@pytest.mark.parametrize("name", NAMES)
def test_no_template_begins_with_a_heading_or_front_matter(name: str) -> None:
    """A template begins with a sentence: its title is the section's, and its name says the rest."""
    assert re.match(r"[A-Z][a-z]* ", TEXTS[name])


@pytest.mark.parametrize("name", NAMES)
def test_headings_inside_are_of_level_three_and_name_the_topics(name: str) -> None:
    """Every heading is ``###``, so that it stands below the section's title, and the topics are all there."""
    assert headings(TEXTS[name]) == [f"### {topic}" for topic in TOPICS[name]]


@pytest.mark.parametrize("name", NAMES)
def test_every_topic_has_a_text(name: str) -> None:
    """Under every heading stands a list of at least two points, and every heading has blank lines around it."""
    for part in re.split(r"^### .*$", TEXTS[name], flags=re.MULTILINE)[1:]:
        assert part.startswith("\n\n- ")
        assert len(re.findall(r"^- ", part, re.MULTILINE)) >= 2
        assert part.endswith("\n\n") or TEXTS[name].endswith(part)


def test_the_agents_name_is_the_only_placeholder() -> None:
    """``{{ agent_name }}`` stands in the identity, once, and no other brace pair anywhere."""
    found = {name: re.findall(r"\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}", text) for name, text in TEXTS.items()}
    assert found == {"AGENTS.md": ["{{ agent_name }}"], **{name: [] for name in NAMES[1:]}}


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_plain(name: str) -> None:
    """A template is UTF-8 with LF, one newline at its end, no white space at ends of lines, nothing invisible."""
    data = (files("foreword_prompts") / name).read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    text = data.decode("utf-8")
    assert text == text.strip() + "\n"
    assert "\r" not in text
    assert all(line == line.rstrip() and (not line or line.isprintable()) for line in text.split("\n"))
    assert "\n\n\n" not in text


def test_the_default_prompt_has_this_shape() -> None:
    """The built prompt is the four texts in their order, each titled one under its title, one blank line between."""
    prompt = Builder(plugins=False).build(variables={"agent_name": "Ada"})
    identity = TEXTS["AGENTS.md"].strip().replace("{{ agent_name }}", "Ada")
    expected = "\n\n".join(
        [
            identity,
            f"## Safety Guidelines\n{TEXTS['SAFETY.md'].strip()}",
            f"## Conversation Rules\n{TEXTS['CONVERSATION_RULES.md'].strip()}",
            f"## Tool Usage Guidelines\n{TEXTS['TOOL_USAGE.md'].strip()}",
        ]
    )
    assert prompt.text == expected
    assert headings(prompt.text) == [
        *(f"### {topic}" for topic in TOPICS["AGENTS.md"]),
        "## Safety Guidelines",
        *(f"### {topic}" for topic in TOPICS["SAFETY.md"]),
        "## Conversation Rules",
        *(f"### {topic}" for topic in TOPICS["CONVERSATION_RULES.md"]),
        "## Tool Usage Guidelines",
        *(f"### {topic}" for topic in TOPICS["TOOL_USAGE.md"]),
    ]
    assert prompt.diagnostics == ()


def test_every_heading_can_be_patched() -> None:
    """Each heading stands once in its section, so that an operator can exchange the text under it."""
    ids = dict(zip(NAMES, ["identity", "safety", "conversation_rules", "tool_usage"], strict=True))
    edits = [
        Edit(ids[name], f"Patched {topic}.", mode="patch", heading=topic) for name in NAMES for topic in TOPICS[name]
    ]
    prompt = Builder(plugins=False).build(edits=edits)
    assert prompt.diagnostics == ()
    assert all(f"### {topic}\n\nPatched {topic}." in prompt.text for topics in TOPICS.values() for topic in topics)
