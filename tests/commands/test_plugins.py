"""``foreword plugins``: what is installed, and what became of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from foreword import __version__

SHAPE = [
    "name",
    "distribution",
    "version",
    "entry_point",
    "value",
    "origin",
    "status",
    "reason",
    "layers",
    "hooks",
    "load_ms",
]
GOOD = "@hookimpl\ndef foreword_sections():\n    return [Section('acme-good.style', 'Good.')]\n"


@pytest.fixture
def three(site: Any, work: Path) -> None:
    """A plugin that works, one that is disabled, and one that cannot be imported."""
    site.add("acme-good", GOOD, version="1.2")
    site.add("acme-off", "raise RuntimeError('imported')")
    site.add("acme-broken", "import nothing_of_that_name", version="0.3")
    (work / "foreword.toml").write_text('[plugins]\ndisable = ["acme-off"]\n')


def test_the_list_says_what_became_of_each(run: Any, three: None) -> None:
    """Active, disabled and failed plugins stand in one sorted list, with versions and reasons."""
    ran = run("plugins")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["plugin", "version", "status", "layers", "hooks", "ms", "reason"]
    names = [line.split()[0] for line in lines[1:]]
    assert names == sorted(names)
    rows = {line.split()[0]: line for line in lines[1:]}
    assert re.match(r"acme-good:main +1\.2 +active +extension +sections +[\d.]+$", rows["acme-good:main"])
    assert re.match(r"acme-off:main +1\.0 +disabled .*disabled by the configuration$", rows["acme-off:main"])
    assert re.match(r"acme-broken:main +0\.3 +failed .*ModuleNotFoundError: No module named", rows["acme-broken:main"])
    assert re.match(rf"foreword:builtin +{re.escape(__version__)} +active +builtin +sections", rows["foreword:builtin"])
    assert re.fullmatch(r'FW030 error: plugin acme-broken:main 0\.3 .*\[plugins\] disable = .*\n', ran.err)


def test_json_has_one_object_for_each(run: Any, three: None) -> None:
    """``--json`` says of each plugin its names, origin, status, reason, layers, hooks and load time."""
    content = json.loads(run("plugins", "--json").out)
    assert list(content) == ["plugins"]
    plugins = {plugin["name"]: plugin for plugin in content["plugins"]}
    assert all(list(plugin) == SHAPE for plugin in content["plugins"])
    good = plugins["acme-good:main"]
    assert good["load_ms"] >= 0
    assert {key: good[key] for key in SHAPE[:-1]} == {
        "name": "acme-good:main",
        "distribution": "acme-good",
        "version": "1.2",
        "entry_point": "main",
        "value": "module_of_acme_good",
        "origin": "third-party",
        "status": "active",
        "reason": "",
        "layers": ["extension"],
        "hooks": ["foreword_sections"],
    }
    assert plugins["foreword:memory"]["origin"] == "first-party"
    assert plugins["foreword:memory"]["layers"] == ["memory", "override"]
    assert plugins["acme-off:main"]["status"] == "disabled"
    assert plugins["acme-broken:main"]["reason"].startswith("cannot be loaded: ModuleNotFoundError")


def test_strict_ends_with_one_when_a_plugin_is_broken(run: Any, three: None) -> None:
    """``--strict`` makes a broken plugin a failure; the list is what one needs then, so it is printed."""
    strict, plain = run("plugins", "--strict"), run("plugins")
    assert (strict.code, plain.code) == (1, 0)
    assert strict.out.split()[:5] == plain.out.split()[:5]


def test_a_required_plugin_that_is_absent_is_told(run: Any, work: Path) -> None:
    """The list of plugins says what is required and not there, and ends with 1."""
    (work / "foreword.toml").write_text('[plugins]\nrequire = ["acme-absent"]\n')
    ran = run("plugins")
    assert ran.code == 1
    assert "FW036 error" in ran.err
    assert "foreword:builtin" in ran.out


def test_a_misspelt_hook_stands_beside_an_active_plugin(run: Any, site: Any) -> None:
    """A plugin that works in part is active, and the list says what does not."""
    site.add("acme-good", GOOD + "@hookimpl\ndef foreword_skill():\n    return []\n")
    [row] = [line for line in run("plugins").out.splitlines() if line.startswith("acme-good")]
    assert " active " in row
    assert "unknown hook 'foreword_skill'; did you mean 'foreword_skills'?" in row


def test_the_table_is_coloured_on_a_terminal_only(process: Any, terminal: Any) -> None:
    """A terminal gets colours, a pipe plain columns."""
    piped, shown = process("plugins"), terminal("plugins")
    assert piped.code == shown.code == 0
    assert "\x1b" not in piped.out
    assert re.search(r"\x1b\[[0-9;]*32m", shown.out)
    assert "foreword:builtin" in shown.out
