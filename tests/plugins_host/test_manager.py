"""The plugin host: what is found, what is loaded, and how names and layers are granted."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foreword import Builder, BuildError, ConfigError, Diagnostic, ForewordWarning

FIRST_PARTY = ["foreword:agent", "foreword:builtin", "foreword:directory", "foreword:memory", "foreword:skills"]


def sections(*items: str) -> str:
    """Return the source of a plugin with these sections."""
    return f"@hookimpl\ndef foreword_sections(context):\n    return [{', '.join(items)}]\n"


def configured(tmp_path: Path, toml: str) -> tuple[Builder, list[Diagnostic]]:
    """Return a builder with this configuration, and the list its diagnostics go to."""
    config = tmp_path / "foreword.toml"
    config.write_text(toml)
    found: list[Diagnostic] = []
    return Builder.from_config(config, on_diagnostic=found.append), found


def default() -> tuple[Builder, list[Diagnostic]]:
    """Return a builder without configuration, and the list its diagnostics go to."""
    found: list[Diagnostic] = []
    return Builder(on_diagnostic=found.append), found


def status(builder: Builder, name: str) -> tuple[str, str]:
    """Return what became of a plugin, and why."""
    plugin = next(plugin for plugin in builder.manager.plugins if plugin.provider.name == name)
    return plugin.status, plugin.reason


# -- discovery -------------------------------------------------------------------------------------


def test_the_first_party_sources_come_through_entry_points_like_everybodys() -> None:
    """The five sources that ship with foreword stand in the list of plugins, each with its own layers."""
    plugins = {plugin.provider.name: plugin for plugin in Builder().manager.plugins}
    assert [name for name in plugins if name.startswith("foreword:")] == FIRST_PARTY
    assert {name: plugins[name].layers for name in FIRST_PARTY} == {
        "foreword:builtin": ("builtin",),
        "foreword:directory": ("project",),
        "foreword:agent": ("agent",),
        "foreword:memory": ("memory", "override"),
        "foreword:skills": ("extension", "project", "memory"),
    }
    assert all(plugins[name].status == "active" and plugins[name].value for name in FIRST_PARTY)


def test_finding_a_plugin_imports_nothing_of_it(site: Any) -> None:
    """Discovery reads metadata: the module of a plugin is not touched."""
    module = site.add("acme-bomb", "raise RuntimeError('imported')")
    from foreword._discovery import discover

    assert "acme-bomb:main" in [item.provider.name for item in discover()]
    assert module not in sys.modules


_DISTRIBUTIONS = {
    "acme-a": sections("Section('acme-a.style', 'A.')", "Section('safety', 'No.')"),
    "acme-b": sections("Section('acme-b.style', 'B.')", "7"),
    "acme-c": "1 / 0",
    "Acme_D": sections("Section('acme-d.style', 'D.')", "Section('acme-d.style', 'D again.')"),
}


def test_no_order_of_installation_shows(tmp_path: Path, on_path: Any) -> None:
    """Distributions installed in any order give the same prompt, the same list and the same diagnostics."""
    seen: set[str] = set()
    for number, order in enumerate(itertools.permutations(_DISTRIBUTIONS)):
        if number % 4:
            continue
        with on_path(tmp_path / str(number)) as site:
            for name in order:
                site.add(name, _DISTRIBUTIONS[name])
            builder, found = default()
            text = builder.build().text
            listed = [(plugin.provider.name, plugin.status) for plugin in builder.manager.plugins]
            seen.add(repr((text, listed, list(map(str, found)))))
    assert len(seen) == 1
    assert "acme-a.style" not in seen.pop().partition("'active'")[0]


def test_neither_the_search_path_nor_the_hash_seed_shows(tmp_path: Path, on_path: Any) -> None:
    """Distributions in different directories of the search path give one prompt, whatever the hash seed."""
    for name, source in _DISTRIBUTIONS.items():
        with on_path(tmp_path / name) as site:
            site.add(name, source)
    program = (
        "import foreword, json, sys\n"
        "found = []\n"
        "prompt = foreword.Builder(on_diagnostic=found.append).build()\n"
        "print(json.dumps([prompt.fingerprint, [s.id for s in prompt.sections], [str(f) for f in found]]))\n"
    )
    outputs: list[str] = []
    for seed in (0, 4711):
        order = sorted(_DISTRIBUTIONS)
        random.Random(seed).shuffle(order)
        path = os.pathsep.join(str(tmp_path / name) for name in order)
        env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.run([sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, check=True)
        outputs.append(run.stdout.decode())
    assert outputs[0] == outputs[1]
    assert {"acme-a.style", "acme-b.style"} <= set(json.loads(outputs[0])[1])


def test_equal_entry_point_names_of_two_distributions_are_no_conflict(site: Any) -> None:
    """Two distributions with one entry-point name both load, and are told apart by their distribution."""
    site.add("acme-one", sections("Section('acme-one.style', 'One.')"))
    site.add("acme-two", sections("Section('acme-two.style', 'Two.')"))
    builder, found = default()
    ids = [section.id for section in builder.build().sections]
    assert ids[-2:] == ["acme-one.style", "acme-two.style"]
    assert not found


def test_a_shadowed_distribution_gives_no_second_plugin(tmp_path: Path, on_path: Any) -> None:
    """An editable install and the leftover metadata of the same distribution are one plugin."""
    with on_path(tmp_path / "stale") as stale, on_path(tmp_path / "editable") as editable:
        stale.add("Acme.Twice", "raise RuntimeError", version="0.9", kind="egg-info")
        editable.add("acme-twice", sections("Section('acme-twice.style', 'Once.')"), version="1.1")
        builder, found = default()
        assert builder.build().section("acme-twice.style").provider == "acme-twice:main 1.1"
        assert [p.provider.version for p in builder.manager.plugins if not p.provider.first_party] == ["1.1"]
    assert not found


@pytest.mark.parametrize("metadata", ["", "Metadata-Version: 2.1\n", "no mail header\n\x00"])
def test_damaged_metadata_of_one_distribution_costs_the_others_nothing(site: Any, metadata: str) -> None:
    """A distribution whose metadata name nothing is known by its directory, or not at all."""
    site.add("acme-damaged", sections("Section('acme-damaged.style', 'D.')"), metadata=metadata)
    site.add("acme-good", sections("Section('acme-good.style', 'Good.')"))
    builder, _ = default()
    ids = [section.id for section in builder.build().sections]
    assert ids[:4] == ["identity", "safety", "conversation_rules", "tool_usage"]
    assert "acme-good.style" in ids


# -- whose plugins, and which builder ---------------------------------------------------------------


def test_a_builder_without_plugins_imports_no_third_party(site: Any) -> None:
    """``plugins=False`` is the way back: the built-in prompt, and no module of a stranger."""
    module = site.add("acme-bomb", "raise RuntimeError('imported')")
    builder = Builder(plugins=False)
    assert [section.id for section in builder.build().sections][:2] == ["identity", "safety"]
    assert [plugin.provider.name for plugin in builder.manager.plugins] == FIRST_PARTY
    assert module not in sys.modules


def test_two_builders_do_not_see_each_other(site: Any, tmp_path: Path) -> None:
    """A plugin that one builder disables is active in another, in one process."""
    site.add("acme-one", sections("Section('acme-one.style', 'One.')"))
    without, _ = configured(tmp_path, '[plugins]\ndisable = ["acme-one"]\n')
    with_it, _ = default()
    assert "acme-one.style" not in [section.id for section in without.build().sections]
    assert "acme-one.style" in [section.id for section in with_it.build().sections]
    assert "acme-one.style" not in [section.id for section in without.build().sections]


def test_a_module_and_an_instance_are_both_plugins(site: Any) -> None:
    """An entry point may name an instance; its methods are its hooks."""
    source = """
    class Plugin:
        def __init__(self, word):
            self.word = word
        @hookimpl
        def foreword_sections(self):
            return [Section("acme-instance.style", self.word)]
    plugin = Plugin("From an instance.")
    """
    site.add("acme-instance", source, entry_points={"main": "module_of_acme_instance:plugin"})
    builder, found = default()
    assert builder.build().section("acme-instance.style").text == "From an instance."
    assert not found


# -- disable and require ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["acme-off", "acme-off:main", "Acme.Off", "ACME_off:main", "main"])
def test_a_disabled_plugin_is_never_imported_and_stays_in_the_list(site: Any, tmp_path: Path, name: str) -> None:
    """Disabling goes by distribution in any spelling, by both names, or by a bare one that fits one plugin."""
    module = site.add("acme-off", "raise RuntimeError('imported')")
    builder, found = configured(tmp_path, f'[plugins]\ndisable = ["{name}"]\n')
    builder.build()
    assert module not in sys.modules
    assert status(builder, "acme-off:main") == ("disabled", "disabled by the configuration")
    assert not found


@pytest.mark.parametrize("key", ["disable", "require"])
def test_a_bare_name_that_fits_several_plugins_is_an_error_that_names_them(
    site: Any, tmp_path: Path, key: str
) -> None:
    """A bare entry-point name of two distributions is refused, and both are named."""
    site.add("acme-one", sections())
    site.add("acme-two", sections())
    with pytest.raises(ConfigError, match=f"{key}.*'main' fits several plugins: acme-one:main, acme-two:main"):
        configured(tmp_path, f'[plugins]\n{key} = ["main"]\n')


def test_a_bare_name_of_the_layers_that_fits_several_is_an_error(site: Any, tmp_path: Path) -> None:
    """No layer is granted by a name that could be another plugin's."""
    site.add("acme-one", sections())
    site.add("acme-two", sections())
    with pytest.raises(ConfigError, match="acme-one:main, acme-two:main"):
        configured(tmp_path, '[plugins.layers]\nmain = ["project"]\n')


@pytest.mark.parametrize("toml", ['[plugins]\ndisable = ["acme-citation"]\n', '[plugins.layers]\nacme-citation = []\n'])
def test_an_unknown_plugin_is_diagnosed_with_the_nearest(site: Any, tmp_path: Path, toml: str) -> None:
    """A misspelt name in ``disable`` or ``layers`` is a warning that names the nearest plugin."""
    site.add("acme-citations", sections())
    builder, found = configured(tmp_path, toml)
    builder.build()
    assert [(one.code, one.severity) for one in found] == [("FW035", "warning")]
    assert "did you mean 'acme-citations'?" in str(found[0])


def test_an_unknown_preference_is_said_where_it_matters(site: Any, tmp_path: Path) -> None:
    """A conflict that ``prefer`` was to decide, and does not because its name fits nobody, says so."""
    site.add("acme-twins", sections("Section('acme-twins.style', 'One.')", "Section('acme-twins.style', 'Two.')"))
    builder, found = configured(tmp_path, '[prefer]\n"acme-twins.style" = "acme-twin"\n')
    builder.build()
    assert [one.code for one in found] == ["FW021"]
    assert "'acme-twin'" in str(found[0])


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("acme-absent", None),
        ("acme-present", "1 / 0"),
        ("acme-present", "raise SystemExit"),
        ("acme-present", "@hookimpl\ndef foreword_sections(context=None):\n    return []\n"),
        ("acme-present", "@hookimpl\ndef foreword_sections(context):\n    raise ValueError('no')\n"),
        ("acme-present", "@hookimpl\ndef foreword_variables():\n    return 3\n"),
    ],
)
def test_a_required_plugin_that_does_not_work_fails_the_build(
    site: Any, tmp_path: Path, name: str, source: str | None
) -> None:
    """A required plugin that is absent, did not load or did not work makes the build raise, strict or not."""
    if source is not None:
        site.add(name, source)
    builder, _ = configured(tmp_path, f'[plugins]\nrequire = ["{name}"]\n')
    with pytest.raises(BuildError) as raised:
        builder.build()
    assert [one.code for one in raised.value.diagnostics] == ["FW036"]
    assert name in str(raised.value)
    assert raised.value.prompt is not None


def test_a_required_plugin_that_works_lets_the_build_through(site: Any, tmp_path: Path) -> None:
    """``require`` with plugins in order changes nothing."""
    site.add("acme-present", sections("Section('acme-present.style', 'Here.')"))
    builder, found = configured(tmp_path, '[plugins]\nrequire = ["acme-present", "builtin"]\n')
    assert "acme-present.style" in [section.id for section in builder.build().sections]
    assert not found


def test_an_absent_required_plugin_is_named_with_the_nearest(site: Any, tmp_path: Path) -> None:
    """The message about a required plugin that is not installed proposes one that is."""
    site.add("acme-citations", sections())
    builder, _ = configured(tmp_path, '[plugins]\nrequire = ["acme-citation"]\n')
    with pytest.raises(BuildError, match=r"is not installed.*did you mean 'acme-citations'"):
        builder.build()


def test_an_essential_source_cannot_be_disabled(tmp_path: Path) -> None:
    """What is required refuses to be disabled, with a message that names it."""
    with pytest.raises(ConfigError, match="foreword:builtin is required, so it cannot be disabled"):
        configured(tmp_path, '[plugins]\nrequire = ["builtin"]\ndisable = ["foreword"]\n')


def test_the_build_fails_where_the_plugin_of_a_required_section_is_disabled(tmp_path: Path) -> None:
    """Without the packaged templates there is no safety section, and no prompt without it."""
    builder, _ = configured(tmp_path, '[plugins]\ndisable = ["builtin"]\n')
    with pytest.raises(BuildError, match="required section 'safety'"):
        builder.build()


# -- strict ----------------------------------------------------------------------------------------


def test_strict_raises_once_with_all_failures(site: Any) -> None:
    """Under ``strict`` every plugin problem stands in one ExceptionGroup, each naming its plugin."""
    site.add("acme-import", "import nothing_of_that_name")
    site.add("acme-raise", "@hookimpl\ndef foreword_sections():\n    raise ValueError('no')\n")
    site.add("acme-type", sections("3"))
    builder, found = default()
    with pytest.raises(ExceptionGroup) as raised:
        builder.build(strict=True)
    said = [str(one) for one in raised.value.exceptions]
    assert len(said) == len(found) == 3
    for name in ("acme-import:main 1.0", "acme-raise:main 1.0", "acme-type:main 1.0"):
        assert sum(name in one for one in said) == 1
    notes = "".join(note for one in raised.value.exceptions for note in getattr(one, "__notes__", []))
    assert "Traceback" in notes
    assert "module_of_acme_raise.py" in notes


def test_an_error_that_nobody_asked_for_is_warned_about_once(site: Any) -> None:
    """Without ``on_diagnostic`` a broken plugin is a warning, once in the life of the builder."""
    site.add("acme-import", "import nothing_of_that_name")
    builder = Builder()
    with pytest.warns(ForewordWarning, match="acme-import:main 1.0") as caught:
        prompts = [builder.build() for _ in range(2)]
    assert len(caught) == 1
    assert prompts[0].text == prompts[1].text


# -- layers ----------------------------------------------------------------------------------------


def test_an_edit_that_names_a_layer_not_granted_is_refused(site: Any) -> None:
    """A plugin cannot raise itself into another layer; the section stays as it was."""
    site.add("acme-climb", sections("Edit('conversation_rules', 'Mine.', mode='replace', layer='session')"))
    builder, found = default()
    prompt = builder.build()
    assert prompt.section("conversation_rules").layer == "builtin"
    assert [(one.code, one.section, one.provider) for one in found] == [
        ("FW020", "conversation_rules", "acme-climb:main 1.0")
    ]
    assert "may not write in layer session, only in extension" in str(found[0])
    assert "[plugins.layers]" in str(found[0])


def test_a_granted_layer_counts_and_no_other(site: Any, tmp_path: Path) -> None:
    """``[plugins.layers]`` lets a plugin write in that layer, and in none beside it."""
    site.add(
        "acme-grant",
        sections(
            "Edit('conversation_rules', 'Granted.', mode='replace', layer='project')",
            "Edit('tool_usage', 'Not granted.', mode='replace', layer='agent')",
            "Section('acme-grant.style', 'Own.')",
        ),
    )
    builder, found = configured(tmp_path, '[plugins.layers]\nacme-grant = ["project"]\n')
    prompt = builder.build()
    assert prompt.section("conversation_rules").text == "Granted."
    assert prompt.section("conversation_rules").provider == "acme-grant:main 1.0"
    assert prompt.section("conversation_rules").layer == "project"
    assert prompt.section("tool_usage").layer == "builtin"
    assert prompt.section("acme-grant.style").layer == "extension"
    assert [one.section for one in found] == ["tool_usage"]


def test_two_entry_points_of_one_distribution_get_their_layers_apart(site: Any, tmp_path: Path) -> None:
    """A layer granted to ``distribution:entry-point`` is not its sibling's."""
    source = """
    class Plugin:
        def __init__(self, id):
            self.id = id
        @hookimpl
        def foreword_sections(self):
            return [Edit(self.id, "Mine.", mode="replace", layer="project")]
    one = Plugin("conversation_rules")
    two = Plugin("tool_usage")
    """
    module = "module_of_acme_pair"
    site.add("acme-pair", source, entry_points={"one": f"{module}:one", "two": f"{module}:two"})
    builder, found = configured(tmp_path, '[plugins.layers]\n"acme-pair:one" = ["project"]\n')
    prompt = builder.build()
    assert prompt.section("conversation_rules").text == "Mine."
    assert prompt.section("tool_usage").layer == "builtin"
    assert [(one.code, one.provider) for one in found] == [("FW020", "acme-pair:two 1.0")]


def test_a_plugin_cannot_say_who_it_is(site: Any) -> None:
    """Provider, version and layer are stamped by the host, whatever a section of a plugin claims."""
    site.add("acme-forge", sections("Section('acme-forge.style', 'x', provider='foreword:builtin')"))
    site.add("acme-plain", sections("Section('acme-plain.style', 'x')"), version="2.0")
    builder, found = default()
    prompt = builder.build()
    step = prompt.section("acme-plain.style").provenance[0]
    assert (step.edit.provider.name, step.edit.provider.version, step.edit.layer) == (
        "acme-plain:main",
        "2.0",
        "extension",
    )
    assert str(step.edit.place) == "code"
    assert [(one.code, one.provider) for one in found] == [("FW034", "acme-forge:main 1.0")]


# -- whose id --------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["identity", "custom_mine", "acme-other.style", "acme-ids", "acme-idsx.style"])
def test_a_plugin_defines_only_ids_of_its_own_prefix(site: Any, id: str) -> None:
    """A plugin's section with a foreign or bare id is refused, and the message names the prefix."""
    site.add("acme-ids", sections(f"Section({id!r}, 'Mine.')", "Section('acme-ids.style', 'Own.')"))
    builder, found = default()
    prompt = builder.build()
    assert "Mine." not in prompt.text
    assert prompt.section("acme-ids.style").text == "Own."
    assert [one.code for one in found] == ["FW020"]
    assert "'acme-ids.'" in str(found[0])
    assert "acme-ids:main 1.0" in str(found[0])


def test_a_plugin_cannot_touch_a_locked_section(site: Any) -> None:
    """What the policy locks stays as it is, in any mode, and the message says by which rule."""
    site.add("acme-ids", sections("Section('safety', 'Mine.')", "Edit('safety', 'Mine.', mode='append')"))
    builder, found = default()
    assert "Mine." not in builder.build().text
    assert [(one.code, one.provider) for one in found] == [("FW020", "acme-ids:main 1.0")]
    assert "[sections.safety] editable_by" in str(found[0])


def test_a_policy_may_let_extensions_edit_a_section(site: Any, tmp_path: Path) -> None:
    """An edit of a built-in section by a plugin counts where ``editable_by`` names the layer."""
    site.add("acme-edit", sections("Edit('tool_usage', 'Added.', mode='append')"))
    builder, found = configured(tmp_path, '[sections.tool_usage]\neditable_by = ["builtin", "extension"]\n')
    assert builder.build().section("tool_usage").text.endswith("\n\nAdded.")
    assert not found


def test_two_plugins_with_one_id_conflict_and_none_applies(site: Any, tmp_path: Path) -> None:
    """Where two distributions replace one section the layer below stands, and both are named with versions."""
    site.add("acme-one", sections("Section('tool_usage', 'One.')"), version="1.1")
    site.add("acme-two", sections("Section('tool_usage', 'Two.')"), version="2.2")
    allowed = '[sections.tool_usage]\neditable_by = ["builtin", "extension"]\n'
    builder, found = configured(tmp_path, allowed)
    prompt = builder.build()
    assert prompt.section("tool_usage").layer == "builtin"
    assert [one.code for one in found] == ["FW021"]
    assert "acme-one:main 1.1 and acme-two:main 2.2" in str(found[0])
    outcomes = {step.edit.provider.distribution: step.outcome for step in prompt.section("tool_usage").provenance}
    assert outcomes == {"foreword": "applied", "acme-one": "conflict", "acme-two": "conflict"}

    builder, found = configured(tmp_path, allowed + '[prefer]\ntool_usage = "acme-two"\n')
    prompt = builder.build()
    assert prompt.section("tool_usage").text == "Two."
    assert not [one for one in found if one.severity == "error"]
