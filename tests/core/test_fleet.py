"""Many agents with texts of their own: what is read ahead and laid over the base is what each builds by itself."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import time
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_variants import everything, outcome

from foreword import Builder, BuildError, Prompt
from foreword._builder import AT_ONCE, FEW
from foreword._gather import Gathering
from foreword._overlay import Overlay
from foreword._own import Own
from foreword._sources import Given

NAMES = ("AGENTS.md", "SAFETY.md", "TOOL_USAGE.md", "STYLE.md", "style.md", "Early Bird.md", "über.md", "tools/read.md")
TEXTS = ("Be kind.", "# Own heading\n\nBe kind.", "## Second", "   ## Third\nthird", "Say {{ agent_name }}.", "بنویس")
FRONT = ("",) * 12 + ("---\ntitle: T\n---\n", "---\npriority: 50\n---\n", "---\nmode: append\n---\n")
CONFIGS = (
    "",
    "",
    'layout = "xml"\n',
    "[priorities]\nagent = [50, 800]\n",
    "[sections.safety]\neditable_by = ['builtin', 'project']\n",
    "[agents.agent-2.variables]\nx = 1\n",
    "[variables]\nx = 'a {{ b'\n",
    '[files]\nvalidate = "content"\n',
)
AGENTS = [f"agent-{number}" for number in range(FEW + 4)]

texts = st.tuples(st.sampled_from(FRONT), st.sampled_from(TEXTS)).map("".join)
files = st.dictionaries(st.sampled_from(NAMES), texts, min_size=1, max_size=4)
calm = st.dictionaries(st.sampled_from(NAMES[:4]), st.sampled_from(TEXTS[:3]), max_size=3)


Before = list[tuple[str | None, dict[str, str] | None]]
befores = st.lists(
    st.tuples(st.sampled_from([None, "agent-1", "agent-2", "Zoë"]), st.sampled_from([None, None, {"x": "y"}])),
    max_size=2,
)


def write(place: Path, config: str, base: dict[str, str], own: list[dict[str, str]]) -> None:
    """Write a configuration, what all agents have, and what some of them have of their own."""
    (place / "foreword.toml").write_text('prompts_dir = "prompts"\n' + config)
    (place / "prompts").mkdir(exist_ok=True)
    for folder, texts in [("prompts", base), *((f"prompts/agents/agent-{nth}", one) for nth, one in enumerate(own))]:
        for name, text in texts.items():
            path = place / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def builder(place: Path) -> Builder:
    """Return a builder that has built nothing."""
    return Builder.from_config(place / "foreword.toml", plugins=False, on_diagnostic=lambda _: None)


def test_each_of_many_prompts_is_that_of_a_builder_of_its_own() -> None:
    """Whatever texts agents have, a large batch gives each what it would build alone, also after something changed."""
    overlaid: Counter[int] = Counter()

    owns = st.lists(st.one_of(files, calm, calm), min_size=3, max_size=5)

    @given(st.sampled_from(CONFIGS), st.one_of(files, calm, calm), owns, st.booleans(), st.randoms(), befores)
    @settings(max_examples=60, deadline=None)
    def check(
        config: str, base: dict[str, str], own: list[dict[str, str]], named: bool, random: Random, before: Before
    ) -> None:
        base = base if named else {"AGENTS.md": "You are one of many.", **base}
        with tempfile.TemporaryDirectory() as made:
            place = Path(made)
            write(place, config, base, own)
            asked = [*AGENTS, "agent-0", "agent-1"]
            random.shuffle(asked)
            warm = builder(place)
            for agent, variables in before:
                with suppress(BuildError):
                    warm.build(agent, variables=variables)
            for change in (None, {"STYLE.md": "Changed."}):
                if change is not None:
                    write(place, config, {}, [change])
                many = warm.build_many(asked, on_error="return")
                again = warm.build_many(asked, on_error="return")
                for agent, prompt, other in zip(asked, many, again, strict=True):
                    if not isinstance(prompt, Prompt):
                        continue
                    if isinstance(prompt._source, Overlay):
                        overlaid[len(prompt._source.own)] += 1
                    assert prompt is other
                    assert everything(prompt) == outcome(lambda agent=agent: builder(place).build(agent))

    check()
    assert overlaid[1] > 20
    assert overlaid[2] + overlaid[3] + overlaid[4] > 10


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """A prompts directory with texts of forty agents, whose times are settled."""
    own = {"SAFETY.md": "Be safe.", "STYLE.md": "Be short.", "OTHER.md": "# Other\n\nBe other."}
    write(tmp_path, "", {"STYLE.md": "Be long."}, [{**own, "NUMBER.md": f"Be {nth}."} for nth in range(2 * AT_ONCE)])
    time.sleep(0.03)
    return tmp_path


@pytest.fixture
def agents() -> list[str]:
    """The agents of that fleet, and some without texts of their own."""
    return [f"agent-{nth}" for nth in range(2 * AT_ONCE + 5)]


def test_of_many_agents_one_is_asked_about(fleet: Path, agents: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The source of the texts of agents is asked once, and for the others what it asked is answered."""
    asked: list[object] = []
    gather = Gathering.gather

    def counted(*given: object) -> object:
        asked.append(given)
        return gather(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Gathering, "gather", counted)
    prompts = builder(fleet).build_many(agents)
    assert len(asked) == 1
    assert [isinstance(prompt._source, Overlay) for prompt in prompts] == [False, *[True] * 63, *[False] * 5]
    assert all(f"Be {nth}." in prompt.text for nth, prompt in enumerate(prompts[:64]))


def test_a_prompt_of_many_outlives_its_builder_and_its_files(fleet: Path, agents: list[str]) -> None:
    """A prompt of a large batch holds its texts, and nothing of what they were read from."""
    made = builder(fleet)
    expected = everything(builder(fleet).build("agent-7"))
    prompt = made.build_many(agents)[7]
    assert isinstance(prompt._source, Overlay)
    gone = weakref.ref(made.manager)
    del made
    gc.collect()
    assert gone() is None
    for name in ("SAFETY.md", "NUMBER.md"):
        (fleet / "prompts/agents/agent-7" / name).unlink()
    assert everything(prompt) == expected


def test_untitled_texts_hold_no_titles(fleet: Path) -> None:
    """Of thousands of agents whose texts have no title, none holds that."""
    asked = ["agent-0", *[f"own-{number}" for number in range(20)]]
    for name in asked[1:]:
        write(fleet, "", {f"agents/{name}/AGENTS.md": f"You are {name}."}, [])
    for prompt in builder(fleet).build_many(asked)[1:]:
        assert isinstance(prompt._source, Overlay)
        assert prompt._source.titles == ()
        assert prompt.text == builder(fleet).build(prompt.agent).text


def test_nothing_changed_gives_the_same_objects(fleet: Path, agents: list[str]) -> None:
    """However agents are asked for, in batches of any size or alone, an unchanged prompt is the same object."""
    made = builder(fleet)
    first = made.build_many(agents)
    assert all(map(lambda one, other: one is other, first, made.build_many(agents)))
    assert all(map(lambda one, other: one is other, first[:3], made.build_many(agents[:3])))
    for agent, prompt in list(zip(agents, first, strict=True))[::9]:
        assert made.build(agent) is prompt
        assert made.build(agent) is prompt
    shuffled = agents[40:] + agents[:40]
    assert all(map(lambda one, other: one is other, first[40:] + first[:40], made.build_many(shuffled)))


CHANGES: dict[str, Callable[[Path], object]] = {
    "another text": lambda own: (own / "STYLE.md").write_text("Be quick."),
    "a title": lambda own: (own / "STYLE.md").write_text("---\ntitle: Style\n---\nBe quick."),
    "a variable": lambda own: (own / "STYLE.md").write_text("Be {{ agent_name }}."),
    "nothing": lambda own: (own / "STYLE.md").write_text(""),
    "gone": lambda own: (own / "STYLE.md").unlink(),
    "a tool": lambda own: ((own / "tools").mkdir(), (own / "tools/read.md").write_text("Read.")),
    "two of a kind": lambda own: (own / "style.md").write_text("Be quick."),
    "a link": lambda own: (own / "LINK.md").symlink_to("STYLE.md"),
    "a pipe": lambda own: os.mkfifo(own / "PIPE.md"),
    "something hidden": lambda own: (own / "STYLE.md").write_text("Be \u202e quick."),
    "no directory": lambda own: own.rename(own.with_name("elsewhere")),
    "what all have": lambda own: (own.parents[1] / "STYLE.md").write_text("Be longer."),
    "what all have, titled": lambda own: (own.parents[1] / "STYLE.md").write_text("---\ntitle: S\n---\nBe longer."),
    "the name for all": lambda own: (own.parents[1] / "STYLE.md").write_text("As {{ agent_name }}."),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_between_two_batches_is_seen(fleet: Path, agents: list[str], change: str) -> None:
    """What has changed for one agent, or for all, stands in the next batch, for everyone whom it concerns."""
    made = builder(fleet)
    made.build_many(agents)
    CHANGES[change](fleet / "prompts/agents/agent-9")
    prompts = made.build_many(agents, on_error="return")
    for nth in (0, 8, 9, 10, 40, 66):
        expected = outcome(lambda nth=nth: builder(fleet).build(agents[nth]))
        prompt = prompts[nth]
        assert isinstance(prompt, Prompt)
        assert everything(prompt) == expected


def test_what_is_odd_about_one_agent_concerns_no_other(fleet: Path, agents: list[str]) -> None:
    """Names that are none, and directories that cannot be read, fail for their agent as they do alone."""
    (fleet / "prompts/agents/agent-3/SAFETY.md").write_bytes(b"\xff\xff")
    (fleet / "prompts/agents/agent-4/note.txt").write_text("no text")
    odd = [*agents[:20], "", "../agent-1", "a/b", "x" * 300, "tools", "agent-1 ", "Zoë", *agents[3:5], *agents[3:5]]
    for agent, prompt in zip(odd, builder(fleet).build_many(odd, on_error="return"), strict=True):
        expected = outcome(lambda agent=agent: builder(fleet).build(agent))
        if isinstance(prompt, Prompt):
            assert everything(prompt) == expected
        else:
            assert expected[0] is type(prompt)


@pytest.mark.parametrize("vanishes", ["agent-1", "agent-2", "agent-30", "agent-33"])
def test_a_directory_that_vanishes_meanwhile_spoils_no_other(fleet: Path, agents: list[str], vanishes: str) -> None:
    """An agent whose directory goes while a batch is built is built without it; the others as ever, then and later."""
    (fleet / "prompts/README.md").write_text("It makes the first prompt say something.")
    time.sleep(0.03)

    def told(_: object) -> None:
        shutil.rmtree(fleet / "prompts/agents" / vanishes, ignore_errors=True)

    made = Builder.from_config(fleet / "foreword.toml", plugins=False, on_diagnostic=told)
    first = made.build_many(["nobody", *agents[1:]])
    again = made.build_many(agents)
    for nth in (2, 3, 29, 31, 40, 66):
        if agents[nth] != vanishes:
            expected = everything(builder(fleet).build(agents[nth]))
            assert everything(first[nth]) == everything(again[nth]) == expected
            assert everything(made.build(agents[nth])) == expected
    assert everything(made.build(vanishes)) == everything(builder(fleet).build(vanishes))


def test_what_is_no_name_fails_for_itself(fleet: Path, agents: list[str]) -> None:
    """Something among the agents that cannot even be a name stands as an error in its place."""
    made = builder(fleet)
    asked: list[Any] = [*agents[:20], ["no name"], *agents[20:40]]
    for _ in range(2):
        results: list[Prompt | Exception] = made.build_many(asked, on_error="return")
        assert [isinstance(one, Exception) for one in results] == [nth == 20 for nth in range(41)]


def test_an_agent_may_be_called_as_the_directory_of_tools_is(fleet: Path) -> None:
    """The files of an agent called ``tools`` are its texts, and those in its own ``tools/`` are prose for tools."""
    write(fleet, "", {"agents/tools/STYLE.md": "Be a tool.", "agents/tools/tools/read.md": "Read."}, [])
    asked = ["tools", *[f"agent-{number}" for number in range(20)], "tools"]
    many = builder(fleet).build_many(asked)
    for prompt in (builder(fleet).build("tools"), many[0], many[-1]):
        assert dict(prompt.tools) == {"read": "Read."}
        assert prompt.section("custom_style").text == "Be a tool."


def test_who_says_more_than_texts_shows_nothing_for_others() -> None:
    """What a source gave is an example for other agents only if it gave what its files say, of its own directory."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        write(place, "", {}, [{"STYLE.md": "Be short."}])
        found: list[tuple[Given, str]] = []
        one = builder(place)
        for agent in ("agent-0", "agent-1"):
            found += [(given, agent) for given in one.plan(agent).given]
        shared = [(given, agent) for given, agent in found if given.is_shared]
        ((own, agent),) = [(given, agent) for given, agent in found if not given.is_shared]
        assert Own.of(own, agent) is not None
        assert all(Own.of(given, agent) is None for given, agent in shared)
        assert Own.of(own, "agent-1") is None
        assert Own.of(own, "agent") is None
        assert Own.of(own._replace(returned=()), agent) is None
        assert Own.of(own._replace(seen=None), agent) is None
        assert Own.of(own._replace(seen=(*(own.seen or ()), *(own.seen or ()))), agent) is None
        assert Own.of(own._replace(seen=own.seen[::-1] if own.seen else ()), agent) is None


def test_an_agent_without_a_directory_is_given_nothing_of_its_own(fleet: Path) -> None:
    """What is asked ahead for an agent is no answer where nothing is there, or there is something to say of it."""
    made = builder(fleet)
    (given,) = [given for given in made.plan("agent-1").given if not given.is_shared]
    own = Own.of(given, "agent-1")
    assert own is not None
    assert own.given(own.seen("nobody", made.reader())) is None
    derived = own.given(own.seen("agent-2", made.reader()))
    (asked,) = [given for given in builder(fleet).plan("agent-2").given if not given.is_shared]
    assert derived is not None
    assert [edit.text for edit in derived.edits] == [edit.text for edit in asked.edits]
    assert [key for key, _ in derived.seen or ()] == [key for key, _ in asked.seen or ()]
    (fleet / "prompts/agents/agent-2/note.txt").write_text("no text")
    assert own.given(own.seen("agent-2", made.reader())) is None
