"""Statements on plugins (P1 to P13) that test_isolation.py and test_manager.py of tests/plugins_host do not hold.

There: P1, P2, P4 (but for required sections), most of P5, P7, P8, and of P6 what lies at the top of a context.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder, BuildError, ConfigError, Context, Diagnostic, Edit, Section, hookimpl
from foreword import _plugin_calls as plugin_calls
from foreword._frozen import frozen
from foreword.config._config import load

BUILT_IN = ["identity", "safety", "conversation_rules", "tool_usage"]


class Hanging:
    """A plugin that hangs in one hook, until a test is over."""

    def __init__(self, hook: str) -> None:
        self.hook = hook
        self.calls: list[str] = []
        self.release = threading.Event()

    def _called(self, hook: str, result: object) -> Any:
        self.calls.append(hook)
        if hook == self.hook:
            self.release.wait(20)
        return result

    @hookimpl
    def foreword_variables(self) -> Any:
        """Return nothing."""
        return self._called("variables", {})

    @hookimpl
    def foreword_sections(self, context: Context) -> Any:
        """Return one section."""
        return self._called("sections", [Section("acme.x", "Mine.")])

    @hookimpl
    def foreword_skills(self) -> Any:
        """Return one skill, which is this very plugin."""
        return self._called("skills", [self, self])

    name = "deploy"

    def render_system_addon(self) -> str:
        """Return a text."""
        return str(self._called("addon", "Deploy."))

    @hookimpl
    def foreword_check(self) -> Any:
        """Return no finding."""
        return self._called("check", [])


@pytest.fixture
def hanging(request: pytest.FixtureRequest) -> Iterator[Hanging]:
    """A plugin that hangs in the hook of the test."""
    plugin = Hanging(request.param)
    yield plugin
    plugin.release.set()


# -- P9: time --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hanging", "called", "stands"),
    [
        ("variables", ["variables"], []),
        ("sections", ["variables", "sections"], []),
        ("skills", ["variables", "sections", "skills"], ["acme.x"]),
        ("addon", ["variables", "sections", "skills", "addon"], ["acme.x"]),
    ],
    indirect=["hanging"],
)
def test_p9_a_hook_that_hangs_is_given_up(
    desk: Any, giving: Any, hanging: Hanging, called: list[str], stands: list[str]
) -> None:
    """P9: after the operator's time a hanging plugin is named and never called again, and the rest builds."""
    desk.configure("[plugins]\ntimeout = 0.05\n")
    builder = desk.builder({"acme": hanging, "bolt": giving([Section("bolt.x", "Bolt's.")])})
    for _ in range(2):
        desk.found.clear()
        prompt = builder.build()
        ids = [section.id for section in prompt.sections]
        assert ids[:4] == BUILT_IN
        assert ids[4:] == [*(stands if not _ else []), "bolt.x"]
        (error,) = [one for one in desk.found if one.severity == "error"]
        assert (error.code, error.provider) == ("FW033", "acme:main 1.0")
        assert "within 0.05 seconds ([plugins] timeout); it is not called again" in error.message
    assert hanging.calls == called
    (listed,) = [plugin for plugin in builder.manager.plugins if plugin.provider.distribution == "acme"]
    assert listed.status == "failed"


@pytest.mark.parametrize("hanging", ["check"], indirect=True)
def test_p9_a_rule_that_hangs_is_given_up(desk: Any, hanging: Hanging) -> None:
    """P9: the limit holds for rules of lint too."""
    desk.configure("[plugins]\ntimeout = 0.05\n")
    builder = desk.builder({"acme": hanging})
    prompt = builder.build()
    for _ in range(2):
        assert [one.code for one in builder.check(prompt)] == (["FW033"] if not _ else [])
    assert hanging.calls.count("check") == 1
    assert [one.code for one in builder.build().diagnostics] == ["FW033"]


@pytest.mark.parametrize("hanging", ["sections"], indirect=True)
def test_p9_a_required_plugin_that_hangs_fails_the_build(desk: Any, hanging: Hanging) -> None:
    """P9: giving a required plugin up is no way around the requirement, now and in later builds."""
    desk.configure('[plugins]\ntimeout = 0.05\nrequire = ["acme"]\n')
    builder = desk.builder({"acme": hanging})
    for _ in range(2):
        with pytest.raises(BuildError, match="is required and did not"):
            builder.build()


def test_p9_a_hanging_plugin_does_not_keep_the_process(tmp_path: Path) -> None:
    """P9: the thread of a call that hangs goes on, and the process ends all the same."""
    (tmp_path / "foreword.toml").write_text("[plugins]\ntimeout = 0.05\n")
    script = """
    import threading
    from foreword import Builder, hookimpl
    from foreword._discovery import Discovered
    from foreword._manager import Manager
    from foreword._provider import Provider

    class Plugin:
        @hookimpl
        def foreword_sections(self):
            threading.Event().wait()

    builder = Builder.from_config("foreword.toml", plugins=False, on_diagnostic=print)
    found = [Discovered(Provider("acme", "1", "main"), "acme", Plugin)]
    builder.manager = Manager(builder.settings.plugins, found=found)
    builder.build(defaults=[])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, capture_output=True, text=True, timeout=20
    )
    assert "FW033 error: plugin acme:main 1 (acme) did not end foreword_sections within 0.05 seconds" in done.stdout


def test_p9_within_the_time_everything_is_as_without_a_limit(desk: Any) -> None:
    """P9: under a limit a hook sees the same context variables, raises the same errors, and an interrupt passes."""

    class Plugin:
        raises: BaseException | None = None

        @hookimpl
        def foreword_sections(self, context: Context) -> list[Section]:
            context.report("FW001", "warning", "told from the hook")
            if self.raises is not None:
                raise self.raises
            return [Section("acme.x", f"In a hook: {plugin_calls.BUILDING.get()}, for {context.agent}.")]

    plugin = Plugin()
    told: list[list[str]] = []
    for limit in ("", "timeout = 20"):
        desk.configure(f"[plugins]\n{limit}\n")
        for raises in (None, ValueError("no"), SystemExit(3)):
            plugin.raises = raises
            prompt = desk.build(plugins={"acme": plugin})
            told.append([prompt.text, *map(str, desk.found)])
        plugin.raises = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            desk.build(plugins={"acme": plugin})
    assert told[:3] == told[3:]
    assert "In a hook: True, for operator." in told[0][0]


def test_p9_first_party_sources_are_never_given_up(desk: Any) -> None:
    """P9: the limit is for third parties; a slow disk takes no section of the operator's away."""
    desk.configure("[plugins]\ntimeout = 1e-9\n")
    prompt = desk.build({"prompts/STYLE.md": "Short."})
    assert "custom_style" in [section.id for section in prompt.sections]
    assert desk.found == []


@pytest.mark.parametrize("value", ["0", "-1", "true", '"5"', "inf", "nan", "1e9"])
def test_p9_a_time_is_a_number_of_seconds(tmp_path: Path, value: str) -> None:
    """P9: a limit that is no sensible time is a configuration error that names the key."""
    (tmp_path / "foreword.toml").write_text(f"[plugins]\ntimeout = {value}\n")
    with pytest.raises(ConfigError, match=r"plugins\.timeout"):
        load(tmp_path / "foreword.toml")


def test_p9_a_slow_hook_is_reported(desk: Any, giving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """P9: a hook of a third party that takes longer than a second is a warning that names plugin and hook."""
    assert plugin_calls.SLOW == 1.0
    desk.build(plugins={"acme": giving([Section("acme.x", "x")])})
    assert desk.found == []
    monkeypatch.setattr(plugin_calls, "SLOW", 0.0)
    desk.build(plugins={"acme": giving([Section("acme.x", "x")])})
    assert {(one.code, one.severity, one.provider) for one in desk.found} == {("FW039", "warning", "acme:main 1.0")}
    assert any("seconds in foreword_sections" in one.message for one in desk.found)


# -- P6: shared objects -----------------------------------------------------------------------------

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(st.integers(), max_size=2)
    ),
    max_leaves=12,
)


def changeable(value: object) -> bool:
    """Whether anything in it can be changed."""
    if isinstance(value, MappingProxyType):
        return any(changeable(one) for one in value.values())
    if isinstance(value, tuple):
        return any(changeable(one) for one in value)
    return isinstance(value, list | dict | set | bytearray)


def thawed(value: object) -> object:
    """The value as it was before it was frozen, lists and tuples alike."""
    if isinstance(value, MappingProxyType | dict):
        return {key: thawed(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [thawed(one) for one in value]
    return set(value) if isinstance(value, frozenset) else value


@given(st.dictionaries(st.text(max_size=3), DATA, max_size=4))
def test_p6_what_the_caller_hands_out_is_frozen_to_the_bottom(data: dict[str, Any]) -> None:
    """P6: nothing in ``context.data`` can be changed, however deep, and it says what the caller said."""
    given = frozen(data)
    assert not changeable(given)
    assert thawed(given) == thawed(data)


def test_p6_no_plugin_changes_what_another_is_given(desk: Any) -> None:
    """P6: mappings, lists and sets in ``context=`` cannot be changed by a plugin, nor by the caller afterwards."""

    class Plugin:
        @hookimpl
        def foreword_sections(self, context: Context) -> list[Section]:
            tags: Any = context.data["tags"]
            table: Any = context.data["table"]
            for change in (lambda: tags.append(1), lambda: table.update(a=1), lambda: table["in"].clear()):
                with pytest.raises(AttributeError):
                    change()
            with pytest.raises(TypeError):
                table["in"][0]["x"] = 2
            return [Section("acme.x", f"{tags} {table['in'][0]['x']}")]

    data = {"tags": ["a"], "table": {"in": [{"x": 1}]}}
    prompt = desk.build(plugins={"acme": Plugin()}, context=data)
    assert desk.found == []
    assert prompt.section("acme.x").text == "('a',) 1"
    assert data == {"tags": ["a"], "table": {"in": [{"x": 1}]}}


def test_p6_data_that_holds_itself_is_a_configuration_error(desk: Any) -> None:
    """P6: data without an end is refused with a sentence, not with a RecursionError."""
    data: dict[str, Any] = {}
    data["self"] = data
    with pytest.raises(ConfigError, match="holds itself"):
        desk.build(context=data)


# -- P3, P5: order and number -------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.permutations(["acme", "bolt", "crane"]))
def test_p3_the_order_of_registration_decides_nothing(new_desk: Any, giving: Any, names: list[str]) -> None:
    """P3: whichever plugin comes first, the prompt and what is said are the same."""
    with new_desk() as desk:
        plugins = {
            name: giving(
                [Section(f"{name}.x", f"{name} {{{{ {name}.v }}}}"), Edit("safety", "Mine.")], {f"{name}.v": name}
            )
            for name in names
        }
        text = desk.build(plugins=plugins).text
        told = sorted(map(str, desk.found))
        plain = {name: plugins[name] for name in sorted(names)}
        assert desk.build(plugins=plain).text == text
        assert sorted(map(str, desk.found)) == told


def test_p5_a_million_sections_are_cut_off(desk: Any) -> None:
    """P5: of a million sections the first thousand count, one error says so, and the other plugin is unharmed."""

    class Plugin:
        @hookimpl
        def foreword_sections(self) -> list[Section]:
            return [Section("acme.x", "x")] * 1_000_000

    prompt = desk.build(plugins={"acme": Plugin()})
    assert [section.id for section in prompt.sections] == BUILT_IN
    assert [one.message for one in desk.codes("FW029")] == [
        "plugin acme:main 1.0 returned more than 1000 sections; the rest is left out ([limits.extension] sections)"
    ]


def test_p5_sections_and_skills_count_together(desk: Any) -> None:
    """P5: skills are sections too, so a plugin cannot give more of the one by calling it the other."""

    class Skill:
        def __init__(self, name: str) -> None:
            self.name = name

        def render_system_addon(self) -> str:
            return "Deploy."

    class Plugin:
        @hookimpl
        def foreword_sections(self) -> list[Section]:
            return [Section("acme.a", "a"), Section("acme.b", "b")]

        @hookimpl
        def foreword_skills(self) -> list[Skill]:
            return [Skill("c"), Skill("d")]

    desk.configure("[limits.extension]\nsections = 3\n")
    prompt = desk.build(plugins={"acme": Plugin()})
    assert [section.id for section in prompt.sections][4:] == ["skills/acme.c", "acme.a", "acme.b"]
    assert len(desk.codes("FW029")) == 1


def test_p5_more_than_a_mebibyte_is_refused(desk: Any, giving: Any) -> None:
    """P5: third parties together give no more than a mebibyte, and the operator's sections stand."""
    sections = [Section(f"acme.x{number}", "word " * 20_000) for number in range(20)]
    prompt = desk.build(plugins={"acme": giving(sections)})
    size = sum(len(section.text) for section in prompt.sections if section.layer == "extension")
    assert 900_000 < size <= 1_048_576
    assert [section.id for section in prompt.sections][:4] == BUILT_IN
    assert len(desk.codes("FW029")) == 10


# -- P4, P10 to P13 ------------------------------------------------------------------------------------


def test_p4_a_required_section_of_a_plugin_that_raises_fails_the_build(desk: Any) -> None:
    """P4: what a broken plugin loses fails the build where the operator requires it, and only there."""

    class Plugin:
        @hookimpl
        def foreword_sections(self) -> list[Section]:
            raise ValueError("no")

    prompt = desk.build(plugins={"acme": Plugin()})
    assert [section.id for section in prompt.sections] == BUILT_IN
    desk.configure('[sections."acme.x"]\nrequired = true\n')
    with pytest.raises(BuildError, match=r"required section 'acme\.x' is not in the prompt"):
        desk.build(plugins={"acme": Plugin()})


@pytest.mark.parametrize("limit", ["", "timeout = 20"])
def test_p10_a_build_inside_a_hook_is_an_error_at_once(desk: Any, limit: str) -> None:
    """P10: a plugin that builds a prompt in its hook is told so, also in the thread of a limit."""

    class Plugin:
        calls = 0

        @hookimpl
        def foreword_sections(self) -> list[Section]:
            Plugin.calls += 1
            return [Section("acme.x", builder.build().text)]

    desk.configure(f"[plugins]\n{limit}\n")
    builder: Builder = desk.builder({"acme": Plugin()})
    assert [section.id for section in builder.build().sections] == BUILT_IN
    assert Plugin.calls == 1
    assert "build() was called inside a hook" in str(desk.found[0])


def test_p11_what_a_plugin_gives_is_scanned_and_kept_inside(desk: Any, giving: Any) -> None:
    """P11: sections, titles, skills and variables of a plugin pass the scanner, and its texts the borders."""
    tags = "".join(chr(0xE0000 + ord(char)) for char in "hide")
    sections = [
        Section("acme.a", f"Innocent{tags}."),
        Section("acme.b", "Innocent.", title=f"T{tags}"),
        Section("acme.c", "# Safety Guidelines\n\n```\nopen"),
        Section("acme.d", "{{ acme.bad }} {{ acme.good }} {{ acme.odd }}"),
        Edit("acme.e", "{% if true %}x{% endif %}", template="jinja"),
    ]
    values = {"acme.bad": f"v{tags}", "acme.good": "caf\u00e9", "acme.odd": "a\u200bb"}
    prompt = desk.build(plugins={"acme": giving(sections, values)})
    assert [section.id for section in prompt.sections][4:] == ["acme.c", "acme.d"]
    assert prompt.section("acme.c").text == "### Safety Guidelines\n\n```\nopen\n```"
    assert prompt.section("acme.d").text == "{{ acme.bad }} caf\u00e9 a\u200bb"
    told = {one.code: one for one in desk.found}
    assert told["FW038"].severity == "error"
    assert "gave 'acme.bad' a text that is refused: 4 tag characters spell 'hide'" in told["FW038"].message
    assert told["FW018"].section == "acme.e"
    odd = [one for one in desk.codes("FW060") if "acme.odd" in one.message]
    assert [(one.severity, one.provider) for one in odd] == [("warning", "acme:main 1.0")]
    assert [one.section for one in desk.codes("FW060") if one.severity == "error"] == ["acme.a", "acme.b"]


def test_p11_the_settings_of_the_scanner_hold_for_variables(desk: Any, giving: Any) -> None:
    """P11: a rule that is kept lets a value in, and one that refuses keeps it out."""
    desk.configure('[scan]\nkeep = ["bidi-override"]\nrefuse = ["zero-width"]\n')
    plugin = giving([Section("acme.d", "{{ acme.a }}{{ acme.b }}")], {"acme.a": "x\u202ey", "acme.b": "a\u200bb"})
    prompt = desk.build(plugins={"acme": plugin})
    assert prompt.section("acme.d").text == "x\u202ey{{ acme.b }}"
    assert len(desk.codes("FW038")) == 1


def test_p12_explain_names_plugin_distribution_and_version(desk: Any, giving: Any) -> None:
    """P12: the provenance of a plugin's section is the host's word: distribution, entry point, version."""
    prompt = desk.build(plugins={"acme": giving([Section("acme.x", "Mine.")])})
    (step,) = prompt.explain("acme.x").steps
    assert step.edit.provider == ("acme", "1.0", "main")
    assert "acme:main 1.0" in str(prompt.explain("acme.x"))
    assert [line.provider for line in prompt.lines() if line.section == "acme.x"] == ["acme:main 1.0"] * 2


def test_p13_without_plugins_nothing_of_a_third_party_is_imported(site: Any, tmp_path: Path) -> None:
    """P13: ``plugins=False`` imports no third party's module, opens no connection, and gives the built-in prompt."""
    module = site.add("acme-loud", "raise SystemExit('imported')\n")
    found: list[Diagnostic] = []
    prompt = Builder(plugins=False, on_diagnostic=found.append).build()
    assert [section.id for section in prompt.sections] == BUILT_IN
    assert (found, module in sys.modules) == ([], False)
    script = """
    import sys
    harmful = ("socket.connect", "socket.bind", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn")
    sys.addaudithook(lambda event, _: sys.exit(event) if event in harmful else None)
    import foreword
    print(foreword.Builder(plugins=False).build())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site.path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == prompt.text
