"""The pages of the documentation are run, block by block, in an empty directory.

What a fenced block is, its info string says: ``LANGUAGE file:PATH`` is written to that file; of a ``console``
block each line ``$ command`` is run and its output compared with what follows; a ``python`` block is run, and one
with ``>>>`` in it as a doctest; a ``toml`` block must be a configuration that foreword takes. ``...`` stands for
anything. The comment ``<!-- an empty directory -->`` begins a new example.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from markdown_it.token import Token

from foreword.commands._group import foreword
from foreword.config._config import load

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
MOVING = {r" +(\d+\.\d|ms)(?= |$)": " MS", r" +\d+ +~\d+$": " SIZE", r"\b\d+\.\d+\.\d+\b": "VERSION"}


class _Example:
    """One run of a page: a directory, the names that its Python blocks share, the last exit code."""

    def __init__(self, page: Path, home: Path) -> None:
        self.page, self.home, self.names, self.status, self.folder = page, home, dict[str, object](), 0, home
        self.begin()

    def begin(self) -> None:
        self.folder = self.home / str(len(list(self.home.iterdir())))
        self.folder.mkdir()
        os.chdir(self.folder)

    def take(self, token: Token) -> None:
        if token.type == "html_block" and "an empty directory" in token.content:
            self.begin()
        if token.type != "fence" or token.map is None:
            return
        language, _, name = token.info.partition(" file:")
        line = token.map[0] + 1
        if name or language == "toml":
            file = self.folder / (name or "sample.toml")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(token.content, encoding="utf-8")
            forget_modules(self.home)
            if not name:
                load(file)
        elif language == "console":
            for found in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", token.content, re.MULTILINE):
                output = self.run(found[1].replace("\\\n", " "))
                self.compare(found[2], output, line + 1 + token.content.count("\n", 0, found.start()))
        elif language == "python":
            self.python(token.content, line)

    def run(self, command: str) -> str:
        words = shlex.split(command)
        given = dict(word.split("=", 1) for word in words if re.match(r"FOREWORD_\w+=", word))
        words = words[len(given) :]
        if words == ["echo", "$?"]:
            return str(self.status)
        if words[:2] == ["pip", "install"]:
            return install(self.folder / words[-1])
        assert words[0] == "foreword", f"{self.page}: cannot run {command!r}"
        result = CliRunner().invoke(foreword, words[1:], prog_name="foreword", env=given)
        self.status = result.exit_code
        return result.output

    def python(self, source: str, line: int) -> None:
        if ">>>" not in source:
            exec(compile("\n" * line + source, str(self.page), "exec"), self.names)
            return
        test = doctest.DocTestParser().get_doctest(source, self.names, self.page.name, str(self.page), line)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
        self.names.update(test.globs)
        assert not said, "".join(said)

    def compare(self, wanted: str, got: str, line: int) -> None:
        wanted, got = (f"{text.rstrip()}\n" for text in (wanted, got))
        for pattern, word in MOVING.items():
            wanted, got = (re.sub(pattern, word, text, flags=re.MULTILINE) for text in (wanted, got))
        same = doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)
        assert same, f"{self.page}:{line}: the page says\n{wanted}\nand foreword\n{got}"


def install(project: Path) -> str:
    """Do what an editable installation does, without an index of packages: write metadata, set the path."""
    about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = project / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
    points = "".join(f"{name} = {value}\n" for name, value in about["entry-points"]["foreword"].items())
    (folder / "entry_points.txt").write_text(f"[foreword]\n{points}")
    sys.path.insert(0, str(project))
    return ""


def forget_modules(folder: Path) -> None:
    """Have the modules below a folder read again when they are next imported."""
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home directory, with nothing of this machine's settings and nothing left behind."""
    for name in [name for name in os.environ if name.startswith("FOREWORD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    forget_modules(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_foreword_does(page: Path, home: Path) -> None:
    """Every command, file, configuration and piece of Python in the documentation works as it says."""
    example = _Example(page, home)
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        example.take(token)
