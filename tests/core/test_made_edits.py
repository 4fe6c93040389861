"""Edits of files: what is made without a check is an edit like any other."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.core.test_properties import ALWAYS

from foreword import Edit, MarkdownFile
from foreword._diagnostics import Diagnostic, Place
from foreword._layers import LAYERS
from foreword._model import MODES, made
from foreword.files._reader import Reader
from foreword.files._roots import Root
from foreword.markdown._front_matter import When

PLACE = Place("code", 1)
WHEN = {"agents": ["ada"], "variables": {"x": "1"}}

words = st.sampled_from(["one", "tool_usage", "# H\n\nunder", "Überschrift", ""])
some = st.none() | words
EDITS = st.fixed_dictionaries(
    {
        "id": words,
        "text": words,
        "title": some,
        "priority": st.none() | st.integers(-9999, 9999),
        "default_title": some,
        "default_priority": st.none() | st.integers(-9999, 9999),
        "mode": st.none() | st.sampled_from(MODES),
        "heading": some,
        "template": st.sampled_from([None, "names", "jinja"]),
        "layer": st.none() | st.sampled_from(LAYERS),
        "when": st.none() | st.just(When.model_validate(WHEN)),
        "base": some,
        "copy_of_below": st.booleans(),
        "literal": st.booleans(),
        "findings": st.sampled_from([(), (Diagnostic("FW010", "error", "why", PLACE, "", None, None),)]),
    }
)


def in_their_order(fields: dict[str, object], file: MarkdownFile | None) -> dict[str, object]:
    """All fields of an edit, in the order in which its model has them."""
    given = {**fields, "file": file}
    return {name: given[name] for name in Edit.model_fields}


@given(EDITS, words, st.booleans())
@settings(ALWAYS, max_examples=300)
def test_an_edit_of_a_file_is_an_edit_like_any_other(fields: dict[str, object], other: str, has_file: bool) -> None:
    """What is made without a check is in no way different from what the public constructor makes of the same."""
    file = MarkdownFile(Root("r", "/r"), "a.md", "r/a.md", None, None, (1, 2)) if has_file else None
    quick = made(in_their_order(fields, file))
    checked = Edit(**fields, file=file)  # type: ignore[arg-type]
    assert quick == checked
    assert checked == quick
    assert type(quick) is Edit
    assert repr(quick) == repr(checked)
    assert quick.model_fields_set == checked.model_fields_set
    assert quick.model_dump() == checked.model_dump()
    assert quick.model_dump_json(exclude_unset=True) == checked.model_dump_json(exclude_unset=True)
    assert vars(quick) == vars(checked)
    assert list(vars(quick)) == list(vars(checked))
    copy, expected = (edit.model_copy(update={"text": other, "mode": "define"}) for edit in (quick, checked))
    assert copy == expected
    assert copy.model_fields_set == expected.model_fields_set
    assert (quick.text, quick.mode) == (fields["text"], fields["mode"])
    deep, expected = (edit.model_copy(deep=True) for edit in (quick, checked))
    assert (deep == quick) is (expected == checked)
    if not has_file:
        assert pickle.loads(pickle.dumps(quick)) == checked
        assert Edit.model_validate(quick.model_dump() | {"findings": quick.findings}) == checked
    for edit in (quick, checked):
        for name in ("text", "mode", "nothing"):
            with pytest.raises(ValidationError):
                setattr(edit, name, "x")
        with pytest.raises(ValidationError):
            del edit.text


@given(EDITS)
@settings(ALWAYS, max_examples=50)
def test_copies_of_edits_share_no_field_set(fields: dict[str, object]) -> None:
    """What one edit is told to have been given does not show in another."""
    one, other = made(in_their_order(fields, None)), made(in_their_order(fields, None))
    before = set(other.model_fields_set)
    one.model_copy(update={"text": "x"}).model_copy(update={"mode": "define"})
    assert other.model_fields_set == one.model_fields_set == before


def test_a_file_gives_the_same_edit_and_never_changes(tmp_path: Path) -> None:
    """For the same arguments a file's edit is the same object, and nothing of either can be set or deleted."""
    (tmp_path / "rules.md").write_text("---\nmode: append\ntitle: T\n---\none")
    (file,) = Reader().read_directory(Root("r", str(tmp_path))).files
    edit = file.edit()
    assert file.edit() is edit
    assert file.edit(layer="override") is not edit
    assert file.edit(layer="override") is file.edit(layer="override")
    like = Edit(**vars(edit))
    assert (edit.id, edit.text, edit.mode, edit.title) == ("custom_rules", "one", "append", "T")
    assert (edit, repr(edit), edit.model_fields_set) == (like, repr(like), like.model_fields_set)
    for name in ("document", "error", "name", "place", "root", "size", "identity"):
        with pytest.raises(AttributeError):
            setattr(file, name, None)
        with pytest.raises(AttributeError):
            delattr(file, name)
    copy = pickle.loads(pickle.dumps(file))
    assert (copy.name, copy.text, copy.front_matter, copy.identity) == (
        file.name,
        file.text,
        file.front_matter,
        file.identity,
    )
    assert copy.edit().text == "one"
