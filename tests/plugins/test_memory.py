"""An agent's memory, as a source of sections."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import ConfigError, MemoryRecord, Section
from foreword._memory_record import CopyRecord
from foreword_plugins._memory_tree import render_tree

MEMORY = 'prompts_dir = "prompts"\n[memory]\npath = "m"\n'
BARE = (
    'prompts_dir = "prompts"\n[plugins]\ndisable = ["foreword:builtin"]\n'
    "[sections.safety]\nrequired = false\n[memory]\n"
)
OPERATIONS = "m/souveraine_operations"
RECORD = f"{OPERATIONS}/.foreword/record.json"
OVERRIDES = f"{OPERATIONS}/prompt-overrides"
COPIES = f"{OPERATIONS}/prompts"


def sha(text: str) -> str:
    """Return the hash by which a record names a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def build(desk: Any, files: dict[str, str | bytes], settings: str = 'path = "m"\n', agent: str | None = None) -> Any:
    """Build with these files, without the packaged templates."""
    (desk.root / "prompts").mkdir(exist_ok=True)
    desk.write(files)
    return desk.build(BARE + settings, agent)


def rows(prompt: Any) -> list[tuple[str, str | None, int]]:
    """Return id, title and priority of every section but the tree."""
    return [(s.id, s.title, s.priority) for s in prompt.sections if s.id != "memory_tree"]


def chain(prompt: Any, id: str) -> list[tuple[str, str]]:
    """Return layer and outcome of every edit of a section."""
    return [(step.edit.layer, step.outcome) for step in prompt.explain(id).steps]


def record(**given: Any) -> dict[str, str | bytes]:
    """Return the file of a record, and a copy without which it would count for nothing."""
    return {RECORD: MemoryRecord(**given).dump(), f"{COPIES}/.keep": ""}


# -- where the memory is ---------------------------------------------------------------------------


def test_a_memory_that_is_not_there_yet_is_no_error(desk: Any) -> None:
    """With ``{agent}`` in its path, a missing memory is an information with the command that makes one."""
    build(desk, {}, 'path = "memories/{agent}"\n', "ada")
    assert desk.said(info=True) == [("FW040", "info", "memories/ada")]
    assert desk.found[0].remedy == "foreword memory init --agent ada"


def test_a_memory_that_was_asked_for_and_is_missing_is_a_configuration_error(desk: Any) -> None:
    """Without ``{agent}`` in its path, a missing memory stops the build and names file and key."""
    with pytest.raises(ConfigError, match=r"foreword\.toml.*memory\.path.*'m' is not there"):
        build(desk, {})
    desk.write({"m": "a file"})
    with pytest.raises(ConfigError, match="is no directory"):
        build(desk, {})


def test_a_path_with_agent_is_no_memory_while_none_is_asked_for(desk: Any) -> None:
    """Without an agent there is none of its memory, and nothing is said."""
    files = {"memories/ada/system/persona.md": "mine"}
    assert build(desk, files, 'path = "memories/{agent}"\n').sections == ()
    assert desk.said(info=True) == []
    assert "mine" in build(desk, {}, 'path = "memories/{agent}"\n', "ada").text


def test_an_agent_may_have_a_memory_of_its_own_path(desk: Any) -> None:
    """``[agents.NAME] memory`` stands over the general path."""
    files = {"m/system/a.md": "general", "special/system/a.md": "special"}
    settings = 'path = "m"\n[agents.ada]\nmemory = "special"\n'
    assert build(desk, files, settings, "ada").section("memory/a").text == "special"
    assert build(desk, {}, settings, "bob").section("memory/a").text == "general"


@pytest.mark.parametrize("path", ["prompts", "prompts/memory", ".", "way-in/memory"])
def test_what_the_agent_writes_never_stands_among_what_the_operator_writes(desk: Any, path: str) -> None:
    """A memory inside the prompts directory, or around it, is refused, also when a link leads there."""
    desk.write({"prompts/memory/system/a.md": "x"})
    desk.link("way-in", "prompts")
    with pytest.raises(ConfigError, match="lies inside"):
        build(desk, {}, f'path = "{path}"\n')


def test_the_memory_of_another_agent_is_left_out_with_an_error(desk: Any) -> None:
    """A memory that records another agent's name gives nothing, and the build goes on."""
    files = {**record(agent="eve"), "m/system/persona.md": "I am Eve.", "prompts/ok.md": "ok"}
    prompt = build(desk, files, agent="ada")
    assert prompt.text == "## ok\nok"
    assert desk.said() == [("FW041", "error", "m")]
    assert "I am Eve." in build(desk, {}, agent="eve").text
    assert desk.said() == []


def test_an_empty_memory_gives_nothing(desk: Any) -> None:
    """A memory without a file is no finding and no section."""
    (desk.root / "m").mkdir()
    assert build(desk, {}).sections == ()
    assert desk.said(info=True) == []


# -- pinned files ----------------------------------------------------------------------------------

SYSTEM_LAYOUT = {
    "m/system/identity/core.md": "t-identity-core",
    "m/system/identity.md": "t-identity",
    "m/system/persona.md": "t-persona",
    "m/system/persona/voice.md": "t-voice",
    "m/system/covenant.md": "t-covenant",
    "m/system/covenant/more.md": "t-more",
    "m/system/human.md": "t-human",
    "m/system/human/ada.md": "t-ada",
    "m/system/projects/two words.md": "t-two",
    "m/system/zeta.md": "t-zeta",
    "m/system/state.md": "t-state",
    "m/system/dynamic/energy.md": "t-energy",
    "m/system/synthesized/2026-03-14.md": "t-synthesized",
    "m/system/metacognition/deep/er/subconscious.md": "t-subconscious",
}


def test_pinned_files_of_the_system_layout(desk: Any) -> None:
    """Every file below ``system/`` is a section of its own, with the title of its name and the place of its kind."""
    prompt = build(desk, SYSTEM_LAYOUT)
    assert rows(prompt) == [
        ("memory/identity", "identity", 500),
        ("memory/identity/core", "core", 500),
        ("memory/persona", "persona", 500),
        ("memory/persona/voice", "voice", 500),
        ("memory/covenant", "covenant", 510),
        ("memory/covenant/more", "more", 510),
        ("memory/human", "human", 520),
        ("memory/human/ada", "ada", 520),
        ("memory/projects/two_words", "two words", 530),
        ("memory/zeta", "zeta", 530),
        ("memory/dynamic/energy", "energy", 580),
        ("memory/metacognition/deep/er/subconscious", "subconscious", 580),
        ("memory/state", "state", 580),
        ("memory/synthesized/2026-03-14", "2026-03-14", 580),
    ]
    assert {s.layer for s in prompt.sections} == {"memory"}
    assert prompt.sections[-1].id == "memory_tree"
    assert prompt.sections[-1].priority == 590
    assert desk.said(info=True) == []


def test_nothing_is_injected_twice(desk: Any) -> None:
    """The text of a pinned file stands in the prompt once, whatever else there is for its subject."""
    text = build(desk, SYSTEM_LAYOUT).text
    assert {name: text.splitlines().count(said) for name, said in SYSTEM_LAYOUT.items()} == dict.fromkeys(
        SYSTEM_LAYOUT, 1
    )


def test_in_the_system_layout_nothing_else_is_pinned(desk: Any) -> None:
    """Files outside ``system/``, readmes, dot entries and other files stay out of the prompt."""
    files = {
        "m/note.md": "secret-1",
        "m/reference/details.md": "secret-2",
        "m/skills/x/SKILL.md": "secret-3",
        "m/system/README.md": "secret-4",
        "m/system/.hidden.md": "secret-5",
        "m/system/.git/x.md": "secret-6",
        "m/system/notes.txt": "secret-7",
        "m/journal/MEMORY.md": "secret-8",
        f"{OPERATIONS}/note.md": "secret-9",
        "m/system/a.md": "pinned",
    }
    prompt = build(desk, files)
    assert rows(prompt) == [("memory/a", "a", 530)]
    assert "secret" not in prompt.text
    assert desk.said() == []
    assert {row[2] for row in desk.said(info=True)} >= {"m/system/README.md", "m/system/notes.txt"}


ROOT_LAYOUT = {
    "m/MEMORY.md": "t-index",
    "m/persona.md": "t-persona",
    "m/state.md": "t-state",
    "m/covenant.md": "t-covenant",
    "m/projects/MEMORY.md": "t-projects",
    "m/projects/alpha.md": "t-alpha",
    "m/projects/deep/MEMORY.md": "t-deep",
    "m/projects/deep/x.md": "t-x",
    "m/human/MEMORY.md": "t-human",
    "m/human/ada.md": "t-ada",
}


def test_pinned_files_of_the_root_layout(desk: Any) -> None:
    """With a root ``MEMORY.md``, files at the top and below directories with an index are pinned."""
    prompt = build(desk, ROOT_LAYOUT)
    assert rows(prompt) == [
        ("memory/persona", "persona", 500),
        ("memory/covenant", "covenant", 510),
        ("memory/human/ada", "ada", 520),
        ("memory/human/memory", "MEMORY", 520),
        ("memory/memory", "MEMORY", 530),
        ("memory/projects/alpha", "alpha", 530),
        ("memory/projects/deep/memory", "MEMORY", 530),
        ("memory/projects/deep/x", "x", 530),
        ("memory/projects/memory", "MEMORY", 530),
        ("memory/state", "state", 580),
    ]
    lines = prompt.text.splitlines()
    assert all(lines.count(said) == 1 for said in ROOT_LAYOUT.values())
    assert desk.said(info=True) == []


def test_a_directory_without_an_index_hides_all_below_it(desk: Any) -> None:
    """A nested file is pinned only if every directory above it has an index of its own."""
    files = {
        "m/MEMORY.md": "index",
        "m/loose/x.md": "hidden-1",
        "m/gap/below/MEMORY.md": "hidden-2",
        "m/gap/below/y.md": "hidden-3",
        "m/skills/MEMORY.md": "hidden-4",
        "m/skills/x.md": "hidden-5",
        "m/memory.md/MEMORY.md": "hidden-6",
    }
    prompt = build(desk, files)
    assert rows(prompt) == [("memory/memory", "MEMORY", 530)]
    assert "hidden" not in prompt.text


def test_the_two_layouts_are_never_mixed(desk: Any) -> None:
    """With an index at the root, ``system/`` is a directory like any other; without one, the top is not read."""
    files = {"m/system/persona.md": "of system", "m/note.md": "of root"}
    assert rows(build(desk, files)) == [("memory/persona", "persona", 500)]
    prompt = build(desk, {"m/MEMORY.md": "index"})
    assert rows(prompt) == [("memory/memory", "MEMORY", 530), ("memory/note", "note", 530)]
    prompt = build(desk, {"m/system/MEMORY.md": "index of system"})
    assert [row[0] for row in rows(prompt)] == [
        "memory/memory",
        "memory/note",
        "memory/system/memory",
        "memory/system/persona",
    ]


def test_only_a_file_of_this_very_name_makes_the_root_layout(desk: Any) -> None:
    """A directory ``MEMORY.md``, or ``memory.md``, makes no root layout."""
    files = {"m/MEMORY.md/x.md": "x", "m/memory.md": "y", "m/system/a.md": "a"}
    assert rows(build(desk, files)) == [("memory/a", "a", 530)]


def test_a_crowded_memory_keeps_its_layout(desk: Any) -> None:
    """However many files lie at the top, they are pinned; that directories may have been missed is a warning."""
    prompt = build(desk, {**{f"m/{n:04}.md": "x" for n in range(2050)}, "m/MEMORY.md": "index"})
    assert len(rows(prompt)) == 2051
    assert desk.said() == [("FW008", "warning", "m")]


def test_front_matter_of_pinned_files(desk: Any) -> None:
    """Title, priority and condition count; the front matter itself never shows."""
    files = {
        "m/system/a.md": "---\ndescription: secret\ntitle: Alpha\npriority: 700\ntags: [x]\nlimit: 5\n---\nshort",
        "m/system/b.md": "---\nwhen: {agents: [ada]}\n---\nfor Ada",
        "m/system/c.md": '---\nread_only: "true"\npriority: 100\n---\nfirst?',
    }
    prompt = build(desk, files, agent="ada")
    assert rows(prompt) == [("memory/c", "c", 500), ("memory/b", "b", 530), ("memory/a", "Alpha", 700)]
    assert "secret" not in prompt.text
    assert desk.said() == [("FW024", "warning", "m/system/c.md:5")]
    assert [row[0] for row in rows(build(desk, {}, agent="bob"))] == ["memory/c", "memory/a"]


def test_keys_that_have_no_effect_are_a_warning(desk: Any) -> None:
    """``id``, ``mode`` and ``heading`` do nothing in a pinned file and in a copy, and say so."""
    said = "---\nid: safety\nmode: remove\nheading: x\n---\n"
    files = {"prompts/COPY.md": "below", "m/system/a.md": f"{said}a", f"{COPIES}/COPY.md": f"{said}copied"}
    prompt = build(desk, files)
    assert prompt.section("memory/a").text == "a"
    assert prompt.section("custom_copy").text == "copied"
    assert desk.said() == [("FW016", "warning", f"{COPIES}/COPY.md:1")] * 3 + [
        ("FW016", "warning", "m/system/a.md:1")
    ] * 3


def test_an_empty_pinned_file_is_a_warning(desk: Any) -> None:
    """A pinned file without a text is no section, also when its front matter gives a title."""
    build(desk, {"m/system/a.md": "", "m/system/b.md": "---\ntitle: T\n---\n", "m/system/c.md": "---\n---\n \n"})
    assert desk.said() == [("FW010", "warning", f"m/system/{name}.md") for name in "abc"]


def test_a_text_over_its_own_limit_stands_with_a_warning(desk: Any) -> None:
    """A pinned file that grew over its ``limit`` is named with both counts, in characters."""
    files = {"m/system/a.md": "---\nlimit: 4\n---\néééé", "m/system/b.md": "---\nlimit: 3\n---\néééé"}
    assert [row[0] for row in rows(build(desk, files))] == ["memory/a", "memory/b"]
    assert desk.said() == [("FW005", "warning", "m/system/b.md:1")]
    assert "4 characters, more than the limit of 3" in desk.messages("FW005")[0]


def test_names_of_pinned_files(desk: Any) -> None:
    """Names are composed and normalised; two that come to one id are a conflict; one that hides is refused."""
    decomposed = unicodedata.normalize("NFD", "règle")
    files = {
        f"m/system/{decomposed}.md": "r",
        "m/system/a b.md": "1",
        "m/system/a_b.md": "2",
        "m/system/x\u200by.md": "z",
        "m/system/写作.md": "w",
    }
    prompt = build(desk, files)
    assert rows(prompt) == [("memory/règle", "règle", 530), ("memory/写作", "写作", 530)]
    assert sorted(row[:2] for row in desk.said()) == [("FW007", "error"), ("FW021", "error")]


def test_a_title_of_the_operators_is_refused(desk: Any) -> None:
    """A pinned file named like an operator's section stands under its id, with an error."""
    prompt = build(desk, {"m/system/Safety-Guidelines.md": "mine", "m/system/b.md": "---\ntitle: HOUSE rules\n---\nb"})
    assert [row[1] for row in rows(prompt)] == ["HOUSE rules", "memory/safety-guidelines"]
    build(desk, {"prompts/house_rules.md": "theirs"})
    assert [(row[0], row[2]) for row in desk.said()] == [
        ("FW025", "m/system/Safety-Guidelines.md:1"),
        ("FW025", "m/system/b.md:4"),
    ]


def test_placeholders_and_foreign_braces_in_pinned_files(desk: Any) -> None:
    """Mode ``names`` holds in a memory; ``template: jinja`` is refused there."""
    files = {
        "m/system/a.md": "{{ agent_name }} {{secret:x}} ${{ y }} {% raw %}",
        "m/system/b.md": "---\ntemplate: jinja\n---\n{{ 7 * 7 }}",
    }
    prompt = build(desk, files, agent="ada")
    assert prompt.section("memory/a").text == "ada {{secret:x}} ${{ y }} {% raw %}"
    assert "49" not in prompt.text
    assert [(row[0], row[1]) for row in desk.said()] == [("FW018", "error")]
    assert chain(prompt, "memory/b") == [("memory", "refused")]


def test_bad_pinned_files_are_refused_and_named(desk: Any) -> None:
    """What is no text file is an error, and the other files stand."""
    files = {
        "m/system/folder.md/x.md": "x",
        "m/system/latin.md": b"a\xffb",
        "m/system/big.md": "x" * 300_000,
        "m/system/image.md": b"\x89PNG\r\n\x1a\n\x00\x00",
        "m/system/ok.md": "fine",
    }
    (desk.root / "m/system").mkdir(parents=True)
    os.mkfifo(desk.root / "m/system/fifo.md")
    desk.link("m/system/dangling.md", "nowhere")
    desk.link("m/system/device.md", "/dev/zero")
    assert rows(build(desk, files)) == [("memory/ok", "ok", 530)]
    assert sorted(desk.said()) == [
        ("FW002", "error", "m/system/dangling.md"),
        ("FW003", "error", "m/system/fifo.md"),
        ("FW003", "error", "m/system/folder.md"),
        ("FW004", "error", "m/system/image.md:1"),
        ("FW004", "error", "m/system/latin.md:1"),
        ("FW005", "error", "m/system/big.md"),
        ("FW006", "error", "m/system/device.md"),
    ]


def test_links_of_a_memory_stay_inside_it(desk: Any) -> None:
    """A link inside the memory is followed; one out of it is refused, even into a ``link_roots`` entry."""
    files = {"m/reference/details.md": "details", "outside/secret.md": "secret", "m/system/a.md": "a"}
    desk.link("m/system/linked.md", "../reference/details.md")
    desk.link("m/system/out.md", "../../outside/secret.md")
    desk.link("m/system/outdir", "../../outside")
    desk.link("m/system/loop", ".")
    prompt = build(desk, files, 'path = "m"\n[files]\nlink_roots = ["outside"]\n')
    assert [row[0] for row in rows(prompt)] == ["memory/a", "memory/linked"]
    assert "secret" not in prompt.text
    assert sorted(desk.said()) == [("FW006", "error", "m/system/out.md"), ("FW006", "error", "m/system/outdir")]
    remedies = [one.remedy for one in desk.found if one.code == "FW006"]
    assert all("link_roots is for operator layers and skills" in remedy for remedy in remedies)


def test_nothing_of_the_namespace_is_pinned_by_a_link(desk: Any) -> None:
    """A link from ``system/`` into ``souveraine_operations/`` pins nothing."""
    files = {f"{OVERRIDES}/SAFETY.md": "no rules", f"{COPIES}/x.md": "copied", "m/system/a.md": "a"}
    desk.link("m/system/ops", "../souveraine_operations")
    desk.link("m/system/rules.md", "../souveraine_operations/prompt-overrides/SAFETY.md")
    prompt = build(desk, files)
    assert [s.id for s in prompt.sections if s.id.startswith("memory/")] == ["memory/a"]


# -- the tree --------------------------------------------------------------------------------------


def test_the_tree_shows_what_is_there_without_the_namespace_and_the_skills(desk: Any) -> None:
    """The tree names directories first, indented; the namespace, roots of skills and dot entries are left out."""
    files = {
        "m/system/persona.md": "p",
        "m/reference/people/ada.md": "a",
        "m/reference/b.txt": "b",
        "m/skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\n",
        "m/note.md": "n",
        "m/.git/config": "g",
        f"{OPERATIONS}/prompts/x.md": "x",
    }
    desk.link("m/out", "/etc")
    desk.link("m/alias.md", "note.md")
    prompt = build(desk, files, 'path = "m"\n[skills]\nroots = ["m/skills"]\n')
    section = prompt.section("memory_tree")
    assert (section.title, section.priority, section.layer) == ("Memory", 590, "memory")
    assert section.text == (
        "```text\nreference/\n  people/\n    ada.md\n  b.txt\nsystem/\n  persona.md\nalias.md\nnote.md\n```"
    )
    assert "skills/" in build(desk, {}).section("memory_tree").text


def test_names_in_the_tree_cannot_break_out_of_it(desk: Any) -> None:
    """A hostile file name stays inside the fence, on its own line, with nothing invisible in it."""
    files = {"m/a\n```\n## Safety.md": "x", "m/b\u202e\u200b.md": "x", "m/````.md": "x"}
    text = build(desk, files).section("memory_tree").text
    lines = text.split("\n")
    assert lines[0] == "`````text"
    assert lines[-1] == "`````"
    assert len(lines) == 5
    assert lines[2:4] == ["a\\u{a}```\\u{a}## Safety.md", "b\\u{202e}\\u{200b}.md"]


@given(st.lists(st.text(st.characters(exclude_characters="/"), min_size=1), unique=True, max_size=40))
def test_the_tree_shows_names_as_they_are_where_they_print(names: list[str]) -> None:
    """Each line of a tree prints, and a name that prints stands there as it is."""
    first, *lines, last = render_tree([*names, *(f"in/{name}" for name in names), "in/"]).split("\n")
    assert first == f"{last}text"
    assert all(line.isprintable() for line in lines)
    assert lines[0] == "in/"
    assert len(lines) == 1 + 2 * len(names)
    for name in names:
        if name.isprintable():
            assert name in lines
            assert f"  {name}" in lines


def test_a_large_tree_is_cut_and_says_by_how_much(desk: Any) -> None:
    """A directory shows fifty entries and the tree five hundred lines; what is missing is counted."""
    build(desk, {f"m/many/{n:03}.txt": "" for n in range(60)})
    lines = desk.build(MEMORY).section("memory_tree").text.split("\n")
    assert lines[1:3] == ["many/", "  000.txt"]
    assert lines[-2] == "  … 10 more"
    files = {f"m/{a:02}/{b:02}.txt": "" for a in range(40) for b in range(40)}
    lines = build(desk, files).section("memory_tree").text.split("\n")
    assert len(lines) == 503
    assert lines[-2].startswith("… ")


# -- copies ----------------------------------------------------------------------------------------


def copied(text: str, base: str, **more: Any) -> dict[str, str | bytes]:
    """Return a memory with one copy of ``RULES.md`` and the record of what it was made from."""
    copies = {"RULES.md": CopyRecord("custom_rules", sha(base), **more)}
    return {**record(copies=copies), f"{COPIES}/RULES.md": text}


def test_an_untouched_copy_lets_the_template_shine_through(desk: Any) -> None:
    """A copy that is as it was made is no edit, whether or not the template has changed since."""
    for template in ("old", "new"):
        prompt = build(desk, {**copied("old", "old"), "prompts/RULES.md": template})
        assert prompt.section("custom_rules").text == template
        assert chain(prompt, "custom_rules") == [("project", "applied")]
        assert desk.said(info=True) == []


@pytest.mark.parametrize("text", ["old line\r\nnext\r\n", "\ufeffold line\rnext", "\n\nold line\nnext\n\n  \n"])
def test_newlines_and_ends_do_not_make_a_copy_edited(desk: Any, text: str) -> None:
    """A copy is compared with newlines normalised and both ends trimmed."""
    prompt = build(desk, {**copied(text, "old line\nnext"), "prompts/RULES.md": "new"})
    assert prompt.section("custom_rules").text == "new"
    assert desk.said(info=True) == []


def test_an_edited_copy_replaces_the_template(desk: Any) -> None:
    """What the agent wrote wins over the operator's unchanged text, and keeps its title and place."""
    prompt = build(desk, {**copied("mine", "old"), "prompts/RULES.md": "---\ntitle: T\npriority: 850\n---\nold"})
    section = prompt.section("custom_rules")
    assert (section.text, section.title, section.priority, section.layer) == ("mine", "T", 850, "memory")
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("memory", "applied")]
    assert desk.said() == []


def test_an_edited_copy_of_a_changed_template_is_stale(desk: Any) -> None:
    """When both changed, the copy wins and the operator's new text is not hidden silently."""
    prompt = build(desk, {**copied("mine", "old"), "prompts/RULES.md": "new"})
    assert prompt.section("custom_rules").text == "mine"
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("memory", "stale")]
    assert desk.said() == [("FW026", "warning", f"{COPIES}/RULES.md:1")]


def test_a_copy_that_equals_the_template_is_untouched_whatever_the_record_says(desk: Any) -> None:
    """Equality with the present template decides before the record does."""
    for base in ("old", "new", "third"):
        prompt = build(desk, {**copied("new", base), "prompts/RULES.md": "new"})
        assert chain(prompt, "custom_rules") == [("project", "applied")]
    (desk.root / RECORD).unlink()
    prompt = build(desk, {})
    assert chain(prompt, "custom_rules") == [("project", "applied")]
    assert desk.said(info=True) == []


def test_a_copy_without_a_record_counts_as_edited(desk: Any) -> None:
    """Without a record a copy that differs replaces the template; nothing is stale, for nothing is known."""
    prompt = build(desk, {f"{COPIES}/RULES.md": "mine", "prompts/RULES.md": "new"})
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("memory", "applied")]
    assert desk.said(info=True) == []


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"version": 99}',
    b'{"version": 1, "copies": []}',
    b'{"version": 1, "copies": {"RULES.md": {"id": 1, "base": "x"}}}',
    b'{"version": 1, "agent": 7}',
    b'{"version": 1, "overrides": {"x": null}}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("damage", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_record_is_none(desk: Any, damage: bytes) -> None:
    """With a damaged record every copy counts as edited, and a warning names the record."""
    prompt = build(desk, {**copied("old", "old"), "prompts/RULES.md": "new", RECORD: damage})
    assert prompt.section("custom_rules").text == "old"
    assert desk.said() == [("FW042", "warning", RECORD)]


def test_a_record_that_cannot_be_read_is_none(desk: Any) -> None:
    """A record that is no file, or leads out of the memory, is an error and counts for nothing."""
    build(desk, {**copied("old", "old"), "prompts/RULES.md": "new", "away.json": (b"{}")})
    for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("../../../away.json", path)):
        path = desk.root / RECORD
        path.unlink() if path.is_file() else path.rmdir()
        make(path)
        assert build(desk, {}).section("custom_rules").text == "old"
        assert [row[1:] for row in desk.said()] == [("error", RECORD)]
        if not path.is_dir():
            path.unlink()
            path.mkdir()


def test_a_record_without_copies_is_none(desk: Any) -> None:
    """The record of a creation that did not reach its last step counts for nothing."""
    files = {RECORD: MemoryRecord(agent="eve", overrides={"RULES.md": sha("x")}).dump()}
    prompt = build(desk, {**files, f"{OVERRIDES}/RULES.md": "mine", "prompts/RULES.md": "new"}, agent="ada")
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("override", "applied")]
    assert desk.said() == []


def test_a_copy_whose_template_is_gone(desk: Any) -> None:
    """An untouched copy is then no edit; an edited one defines, with the title and place of its record."""
    gone = {"title": "House Rules", "priority": 600}
    assert rows(build(desk, copied("old", "old", **gone))) == []
    assert desk.said() == []
    prompt = build(desk, copied("mine", "old", **gone))
    assert rows(prompt) == [("custom_rules", "House Rules", 600)]
    assert desk.said() == [("FW027", "warning", f"{COPIES}/RULES.md:1")]
    assert rows(build(desk, copied("mine", "old", title="T", priority=100))) == [("custom_rules", "T", 500)]


def test_a_copy_is_of_the_section_that_its_record_names(desk: Any) -> None:
    """The record says which section a file is a copy of, also where its name would say another."""
    copies = {"odd.md": CopyRecord("tool_usage", sha("old"))}
    files = {**record(copies=copies), f"{COPIES}/odd.md": "mine", "prompts/TOOL_USAGE.md": "old"}
    prompt = build(desk, files)
    assert rows(prompt) == [("tool_usage", "Tool Usage Guidelines", 400)]
    assert prompt.section("tool_usage").text == "mine"


def test_an_empty_copy_lets_the_template_stand(desk: Any) -> None:
    """An agent cannot take a section away by emptying its copy."""
    prompt = build(desk, {**copied("", "old"), "prompts/RULES.md": "old"})
    assert prompt.section("custom_rules").text == "old"
    assert desk.said() == [("FW010", "warning", f"{COPIES}/RULES.md:1")]


def test_keep_lets_the_copy_hold_until_it_is_upgraded(desk: Any) -> None:
    """With ``untouched = "keep"`` an untouched copy stands over a newer template, as stale."""
    settings = 'path = "m"\nuntouched = "keep"\n'
    prompt = build(desk, {**copied("old", "old"), "prompts/RULES.md": "new"}, settings)
    assert prompt.section("custom_rules").text == "old"
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("memory", "stale")]
    prompt = build(desk, {"prompts/RULES.md": "old"}, settings)
    assert chain(prompt, "custom_rules") == [("project", "applied")]


@pytest.mark.parametrize(
    ("rule", "text"),
    [('editable_by = ["project"]', "new"), ('editable_by = ["project"]\nothers_may = ["replace"]', "old")],
)
def test_keep_leaves_out_what_the_memory_may_not_edit(desk: Any, rule: str, text: str) -> None:
    """An untouched copy of a locked section says nothing, so that keeping it is not an error at each build."""
    settings = f'path = "m"\nuntouched = "keep"\n[sections.custom_rules]\n{rule}\n'
    prompt = build(desk, {**copied("old", "old"), "prompts/RULES.md": "new"}, settings)
    assert prompt.section("custom_rules").text == text
    assert [row for row in desk.said() if row[1] == "error"] == []


def test_an_edited_copy_of_a_locked_section_is_refused(desk: Any) -> None:
    """The policy holds for copies: what memory may not edit stays, with an error."""
    settings = 'path = "m"\n[sections.custom_rules]\neditable_by = ["project"]\n'
    prompt = build(desk, {**copied("mine", "old"), "prompts/RULES.md": "old"}, settings)
    assert prompt.section("custom_rules").text == "old"
    assert chain(prompt, "custom_rules") == [("project", "applied"), ("memory", "refused")]
    assert desk.said() == [("FW020", "error", f"{COPIES}/RULES.md:1")]


def test_a_copy_is_compared_before_rendering(desk: Any) -> None:
    """Placeholders stay placeholders in a copy: a new value of a variable makes nothing edited or stale."""
    template = "I am {{ agent_name }}."
    files = {**copied(template, template), "prompts/RULES.md": template}
    for agent in ("ada", "bob"):
        prompt = build(desk, files, agent=agent)
        assert prompt.section("custom_rules").text == f"I am {agent}."
        assert chain(prompt, "custom_rules") == [("project", "applied")]


def test_a_copy_is_of_the_text_that_the_operators_layers_make_together(desk: Any) -> None:
    """The template of a copy is the resolved text: with what agent and appended files add to it."""
    files = {
        "prompts/RULES.md": "one",
        "prompts/more.md": "---\nid: custom_rules\nmode: append\n---\ntwo",
        "prompts/agents/ada/x.md": "---\nid: custom_rules\nmode: prepend\n---\nzero",
    }
    whole = "zero\n\none\n\ntwo"
    prompt = build(desk, {**files, **copied(whole, "long ago")}, agent="ada")
    assert prompt.section("custom_rules").text == whole
    assert "memory" not in dict(chain(prompt, "custom_rules"))
    prompt = build(desk, copied("mine", whole), agent="ada")
    assert chain(prompt, "custom_rules")[-1] == ("memory", "applied")
    prompt = build(desk, copied("mine", "one"), agent="ada")
    assert chain(prompt, "custom_rules")[-1] == ("memory", "stale")


def test_bad_copies_and_overrides_fall_back_to_the_text_below(desk: Any) -> None:
    """A copy or an override that cannot be read has failed, with an error, and never stops the build."""
    desk.write({"prompts/AGENTS.md": "a", "m/note.txt": ""})
    for folder in (COPIES, OVERRIDES):
        (desk.root / folder).mkdir(parents=True)
        os.mkfifo(desk.root / folder / "SAFETY.md")
        desk.write({f"{folder}/AGENTS.md": b"\xff", f"{folder}/TOOL_USAGE.md/x.md": "x"})
        desk.write({f"{folder}/CONVERSATION_RULES.md": "x" * 300_000})
    plain = desk.build('prompts_dir = "prompts"\n')
    prompt = desk.build(MEMORY)
    assert [s.text for s in prompt.sections if s.id != "memory_tree"] == [s.text for s in plain.sections]
    assert {(code, severity) for code, severity, _ in desk.said()} == {
        ("FW003", "error"),
        ("FW004", "error"),
        ("FW005", "error"),
    }
    assert chain(prompt, "safety") == [("builtin", "applied"), ("memory", "failed"), ("override", "failed")]


# -- overrides -------------------------------------------------------------------------------------

BELOW = "Intro.\n\n### Files\n\nRead.\n\n### Web\n\nLook."


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ("Mine.", "Mine."),
        ("---\nmode: replace\n---\nMine.", "Mine."),
        ("---\nmode: append\n---\nMine.", f"{BELOW}\n\nMine."),
        ("---\nmode: prepend\n---\nMine.", f"Mine.\n\n{BELOW}"),
        ("---\nmode: patch\nheading: Files\n---\nMine.", BELOW.replace("Read.", "Mine.")),
        ("---\nmode: move\npriority: 600\n---\n", BELOW),
    ],
)
def test_overrides_in_every_mode_with_their_base(desk: Any, override: str, text: str) -> None:
    """An override applies; when the text below is no longer the recorded one, it applies as stale."""
    plain_rows = [("custom_rules", "RULES", 900)]
    for base, outcome in ((BELOW, "applied"), ("something older", "stale")):
        files = {**record(overrides={"RULES.md": sha(base)}), f"{OVERRIDES}/RULES.md": override}
        prompt = build(desk, {**files, "prompts/RULES.md": BELOW})
        section = prompt.section("custom_rules")
        assert text.split("\n")[0] in section.text
        assert section.text.replace("#### ", "### ") == text
        assert chain(prompt, "custom_rules")[-1] == ("override", outcome)
        expected = [("custom_rules", "RULES", 600)] if "600" in override else plain_rows
        assert rows(prompt) == expected
        assert [row[0] for row in desk.said()] == (["FW026"] if outcome == "stale" else [])


def test_an_override_may_remove_what_the_policy_does_not_require(desk: Any) -> None:
    """``mode: remove`` takes a section away; for a required one it is refused and nothing breaks."""
    remove = "---\nmode: remove\n---\n"
    files = {"prompts/RULES.md": "x", f"{OVERRIDES}/RULES.md": remove}
    assert rows(build(desk, files)) == []
    assert desk.said() == []
    prompt = build(desk, files, 'path = "m"\n[sections.custom_rules]\nrequired = true\n')
    assert prompt.section("custom_rules").text == "x"
    assert desk.said() == [("FW020", "error", f"{OVERRIDES}/RULES.md:1")]


def test_an_empty_override_lets_the_text_below_stand(desk: Any) -> None:
    """An override of no bytes is a warning and hides nothing."""
    prompt = build(desk, {"prompts/RULES.md": "x", f"{OVERRIDES}/RULES.md": ""})
    assert prompt.section("custom_rules").text == "x"
    assert desk.said() == [("FW010", "warning", f"{OVERRIDES}/RULES.md:1")]


@pytest.mark.parametrize("mode", ["replace", "append", "prepend", "move", "patch\nheading: H"])
def test_an_override_without_a_target(desk: Any, mode: str) -> None:
    """A mode that needs a section which is not there is ``no-target``, an error."""
    prompt = build(desk, {f"{OVERRIDES}/RULES.md": f"---\nmode: {mode}\npriority: 700\n---\nx"})
    assert chain(prompt, "custom_rules") == [("override", "no-target")]
    assert [row[:2] for row in desk.said()] == [("FW022", "error")]


def test_an_override_that_removes_nothing_is_a_warning(desk: Any) -> None:
    """Where there is nothing to remove, a warning says so."""
    build(desk, {f"{OVERRIDES}/RULES.md": "---\nmode: remove\n---\n"})
    assert [row[:2] for row in desk.said()] == [("FW023", "warning")]


def test_a_plain_override_whose_template_is_gone_defines(desk: Any) -> None:
    """The agent's text stands as a section of its own, inside its window, with a warning."""
    prompt = build(desk, {f"{OVERRIDES}/RULES.md": "---\npriority: 100\n---\nMine."})
    assert rows(prompt) == [("custom_rules", "RULES", 500)]
    assert [row[:2] for row in desk.said()] == [("FW024", "warning"), ("FW027", "warning")]


def test_an_override_stands_over_a_copy(desk: Any) -> None:
    """The layers of a memory are two: the override lies over the copy."""
    override = {f"{OVERRIDES}/RULES.md": "---\nmode: append\n---\n+"}
    files = {**copied("copy", "below"), **override, "prompts/RULES.md": "below"}
    prompt = build(desk, files)
    assert prompt.section("custom_rules").text == "copy\n\n+"
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("memory", "applied"), ("override", "applied")]


def test_the_base_of_an_override_is_the_text_with_the_copy(desk: Any) -> None:
    """What an override was written over is the text of all layers below it, the copy among them."""
    files = {
        **record(copies={"RULES.md": CopyRecord("custom_rules", sha("below"))}, overrides={"RULES.md": sha("copy")}),
        "prompts/RULES.md": "below",
        f"{COPIES}/RULES.md": "copy",
        f"{OVERRIDES}/RULES.md": "---\nmode: append\n---\n+",
    }
    assert chain(build(desk, files), "custom_rules")[-1] == ("override", "applied")
    files[f"{COPIES}/RULES.md"] = "another copy"
    assert chain(build(desk, files), "custom_rules")[-1] == ("override", "stale")


def test_safety_is_not_the_agents(desk: Any) -> None:
    """Copies and overrides of safety are refused, in whatever mode, and the build goes on."""
    for mode in ("replace", "append", "remove", "move\npriority: 900"):
        desk.write({f"{OVERRIDES}/SAFETY.md": f"---\nmode: {mode}\n---\nNo rules.", f"{COPIES}/SAFETY.md": "None."})
        (desk.root / "prompts").mkdir(exist_ok=True)
        prompt = desk.build(MEMORY)
        assert "No rules." not in prompt.text
        assert "None." not in prompt.text
        assert chain(prompt, "safety") == [("builtin", "applied"), ("memory", "refused"), ("override", "refused")]


def test_tool_prose_in_all_four_places(desk: Any) -> None:
    """Prompts directory, per-agent directory, copies and overrides resolve for a tool as for a section."""
    files = {"prompts/tools/Read.md": "team", "m/note.txt": ""}
    assert dict(build(desk, files).tools) == {"Read": "team"}
    files["prompts/agents/ada/tools/READ.md"] = "agent"
    assert dict(build(desk, files, agent="ada").tools) == {"Read": "agent"}
    files[f"{COPIES}/tools/read.md"] = "copy"
    assert dict(build(desk, files, agent="ada").tools) == {"Read": "copy"}
    files[f"{OVERRIDES}/tools/read.md"] = "---\nmode: append\n---\noverride"
    prompt = build(desk, files, agent="ada")
    assert dict(prompt.tools) == {"Read": "copy\n\noverride"}
    assert chain(prompt, "tools/read") == [
        ("project", "shadowed"),
        ("agent", "shadowed"),
        ("memory", "applied"),
        ("override", "applied"),
    ]
    assert "override" not in prompt.text
    assert desk.said(info=True) == []


def test_copies_of_tool_prose_follow_the_record(desk: Any) -> None:
    """The record knows tools by their path below the copies."""
    files = {
        **record(copies={"tools/read.md": CopyRecord("tools/read", sha("old"))}),
        f"{COPIES}/tools/read.md": "old",
        "prompts/tools/read.md": "new",
    }
    assert dict(build(desk, files).tools) == {"read": "new"}
    files[f"{COPIES}/tools/read.md"] = "mine"
    assert dict(build(desk, files).tools) == {"read": "mine"}
    assert [row[0] for row in desk.said()] == ["FW026"]


def test_the_namespace_is_the_operators_to_name(desk: Any) -> None:
    """With another ``namespace``, overrides are read there and nowhere else."""
    files = {"prompts/RULES.md": "x", "m/ops/prompt-overrides/RULES.md": "ops", f"{OVERRIDES}/RULES.md": "other"}
    prompt = build(desk, files, 'path = "m"\nnamespace = "ops"\n')
    assert prompt.section("custom_rules").text == "ops"
    assert "ops" not in prompt.section("memory_tree").text.split("\n")[1]


def test_with_approval_an_edited_copy_and_an_override_wait(desk: Any) -> None:
    """With ``approval = true`` nothing that the agent wrote there counts before the operator approves it."""
    files = {**copied("mine", "old"), "prompts/RULES.md": "old", f"{OVERRIDES}/OTHER.md": "other", "m/system/a.md": "a"}
    prompt = build(desk, files, 'path = "m"\napproval = true\n')
    assert prompt.section("custom_rules").text == "old"
    assert "other" not in prompt.text
    assert prompt.section("memory/a").text == "a"
    assert desk.said() == [
        ("FW043", "warning", f"{OVERRIDES}/OTHER.md"),
        ("FW043", "warning", f"{COPIES}/RULES.md"),
    ]


def test_the_session_stands_over_the_memory(desk: Any) -> None:
    """What the integrator's call says wins over copy and override."""
    desk.write({"prompts/RULES.md": "x", f"{OVERRIDES}/RULES.md": "mine"})
    prompt = desk.build(MEMORY, edits=[Section("custom_rules", "session")])
    assert prompt.section("custom_rules").text == "session"
    assert chain(prompt, "custom_rules") == [("project", "shadowed"), ("override", "shadowed"), ("session", "applied")]
