"""Works that grow: sections by the thousand, plugins by the thousand, and names in long texts."""

from __future__ import annotations

import string
from collections.abc import Callable

import pluggy

from foreword import Builder
from foreword._hookspecs import Hooks
from foreword._manager import Manager
from foreword._plugin_calls import Caller, Gathered
from foreword.templates import _names

from .contest import Budget, timed
from .counting import Absent, instructions, seconds
from .tasks import Made, found
from .trees import Trees, text
from .work import Contest, Counted, Work


def linear(task: str, few: int, many: int) -> Callable[[Trees, Budget], Counted]:
    """What one of many costs, against what one of few costs."""

    def make(trees: Trees, budget: Budget) -> Counted:
        tasks = [f"{task}-{few}", f"{task}-{many}"]
        try:
            counts = instructions(trees, tasks)
        except Absent as why:
            times = seconds(trees, tasks)
            return Counted(
                times[tasks[1]] / many, times[tasks[0]] / few, "seconds", note=f"seconds, not instructions: {why}"
            )
        return Counted(counts[tasks[1]] / many, counts[tasks[0]] / few, "instructions")

    return make


def calls(trees: Trees, budget: Budget) -> Contest:
    """The calls of a thousand plugins, each isolated and timed, against pluggy's one call for all."""
    made = [Made(number) for number in range(1000)]
    one = Builder(plugins=False)
    context, manager = one.plan().context, Manager(one.settings.plugins, found=found(made))
    theirs = pluggy.PluginManager("foreword")
    theirs.add_hookspecs(Hooks)
    for plugin in made:
        theirs.register(plugin)

    def mine() -> list[object]:
        return Caller(Gathered(), context, manager).call_all("foreword_sections")

    def pluggys() -> list[object]:
        called: list[object] = theirs.hook.foreword_sections(context=context)
        return called

    def same() -> str:
        # pluggy calls the last first.
        return "" if mine() == pluggys()[::-1] else "they return different sections"

    return Contest({"foreword": timed(mine), "pluggy": timed(pluggys)}, [same])


def names(trees: Trees, budget: Budget) -> Contest:
    """Three names in each of fifteen texts, replaced in what was compiled once, against `string.Template`."""
    values = {"agent_name": "Ada", "team": "Tools", "city": "Tabriz"}
    texts: list[str] = []
    for number in range(15):
        words = text(f"names {number}", size=5000).split(" ")
        for place, name in enumerate(values, 1):
            words[place * len(words) // 4] = f"{{{{ {name} }}}}"
        texts.append(" ".join(words))
    theirs = [string.Template(source.replace("{{ ", "${").replace(" }}", "}")) for source in texts]
    compiled = [_names.compile_names(source) for source in texts]
    same = [one.render(values).text for one in compiled] == [one.substitute(values) for one in theirs]
    return Contest(
        {
            "foreword": timed(lambda: [one.render(values) for one in compiled]),
            "string.Template": timed(lambda: [one.substitute(values) for one in theirs]),
        },
        [lambda: "" if same else "the texts differ"],
    )


ROWS = (
    ("sections", "100 → 10,000 sections, each", "100 sections", 1.35, linear("sections", 100, 10_000)),
    ("plugins", "100 → 1,000 plugins of one section, each", "100 plugins", 1.35, linear("plugins", 100, 1000)),
    ("plugin-calls", "calls of 1,000 plugins, isolation and timing included", "pluggy", 0.6, calls),
    ("names", "{{ name }} in 15 texts of 5 KB, compiled", "string.Template", 0.5, names),
)

WORKS = tuple(Work(*row) for row in ROWS)
