"""Works that read: everything anew, nothing changed, one file changed; with and without memory and skills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foreword import Builder

from .contest import Budget, Contender, prepared, timed
from .naive import limit, naive
from .trees import Tree, Trees
from .work import Contest, Work
from .writer import Writer

CHANGED = "CODE_REVIEW"
"""The file of those fifteen that is written again."""

AT_ONCE = 40
"""So many builders are made before they are used."""


def file_of(tree: Tree) -> str:
    """Return the path of the file that is written again."""
    return f"{tree.prompts}/{CHANGED}.md"


def builder(tree: Tree) -> Builder:
    """Return a new builder over a tree, with all checks on."""
    skills = [tree.skills] if tree.skills is not None else None
    return Builder(
        prompts_dir=tree.prompts, memory=tree.memory, skills=skills, plugins=False, on_diagnostic=lambda found: None
    )


def content_builder(tree: Tree) -> Builder:
    """Return a new builder that compares contents instead of trusting what the file system says."""
    file = Path(tree.prompts).parent / "foreword.toml"
    file.write_text('prompts_dir = "prompts"\n\n[files]\nvalidate = "content"\n', encoding="utf-8")
    return Builder.from_config(file, plugins=False, on_diagnostic=lambda found: None)


def measures(tree: Tree, ready: Callable[[], object] = lambda: None) -> dict[str, Contender]:
    """Return the plain script and the limit over a tree, each after what is made ready for a round."""
    directories, skills, texts = tree.directories, tree.skills, tree.texts()
    return {
        "naive": prepared(ready, lambda _: naive(directories, skills)),
        "limit": prepared(ready, lambda _: limit(texts, directories, skills)),
    }


def cold(name: str) -> Callable[[Trees, Budget], Contest]:
    """Every round has a new builder; what it reads lies in the page cache for both sides."""

    def make(trees: Trees, budget: Budget) -> Contest:
        tree = trees(name)
        made: list[Builder] = []

        def ready() -> Builder:
            # A builder is there before its first build. To make one finds the plugins that are installed, which
            # leaves none of what a build needs in the caches of the processor.
            if not made:
                made.extend([builder(tree) for _ in range(AT_ONCE)])
            return made.pop()

        return Contest({"foreword": prepared(ready, lambda one: one.build().text), **measures(tree)})

    return make


def unchanged(name: str, made: Callable[[Tree], Builder] = builder) -> Callable[[Trees, Budget], Contest]:
    """One builder, which has built before."""

    def make(trees: Trees, budget: Budget) -> Contest:
        tree = trees(name)
        one = made(tree)
        first = one.build()
        assert first.text

        def same() -> str:
            return "" if one.build() is one.build() else "the prompt is not the same object"

        return Contest({"foreword": timed(lambda: one.build().text), **measures(tree)}, [same])

    return make


def changed(name: str) -> Callable[[Trees, Budget], Contest]:
    """One builder; before each round somebody else writes one file, outside the clock."""

    def make(trees: Trees, budget: Budget) -> Contest:
        tree = trees(name)
        write, one = Writer(file_of(tree)).write, builder(tree)
        assert one.build().text

        def seen() -> str:
            before = one.build().text
            write()
            after = one.build().text
            return "the change was not seen" if before == after or after != builder(tree).build().text else ""

        # All of them after the same writing.
        return Contest({"foreword": prepared(write, lambda _: one.build().text), **measures(tree, write)}, [seen])

    return make


ROWS = (
    ("cold", "15 files of 2 KB, nothing cached", "naive", 2.5, cold("ascii")),
    ("cold-front-matter", "15 files, each with front matter, nothing cached", "naive", 6.0, cold("front-matter")),
    ("cold-persian", "15 files, each Persian, nothing cached", "naive", 4.0, cold("persian")),
    ("cold-emoji", "15 files, each with emoji, nothing cached", "naive", 4.0, cold("emoji")),
    ("unchanged", "15 files, nothing changed since the last build", "limit", 1.2, unchanged("ascii")),
    (
        "unchanged-content",
        "15 files, nothing changed, compared by content",
        "limit",
        2.5,
        unchanged("ascii", content_builder),
    ),
    ("changed", "15 files, one of them changed", "naive", 0.75, changed("changed")),
    ("memory-cold", "15 files, 20 of a memory, 12 skills, nothing cached", "naive", 6.0, cold("memory")),
    ("memory-unchanged", "15 files, 20 of a memory, 12 skills, nothing changed", "limit", 1.5, unchanged("memory")),
    (
        "memory-changed",
        "15 files, 20 of a memory, 12 skills, one file changed",
        "naive",
        1.0,
        changed("memory-changed"),
    ),
)

WORKS = tuple(Work(*row) for row in ROWS)
