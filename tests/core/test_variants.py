"""Agents that have nothing of their own but a name: their prompts are those that a builder of their own makes."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder, Prompt
from foreword._builder import FEW
from foreword._remade import Remade
from foreword._variant import Variant

PIECES = (
    "{{ agent_name }}", "{{agent_name}}", "\\{{ agent_name }}", "{{ agnt_name }}", "{{ team }}", "# ", "## ",
    "---", "===", "\n", "\n\n", " ", "- ", "1. ", "> ", "You are ", "Safety Guidelines", "```", "<!-- ", " -->",
    "é", "\u200d",
)  # fmt: skip
"""What a text is made of: placeholders where they matter to Markdown, to titles and to the scanner."""

NAMES = ("ada", "Bea-2", "c", "operator", "x_y", "Ned--Z", "d.e", "-f", "7th", "Zoë", "_g", "h-")
FILES = ("AGENTS.md", "IDENTITY.md", "SAFETY.md", "STYLE.md", "a.md", "tools/read.md")
FRONT = ("", "---\ntitle: T\n---\n", "---\nmode: append\n---\n", "---\nwhen: {agents: [ada, c]}\n---\n",
         "---\ntemplate: jinja\n---\n", "---\ntitle: ''\npriority: 50\n---\n")  # fmt: skip

texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)
trees = st.dictionaries(st.sampled_from(FILES), st.tuples(st.sampled_from(FRONT), texts), max_size=5)
calm_texts = st.sampled_from(["Be kind.", "# Rules\nBe kind.", "You are not {{ agent_name }}."])
calm = st.tuples(st.sampled_from(FRONT[:2]), calm_texts)
calm_trees = st.dictionaries(st.sampled_from(FILES), calm, max_size=4)
"""Texts that nothing need be said of; often the packaged text with the agent's name in it does not stand."""

teams = st.sampled_from([None, "red", "two\nlines", ""])


def everything(prompt: Prompt) -> tuple[object, ...]:
    """Return all that can be asked of a prompt."""
    lines = prompt.lines()
    return (
        prompt.text,
        prompt.agent,
        dict(prompt.tools),
        prompt.diagnostics,
        prompt.sections,
        lines,
        [str(one) for one in prompt.explain()],
        prompt.fingerprint,
    )


def outcome(build: Callable[[], Prompt]) -> tuple[object, ...]:
    """Return the prompt, or how its build ended."""
    try:
        return everything(build())
    except Exception as failure:
        return type(failure), str(failure)


@given(tree=trees, team=teams, layout=st.sampled_from(["default", "xml"]), names=st.permutations(NAMES))
@settings(max_examples=60)
def test_the_prompt_of_any_agent_is_that_of_a_builder_of_its_own(
    tree: dict[str, tuple[str, str]], team: str | None, layout: str, names: list[str]
) -> None:
    """Whatever the files say, whichever agents were built for before, one by one or together, it is the same prompt."""
    with tempfile.TemporaryDirectory() as place:
        prompts = Path(place, "prompts")
        (prompts / "agents/own").mkdir(parents=True)
        (prompts / "agents/own/STYLE.md").write_text("Own of {{ agent_name }}.")
        for name, (front, text) in tree.items():
            (prompts / name).parent.mkdir(exist_ok=True)
            (prompts / name).write_text(front + text)
        more = f"[variables]\nteam = {json.dumps(team)}\n" if team is not None else ""
        config = Path(place, "foreword.toml")
        config.write_text(f'prompts_dir = "prompts"\nlayout = "{layout}"\n{more}')

        def builder() -> Builder:
            return Builder.from_config(config, plugins=False, on_diagnostic=lambda _: None)

        asked = ["own", *names[:6], "own"]
        cold = [outcome(lambda agent=agent: builder().build(agent)) for agent in asked]
        warm = builder()
        assert [outcome(lambda agent=agent: warm.build(agent)) for agent in asked] == cold
        assert [outcome(lambda agent=agent: warm.build(agent)) for agent in asked] == cold
        many = builder().build_many(asked * 3, on_error="return")
        for one, expected in zip(many[len(asked) :], cold * 2, strict=True):
            if isinstance(one, Prompt):
                assert everything(one) == expected


@pytest.fixture
def plain(tmp_path: Path) -> Builder:
    """A builder over files of which one has the agent's name in it."""
    (tmp_path / "AGENTS.md").write_text("You are {{ agent_name }}.\n\nBe brief.")
    (tmp_path / "STYLE.md").write_text("Short sentences.")
    return Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)


def test_prompts_that_differ_in_a_name_only_are_made_when_they_are_asked_for(plain: Builder) -> None:
    """After the first agent, the others hold no text, and have it all the same."""
    plain.build("first")
    prompt = plain.build("second")
    assert isinstance(prompt._source, Variant)
    assert prompt.text.startswith("You are second.")
    assert plain.build("second") is prompt


def test_an_agent_that_is_given_a_directory_has_its_own_prompt_from_then_on(plain: Builder, tmp_path: Path) -> None:
    """A directory of an agent that appears, or goes away, is seen by the next build."""
    plain.build("first")
    before = plain.build("second").text
    os.makedirs(tmp_path / "agents/second")
    (tmp_path / "agents/second/AGENTS.md").write_text("I am the second.")
    assert plain.build("second").text.startswith("I am the second.")
    assert plain.build("third").text == before.replace("second", "third")
    (tmp_path / "agents/second/AGENTS.md").unlink()
    (tmp_path / "agents/second").rmdir()
    assert plain.build("second").text == before


def test_the_prompts_of_many_agents_with_files_are_those_of_builders_of_their_own() -> None:
    """Whatever the files of agents say, each prompt of a large batch is that of a builder that builds no other."""
    seen: Counter[bool] = Counter()

    any_tree = st.one_of(trees, calm_trees)
    bases = st.one_of(trees, calm_trees, calm_trees.map(lambda tree: {**tree, "AGENTS.md": ("", "Be kind.")}))

    @given(bases, st.lists(any_tree, min_size=3, max_size=3), st.sampled_from(["default", "default", "xml"]), teams)
    @settings(max_examples=80)
    def check(
        tree: dict[str, tuple[str, str]], own: list[dict[str, tuple[str, str]]], layout: str, team: str | None
    ) -> None:
        with tempfile.TemporaryDirectory() as place:
            prompts = Path(place, "prompts")
            agents = {f"agents/agent{number}/": files for number, files in enumerate(own)}
            for folder, files in {"": tree, **agents}.items():
                (prompts / folder).mkdir(parents=True, exist_ok=True)
                for name, (front, text) in files.items():
                    (prompts / folder / name).parent.mkdir(exist_ok=True)
                    (prompts / folder / name).write_text(front + text)
            config = Path(place, "foreword.toml")
            lines = [f'prompts_dir = "prompts"\nlayout = "{layout}"']
            if team is not None:
                lines += ['variables.team = "all"', f"agents.agent1.variables.team = {json.dumps(team)}"]
            config.write_text("\n".join(lines))

            def builder() -> Builder:
                return Builder.from_config(config, plugins=False, on_diagnostic=lambda _: None)

            names = [folder.split("/")[1] for folder in agents]
            cold = {name: outcome(lambda name=name: builder().build(name)) for name in names}
            others = [f"other{number}" for number in range(FEW)]
            many = builder().build_many([*names, *others, *names], on_error="return")
            for name, prompt in zip([*names, *names], [*many[:3], *many[-3:]], strict=True):
                if isinstance(prompt, Prompt):
                    if isinstance(prompt._source, Remade):
                        seen[prompt._source.places is not None and len(prompt._source.places) > 0] += 1
                    assert everything(prompt) == cold[name]

    check()
    assert min(seen[True], seen[False]) > 30


BEFORE: dict[str, Callable[[Builder], object]] = {
    "a call": lambda builder: builder.build("first", variables={"key": "other"}),
    "an agent of the configuration": lambda builder: builder.build("boss"),
    "an agent with an odd name": lambda builder: builder.build("Zoë"),
    "nobody": lambda builder: builder.build(variables={"key": "other"}),
    "many": lambda builder: builder.build_many([f"a{number}" for number in range(20)], variables={"key": "other"}),
    "one like all": lambda builder: builder.build("first"),
}


@pytest.mark.parametrize("then", BEFORE)
@pytest.mark.parametrize("before", BEFORE)
def test_what_one_build_was_given_reaches_no_other(tmp_path: Path, before: str, then: str) -> None:
    """Variables of a call, or of one agent, stand in the prompts of that build and in none that comes after it."""
    for number in range(0, 20, 2):
        (tmp_path / f"prompts/agents/a{number}").mkdir(parents=True)
        (tmp_path / f"prompts/agents/a{number}/OWN.md").write_text(f"own {number}")
    (tmp_path / "prompts/KEY.md").write_text("key {{ key }} of {{ agent_name }}")
    config = tmp_path / "foreword.toml"
    config.write_text('prompts_dir = "prompts"\nvariables.key = "base"\nagents.boss.variables.key = "secret"\n')
    time.sleep(0.03)

    def builder() -> Builder:
        return Builder.from_config(config, plugins=False, on_diagnostic=lambda _: None)

    kept = builder()
    names = ["second", *[f"a{number}" for number in range(20)], "boss", "third"]
    cold = {name: everything(builder().build(name)) for name in names}
    for step in (before, then, before):
        BEFORE[step](kept)
        assert everything(kept.build("second")) == cold["second"]
        for name, prompt in zip(names, kept.build_many(names), strict=True):
            assert everything(prompt) == cold[name]
        assert everything(kept.build("boss")) == cold["boss"]
        assert everything(kept.build("third")) == cold["third"]


@pytest.mark.parametrize(
    "text",
    [
        "<{{ agent_name }}> at your service\n---\nText.",
        "<{{ agent_name }} x\n===\nText.",
        "<{{ agent_name }}\n  \n---\nText.",
        '<{{ agent_name }} a="b\n">\n===',
        "{{ agent_name }}\n\n---\nText.",
        "#{{ agent_name }}\nText.",
        "<!-- {{ agent_name }} -->\n# Text",
    ],
)
def test_a_name_that_is_a_tag_makes_no_heading_of_what_is_none(tmp_path: Path, text: str) -> None:
    """Whether a text begins with a heading, and so whether a title stands over it, is found out for each name."""
    (tmp_path / "zz.md").write_text(text)
    names = ["main", "ada", "search", "p", "script", "pre", "div", "link", "summary", "bob"]

    def builder() -> Builder:
        return Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)

    cold = {name: everything(builder().build(name)) for name in names}
    for first in names:
        kept = builder()
        asked = [first, *names, *[f"other{number}" for number in range(FEW)]]
        for name, prompt in zip(asked, kept.build_many(asked)[: len(names) + 1], strict=False):
            assert everything(prompt) == cold[name]
        for name in names:
            assert everything(kept.build(name)) == cold[name]


def test_a_new_agent_opens_nothing_where_nothing_has_changed(
    plain: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once two agents were built for, the next costs a look at the files, and sees whatever happens to them."""
    time.sleep(0.03)
    for agent in ("first", "second", "third"):
        plain.build(agent)
    with monkeypatch.context() as closed:
        closed.setattr(os, "open", lambda *_, **__: pytest.fail("something was opened"))
        closed.setattr(os, "scandir", lambda *_: pytest.fail("something was listed"))
        assert plain.build("fourth").text.startswith("You are fourth.")
        assert plain.build("fourth") is plain.build("fourth")

    def changes() -> Iterator[str]:
        (tmp_path / "STYLE.md").write_text("Long sentences.")
        yield "changed"
        (tmp_path / "agents/own").mkdir(parents=True)
        (tmp_path / "agents/own/STYLE.md").write_text("No sentences.")
        yield "own"
        (tmp_path / "MORE.md").write_text("More.")
        yield "added"
        (tmp_path / "MORE.md").rename(tmp_path / "LESS.md")
        yield "renamed"
        (tmp_path / "agents").rename(tmp_path / "agents-before")
        yield "own"
        os.replace(tmp_path / "LESS.md", tmp_path / "STYLE.md")
        yield "replaced"

    for agent in changes():
        time.sleep(0.03)
        for number in range(3):
            cold = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
            for name in (agent, f"{agent}{number}"):
                assert everything(plain.build(name)) == everything(cold.build(name))
