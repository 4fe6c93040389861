"""Builders in many threads, in an event loop and across a fork, while files change.

``FOREWORD_TEST_BUILDS`` is how many prompts each of the eight threads builds; a long run takes 10,000.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import select
import signal
import threading
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, Prompt

BUILDS = int(os.environ.get("FOREWORD_TEST_BUILDS", "1250"))
THREADS = 8
AGENTS = (None, "ada", "bea")
VERSION = re.compile(r"(\w+)=(\d+);")


class Writer:
    """Writes version after version of some files, and knows which each of them has had at which time.

    ``replaced`` and then ``other`` are replaced by new files; of ``inside`` one byte is changed in place; the two
    files of the agent's directory are exchanged in one step, by the link that leads to them.
    """

    def __init__(self, home: Path) -> None:
        self.prompts = home / "prompts"
        self.agent = self.prompts / "agents" / "ada"
        self.begun: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.stop = threading.Event()
        self.agent.parent.mkdir(parents=True)
        self.step()

    def step(self) -> None:
        """Write the next version of everything."""
        for name in ("replaced", "other"):
            self.version(name, lambda number, name=name: self.replace(self.prompts / f"{name}.md", f"{name}={number};"))
        self.version("inside", self.write_inside)
        self.version("pair", self.exchange)

    def version(self, name: str, write: Callable[[int], object]) -> None:
        """Write one version of one thing."""
        number = self.begun[name] = self.begun[name] + 1
        write(number)
        self.done[name] = number

    def replace(self, path: Path, text: str) -> None:
        """Put a new file in the place of one."""
        new = path.with_suffix(".new")
        new.write_text(text)
        os.rename(new, path)

    def write_inside(self, number: int) -> None:
        """Change one byte of a file, and sometimes set its times back."""
        path = self.prompts / "inside.md"
        if number == 1:
            path.write_text("inside=1;")
            return
        before = path.stat()
        fd = os.open(path, os.O_WRONLY)
        try:
            os.pwrite(fd, str(number % 10).encode(), len("inside="))
        finally:
            os.close(fd)
        if number % 3 == 0:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def exchange(self, number: int) -> None:
        """Exchange the agent's directory for another one."""
        folder = self.agent.with_name(f".ada-{number}")
        folder.mkdir()
        for name in ("left", "right"):
            (folder / f"{name}.md").write_text(f"{name}={number};")
        link = self.agent.with_name(".ada-new")
        link.symlink_to(folder.name)
        os.rename(link, self.agent)

    def run(self) -> None:
        """Write until it is told to stop, now and then with a rest in which times settle."""
        count = 0
        while not self.stop.is_set():
            self.step()
            count += 1
            time.sleep(0.06 if count % 4 == 0 else 0.001)


@contextmanager
def writing(writer: Writer) -> Iterator[None]:
    """Let the writer write in a thread of its own."""
    thread = threading.Thread(target=writer.run)
    thread.start()
    try:
        yield
    finally:
        writer.stop.set()
        thread.join()


def check(prompt: Prompt, agent: str | None, before: Counter[str], after: Counter[str], unsteady: bool) -> None:
    """Check that every file is in the prompt, in a version it had while the prompt was built, and none torn."""
    found = {name: int(number) for name, number in VERSION.findall(prompt.text)}
    for name in ("replaced", "other"):
        assert before[name] <= found[name] <= after[name], (name, found, before, after)
    assert found["inside"] in {number % 10 for number in range(before["inside"], after["inside"] + 1)}
    if agent == "ada":
        assert found["left"] == found["right"]
        assert before["pair"] <= found["left"] <= after["pair"], (found, before, after)
    else:
        assert "left" not in found
    if not unsteady:
        # Of one directory a prompt shows one state: "replaced" is written first.
        assert 0 <= found["replaced"] - found["other"] <= 1


def test_threads_build_what_a_cold_build_gave_at_some_moment(tmp_path: Path) -> None:
    """With files changing underneath, no build of any thread gives an older text, a torn one, or one without a file."""
    writer = Writer(tmp_path)
    builder = Builder(prompts_dir=writer.prompts, plugins=False, on_diagnostic=lambda _: None)
    problems: list[BaseException] = []
    seen: Counter[str] = Counter()

    def work(mine: int) -> None:
        try:
            for number in range(BUILDS):
                agent = AGENTS[(number + mine) % 3]
                before = Counter(writer.done)
                if number % 10 == 0:
                    prompts = builder.build_many(["bea", "ada"])
                else:
                    prompts = [builder.build(agent)]
                after = Counter(writer.begun)
                for prompt in prompts:
                    unsteady = any(one.code == "FW002" for one in prompt.diagnostics)
                    assert all(one.code == "FW002" for one in prompt.diagnostics if one.severity != "info")
                    seen["unsteady"] += unsteady
                    seen["built"] += 1
                    check(prompt, prompt.agent, before, after, unsteady)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in range(THREADS)]
    with writing(writer):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if problems:
        raise problems[0]
    assert seen["built"] >= THREADS * BUILDS
    assert writer.done["pair"] >= 10
    assert seen["unsteady"] < seen["built"] // 2
    time.sleep(0.03)
    for agent in AGENTS:
        cold = Builder(prompts_dir=writer.prompts, plugins=False, on_diagnostic=lambda _: None).build(agent)
        assert builder.build(agent).text == cold.text
        assert builder.build(agent).diagnostics == cold.diagnostics
        assert builder.build(agent) is builder.build(agent)


def test_a_prompt_may_be_asked_by_many_threads(tmp_path: Path) -> None:
    """Text, sections and lines of one prompt are the same for every thread that asks first."""
    for number in range(30):
        (tmp_path / f"rules{number}.md").write_text(f"rule {number}")
    for _ in range(20):
        prompt = Builder(prompts_dir=tmp_path, plugins=False).build("ada")
        start = threading.Barrier(THREADS)
        answers: list[object] = []

        def ask(prompt: Prompt = prompt, start: threading.Barrier = start, answers: list[object] = answers) -> None:
            start.wait()
            answers.append((prompt.text, prompt.sections, tuple(prompt.lines()), prompt.fingerprint))

        threads = [threading.Thread(target=ask) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == THREADS
        assert all(answer == answers[0] for answer in answers)


SLEEPER = """
import time


@hookimpl
def foreword_sections(context):
    time.sleep(0.3)
    return [Section("acme-sleeper.style", "Slept.")]
"""


def test_the_event_loop_goes_on_while_a_prompt_is_built(site: Any, tmp_path: Path) -> None:
    """However long a build waits, other tasks of the loop run; several builds run at once."""
    site.add("acme-sleeper", SLEEPER)
    builder = Builder(prompts_dir=tmp_path)

    async def main() -> tuple[int, list[Prompt], float]:
        ticks = 0

        async def ticker() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        task = asyncio.create_task(ticker())
        start = time.monotonic()
        prompts = await asyncio.gather(*(builder.abuild(agent, variables={"x": 1}) for agent in ("ada", "bea", None)))
        took = time.monotonic() - start
        task.cancel()
        return ticks, prompts, took

    ticks, prompts, took = asyncio.run(main())
    assert took >= 0.3
    assert ticks >= 8
    assert [prompt.agent for prompt in prompts] == ["ada", "bea", None]
    assert all("Slept." in prompt.text for prompt in prompts)
    assert asyncio.run(builder.abuild("ada")).text == prompts[0].text


def test_a_forked_process_goes_on_building(tmp_path: Path) -> None:
    """A child that is forked while other threads build finds no lock held, and builds the same prompt."""
    writer = Writer(tmp_path)
    builder = Builder(prompts_dir=writer.prompts, plugins=False, on_diagnostic=lambda _: None)
    for agent in AGENTS:
        builder.build(agent)
    ended = threading.Event()

    def work(agent: str | None) -> None:
        while not ended.is_set():
            (writer.prompts / "busy.md").write_text(f"{time.monotonic()}")
            builder.build(agent)
            Builder(prompts_dir=writer.prompts, plugins=False, on_diagnostic=lambda _: None).build(agent)

    threads = [threading.Thread(target=work, args=(agent,)) for agent in AGENTS]
    for thread in threads:
        thread.start()
    try:
        answers = [in_child(lambda: builder.build("ada").text) for _ in range(15)]
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    for answer in answers:
        found = dict(VERSION.findall(answer))
        assert found == {"replaced": "1", "other": "1", "inside": "1", "left": "1", "right": "1"}


def in_child(answer: Callable[[], str], limit: float = 30) -> str:
    """Fork, and return what the child answers; one that does not within the limit is killed."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # That threads are running is what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.write(writing, answer().encode())
        finally:
            os._exit(0)
    os.close(writing)
    try:
        ready, _, _ = select.select([reading], [], [], limit)
        if not ready:
            os.kill(child, signal.SIGKILL)
        return os.read(reading, 1 << 20).decode()
    finally:
        os.close(reading)
        os.waitpid(child, 0)


# -- builders among themselves -----------------------------------------------------------------------


def test_builders_share_nothing_that_changes(tmp_path: Path) -> None:
    """Two builders of the same files hold no dict, list or set in common that either of them fills."""
    (tmp_path / "rules.md").write_text("---\nmode: append\n---\n{{ agent_name }}")
    one, other = (Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None) for _ in range(2))
    for agent in AGENTS:
        assert one.build(agent).text == other.build(agent).text
    before = {key: len(value) for key, value in containers(other).items()}
    shared = [value for key, value in containers(one).items() if key in before]
    sizes = [len(value) for value in shared]
    (tmp_path / "rules.md").write_text("other")
    (tmp_path / "more.md").write_text("more")
    for agent in (*AGENTS, "cid"):
        one.build(agent, variables={"x": 1})
        one.build(agent)
    assert [len(value) for value in shared] == sizes
    assert {key: len(value) for key, value in containers(other).items()} == before


def containers(builder: Builder) -> dict[int, Any]:
    """Return the dicts, lists and sets that a builder keeps what it has built in, by their identity."""
    found: dict[int, Any] = {}
    left: list[object] = [value for name, value in vars(builder).items() if name.startswith("_")]
    seen: set[int] = set()
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, type) or callable(thing):
            continue
        seen.add(id(thing))
        if isinstance(thing, dict | list | set):
            found[id(thing)] = thing
        module = type(thing).__module__
        if module.startswith("foreword") or module == "builtins":
            left += gc.get_referents(thing)
    return found


def test_a_builder_leaves_nothing_behind(tmp_path: Path) -> None:
    """Nothing holds a builder, or a prompt that it has built, when its owner lets go of them."""
    (tmp_path / "rules.md").write_text("{{ agent_name }}")
    builder = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=lambda _: None)
    prompt = builder.build("ada")
    assert builder.build("ada") is prompt
    watched = (weakref.ref(builder), weakref.ref(prompt))
    del builder, prompt
    gc.collect()
    assert [one() for one in watched] == [None, None]


def test_each_builder_warns_by_itself(tmp_path: Path) -> None:
    """A builder warns once of each place, whatever another one has warned of."""
    (tmp_path / "rules.md").write_bytes(b"\xff")
    for _ in range(2):
        builder = Builder(prompts_dir=tmp_path, plugins=False)
        with pytest.warns(match="FW004"):
            builder.build()
        builder.build()
