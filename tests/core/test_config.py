"""The configuration: what foreword.toml may say, where it is found, and what goes before it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from foreword._diagnostics import Place
from foreword._errors import ConfigError
from foreword.config._config import (
    agent_variables,
    check_disjoint,
    check_roots,
    find,
    load,
    memory_root,
    settings,
    skill_roots,
    strict_from,
)
from foreword.config._settings import SectionPolicy, Settings
from foreword.config._toml import Lines, parse
from foreword.config._variables import check_variables
from foreword.files._roots import Root, root

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Give what writes ./foreword.toml, in a working directory of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    def writer(text: str) -> str:
        (tmp_path / "foreword.toml").write_text(text, encoding="utf-8")
        return "foreword.toml"

    return writer


def refused(write: Write, text: str) -> str:
    """Return what is said about a file that is refused."""
    with pytest.raises(ConfigError) as caught:
        load(write(text))
    return str(caught.value)


def refused_settings(**given: Any) -> str:
    """Return what is said about arguments that are refused."""
    with pytest.raises(ConfigError) as caught:
        settings(**{"discover": False, "environ": {}, **given})
    return str(caught.value)


# -- what each key says ------------------------------------------------------------------------------------


def test_empty_file_is_the_defaults(write: Write) -> None:
    """A file that says nothing leaves every default as it is, and is named as the source."""
    found = load(write(""))
    assert found.model_dump() == Settings().model_dump()
    assert (found.source, Settings().source) == ("foreword.toml", None)


def test_defaults_are_the_documented_ones() -> None:
    """Without a configuration there is no directory, safety is locked and required, and windows hold."""
    limits = {"file": None, "section": None, "layer": None, "variables": None}
    operator = {**limits, "templates": ("names", "jinja")}
    agent = {**limits, "layer": 1048576, "templates": ("names",)}
    assert Settings().model_dump(by_alias=True) == {
        "prompts_dir": None,
        "layout": "default",
        "memory": {
            "path": None,
            "namespace": "souveraine_operations",
            "untouched": "follow",
            "approval": False,
        },
        "skills": {"roots": (), "mode": "list", "pin": False},
        "variables": {},
        "agents": {},
        "sections": {
            "safety": {
                "required": True,
                "editable_by": ("builtin", "project", "agent", "session"),
                "others_may": (),
            }
        },
        "priorities": {"extension": (300, 999), "memory": (500, 999), "override": (500, 999)},
        "prefer": {},
        "reserved": (),
        "plugins": {"disable": (), "require": (), "pin": False, "timeout": None, "layers": {}},
        "files": {"max_bytes": 262144, "validate": "stat", "link_roots": ()},
        "limits": {
            "prompt": None,
            "extension": {**agent, "sections": 1000},
            "project": operator,
            "agent": operator,
            "memory": agent,
            "override": agent,
            "session": operator,
        },
        "scan": {"severities": {}, "refuse": (), "keep": ()},
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('prompts_dir = "p/"', lambda s: s.prompts_dir.written == "p"),
        ('layout = "default"', lambda s: s.layout == "default"),
        ('[memory]\npath = "m/{agent}"', lambda s: s.memory.path.written == "m/{agent}"),
        ('[memory]\nnamespace = "ops"', lambda s: s.memory.namespace == "ops"),
        ('[memory]\nuntouched = "follow"', lambda s: s.memory.untouched == "follow"),
        ("[memory]\napproval = false", lambda s: s.memory.approval is False),
        ('[skills]\nroots = ["a", "b"]', lambda s: [r.written for r in s.skills.roots] == ["a", "b"]),
        ('[skills]\nmode = "full"', lambda s: s.skills.mode == "full"),
        ("[skills]\npin = false", lambda s: s.skills.pin is False),
        ('[variables]\nagent_name = "Ada"', lambda s: s.variables == {"agent_name": "Ada"}),
        ("[agents.x]\nvariables = { n = 1 }", lambda s: s.agents["x"].variables == {"n": 1}),
        ('[agents.x]\nmemory = "m"', lambda s: s.agents["x"].memory.written == "m"),
        ('[agents.x]\nskills = ["s"]', lambda s: s.agents["x"].skills[0].written == "s"),
        ("[sections.a]\nrequired = true", lambda s: s.sections["a"].required),
        ('[sections.a]\neditable_by = ["memory"]', lambda s: s.sections["a"].editable_by == ("memory",)),
        ('[sections.a]\nothers_may = ["append"]', lambda s: s.sections["a"].others_may == ("append",)),
        ("[priorities]\nproject = [0, 7]", lambda s: s.priorities["project"] == (0, 7)),
        ('[prefer]\na = "acme"', lambda s: s.prefer == {"a": "acme"}),
        ('[plugins]\ndisable = ["acme:x"]', lambda s: s.plugins.disable == ("acme:x",)),
        ('[plugins]\nrequire = ["acme"]', lambda s: s.plugins.require == ("acme",)),
        ("[plugins]\npin = false", lambda s: s.plugins.pin is False),
        ('[plugins.layers]\nacme = ["project"]', lambda s: s.plugins.layers == {"acme": ("project",)}),
        ("[files]\nmax_bytes = 7", lambda s: s.files.max_bytes == 7),
        ('[files]\nvalidate = "stat"', lambda s: s.files.validate_ == "stat"),
        ('[files]\nlink_roots = ["l"]', lambda s: s.files.link_roots[0].written == "l"),
    ],
)
def test_every_key_is_read(write: Write, text: str, value: Callable[[Settings], bool]) -> None:
    """Each key of the file comes out as its setting."""
    assert value(load(write(text)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompts_dir = 1", "prompts_dir must be a path, not a number"),
        ('prompts_dir = ""', "prompts_dir must be a path, not empty and without NUL"),
        ('prompts_dir = "a\\u0000"', "prompts_dir must be a path, not empty and without NUL"),
        ('layout = "wide"', "layout must be 'default' or 'xml', not 'wide'"),
        ("memory.path = true", "memory.path must be a path, not true or false"),
        ('memory.namespace = "../x"', "memory.namespace must be the name of one directory: letters,"),
        ('memory.namespace = ".git"', "memory.namespace must be the name of one directory: letters,"),
        ('memory.untouched = "no"', "memory.untouched must be 'follow' or 'keep', not 'no'"),
        ('memory.approval = "true"', "memory.approval must be true or false, not text"),
        ('skills.roots = "skills"', "skills.roots must be a list, not text"),
        ("skills.roots = [1]", "skills.roots must be a path, not a number"),
        ('skills.mode = "all"', "skills.mode must be 'list' or 'full', not 'all'"),
        ("skills.pin = 0", "skills.pin must be true or false, not a number"),
        ("variables.n = []", "variables.n must be text, a number or true/false, not a list"),
        ("variables.n = 1979-05-27", "variables.n must be text, a number or true/false, not date"),
        ("variables.n = nan", "variables.n must be a number that is finite"),
        ("variables.a-b = 1", "variables.a-b is no name of a variable:"),
        ("variables.a.b.c = 1", 'variables."a.b" must be text, a number or true/false, not a table'),
        ("variables = 1", "variables must be a table, not a number"),
        ("agents.x.variables.n = []", "agents.x.variables.n must be text, a number or true/false"),
        ("agents.x.memory = 1", "agents.x.memory must be a path, not a number"),
        ('agents.x.skills = "s"', "agents.x.skills must be a list, not text"),
        ("[agents.'../x']", 'agents."../x" is no agent: '),
        ("sections.a.required = 1", "sections.a.required must be true or false, not a number"),
        ('sections.a.editable_by = ["projct"]', "sections.a.editable_by must be 'builtin', 'extension'"),
        ('sections.a.others_may = ["plain"]', "sections.a.others_may must be 'define', 'replace'"),
        ("[sections.'']", 'sections."" is no section id: '),
        ("priorities.memory = [900, 100]", "priorities.memory must be [low, high]: whole numbers from 0 to 999"),
        ("priorities.memory = [0, 1000]", "priorities.memory must be [low, high]: whole numbers from 0 to 999"),
        ("priorities.memory = [-1, 5]", "priorities.memory must be [low, high]: whole numbers from 0 to 999"),
        ("priorities.memory = [1.0, 5]", "priorities.memory must be [low, high]: whole numbers from 0 to 999"),
        ("priorities.memory = [false, true]", "priorities.memory must be [low, high]: whole numbers"),
        ("priorities.memory = 5", "priorities.memory must be [low, high]: whole numbers from 0 to 999"),
        ("prefer.a = 1", "prefer.a must be text, not a number"),
        ('prefer.a = " "', "prefer.a must not be empty"),
        ('plugins.disable = "acme"', "plugins.disable must be a list, not text"),
        ('plugins.disable = [""]', "plugins.disable must name a plugin: 'distribution' or"),
        ("plugins.require = [1]", "plugins.require must be text, not a number"),
        ('plugins.layers.acme = ["top"]', "plugins.layers.acme must be 'builtin', 'extension'"),
        ("plugins.layers.'a b' = []", 'plugins.layers."a b" must name a plugin:'),
        ("files.max_bytes = 0", "files.max_bytes must be greater than 0"),
        ("files.max_bytes = true", "files.max_bytes must be a whole number, not true or false"),
        ("files.max_bytes = 1e3", "files.max_bytes must be a whole number, not a number"),
        ('files.validate = "never"', "files.validate must be 'stat' or 'content', not 'never'"),
        ('files.link_roots = "l"', "files.link_roots must be a list, not text"),
        ("memory = 1", "memory must be a table, not a number"),
        ("sections.a = 1", "sections.a must be a table, not a number"),
    ],
)
def test_wrong_value_names_file_line_and_key(write: Write, text: str, message: str) -> None:
    """A value that a key cannot have is refused where it stands, and the sentence says what it must be."""
    assert refused(write, f"# one\n# two\n{text}\n").startswith(f"foreword.toml:3: {message}")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('prompts = "x"', 1, "unknown key prompts; the nearest known one is 'prompts_dir'"),
        ("[memry]\npath = 1", 1, "unknown key memry; the nearest known one is 'memory'"),
        ("[memory]\n\npth = 1", 3, "unknown key memory.pth; the nearest known one is 'path'"),
        ("[skills]\nroot = []", 2, "unknown key skills.root; the nearest known one is 'roots'"),
        ("[files]\nvalidate_ = 1", 2, "unknown key files.validate_; the nearest known one is 'validate'"),
        ("[agents.x]\nskill = []", 2, "unknown key agents.x.skill; the nearest known one is 'skills'"),
        (
            "[sections.a]\neditableby = []",
            2,
            "unknown key sections.a.editableby; the nearest known one is 'editable_by'",
        ),
        (
            "[priorities]\nextenson = [1, 2]",
            2,
            "unknown key priorities.extenson; the nearest known one is 'extension'",
        ),
        ("[plugins]\ndisabled = []", 2, "unknown key plugins.disabled; the nearest known one is 'disable'"),
        ("max_bytes = 1", 1, "unknown key max_bytes; the nearest known one is 'files.max_bytes'"),
        ("[skills]\nqqq = 1", 2, "unknown key skills.qqq; known here are roots, mode, pin"),
        ("source = 'x'", 1, "unknown key source; "),
        (
            "[sections.acme.style]\nrequired = true",
            1,
            "unknown key sections.acme.style; known here are required, editable_by, others_may;"
            ' a name that has a dot stands in quotes: sections."a.b"',
        ),
        (
            "[prefer]\nacme.style = 'x'",
            2,
            'prefer.acme must be text, not a table; a name that has a dot stands in quotes: prefer."a.b"',
        ),
    ],
)
def test_unknown_key_names_the_nearest(write: Write, text: str, line: int, message: str) -> None:
    """A key that does not exist is refused with its line and the key that was probably meant."""
    assert refused(write, text).startswith(f"foreword.toml:{line}: {message}")


def test_first_of_several_problems_is_named(write: Write) -> None:
    """Of several problems the one that stands first in the file is reported."""
    assert ":2: " in refused(write, '\nlayout = "html"\n[files]\nmax_byte = 1\n')
    assert ":3: " in refused(write, '\n[files]\nmax_byte = 1\n[memory]\nuntouched = "kept"\n')


# -- what is merged and spelled ----------------------------------------------------------------------------


def test_safety_keeps_the_defaults_that_are_not_set(write: Write) -> None:
    """Setting one key of [sections.safety] leaves its other keys locked as they are."""
    found = load(write('[sections.SAFETY]\nothers_may = ["append"]\n[sections.tool_usage]\nrequired = true'))
    assert found.sections == {
        "safety": SectionPolicy(
            required=True,
            editable_by=("builtin", "project", "agent", "session"),
            others_may=("append",),
        ),
        "tool_usage": SectionPolicy(required=True),
    }


def test_safety_can_be_opened(write: Write) -> None:
    """A key of [sections.safety] that is set to its empty value is not taken for one that is not set."""
    found = load(write("[sections.safety]\nrequired = false\neditable_by = []"))
    assert found.sections["safety"] == SectionPolicy(required=False, editable_by=())


def test_windows_keep_the_defaults_that_are_not_set(write: Write) -> None:
    """Setting the window of one layer leaves those of the others."""
    found = load(write("[priorities]\nmemory = [600, 700]"))
    assert found.priorities == {"extension": (300, 999), "memory": (600, 700), "override": (500, 999)}


def test_ids_are_spelled_like_everywhere(write: Write) -> None:
    """Section ids in the configuration are normalised as file names are; a tool keeps its case."""
    found = load(write("[prefer]\n'My Rules' = 'x'\n'tools/Read' = 'y'\n[sections.'Acme.Style']"))
    assert set(found.prefer) == {"my_rules", "tools/Read"}
    assert "acme.style" in found.sections


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[sections.a]\n[sections.A]", ":2: sections.A is the same as 'a', which is also given"),
        ("[prefer]\na = 'x'\n\nA = 'y'", ":4: prefer.A is the same as 'a', which is also given"),
        ("[agents.'e\u0301']\n[agents.'\u00e9']", ':2: agents."\u00e9" is the same as '),
        ("[variables]\n'a.b' = 1\na.b = 2", ':2: variables."a.b" is given twice'),
    ],
)
def test_one_thing_under_two_spellings_is_refused(write: Write, text: str, message: str) -> None:
    """Two keys for one thing are an error and never silently the last."""
    assert message in refused(write, text)


def test_variables_of_a_plugin(write: Write) -> None:
    """A plugin's variable is written with a quoted key or in a table of its own."""
    quoted = load(write('[variables]\n"acme_citations.version" = "2"'))
    nested = load(write('[variables.acme_citations]\nversion = "2"'))
    assert quoted.variables == nested.variables == {"acme_citations.version": "2"}


def test_values_keep_their_kind(write: Write) -> None:
    """Text, whole numbers, fractions and booleans stay what they are."""
    found = load(write('[variables]\na = "1"\nb = 1\nc = 1.0\nd = true'))
    assert [(type(value), value) for value in found.variables.values()] == [
        (str, "1"),
        (int, 1),
        (float, 1.0),
        (bool, True),
    ]


def test_settings_know_where_each_key_was_set(write: Write) -> None:
    """The origin of a key is the file and the line; of a key that was not set there is none."""
    found = load(write('prompts_dir = "p"\n[sections."Acme.Style"]\nrequired = true\n[agents.x]\nmemory = "m"'))
    assert found.origin("prompts_dir") == Place("foreword.toml", 1)
    assert found.origin('sections."acme.style".required') == Place("foreword.toml", 3)
    assert found.origin("agents.x.memory") == Place("foreword.toml", 5)
    assert found.origin("memory.path") is None


# -- the file ----------------------------------------------------------------------------------------------


def test_paths_are_relative_to_the_file(write: Write, tmp_path: Path) -> None:
    """A relative path in the file starts from the file, whatever the working directory is."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "f.toml").write_text('prompts_dir = "../p"\nskills.roots = ["~/s", "/abs/"]')
    found = load("etc/f.toml")
    assert found.prompts_dir == Root("../p", str(tmp_path / "p"))
    assert found.skills.roots == (Root("~/s", str(tmp_path / "s")), Root("/abs", "/abs"))
    assert found.source == "etc/f.toml"
    assert load(Path("~/etc/f.toml")).prompts_dir == found.prompts_dir


def test_root_keeps_links(tmp_path: Path) -> None:
    """A root is the path that its owner named, not the place that a link leads to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert root("link/", str(tmp_path)) == Root("link", str(tmp_path / "link"))
    assert root("/", str(tmp_path)) == Root("/", "/")


def test_byte_order_mark_and_crlf_are_read(write: Write, tmp_path: Path) -> None:
    """A file from a Windows editor is read, and its lines are counted as everybody counts them."""
    (tmp_path / "f.toml").write_bytes(b"\xef\xbb\xbf[skills]\r\nmode = 'full'\r\n\r\nqqq = 1\r\n")
    with pytest.raises(ConfigError, match=r"f\.toml:4: unknown key skills\.qqq"):
        load("f.toml")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a = 1\nb = \n", "foreword.toml:2: the file is not valid TOML: Invalid value"),
        ("a = 1\n\nb = [", "foreword.toml:3: the file is not valid TOML: "),
        ("[files]\nmax_bytes = 1\nmax_bytes = 2", "foreword.toml:3: the file is not valid TOML: Cannot overwrite"),
        ("a = " + "[" * 50_000, "foreword.toml: the file is nested too deeply"),
        ("a = " + "9" * 5_000, "foreword.toml: the file is not valid TOML: "),
    ],
)
def test_invalid_toml_names_the_line(write: Write, text: str, start: str) -> None:
    """What is no TOML is a configuration error at the line where it breaks."""
    assert refused(write, text).startswith(start)


def test_file_that_cannot_be_read(write: Write, tmp_path: Path) -> None:
    """A missing file, a directory, a pipe and bytes that are no text are configuration errors, and none hangs."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dir").mkdir()
    (tmp_path / "bytes").write_bytes(b"a = 1\nb = '\xff'\n")
    (tmp_path / "loop").symlink_to("loop")
    for name, message in (
        ("missing", "missing: the file cannot be read: No such file"),
        ("pipe", "pipe: the file is not a regular file"),
        ("dir", "dir: the file is not a regular file"),
        ("bytes", "bytes:2: the file is not UTF-8 text"),
        ("loop", "loop: the file cannot be read: "),
        ("", "the configuration file must be a path"),
        ("a\0b", "the configuration file must be a path"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(name)
        assert str(caught.value).startswith(message)


KEY = st.from_regex(r"[a-z0-9_-]{1,4}", fullmatch=True)
QUOTED = st.sampled_from(['"a b"', "'c.d'", '"\\u0065 #"', '"]"', "'='", '""'])
DOTTED = st.lists(KEY | QUOTED, min_size=1, max_size=3).map(" . ".join)
VALUE = st.sampled_from(
    [
        "1",
        '"x = 1 # no"',
        "'[t]'",
        '"\\" \\\\"',
        '"""one\n[two]\nb = 3 \\""" """',
        '"""a quote at the end: \n"""""',
        "'''\nx = 1\n''''",
        "[1, # ] [\n [2, '''\n]'''],\n]",
        "{ a = 1, b = ['}', \"]\"] }",
        "[ { a = 1 },\n { a = 2 } ]",
        '""',
        "1979-05-27T07:32:00Z # [x]",
    ]
)
LINE = st.one_of(
    st.tuples(st.just("key"), DOTTED, VALUE),
    st.tuples(st.just("table"), DOTTED, st.sampled_from(["", " # ]"])),
    st.tuples(st.just("array"), DOTTED, st.just("")),
    st.tuples(st.just("noise"), st.sampled_from(["", "  # [a]\n# b = 1", "\t"]), st.just("")),
)


@given(st.lists(LINE, max_size=8))
def test_lines_are_where_the_keys_stand(parts: list[tuple[str, str, str]]) -> None:
    """Whatever valid TOML surrounds it, a key is reported at the line on which it was written."""
    source, table, expected = "", "", dict[str, int]()
    for kind, key, value in parts:
        line = source.count("\n") + 1
        text = {"key": f" {key} = {value}", "table": f"[{key}]{value}", "array": f"[[ {key} ]]", "noise": key}[kind]
        try:
            parse(source + text + "\n", "f")
        except ConfigError:
            continue
        source += text + "\n"
        table = key if kind in ("table", "array") else table
        if kind == "noise":
            continue
        full = f"{table}.{key}" if kind == "key" and table else key
        document, path = parse(f"{full} = 1", "f"), list[str]()
        while True:
            part, document_or_value = next(iter(document.items()))
            path.append(part)
            expected.setdefault(".".join(path), line)
            if not isinstance(document_or_value, dict):
                break
            document = document_or_value
    lines = Lines(source)
    assert {key: lines.of([key]) for key in expected} == expected


# -- where it is found -------------------------------------------------------------------------------------


def tree(top: Path, *paths: str) -> None:
    """Make empty files, and directories where a path ends in a slash."""
    for path in paths:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            (top / path).mkdir(exist_ok=True)
        else:
            (top / path).touch()


def test_file_is_found_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest foreword.toml above the working directory holds."""
    monkeypatch.setenv("HOME", str(tmp_path))
    tree(tmp_path, "a/foreword.toml", "a/b/c/", "foreword.toml")
    assert find(str(tmp_path / "a/b/c")) == str(tmp_path / "a/foreword.toml")
    assert find(str(tmp_path / "a")) == str(tmp_path / "a/foreword.toml")


@pytest.mark.parametrize("git", [".git/", ".git"])
def test_repository_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: str) -> None:
    """The top of a repository, or of a work tree, is looked in, and nothing above it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    tree(tmp_path, "foreword.toml", f"repo/{git}", "repo/a/")
    assert find(str(tmp_path / "repo/a")) is None
    tree(tmp_path, "repo/foreword.toml")
    assert find(str(tmp_path / "repo/a")) == str(tmp_path / "repo/foreword.toml")


def test_home_directory_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home directory is looked in, also when HOME is a link to it, and nothing above it."""
    tree(tmp_path, "foreword.toml", "home/a/")
    (tmp_path / "link").symlink_to("home")
    for home in ("home", "link"):
        monkeypatch.setenv("HOME", str(tmp_path / home))
        assert find(str(tmp_path / "home/a")) is None
    tree(tmp_path, "home/foreword.toml")
    assert find(str(tmp_path / "home/a")) == str(tmp_path / "home/foreword.toml")


def test_file_that_leads_nowhere_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreword.toml that cannot be read is an error; the search does not go on above it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    tree(tmp_path, "foreword.toml", "a/")
    (tmp_path / "a/foreword.toml").symlink_to("gone")
    with pytest.raises(ConfigError, match=r"^foreword\.toml: the file cannot be read"):
        settings(discover=True, environ={}, cwd=str(tmp_path / "a"))


def test_found_file_is_named(write: Write, tmp_path: Path) -> None:
    """The file that was found is named by its name here, by its path above."""
    write('prompts_dir = "p"')
    tree(tmp_path, "a/")
    here = settings(discover=True, environ={})
    above = settings(discover=True, environ={}, cwd=str(tmp_path / "a"))
    assert (here.source, above.source) == ("foreword.toml", str(tmp_path / "foreword.toml"))
    assert here.prompts_dir == above.prompts_dir == Root("p", str(tmp_path / "p"))
    assert settings(discover=False, environ={}).source is None


def test_named_file_switches_the_search_off(write: Write, tmp_path: Path) -> None:
    """An explicit file holds alone; the argument goes before FOREWORD_CONFIG."""
    write('layout = "wrong"')
    (tmp_path / "a.toml").write_text('prompts_dir = "a"')
    (tmp_path / "b.toml").write_text('prompts_dir = "b"')
    by_variable = settings(discover=True, environ={"FOREWORD_CONFIG": "a.toml"})
    by_argument = settings(discover=True, environ={"FOREWORD_CONFIG": "a.toml"}, config=Path("b.toml"))
    assert (by_variable.source, by_argument.source) == ("a.toml", "b.toml")
    assert settings(discover=False, environ={"FOREWORD_CONFIG": ""}).source is None


def test_named_file_that_is_missing(write: Write) -> None:
    """A file that FOREWORD_CONFIG names and that is not there is an error which says who named it."""
    message = refused_settings(discover=True, environ={"FOREWORD_CONFIG": "gone.toml"})
    assert message.startswith("gone.toml: the file cannot be read (named by FOREWORD_CONFIG): No such file")
    assert refused_settings(config="") == "config= must be a path, not empty and without NUL"


def test_working_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the working directory was deleted, only what depends on it is an error."""
    tree(tmp_path, "gone/", "p/")
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert refused_settings(discover=True).startswith("the working directory cannot be read: ")
    assert refused_settings(prompts_dir="p").startswith("prompts_dir=: 'p' cannot be found: ")
    found = settings(discover=False, environ={}, prompts_dir=tmp_path / "p")
    assert found.prompts_dir == Root(str(tmp_path / "p"), str(tmp_path / "p"))


# -- what goes before the file -----------------------------------------------------------------------------


def test_environment_goes_before_the_file_and_arguments_before_both(write: Write, tmp_path: Path) -> None:
    """Paths come from the arguments, else from the environment, else from the file."""
    write('prompts_dir = "p"\nskills.roots = ["s"]\nskills.mode = "full"\n[memory]\npath = "m"\nnamespace = "n"')
    environ = {"FOREWORD_PROMPTS_DIR": "ep", "FOREWORD_MEMORY": "em"}
    file = settings(discover=True, environ={"FOREWORD_PROMPTS_DIR": "", "FOREWORD_MEMORY": ""})
    env = settings(discover=True, environ=environ)
    args = settings(discover=True, environ=environ, prompts_dir="ap", memory=Path("am"), skills=["as"])
    assert [one.prompts_dir and one.prompts_dir.written for one in (file, env, args)] == ["p", "ep", "ap"]
    assert [one.memory.path and one.memory.path.written for one in (file, env, args)] == ["m", "em", "am"]
    assert [one.skills.roots[0].written for one in (file, env, args)] == ["s", "s", "as"]
    assert (args.memory.namespace, args.skills.mode, args.source) == ("n", "full", "foreword.toml")
    assert settings(discover=True, environ={}, skills=[]).skills.roots == ()


def test_paths_of_environment_and_arguments_start_at_the_working_directory(write: Write, tmp_path: Path) -> None:
    """A relative path that was given for this call is relative to where the call is made."""
    write("")
    tree(tmp_path, "a/")
    found = settings(
        discover=True,
        environ={"FOREWORD_MEMORY": "m"},
        prompts_dir="p",
        skills=["~/s"],
        cwd=str(tmp_path / "a"),
    )
    assert found.prompts_dir == Root("p", str(tmp_path / "a/p"))
    assert found.memory.path == Root("m", str(tmp_path / "a/m"))
    assert found.skills.roots == (Root("~/s", str(tmp_path / "s")),)


def test_memory_and_skills_of_the_call_hold_for_every_agent(write: Write) -> None:
    """What the environment or the call gives goes before what the file gives to one agent."""
    write('[agents.x]\nmemory = "own"\nskills = ["own"]\nvariables = { n = 1 }')
    found = settings(discover=True, environ={"FOREWORD_MEMORY": "em"}, skills=["as"])
    memory = memory_root(found, "x")
    assert memory is not None
    assert (memory.written, skill_roots(found, "x")[0].written) == ("em", "as")
    assert agent_variables(found, "x") == {"n": 1}


@pytest.mark.parametrize(
    ("value", "strict"),
    [
        ("1", True),
        ("TRUE", True),
        ("yes", True),
        (" on ", True),
        ("0", False),
        ("False", False),
        ("no", False),
        ("off", False),
        ("", False),
        (None, False),
    ],
)
def test_strict_words(value: str | None, strict: bool) -> None:
    """FOREWORD_STRICT is read as a word for true or false."""
    assert strict_from({} if value is None else {"FOREWORD_STRICT": value}) is strict


def test_strict_word_that_is_none() -> None:
    """A word that is neither is an error: a CI that meant to be strict must not find out later."""
    with pytest.raises(ConfigError, match=r"FOREWORD_STRICT must be one of 1, true, .*not 'ture'"):
        strict_from({"FOREWORD_STRICT": "ture"})


# -- one agent ---------------------------------------------------------------------------------------------


def test_memory_of_an_agent(write: Write, tmp_path: Path) -> None:
    """{agent} is the agent asked for; its own memory goes before the general one."""
    found = load(write('[memory]\npath = "m/{agent}"\n[agents.x]\nmemory = "own/{agent}"'))
    assert memory_root(found, None) is None
    assert memory_root(found, "ada") == Root("m/ada", str(tmp_path / "m/ada"))
    assert memory_root(found, "x") == Root("own/x", str(tmp_path / "own/x"))
    assert memory_root(Settings(), "x") is None
    fixed = load(write('memory.path = "m"'))
    assert memory_root(fixed, None) == memory_root(fixed, "x") == Root("m", str(tmp_path / "m"))


@pytest.mark.parametrize("name", ["..", "../x", "a/b", ""])
def test_memory_of_a_name_that_is_a_path(write: Write, name: str) -> None:
    """An agent's name never leads out of the directory that {agent} stands in."""
    with pytest.raises(ConfigError):
        memory_root(load(write('memory.path = "m/{agent}"')), name)


def test_only_the_written_agent_is_replaced(tmp_path: Path) -> None:
    """A directory on the way that happens to be called {agent} is left alone."""
    base = tmp_path / "{agent}"
    found = settings(discover=False, environ={}, memory="m", cwd=str(base))
    assert memory_root(found, "x") == Root("m", str(base / "m"))
    found = settings(discover=False, environ={}, memory="m/{agent}", cwd=str(base))
    assert memory_root(found, "x") == Root("m/x", str(base / "m/x"))


def test_skills_and_variables_of_an_agent(write: Write) -> None:
    """An agent's own skills stand instead of the general ones, also when it has none; others keep those."""
    found = load(write('skills.roots = ["s"]\n[agents.x]\nskills = []\nvariables = { n = 1 }\n[agents.y]'))
    assert skill_roots(found, "x") == ()
    assert skill_roots(found, "y") == skill_roots(found, "z") == skill_roots(found, None) == found.skills.roots
    assert [agent_variables(found, name) for name in ("x", "y", "z", None)] == [{"n": 1}, {}, {}, {}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\nprompts_dir = "gone"', "foreword.toml:2: prompts_dir: 'gone' is not there"),
        ('\nprompts_dir = "file"', "foreword.toml:2: prompts_dir: 'file' is no directory"),
        ('memory.path = "gone"', "foreword.toml:1: memory.path: 'gone' is not there"),
        ('memory.path = "file"', "foreword.toml:1: memory.path: 'file' is no directory"),
        ('[memory]\npath = "{agent}"', "foreword.toml:2: memory.path: 'x' is no directory"),
        ('[agents.x]\nmemory = "gone"', "foreword.toml:2: agents.x.memory: 'gone' is not there"),
        ('skills.roots = ["here", "gone"]', "foreword.toml:1: skills.roots: 'gone' is not there"),
        ('[agents.x]\nskills = ["gone"]', "foreword.toml:2: agents.x.skills: 'gone' is not there"),
        ('skills.roots = ["file/x"]', "foreword.toml:1: skills.roots: 'file/x' cannot be read: Not a directory"),
        ('files.link_roots = ["gone"]', "foreword.toml:1: files.link_roots: 'gone' is not there"),
    ],
)
def test_path_that_was_asked_for_and_is_not_there(write: Write, tmp_path: Path, text: str, message: str) -> None:
    """A directory that the file names and that is missing is an error at the line that names it."""
    tree(tmp_path, "here/", "file", "x")
    with pytest.raises(ConfigError) as caught:
        check_roots(load(write(text)), "x")
    assert str(caught.value) == message


def test_missing_path_of_the_call_names_who_gave_it(write: Write, tmp_path: Path) -> None:
    """A directory that environment or arguments name is reported under the name it was given by."""
    write('prompts_dir = "gone"')
    for arguments, message in (
        ({"environ": {"FOREWORD_PROMPTS_DIR": "p"}}, "FOREWORD_PROMPTS_DIR: 'p' is not there"),
        ({"environ": {"FOREWORD_MEMORY": "m"}, "prompts_dir": "."}, "FOREWORD_MEMORY: 'm' is not there"),
        ({"prompts_dir": "p"}, "prompts_dir=: 'p' is not there"),
        ({"prompts_dir": "p", "options": True}, "--prompts-dir: 'p' is not there"),
        ({"prompts_dir": ".", "memory": "m", "options": True}, "--memory: 'm' is not there"),
        ({"prompts_dir": ".", "skills": ["s"]}, "skills=: 's' is not there"),
        ({"prompts_dir": ".", "skills": ["s"], "options": True}, "--skills: 's' is not there"),
    ):
        given: dict[str, Any] = {"discover": True, "environ": {}, **arguments}
        with pytest.raises(ConfigError) as caught:
            check_roots(settings(**given), None)
        assert str(caught.value) == message
    assert refused_settings(memory=" ") == "memory= must be a path, not empty and without NUL"


def test_memory_that_is_not_there_yet(write: Write) -> None:
    """The memory of an agent that has none yet is no error, and nothing is missing where nothing was asked."""
    found = load(write('[memory]\npath = "m/{agent}"'))
    check_roots(found, "x")
    check_roots(found, None)
    check_roots(Settings(), "x")


def test_memory_and_prompts_lie_apart(tmp_path: Path) -> None:
    """Neither of memory and prompts directory may hold the other, whatever links are on the way."""
    tree(tmp_path, "p/agents/", "m/", "pp/")
    (tmp_path / "link").symlink_to("p/agents")

    def at(path: str) -> Root:
        return root(path, str(tmp_path))

    for prompts, memory in (
        ("p", "p"),
        ("p", "p/agents"),
        ("p", "p/not/yet"),
        ("p", "link"),
        ("p", "link/x"),
        ("m/p", "m"),
    ):
        with pytest.raises(ConfigError, match="lies inside"):
            check_disjoint(at(prompts), at(memory))
    check_disjoint(at("p"), at("m"))
    check_disjoint(at("p"), at("pp"))
    check_disjoint(None, at("m"))
    check_disjoint(at("p"), None)


# -- variables of a call -----------------------------------------------------------------------------------


def test_variables_of_a_call() -> None:
    """Values come out as plain text, numbers and booleans; None is not given."""

    class Loud(str):
        def __str__(self) -> str:
            return "LOUD"

    checked = check_variables({"a": Loud("quiet"), "b": None, "acme.c": True, "_d": 1.5}, "variables=")
    assert checked == {"a": "quiet", "acme.c": True, "_d": 1.5}
    assert type(checked["a"]) is str


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("token", SecretStr("hunter2"), "variables=: variable 'token' is a secret: a prompt must hold none"),
        ("a", object(), "variables=: variable 'a' must be text, a number or true/false, not object"),
        ("a", ["x"], "variables=: variable 'a' must be text, a number or true/false, not a list"),
        ("a", b"x", "variables=: variable 'a' must be text, a number or true/false, not bytes"),
        ("a", float("inf"), "variables=: variable 'a' must be a number that is finite"),
        ("a", "\ud800", "variables=: variable 'a' holds half of a character (a lone surrogate)"),
        ("1a", "x", "variables=: variable '1a' is no name of a variable: "),
        ("\u00e4", "x", "variables=: variable '\u00e4' is no name of a variable: "),
        ("a-b", None, "variables=: variable 'a-b' is no name of a variable: "),
        ("a.b.c", "x", "variables=: variable 'a.b.c' is no name of a variable: "),
        ("a.", "x", "variables=: variable 'a.' is no name of a variable: "),
        ("", "x", "variables=: variable '' is no name of a variable: "),
        ("a\n", "x", "variables=: variable 'a\\n' is no name of a variable: "),
        (1, "x", "variables=: variable 1 is no name of a variable: "),
    ],
)
def test_variable_that_cannot_be_one(name: Any, value: object, message: str) -> None:
    """A wrong name or value is an error that names the variable and never shows a secret."""
    with pytest.raises(ConfigError) as caught:
        check_variables({name: value}, "variables=")
    assert str(caught.value).startswith(message)
    assert "hunter2" not in str(caught.value)
