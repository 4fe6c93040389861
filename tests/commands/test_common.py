"""What every command has in common: options, environment, exit statuses, and how it speaks."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import click
import pytest

from foreword import __version__
from foreword import commands as foreword_commands
from foreword.commands._group import COMMANDS, foreword

OPTIONS = ["--config", "--prompts-dir", "--agent", "--memory", "--skills", "--var", "--strict", "--json", "-v"]
LINE = re.compile(r"FW\d{3} (error|warning|info)( \S.*?)?: \S.*")


def everything(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command below a group, with the words that call it."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from everything(command, f"{name} {word}")


ALL = dict(everything(foreword, "foreword"))


# -- help ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["foreword", *ALL])
def test_every_command_helps_with_an_example(run: Any, name: str) -> None:
    """``--help`` of every command, and of every command below it, shows a line to copy."""
    ran = run(*name.split()[1:], "--help")
    assert ran.code == 0
    assert not ran.err
    example = re.search(r"Example: (foreword .+)", ran.out)
    assert example is not None
    assert example[1].startswith(name)


@pytest.mark.parametrize("name", ["build", "explain", "plugins"])
def test_commands_that_build_share_their_options(run: Any, name: str) -> None:
    """The common options are those of every command that builds."""
    words = run(name, "--help").out
    assert [option for option in OPTIONS if option not in words] == []


def test_help_is_what_click_prints_of_the_commands_themselves(run: Any) -> None:
    """``foreword --help`` loads no command, and reads as if each had been loaded and asked."""
    loaded = click.Group("foreword", epilog=foreword.epilog, help=foreword.help, params=foreword.params)
    loaded.list_commands = lambda ctx: list(COMMANDS)  # type: ignore[method-assign]
    for name, line in COMMANDS.items():
        command = foreword.get_command(click.Context(foreword), name)
        assert command is not None
        assert command.name == name
        loaded.add_command(copy(command), name)
        loaded.commands[name].short_help = line
    with click.Context(loaded, info_name="foreword") as context:
        assert run("--help").out == f"{loaded.get_help(context)}\n"


def test_help_names_every_module_that_holds_a_command() -> None:
    """No command is left out of the list, and the line of ``memory`` names commands that it has."""
    folder = Path(foreword_commands.__file__).parent
    modules = {module.stem for module in folder.glob("*.py") if not module.stem.startswith("_")}
    assert set(COMMANDS) == modules
    named = COMMANDS["memory"].partition(": ")[2].rstrip(".").split(", ")
    assert {f"foreword memory {word}" for word in named} <= set(ALL)


def test_the_version_is_told_without_loading_anything() -> None:
    """``foreword --version`` answers before click, pydantic or rich are there."""
    program = (
        "import sys; sys.argv = ['foreword', '--version']\n"
        "from foreword.commands import main\n"
        "main()\n"
        "loaded = {'click', 'pydantic', 'rich', 'jinja2', 'pluggy', 'yaml'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"foreword {__version__}\n", "")


def test_a_command_leaves_the_collector_of_its_caller_alone(run: Any) -> None:
    """Whoever runs ``foreword`` inside a program of their own has the same garbage collector after it."""
    before = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    assert run("build").code == 0
    assert run("build", "--prompts-dir", "nowhere").code == 2
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before


# -- misuse ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["biuld"], "no such command 'biuld'. Did you mean 'build'?"),
        (["zzzz"], "no such command 'zzzz'."),
        (["build", "--agnet", "x"], "--agnet"),
        (["build", "extra"], "extra"),
        (["build", "--var", "agent_name"], "--var 'agent_name' is not KEY=VALUE"),
        (["build", "--var", "1x=y"], "variable '1x'"),
        (["build", "--agent", "../x"], "agent's name"),
        (["build", "--prompts-dir", "nowhere"], "nowhere"),
        (["build", "--memory", "nowhere"], "nowhere"),
        (["build", "--skills", "nowhere"], "nowhere"),
        (["build", "--config", "nowhere.toml"], "nowhere.toml"),
        (["explain", "saftey"], "no section 'saftey'; did you mean 'safety'?"),
        (["plugins", "--config", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_misuse_ends_with_two_and_one_plain_sentence(run: Any, arguments: list[str], said: str) -> None:
    """What cannot be done as asked ends with 2, names what is wrong, and prints nothing."""
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_wrong_key_is_named_with_file_line_and_the_nearest(run: Any, work: Path) -> None:
    """A configuration error says where it is, and what was probably meant."""
    (work / "foreword.toml").write_text('[variables]\nagent_name = "Ada"\n\n[plugin]\ndisable = []\n')
    ran = run("build")
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"FW001 error \S*foreword\.toml:4: .*'?plugin'?.*plugins.*\n", ran.err)


def test_a_traceback_is_shown_only_to_those_who_ask(process: Any) -> None:
    """Without ``--debug`` a failure is one line."""
    plain = process("build", "--prompts-dir", "nowhere")
    assert (plain.code, plain.err.count("\n")) == (2, 1)
    asked = process("build", "--prompts-dir", "nowhere", "--debug")
    assert asked.code != 0
    assert asked.err.startswith("Traceback")


def test_the_traceback_of_a_plugin_is_shown_to_those_who_ask(run: Any, site: Any) -> None:
    """``--debug`` shows where a plugin raised, and the prompt is built all the same."""
    site.add("acme-broken", "@hookimpl\ndef foreword_sections():\n    raise ValueError('deep')\n")
    plain, asked = run("build"), run("build", "--debug")
    assert plain.code == asked.code == 0
    assert plain.out == asked.out != ""
    assert "Traceback" not in plain.err
    assert "Traceback" in asked.err
    assert "ValueError: deep" in asked.err


@pytest.mark.parametrize("arguments", [["build"], ["explain"], ["explain", "--json"], ["plugins"]])
def test_a_reader_that_goes_away_is_no_failure_to_speak_of(work: Path, arguments: list[str]) -> None:
    """When the other end of the pipe is closed the command ends without a word."""
    child = subprocess.Popen(
        [sys.executable, "-m", "foreword", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=work
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    assert (child.wait(timeout=60), said) == (1, b"")


# -- findings --------------------------------------------------------------------------------------


def test_findings_are_one_line_each_on_standard_error(run: Any, work: Path) -> None:
    """Errors and warnings go to standard error, one line each; informational ones with ``-v`` only."""
    prompts = work / "prompts"
    prompts.mkdir()
    (prompts / "RULES.md").write_text("---\npriorty: 5\n---\nBe {{ agnt_name }}.\n")
    (prompts / "README.md").write_text("For people.\n")
    (prompts / "EMPTY.md").write_text("")
    plain, told = run("build", "--prompts-dir", "prompts"), run("build", "--prompts-dir", "prompts", "-v")
    for ran in (plain, told):
        assert ran.code == 0
        assert all(LINE.fullmatch(line) for line in ran.err.splitlines())
    assert re.search(r"^FW012 warning prompts/RULES\.md:4: .*agnt_name.*did you mean 'agent_name'", plain.err, re.M)
    assert re.search(r"^FW010 warning prompts/EMPTY\.md", plain.err, re.M)
    assert " info " not in plain.err
    assert re.search(r"^FW008 info prompts/README\.md", told.err, re.M)
    assert plain.out == told.out


def test_no_finding_reaches_the_terminal_raw(run: Any, work: Path) -> None:
    """A control character in a file's name or text is shown by its number."""
    prompts = work / "prompts"
    prompts.mkdir()
    (prompts / "A\x1b[31mB.md").write_text("x")
    (prompts / "C.md").write_text("---\nti\x07tle: x\ntitle: y\n---\n{{ \u202e }}")
    ran = run("build", "--prompts-dir", "prompts")
    assert "\\u{1b}" in ran.err
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", ran.err)


# -- environment -----------------------------------------------------------------------------------


@pytest.fixture
def two(work: Path) -> Path:
    """Two prompts directories and two configurations, each saying which it is."""
    for name in ("one", "two"):
        (work / name).mkdir()
        (work / name / "AGENTS.md").write_text(f"Directory {name}, {{{{ agent_name }}}}.")
        (work / f"{name}.toml").write_text(f'prompts_dir = "{name}"\n[variables]\nagent_name = "{name}"\n')
    return work


def first(ran: Any) -> str:
    """Return the first line of the output."""
    return ran.out.split("\n")[0]


def test_the_environment_stands_between_file_and_command_line(
    run: Any, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``FOREWORD_CONFIG`` and ``FOREWORD_PROMPTS_DIR`` go before foreword.toml, and options before them."""
    (two / "foreword.toml").write_text('prompts_dir = "one"\n[variables]\nagent_name = "found"\n')
    assert first(run("build")) == "Directory one, found."
    monkeypatch.setenv("FOREWORD_CONFIG", str(two / "two.toml"))
    assert first(run("build")) == "Directory two, two."
    assert first(run("build", "--config", "one.toml")) == "Directory one, one."
    monkeypatch.setenv("FOREWORD_PROMPTS_DIR", str(two / "one"))
    assert first(run("build")) == "Directory one, two."
    assert first(run("build", "--prompts-dir", "two", "--var", "agent_name=called")) == "Directory two, called."


def test_the_memory_comes_from_the_environment_too(run: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``FOREWORD_MEMORY`` names the memory, with the agent filled in, unless the command line does."""
    for name in ("ada", "other"):
        (work / name / "system").mkdir(parents=True)
        (work / name / "system" / "persona.md").write_text(f"I am {name}.")
    monkeypatch.setenv("FOREWORD_MEMORY", str(work / "{agent}"))
    assert "I am ada." in run("build", "--agent", "ada").out
    assert "I am other." in run("build", "--agent", "ada", "--memory", "other").out


@pytest.mark.parametrize(("value", "code"), [("1", 1), ("true", 1), ("0", 0), ("", 0), ("false", 0)])
def test_strictness_comes_from_the_environment_too(
    run: Any, work: Path, monkeypatch: pytest.MonkeyPatch, value: str, code: int
) -> None:
    """``FOREWORD_STRICT`` is as good as ``--strict``."""
    (work / "prompts").mkdir()
    (work / "prompts" / "A.md").write_text("{{ nobody }}")
    monkeypatch.setenv("FOREWORD_STRICT", value)
    ran = run("build", "--prompts-dir", "prompts")
    assert ran.code == code
    assert bool(ran.out) == (code == 0)


def test_no_plugins_leaves_strangers_out(run: Any, site: Any) -> None:
    """``--no-plugins`` loads only what ships with foreword."""
    module = site.add("acme-bomb", "raise RuntimeError('imported')")
    ran = run("build", "--no-plugins")
    assert (ran.code, ran.err) == (0, "")
    assert module not in sys.modules
