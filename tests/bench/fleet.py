"""Works for many agents: what each costs beyond the base that all share."""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from itertools import count

from foreword import Builder, Prompt

from .contest import Budget, Contender, prepared, timed
from .naive import naive
from .reading import builder, measures
from .trees import AGENTS, OVERRIDES, SIZE, Tree, Trees
from .work import Contest, Counted, Work

NAIVE_RUNS = 20
"""How often the plain script is run in one round, next to ten thousand builds."""


def with_overrides(trees: Trees, budget: Budget) -> Contest:
    """A new builder builds for a hundred agents; the plain script reads their three hundred files alone."""
    tree = trees("fleet")
    folders = [f"{tree.prompts}/agents/{agent}" for agent in AGENTS]

    def mine(made: Builder) -> list[Prompt]:
        prompts = made.build_many(AGENTS)
        for prompt in prompts:
            assert prompt.text
        return prompts

    return Contest(
        {
            "foreword": prepared(lambda: builder(tree), mine),
            "naive": timed(lambda: [naive([folder]) for folder in folders]),
        }
    )


def without_directory(trees: Trees, budget: Budget) -> Contest:
    """One builder builds for agents that have no directory of their own."""
    tree = trees("named")
    one = builder(tree)
    one.build_many(["first"])
    names = [f"agent-{number:05}" for number in range(budget.agents)]

    def mine() -> list[Prompt]:
        prompts = one.build_many(names)
        for prompt in prompts:
            assert prompt.text
        return prompts

    def nothing_read() -> str:
        opened = opens(lambda: one.build_many(names[:100]))
        return f"{opened} files were opened for 100 agents" if opened else ""

    def named() -> str:
        last = one.build_many(names[:3])[-1]
        return "" if names[2] in last.text else "the agent's name is not in its prompt"

    contenders = {"foreword": timed(mine, len(names)), "naive": _often(tree)}
    return Contest(contenders, [nothing_read, named])


def single(trees: Trees, budget: Budget) -> Contest:
    """One builder builds for one agent after another, each a new one."""
    tree = trees("named")
    one = builder(tree)
    assert one.build("first").text
    numbers = count()
    mine = prepared(lambda: f"agent-{next(numbers)}", lambda agent: one.build(agent).text)
    return Contest({"foreword": mine, "naive": measures(tree)["naive"]})


def _often(tree: Tree) -> Contender:
    return timed(lambda: [naive(tree.directories) for _ in range(NAIVE_RUNS)], NAIVE_RUNS)


def opens(work: Callable[[], object]) -> int:
    """Return how many files a piece of work opens; directories are not counted."""
    _OPENED.clear()
    if not _OPENED.hooked:
        sys.addaudithook(_OPENED.take)
        _OPENED.hooked = True
    _OPENED.taking = True
    work()
    _OPENED.taking = False
    return len(_OPENED)


class _Opened(list[str]):
    """What was opened while somebody asked. An audit hook stays for as long as the process runs."""

    hooked = taking = False

    def take(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.taking and event == "open" and not int(str(arguments[2])) & os.O_DIRECTORY:
            self.append(str(arguments[0]))


_OPENED = _Opened()


def held(kind: str, agents: int, of_text: int) -> Callable[[Trees, Budget], Counted]:
    """What a prompt of `build_many` takes beyond its text, when the builder is gone.

    Args:
        kind: the tree.
        agents: how many prompts are held, and half as many: the base that they share is in both.
        of_text: the bytes of text that only one prompt has.
    """

    def make(trees: Trees, budget: Budget) -> Counted:
        tree = trees(kind)
        names = AGENTS if kind == "fleet" else [f"agent-{number:05}" for number in range(agents)]
        # What is kept once per process, whatever it is, is there before anything is measured.
        builder(tree).build_many(names)
        sizes = [_size_of(tree, names[:some]) for some in (agents // 2, agents)]
        files = len(OVERRIDES) if of_text else 1
        each = (sizes[1] - sizes[0]) / (agents - agents // 2)
        if of_text:
            plain = [_size_of(tree, [f"nobody-{n}" for n in range(some)]) for some in (agents // 2, agents)]
            each -= (plain[1] - plain[0]) / (agents - agents // 2)
        return Counted((each - of_text) / files, 1, "bytes")

    return make


def _size_of(tree: Tree, names: list[str] | tuple[str, ...]) -> int:
    gc.collect()
    tracemalloc.start()
    one = builder(tree)
    prompts = one.build_many(names)
    del one
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(prompts) == len(names)
    return size


ROWS = (
    ("agents-overrides", "build_many: 100 agents of 3 override files each", "naive", 3.0, with_overrides),
    ("agents-plain", "build_many: 10,000 agents without a directory, each", "naive", 0.2, without_directory),
    ("agents-single", "build: one new agent without a directory", "naive", 0.4, single),
)
HELD = (
    ("held-plain", "memory per agent without a directory", "bytes", 512, held("named", 1000, 0)),
    (
        "held-overrides",
        "memory per override file, beyond its text",
        "bytes",
        600,
        held("fleet", len(AGENTS), len(OVERRIDES) * SIZE),
    ),
)

WORKS = (*(Work(*row) for row in ROWS), *(Work(*row, unit="bytes") for row in HELD))
