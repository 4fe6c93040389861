"""Drafts: what a source gives again came out already, and what it gives anew comes out as it would by itself."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.test_gates import DOCUMENTS, FINDINGS, ORIGINS, SAID, TEXTS
from tests.core.test_properties import ALWAYS

from foreword import Edit, MarkdownFile, Section
from foreword._diagnostics import Place
from foreword._policy import Policy
from foreword._prepare import Basis, Drafts, Part, differences
from foreword._prepared import PreparedEdit
from foreword._provider import Provider
from foreword._screen import Screen
from foreword._sources import Given
from foreword.files._roots import Root
from foreword.markdown._front_matter import Document

SCREEN, POLICY = Screen(), Policy()
ROOT = Root("r", "/r")


def some_edit(chance: random.Random) -> Section:
    """An edit as one of our own sources gives it: mostly of an ordinary file."""
    name = chance.choice(("RULES.md", "SAFETY.md", "TONE.md"))
    text = chance.choice(TEXTS)
    kind = chance.randrange(8)
    if kind == 0:
        return Edit("custom_rules", text, **chance.choice(SAID))
    document = Document(text, **(chance.choice(DOCUMENTS) if kind == 1 else {}))
    error = FINDINGS[1] if kind == 2 else None
    return MarkdownFile(ROOT, name, f"r/{name}", document, error, None, len(text)).edit()


def came_to(basis: Basis) -> tuple[object, ...]:
    """What a basis holds, as values."""
    drafts = [(at, draft.prepared, draft.said, draft.waits) for at, draft in basis.drafts]
    return basis.part, drafts, [at for at, _ in basis.open]


def changed(edits: list[Section], chance: random.Random) -> list[Section]:
    """The edits after one step: some exchanged, one more or one less."""
    edits = [some_edit(chance) if chance.random() < 0.2 else edit for edit in edits]
    if chance.random() < 0.3:
        edits.insert(chance.randint(0, len(edits)), some_edit(chance))
    if edits and chance.random() < 0.3:
        del edits[chance.randrange(len(edits))]
    return edits


def test_what_came_out_before_comes_out_as_the_same() -> None:
    """However a source's edits change, they come to what they come to alone; those that stayed are the same objects."""
    seen: Counter[str] = Counter()

    @given(st.integers(0, 2**64 - 1).map(random.Random), st.sampled_from(ORIGINS))
    @settings(ALWAYS, max_examples=400)
    def check(chance: random.Random, origin: tuple[Provider, tuple[str, ...]]) -> None:
        provider, layers = origin
        drafts = Drafts()
        edits = [some_edit(chance) for _ in range(chance.randint(0, 5))]
        before: Basis | None = None
        for _ in range(4):
            one = Given(provider, layers, tuple(edits), (), ())
            basis = drafts.basis(one, POLICY, SCREEN)
            assert drafts.basis(one, POLICY, SCREEN) is basis
            assert came_to(basis) == came_to(Drafts().basis(one, POLICY, SCREEN))
            if before is not None:
                earlier, now = dict(before.drafts), dict(basis.drafts)
                for at, (old, new) in enumerate(zip(before.given.edits, edits, strict=False)):
                    if old is new:
                        seen["stayed"] += 1
                        seen["draft stayed"] += at in earlier
                        assert basis.part.edits[at] is before.part.edits[at]
                        assert now.get(at) is earlier.get(at)
                    else:
                        seen["changed"] += 1
            before = basis
            edits = changed(edits, chance)

    check()
    assert min(seen["stayed"], seen["draft stayed"], seen["changed"]) > 100


POOL = [PreparedEdit("a", "project", "plain", ORIGINS[0][0], Place("code"), at) for at in range(6)]
PARTS = st.lists(st.none() | st.sampled_from(POOL), max_size=6).map(lambda edits: Part(tuple(edits), ()))


@given(st.lists(st.tuples(PARTS, PARTS), max_size=3))
@settings(ALWAYS, max_examples=300)
def test_differences_of_parts(pairs: list[tuple[Part, Part]]) -> None:
    """Between parts of one length whatever stands at another place is new, else only what no place held before."""
    gone: list[PreparedEdit | None] = []
    come: list[PreparedEdit | None] = []
    for before, after in pairs:
        if len(before.edits) == len(after.edits):
            both = zip(before.edits, after.edits, strict=True)
            changed = [(old, new) for old, new in both if old is not new]
            gone += [old for old, _ in changed if old is not None]
            come += [new for _, new in changed if new is not None]
        else:
            gone += [old for old in before.edits if old is not None and old not in after.edits]
            come += [new for new in after.edits if new is not None and new not in before.edits]
    assert differences([before for before, _ in pairs], [after for _, after in pairs]) == (gone, come)
