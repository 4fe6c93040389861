"""One package in an environment of its own: ``python -m tests.bench.peer NAME DIRECTORY SECONDS``, which prints JSON.

Each does the same work as its documentation would have it done: fifteen files are read, and their texts stand in one
prompt, each under its heading. *cold* makes everything anew; *again* keeps what the package lets one keep.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .contest import Budget, race, timed
from .naive import naive

Work = Callable[[], str]


def foreword(directory: str) -> tuple[Work, Work]:
    """A builder over the directory."""
    from foreword import Builder

    def made() -> Any:
        return Builder(prompts_dir=directory, plugins=False)

    kept = made()
    return lambda: str(made().build().text), lambda: str(kept.build().text)


def jinja2(directory: str) -> tuple[Work, Work]:
    """A template that includes the files; an environment looks itself whether they have changed."""
    from jinja2 import Environment, FileSystemLoader

    names = sorted(name for name in os.listdir(directory) if name.endswith(".md"))
    source = "{% for name in names %}## {{ name }}\n{% include name %}\n\n{% endfor %}"

    def made() -> Any:
        return Environment(loader=FileSystemLoader(directory), autoescape=False).from_string(source)

    kept = made()
    return lambda: str(made().render(names=names)), lambda: str(kept.render(names=names))


def langchain_core(directory: str) -> tuple[Work, Work]:
    """A chat prompt whose system message has one variable for each file."""
    from langchain_core.prompts import ChatPromptTemplate

    def made() -> Any:
        return ChatPromptTemplate.from_messages([("system", _headed(directory, "{%s}"))])

    def text(template: Any) -> str:
        return str(template.format_messages(**_texts(directory))[0].content)

    kept = made()
    return lambda: text(made()), lambda: text(kept)


def banks(directory: str) -> tuple[Work, Work]:
    """A prompt with one variable for each file; it keeps what it rendered from the same data."""
    from banks import Prompt

    def made() -> Any:
        return Prompt(_headed(directory, "{{ %s }}"))

    kept = made()
    return lambda: str(made().text(_texts(directory))), lambda: str(kept.text(_texts(directory)))


def prompt_poet(directory: str) -> tuple[Work, Work]:
    """A template with one part for each file; a prompt is made anew for each data, its template is kept."""
    from prompt_poet import Prompt

    part = "- name: {0}\n  role: system\n  content: |\n    ## {0}\n    {{{{ escape_special_characters({0}) }}}}\n"
    template = Path(directory).parent / "prompt_poet.yml.j2"
    template.write_text("".join(part.format(name) for name in _texts(directory)), encoding="utf-8")

    def text(*, from_cache: bool) -> str:
        prompt = Prompt(template_data=_texts(directory), template_path=str(template), from_cache=from_cache)
        return "\n\n".join(part.content for part in prompt.parts)

    return lambda: text(from_cache=False), lambda: text(from_cache=True)


def _texts(directory: str) -> dict[str, str]:
    files = sorted(Path(directory).glob("*.md"))
    return {file.stem: file.read_text(encoding="utf-8").strip() for file in files}


def _headed(directory: str, variable: str) -> str:
    names = sorted(file.stem for file in Path(directory).glob("*.md"))
    return "\n\n".join(f"## {name}\n{variable % name}" for name in names)


PEERS: dict[str, Callable[[str], tuple[Work, Work]]] = {
    "foreword": foreword,
    "jinja2": jinja2,
    "langchain-core": langchain_core,
    "banks": banks,
    "prompt-poet": prompt_poet,
}


def main() -> None:
    """Time one package next to the plain script, and print what came out."""
    name, directory, seconds = sys.argv[1:]
    cold, again = PEERS[name](directory)
    lines = {line for text in _texts(directory).values() for line in text.splitlines() if line}
    for work in (cold, again):
        missing = lines - {line.strip() for line in work().splitlines()}
        assert not missing, f"{len(missing)} lines are not in the prompt, such as {min(missing)!r}"
    works = {"cold": timed(cold), "again": timed(again), "naive": timed(lambda: naive([directory]))}
    medians = race(works, Budget(seconds=float(seconds)))
    json.dump({"version": importlib.metadata.version(name), **medians}, sys.stdout)


if __name__ == "__main__":
    main()
