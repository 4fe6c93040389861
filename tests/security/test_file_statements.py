"""Statements on hostile files (F1 to F22), held against whole prompts and commands.

The parts are held against them elsewhere: names (F1, F2, F4) in tests/core/test_names.py; the reader (F4 to F8, F10)
in test_files.py and test_walk.py there; the store (F14 to F16, F19, F20) in test_store.py there; creation (F17) in
tests/memory/test_creation.py and tests/torture. F13 is about hot reload, which there is none of. F21 is how the tests
of this project treat permissions: by injection, as they run as root.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from foreword import BuildError, ConfigError, Diagnostic
from foreword.commands._group import foreword
from foreword.store._system import System

OPERATIONS = "memory/souveraine_operations"
BUILT_IN = ["identity", "safety", "conversation_rules", "tool_usage"]


@pytest.fixture(autouse=True)
def never_waiting() -> Iterator[None]:
    """No test here may wait for anything: after twenty seconds it fails."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(desk: Any, *arguments: str) -> Any:
    """Run a command for the agent of the desk."""
    return CliRunner().invoke(
        foreword, [*arguments, "--config", str(desk.root / "foreword.toml"), "--agent", "operator"]
    )


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc",
        "a\nb",
        "a\n",
        "a\0b",
        ".hidden",
        "a b",
        "x" * 65,
        "a\u202eb",
        "a\\b",
        "a:b",
    ],
)
def test_f1_a_wrong_agent_name_opens_nothing(desk: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """F1: a name that is no single component is refused before any path is built of it."""
    builder = desk.builder()
    opened: list[object] = []
    real = os.open

    def spy(path: Any, *given: Any, **more: Any) -> int:
        opened.append(path)
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", spy)
    with pytest.raises(ConfigError, match="agent's name"):
        builder.build(name)
    assert opened == []


@pytest.mark.parametrize(
    "pair",
    [
        ("My_Rules.md", "my_rules.md"),
        ("my rules.md", "my_rules.md"),
        (unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")),
        ("SAFETY.md", "safety.md"),
    ],
)
@pytest.mark.parametrize("folder", ["prompts", "prompts/agents/operator", f"{OPERATIONS}/prompt-overrides"])
def test_f3_two_files_of_one_id_conflict(desk: Any, folder: str, pair: tuple[str, str]) -> None:
    """F3: two names that come to one id conflict; the layer below stands, and the message names both files."""
    desk.write({f"{folder}/{name}": f"Text of {number}." for number, name in enumerate(pair)})
    if "SAFETY.md" not in pair:
        assert "Text of" not in desk.build().text
        told = desk.codes("FW021")
    elif folder.startswith("prompts"):
        with pytest.raises(BuildError, match="conflict") as caught:
            desk.build()
        told = list(caught.value.diagnostics)
    else:
        # A locked section refuses each of them by itself.
        assert "Text of" not in desk.build().text
        told = desk.codes("FW020")
    for name in pair:
        assert any(name in str(one) for one in told)


# -- reading ---------------------------------------------------------------------------------------

PLACES = [
    "prompts/STYLE.md",
    "prompts/tools/read.md",
    "prompts/agents/operator/STYLE.md",
    "memory/system/persona.md",
    "memory/MEMORY.md",
    f"{OPERATIONS}/prompts/TOOL_USAGE.md",
    f"{OPERATIONS}/prompt-overrides/TOOL_USAGE.md",
    f"{OPERATIONS}/prompt-overrides/tools/read.md",
    f"{OPERATIONS}/.foreword/record.json",
    "skills/x/SKILL.md",
]


def put_fifo(path: Path) -> None:
    """Put a FIFO there."""
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    """Put a socket there."""
    before = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(path.name)
    os.chdir(before)


def put_device(path: Path) -> None:
    """Put a link to an endless device there."""
    path.symlink_to("/dev/zero")


def put_directory(path: Path) -> None:
    """Put a directory there."""
    path.mkdir()


def put_loop(path: Path) -> None:
    """Put a link to itself there."""
    path.symlink_to(path.name)


@pytest.mark.parametrize("put", [put_fifo, put_socket, put_device, put_directory, put_loop])
@pytest.mark.parametrize("place", PLACES)
def test_f5_what_is_no_file_never_blocks(desk: Any, place: str, put: Callable[[Path], None]) -> None:
    """F5: a FIFO, socket, device, directory or circle where a file is expected is named, and the rest builds."""
    path = desk.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path)
    prompt = desk.build({"prompts/LAST.md": "The end."})
    assert prompt.text.endswith("The end.")
    assert [section.id for section in prompt.sections if section.id in BUILT_IN] == BUILT_IN
    named = [one for one in desk.found if one.place is not None and one.place.path.startswith(place)]
    if not (place.endswith("MEMORY.md") or (put is put_directory and place.endswith("SKILL.md"))):
        assert named, desk.found
        assert named[0].severity == "error"
    commands = (("memory", "status"), ("memory", "init")) if put is put_fifo and place.startswith("memory") else ()
    for command in commands:
        done = run(desk, *command)
        assert done.exit_code == 0 or (done.exit_code == 1 and (done.stderr or done.stdout))


@pytest.mark.parametrize("name", ["system", "souveraine_operations", f"{OPERATIONS}/prompt-overrides"[7:]])
def test_f5_a_fifo_for_a_directory_never_blocks(desk: Any, name: str) -> None:
    """F5: a FIFO where a directory of the memory is expected is named, and the rest builds."""
    (desk.root / "memory" / name).parent.mkdir(exist_ok=True)
    os.mkfifo(desk.root / "memory" / name)
    prompt = desk.build({"prompts/LAST.md": "The end."})
    assert prompt.text.endswith("The end.")
    assert any(one.place and one.place.path.startswith(f"memory/{name}") for one in desk.found)


@pytest.mark.parametrize(
    ("place", "target"),
    [
        ("memory/system/persona.md", "prompts/SECRET.md"),
        (f"{OPERATIONS}/prompt-overrides/TOOL_USAGE.md", "outside.md"),
        (f"{OPERATIONS}/prompts/TOOL_USAGE.md", "/etc/hostname"),
        ("skills/x/SKILL.md", "outside.md"),
        ("prompts/STYLE.md", "outside.md"),
    ],
)
def test_f6_a_link_out_of_its_root_is_refused(desk: Any, place: str, target: str) -> None:
    """F6: in every layer a link that leads out of its root is named with the remedy, and its target is not read."""
    desk.write({"prompts/SECRET.md": "Secret words.", "outside.md": "Secret words."})
    path = desk.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(desk.root / target)
    prompt = desk.build()
    assert prompt.text.count("Secret words.") == 1  # that of the prompts directory itself
    (error,) = desk.codes("FW006")
    assert (error.severity, error.place.path) == ("error", place)
    assert "link_roots" in error.remedy


@pytest.mark.parametrize("folder", ["memory/system", f"{OPERATIONS}/prompt-overrides", f"{OPERATIONS}/prompts"])
def test_f6_a_hard_link_in_an_untrusted_layer_is_noted(desk: Any, folder: str) -> None:
    """F6: a file of the agent's with another name elsewhere is read, and noted; one of the operator's is not noted."""
    desk.write({"elsewhere.md": "Linked words.", f"{folder}/x.md": ""})
    (desk.root / folder / "x.md").unlink()
    os.link(desk.root / "elsewhere.md", desk.root / folder / "x.md")
    prompt = desk.build()
    assert "Linked words." in prompt.text
    (note,) = desk.codes("FW019")
    assert (note.severity, note.place.path) == ("info", f"{folder}/x.md")
    assert "hard link" in note.message
    (desk.root / folder / "x.md").unlink()
    os.link(desk.root / "elsewhere.md", desk.root / "prompts" / "x.md")
    desk.build()
    assert desk.codes("FW019") == []


@pytest.mark.parametrize("place", ["prompts/STYLE.md", "memory/system/persona.md", "skills/x/SKILL.md"])
def test_f7_a_file_over_the_limit_is_never_shortened(desk: Any, place: str) -> None:
    """F7: one byte over the limit and nothing of the file is in the prompt; one less and all of it is."""
    front = b"---\nname: x\ndescription: d\n---\n" if place.startswith("skills") else b""
    (desk.root / "foreword.toml").write_text(
        'prompts_dir = "prompts"\n[memory]\npath = "memory"\n[skills]\nroots = ["skills"]\nmode = "full"\n'
        "[files]\nmax_bytes = 1000\n"
    )
    whole = front + b"w" * (1000 - len(front))
    assert "www" in desk.build({place: whole}).text
    assert "www" not in desk.build({place: whole + b"w"}).text
    assert [(one.severity, one.place.path) for one in desk.codes("FW005")] == [("error", place)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Text".encode("utf-16"), "UTF-16"),
        ("Text".encode("utf-32"), "UTF-32"),
        (b"Te\xffxt", "UTF-8"),
        (b"Te\0xt", "NUL"),
    ],
)
@pytest.mark.parametrize("place", ["prompts/STYLE.md", "memory/system/persona.md"])
def test_f8_what_is_not_utf_8_is_an_error(desk: Any, place: str, content: bytes, words: str) -> None:
    """F8: another encoding and a NUL are errors that say so, in every layer, and nothing of the file is used."""
    prompt = desk.build({place: content})
    ids = [section.id for section in prompt.sections]
    assert [id for id in ids if id not in ("memory_tree", "agent_identity")] == BUILT_IN
    (error,) = desk.codes("FW004")
    assert error.place.path == place
    assert words in error.message + error.remedy


def denied(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the system refuse to open whatever has this name."""
    real = os.open

    def refusing(path: Any, *given: Any, **more: Any) -> int:
        if str(path).rpartition("/")[2] == name:
            raise PermissionError(errno.EACCES, "denied", path)
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", refusing)


def test_f9_without_permission_the_layer_below_stands(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """F9: what may not be read is an error and never absent, and the layer below stands."""
    desk.write({"prompts/TOOL_USAGE.md": "Read first.", f"{OPERATIONS}/prompt-overrides/TOOL_USAGE.md": "x"})
    desk.write({"prompts/agents/operator/STYLE.md": "Mine.", "prompts/STYLE.md": "All's."})
    denied(monkeypatch, "TOOL_USAGE.md")
    prompt = desk.build()
    assert prompt.section("custom_style").text == "Mine."
    assert [one.severity for one in desk.codes("FW002")] == ["error", "error"]
    assert {one.place.path for one in desk.codes("FW002")} == {
        "prompts/TOOL_USAGE.md",
        f"{OPERATIONS}/prompt-overrides/TOOL_USAGE.md",
    }


def test_f9_a_required_section_that_may_not_be_read_raises(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """F9: the operator's file of a required section that may not be read fails the build; the agent's does not."""
    denied(monkeypatch, "SAFETY.md")
    desk.write({f"{OPERATIONS}/prompt-overrides/SAFETY.md": "x"})
    assert desk.build().section("safety").text
    desk.write({"prompts/SAFETY.md": "Be safe."})
    with pytest.raises(BuildError, match="required section 'safety'"):
        desk.build()


@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff", "---\ntitle: T\n---\n"])
@pytest.mark.parametrize("place", ["prompts/agents/operator/SAFETY.md", f"{OPERATIONS}/prompt-overrides/TOOL_USAGE.md"])
def test_f11_an_empty_file_blanks_nothing(desk: Any, place: str, content: str) -> None:
    """F11: a file that a torn write left empty changes no text: a warning, and the layer below stands."""
    desk.write({"prompts/SAFETY.md": "Be safe.", "prompts/TOOL_USAGE.md": "Read first."})
    prompt = desk.build({place: content})
    assert prompt.section("safety").text == "Be safe."
    assert prompt.section("tool_usage").text == "Read first."
    if "title" not in content:
        assert [(one.severity, one.place.path) for one in desk.codes("FW010")] == [("warning", place)]


def test_f12_every_change_is_seen_by_the_next_build(desk: Any) -> None:
    """F12: an edit of the same size, one whose time is set back, and a file put in its place are seen at once."""
    path = desk.root / "prompts" / "STYLE.md"
    desk.write({"prompts/STYLE.md": "One."})
    builder = desk.builder()
    assert builder.build().section("custom_style").text == "One."
    before = path.stat()
    for number, text in enumerate(("Two.", "Six.", "Ten.")):
        if number == 2:
            (desk.root / "new").write_text(text)
            os.utime(desk.root / "new", ns=(before.st_atime_ns, before.st_mtime_ns))
            os.replace(desk.root / "new", path)
        else:
            path.write_text(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size
        assert path.stat().st_mtime_ns == before.st_mtime_ns
        assert builder.build().section("custom_style").text == text


# -- writing ---------------------------------------------------------------------------------------


def test_f18_an_unconfirmed_change_has_an_exit_code_of_its_own(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """F18: a change that is in effect and not confirmed by the disk is told so and exits with 4, a failure with 1."""
    assert run(desk, "memory", "init").exit_code == 0
    assert run(desk, "memory", "override", "tool_usage", "--text", "One.").exit_code == 0
    real = System.fsync

    def failing(system: System, fd: int) -> None:
        if os.readlink(f"/proc/self/fd/{fd}").endswith("/prompt-overrides"):
            raise OSError(errno.EIO, "broken")
        real(system, fd)

    monkeypatch.setattr(System, "fsync", failing)
    done = run(desk, "memory", "override", "tool_usage", "--text", "Two.")
    assert (done.exit_code, "not confirmed" in done.stderr) == (4, True)
    monkeypatch.undo()
    assert desk.build().section("tool_usage").text == "Two."
    monkeypatch.setattr(System, "write", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    done = run(desk, "memory", "override", "tool_usage", "--text", "Three.")
    assert done.exit_code == 1
    monkeypatch.undo()
    assert desk.build().section("tool_usage").text == "Two."


def test_f19_a_memory_that_everybody_may_write_to_is_told(desk: Any) -> None:
    """F19: ``memory status`` says that the memory's directory is writable by everybody, and how to mend it."""
    assert run(desk, "memory", "init").exit_code == 0
    (desk.root / "memory").chmod(0o755)
    assert "everybody" not in run(desk, "memory", "status").output
    (desk.root / "memory").chmod(0o777)
    assert "everybody may write to" in run(desk, "memory", "status").stderr
    assert "chmod o-w" in run(desk, "memory", "status", "--json").stdout


def test_f22_where_files_cannot_be_opened_safely_foreword_does_not_start() -> None:
    """F22: on a system without O_NOFOLLOW, as Windows, reading is refused at import, with the reason."""
    done = subprocess.run(
        [sys.executable, "-c", "import os; del os.O_NOFOLLOW; from foreword import Builder; Builder()"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert "ImportError: foreword needs a system on which files can be opened below a directory (POSIX)" in done.stderr


def test_every_finding_about_a_file_names_it(desk: Any) -> None:
    """Whatever is wrong with a file, the finding has its place and what to do."""
    desk.write({"prompts/a\x01.md": "x", "prompts/B.md": b"\xff", "prompts/C.MD~": "x", "prompts/d.txt": "x"})
    (desk.root / "prompts/E.md").mkdir()
    desk.build()
    found: list[Diagnostic] = desk.found
    assert {one.code for one in found} == {"FW007", "FW004", "FW008", "FW003"}
    assert all(one.place is not None and one.place.path.startswith("prompts/") and one.remedy for one in found)
