"""Real input: a team's prompts directory, two memories and a dozen skills, with what exactly comes out of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Diagnostic, Prompt

FIXTURES = Path(__file__).parent / "fixtures"
AGENTS = [None, "operator", "planner", "navigator", "librarian"]

SHARED: dict[str, tuple[str, str | None, int]] = {
    "identity": ("AGENTS.md", None, 100),
    "safety": ("SAFETY.md", "Safety Guidelines", 200),
    "conversation_rules": ("CONVERSATION_RULES.md", "Conversation Rules", 300),
    "output_principles": ("OUTPUT_PRINCIPLES.md", "How results look", 350),
    "tool_usage": ("TOOL_USAGE.md", "Tool Usage Guidelines", 400),
    "custom_release-process": ("release-process.md", "Releasing", 900),
    "custom_style_guide": ("STYLE_GUIDE.md", "STYLE GUIDE", 900),
    "custom_über_regel": ("ÜBER_regel.md", "ÜBER regel", 900),
    "custom_glossary": ("glossary.md", "Words We Use", 910),
}
"""What all agents share: the file, the title and the priority of every section."""

OWN: dict[str | None, dict[str, tuple[str, str | None, int]]] = {
    None: {},
    "operator": {
        "agent_identity": ("agents/operator/IDENTITY.md", None, 150),
        "safety": ("agents/operator/SAFETY.md", "Safety Guidelines", 200),
        "custom_my_rules": ("agents/operator/MY_RULES.md", "MY RULES", 900),
    },
    "planner": {
        "agent_identity": ("agents/planner/IDENTITY.md", None, 150),
        "custom_style_guide": ("agents/planner/STYLE_GUIDE.md", "STYLE GUIDE", 900),
    },
    "navigator": {
        "agent_identity": ("agents/navigator/IDENTITY.md", None, 150),
        "output_principles": ("agents/navigator/OUTPUT_PRINCIPLES.md", "Output Principles", 350),
    },
    "librarian": {"agent_identity": ("agents/librarian/IDENTITY.md", None, 150)},
}

FOREIGN = [
    "{{ .Values.image.tag }}",
    "{{secret:booking_db}}",
    "{{secret:carrier-api}}",
    '{"reviewers": 2, "labels": {"urgent": {"reviewers": 1}}}',
    "${{ secrets.TOKEN }}",
    '"${REPO_ROOT}"',
    "{{#if delayed}}",
    "{{hours late}}",
    "{{^}}",
    "{{/if}}",
    "{{{trusted_html}}}",
    "\\newcommand{\\rate}[2]{\\frac{#1}{#2}}",
    "\\textbf{{x}}",
    "{\\itshape never}",
    "\\frac{a}{b}",
    "\\{1, 2, 3\\}",
    '`"${HOME}"`, `"$1"`',
    '"${1:-unit}"',
    "{ print $1, $NF }",
    "{{- with .Values.y }}",
    "{{- end }}",
    "{{ .Values.replicas | default 2 }}",
    "${{ startsWith(github.ref, 'refs/tags/v') }}",
    "${{ github.ref }}",
    'style={{color: "red"}}',
    "{items.map((i) => <li key={i}>{i}</li>)}",
    "`{ a: 1 }`",
    "`{1, 2}`",
    "{% raw %}",
    "{% endraw %}",
    "{{- wert -}}",
    "{# Kommentare wie dieser erscheinen nicht auf der Seite. #}",
    "`{draft, sent, lapsed, accepted}`",
]
"""Texts in the braces of other languages, each as it is written in some file that all agents share."""


def body(name: str, agent_name: str | None = None) -> str:
    """Return what a file of the prompts directory adds, by the plainest means: no front matter, the name put in."""
    text = (FIXTURES / "prompts" / name).read_text(encoding="utf-8")
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    if agent_name is not None:
        text = text.replace("{{ agent_name }}", agent_name).replace("{{agent_name}}", agent_name)
    return text.strip()


def build(found: list[Diagnostic], agent: str | None = None, **given: Any) -> Prompt:
    """Build from fixtures, without the plugins of the machine."""
    return Builder(plugins=False, on_diagnostic=found.append, **given).build(agent, variables={"agent_name": "Ada"})


def said(found: list[Diagnostic], below: Path, *, info: bool = False) -> list[tuple[str, str, str]]:
    """Return code, severity and place, as a path below a directory."""
    return [
        (one.code, one.severity, str(one.place).removeprefix(f"{below}/"))
        for one in found
        if info or one.severity != "info"
    ]


# -- the prompts directory -------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_every_section_of_every_agent_is_its_file_byte_for_byte(agent: str | None) -> None:
    """Each section is the text of the file that should win, in which only the agent's name was put in."""
    found: list[Diagnostic] = []
    prompt = build(found, agent, prompts_dir=FIXTURES / "prompts")
    expected = {**SHARED, **OWN[agent]}
    if agent == "librarian":
        del expected["tool_usage"]
    assert {section.id: (section.title, section.priority) for section in prompt.sections} == {
        id: row[1:] for id, row in expected.items()
    }
    for section in prompt.sections:
        assert section.text == body(expected[section.id][0], "Ada")
    assert said(found, FIXTURES, info=True) == [("FW012", "warning", "prompts/OUTPUT_PRINCIPLES.md:14")]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_order_of_the_sections(agent: str | None) -> None:
    """Priority, then the layer that defined the section, then the id."""
    prompt = build([], agent, prompts_dir=FIXTURES / "prompts")
    order = list(SHARED)
    if agent is not None:
        order.insert(1, "agent_identity")
    if agent == "operator":
        order.insert(order.index("custom_glossary"), "custom_my_rules")
    if agent == "librarian":
        order.remove("tool_usage")
    assert [section.id for section in prompt.sections] == order


@pytest.mark.parametrize("foreign", FOREIGN)
def test_braces_of_other_languages_come_out_as_they_are(foreign: str) -> None:
    """A text in the braces of another language stands in the prompt exactly as often as in the files."""
    prompt = build([], prompts_dir=FIXTURES / "prompts")
    written = sum(body(row[0]).count(foreign) for row in SHARED.values())
    assert written > 0
    assert prompt.text.count(foreign) == written


def test_only_the_placeholders_of_the_agents_name_are_gone() -> None:
    """Of all pairs of double braces in the files, the prompt lacks those of the agent's name and no other."""
    pairs = re.compile(r"\{\{.*?\}\}")
    written = [pair for row in SHARED.values() for pair in pairs.findall(body(row[0]))]
    kept = pairs.findall(build([], prompts_dir=FIXTURES / "prompts").text)
    names = [pair for pair in written if pair in {"{{ agent_name }}", "{{agent_name}}"}]
    assert len(names) == 3
    assert len(kept) == len(written) - len(names)
    assert sorted([*kept, *names]) == sorted(written)


def test_tool_prose_of_the_team_and_of_the_operator() -> None:
    """The operator has its own prose for one tool; the other agents have the team's."""
    for agent in AGENTS:
        prompt = build([], agent, prompts_dir=FIXTURES / "prompts")
        read = "agents/operator/tools/read.md" if agent == "operator" else "tools/read.md"
        assert dict(prompt.tools) == {"Bash": body("tools/Bash.md"), "read": body(read)}


def test_all_agents_at_once_are_the_agents_one_by_one() -> None:
    """Building many over one shared base gives the prompts that single builds give."""
    builder = Builder(prompts_dir=FIXTURES / "prompts", plugins=False, on_diagnostic=lambda _: None)
    agents = [agent for agent in AGENTS if agent is not None]
    assert [prompt.fingerprint for prompt in builder.build_many(agents)] == [
        builder.build(agent).fingerprint for agent in agents
    ]
    assert len({builder.build(agent).fingerprint for agent in AGENTS}) == len(AGENTS)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path, newline: str) -> None:
    """The whole directory saved on another system gives the same prompts."""
    copy = tmp_path / "prompts"
    shutil.copytree(FIXTURES / "prompts", copy)
    for path in copy.rglob("*.md"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", newline.encode()))
    for agent in AGENTS:
        there, here = build([], agent, prompts_dir=copy), build([], agent, prompts_dir=FIXTURES / "prompts")
        assert there.fingerprint == here.fingerprint


# -- the memories ----------------------------------------------------------------------------------


def memory_body(name: str) -> str:
    """Return the text of a file of a memory without its front matter."""
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return (text.split("\n---\n", 1)[1] if text.startswith("---\n") else text).strip()


SYSTEM_PINNED = {
    "memory/identity/core": ("system/identity/core.md", "core", 500),
    "memory/persona": ("system/persona.md", "persona", 500),
    "memory/covenant": ("system/covenant.md", "covenant", 510),
    "memory/human": ("system/human.md", "human", 520),
    "memory/projects/foreword_notes": ("system/projects/foreword notes.md", "foreword notes", 530),
    "memory/dynamic/energy": ("system/dynamic/energy.md", "energy", 580),
    "memory/state": ("system/state.md", "state", 580),
}


def test_the_memory_with_a_system_directory() -> None:
    """The pinned files stand in their order and unchanged, once, and the files outside ``system/`` in the tree only."""
    prompt = build([], memory=FIXTURES / "memory-system")
    pinned = [section for section in prompt.sections if section.id.startswith("memory/")]
    assert [(s.id, s.title, s.priority) for s in pinned] == [(id, *row[1:]) for id, row in SYSTEM_PINNED.items()]
    for section in pinned:
        text = memory_body(f"memory-system/{SYSTEM_PINNED[section.id][0]}")
        assert section.text == text
        assert prompt.text.count(text) == 1
    assert memory_body("memory-system/reference/details.md") not in prompt.text
    assert memory_body("memory-system/reference/people/ada.md") not in prompt.text
    assert "read_only" not in prompt.text
    assert prompt.section("memory_tree").text == (
        "```text\nreference/\n  people/\n    ada.md\n  details.md\nskills/\nsystem/\n  dynamic/\n    energy.md\n"
        "  identity/\n    core.md\n  projects/\n    foreword notes.md\n"
        "  covenant.md\n  human.md\n  persona.md\n  state.md\n```"
    )


def test_its_overrides_over_the_packaged_templates() -> None:
    """The overrides replace, patch and append; that of safety is refused, and that of an unknown tool defines."""
    found: list[Diagnostic] = []
    plain, prompt = Builder(plugins=False).build(), build(found, memory=FIXTURES / "memory-system")
    overrides = "memory-system/souveraine_operations/prompt-overrides"
    assert prompt.section("safety").text == plain.section("safety").text
    assert prompt.section("conversation_rules").text == memory_body(f"{overrides}/CONVERSATION_RULES.md")
    old = plain.section("tool_usage").text
    start, end = old.index("- Read the part you will edit"), old.index("\n\n### Browser and web")
    patched = old[:start] + memory_body(f"{overrides}/files_patch.md") + old[end:]
    notes = memory_body(f"{overrides}/tool_notes.md")
    assert prompt.section("tool_usage").text.replace("#### ", "### ") == f"{patched}\n\n{notes}"
    assert dict(prompt.tools) == {"read": memory_body(f"{overrides}/tools/read.md")}
    chains = {
        id: [(step.edit.layer, step.edit.mode, step.outcome) for step in prompt.explain(id).steps]
        for id in ("identity", "safety", "conversation_rules", "tool_usage", "tools/read")
    }
    assert chains == {
        "identity": [("builtin", "plain", "shadowed"), ("memory", "plain", "applied")],
        "safety": [("builtin", "plain", "applied"), ("override", "plain", "refused")],
        "conversation_rules": [("builtin", "plain", "shadowed"), ("override", "plain", "applied")],
        "tool_usage": [
            ("builtin", "plain", "applied"),
            ("override", "patch", "applied"),
            ("override", "append", "applied"),
        ],
        "tools/read": [("override", "plain", "applied")],
    }
    assert said(found, FIXTURES / overrides, info=True) == [
        ("FW020", "error", "SAFETY.md:1"),
        ("FW027", "warning", "tools/read.md:1"),
    ]


def test_its_copy_of_the_identity_counts_as_edited() -> None:
    """The copy has no record, so it stands over the template, under a title that an untrusted text must have."""
    prompt = build([], memory=FIXTURES / "memory-system")
    section = prompt.section("identity")
    assert (section.title, section.priority, section.layer, section.defined_in) == (
        "Identity",
        100,
        "memory",
        "builtin",
    )
    assert section.text.startswith("You are Ada, an agent")
    assert "For Mira's team that mostly means pricing code" in section.text


def test_the_memory_with_an_index_at_its_root() -> None:
    """Files beside an index are pinned; what lies below a directory without one is in the tree only."""
    prompt = build([], memory=FIXTURES / "memory-root")
    pinned = {section.id: section for section in prompt.sections if section.id.startswith("memory/")}
    assert [(s.id, s.title, s.priority) for s in pinned.values()] == [
        ("memory/persona", "persona", 500),
        ("memory/human", "human", 520),
        ("memory/memory", "MEMORY", 530),
        ("memory/projects/alpha", "alpha", 530),
        ("memory/projects/memory", "MEMORY", 530),
    ]
    for id, name in (
        ("persona", "persona.md"),
        ("human", "human.md"),
        ("projects/alpha", "projects/alpha.md"),
    ):
        assert pinned[f"memory/{id}"].text == memory_body(f"memory-root/{name}")
    for name in ("projects/deep/x.md", "drafts/loose.md"):
        assert memory_body(f"memory-root/{name}") not in prompt.text
    assert prompt.section("memory_tree").text == (
        "```text\ndrafts/\n  loose.md\nprojects/\n  deep/\n    x.md\n  MEMORY.md\n  alpha.md\n"
        "MEMORY.md\nhuman.md\npersona.md\n```"
    )


@pytest.mark.parametrize("memory", ["memory-system", "memory-root"])
def test_a_memory_over_the_teams_prompts(memory: str) -> None:
    """Over the team's own texts, overrides find their targets, and nothing below the memory's layers is changed."""
    found: list[Diagnostic] = []
    team = build([], "operator", prompts_dir=FIXTURES / "prompts")
    prompt = build(found, "operator", prompts_dir=FIXTURES / "prompts", memory=FIXTURES / memory)
    changed = {
        section.id
        for section in team.sections
        if prompt.section(section.id).text.replace("#### ", "### ") != section.text
    }
    overrides = f"{memory}/souveraine_operations/prompt-overrides"
    unnamed = ("FW012", "warning", "prompts/OUTPUT_PRINCIPLES.md:14")
    if memory == "memory-system":
        assert changed == {"identity", "conversation_rules", "tool_usage"}
        assert prompt.tools["read"] == memory_body(f"{overrides}/tools/read.md")
        assert said(found, FIXTURES) == [("FW020", "error", f"{overrides}/SAFETY.md:1"), unnamed]
        assert "- Keep edits to one concern." in prompt.section("tool_usage").text
        assert "Charts are Go templates" not in prompt.section("tool_usage").text
    else:
        assert changed == {"output_principles"}
        principles = prompt.section("output_principles")
        assert principles.text == memory_body(f"{overrides}/OUTPUT_PRINCIPLES.md")
        assert (principles.title, principles.priority) == ("Output Principles", 350)
        assert said(found, FIXTURES) == [unnamed]


# -- the skills ------------------------------------------------------------------------------------

LISTED = [
    "database-migrations",
    "dependency-audit",
    "git-bisect",
    "html-snippets",
    "reading-logs",
    "release-notes",
    "rédaction-technique",
    "triage-incident",
]
SAID = [
    ("FW014", "error", "broken-yaml/SKILL.md:5"),
    ("FW050", "error", "broken-yaml/SKILL.md:1"),
    ("FW050", "error", "no-description/SKILL.md:1"),
    ("FW050", "error", "no-front-matter/SKILL.md:1"),
    ("FW050", "error", "unclosed-front-matter/SKILL.md:1"),
    ("FW013", "warning", "unclosed-front-matter/SKILL.md:1"),
    ("FW015", "warning", "triage-incident/SKILL.md:3"),
    ("FW051", "warning", "database-migrations/SKILL.md:1"),
    ("FW051", "warning", "log-reader/SKILL.md:1"),
    ("FW051", "warning", "triage-incident/SKILL.md:1"),
]


def listing(prompt: Prompt) -> list[tuple[str, str, str]]:
    """Return name, description and location of every skill in the listing."""
    pattern = (
        r"<skill>\n<name>(.*)</name>\n<description>(.*)</description>\n<location>(.*)</location>\n</skill>"
    )
    text = prompt.section("skills").text
    found = re.findall(pattern, text)
    assert len(text.split("\n")) == 5 * len(found) + 2
    return found


def test_twelve_skills_of_which_eight_load() -> None:
    """Eight skills are listed, sorted by name, and every one of the others is an error with its place."""
    found: list[Diagnostic] = []
    prompt = build(found, skills=[FIXTURES / "skills"])
    rows = listing(prompt)
    assert [name for name, _, _ in rows] == LISTED
    folders = [name.replace("reading-logs", "log-reader") for name in LISTED]
    assert [place for _, _, place in rows] == [f"{FIXTURES}/skills/{folder}/SKILL.md" for folder in folders]
    assert sorted(said(found, FIXTURES / "skills", info=True)) == sorted(SAID)


def test_their_descriptions_are_on_one_line_escaped_and_cut() -> None:
    """Folded, multi-byte, marked-up, unquoted and overlong descriptions come out as the listing needs them."""
    descriptions = {name: description for name, description, _ in listing(build([], skills=[FIXTURES / "skills"]))}
    assert descriptions["release-notes"] == (
        "Write release notes from the commits and tickets since the last tag, grouped by what a user of the software "
        "will notice. Use it when a release is prepared or when someone asks what changed between two versions."
    )
    assert descriptions["html-snippets"] == (
        "Write HTML &amp; XML fragments in which text such as a &lt; b, x &gt; y, R&amp;D or a literal &lt;/p&gt; "
        "must survive; covers &lt;br&gt;, entities &amp; quotes."
    )
    assert descriptions["triage-incident"].startswith("Use when: an alert fires")
    assert descriptions["rédaction-technique"].endswith("en français.")
    assert len(descriptions["database-migrations"]) == 1024
    assert descriptions["database-migrations"].endswith("restor…")


def test_linked_skills_beside_them(tmp_path: Path) -> None:
    """Links inside the root and into ``link_roots`` are followed, others refused; nothing is listed twice."""
    skills, elsewhere = tmp_path / "skills", tmp_path / "elsewhere"
    shutil.copytree(FIXTURES / "skills", elsewhere / "all")
    skills.mkdir()
    for name in ("git-bisect", "release-notes"):
        shutil.copytree(FIXTURES / "skills" / name, skills / name)
    (skills / "again").symlink_to("git-bisect")
    (skills / "dependency-audit").symlink_to("../elsewhere/all/dependency-audit")
    (skills / "html-snippets").mkdir()
    (skills / "html-snippets" / "SKILL.md").symlink_to("../../elsewhere/all/html-snippets/SKILL.md")
    (skills / "gone").symlink_to("nowhere")
    (skills / "loop").symlink_to(".")
    config = tmp_path / "foreword.toml"
    outcomes = {}
    for link_roots in ([], ["elsewhere"]):
        config.write_text(f'skills.roots = ["skills"]\nfiles.link_roots = {link_roots}\n'.replace("'", '"'))
        found: list[Diagnostic] = []
        prompt = Builder.from_config(config, plugins=False, on_diagnostic=found.append).build()
        names = [(name, place) for name, _, place in listing(prompt)]
        outcomes[bool(link_roots)] = (names, sorted(said(found, tmp_path)))
    own = [("git-bisect", "skills/git-bisect/SKILL.md"), ("release-notes", "skills/release-notes/SKILL.md")]
    linked = [(name, f"skills/{name}/SKILL.md") for name in ("dependency-audit", "html-snippets")]
    gone = ("FW002", "error", "skills/gone")
    assert outcomes[False] == (
        own,
        [gone, ("FW006", "error", "skills/dependency-audit"), ("FW006", "error", "skills/html-snippets/SKILL.md")],
    )
    assert outcomes[True] == (sorted([*own, *linked]), [gone])


def test_given_whole_each_skill_is_its_text(tmp_path: Path) -> None:
    """In mode ``full`` every skill that loads is a section, and the broken ones are the same errors."""
    config = tmp_path / "foreword.toml"
    config.write_text(f'[skills]\nroots = ["{FIXTURES / "skills"}"]\nmode = "full"\n')
    found: list[Diagnostic] = []
    prompt = Builder.from_config(config, plugins=False, on_diagnostic=found.append).build()
    whole = [section for section in prompt.sections if section.id.startswith("skills")]
    assert [section.id for section in whole] == [f"skills/{name}" for name in LISTED]
    assert {section.priority for section in whole} == {710}
    for section in whole:
        assert "description:" not in section.text
        assert section.text
        assert "\r" not in section.text
    assert sorted(said(found, FIXTURES / "skills")) == sorted(SAID)


def test_under_strict_exactly_the_broken_and_the_lenient_ones_raise() -> None:
    """Strict lists each skill that another client would not take, and no skill that is in order."""
    builder = Builder(skills=[FIXTURES / "skills"], plugins=False, on_diagnostic=lambda _: None)
    with pytest.raises(ExceptionGroup) as raised:
        builder.build(strict=True)
    named = {match[1] for one in raised.value.exceptions if (match := re.search(r"skills/([^/]+)/SKILL", str(one)))}
    assert named == {place.partition("/")[0] for _, _, place in SAID}
