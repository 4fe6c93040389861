"""foreword and a stranger's plugin, built and installed as their users get them, in an environment of their own."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "acme-citations"
SOURCES = ["foreword:agent", "foreword:builtin", "foreword:directory", "foreword:memory", "foreword:skills"]
STYLE = "## Citations\nCite every source that you rely on, in the form author-year.\n"


class Ran(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


class Environment:
    """A virtual environment with foreword's wheel in it."""

    def __init__(self, path: Path, wheels: Path) -> None:
        self.path = path
        self.wheels = wheels

    def run(self, program: str, *arguments: str, cwd: Path | None = None) -> Ran:
        """Run a program of the environment, away from the checkout."""
        env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH" and "FOREWORD" not in key}
        done = subprocess.run(
            [str(self.path / "bin" / program), *arguments],
            cwd=cwd or self.path,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def pip(self, *arguments: str) -> None:
        """Run pip, which must succeed."""
        ran = self.run("python", "-m", "pip", "--disable-pip-version-check", "-q", *arguments)
        assert ran.code == 0, ran.err

    def plugins(self) -> dict[str, dict[str, object]]:
        """Return what ``foreword plugins`` lists, by name."""
        content = json.loads(self.run("foreword", "plugins", "--json").out)
        return {plugin["name"]: plugin for plugin in content["plugins"]}


def wheel(source: Path, into: Path) -> Path:
    """Build a wheel from a copy of the source, so that the checkout stays as it is."""
    before = set(into.glob("*.whl"))
    build = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "wheel", "--no-deps", "-w", str(into)]
    subprocess.run([*build, str(source)], check=True, capture_output=True, timeout=300)
    [built] = set(into.glob("*.whl")) - before
    return built


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A fresh virtual environment with foreword installed from its wheel."""
    base = tmp_path_factory.mktemp("installed")
    (base / "wheels").mkdir()
    wheel(ROOT, base / "wheels")
    wheel(EXAMPLE, base / "wheels")
    subprocess.run([sys.executable, "-m", "venv", str(base / "env")], check=True, timeout=300)
    made = Environment(base / "env", base / "wheels")
    made.pip("install", str(next(made.wheels.glob("foreword-*.whl"))))
    return made


@pytest.fixture
def installed(environment: Environment) -> Iterator[Environment]:
    """The environment with the example in it, for one test."""
    environment.pip("install", "--no-deps", str(next(environment.wheels.glob("acme_citations-*.whl"))))
    yield environment
    environment.pip("uninstall", "-y", "acme-citations")


def test_the_wheel_holds_the_three_packages_and_nothing_else(environment: Environment) -> None:
    """The top level of the wheel is foreword, its sources and its templates; each is typed."""
    names = zipfile.ZipFile(next(environment.wheels.glob("foreword-*.whl"))).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "foreword",
        "foreword_plugins",
        "foreword_prompts",
    }
    assert len(top) == 4
    assert {"foreword/py.typed", "foreword_plugins/py.typed", "foreword_prompts/py.typed"} <= set(names)
    templates = {name for name in names if name.startswith("foreword_prompts/") and name.endswith(".md")}
    assert {Path(name).name for name in templates} == {
        "AGENTS.md",
        "SAFETY.md",
        "CONVERSATION_RULES.md",
        "TOOL_USAGE.md",
    }
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_a_fresh_install_builds_and_finds_its_own_sources(environment: Environment) -> None:
    """Installed from the wheel, foreword finds its five sources through entry points, and builds."""
    ran = environment.run("foreword", "build")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("You are assistant")
    assert "Citations" not in ran.out
    plugins = environment.plugins()
    assert sorted(plugins) == SOURCES
    assert {plugin["status"] for plugin in plugins.values()} == {"active"}
    assert environment.run("python", "-m", "pip", "check").code == 0


def test_installing_a_plugin_adds_its_sections_and_uninstalling_takes_them_away(environment: Environment) -> None:
    """``pip install`` is all a plugin needs, and ``pip uninstall`` leaves nothing of it."""
    before = environment.run("foreword", "build")
    environment.pip("install", "--no-deps", str(next(environment.wheels.glob("acme_citations-*.whl"))))
    with_it = environment.run("foreword", "build", "--strict")
    listed = environment.plugins()
    explained = environment.run("foreword", "explain", "acme-citations.style")
    environment.pip("uninstall", "-y", "acme-citations")
    after = environment.run("foreword", "build")
    assert after == before
    assert (with_it.code, with_it.err) == (0, "")
    assert STYLE in with_it.out
    assert "list every citation of the text" in with_it.out
    assert (listed["acme-citations:acme"]["status"], listed["acme-citations:acme"]["version"]) == ("active", "1.2.0")
    assert listed["acme-citations:acme"]["hooks"] == ["foreword_sections", "foreword_skills", "foreword_variables"]
    assert "acme_citations/STYLE.md:6" in explained.out
    assert "acme-citations:acme 1.2.0" in explained.out


def test_an_operator_disables_a_plugin_without_uninstalling_it(installed: Environment, tmp_path: Path) -> None:
    """``[plugins] disable`` takes a plugin out of the prompt, and the list keeps it with the reason."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "foreword.toml").write_text('[plugins]\ndisable = ["acme-citations"]\n')
    ran = installed.run("foreword", "build", cwd=tmp_path)
    assert ran.code == 0
    assert "Citations" not in ran.out
    assert ran.err == ""
    listing = installed.run("foreword", "plugins", cwd=tmp_path).out
    assert "disabled by the configuration" in next(line for line in listing.splitlines() if "acme-citations" in line)
    assert STYLE in installed.run("foreword", "build").out


def test_an_operator_edits_a_plugins_section_with_a_file(installed: Environment, tmp_path: Path) -> None:
    """A file of the prompts directory reaches a plugin's section by its id."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "citing.md").write_text(
        "---\nid: acme-citations.style\nmode: append\n---\nNever cite a search engine; {{ acme_citations.form }}.\n"
    )
    ran = installed.run("foreword", "build", "--prompts-dir", str(tmp_path / "prompts"), "--strict")
    assert ran.code == 0
    assert "no source.\n\nNever cite a search engine; author-year." in ran.out


def test_an_editable_plugin_is_found_as_any(environment: Environment, tmp_path: Path) -> None:
    """An editable install is one plugin, and a change of its Markdown is in the next prompt."""
    source = tmp_path / "acme-citations"
    shutil.copytree(EXAMPLE, source)
    environment.pip("install", "--no-deps", "-e", str(source))
    try:
        assert STYLE in environment.run("foreword", "build").out
        assert [name for name in environment.plugins() if name not in SOURCES] == ["acme-citations:acme"]
        style = source / "src" / "acme_citations" / "STYLE.md"
        style.write_text(style.read_text() + "- Changed in place.\n")
        assert "- Changed in place." in environment.run("foreword", "build").out
    finally:
        environment.pip("uninstall", "-y", "acme-citations")


def test_the_examples_own_tests_pass_where_it_is_installed(installed: Environment, tmp_path: Path) -> None:
    """The plugin's tests, as its author would run them, pass against the installed foreword."""
    installed.pip("install", "pytest>=8")
    shutil.copytree(EXAMPLE, tmp_path / "acme-citations")
    ran = installed.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / "acme-citations")
    assert ran.code == 0, ran.out
    assert "4 passed" in ran.out


def test_importing_foreword_loads_no_plugin_and_no_engine(installed: Environment) -> None:
    """``import foreword`` costs its own module: no plugin, no model, no template engine, no parser."""
    program = (
        "import sys, foreword\n"
        "heavy = {'pydantic', 'jinja2', 'yaml', 'pluggy', 'markdown_it', 'rich', 'click', 'importlib_metadata',\n"
        "         'foreword_plugins', 'foreword_prompts', 'acme_citations'}\n"
        "print(sorted(heavy & set(sys.modules)), len([m for m in sys.modules if m.startswith('foreword')]))\n"
    )
    ran = installed.run("python", "-c", program)
    assert (ran.code, ran.out.strip()) == (0, "[] 1")


def test_a_build_loads_no_template_engine_that_no_template_asks_for(environment: Environment) -> None:
    """Without a ``template: jinja`` a build leaves Jinja2, click and rich alone."""
    program = (
        "import sys, foreword\n"
        "foreword.Builder().build().text\n"
        "print(sorted({'jinja2', 'click', 'rich'} & set(sys.modules)))\n"
    )
    assert environment.run("python", "-c", program).out.strip() == "[]"


def test_plugins_use_only_the_public_names_and_the_core_none_of_theirs() -> None:
    """The core imports no source, and the sources import nothing of foreword but its public names."""
    import foreword

    def imports(package: Path) -> list[tuple[str, str, list[str]]]:
        found: list[tuple[str, str, list[str]]] = []
        for file in sorted(package.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    found += ((file.name, alias.name, []) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    found.append((file.name, node.module or "", [alias.name for alias in node.names]))
        return found

    core = imports(ROOT / "core" / "foreword")
    assert len(core) > 100
    ours = ("foreword_plugins", "foreword_prompts")
    assert [(file, name) for file, name, _ in core if name.startswith(ours)] == []
    for text in (file.read_text() for file in (ROOT / "core").rglob("*.py")):
        assert "import_module(\"foreword_plugins" not in text
    plugins = imports(ROOT / "plugins" / "foreword_plugins")
    from_foreword = [(file, name, names) for file, name, names in plugins if name.partition(".")[0] == "foreword"]
    assert from_foreword
    assert [one for one in from_foreword if one[1] != "foreword"] == []
    assert {name for _, _, names in from_foreword for name in names} <= set(foreword.__all__)
