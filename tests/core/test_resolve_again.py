"""What is taken over from before is what would be made anew: resolutions, and the edits of files."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.core.test_properties import ALWAYS, CASES, IDS, TEXTS, TITLES, Case, everything

from foreword import Edit, MarkdownFile
from foreword._diagnostics import Diagnostic, Place
from foreword._layers import LAYERS
from foreword._model import MODES, made
from foreword._policy import Policy
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import Resolution, resolve, resolve_changed
from foreword.files._reader import Reader
from foreword.files._roots import Root
from foreword.markdown._front_matter import When

PROVIDER = Provider("acme", "1.0", "main")
PLACE = Place("code", 1)
WHEN = {"agents": ["ada"], "variables": {"x": "1"}}

# -- resolutions -----------------------------------------------------------------------------------


def others(edits: Sequence[PreparedEdit], chance: random.Random) -> list[PreparedEdit]:
    """Other edits of which many are the very same objects."""
    kept = [edit for edit in edits if chance.random() < 0.85]
    for place, edit in enumerate(kept):
        if chance.random() < 0.25:
            kept[place] = changed(edit, chance)
    # As a source gives them, no two edits have the same position.
    free = max([edit.position for edit in edits], default=0) + 1
    more = [edit for edit in edits if chance.random() < 0.1]
    kept += [changed(edit, chance)._replace(position=free + count) for count, edit in enumerate(more)]
    chance.shuffle(kept)
    return kept


def changed(edit: PreparedEdit, chance: random.Random) -> PreparedEdit:
    """An edit that differs in one thing, or an equal one that is another object."""
    text = chance.choice(TEXTS)
    return chance.choice(
        [
            edit._replace(text=text, raw=text, opens=True),
            edit._replace(title=chance.choice(TITLES)),
            edit._replace(default_title=chance.choice(TITLES)),
            edit._replace(priority=chance.choice((None, 1, 500))),
            edit._replace(id=chance.choice(IDS)),
            edit._replace(verdict=chance.choice((None, "failed"))),
            edit._replace(),
        ]
    )


def told(resolution: Resolution) -> object:
    """Everything that a resolution holds, in its order."""
    return everything(resolution), resolution.reserved


def test_an_earlier_resolution_changes_nothing() -> None:
    """Edits come to the same whichever resolution under the same policy is given as the earlier one."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=500)
    def check(case: Case) -> None:
        edits, policy, chance = case
        earlier = resolve(edits, policy)
        for _ in range(5):
            edits = others(edits, chance)
            anew = resolve(edits, policy)
            again = resolve(edits, policy, earlier)
            assert again == anew
            assert told(again) == told(anew)
            count(seen, again, earlier)
            if chance.random() < 0.7:
                earlier = again

    check()
    enough(seen)


def test_a_changed_resolution_is_that_of_the_changed_edits() -> None:
    """Taking edits away and adding others comes to what all that are then there come to, over and over."""
    seen: Counter[str] = Counter()

    @given(CASES)
    @settings(ALWAYS, max_examples=500)
    def check(case: Case) -> None:
        edits, policy, chance = case
        now = list(edits)
        resolution = resolve(now, policy)
        for _ in range(5):
            if chance.random() < 0.4 and now:
                place = chance.randrange(len(now))
                after = [*now[:place], changed(now[place], chance), *now[place + 1 :]]
            else:
                after = others(now, chance)
            gone = [edit for edit in now if not is_among(edit, after)]
            come = [edit for edit in after if not is_among(edit, now)]
            before = told(resolution)
            later = resolve_changed(resolution, gone, come, policy)
            anew = resolve(after, policy)
            assert later == anew
            assert told(later) == told(anew)
            assert told(resolution) == before
            count(seen, later, resolution)
            seen["in place"] += later.of is not None
            if chance.random() < 0.7:
                resolution, now = later, after

    check()
    enough(seen)
    assert seen["in place"] > 100


def is_among(edit: PreparedEdit, edits: Sequence[PreparedEdit]) -> bool:
    """Whether this very object is among them."""
    return any(edit is other for other in edits)


def count(seen: Counter[str], later: Resolution, earlier: Resolution) -> None:
    """Count what of an earlier resolution was taken over, and what for the sake of titles was not."""
    before = earlier.folded
    for key, one in later.folded.items():
        old = before.get(key)
        if old is one:
            seen["taken over"] += 1
        elif old is not None and one.strange and old.reserved != one.reserved:
            same = len(old.edits) == len(one.edits) and all(map(is_among, old.edits, [one.edits] * len(old.edits)))
            seen["other titles"] += same
            seen["titled otherwise"] += same and old.section != one.section


def enough(seen: Counter[str]) -> None:
    """Check that what the property is about came about."""
    assert seen["taken over"] > 1000
    assert seen["other titles"] > 20
    assert seen["titled otherwise"] > 2


def test_a_title_that_becomes_reserved_or_free_is_seen_by_strangers() -> None:
    """A stranger's section takes another title when an edit of another section reserves its own, and has it back."""
    policy = Policy({}, {}, {})
    operator = PreparedEdit("a", "project", "plain", PROVIDER, PLACE, text="one", raw="one", title="Rules")
    stranger = PreparedEdit(
        "acme.x", "extension", "plain", PROVIDER, PLACE, text="two", raw="two", title="House Rules", trusted=False
    )
    free = resolve([operator, stranger], policy)
    taken_edit = operator._replace(title="House Rules")
    taken = resolve([taken_edit, stranger], policy)
    titles = [[one.title for one in resolution.sections if one.id == "acme.x"] for resolution in (free, taken)]
    assert titles[0] == ["House Rules"]
    assert titles[1] != titles[0]
    for earlier, edits, anew in (
        (free, [taken_edit, stranger], taken),
        (taken, [operator, stranger], free),
        (taken, [stranger], resolve([stranger], policy)),
    ):
        assert told(resolve(edits, policy, earlier)) == told(anew)
    assert told(resolve_changed(free, [operator], [taken_edit], policy)) == told(taken)
    assert told(resolve_changed(taken, [taken_edit], [operator], policy)) == told(free)


# -- edits of files ---------------------------------------------------------------------------------

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
