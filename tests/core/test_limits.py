"""Limits: what is too much is refused from the end, and only what is not the operator's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import Builder, Diagnostic, Edit, Section
from foreword.config._config import load
from foreword.config._settings import Settings


def configured(tmp_path: Path, text: str) -> Settings:
    """Return the settings of a file with this text."""
    (tmp_path / "foreword.toml").write_text(text)
    return load(tmp_path / "foreword.toml")


def builder(settings: Settings, found: list[Diagnostic]) -> Builder:
    """Return a builder of first-party sources that collects what it has to say."""
    return Builder(settings=settings, plugins=False, on_diagnostic=found.append)


def test_the_prompts_limit_refuses_untrusted_sections_from_the_end(tmp_path: Path) -> None:
    """Over the limit of the prompt, untrusted sections go, the last first, and the operator's stay."""
    found: list[Diagnostic] = []
    plain = builder(Settings(), found).build()
    size = sum(len(section.text.encode()) for section in plain.sections)
    settings = configured(tmp_path, f"[limits]\nprompt = {size + 150}\n")
    untrusted = [Section(f"x{number}", "y" * 100) for number in range(3)]

    prompt = builder(settings, found).build(untrusted=untrusted)

    assert [section.id for section in prompt.sections if section.layer == "extension"] == ["x0"]
    assert {item.section for item in found if item.code == "FW029"} == {"x1", "x2"}
    assert prompt.text.startswith(plain.text)


def test_a_limit_never_touches_what_the_operator_gives(tmp_path: Path) -> None:
    """A limit that the operator's own texts pass refuses nothing of them and raises nothing."""
    found: list[Diagnostic] = []
    settings = configured(tmp_path, "[limits]\nprompt = 10\n")

    prompt = builder(settings, found).build(edits=[Section("own", "z" * 500)])

    assert "own" in [section.id for section in prompt.sections]
    assert found == []


def test_a_layers_limit_counts_that_layer_only(tmp_path: Path) -> None:
    """The limit of a layer refuses texts of that layer until they fit together."""
    found: list[Diagnostic] = []
    settings = configured(tmp_path, "[limits.extension]\nlayer = 250\n")
    untrusted = [Section(f"x{number}", "y" * 100) for number in range(4)]

    prompt = builder(settings, found).build(untrusted=untrusted)

    assert [section.id for section in prompt.sections if section.layer == "extension"] == ["x0", "x1"]


def test_a_sections_limit_refuses_one_text(tmp_path: Path) -> None:
    """A text over its layer's limit is refused, and the others stand."""
    found: list[Diagnostic] = []
    settings = configured(tmp_path, "[limits.extension]\nsection = 50\n")

    prompt = builder(settings, found).build(untrusted=[Section("long", "y" * 51), Section("short", "y" * 50)])

    assert [section.id for section in prompt.sections if section.layer == "extension"] == ["short"]
    assert [item.code for item in found] == ["FW029"]


def test_a_files_limit_is_that_of_its_layer(tmp_path: Path) -> None:
    """A file over the limit of its layer has failed, and is named with both numbers."""
    found: list[Diagnostic] = []
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "BIG.md").write_text("y" * 101)
    settings = configured(tmp_path, 'prompts_dir = "prompts"\n[limits.project]\nfile = 100\n')

    prompt = builder(settings, found).build()

    assert "custom_big" not in [section.id for section in prompt.sections]
    assert [(item.code, "101" in item.message) for item in found] == [("FW005", True)]


def test_a_layer_uses_only_the_variables_it_is_allowed(tmp_path: Path) -> None:
    """A variable that the policy keeps from a layer is none there, and one in the others."""
    found: list[Diagnostic] = []
    settings = configured(tmp_path, "[limits.extension]\nvariables = []\n")

    prompt = builder(settings, found).build(
        variables={"channel": "slack"},
        untrusted=[Section("theirs", "on {{ channel }}")],
        edits=[Section("mine", "on {{ channel }}")],
    )

    assert prompt.section("theirs").text == "on {{ channel }}"
    assert prompt.section("mine").text == "on slack"


def test_a_layer_uses_only_the_template_modes_it_is_allowed(tmp_path: Path) -> None:
    """An operator layer to which jinja is not allowed refuses a jinja edit."""
    found: list[Diagnostic] = []
    settings = configured(tmp_path, '[limits.session]\ntemplates = ["names"]\n')

    prompt = builder(settings, found).build(edits=[Edit("mine", "{{ 'x' }}", template="jinja")])

    assert "mine" not in [section.id for section in prompt.sections]
    assert [item.code for item in found] == ["FW018"]


def test_jinja_can_not_be_allowed_to_an_untrusted_layer(tmp_path: Path) -> None:
    """A configuration that would let the agent write jinja templates is refused."""
    with pytest.raises(Exception, match="templates"):
        configured(tmp_path, '[limits.memory]\ntemplates = ["jinja"]\n')


@given(st.lists(st.integers(1, 60), max_size=12), st.integers(1, 300))
def test_what_stands_fits(sizes: list[int], most: int) -> None:
    """After any refusals the untrusted texts that stand never pass the limit of their layer."""
    limits = Settings().limits
    extension = limits.extension.model_copy(update={"layer": most})
    settings = Settings().model_copy(update={"limits": limits.model_copy(update={"extension": extension})})
    untrusted = [Section(f"x{number:02}", "y" * size) for number, size in enumerate(sizes)]

    prompt = builder(settings, []).build(untrusted=untrusted)

    standing = [len(section.text) for section in prompt.sections if section.layer == "extension"]
    assert sum(standing) <= most
    assert len(standing) == len(sizes) or sum(sizes) > most
