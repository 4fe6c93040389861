"""What is read: directories of files, made anew for each run, the same to the last byte."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

KNOWN = ("AGENTS", "SAFETY", "CONVERSATION_RULES", "OUTPUT_PRINCIPLES", "TOOL_USAGE")
CUSTOM = ("API_STYLE", "BACKUPS", "CODE_REVIEW", "DEPLOYS", "GLOSSARY", "INCIDENTS", "MAIL", "ON_CALL", "TESTS", "TONE")
OVERRIDES = ("SAFETY", "TOOL_USAGE", "TEAM_NOTES")
AGENTS = tuple(f"agent-{number:03}" for number in range(100))
SIZE = 2048
"""Bytes of a file."""
GRAIN = 2.2
"""Seconds after which no clock of a file system takes a file for one that was touched just now."""


def _words(text: str) -> list[str]:
    return text.split()


ENGLISH = _words(
    "a after again agent all and answer any ask back before branch build by call change check clear code commit "
    "data each error every file first for from give help how if in into is it keep line log long make message "
    "name never not note of on one only open or order other over part person plan question read reason release "
    "report result review run say section service short show small state step take team test text that the them "
    "then this time to tool under until use user value wait what when where which who with word work write your"
)
PERSIAN = _words(
    "این آن است که در از به با برای هر یک می‌شود نمی‌شود می‌کند کتاب‌ها پرسش‌ها پاسخ خواننده کاربر متن خط جمله "
    "همیشه هرگز اگر پیش پس بررسی نام‌ها پرونده خطا گزارش کوتاه روشن ساده می‌نویسد می‌خواند ابزارها نتیجه‌ها"
)
EMOJI = ("✅", "⚠️", "🚀", "🔒", "👩‍💻", "🇮🇷", "👍🏽", "❤️‍🔥")


class Tree(NamedTuple):
    """Where files lie, as foreword and as the plain script are given it."""

    prompts: str
    memory: str | None = None
    skills: str | None = None

    @property
    def directories(self) -> list[str]:
        """The directories in which every Markdown file is read."""
        return [self.prompts] if self.memory is None else [self.prompts, f"{self.memory}/system"]

    def texts(self) -> dict[str, str]:
        """The text of each file by its path, read once."""
        paths = [path for directory in self.directories for path in Path(directory).glob("*.md")]
        paths += Path(self.skills).glob("*/SKILL.md") if self.skills is not None else ()
        return {str(path): path.read_text(encoding="utf-8").strip() for path in paths}


class Trees:
    """Every tree of one run, each made by the rules of its name.

    Args:
        base: a directory that is empty, or holds the trees already.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._made: dict[str, Tree] = {}
        self._last = 0.0

    def __call__(self, name: str) -> Tree:
        """Return a tree, with files that nobody touched of late."""
        if name not in self._made:
            for other in KINDS:
                if not (self.base / other).exists():
                    _plant(self.base / other, other)
                    self._last = time.monotonic()
                self._made[other] = _tree(self.base / other, other)
        time.sleep(max(0.0, self._last + GRAIN - time.monotonic()))
        return self._made[name]


KINDS = ("ascii", "front-matter", "persian", "emoji", "changed", "memory", "memory-changed", "fleet", "named")


def text(seed: str, kind: str = "ascii", size: int = SIZE) -> str:
    """Return ordinary Markdown of so many bytes: the same for the same arguments."""
    lines: list[str] = []
    room = size
    for line in _lines(random.Random(f"{kind} {seed}"), kind):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    made = "\n".join(lines)
    return f"{made}{'.' * (size - len(made.encode()) - 1)}\n"


def _lines(source: random.Random, kind: str) -> Iterator[str]:
    words: Sequence[str] = PERSIAN if kind == "persian" else ENGLISH
    number = 0
    while True:
        number += 1
        if number % 9 == 1:
            yield f"### {' '.join(source.choices(words, k=3))}"
        elif number % 9 in (2, 5):
            yield ""
        else:
            line = "- " if number % 9 > 5 else ""
            while len(line) < 72:
                line += source.choice(words) + " "
            yield f"{line}{source.choice(EMOJI)}" if kind == "emoji" else f"{line.rstrip()}."


def front_matter(name: str, order: int) -> str:
    """Return a front matter of four keys."""
    return (
        f"---\ntitle: What {name.lower()} holds\npriority: {order}\n"
        f"description: What everybody should know of {name.lower()}.\ntags: [team, style]\n---\n"
    )


def _tree(base: Path, kind: str) -> Tree:
    if not kind.startswith("memory"):
        return Tree(f"{base}/prompts")
    return Tree(f"{base}/prompts", f"{base}/memory", f"{base}/skills")


def _plant(base: Path, kind: str) -> None:
    """Make the files of one tree."""
    prompts = base / "prompts"
    prompts.mkdir(parents=True)
    script = kind if kind in ("persian", "emoji") else "ascii"
    for order, name in enumerate((*KNOWN, *CUSTOM)):
        head = front_matter(name, 100 + 10 * order) if kind == "front-matter" else ""
        body = text(name, script)
        if kind == "named" and name == "TONE":
            body = f"You are {{{{ agent_name }}}}.\n{text(name, size=SIZE - 28)}"
        (prompts / f"{name}.md").write_text(head + body, encoding="utf-8")
    if kind in ("fleet", "named"):
        for agent in AGENTS if kind == "fleet" else ("somebody",):
            folder = prompts / "agents" / agent
            folder.mkdir(parents=True)
            for name in OVERRIDES:
                (folder / f"{name}.md").write_text(text(f"{agent} {name}"), encoding="utf-8")
    if not kind.startswith("memory"):
        return
    for number in range(20):
        file = base / "memory" / "system" / f"note_{number:02}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f"---\ndescription: What I noted about matter {number}.\n---\n"
        file.write_text(head + text(file.name), encoding="utf-8")
    for number in range(12):
        file = base / "skills" / f"skill-{number:02}" / "SKILL.md"
        file.parent.mkdir(parents=True)
        head = f"---\nname: skill-{number:02}\ndescription: How to do task {number}, when that is asked for.\n---\n"
        file.write_text(head + text(file.parent.name), encoding="utf-8")
