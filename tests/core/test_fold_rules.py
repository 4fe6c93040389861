"""The rules by which the edits of one section are laid over one another."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, permutations
from typing import Any

import pytest

from foreword._diagnostics import Place
from foreword._fold import Fold
from foreword._policy import DEFAULT_POLICY, Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolution import Resolution
from foreword._resolve import resolve
from foreword._standing import text_hash
from foreword._text import join

FREE = Policy()
_POSITIONS = count()

DOCUMENT = """\
Intro

# One

1

## Inner

1a

# Two

2"""


def edit(layer: str, text: str = "", mode: str = "plain", *, by: str = "acme", **given: Any) -> PreparedEdit:
    """An edit of section ``a`` as preparation would give it."""
    values: dict[str, Any] = {
        "id": "a",
        "layer": layer,
        "mode": mode,
        "provider": Provider(by, "1.0", "main"),
        "place": Place("code"),
        "position": next(_POSITIONS),
        "text": text,
        "raw": text,
        "trusted": layer not in ("extension", "memory", "override"),
    }
    return PreparedEdit(**{**values, **given})


def base(text: str = "base", **given: Any) -> PreparedEdit:
    """The definition of section ``a`` in layer builtin."""
    return edit("builtin", text, by="foreword", **given)


def resolved(*edits: PreparedEdit, policy: Policy = FREE) -> Resolution:
    """Resolve the edits; the order in which they are given makes no difference, which is checked on the way."""
    resolution = resolve(edits, policy)
    assert resolve(reversed(edits), policy) == resolution
    return resolution


def text(resolution: Resolution) -> str | None:
    """The text of section ``a``, or None when it is not there."""
    return next((join(section.standing.spans) for section in resolution.sections if section.id == "a"), None)


def outcomes(resolution: Resolution, id: str = "a") -> list[str]:
    """The outcomes of the chain, low to high."""
    return [step.outcome for step in resolution.chains[id]]


def codes(resolution: Resolution) -> list[str]:
    """The codes of what there is to say."""
    return [diagnostic.code for diagnostic in resolution.diagnostics]


def place(resolution: Resolution) -> tuple[str | None, int]:
    """Title and priority of section ``a``."""
    (section,) = resolution.sections
    return section.title, section.priority


# -- one edit in each mode -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "given", "expected"),
    [
        ("plain", {}, "new"),
        ("replace", {}, "new"),
        ("remove", {}, None),
        ("prepend", {}, "new\n\n# H\n\nold"),
        ("append", {}, "# H\n\nold\n\nnew"),
        ("patch", {"heading": "H"}, "# H\n\nnew"),
        ("move", {"priority": 5}, "# H\n\nold"),
    ],
)
def test_mode_over_a_section(mode: str, given: dict[str, Any], expected: str | None) -> None:
    """Each mode does what its name says to the section below."""
    result = resolved(base("# H\n\nold"), edit("project", "new", mode, **given))
    assert text(result) == expected
    assert outcomes(result)[-1] == "applied"
    assert codes(result) == []


@pytest.mark.parametrize("mode", ["replace", "remove", "prepend", "append", "patch", "move"])
def test_mode_without_a_target(mode: str) -> None:
    """Without a section below, every mode but define has no target, and says so."""
    given = {"heading": "H"} if mode == "patch" else {}
    result = resolved(edit("project", "new", mode, **given))
    assert text(result) is None
    assert outcomes(result) == ["no-target"]
    assert codes(result) == ["FW023" if mode == "remove" else "FW022"]
    (said,) = result.diagnostics
    assert said.severity == ("warning" if mode == "remove" else "error")


@pytest.mark.parametrize("mode", ["plain", "define"])
def test_defining_what_is_new(mode: str) -> None:
    """An id that nobody has is defined, by a plain text and by a definition."""
    result = resolved(edit("project", "new", mode))
    assert text(result) == "new"
    assert outcomes(result) == ["applied"]


@pytest.mark.parametrize("layer", ["project", "agent", "session"])
def test_defining_what_stands(layer: str) -> None:
    """A definition of an id that stands has no target, and the text below stands."""
    result = resolved(base(), edit(layer, "new", "define"))
    assert text(result) == "base"
    assert outcomes(result) == ["applied", "no-target"]
    assert codes(result) == ["FW022"]


def test_a_plugin_never_replaces_by_defining() -> None:
    """The section of a plugin only defines: over one that stands it has no target."""
    result = resolved(base(), edit("extension", "new"))
    assert text(result) == "base"
    assert outcomes(result) == ["applied", "no-target"]
    assert "foreword:main" in result.diagnostics[0].message


def test_a_plugin_replaces_where_the_operator_lets_it() -> None:
    """Where the policy names layer extension as an editor, a plugin's section replaces."""
    policy = Policy(sections={"a": SectionRule(editable_by=frozenset({"extension"}))})
    result = resolved(base(), edit("extension", "new", own=False), policy=policy)
    # The policy names only extension, so the packaged text itself is refused, and this one defines.
    assert text(result) == "new"
    policy = Policy(sections={"a": SectionRule(editable_by=frozenset({"builtin", "extension"}))})
    result = resolved(base(), edit("extension", "new", own=False), policy=policy)
    assert text(result) == "new"
    assert outcomes(result) == ["shadowed", "applied"]


@pytest.mark.parametrize("mode", ["replace", "remove", "prepend", "append", "patch", "move"])
@pytest.mark.parametrize("own", [True, False])
def test_a_plugin_only_defines(mode: str, own: bool) -> None:
    """In layer extension every mode but define is refused."""
    result = resolved(base("# H"), edit("extension", "new", mode, heading="H", own=own))
    assert outcomes(result) == ["applied", "refused"]
    assert text(result) == "# H"
    assert codes(result) == ["FW020"]


def test_a_plugin_defines_only_its_own_ids() -> None:
    """A plugin's definition of an id without its prefix is refused, and the reason names the prefix."""
    result = resolved(edit("extension", "new", own=False))
    assert outcomes(result) == ["refused"]
    assert "'acme.'" in result.diagnostics[0].message


def test_removed_sections_may_be_defined_again() -> None:
    """What one layer removed a higher one may define, with a place of its own."""
    result = resolved(
        base(priority=100),
        edit("project", mode="remove"),
        edit("agent", "again", default_priority=700, default_title="T"),
    )
    assert text(result) == "again"
    assert place(result) == ("T", 700)
    assert outcomes(result) == ["shadowed", "applied", "applied"]
    assert result.sections[0].definer.layer == "agent"


def test_removing_makes_everything_below_void() -> None:
    """A removal shadows what stood, moves among it, and leaves nothing behind."""
    result = resolved(
        base(),
        edit("project", "more", "append"),
        edit("agent", mode="move", priority=3),
        edit("session", mode="remove"),
    )
    assert result.sections == ()
    assert outcomes(result) == ["shadowed", "shadowed", "shadowed", "applied"]


def test_replacing_makes_texts_void_and_keeps_moves() -> None:
    """A replacement shadows the texts below it, but a move below it still holds."""
    result = resolved(
        base(),
        edit("project", "more", "append"),
        edit("agent", mode="move", priority=3, title="T"),
        edit("session", "new"),
    )
    assert text(result) == "new"
    assert place(result) == ("T", 3)
    assert outcomes(result) == ["shadowed", "shadowed", "applied", "applied"]
    assert "replaced by acme:main 1.0" in result.chains["a"][0].reason


# -- verdicts of preparation -----------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["failed", "refused"])
def test_edits_with_a_verdict_take_no_part(verdict: str) -> None:
    """An edit that has failed or was refused before resolution changes nothing and conflicts with nothing."""
    result = resolved(
        base(),
        edit("project", "broken", verdict=verdict, reason="why"),
        edit("project", "good"),
        edit("project", mode="move", priority=1, verdict=verdict),
    )
    assert text(result) == "good"
    assert sorted(outcomes(result)) == sorted(["shadowed", verdict, "applied", verdict])
    assert [step.reason for step in result.chains["a"] if step.edit.text == "broken"] == ["why"]


def test_refused_edits_count_in_no_conflict() -> None:
    """A policy's refusal takes an edit out before conflicts are looked for."""
    policy = Policy(sections={"a": SectionRule(editable_by=frozenset({"builtin"}), others_may=frozenset({"append"}))})
    result = resolved(base(), edit("project", "x"), edit("project", "y"), edit("project", "z", "append"), policy=policy)
    assert text(result) == "base\n\nz"
    assert sorted(outcomes(result)) == ["applied", "applied", "refused", "refused"]
    assert codes(result) == ["FW020", "FW020"]


# -- conflicts over the text -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "modes",
    [("plain", "plain"), ("plain", "remove"), ("replace", "remove"), ("define", "plain"), ("remove", "remove")],
)
def test_two_texts_in_one_layer(modes: tuple[str, str]) -> None:
    """Two edits of one layer that define, replace or remove are a conflict: none applies, and what is below stands."""
    rivals = [edit("project", f"t{number}", mode, by=f"dist{number}") for number, mode in enumerate(modes)]
    result = resolved(base(), *rivals)
    assert text(result) == "base"
    assert outcomes(result) == ["applied", "conflict", "conflict"]
    assert codes(result) == ["FW021"]
    assert "dist0:main 1.0 and dist1:main 1.0" in result.diagnostics[0].message


def test_conflict_names_both_files() -> None:
    """The message of a conflict between first-party files names the files."""
    rivals = [edit("project", name, by="foreword", place=Place(f"prompts/{name}.md", 1)) for name in ("A", "a")]
    message = resolved(*rivals).diagnostics[0].message
    assert "prompts/A.md:1 and prompts/a.md:1" in message


def test_conflict_names_file_and_plugin() -> None:
    """The message of a conflict between plugins' files names files and distributions with versions."""
    rivals = [edit("project", name, by=name, place=Place(f"{name}.md", 1)) for name in ("b", "c")]
    message = resolved(*rivals).diagnostics[0].message
    assert "b.md:1 (b:main 1.0) and c.md:1 (c:main 1.0)" in message


def test_conflict_spoils_nothing_else() -> None:
    """A conflict of one layer leaves that layer's other edits, and the layers above, as they are."""
    result = resolved(
        base(),
        edit("project", "x"),
        edit("project", "y"),
        edit("project", "z", "append"),
        edit("agent", "w", "append"),
    )
    assert text(result) == "base\n\nz\n\nw"


def test_ranks_of_one_layer_do_not_conflict() -> None:
    """The integrator's defaults stand over the packaged templates of the same layer."""
    result = resolved(base(), edit("builtin", "default", rank=1))
    assert text(result) == "default"
    assert outcomes(result) == ["shadowed", "applied"]


@pytest.mark.parametrize("choice", ["acme:main", "acme", "x.md", "prompts/x.md"])
def test_the_operator_prefers(choice: str) -> None:
    """A preference for a provider or a file decides a conflict; who lost is shadowed."""
    rivals = [
        edit("project", "chosen", place=Place("prompts/x.md", 1)),
        edit("project", "other", by="other", place=Place("prompts/y.md", 1)),
    ]
    result = resolved(base(), *rivals, policy=Policy(prefer={"a": choice}))
    assert text(result) == "chosen"
    assert sorted(outcomes(result)) == ["applied", "shadowed", "shadowed"]
    assert codes(result) == []


@pytest.mark.parametrize("choice", ["nobody", "acme", "d.md"])
def test_a_preference_that_fits_not_one_decides_nothing(choice: str) -> None:
    """A preference that names none of the rivals, or several, leaves the conflict."""
    rivals = [edit("project", f"t{number}", place=Place(f"x/{number}.md")) for number in range(2)]
    result = resolved(base(), *rivals, policy=Policy(prefer={"a": choice}))
    assert text(result) == "base"
    assert codes(result) == ["FW021"]


# -- conflicts over title and priority -------------------------------------------------------------


@pytest.mark.parametrize(("key", "values"), [("title", ("T", "U")), ("priority", (1, 2))])
def test_two_titles_or_priorities_in_one_layer(key: str, values: tuple[Any, Any]) -> None:
    """Two different titles or priorities in one layer are a conflict, and the lower layer's stands."""
    moves = [edit("project", mode="move", **{key: value}) for value in values]
    result = resolved(base(title="Low", priority=50), *moves)
    assert place(result) == ("Low", 50)
    assert outcomes(result) == ["applied", "conflict", "conflict"]
    assert codes(result) == ["FW021"]


def test_the_same_place_said_twice_is_none() -> None:
    """Two edits of one layer that give the same title and priority agree."""
    moves = [edit("project", mode="move", title="T", priority=9) for _ in range(2)]
    result = resolved(base(), *moves)
    assert place(result) == ("T", 9)
    assert outcomes(result) == ["applied", "applied", "applied"]


def test_prefer_decides_over_places_too() -> None:
    """The operator's preference decides a conflict over a priority."""
    moves = [edit("project", mode="move", priority=number, by=by) for number, by in ((1, "x"), (2, "y"))]
    result = resolved(base(), *moves, policy=Policy(prefer={"a": "y:main"}))
    assert place(result)[1] == 2
    assert codes(result) == []


def test_title_and_priority_may_come_from_two_edits() -> None:
    """One edit of a layer may give the title and another the priority."""
    result = resolved(base(), edit("project", "x", "append", title="T"), edit("project", mode="move", priority=7))
    assert place(result) == ("T", 7)
    assert text(result) == "base\n\nx"


@pytest.mark.parametrize("mode", ["plain", "replace", "patch", "prepend", "append"])
def test_texts_keep_title_and_priority(mode: str) -> None:
    """An edit of the text keeps title and priority below, whatever its own defaults are."""
    change = edit("project", "x", mode, heading="H", default_title="Other", default_priority=7)
    result = resolved(base("# H\n\nold", title="T", priority=150), change)
    assert place(result) == ("T", 150)


@pytest.mark.parametrize("mode", ["plain", "replace", "patch", "prepend", "append", "move"])
def test_explicit_title_and_priority_change_them(mode: str) -> None:
    """An explicit title and priority hold, in whatever mode they are given."""
    change = edit("project", "x", mode, heading="H", title="New", priority=-5)
    result = resolved(base("# H\n\nold", title="T", priority=150), change)
    assert place(result) == ("New", -5)


def test_an_empty_title_takes_the_title_away() -> None:
    """An operator's empty title leaves the section without one."""
    assert place(resolved(base(title="T"), edit("project", mode="move", title=""))) == (None, 900)
    assert place(resolved(base(title="", default_title="T"))) == (None, 900)


def test_an_agents_empty_title_changes_nothing() -> None:
    """An agent cannot take a title away."""
    assert place(resolved(base(title="T"), edit("memory", "x", title=""))) == ("T", 900)


# -- windows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "asked", "stands"),
    [
        ("memory", 1, 500),
        ("memory", 499, 500),
        ("memory", 500, 500),
        ("memory", 999, 999),
        ("memory", 1000, 999),
        ("extension", 299, 300),
        ("project", -5, -5),
    ],
)
def test_windows_hold_definitions(layer: str, asked: int, stands: int) -> None:
    """A definition outside its layer's window stands at the nearest edge, with a warning."""
    for given in ({"priority": asked}, {"default_priority": asked}):
        result = resolved(edit(layer, "x", **given), policy=DEFAULT_POLICY)
        assert result.sections[0].priority == stands
        assert codes(result) == ([] if asked == stands else ["FW024"])


def test_windows_hold_explicit_priorities() -> None:
    """An explicit priority of an edit is held in the window of the edit's own layer."""
    result = resolved(base(priority=100), edit("override", mode="move", priority=10), policy=DEFAULT_POLICY)
    assert result.sections[0].priority == 500
    assert [(one.code, one.severity) for one in result.diagnostics] == [("FW024", "warning")]


def test_windows_do_not_move_what_is_only_edited() -> None:
    """A text of the agent's over an operator's section leaves it where it is, outside the agent's window."""
    result = resolved(base(priority=100), edit("memory", "mine"), policy=DEFAULT_POLICY)
    assert (text(result), result.sections[0].priority) == ("mine", 100)
    assert codes(result) == []


# -- patches ---------------------------------------------------------------------------------------


def patched(document: str, *patches: tuple[str, str], layer: str = "project") -> Resolution:
    """A document with the text under some headings exchanged."""
    return resolved(base(document), *(edit(layer, new, "patch", heading=heading) for heading, new in patches))


def test_patch_runs_to_the_next_heading_of_its_level() -> None:
    """A patch exchanges all under its heading, deeper headings included, and nothing after them."""
    assert text(patched(DOCUMENT, ("One", "new"))) == "Intro\n\n# One\n\nnew\n\n# Two\n\n2"


def test_patch_of_a_deeper_heading() -> None:
    """A patch of a deeper heading ends at a heading of a higher level."""
    assert text(patched(DOCUMENT, ("Inner", "new"))) == DOCUMENT.replace("1a", "new")


def test_patch_of_the_last_heading() -> None:
    """The text under the last heading runs to the end."""
    assert text(patched(DOCUMENT, ("Two", "new\n\nlines"))) == DOCUMENT[:-1] + "new\n\nlines"


def test_patch_under_a_heading_without_text() -> None:
    """Under a heading that has no text the new one stands, set off by blank lines."""
    assert text(patched("# One\n# Two\n\n2", ("One", "new"))) == "# One\n\nnew\n\n# Two\n\n2"
    assert text(patched("# One\n\n\n\n# Two", ("One", "new"))) == "# One\n\nnew\n\n# Two"
    assert text(patched("# One", ("One", "new"))) == "# One\n\nnew"


def test_patch_of_a_tight_text() -> None:
    """A text that follows its heading directly is exchanged as it stands."""
    assert text(patched("# One\n1\n# Two\n2", ("One", "new"))) == "# One\nnew\n\n# Two\n2"


def test_patch_of_a_setext_heading() -> None:
    """A heading that is underlined is a heading, and its underline stays."""
    assert text(patched("One\n===\n\n1\n\nTwo\n---\n\n2", ("Two", "new"))) == "One\n===\n\n1\n\nTwo\n---\n\nnew"


def test_patch_names_the_rendered_heading() -> None:
    """A heading is named as it reads when rendered, without its marks."""
    assert text(patched("# The *one* `x` ##\n\n1", ("The one x", "new"))) == "# The *one* `x` ##\n\nnew"


@pytest.mark.parametrize(
    "document",
    ["```\n# One\n```\n\ntext", "    # One\n\ntext", "> # One\n\ntext", "~~~md\n# One\n~~~", "One\n\ntext"],
    ids=["fence", "indented", "quote", "tildes", "no heading"],
)
def test_patch_sees_no_heading_in_code(document: str) -> None:
    """What only looks like a heading, in code or in a quote, is no target."""
    result = patched(document, ("One", "new"))
    assert text(result) == document
    assert outcomes(result) == ["applied", "no-target"]
    assert codes(result) == ["FW022"]


def test_patch_skips_the_fence_and_finds_the_heading() -> None:
    """A heading in a code fence does not make the real one ambiguous, nor end its text."""
    document = "# One\n\n```\n# One\n# Two\n```\n\n# Two\n\n2"
    assert text(patched(document, ("One", "new"))) == "# One\n\nnew\n\n# Two\n\n2"


def test_patch_of_a_repeated_heading() -> None:
    """Two headings that read alike are no target, and the reason says how many there are."""
    result = patched("# One\n\n1\n\n# One\n\n2", ("One", "new"))
    assert outcomes(result) == ["applied", "no-target"]
    assert "2 times" in result.diagnostics[0].message


def test_disjoint_patches_commute() -> None:
    """Patches of different headings in one layer all apply, in whatever order they come."""
    document = "# A\n\na\n\n# B\n\nb\n\n# C\n\nc"
    patches = [edit("project", name * 3, "patch", heading=name) for name in "ABC"]
    results = {text(resolve([base(document), *order], FREE)) for order in permutations(patches)}
    assert results == {"# A\n\nAAA\n\n# B\n\nBBB\n\n# C\n\nCCC"}


def test_patches_of_siblings_that_touch() -> None:
    """Patches of neighbours apply both, though the text of the one ends where the next heading begins."""
    assert text(patched("# A\n# B", ("A", "a"), ("B", "b"))) == "# A\n\na\n\n# B\n\nb"


@pytest.mark.parametrize("pair", [("One", "One"), ("One", "Inner")])
def test_patches_in_each_others_way(pair: tuple[str, str]) -> None:
    """The same heading twice, or one inside the other, is a conflict in one layer, and neither applies."""
    result = patched(DOCUMENT, *((heading, "new") for heading in pair))
    assert text(result) == DOCUMENT
    assert outcomes(result) == ["applied", "conflict", "conflict"]
    assert codes(result) == ["FW021"]


def test_a_nested_pair_leaves_a_third_patch_alone() -> None:
    """A conflict between two patches does not touch a third one elsewhere."""
    result = patched(DOCUMENT, ("One", "x"), ("Inner", "y"), ("Two", "z"))
    assert text(result) == DOCUMENT[:-1] + "z"
    assert sorted(outcomes(result)) == ["applied", "applied", "conflict", "conflict"]


def test_prefer_decides_between_patches() -> None:
    """The operator's preference decides between two patches of one heading."""
    patches = [edit("project", by, "patch", heading="Inner", by=by) for by in ("x", "y")]
    result = resolved(base(DOCUMENT), *patches, policy=Policy(prefer={"a": "x"}))
    assert text(result) == DOCUMENT.replace("1a", "x")


def test_patches_of_two_layers_apply_in_turn() -> None:
    """A higher layer may patch inside the text that a lower layer's patch gave."""
    result = resolved(
        base(DOCUMENT),
        edit("project", "## Inner\n\nx", "patch", heading="One"),
        edit("agent", "y", "patch", heading="Inner"),
    )
    assert text(result) == "Intro\n\n# One\n\n## Inner\n\ny\n\n# Two\n\n2"
    assert outcomes(result) == ["applied", "applied", "applied"]


def test_patch_and_replacement_of_one_layer() -> None:
    """A patch works on the text that its own layer's replacement gives, whatever their order."""
    result = resolved(base("# H\n\nold"), edit("project", "z", "patch", heading="H"), edit("project", "# H\n\nnew"))
    assert text(result) == "# H\n\nz"


def test_patch_and_removal_of_one_layer() -> None:
    """When its own layer removes the section, a patch has no target."""
    result = resolved(base("# H\n\nold"), edit("project", "z", "patch", heading="H"), edit("project", mode="remove"))
    assert result.sections == ()
    assert sorted(outcomes(result)) == ["applied", "no-target", "shadowed"]


# -- prepend and append ----------------------------------------------------------------------------


def test_additions_stand_in_the_order_of_provider_file_and_position() -> None:
    """Additions of one layer are sorted by provider, then file, then position in the list."""
    additions = [
        edit("project", "4", "append", by="b", place=Place("a.md"), position=0),
        edit("project", "3", "append", by="a", place=Place("b.md"), position=1),
        edit("project", "2", "append", by="a", place=Place("a.md"), position=2),
        edit("project", "1", "append", by="a", place=Place("a.md"), position=1),
    ]
    results = {text(resolve([base(), *order], FREE)) for order in permutations(additions)}
    assert results == {"base\n\n1\n\n2\n\n3\n\n4"}


def test_additions_before_and_after() -> None:
    """Texts put before stand in the same order as those put after, each a paragraph of its own."""
    result = resolved(
        base(),
        edit("project", "p1", "prepend", by="a"),
        edit("project", "p2", "prepend", by="b"),
        edit("project", "s1", "append", by="a"),
    )
    assert text(result) == "p1\n\np2\n\nbase\n\ns1"


def test_additions_come_after_the_text_of_their_layer() -> None:
    """An addition stands by the replacement and the patch of its own layer."""
    result = resolved(
        base("# H\n\nold"),
        edit("project", "after", "append", by="a"),
        edit("project", "# H\n\nnew", by="b"),
        edit("project", "patched", "patch", heading="H", by="c"),
    )
    assert text(result) == "# H\n\npatched\n\nafter"


# -- the policy ------------------------------------------------------------------------------------

LOCKED = Policy(sections={"a": SectionRule(editable_by=frozenset({"builtin", "project"}))})


@pytest.mark.parametrize("layer", ["extension", "agent", "memory", "override", "session"])
@pytest.mark.parametrize("mode", ["plain", "replace", "remove", "patch", "prepend", "append", "move"])
def test_locked_section(layer: str, mode: str) -> None:
    """Who is not among the editors of a section changes nothing of it, in no mode."""
    given = {"heading": "H", "priority": 1, "title": "T"}
    result = resolved(base("# H\n\nold", priority=50), edit(layer, "new", mode, **given), policy=LOCKED)
    assert text(result) == "# H\n\nold"
    assert result.sections[0].priority == 50
    assert outcomes(result) == ["applied", "refused"]


def test_editors_of_a_locked_section() -> None:
    """Who is among the editors of a section edits it as any other."""
    assert text(resolved(base(), edit("project", "new"), policy=LOCKED)) == "new"


def may(*modes: str) -> Policy:
    """A policy under which only builtin edits ``a``, and others may use these modes."""
    return Policy(sections={"a": SectionRule(editable_by=frozenset({"builtin"}), others_may=frozenset(modes))})


@pytest.mark.parametrize("layer", ["extension", "project", "memory", "session"])
def test_others_may_append(layer: str) -> None:
    """A mode in ``others_may`` is open to every layer."""
    result = resolved(base(), edit(layer, "more", "append", own=False), policy=may("append"))
    assert text(result) == "base\n\nmore"


@pytest.mark.parametrize("layer", ["project", "memory"])
@pytest.mark.parametrize("given", [{"title": "T"}, {"priority": 950}, {"title": "T", "priority": 950}])
def test_others_may_append_but_not_move(layer: str, given: dict[str, Any]) -> None:
    """Who may only append may give no title or priority with it, unless moving is allowed too."""
    addition = edit(layer, "more", "append", **given)
    result = resolved(base(title="B", priority=50), addition, policy=may("append"))
    assert outcomes(result) == ["applied", "refused"]
    assert place(result) == ("B", 50)
    result = resolved(base(title="B", priority=50), addition, policy=may("append", "move"))
    assert text(result) == "base\n\nmore"
    assert place(result) == (given.get("title", "B"), given.get("priority", 50))


def test_others_may_append_but_not_take_the_title_away() -> None:
    """Who may only append may not take the title away with it."""
    addition = edit("project", "more", "append", title="")
    result = resolved(base(title="B"), addition, policy=may("append"))
    assert outcomes(result) == ["applied", "refused"]
    assert place(result)[0] == "B"


def test_others_may_move_but_not_write() -> None:
    """Who may only move a section may not write in it."""
    result = resolved(base(), edit("project", mode="move", priority=3), edit("agent", "new"), policy=may("move"))
    assert (text(result), place(result)[1]) == ("base", 3)
    assert outcomes(result) == ["applied", "applied", "refused"]


def test_others_may_replace_a_plain_text_too() -> None:
    """A plain text over a section that stands is a replacement, to the policy as well."""
    assert text(resolved(base(), edit("project", "new"), policy=may("replace"))) == "new"
    assert text(resolved(base(), edit("project", "new"), policy=may("define"))) == "base"


@pytest.mark.parametrize("layer", ["extension", "memory", "override"])
def test_required_sections_cannot_be_removed_by_the_untrusted(layer: str) -> None:
    """A third party's or an agent's removal of a required section is refused, even where it may edit it."""
    rule = SectionRule(required=True, editable_by=frozenset({"builtin", layer}))
    result = resolved(base(), edit(layer, mode="remove"), policy=Policy(sections={"a": rule}))
    assert text(result) == "base"
    assert outcomes(result) == ["applied", "refused"]
    assert result.fatal == ()


# -- untrusted= ------------------------------------------------------------------------------------


def stranger(content: str = "x", **given: Any) -> PreparedEdit:
    """A section of the argument ``untrusted=``."""
    return edit("extension", content, provider=Provider("", "", "untrusted="), exclusive=True, **given)


def test_untrusted_sections_define() -> None:
    """A section given as untrusted defines an id that nobody else has."""
    assert text(resolved(stranger())) == "x"


@pytest.mark.parametrize("layer", ["builtin", "extension", "project", "agent", "memory", "override", "session"])
def test_untrusted_sections_take_no_ones_id(layer: str) -> None:
    """A section given as untrusted whose id any other layer has is refused, above and below."""
    result = resolved(stranger("x"), edit(layer, "theirs"))
    assert text(result) == "theirs"
    assert sorted(outcomes(result)) == ["applied", "refused"]


@pytest.mark.parametrize("mode", ["append", "prepend", "move", "remove"])
def test_untrusted_sections_may_be_edited_from_above(mode: str) -> None:
    """Additions, moves and removals of an untrusted section do not take its id away."""
    result = resolved(stranger("x"), edit("project", "theirs", mode))
    assert "refused" not in outcomes(result)
    assert (text(result) is None) == (mode == "remove")


def test_untrusted_sections_conflict_among_themselves() -> None:
    """Two untrusted sections of one id are a conflict, and neither stands."""
    result = resolved(stranger("x"), stranger("y"))
    assert text(result) is None
    assert outcomes(result) == ["conflict", "conflict"]


def test_untrusted_ids_are_not_taken_by_what_has_failed() -> None:
    """An edit that has failed holds no id against an untrusted section."""
    result = resolved(stranger("x"), edit("project", "theirs", verdict="failed"))
    assert text(result) == "x"


# -- copies and bases ------------------------------------------------------------------------------


def copy(content: str, **given: Any) -> PreparedEdit:
    """An agent's copy of the text below."""
    return edit("memory", content, copy_of_below=True, **given)


def test_copy_of_the_present_text_is_no_edit() -> None:
    """A copy that equals the text below is no edit, whatever was recorded, and leaves no trace."""
    for given in ({}, {"base": text_hash("other")}):
        result = resolved(base("text"), copy("text", **given))
        assert outcomes(result) == ["applied"]
        assert result.sections[0].winner.layer == "builtin"


def test_copy_is_compared_before_rendering() -> None:
    """A copy equals the text below when both read alike before rendering."""
    below = base("I am Ada", raw="I am {{ agent_name }}")
    assert outcomes(resolved(below, copy("I am Ada", raw="I am {{ agent_name }}"))) == ["applied"]
    assert outcomes(resolved(below, copy("I am Ada", raw="I am Ada"))) == ["shadowed", "applied"]


def test_copy_with_a_place_of_its_own_is_an_edit() -> None:
    """A copy of the same text that gives a title is an edit."""
    result = resolved(base("text"), copy("text", title="T"))
    assert outcomes(result) == ["shadowed", "applied"]


def test_edited_copy_of_an_unchanged_text() -> None:
    """An edited copy of a text that is as it was replaces it."""
    result = resolved(base("text"), copy("mine", base=text_hash("text")))
    assert text(result) == "mine"
    assert outcomes(result) == ["shadowed", "applied"]
    assert codes(result) == []


def test_edited_copy_of_a_changed_text_is_stale() -> None:
    """When both have changed the copy wins, with outcome stale and a warning."""
    result = resolved(base("new"), copy("mine", base=text_hash("text")))
    assert text(result) == "mine"
    assert outcomes(result) == ["shadowed", "stale"]
    assert [(one.code, one.severity) for one in result.diagnostics] == [("FW026", "warning")]


def test_copy_is_compared_with_the_operators_text() -> None:
    """What a copy is compared with is the text of builtin, project and agent together."""
    layers = [base("# H\n\nb"), edit("project", "p", "append"), edit("agent", "x", "patch", heading="H")]
    seen = "# H\n\nx"
    result = resolved(*layers, copy(seen))
    assert text(result) == seen
    seen = "first\n\n# H\n\nb\n\np"
    layers = [base("# H\n\nb"), edit("project", "first", "prepend"), edit("project", "p", "append")]
    result = resolved(*layers, copy(seen))
    assert outcomes(result) == ["applied", "applied", "applied"]
    result = resolved(*layers, edit("override", "mine", base=text_hash(seen)))
    assert outcomes(result)[-1] == "applied"


def test_copy_is_compared_with_prepends_in_their_order() -> None:
    """Several texts put before the one below stand in their order in what a copy is compared with, too."""
    layers = [base("b"), edit("project", "p1", "prepend", by="a"), edit("project", "p2", "prepend", by="b")]
    assert text(resolved(*layers)) == "p1\n\np2\n\nb"
    assert outcomes(resolved(*layers, copy("p1\n\np2\n\nb"))) == ["applied"] * 3


def test_additions_of_one_layer_have_the_same_base() -> None:
    """Two additions of one layer were written over the same text, so the first does not make the second stale."""
    additions = [edit("override", str(number), "append", base=text_hash("text")) for number in range(2)]
    assert outcomes(resolved(base("text"), *additions)) == ["applied"] * 3
    assert outcomes(resolved(base("changed"), *additions)) == ["applied", "stale", "stale"]


@pytest.mark.parametrize("mode", ["patch", "append", "prepend", "move", "replace"])
def test_stale_in_every_mode(mode: str) -> None:
    """An edit whose base has changed applies, and is stale, in whatever mode."""
    change = edit("override", "x", mode, heading="H", priority=5, base="0" * 64)
    assert outcomes(resolved(base("# H\n\nh"), change))[-1] == "stale"


def test_stale_edits_are_shadowed_like_others() -> None:
    """A higher layer's replacement makes a stale edit void."""
    result = resolved(base("new"), copy("mine", base="0" * 64), edit("session", "over"))
    assert outcomes(result) == ["shadowed", "shadowed", "applied"]


def test_override_without_anything_below() -> None:
    """A plain override whose section is gone defines it, with a warning."""
    result = resolved(edit("override", "mine", base="0" * 64))
    assert text(result) == "mine"
    assert outcomes(result) == ["applied"]
    assert codes(result) == ["FW027"]
    assert codes(resolved(copy("mine"))) == ["FW027"]
    assert codes(resolved(edit("memory", "mine"))) == []


def test_copy_over_a_plugins_section() -> None:
    """A plugin's text is none that copies are compared with."""
    result = resolved(edit("extension", "text"), copy("text"))
    assert outcomes(result) == ["shadowed", "applied"]


def test_the_raw_text_of_a_patch_that_renders_its_heading() -> None:
    """A patch whose heading reads so only when rendered leaves the compared text as it was."""
    below = base("# Ada\n\nold", raw="# {{ agent_name }}\n\nold")
    patch = edit("project", "new", "patch", heading="Ada")
    result = resolved(below, patch, copy("mine", base=text_hash("# {{ agent_name }}\n\nold")))
    assert outcomes(result) == ["shadowed", "shadowed", "applied"]


def test_the_raw_text_can_be_kept() -> None:
    """A fold keeps the text before rendering when it is asked to, and not otherwise."""
    edits: Iterable[PreparedEdit] = [base("I am Ada", raw="I am {{ x }}"), edit("project", "More", "append")]
    for compare, expected in ((True, "I am {{ x }}\n\nMore"), (False, None)):
        fold = Fold("a", list(edits), FREE, frozenset(), compare=compare)
        fold.run()
        assert fold.standing is not None
        assert fold.standing.raw == expected
