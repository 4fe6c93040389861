"""What a broken plugin costs: its own sections, and nothing else."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder, Diagnostic, Edit, Prompt, Section, hookimpl
from foreword._discovery import Discovered, discover
from foreword._manager import Manager
from foreword._provider import Provider
from foreword.config._settings import PluginSettings

BUILT_IN = ["identity", "safety", "conversation_rules", "tool_usage"]


def returning(value: str, hook: str = "foreword_sections") -> str:
    """Return the source of a hook that returns a value."""
    return f"@hookimpl\ndef {hook}(context):\n    return {value}\n"


def build_beside_a_good_one(site: Any, source: str, **more: Any) -> tuple[Builder, Prompt, list[Diagnostic]]:
    """Build with the broken plugin between two good ones."""
    for name in ("acme-a", "acme-z"):
        site.add(name, returning(f"[Section('{name}.style', 'Good {name}.')]"))
    site.add("acme-broken", textwrap.dedent(source), version="3.1", **more)
    found: list[Diagnostic] = []
    builder = Builder(on_diagnostic=found.append)
    return builder, builder.build(), found


def stands_without(prompt: Prompt) -> bool:
    """Return whether everything but the broken plugin is in the prompt."""
    return [section.id for section in prompt.sections] == [*BUILT_IN, "acme-a.style", "acme-z.style"]


LOADING = {
    "import of a missing module": ("import nothing_of_that_name", "FW030", "ModuleNotFoundError: No module named"),
    "import of a missing name": ("from os import nothing_of_that_name", "FW030", "ImportError: cannot import name"),
    "syntax error": ("def broken(:", "FW030", "SyntaxError: invalid syntax"),
    "null byte": ("x = '\0'", "FW030", "SyntaxError"),
    "exit at import": ("import sys; sys.exit('stop here')", "FW030", "SystemExit: stop here"),
    "any exception at import": ("1 / 0", "FW030", "ZeroDivisionError: division by zero"),
    "a message of many lines": ("raise ValueError('first\\nsecond')", "FW030", "ValueError: first"),
    "wrong argument": (
        "@hookimpl\ndef foreword_sections(ctx): return []",
        "FW031",
        "has foreword_sections(ctx), and the hook is foreword_sections(context)",
    ),
    "argument with a default": (
        "@hookimpl\ndef foreword_sections(context=None): return []",
        "FW031",
        "has foreword_sections(context=None); an argument of a hook has no default",
    ),
    "any arguments": ("@hookimpl\ndef foreword_sections(*args): return []", "FW031", "foreword_sections(*args)"),
    "any keywords": ("@hookimpl\ndef foreword_sections(**given): return []", "FW031", "foreword_sections(**given)"),
    "wrapper": (
        "@hookimpl(wrapper=True)\ndef foreword_sections(context):\n    return (yield)",
        "FW031",
        "has a wrapper of foreword_sections",
    ),
    "old wrapper": (
        "@hookimpl(hookwrapper=True)\ndef foreword_sections(context):\n    yield",
        "FW031",
        "has a wrapper of foreword_sections",
    ),
    "generator": ("@hookimpl\ndef foreword_sections(context):\n    yield 1", "FW031", "has a generator as"),
    "coroutine": ("@hookimpl\nasync def foreword_sections(context):\n    return []", "FW031", "has a coroutine as"),
    "asynchronous generator": (
        "@hookimpl\nasync def foreword_sections(context):\n    yield 1",
        "FW031",
        "has a generator as",
    ),
    "misspelt hook": (
        "@hookimpl\ndef foreword_section(context): return []",
        "FW032",
        "implements the unknown hook 'foreword_section'; did you mean 'foreword_sections'?",
    ),
    "unmarked hook": ("def foreword_sections(context): return []", "FW032", "is not marked with foreword.hookimpl"),
    "no hook": ("x = 1", "FW031", "implements no hook"),
    "one good hook and one bad": (
        returning("{'acme_broken.x': 1}", "foreword_variables")
        + "@hookimpl\ndef foreword_sections(wrong): return []",
        "FW031",
        "has foreword_sections(wrong)",
    ),
}


@pytest.mark.parametrize("kind", LOADING)
def test_a_plugin_that_cannot_be_loaded_costs_only_its_own(site: Any, kind: str) -> None:
    """Whatever is wrong with a plugin, one error names it, its version, the cause and how to disable it."""
    source, code, cause = LOADING[kind]
    builder, prompt, found = build_beside_a_good_one(site, source)
    assert stands_without(prompt)
    assert [(one.code, one.severity, one.provider) for one in found] == [(code, "error", "acme-broken:main 3.1")]
    said = str(found[0])
    assert "acme-broken:main 3.1" in said
    assert "module_of_acme_broken" in said
    assert cause in said
    assert '[plugins] disable = ["acme-broken:main"]' in said
    listed = next(p for p in builder.manager.plugins if p.provider.distribution == "acme-broken")
    assert listed.status == "failed"
    assert cause.partition(":")[0] in listed.reason
    assert not any(
        call.provider.distribution == "acme-broken"
        for hook in ("foreword_sections", "foreword_variables")
        for call in builder.manager.calls(hook)
    )


@pytest.mark.parametrize(
    ("value", "code", "cause"),
    [
        ("no_such_module_at_all", "FW030", "ModuleNotFoundError"),
        ("module_of_acme_broken:absent", "FW030", "AttributeError"),
        ("module_of_acme_broken:absent.deeper", "FW030", "AttributeError"),
        ("not a module", "FW030", ""),
        ("module_of_acme_broken:Plugin", "FW031", "names the class Plugin; name a module or an instance"),
        ("module_of_acme_broken:number", "FW031", "implements no hook"),
        ("module_of_acme_broken:nothing", "FW031", "implements no hook"),
        ("module_of_acme_broken:raising", "FW031", "has foreword_sections, which raises RuntimeError: sprung"),
        ("module_of_acme_broken:exiting", "FW031", "has foreword_sections, which raises SystemExit"),
    ],
)
def test_an_entry_point_that_names_no_plugin_costs_only_its_own(site: Any, value: str, code: str, cause: str) -> None:
    """An entry point may name something absent, a class, a number, or an object that raises when looked at."""
    source = """
    class Plugin:
        @hookimpl
        def foreword_sections(self): return [Section("acme-broken.x", "x")]
    class Raising:
        def __init__(self, error): self.error = error
        @property
        def foreword_sections(self): raise self.error
    number = 3
    nothing = None
    raising = Raising(RuntimeError("sprung"))
    exiting = Raising(SystemExit(2))
    """
    _, prompt, found = build_beside_a_good_one(site, source, entry_points={"main": value})
    assert stands_without(prompt)
    assert [one.code for one in found] == [code]
    assert cause in str(found[0])


def test_an_attribute_that_raises_when_looked_at_costs_nothing(site: Any) -> None:
    """A lazy name or property of a plugin that raises is its own affair while its hooks are in order."""
    source = """
    class Plugin:
        @property
        def client(self): raise RuntimeError("not connected")
        @property
        def leave(self): raise SystemExit(2)
        @hookimpl
        def foreword_sections(self): return [Section("acme-broken.x", "Works.")]
    plugin = Plugin()
    """
    _, prompt, found = build_beside_a_good_one(site, source, entry_points={"main": "module_of_acme_broken:plugin"})
    assert prompt.section("acme-broken.x").text == "Works."
    assert not found


def test_a_hook_implemented_twice_is_refused(site: Any) -> None:
    """Two functions of one plugin for one hook: neither is silently the last."""
    source = returning("[]") + "@hookimpl(specname='foreword_sections')\ndef more():\n    return []\n"
    _, prompt, found = build_beside_a_good_one(site, source)
    assert stands_without(prompt)
    assert [one.code for one in found] == ["FW031"]
    assert "implements foreword_sections twice" in str(found[0])


def test_a_misspelt_hook_beside_a_good_one_is_an_error_and_the_good_one_counts(site: Any) -> None:
    """A plugin with one unknown hook keeps those that are right."""
    source = returning("[Section('acme-broken.x', 'Right.')]") + returning("[]", "foreword_skill")
    _, prompt, found = build_beside_a_good_one(site, source)
    assert prompt.section("acme-broken.x").text == "Right."
    assert [one.code for one in found] == ["FW032"]
    assert "did you mean 'foreword_skills'?" in str(found[0])


@pytest.mark.parametrize("where", ["", "@hookimpl\ndef foreword_sections():\n    "])
def test_an_interrupt_passes(site: Any, where: str) -> None:
    """KeyboardInterrupt is the operator's, at import and in a hook."""
    with pytest.raises(KeyboardInterrupt):
        build_beside_a_good_one(site, f"{where}raise KeyboardInterrupt")


HOOK = {
    "raises": ("raise ValueError('no such style')", "FW033", "raised ValueError in foreword_sections: no such style"),
    "exits": ("raise SystemExit(4)", "FW033", "raised SystemExit in foreword_sections"),
    "recurses": ("return foreword_sections(context)", "FW033", "raised RecursionError"),
    "builds": ("import foreword; foreword.Builder().build()", "FW033", "build() was called inside a hook"),
    "a text": ("return 'text'", "FW034", "returned str from foreword_sections"),
    "a dict": ("return {}", "FW034", "returned dict"),
    "a set": ("return {Section('acme-broken.x', 'x')}", "FW034", "returned set"),
    "a section itself": ("return Section('acme-broken.x', 'x')", "FW034", "returned Section"),
    "a generator": ("return (x for x in [])", "FW034", "returned generator"),
    "a dict in the list": ("return [{'id': 'acme-broken.x'}]", "FW034", "returned dict at index 0"),
    "none in the list": ("return [None]", "FW034", "returned NoneType at index 0"),
    "a list that raises": (
        "\n    class L(list):\n        def __iter__(self): raise OSError('gone')\n    return L()",
        "FW033",
        "raised OSError in foreword_sections: gone",
    ),
    "a number as id": ("return [Section(5, 'x')]", "FW034", "id: Input should be a valid string"),
    "bytes as text": ("return [Section('acme-broken.x', b'x')]", "FW034", "text: Input should be a valid string"),
    "none as text": ("return [Section('acme-broken.x', None)]", "FW034", "text"),
    "a lone surrogate": ("return [Section('acme-broken.x', '\\ud800')]", "FW034", "text"),
    "a truth as priority": ("return [Section('acme-broken.x', 'x', priority=True)]", "FW034", "priority"),
    "not a number as priority": ("return [Section('acme-broken.x', 'x', priority=float('nan'))]", "FW034", "priority"),
    "a priority out of bounds": ("return [Section('acme-broken.x', 'x', priority=10**9)]", "FW034", "priority"),
    "an unknown field": ("return [Section('acme-broken.x', 'x', layer='session')]", "FW034", "layer"),
    "an unknown mode": ("return [Edit('acme-broken.x', 'x', mode='delete')]", "FW034", "mode"),
    "an unknown layer": ("return [Edit('acme-broken.x', 'x', layer='root')]", "FW034", "layer"),
    "a section never checked": ("return [Section.model_construct(id=5, text=None)]", "FW034", "at index 0"),
    "a section without fields": ("return [Section.model_construct()]", "FW034", "at index 0"),
    "a file that is none": ("return [Section('acme-broken.x', 'x', file='x.md')]", "FW034", "file: Input should be"),
    "findings that are none": ("return [Edit('acme-broken.x', 'x', findings=(1,))]", "FW034", "findings: Input should"),
    "an object that raises when looked at": (
        "return [type('X', (), {'__class__': property(lambda self: 1 / 0)})()]",
        "FW033",
        "raised ZeroDivisionError in foreword_sections",
    ),
    "a result that raises when looked at": (
        "return type('X', (), {'__class__': property(lambda self: 1 / 0)})()",
        "FW033",
        "raised ZeroDivisionError in foreword_sections",
    ),
    "a condition never checked": (
        "from foreword.markdown._front_matter import When\n"
        "    return [Edit('acme-broken.x', 'x', when=When.model_construct(agents=5))]",
        "FW034",
        "when.agents: ",
    ),
    "an empty id": ("return [Section('', 'x')]", "FW034", "'' is no id"),
    "an id with a control character": ("return [Section('acme-broken.a\\nb', 'x')]", "FW034", "is no id"),
    "an id that climbs": ("return [Section('acme-broken.x/../y', 'x')]", "FW034", "is no id"),
    "a change of the context": ("context.agent = 'root'", "FW033", "raised FrozenInstanceError"),
    "a change of the variables": ("context.variables['agent_name'] = 'Eve'", "FW033", "raised TypeError"),
    "a change of the data": ("context.data['key'] = 'changed'", "FW033", "raised TypeError"),
    "a change of the settings": ("context.settings.layout = 'xml'", "FW034", "layout: Instance is frozen"),
}


@pytest.mark.parametrize("kind", HOOK)
def test_a_hook_that_goes_wrong_costs_only_its_own(site: Any, kind: str) -> None:
    """A hook that raises, or returns what it must not, loses its own sections; one error says which and why."""
    body, code, cause = HOOK[kind]
    _, prompt, found = build_beside_a_good_one(site, f"@hookimpl\ndef foreword_sections(context):\n    {body}\n")
    assert stands_without(prompt)
    assert prompt.text.startswith("You are assistant")
    assert [(one.code, one.severity, one.provider) for one in found] == [(code, "error", "acme-broken:main 3.1")]
    said = str(found[0])
    assert "acme-broken:main 3.1" in said
    assert cause in said
    assert "pydantic" not in said


def test_a_raising_hook_is_named_with_its_line_and_its_traceback_is_kept(site: Any) -> None:
    """The sentence says where the plugin raised; the traceback is there for those who ask."""
    _, _, found = build_beside_a_good_one(
        site, "def inner():\n    raise ValueError('deep')\n@hookimpl\ndef foreword_sections():\n    inner()\n"
    )
    assert "(module_of_acme_broken.py:3)" in str(found[0])
    assert "in foreword_sections" in found[0].traceback
    assert found[0].traceback.endswith("ValueError: deep\n")


def test_one_wrong_section_takes_no_other_with_it(site: Any) -> None:
    """What is right in a list is taken, what is wrong is named by its index."""
    source = returning("[Section('acme-broken.one', '1'), 7, Section('acme-broken.two', '2')]")
    _, prompt, found = build_beside_a_good_one(site, source)
    assert [section.id for section in prompt.sections][-4:] == [
        "acme-a.style",
        "acme-broken.one",
        "acme-broken.two",
        "acme-z.style",
    ]
    assert ["index 1" in str(one) for one in found] == [True]


@pytest.mark.parametrize("value", ["None", "[]", "()", "(Section('acme-broken.x', ' '),)"])
def test_nothing_is_nothing(site: Any, value: str) -> None:
    """None, an empty list and a text of spaces add no section."""
    _, prompt, found = build_beside_a_good_one(site, returning(value))
    assert stands_without(prompt)
    assert not [one for one in found if one.severity == "error"]


def test_a_subclass_of_str_is_taken_for_its_characters(site: Any) -> None:
    """Text that would change under the reader's hands counts as the characters it has."""
    source = """
    class Sly(str):
        def __str__(self): return "other"
        def strip(self, *a): return "stripped"
        def replace(self, *a): return "replaced"
    @hookimpl
    def foreword_sections():
        return [Section(Sly("acme-broken.x"), Sly("as written"))]
    """
    _, prompt, _ = build_beside_a_good_one(site, source)
    assert prompt.section("acme-broken.x").text == "as written"


VARIABLES = {
    "another's name": ("{'agent_name': 'Eve'}", "FW038", "its names begin with 'acme_broken.'"),
    "a bare prefix": ("{'acme_broken.': 1}", "FW038", "its names begin with"),
    "no name": ("{3: 1}", "FW038", "gave the variable 3"),
    "a list": ("{'acme_broken.x': [1]}", "FW038", "a value is text or a number"),
    "two lines": ("{'acme_broken.x': 'a\\nb'}", "FW038", "one line of at most 200 characters"),
    "half a character": ("{'acme_broken.x': '\\ud800'}", "FW038", "no character"),
    "a long line": ("{'acme_broken.x': 'a' * 201}", "FW038", "one line of at most 200 characters"),
    "a list of pairs": ("[('acme_broken.x', 1)]", "FW034", "returned list from foreword_variables"),
    "nothing there": ("{}['x']", "FW033", "raised KeyError in foreword_variables"),
    "a name that raises when it is named": (
        "{type('N', (), {'__repr__': lambda self: 1 / 0})(): 1}",
        "FW033",
        "raised ZeroDivisionError in foreword_variables",
    ),
    "a mapping that raises": (
        "type('M', (dict,), {'items': lambda self: 1 / 0})()",
        "FW033",
        "raised ZeroDivisionError in foreword_variables",
    ),
}


@pytest.mark.parametrize("kind", VARIABLES)
def test_variables_that_go_wrong_cost_only_their_own(site: Any, kind: str) -> None:
    """A variable with a wrong name or value is left out, named, and nothing of the prompt changes."""
    value, code, cause = VARIABLES[kind]
    _, prompt, found = build_beside_a_good_one(site, returning(value, "foreword_variables"))
    assert stands_without(prompt)
    assert prompt.text.startswith("You are assistant")
    assert [(one.code, one.severity, one.provider) for one in found] == [(code, "error", "acme-broken:main 3.1")]
    assert cause in str(found[0])


def test_a_plugins_variable_reaches_its_own_text_and_no_locked_section(site: Any, tmp_path: Any) -> None:
    """A value that a plugin gave is filled in everywhere but in a section that it may not edit."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "SAFETY.md").write_text("Safe {{ acme-vars.x }} {{ acme_vars.form }}.")
    (tmp_path / "prompts" / "RULES.md").write_text("Rule {{ acme_vars.form }}.")
    site.add(
        "acme-vars",
        returning("{'acme_vars.form': 'numbered', 'acme_vars.n': 3}", "foreword_variables")
        + returning("[Section('acme-vars.style', 'Cite {{ acme_vars.form }}, {{acme_vars.n}}.')]"),
    )
    found: list[Diagnostic] = []
    prompt = Builder(prompts_dir=tmp_path / "prompts", on_diagnostic=found.append).build()
    assert prompt.section("acme-vars.style").text == "Cite numbered, 3."
    assert prompt.section("custom_rules").text == "Rule numbered."
    assert prompt.section("safety").text == "Safe {{ acme-vars.x }} {{ acme_vars.form }}."
    assert [one.code for one in found] == ["FW012"]


def test_variables_stand_although_the_sections_of_the_plugin_fail(site: Any) -> None:
    """A plugin that raises in one hook keeps what it gave in another."""
    source = returning("{'acme_broken.x': 'kept'}", "foreword_variables") + returning("1 / 0")
    found: list[Diagnostic] = []
    site.add("acme-broken", source)
    prompt = Builder(on_diagnostic=found.append).build(edits=[Section("custom_x", "It is {{ acme_broken.x }}.")])
    assert prompt.section("custom_x").text == "It is kept."
    assert [one.code for one in found] == ["FW033"]


SKILLS = {
    "raises": ("raise ValueError('no')", "'deploy'", "FW033", "raised ValueError in render_system_addon of skill"),
    "exits": ("raise SystemExit", "'deploy'", "FW033", "raised SystemExit"),
    "no text": ("return 5", "'deploy'", "FW034", "gives int, not text"),
    "a wrong name": ("return 'x'", "'a\\nb'", "FW034", "has a skill named"),
}


@pytest.mark.parametrize("kind", SKILLS)
def test_a_skill_that_goes_wrong_costs_only_its_own(site: Any, kind: str) -> None:
    """A skill that raises or gives no text is left out; the other skill of the plugin stands."""
    body, name, code, cause = SKILLS[kind]
    source = f"""
class Broken:
    name = {name}
    def render_system_addon(self):
        {body}
class Good:
    name = "good"
    def render_system_addon(self, context):
        return f"For {{context.agent}}."
@hookimpl
def foreword_skills():
    return [Broken(), Good()]
"""
    site.add("acme-broken", source, version="3.1")
    found: list[Diagnostic] = []
    prompt = Builder(on_diagnostic=found.append).build("operator")
    assert [section.id for section in prompt.sections] == [*BUILT_IN, "skills/acme-broken.good"]
    assert prompt.section("skills/acme-broken.good").text == "For operator."
    assert prompt.section("skills/acme-broken.good").priority == 710
    assert [(one.code, one.provider) for one in found] == [(code, "acme-broken:main 3.1")]
    assert cause in str(found[0])


@pytest.mark.parametrize(
    ("value", "cause"),
    [("7", "returned int from foreword_skills"), ("[object()]", "without render_system_addon()")],
)
def test_a_list_of_skills_that_is_none_is_named(site: Any, value: str, cause: str) -> None:
    """What is no skill is an error that names the plugin and what it gave."""
    _, prompt, found = build_beside_a_good_one(site, returning(value, "foreword_skills"))
    assert stands_without(prompt)
    assert [one.code for one in found] == ["FW034"]
    assert cause in str(found[0])


def test_what_one_plugin_does_to_its_context_another_does_not_see(site: Any) -> None:
    """The mapping that a caller hands out is copied; a plugin cannot take from another's."""
    site.add("acme-a", "@hookimpl\ndef foreword_sections(context):\n    context.data.clear()\n")
    site.add("acme-b", returning("[Section('acme-b.style', context.data['word'])]"))
    found: list[Diagnostic] = []
    given = {"word": "intact"}
    prompt = Builder(on_diagnostic=found.append).build(context=given)
    assert prompt.section("acme-b.style").text == "intact"
    assert given == {"word": "intact"}
    assert [one.provider for one in found] == ["acme-a:main 1.0"]


_JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.builds(Section, st.text(max_size=12), st.text(max_size=12))
    | st.builds(lambda id, text: Edit.model_construct(id=id, text=text), st.integers() | st.text(), st.none()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(junk=_JUNK)
def test_whatever_a_hook_returns_the_built_in_prompt_stands(junk: object) -> None:
    """No value that a hook can return reaches another section, or keeps a prompt from being built."""

    class Plugin:
        @hookimpl
        def foreword_sections(self) -> object:
            return junk

        @hookimpl
        def foreword_variables(self) -> object:
            return junk

        @hookimpl
        def foreword_skills(self) -> object:
            return junk

    plugin = Discovered(Provider("acme-junk", "1", "main"), "acme:junk", Plugin)
    plain = Builder(plugins=False, on_diagnostic=lambda found: None)
    builder = Builder(plugins=False, on_diagnostic=lambda found: None)
    builder.manager = Manager(PluginSettings(), found=[*discover(), plugin._replace(load=lambda: Plugin())])
    expected = plain.build()
    prompt = builder.build()
    assert [prompt.section(id).text for id in BUILT_IN] == [section.text for section in expected.sections]
    others = {section.id for section in prompt.sections} - set(BUILT_IN)
    assert all(id.startswith("acme-junk.") for id in others)


@pytest.mark.parametrize(
    "wrong",
    [
        "Diagnostic('FW060', 'fatal', 'said')",
        "Diagnostic(5, 'error', 'said')",
        "Diagnostic('FW060', 'error', None)",
        "Diagnostic('FW060', 'error', 'said', 'here')",
        "Diagnostic('FW060', 'error', 'said', Place(7))",
        "Diagnostic('FW060', 'error', 'said', Place('a', 'b'))",
        "Diagnostic('FW060', 'error', 'said', section=3)",
    ],
)
def test_a_diagnostic_that_is_none_costs_only_its_own(site: Any, wrong: str) -> None:
    """A plugin's diagnostic with a wrong part is named, wherever the plugin gives it, and the rest is built."""
    source = f"""
    from foreword import Diagnostic, Edit, Place
    @hookimpl
    def foreword_sections(context):
        return [Edit("acme-broken.x", "X", findings=({wrong},)), Section("acme-broken.good", "Good.")]
    @hookimpl
    def foreword_check(prompt, context):
        return [{wrong}]
    """
    builder, prompt, found = build_beside_a_good_one(site, source)
    assert "acme-broken.good" in [section.id for section in prompt.sections]
    assert [one.code for one in found] == ["FW034"]
    assert [one.code for one in builder.check(prompt)] == ["FW034"]


def test_a_report_of_no_known_severity_is_refused(site: Any) -> None:
    """What a plugin reports is a code, a known severity and texts; anything else is the plugin's own failure."""
    source = """
    @hookimpl
    def foreword_sections(context):
        context.report("FW060", "fatal", "said")
        return [Section("acme-broken.x", "X")]
    """
    _, prompt, found = build_beside_a_good_one(site, source)
    assert stands_without(prompt)
    assert [one.code for one in found] == ["FW033"]
