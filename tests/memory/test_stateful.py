"""A memory through any sequence of changes: no text is lost, policy holds, and status is true.

The default run is short and the same everywhere; ``pytest --hypothesis-profile=long`` looks further.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.torture.faults import Faulty

import foreword_prompts
from foreword import AgentMemory, Builder
from foreword.memory import AgentMemoryError, ChangeRefused, MemoryConflict
from foreword.store._store import StoreError
from foreword.store._system import SYSTEM, System

IDS = {"STYLE.md": "custom_style", "AGENTS.md": "identity", "SAFETY.md": "safety", "EXTRA.md": "custom_extra"}
LINES = ("# Head", "one", "two", "three", "## Part", "four", "five")
TAKES = {"refresh", "merge", "copy"}


def _text(choices: list[int]) -> str:
    lines = [line if not choice else f"{line} {choice}" for line, choice in zip(LINES, choices, strict=True)]
    return "\n".join(lines) + "\n"


texts = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=len(LINES), max_size=len(LINES)).map(_text)
files = st.sampled_from(["STYLE.md", "STYLE.md", "AGENTS.md", "AGENTS.md", "SAFETY.md", "EXTRA.md"])
modes = st.sampled_from([None, "replace", "patch", "prepend", "append", "move", "remove", "define"])


class Life(RuleBasedStateMachine):
    """The life of one memory, and what must be known of it without asking foreword."""

    def __init__(self) -> None:
        super().__init__()
        shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self.home = Path(tempfile.mkdtemp(prefix="foreword-life-", dir=shared))
        self.prompts, self.root = self.home / "prompts", self.home / "memory"
        self.prompts.mkdir()
        self.root.mkdir()
        self.builder = Builder(prompts_dir=self.prompts, memory=self.root, plugins=False, on_diagnostic=lambda _: None)
        self.copies = self.root / "souveraine_operations" / "prompts"
        self.overrides = self.root / "souveraine_operations" / "prompt-overrides"
        self.kept = self.root / "souveraine_operations" / ".foreword"
        self.templates: dict[str, str] = {}
        self.bases: dict[str, str] = {}
        self.effects: dict[int, tuple[str, str | None, str | None]] = {}
        self.stood: set[bytes] = set()
        self.entries = 0

    def teardown(self) -> None:
        """Look once more, and take everything away."""
        try:
            if self.entries:
                self.look()
                self.create_again()
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    # -- the outside -------------------------------------------------------------------------------

    def memory(self, system: System = SYSTEM) -> AgentMemory:
        """Open the memory, as a command does."""
        return AgentMemory(agent="ada", builder=self.builder, system=system)

    def documents(self) -> dict[str, bytes]:
        """Read all copies and overrides."""
        paths = [*self.copies.glob("*.md"), *self.overrides.glob("*.md")]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in paths}

    def command(self, act: Callable[[], object]) -> bool:
        """Run a memory command, and follow by the journal alone what it did; return whether it was done."""
        self.stood |= set(self.documents().values())
        try:
            act()
            done = True
        except (AgentMemoryError, StoreError):
            done = False
        self.follow()
        return done

    def follow(self) -> None:
        """Learn from the new entries of the journal what each copy was made from."""
        for entry in self.memory().history()[self.entries :]:
            self.entries += 1
            assert entry.n == self.entries
            if entry.what == "create":
                self.bases = dict(self.templates)
            elif found := re.fullmatch(r"upgrade: (refresh|merge|copy|take mine|take new) (\S+)", entry.what):
                file = found[2]
                self.effects[entry.n] = (file, self.bases.get(file), self.templates[file])
                self.bases[file] = self.templates[file]
            elif entry.undoes is not None and entry.undoes in self.effects:
                file, before, after = self.effects[entry.undoes]
                self.effects[entry.n] = (file, after, before)
                self.bases.pop(file, None)
                if before is not None:
                    self.bases[file] = before
        self.stood |= set(self.documents().values())

    # -- rules -------------------------------------------------------------------------------------

    @initialize(style=texts, safety=texts, mine=texts, new=texts)
    def begin(self, style: str, safety: str, mine: str, new: str) -> None:
        """The operator has templates, and the memory is created."""
        for name in ("CONVERSATION_RULES.md", "TOOL_USAGE.md"):
            self.templates[name] = (Path(foreword_prompts.__file__).parent / name).read_text()
        for name, text in {"STYLE.md": style, "SAFETY.md": safety, "AGENTS.md": _text([0] * len(LINES))}.items():
            self.template(name, text)
        self.command(lambda: AgentMemory.create(agent="ada", builder=self.builder))
        self.diverge("STYLE.md", mine, new)

    @rule(file=files, mine=texts, new=texts)
    def diverge(self, file: str, mine: str, new: str) -> None:
        """Agent and operator both write, the same lines or others."""
        self.edit_copy(file, mine)
        self.template(file, new)

    @rule(file=files, mine=st.sampled_from("abc"), new=st.sampled_from("abc"))
    def diverge_apart(self, file: str, mine: str, new: str) -> None:
        """The agent writes at the beginning of its copy, the operator at the end of the template."""
        copy, template = self.copy(file), self.templates.get(file)
        if copy is not None and template is not None:
            self.edit_copy(file, f"{mine} {copy}")
            self.template(file, f"{template.strip()} {new}\n")

    @rule(file=files, text=texts)
    def template(self, file: str, text: str) -> None:
        """The operator writes a template."""
        (self.prompts / file).write_text(text)
        self.templates[file] = text

    @rule()
    def template_gone(self) -> None:
        """The operator deletes a template."""
        file = "EXTRA.md"
        (self.prompts / file).unlink(missing_ok=True)
        self.templates.pop(file, None)

    @rule(file=files, text=st.none() | texts)
    def edit_copy(self, file: str, text: str | None) -> None:
        """The agent edits or deletes a copy."""
        self.edit(self.copies / file, text)

    @rule(file=files, text=st.none() | texts)
    def edit_override(self, file: str, text: str | None) -> None:
        """The agent writes or deletes an override."""
        self.overrides.mkdir(exist_ok=True)
        self.edit(self.overrides / file, text)

    def edit(self, path: Path, text: str | None) -> None:
        """Write or delete a file past foreword."""
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)

    def create_again(self) -> None:
        """Creating again changes no byte."""
        before = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        AgentMemory.create(agent="ada", builder=self.builder)
        assert {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()} == before

    @rule(file=files, text=texts, mode=modes)
    def override(self, file: str, text: str, mode: str | None) -> None:
        """The agent overrides by the API: what is taken is in effect, what is refused leaves no trace."""
        memory = self.memory()
        before = self.documents()
        self.command(memory.status)
        entries = self.entries
        try:
            heading, priority = ("Part" if mode == "patch" else None), (600 if mode == "move" else None)
            memory.override(IDS[file], text, mode=mode, heading=heading, priority=priority)
        except ChangeRefused:
            assert self.documents() == before
            self.follow()
            assert self.entries == entries
            return
        assert file != "SAFETY.md"
        self.follow()
        assert self.entries == entries + 1
        section = next((one for one in self.builder.build("ada").sections if one.id == IDS[file]), None)
        if mode == "remove":
            assert section is None
        elif mode in (None, "replace", "define"):
            assert section is not None
            assert text.strip() in [one.text for one in memory.section(IDS[file]).overrides]

    @rule()
    def upgrade(self) -> None:
        """An upgrade does with each copy what its state demands, and never overwrites an edit."""
        self.command(self.memory().status)
        before = {name: self.copy(name) for name in self.names()}
        states = {name: self.state(name) for name in self.names()}
        bases = dict(self.bases)
        assert self.command(self.memory().upgrade)
        for name, old in before.items():
            self.upgraded(name, states[name], old, bases.get(name))
        entries = self.entries
        self.command(self.memory().upgrade)
        assert self.entries == entries

    def upgraded(self, name: str, state: str | None, old: str | None, base: str | None, *, surely: bool = True) -> None:
        """Check what became of one copy in an upgrade that was, or was not surely, completed."""
        now = self.copy(name)
        if state in ("new", "outdated"):
            assert now == _norm(self.templates[name]) or (not surely and now == old)
        elif state == "stale" and now != old:
            assert base is not None
            assert old is not None
            assert now == self.merged(base, old, self.templates[name])
        else:
            assert now == old, (name, state)
        if state == "stale" and now == old and surely:
            beside = (self.copies / f"{name}.new").read_text()
            assert _norm(beside) == _norm(self.templates[name])

    def merged(self, base: str, mine: str, new: str) -> str:
        """Merge as git does."""
        paths = []
        for number, text in enumerate((mine, base, new)):
            paths.append(self.home / f"merge{number}")
            paths[-1].write_text(_norm(text) + "\n")
        result = subprocess.run(["git", "merge-file", "-p", *paths], capture_output=True, text=True, check=True)
        return _norm(result.stdout)

    @rule(file=files, take=st.sampled_from(["mine", "new"]))
    def settle(self, file: str, take: str) -> None:
        """Taking mine leaves the copy as it is, taking new makes it the template."""
        self.command(self.memory().status)
        old = self.copy(file)
        if self.command(lambda: self.memory().settle(IDS[file], take)):
            assert self.copy(file) == (old if take == "mine" else _norm(self.templates[file]))
            assert not (self.copies / f"{file}.new").exists()
        else:
            assert self.copy(file) == old

    @precondition(lambda self: self.entries > 1)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        """Undoing one entry is one entry, or changes nothing."""
        n = data.draw(st.integers(2, self.entries))
        self.command(self.memory().status)
        before, entries = self.documents(), self.entries
        try:
            self.memory().revert(n)
        except MemoryConflict:
            assert self.documents() == before
            self.follow()
            assert self.entries == entries
            return
        self.follow()
        assert self.entries == entries + 1

    @rule(
        data=st.data(),
        operation=st.sampled_from(["override", "upgrade", "settle", "revert"]),
        k=st.integers(1, 160),
        kind=st.sampled_from(["kill", "kill", "ENOSPC", "EIO"]),
    )
    def strike(self, data: st.DataObject, operation: str, k: int, kind: str) -> None:
        """A command that is killed, or fails, at any call is done or not done, and nothing else is touched."""
        self.command(self.memory().status)
        before = {name: self.copy(name) for name in self.names()}
        states = {name: self.state(name) for name in self.names()}
        bases = dict(self.bases)
        act = self.operation(data, operation)
        self.stood |= set(self.documents().values())
        if kind == "kill":
            child = os.fork()
            if child == 0:
                try:
                    act(self.memory(Faulty(k, kind)))
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
        else:
            with suppress(StoreError, AgentMemoryError):
                act(self.memory(Faulty(k, kind)))
        self.follow()
        if operation in ("override", "upgrade"):
            for name, old in before.items():
                if operation == "upgrade":
                    self.upgraded(name, states[name], old, bases.get(name), surely=False)
                else:
                    assert self.copy(name) == old
        self.look()

    def operation(self, data: st.DataObject, name: str) -> Callable[[AgentMemory], object]:
        """Choose what a command that is struck was about to do."""
        if name == "upgrade":
            return lambda memory: memory.upgrade()
        if name == "revert":
            n = data.draw(st.integers(1, self.entries))
            return lambda memory: memory.revert(n)
        id = IDS[data.draw(files)]
        if name == "settle":
            return lambda memory: memory.settle(id, "mine")
        text = data.draw(texts)
        return lambda memory: memory.override(id, text)

    # -- what must hold ----------------------------------------------------------------------------

    def look(self) -> None:
        """Status says of each copy what the files, the templates and the past make of it."""
        self.command(self.memory().status)
        status = self.memory().status()
        said = {copy.file: copy.state for copy in status.copies}
        names = self.names()
        assert said == {name: state for name in names if (state := self.state(name)) is not None}
        for copy in status.copies:
            assert copy.unsettled is (self.copies / f"{copy.file}.new").exists()
            if copy.file == "SAFETY.md":
                assert (copy.outcome == "refused") is (copy.state in ("edited", "stale"))
        assert {one.file for one in status.overrides} == {path.name for path in self.overrides.glob("*.md")}
        assert all(one.outcome == "refused" for one in status.overrides if one.id == "safety")

    @invariant()
    def no_text_is_lost(self) -> None:
        """Every text that stood when a command ran is in the files, or is kept."""
        kept = {path.read_bytes() for path in (self.kept / "texts").glob("*")} if self.kept.exists() else set()
        assert self.stood <= kept | set(self.documents().values())

    @invariant()
    def the_policy_holds(self) -> None:
        """The operator's safety section is in the prompt, whatever the agent wrote, and building writes nothing."""
        if "SAFETY.md" in self.templates:
            prompt = self.builder.build("ada")
            assert _norm(prompt.section("safety").text) == _norm(self.templates["SAFETY.md"])

    def names(self) -> set[str]:
        """The names of all copies that are or could be."""
        return {*self.templates, *self.bases, *(path.name for path in self.copies.glob("*.md"))}

    def copy(self, name: str) -> str | None:
        """What a copy says."""
        path = self.copies / name
        return _norm(path.read_text()) if path.exists() else None

    def state(self, name: str) -> str | None:
        """The state that a copy is in."""
        text, base, template = self.copy(name), self.bases.get(name), self.templates.get(name)
        if text is None:
            return None if template is None else "new" if base is None else "deleted"
        if template is None:
            return "unknown origin" if base is None else "orphan"
        if text == _norm(template):
            return "untouched"
        if base is None:
            return "unknown origin"
        if _norm(base) == _norm(template):
            return "edited"
        return "outdated" if text == _norm(base) else "stale"


def _norm(text: str) -> str:
    return text.strip()


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=30 if settings.default.derandomize else settings.default.max_examples,
    stateful_step_count=30,
)
TestLife.__doc__ = "Through any sequence of changes no text is lost, the policy holds, and status is true."
