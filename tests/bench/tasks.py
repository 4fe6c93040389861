"""Works that are counted: each is made ready, and then done a few times while somebody counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from foreword import Builder, Section, hookimpl
from foreword._discovery import Discovered, discover
from foreword._manager import Manager
from foreword._provider import Provider

from .naive import naive
from .reading import builder, file_of
from .trees import Trees, text
from .writer import write_again

TIMES = 3
"""How often each task is counted; the least of them is its count."""

Step = Callable[[], object]


def plain_reading(trees: Trees) -> Iterator[Step]:
    """The plain script over fifteen files: what the counts of the others are a multiple of."""
    directories = trees("ascii").directories
    naive(directories)
    for _ in range(TIMES):
        yield lambda: naive(directories)


def cold(trees: Trees) -> Iterator[Step]:
    """Fifteen files, nothing cached."""
    tree = trees("ascii")
    assert builder(tree).build().text
    for _ in range(TIMES):
        one = builder(tree)
        yield _built(one)


def _built(one: Builder) -> Step:
    return lambda: one.build().text


def unchanged(trees: Trees) -> Iterator[Step]:
    """Fifteen files, nothing changed since the last build."""
    one = builder(trees("ascii"))
    for _ in range(2):
        assert one.build().text
    for _ in range(TIMES):
        yield lambda: one.build().text


def changed(trees: Trees) -> Iterator[Step]:
    """Fifteen files, one of them changed."""
    tree = trees("changed")
    write, one = write_again(file_of(tree)), builder(tree)
    for _ in range(2):
        write()
        assert one.build().text
    for _ in range(TIMES):
        write()
        texts: list[str] = []
        yield lambda texts=texts: texts.append(one.build().text)
        assert texts == [builder(tree).build().text]


def sections(count: int, times: int = TIMES) -> Callable[[Trees], Iterator[Step]]:
    """Sections that the caller gives; each time others."""

    def steps(trees: Trees) -> Iterator[Step]:
        one = Builder(plugins=False, on_diagnostic=lambda found: None)
        words = text("section", size=300)
        for time in range(times + 1):
            given = [
                Section(f"made_{number}", f"{time} {number} {words}", title=f"Made {number}", priority=number % 1000)
                for number in range(count)
            ]

            def step(given: list[Section] = given) -> object:
                return one.build(edits=given).text

            if time:
                yield step
            else:
                step()

    return steps


class Made:
    """A plugin of one section."""

    def __init__(self, number: int) -> None:
        self.section = Section(
            f"made-{number:04}.note", f"Note {number}.", title=f"Note {number}", priority=number % 999
        )

    def loaded(self) -> object:
        """Return what the entry point names."""
        return self

    @hookimpl
    def foreword_sections(self, context: object) -> list[Section]:
        """Return the one section."""
        return [self.section]


def found(made: Sequence[Made]) -> list[Discovered]:
    """Return the entry points of plugins, as if each were installed."""
    return [
        Discovered(Provider(f"made-{number:04}", "1.0", "main"), f"made_{number:04}", one.loaded)
        for number, one in enumerate(made)
    ]


def plugins(count: int) -> Callable[[Trees], Iterator[Step]]:
    """Plugins of one section each: whole builds, as nobody can say what a plugin will return."""

    def steps(trees: Trees) -> Iterator[Step]:
        one = Builder(plugins=False, on_diagnostic=lambda diagnostic: None)
        own = [item for item in discover() if item.provider.first_party]
        one.manager = Manager(one.settings.plugins, found=[*own, *found([Made(number) for number in range(count)])])
        for _ in range(2):
            assert one.build().text
        for _ in range(TIMES):
            yield lambda: one.build().text

    return steps


TASKS: dict[str, Callable[[Trees], Iterator[Step]]] = {
    "naive": plain_reading,
    "cold": cold,
    "unchanged": unchanged,
    "changed": changed,
    "sections-100": sections(100),
    "sections-1000": sections(1000, 1),
    "sections-10000": sections(10_000, 1),
    "plugins-100": plugins(100),
    "plugins-1000": plugins(1000),
}
