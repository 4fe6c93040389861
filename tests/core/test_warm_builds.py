"""A builder that is kept gives what a new one gives, whatever was done to the files in between.

The default run is short and the same everywhere; ``pytest --hypothesis-profile=long`` looks further.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from foreword import Builder, ConfigError, Edit, ForewordError, Prompt, Section
from foreword._diagnostics import Diagnostic
from foreword.files._reader import Reader

CONFIG = """prompts_dir = "site/prompts"
[memory]
path = "site/memory"
[skills]
roots = ["site/skills", "site/memory/skills"]
"""
NAMESPACE = "memory/souveraine_operations"
FILES = (
    "prompts/AGENTS.md",
    "prompts/TOOL_USAGE.md",
    "prompts/rules.md",
    "prompts/Rules.md",
    "prompts/README.md",
    "prompts/rules.md.orig",
    "prompts/notes.txt",
    "prompts/.rules.md.swp",
    "prompts/odd/x.md",
    "prompts/tools/bash.md",
    "prompts/tools/Bash.md",
    "prompts/agents/ada/TOOL_USAGE.md",
    "prompts/agents/ada/own.md",
    "prompts/agents/ada/tools/bash.md",
    "prompts/agents/bea/own.md",
    "memory/MEMORY.md",
    "memory/notes/MEMORY.md",
    "memory/notes/plan.md",
    "memory/system/persona.md",
    "memory/system/deep/er/x.md",
    f"{NAMESPACE}/.foreword/record.json",
    f"{NAMESPACE}/prompts/rules.md",
    f"{NAMESPACE}/prompts/TOOL_USAGE.md",
    f"{NAMESPACE}/prompt-overrides/rules.md",
    f"{NAMESPACE}/prompt-overrides/tools/bash.md",
    "memory/skills/mine/SKILL.md",
    "skills/a/SKILL.md",
    "skills/deep/b/SKILL.md",
)
TEXTS = (
    "one\n",
    "two\n",
    "ONE\n",
    "",
    "\n\n# Rules\n\nthree\n",
    "{{ agent_name }} and {{ nobody }} and {{ x }}\n",
    "---\nmode: append\n---\nmore\n",
    "---\nmode: append\n---\nMORE\n",
    "---\nid: tool_usage\nmode: prepend\ntitle: T\n---\nfirst\n",
    "---\ntitle: Safety Guidelines\npriority: 120\n---\nfour\n",
    "---\nwhen: {agents: [ada]}\n---\nonly Ada\n",
    "---\nwhen: {variables: {x: 1}}\n---\nonly with x\n",
    "---\nmode: [\n---\nbroken\n",
    "---\nname: a\ndescription: What it does.\n---\nDo it.\n",
    "---\nname: b\ndescription: What else.\nid: safety\n---\nDo it.\n",
)


def _record(agent: str | None, text: str) -> str:
    copy = {"id": "custom_rules", "base": hashlib.sha256(text.encode()).hexdigest(), "title": "R", "priority": 300}
    return json.dumps({"version": 1, "agent": agent, "copies": {"rules.md": copy}, "overrides": {}})


RECORDS = (_record(None, "one"), _record(None, "two"), _record("ada", "one"), _record("bea", "one"), "{", "")
AGENTS = (None, "ada", "bea")
SEEN: Counter[str] = Counter()
"""How often what the machine is there for has come about."""

rarely = st.sampled_from([False, False, True])
any_one = st.integers(0, 10_000)
some_agents = st.sampled_from([AGENTS, AGENTS, ("ada",), (None,), ("bea", "ada"), ("ada", "bea"), (None, "bea")])


class Warm(RuleBasedStateMachine):
    """A tree of real files, a builder that is kept, and new ones to compare it with."""

    more = ""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="foreword-warm-"))
        self.site, self.away = self.home / "site", self.home / "away"
        self.count = 0
        self.gone: list[tuple[Path, Path]] = []
        (self.home / "foreword.toml").write_text(CONFIG + self.more)
        self.away.mkdir()
        for number, name in enumerate(FILES):
            if number % 3 != 1:
                self.put(self.site / name, RECORDS[2] if name.endswith(".json") else TEXTS[number % 3])
        for name in ("skills", "memory/skills"):
            (self.site / name).mkdir(exist_ok=True, parents=True)
        self.put(self.site / "prompts" / "..one" / "linked.md", "mounted one\n")
        self.put(self.site / "prompts" / "..two" / "linked.md", "mounted two\n")
        self.told: list[Diagnostic] = []
        self.warm = self.builder(self.told)
        self.readers = 0
        reader = self.warm.reader

        def counted() -> Reader:
            self.readers += 1
            return reader()

        self.warm.reader = counted  # type: ignore[method-assign]
        self.settled()
        self.compare(AGENTS)

    def teardown(self) -> None:
        """Look once more, and take everything away."""
        try:
            self.compare(AGENTS)
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def builder(self, told: list[Diagnostic]) -> Builder:
        """Return a builder that has built nothing."""
        return Builder.from_config(self.home / "foreword.toml", plugins=False, on_diagnostic=told.append)

    def compare(self, agents: tuple[str | None, ...]) -> None:
        """Compare what the kept builder gives with what a new one gives, and with what it gives once more."""
        cold_told: list[Diagnostic] = []
        try:
            cold_builder = self.builder(cold_told)
        except ConfigError:
            cold_builder = None
        for agent in agents:
            self.told.clear()
            cold_told.clear()
            readers = self.readers
            prompt, warm = outcome(self.warm, agent)
            SEEN["quick"] += self.readers == readers
            if cold_builder is None:
                assert prompt is None
                continue
            _, cold = outcome(cold_builder, agent)
            assert warm == cold
            assert self.told == cold_told
            assert outcome(self.warm, agent)[0] is prompt
            SEEN["compared"] += 1
        if cold_builder is not None:
            named = [agent for agent in agents if agent is not None]
            assert batch(self.warm, named) == batch(cold_builder, named)

    def settled(self) -> None:
        """Wait until the times of files can be relied on."""
        time.sleep(0.025)

    # -- what is there -----------------------------------------------------------------------------

    def put(self, path: Path, text: str) -> None:
        """Write a file, in place where it is there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def restore(self, root: Path) -> None:
        """Put a directory where a root should be."""
        if not self.site.is_dir():
            os.rename(self.site, self.fresh(self.away))
        if os.path.lexists(root):
            os.rename(root, self.fresh(self.away))
        self.put(root / "system" / "back.md", "back\n")
        self.put(root / "back.md", "back\n")

    def fresh(self, where: Path) -> Path:
        """Return a path of no entry."""
        self.count += 1
        return where / f"spare-{self.count}"

    def entry(self, number: int, fits: Callable[[Path], bool]) -> Path:
        """Return one of the entries that fit; the site itself where none does."""
        found = [self.site, *sorted(self.site.rglob("*"))]
        fitting = [path for path in found if fits(path)]
        return fitting[number % len(fitting)] if fitting else self.site

    def attempt(self, agents: tuple[str | None, ...], waits: bool, *acts: Callable[[], object]) -> None:
        """Do something to the files, as far as it can be done, and compare; once more when the times are settled."""
        for root in ("prompts", "memory", "skills", "memory/skills"):
            # A build without them is compared once, and then there is more to see.
            if not (self.site / root).is_dir():
                with suppress(OSError):
                    self.restore(self.site / root)
        try:
            for act in acts:
                act()
        except OSError:
            SEEN["impossible"] += 1
        else:
            SEEN["done"] += 1
        self.compare(agents)
        if waits:
            self.settled()
            self.compare(agents)

    # -- rules: files --------------------------------------------------------------------------------

    @rule(name=st.sampled_from(FILES), text=st.sampled_from(TEXTS), agents=some_agents, waits=st.booleans())
    def write(self, name: str, text: str, agents: tuple[str | None, ...], waits: bool) -> None:
        """Somebody writes a file in place, or a new one."""
        text = RECORDS[TEXTS.index(text) % len(RECORDS)] if name.endswith(".json") else text
        self.attempt(agents, waits, lambda: self.put(self.site / name, text))

    @rule(number=any_one, byte=st.sampled_from(b"XYZ12"), back=st.sampled_from([0, 1, 1, 1000]), agents=some_agents)
    def same_size(self, number: int, byte: int, back: int, agents: tuple[str | None, ...]) -> None:
        """Somebody changes one byte of a file, and may set its times back, exactly or to a coarser unit."""
        path = self.entry(number, lambda path: path.is_file() and path.stat().st_size > 0)

        def act() -> None:
            before = path.stat()
            with path.open("r+b") as file:
                file.seek(max(0, before.st_size - 2))
                file.write(bytes([byte]))
            if back:
                kept = before.st_mtime_ns if back == 1 else before.st_mtime_ns // 1_000_000 * 1_000_000
                os.utime(path, ns=(before.st_atime_ns, kept))

        self.attempt(agents, True, act)

    @rule(name=st.sampled_from(FILES), text=st.sampled_from(TEXTS), keeps=st.booleans(), agents=some_agents)
    def replace(self, name: str, text: str, keeps: bool, agents: tuple[str | None, ...]) -> None:
        """Somebody puts another file in the place of one, as editors do, with its old times or new ones."""
        path, new = self.site / name, self.fresh(self.home)

        def act() -> None:
            new.write_text(text)
            if keeps and path.exists():
                os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
            path.parent.mkdir(parents=True, exist_ok=True)
            os.rename(new, path)

        self.attempt(agents, True, act)

    @rule(
        number=any_one, to=st.sampled_from(FILES), how=st.sampled_from(["rename", "link", "delete"]), agents=some_agents
    )
    def move(self, number: int, to: str, how: str, agents: tuple[str | None, ...]) -> None:
        """Somebody renames a file, gives it a second name, or deletes it."""
        path, target = self.entry(number, lambda path: not path.is_dir()), self.site / to
        if how == "delete":
            self.attempt(agents, False, path.unlink)
            return
        act = os.rename if how == "rename" else _second_name
        self.attempt(agents, True, lambda: _parents(target), lambda: act(path, target))

    @rule(name=st.sampled_from(FILES), number=any_one, agents=some_agents, stays=rarely)
    def point(self, name: str, number: int, agents: tuple[str | None, ...], stays: bool) -> None:
        """Somebody puts a link in the place of a file or a directory, and what was there back again."""
        target = self.entry(number, lambda path: True)
        path = self.site / name if number % 2 else (self.site / name).parent
        written = os.path.relpath(target, path.parent) if number % 5 else "/etc/hostname"
        old = self.fresh(self.away)
        room = (lambda: os.rename(path, old)) if os.path.lexists(path) else (lambda: _parents(path))
        self.attempt(agents, True, room, lambda: path.symlink_to(written))
        if not stays and path.is_symlink():
            back = (lambda: os.rename(old, path)) if os.path.lexists(old) else (lambda: None)
            self.attempt(agents, True, path.unlink, back)

    @rule(which=st.sampled_from(["..one", "..two", "..none"]), agents=some_agents, stays=rarely)
    def mount(self, which: str, agents: tuple[str | None, ...], stays: bool) -> None:
        """A mounted configuration map is exchanged: every file is a link through one link that is re-pointed."""
        prompts = self.site / "prompts"
        data, linked = prompts / "..data", prompts / "linked.md"
        self.attempt(
            agents,
            True,
            lambda: _link(which, data, self.fresh(prompts)),
            lambda: _link("..data/linked.md", linked, self.fresh(prompts)),
        )
        if not stays:
            self.attempt(agents, True, data.unlink, linked.unlink)

    # -- rules: directories --------------------------------------------------------------------------

    @rule(number=any_one, agents=some_agents, waits=st.booleans())
    def vanish(self, number: int, agents: tuple[str | None, ...], waits: bool) -> None:
        """A directory is moved away."""
        path, kept = self.entry(number, Path.is_dir), self.fresh(self.away)
        self.attempt(agents, waits, lambda: os.rename(path, kept), lambda: self.gone.append((kept, path)))

    @rule(number=any_one, agents=some_agents, waits=st.booleans())
    def appear(self, number: int, agents: tuple[str | None, ...], waits: bool) -> None:
        """A directory that was moved away comes back."""
        if self.gone:
            kept, path = self.gone.pop(number % len(self.gone))
            self.attempt(agents, waits, lambda: os.rename(kept, path))

    @rule(number=any_one, visible=st.booleans(), agents=some_agents, stays=rarely)
    def swap(self, number: int, visible: bool, agents: tuple[str | None, ...], stays: bool) -> None:
        """A directory becomes a link to where it is now, and the directory again."""
        path = self.entry(number, lambda path: path.is_dir() and not path.is_symlink())
        target = self.fresh(path.parent)
        target = target if visible else target.with_name(f".{target.name}")
        self.attempt(agents, True, lambda: os.rename(path, target), lambda: path.symlink_to(target.name))
        if not stays and path.is_symlink():
            self.attempt(agents, True, path.unlink, lambda: os.rename(target, path))

    @rule(agents=some_agents)
    def tidy(self, agents: tuple[str | None, ...]) -> None:
        """Somebody takes all links away."""
        links = [path for path in [self.site, *sorted(self.site.rglob("*"))] if path.is_symlink()]
        self.attempt(agents, True, *(path.unlink for path in links))

    @rule(number=any_one, other=any_one, agents=some_agents)
    def repoint(self, number: int, other: int, agents: tuple[str | None, ...]) -> None:
        """A link is pointed at something else of its kind, in one step."""
        path = self.entry(number, Path.is_symlink)
        target = self.entry(other, lambda one: one.is_dir() == path.is_dir() and not one.is_symlink())
        if path.is_symlink():
            self.attempt(agents, True, lambda: _link(str(target), path, self.fresh(path.parent)))

    @rule(number=any_one, text=st.sampled_from(TEXTS), how=st.sampled_from(["directory", "link"]), agents=some_agents)
    def copied(self, number: int, text: str, how: str, agents: tuple[str | None, ...]) -> None:
        """A copy with the same times takes the place of a directory, one of its files changed."""
        path = self.entry(number, Path.is_dir)
        new, old = self.fresh(self.home), self.fresh(self.away)

        def act() -> None:
            shutil.copytree(path, new, symlinks=True)
            files = [one for one in sorted(new.rglob("*.md")) if one.is_file() and not one.is_symlink()]
            if files:
                files[number % len(files)].write_text(text)
            os.rename(path, old)
            if how == "directory":
                os.rename(new, path)
            else:
                path.symlink_to(new)

        self.attempt(agents, True, act)

    @rule(number=any_one, times=st.sampled_from([0, 1, 1_000_000]), agents=some_agents)
    def touch(self, number: int, times: int, agents: tuple[str | None, ...]) -> None:
        """Somebody changes only the times or the mode of an entry."""
        path = self.entry(number, Path.exists)

        def act() -> None:
            status = path.stat()
            kept = status.st_mtime_ns // times * times if times else time.time_ns()
            os.utime(path, ns=(kept, kept))
            path.chmod(status.st_mode ^ 0o010)

        self.attempt(agents, True, act)

    # -- rules: calls --------------------------------------------------------------------------------

    @rule(value=st.sampled_from([0.0, -0.0, 0, False, 1, True, "1"]), agents=some_agents, twice=st.booleans())
    def variable(self, value: float | str, agents: tuple[str | None, ...], twice: bool) -> None:
        """A caller gives a variable; what it gave is not there in the next call."""
        for agent in agents * (2 if twice else 1):
            self.same_call(agent, variables={"x": value})
        self.compare(agents)

    @rule(
        id=st.sampled_from(["tool_usage", "custom_rules", "tools/bash"]),
        text=st.sampled_from(TEXTS),
        agents=some_agents,
    )
    def call(self, id: str, text: str, agents: tuple[str | None, ...]) -> None:
        """A caller gives sections of its own, which count for that call only."""
        edits, untrusted = [Edit(id, text, mode="append")], [Section("theirs", text, title="Safety Guidelines")]
        for agent in agents:
            self.same_call(agent, edits=edits, untrusted=untrusted)
        self.compare(agents)

    def same_call(self, agent: str | None, **given: Any) -> None:
        """Compare what one call gives, where a new builder can be made."""
        with suppress(ConfigError):
            assert outcome(self.warm, agent, **given)[1] == outcome(self.builder([]), agent, **given)[1]


def outcome(builder: Builder, agent: str | None, **given: Any) -> tuple[Prompt | None, object]:
    """Return a prompt and all that it says, or what was raised in its place."""
    try:
        prompt = builder.build(agent, **given)
    except ForewordError as error:
        return None, (type(error), str(error))
    return prompt, everything(prompt)


def batch(builder: Builder, agents: list[str]) -> list[object]:
    """Return all that the prompts of a batch say."""
    return [
        (type(one), str(one)) if isinstance(one, Exception) else everything(one)
        for one in builder.build_many(agents, on_error="return")
    ]


def everything(prompt: Prompt) -> object:
    """Return all that a prompt says."""
    explained = tuple(str(one) for one in prompt.explain())
    return prompt.text, dict(prompt.tools), prompt.diagnostics, explained, repr(prompt.lines()), prompt.agent


def _link(written: str, path: Path, spare: Path) -> None:
    """Put a link in the place of whatever is there: of a file or link in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        os.rename(path, spare.with_name(f"{spare.name}-old"))
    spare.symlink_to(written)
    os.rename(spare, path)


def _parents(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)


def _second_name(path: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    os.link(path, target, follow_symlinks=False)


class WarmByContent(Warm):
    """The same, with files compared by their content."""

    more = '[files]\nvalidate = "content"\n'


def _run(machine: type[Warm]) -> None:
    short = settings.default is not None and settings.default.derandomize
    SEEN.clear()
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12 if short else settings.default.max_examples,
            stateful_step_count=20,
            deadline=None,
            # A shorter example is looked for in long runs only: it takes minutes.
            phases=[Phase.generate] if short else list(Phase),
        ),
    )
    assert SEEN["compared"] > 500
    assert SEEN["done"] > 10 * SEEN["impossible"]


def test_a_warm_build_is_a_cold_build() -> None:
    """Whatever was done to the files, a builder that is kept builds what a new one builds, and says the same."""
    _run(Warm)
    assert SEEN["quick"] > SEEN["compared"] // 10, "too few builds were answered by evidence alone"


def test_a_warm_build_is_a_cold_build_by_content() -> None:
    """The same holds where files are compared by their content."""
    _run(WarmByContent)
    assert SEEN["quick"] > 0
