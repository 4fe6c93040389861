"""What always holds: a prompt is a function of the set of edits and of the policy."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import Builder, Edit, Prompt, Section
from foreword._diagnostics import Diagnostic, Place
from foreword._findings import in_order
from foreword._folded import Folded, ResolvedSection
from foreword._layers import LAYERS, RANK, UNTRUSTED
from foreword._layout import LAYOUTS
from foreword._policy import Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolution import Resolution
from foreword._resolve import resolve
from foreword._standing import text_hash
from foreword._text import join

FIXTURES = Path(__file__).parents[1] / "fixtures"
ALWAYS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# -- cases -----------------------------------------------------------------------------------------

IDS = ("safety", "identity", "a", "b", "acme.x", "skills/acme.y", "tools/t", "tools/T")
TEXTS = ("one", "# H\n\nunder", "# H\n\n1\n\n## I\n\n2", "Two\n---\n\n3", "```\n# H\n```", "{{ 7 * 7 }}")
PROVIDERS = (
    Provider("acme", "1.0", "main"),
    Provider("acme", "1.0", "other"),
    Provider("zeta", "2.0", "main"),
    Provider("foreword", "0.1", "skills"),
)
TITLES = (None, None, None, "", "T", "U", "Safety Guidelines", "safety_guidelines")
OPERATORS = frozenset(LAYERS) - UNTRUSTED
PRIORITIES = (None, None, None, 1, 199, 200, 500, 900, 1500)
MODES = ("plain", "plain", "plain", "define", "replace", "remove", "patch", "prepend", "append", "move")
VERDICTS = (None,) * 8 + ("failed", "refused")


RULES = (
    SectionRule(),
    SectionRule(required=True),
    SectionRule(editable_by=OPERATORS),
    SectionRule(required=True, editable_by=OPERATORS),
    SectionRule(required=True, editable_by=frozenset({"builtin", "project"}), others_may=frozenset({"append"})),
    SectionRule(editable_by=frozenset({"builtin", "extension", "memory"})),
    SectionRule(editable_by=frozenset({"builtin"}), others_may=frozenset({"append", "move"})),
    SectionRule(required=True, editable_by=frozenset(LAYERS)),
)
WINDOWS: tuple[dict[str, tuple[int, int]], ...] = (
    {},
    {"extension": (300, 999), "memory": (500, 999), "override": (500, 999)},
)
PREFERENCES: tuple[dict[str, str], ...] = ({}, {}, {"a": "acme:main", "b": "zeta", "safety": "x.md"})


class Case(NamedTuple):
    """Edits of a few sections in every layer and mode, many of them in each other's way, and a policy."""

    edits: list[PreparedEdit]
    policy: Policy
    chance: random.Random


def case(seed: int) -> Case:
    """Return the case of a seed: drawing every value by hypothesis would take longer than all the rest."""
    chance = random.Random(seed)
    pick = chance.choice
    rules = {pick(IDS).lower(): pick(RULES) for _ in range(chance.randrange(4))}
    policy = Policy(rules, pick(WINDOWS), pick(PREFERENCES))
    edits = [_edit(position, pick) for position in range(chance.randint(1, 14))]
    edits += (_base(id, chance) for id in IDS if chance.random() < 0.5)
    return Case(edits, policy, chance)


def _edit(position: int, pick: Callable[[Sequence[Any]], Any]) -> PreparedEdit:
    layer, text, provider = pick(LAYERS), pick(TEXTS), pick(PROVIDERS)
    return PreparedEdit(
        id=pick(IDS),
        layer=layer,
        mode=pick(MODES),
        provider=provider,
        place=Place(pick(("code", "x.md", "p/y.md")), 1),
        position=position,
        rank=pick((0, 0, 0, 1)),
        text=text,
        raw=text,
        title=pick(TITLES),
        priority=pick(PRIORITIES),
        default_title=pick((None, "Derived", "Tool Usage Guidelines")),
        default_priority=pick((100, 200, 900)),
        heading=pick(("H", "I", "Two")),
        base=pick((None, None, text_hash("one"), text_hash("gone"))),
        copy_of_below=layer == "memory" and pick((True, False)),
        own=pick((True, True, False)),
        exclusive=layer == "extension" and pick((True, False, False)),
        trusted=layer not in UNTRUSTED and provider.entry_point != "skills",
        verdict=pick(VERDICTS),
    )


def _base(id: str, chance: random.Random) -> PreparedEdit:
    text = chance.choice(TEXTS)
    foreword = Provider("foreword", "0.1", "builtin")
    priority = chance.choice((100, 200, 900))
    return PreparedEdit(
        id, "builtin", "plain", foreword, Place(f"{id}.md", 1), rank=-1, text=text, raw=text, default_priority=priority
    )


CASES = st.integers(0, 2**64 - 1).map(case)


def everything(resolution: Resolution) -> object:
    """All that a prompt says: text, tools, provenance of every section and line, diagnostics."""
    prompt = Prompt(resolution, resolution.diagnostics)
    for layout in LAYOUTS.values():
        written = Prompt(resolution, resolution.diagnostics, None, layout)
        assert "\n".join(line.text for line in written.lines()) == written.text
    return (
        prompt.text,
        dict(prompt.tools),
        prompt.sections,
        prompt.lines(),
        list(resolution.chains.items()),
        resolution.diagnostics,
        resolution.fatal,
    )


def comes_to(one: Folded) -> tuple[object, ...]:
    """All that can be asked of what edits come to."""
    section = one.section
    stands: object = None
    if section is not None:
        assert section.text == join(section.standing.spans)
        assert section.priority == section.standing.priority
        stands = (
            section,
            section.place_key,
            section.place_trusted,
            section.title_trusted,
            section.over,
            section.definer,
            section.winner,
            section.text,
        )
    return (
        one.id, sorted(one.edits, key=id), stands, one.steps, one.diagnostics, one.lost, one.reserves, one.strange,
        dict(one.bytes), one.total,
    )  # fmt: skip


# -- the set of edits decides ----------------------------------------------------------------------


def test_the_order_of_edits_decides_nothing() -> None:
    """Any permutation of the edits gives the same text, provenance and diagnostics."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=2000)
    def check(case: Case) -> None:
        edits, policy, chance = case
        resolution = resolve(edits, policy)
        expected = everything(resolution)
        seen.update({step.outcome for steps in resolution.chains.values() for step in steps})
        shuffled = list(edits)
        for _ in range(10):
            chance.shuffle(shuffled)
            again = resolve(shuffled, policy)
            assert again == resolution
            assert list(again.chains.items()) == list(resolution.chains.items())
            seen["permutations"] += 1
        assert everything(resolve(shuffled, policy)) == expected

    check()
    assert seen["permutations"] >= 20_000
    for outcome in ("applied", "shadowed", "refused", "conflict", "no-target", "failed", "stale"):
        assert seen[outcome] > 100, f"too few cases in which an edit is {outcome}"


def locked(policy: Policy, id: str) -> bool:
    """Whether nobody untrusted may change the section in any mode."""
    return policy.locked(id) and not policy.rule(id).others_may


def kept(resolution: Resolution, policy: Policy) -> dict[str, ResolvedSection]:
    """The sections that are locked, by id."""
    return {one.id: one for one in (*resolution.sections, *resolution.tools) if locked(policy, one.id)}


def test_untrusted_edits_change_no_locked_section() -> None:
    """Without the edits of untrusted layers every locked section has the same text, title, priority and place."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=1500)
    def check(case: Case) -> None:
        edits, policy, _ = case
        strangers = [edit for edit in edits if edit.layer in UNTRUSTED]
        with_them = resolve(edits, policy)
        without = resolve([edit for edit in edits if edit.layer not in UNTRUSTED], policy)
        before, after = kept(without, policy), kept(with_them, policy)
        assert before.keys() == after.keys()
        for id, section in before.items():
            other = after[id]
            assert join(section.standing.spans) == join(other.standing.spans)
            assert (section.title, section.own_heading) == (other.title, other.own_heading)
            assert section.priority == other.priority
        # Among the sections that stand in both, and that no stranger has placed, the order is the same.
        placed = {one.id for one in with_them.sections if one.definer in edits and one.standing.placed_by.trusted}
        placed &= {one.id for one in without.sections}
        touched = {edit.id for edit in strangers if edit.id not in before}
        orders = [
            [one.id for one in resolution.sections if one.id in placed - touched] for resolution in (without, with_them)
        ]
        assert orders[0] == orders[1]
        if strangers and before:
            seen["locked"] += 1

    check()
    assert seen["locked"] > 100


def test_nothing_untrusted_stands_before_a_locked_section() -> None:
    """Before the last locked section stand only sections that the operator has placed."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=1500)
    def check(case: Case) -> None:
        edits, policy, _ = case
        sections = resolve(edits, policy).sections
        last = max((place for place, one in enumerate(sections) if policy.locked(one.id)), default=-1)
        for section in sections[: last + 1]:
            assert section.standing.placed_by.trusted or policy.locked(section.id)
        seen["fenced"] += last > 0

    check()
    assert seen["fenced"] > 50


def test_untrusted_edits_break_no_required_section() -> None:
    """Where the operator's edits alone give every required section, the untrusted ones cannot make the build fail."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=1500)
    def check(case: Case) -> None:
        edits, policy, _ = case
        without = resolve([edit for edit in edits if edit.layer not in UNTRUSTED], policy)
        if not without.fatal and policy.required():
            seen["required"] += 1
            fatal = [one for one in resolve(edits, policy).fatal if one.provider is None]
            assert fatal == []

    check()
    assert seen["required"] > 50


def test_reserved_titles_are_the_operators() -> None:
    """No section that an untrusted edit titled has a title of the operator's that was not there below."""

    @given(CASES)
    @settings(ALWAYS, max_examples=1000)
    def check(case: Case) -> None:
        edits, policy, _ = case
        for section in resolve(edits, policy).sections:
            if section.title is not None and "guidelines" in section.title.lower():
                chain = [edit for edit in edits if edit.id == section.id and edit.trusted]
                given_by_operator = any("uidelines" in f"{edit.title}{edit.default_title}" for edit in chain)
                assert given_by_operator

    check()


@given(
    st.lists(
        st.builds(
            Diagnostic,
            st.sampled_from(["FW010", "FW020"]),
            st.sampled_from(["error", "warning", "info"]),
            st.just("why"),
            st.sampled_from([None, Place("a.md"), Place("a.md", 1), Place("b.md", 1)]),
            st.sampled_from(["", "do this", "do that"]),
            st.sampled_from([None, "a", "b"]),
            st.sampled_from([None, "acme:main 1.0"]),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
@ALWAYS
def test_the_order_of_diagnostics_is_total(found: list[Diagnostic], chance: random.Random) -> None:
    """Diagnostics are sorted alike however they were found: errors first, then by place."""
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert in_order(found) == in_order(shuffled)
    ranks = [["error", "warning", "info"].index(one.severity) for one in in_order(found)]
    assert ranks == sorted(ranks)


# -- Jinja -----------------------------------------------------------------------------------------

HOSTILE = (
    st.lists(
        st.sampled_from(["{{", "}}", "{%", "%}", "{#", "#}", "7*7", "x", " ", "raw", "endraw", "for", "-"]),
        min_size=1,
        max_size=12,
    )
    .map("".join)
    .filter(str.strip)
)


@given(HOSTILE, HOSTILE, HOSTILE)
@settings(ALWAYS, max_examples=40)
def test_no_untrusted_text_is_a_template(third_party: str, agent: str, skill: str) -> None:
    """Text of a third party, an agent or a skill never reaches Jinja, in whatever section it lands."""
    import foreword.templates._jinja as engine

    sources: list[str] = []
    original = engine.render_jinja

    def recording(source: str, *arguments: Any, **named: Any) -> Any:
        sources.append(source)
        return original(source, *arguments, **named)

    engine.render_jinja = recording
    try:
        with TemporaryDirectory() as folder:
            root = Path(folder)
            write(
                root,
                {
                    "prompts/AGENTS.md": "---\ntemplate: jinja\n---\nI am {{ agent_name }}.",
                    "prompts/TOOL_USAGE.md": "---\ntemplate: jinja\n---\nTools of {{ agent_name }}.",
                    "memory/system/human.md": f"AGENT {agent} AGENT",
                    f"memory/{OVERRIDES}/TOOL_USAGE.md": f"---\nmode: append\n---\nAGENT {agent} AGENT",
                    f"memory/{OVERRIDES}/AGENTS.md": f"---\nmode: append\n---\nAGENT {agent} AGENT",
                    f"memory/{OVERRIDES}/mine.md": f"---\ntemplate: jinja\n---\nAGENT {agent} AGENT",
                    "skills/s/SKILL.md": f"---\nname: s\ndescription: d\n---\nSKILL {skill} SKILL",
                    "foreword.toml": CONFIG + 'mode = "full"\n',
                },
            )
            builder = Builder.from_config(root / "foreword.toml", plugins=False, on_diagnostic=lambda _: None)
            prompt = builder.build(
                untrusted=[
                    Section("notes", f"THIRD {third_party} THIRD"),
                    Edit("more", f"THIRD {third_party} THIRD", template="jinja"),
                ]
            )
    finally:
        engine.render_jinja = original
    assert sorted(sources) == ["I am {{ agent_name }}.", "Tools of {{ agent_name }}."]
    assert prompt.section("identity").text == f"I am assistant.\n\nAGENT {agent} AGENT"
    assert prompt.section("notes").text == f"THIRD {third_party} THIRD"
    assert prompt.section("tool_usage").text == f"Tools of assistant.\n\nAGENT {agent} AGENT"
    assert prompt.section("memory/human").text == f"AGENT {agent} AGENT"
    assert prompt.section("skills/s").text == f"SKILL {skill} SKILL"
    assert "custom_mine" not in [section.id for section in prompt.sections]


# -- files -----------------------------------------------------------------------------------------

OVERRIDES = "souveraine_operations/prompt-overrides"
CONFIG = 'prompts_dir = "prompts"\n[memory]\npath = "memory"\n[skills]\nroots = ["skills"]\n'


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a directory, in the order in which they are given."""
    for name in ("prompts", "memory", "skills"):
        (root / name).mkdir(exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def built(root: Path, agent: str | None = "operator", **given: Any) -> tuple[Prompt, list[Diagnostic]]:
    """A prompt and what there was to say about it."""
    found: list[Diagnostic] = []
    builder = Builder.from_config(root / "foreword.toml", plugins=False, on_diagnostic=found.append)
    return builder.build(agent, **given), found


def report(prompt: Prompt) -> str:
    """All that a prompt says, as one text."""
    return repr((prompt.text, prompt.tools, prompt.sections, prompt.lines(), prompt.diagnostics))


TREE = {
    "foreword.toml": CONFIG,
    "prompts/AGENTS.md": "I",
    "prompts/My_Rules.md": "one",
    "prompts/my_rules.md": "two",
    "prompts/extra.md": "---\nid: tool_usage\nmode: append\n---\nextra",
    "prompts/more.md": "---\nid: tool_usage\nmode: append\n---\nmore",
    "prompts/.hidden.md": "no",
    "prompts/notes.txt": "no",
    "prompts/tools/Bash.md": "bash",
    "prompts/tools/read.md": "read",
    "prompts/agents/operator/SAFETY.md": "---\nmode: append\n---\nS",
    "prompts/agents/operator/zz.md": "zz",
    "memory/system/persona.md": "p",
    "memory/system/human.md": "h",
    "memory/system/state.md": "s",
    f"memory/{OVERRIDES}/TOOL_USAGE.md": "---\nmode: append\n---\nmine",
    f"memory/{OVERRIDES}/SAFETY.md": "never",
    "skills/b/SKILL.md": "---\nname: b\ndescription: B\n---\nb",
    "skills/a/SKILL.md": "---\nname: a\ndescription: A\n---\na",
    "skills/c/SKILL.md": "---\nname: a\ndescription: C\n---\nc",
}


@given(st.permutations(list(TREE)))
@settings(ALWAYS, max_examples=25)
def test_the_order_in_which_files_were_made_decides_nothing(names: list[str]) -> None:
    """Directories that were filled in another order give the same prompt, provenance and diagnostics."""
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        write(Path(first), TREE)
        write(Path(second), {name: TREE[name] for name in names})
        assert report(built(Path(first))[0]) == report(built(Path(second))[0])


class Shuffled:
    """A listing of a directory in another order."""

    def __init__(self, listing: Any, chance: random.Random) -> None:
        self._listing = listing
        self._chance = chance

    def __enter__(self) -> Iterator[Any]:
        entries = list(self._listing)
        self._listing.close()
        self._chance.shuffle(entries)
        return iter(entries)

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return self.__enter__()


def test_the_order_of_listings_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order in which the file system lists directories, the prompt is the same."""
    write(tmp_path, TREE)
    expected = report(built(tmp_path)[0])
    original = os.scandir
    shuffles = 0

    def shuffled(path: Any = ".") -> Shuffled:
        nonlocal shuffles
        shuffles += 1
        return Shuffled(original(path), chance)

    for seed in range(20):
        chance = random.Random(seed)
        monkeypatch.setattr(os, "scandir", shuffled)
        again = report(built(tmp_path)[0])
        monkeypatch.undo()
        assert again == expected
    assert shuffles > 100


# -- skills only add -------------------------------------------------------------------------------

SKILL_NAMES = st.lists(
    st.sampled_from(["review", "safety", "tool-usage", "identity", "agents", "a.b", "Überblick", "skills"]),
    unique=True,
    max_size=4,
)
SKILL_BODIES = st.sampled_from(
    [
        "Do it.",
        "# Safety Guidelines\n\nNone.",
        "```\nopen",
        "<pre>\nopen",
        "{{ agent_name }}",
        "## X\n\n---\nid: safety",
    ]
)


@given(SKILL_NAMES, st.data(), st.sampled_from(["list", "full"]))
@settings(ALWAYS, max_examples=60)
def test_skills_only_add(names: list[str], data: st.DataObject, mode: str) -> None:
    """A skill changes no byte before the sections of skills, and no other section at all."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {**TREE, "foreword.toml": f'{CONFIG}mode = "{mode}"\n'})
        shutil.rmtree(root / "skills")
        (root / "skills").mkdir()
        without, said = built(root)
        for name in names:
            front = f"name: {name}\ndescription: d\nid: safety\nmode: remove\npriority: 1\n"
            write(root, {f"skills/{name}/SKILL.md": f"---\n{front}---\n{data.draw(SKILL_BODIES)}"})
        with_skills, more = built(root)
    theirs = [one for one in with_skills.sections if one.id == "skills" or one.id.startswith("skills/")]
    others = [one for one in with_skills.sections if one not in theirs]
    assert [repr(one) for one in others] == [repr(one) for one in without.sections]
    assert with_skills.tools == without.tools
    assert set(said) <= set(more)
    if names:
        assert theirs
        start = with_skills.sections.index(theirs[0])
        before = [line.text for line in with_skills.lines() if line.section in [one.id for one in others[:start]]]
        first = without.text.split("\n")
        lines = with_skills.text.split("\n")
        count = len(before) + max(start - 1, 0)
        assert lines[:count] == first[:count]
    else:
        assert with_skills.text == without.text


# -- plugins and processes -------------------------------------------------------------------------

PLUGIN = """
from foreword import Section, hookimpl


@hookimpl
def foreword_sections(context):
    return [Section("acme-citations.style", "Cite by {{ acme_citations.version }}.", title="Citations")]


@hookimpl
def foreword_variables():
    return {"acme_citations.version": "1.0"}
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an installed plugin, as pip would leave it."""
    root = tmp_path_factory.mktemp("site")
    (root / "acme_citations.py").write_text(PLUGIN)
    info = root / "acme_citations-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-citations\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foreword]\nmain = acme_citations\n")
    return root


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with prompts, a memory and skills."""
    root = tmp_path_factory.mktemp("project")
    for source, name in (("prompts", "prompts"), ("memory-system", "memory"), ("skills", "skills")):
        shutil.copytree(FIXTURES / source, root / name)
    (root / "foreword.toml").write_text(CONFIG)
    (root / "disabled.toml").write_text(CONFIG + '[plugins]\ndisable = ["acme-citations"]\n')
    return root


def ran(
    project: Path, *arguments: str, config: str = "foreword.toml", path: Path | None = None, seed: str = "0"
) -> str:
    """Standard output and standard error of one ``foreword build`` in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FOREWORD", "COV_CORE"))}
    environment["PYTHONHASHSEED"] = seed
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(path), environment.get("PYTHONPATH", "")]).strip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-m", "foreword", "build", "--config", config, "--agent", "operator", "-v", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return f"{done.stdout}\n=====\n{done.stderr}"


def test_the_hash_seed_decides_nothing(project: Path, plugin: Path) -> None:
    """Three hash seeds give the same bytes on standard output and standard error, JSON with provenance included."""
    outputs = {ran(project, "--json", path=plugin, seed=seed) for seed in ("0", "1", "4242")}
    assert len(outputs) == 1
    content = json.loads(outputs.pop().partition("\n=====\n")[0])
    assert "acme-citations.style" in [section["id"] for section in content["sections"]]
    assert all(section["provenance"] for section in content["sections"])


def test_disabling_a_plugin_is_as_if_it_were_not_there(project: Path, plugin: Path) -> None:
    """A plugin that is disabled leaves no trace: not in the prompt, and not in what is said about it."""
    disabled = ran(project, "--json", config="disabled.toml", path=plugin)
    assert "Cite by" in ran(project, path=plugin)
    assert disabled == ran(project, "--json")


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("directory", '[memory]\npath = "memory"\n[skills]\nroots = ["skills"]\n'),
        ("memory", 'prompts_dir = "prompts"\n[skills]\nroots = ["skills"]\n'),
        ("skills", 'prompts_dir = "prompts"\n[memory]\npath = "memory"\n'),
    ],
)
def test_disabling_a_source_is_as_if_it_had_nothing(project: Path, name: str, without: str) -> None:
    """A first-party source that is disabled gives the prompt of a configuration that gives it nothing to read."""
    disable = [name, "agent"] if name == "directory" else [name]
    listed = ", ".join(f'"foreword:{one}"' for one in disable)
    for config, text in (("a.toml", f"{CONFIG}[plugins]\ndisable = [{listed}]\n"), ("b.toml", without)):
        (project / config).write_text(text)
    prompts: list[str] = []
    for config in ("a.toml", "b.toml"):
        builder = Builder.from_config(project / config, plugins=False, on_diagnostic=lambda _: None)
        prompt = builder.build("operator")
        prompts.append(report(prompt))
    assert prompts[0] == prompts[1]


def test_layers_are_ranked_as_they_are_documented() -> None:
    """The layers, low to high, are those of the documentation."""
    assert sorted(RANK, key=RANK.__getitem__) == [
        "builtin",
        "extension",
        "project",
        "agent",
        "memory",
        "override",
        "session",
    ]
