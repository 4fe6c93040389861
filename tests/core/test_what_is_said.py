"""What resolution says: every message, and the reason of every outcome, word by word."""

# ruff: noqa: E501

from __future__ import annotations

import pytest
from tests.core.test_mutants_resolve import edit

from foreword._diagnostics import Place
from foreword._policy import Policy, SectionRule
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._resolve import resolve

BELOW = edit("builtin", "base", text="# H\n\nold", raw="# H\n\nold")
STRANGER = Provider("", "", "untrusted=")
LOCKED = Policy({"a": SectionRule(editable_by=frozenset({"builtin"}), others_may=frozenset({"append"}))})
REQUIRED = Policy({"a": SectionRule(required=True)})
WINDOWS = Policy(windows={"memory": (500, 999), "extension": (300, 999)})

# fmt: off
SAID: dict[str, tuple[list[PreparedEdit], Policy, list[str], list[str]]] = {
    "replaced": (
        [BELOW, edit("project", "x")], Policy(),
        [],
        ["a base.md shadowed: replaced by x.md:1 (acme:main 1.0)", "a x.md applied"],
    ),
    "removed": (
        [BELOW, edit("project", "x", "remove")], Policy(),
        [],
        ["a base.md shadowed: removed by x.md:1 (acme:main 1.0)", "a x.md applied"],
    ),
    "stands already": (
        [BELOW, edit("project", "x", "define")], Policy(),
        ["FW022 error x.md:1 a acme:main 1.0: 'a' stands already, defined by base.md:1 (acme:main 1.0); take an id that no lower layer has, or another mode"],
        ["a base.md applied", "a x.md no-target"],
    ),
    "stands already, of a plugin": (
        [BELOW, edit("extension", "x")], Policy(),
        ["FW022 error x.md:1 a acme:main 1.0: 'a' stands already, defined by base.md:1 (acme:main 1.0); take an id that no lower layer has, or another mode"],
        ["a base.md applied", "a x.md no-target"],
    ),
    "no target": (
        [edit("project", "x", "append"), edit("project", "a1", id="ab"), edit("project", "a1", id="b/a")], Policy(),
        ["FW022 error x.md:1 a acme:main 1.0: there is no section 'a' to append to; name a section that a lower layer defines"],
        ["a x.md no-target: no lower layer has a section 'a'", "ab a1.md applied", "b/a a1.md applied"],
    ),
    "no target near": (
        [edit("project", "x", "patch", heading="H", id="sections"), edit("project", "y", id="section")], Policy(),
        ["FW022 error x.md:1 sections acme:main 1.0: there is no section 'sections' to patch; did you mean 'section'?"],
        ["section y.md applied", "sections x.md no-target: no lower layer has a section 'sections'"],
    ),
    "no target to remove": (
        [edit("project", "x", "remove")], Policy(),
        ["FW023 warning x.md:1 a acme:main 1.0: there is no section 'a' to remove; name a section that a lower layer defines"],
        ["a x.md no-target: no lower layer has a section 'a'"],
    ),
    "no heading": (
        [BELOW, edit("project", "x", "patch", heading="I")], Policy(),
        ["FW022 error x.md:1 a acme:main 1.0: the heading 'I' of 'a' is there 0 times, not once; name one heading of the text below, as it reads when rendered"],
        ["a base.md applied", "a x.md no-target"],
    ),
    "forbidden": (
        [BELOW, edit("memory", "x")], LOCKED,
        ["FW020 error x.md:1 a acme:main 1.0: the policy lets only builtin edit 'a' ([sections.a] editable_by); ask the operator, or take the edit away"],
        ["a base.md applied", "a x.md refused"],
    ),
    "forbidden to move": (
        [BELOW, edit("memory", "x", "append", priority=1)], LOCKED,
        ["FW020 error x.md:1 a acme:main 1.0: the policy lets only builtin edit 'a' ([sections.a] editable_by); ask the operator, or take the edit away"],
        ["a base.md applied", "a x.md refused"],
    ),
    "not its own": (
        [edit("extension", "x", own=False)], Policy(),
        ["FW020 error x.md:1 a acme:main 1.0: in layer extension a plugin defines only ids that begin with 'acme.'; ask the operator, or take the edit away"],
        ["a x.md refused"],
    ),
    "only defines": (
        [BELOW, edit("extension", "x", "append")], Policy(),
        ["FW020 error x.md:1 a acme:main 1.0: in layer extension a plugin only defines sections: no append of 'a'; ask the operator, or take the edit away"],
        ["a base.md applied", "a x.md refused"],
    ),
    "taken": (
        [BELOW, edit("extension", "x", exclusive=True, provider=STRANGER)], Policy(),
        ["FW020 error x.md:1 a untrusted=: untrusted= defines only ids that no other layer has, and 'a' is one; ask the operator, or take the edit away"],
        ["a base.md applied", "a x.md refused"],
    ),
    "required": (
        [BELOW, edit("memory", "x", "remove")], REQUIRED,
        ["FW020 error x.md:1 a acme:main 1.0: the policy requires 'a', so layer memory may not remove it; ask the operator, or take the edit away"],
        ["a base.md applied", "a x.md refused"],
    ),
    "override of nothing": (
        [edit("override", "x")], Policy(),
        ["FW027 warning x.md:1 a acme:main 1.0: nothing below has the id 'a'; the text stands as a section of its own; check the file's name, or leave it so"],
        ["a x.md applied"],
    ),
    "copy of nothing": (
        [edit("memory", "x", copy_of_below=True)], Policy(),
        ["FW027 warning x.md:1 a acme:main 1.0: nothing below has the id 'a'; the text stands as a section of its own; check the file's name, or leave it so"],
        ["a x.md applied"],
    ),
    "stale": (
        [BELOW, edit("override", "x", base="0")], Policy(),
        ["FW026 warning x.md:1 a acme:main 1.0: 'a': the text below has changed since this was written; compare the two and write it anew"],
        ["a base.md shadowed: replaced by x.md:1 (acme:main 1.0)", "a x.md stale"],
    ),
    "title": (
        [BELOW, edit("memory", "x", title="Safety Guidelines")], Policy(),
        ["FW025 error x.md:1 a acme:main 1.0: the title 'Safety Guidelines' belongs to the operator; the text of 'a' stands under 'a'; give it another title"],
        ["a base.md shadowed: replaced by x.md:1 (acme:main 1.0)", "a x.md applied"],
    ),
    "title over a title": (
        [BELOW._replace(title="B"), edit("memory", "x", title="Safety Guidelines")], Policy(),
        ["FW025 error x.md:1 a acme:main 1.0: the title 'Safety Guidelines' belongs to the operator; the text of 'a' stands under 'B'; give it another title"],
        ["a base.md shadowed: replaced by x.md:1 (acme:main 1.0)", "a x.md applied"],
    ),
    "too low": (
        [edit("memory", "x", priority=1)], WINDOWS,
        ["FW024 warning x.md:1 a acme:main 1.0: priority 1 of 'a' is outside the window 500 to 999 of layer memory; it stands at 500; choose a priority from 500 to 999"],
        ["a x.md applied"],
    ),
    "too high": (
        [edit("memory", "x", priority=1000)], WINDOWS,
        ["FW024 warning x.md:1 a acme:main 1.0: priority 1000 of 'a' is outside the window 500 to 999 of layer memory; it stands at 999; choose a priority from 500 to 999"],
        ["a x.md applied"],
    ),
    "a skill": (
        [edit("session", "x", priority=1, trusted=False)], WINDOWS,
        ["FW024 warning x.md:1 a acme:main 1.0: priority 1 of 'a' is outside the window 300 to 999 of layer session; it stands at 300; choose a priority from 300 to 999"],
        ["a x.md applied"],
    ),
    "moved": (
        [BELOW, edit("memory", "x", id="b", priority=1)], LOCKED,
        ["FW024 warning x.md:1 b acme:main 1.0: 'b' stands behind the locked section 'a', not at priority 1; give it a higher priority"],
        ["a base.md applied", "b x.md applied"],
    ),
    "conflict": (
        [BELOW, edit("project", "x"), edit("project", "y", provider=Provider("foreword", "1", "m"))], Policy(),
        ['FW021 error x.md:1 a acme:main 1.0: x.md:1 (acme:main 1.0) and y.md:1 each give the text of \'a\' in layer project; none applies; keep one, or set [prefer] "a"'],
        ["a base.md applied", "a x.md conflict", "a y.md conflict"],
    ),
    "conflict, none preferred": (
        [BELOW, edit("project", "x"), edit("project", "y")], Policy(prefer={"a": "z"}),
        ["FW021 error x.md:1 a acme:main 1.0: x.md:1 (acme:main 1.0) and y.md:1 (acme:main 1.0) each give the text of 'a' in layer project; none applies; keep one; [prefer] names 'z', which is none"],
        ["a base.md applied", "a x.md conflict", "a y.md conflict"],
    ),
    "conflict, both preferred": (
        [BELOW, edit("project", "x"), edit("project", "y")], Policy(prefer={"a": "acme"}),
        ["FW021 error x.md:1 a acme:main 1.0: x.md:1 (acme:main 1.0) and y.md:1 (acme:main 1.0) each give the text of 'a' in layer project; none applies; keep one; [prefer] names 'acme', which is more than one"],
        ["a base.md applied", "a x.md conflict", "a y.md conflict"],
    ),
    "preferred": (
        [BELOW, edit("project", "x"), edit("project", "y")], Policy(prefer={"a": "x.md"}),
        [],
        ["a base.md shadowed: replaced by x.md:1 (acme:main 1.0)", "a x.md applied", "a y.md shadowed: the policy prefers x.md"],
    ),
    "titles": (
        [BELOW, edit("project", "x", "move", title="T"), edit("project", "y", "move", title="U")], Policy(),
        ['FW021 error x.md:1 a acme:main 1.0: x.md:1 (acme:main 1.0) and y.md:1 (acme:main 1.0) each give the title of \'a\' in layer project; none applies; keep one, or set [prefer] "a"'],
        ["a base.md applied", "a x.md conflict", "a y.md conflict"],
    ),
    "priorities": (
        [BELOW, edit("project", "x", "move", priority=1), edit("project", "y", "move", priority=2)], Policy(),
        ['FW021 error x.md:1 a acme:main 1.0: x.md:1 (acme:main 1.0) and y.md:1 (acme:main 1.0) each give the priority of \'a\' in layer project; none applies; keep one, or set [prefer] "a"'],
        ["a base.md applied", "a x.md conflict", "a y.md conflict"],
    ),
    "patches": (
        [BELOW, edit("project", "x", "patch", heading="H"), edit("project", "y", "patch", heading="H", place=Place("code"))], Policy(),
        ['FW021 error code a acme:main 1.0: acme:main 1.0 and x.md:1 (acme:main 1.0) each give the patch of \'a\' in layer project; none applies; keep one, or set [prefer] "a"'],
        ["a base.md applied", "a code conflict", "a x.md conflict"],
    ),
    "missing": (
        [], REQUIRED,
        ["FW028 error None a None: the required section 'a' is not in the prompt; give it a text, or set [sections.a] required = false"],
        [],
    ),
    "blank": (
        [edit("project", "x", text=" ")], REQUIRED,
        ["FW028 error None a None: the required section 'a' is not in the prompt; give it a text, or set [sections.a] required = false"],
        ["a x.md applied"],
    ),
    "not in effect": (
        [BELOW, edit("project", "x", "define")], REQUIRED,
        ["FW022 error x.md:1 a acme:main 1.0: 'a' stands already, defined by base.md:1 (acme:main 1.0); take an id that no lower layer has, or another mode",
         "FW028 error x.md:1 a acme:main 1.0: an edit of the required section 'a' is not in effect (no-target): 'a' stands already, defined by base.md:1 (acme:main 1.0); mend it, or take it away"],
        ["a base.md applied", "a x.md no-target"],
    ),
}
# fmt: on


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str) -> None:
    """Every message says what happened, where, to which section and whose edit, and what to do; a chain says why."""
    edits, policy, said, outcomes = SAID[name]
    resolution = resolve(edits, policy)
    found = [
        f"{one.code} {one.severity} {one.place} {one.section} {one.provider}: {one.message}; {one.remedy}"
        for one in (*resolution.diagnostics, *resolution.fatal)
    ]
    assert found == said
    steps = [(id, step) for id, chain in resolution.chains.items() for step in chain]
    # A reason that stands in a message is not written down twice.
    reasons = ["" if any(step.reason in one for one in (*said, "")) else f": {step.reason}" for _, step in steps]
    told = zip(steps, reasons, strict=True)
    assert [f"{id} {step.edit.place.path} {step.outcome}{reason}" for (id, step), reason in told] == outcomes
    assert all((step.outcome == "applied") is (step.reason == "") for _, step in steps)
