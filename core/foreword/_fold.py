"""One section, from the lowest layer up: the rules that decide whose text wins."""

from __future__ import annotations

from collections.abc import Container, Sequence

from foreword.markdown._headings import Target, targets

from ._diagnostics import Diagnostic
from ._layers import OPERATOR, RANK, UNTRUSTED
from ._names import title_key
from ._policy import Policy
from ._prepared import Outcome, PreparedEdit, Step
from ._quarrels import named, settled
from ._standing import Standing, raw_after, text_hash
from ._text import exchange, join, surround, whole
from ._titles import unreserved

_APPLIED: tuple[Outcome, str] = ("applied", "")

WRITING = frozenset({"plain", "define", "replace", "remove"})


def _in_order(edit: PreparedEdit) -> tuple[int, int, str, str, str, int, str, str]:
    return (RANK[edit.layer], edit.rank, *edit.order)


class Fold:
    """Lays the edits of one section over one another, layer by layer.

    Args:
        key: the section's id as it is compared.
        edits: every edit of the section, in any order.
        policy: what the operator allows.
        reserved: the keys of the titles that no untrusted layer may take.
        compare: keep the text before rendering even if no edit is compared with it.
    """

    __slots__ = (
        "_below", "_compares", "_edits", "_key", "_outcomes", "_policy", "_reserved", "_rule",
        "diagnostics", "standing", "without_target",
    )  # fmt: skip

    def __init__(
        self,
        key: str,
        edits: Sequence[PreparedEdit],
        policy: Policy,
        reserved: Container[str],
        *,
        compare: bool = False,
    ) -> None:
        self._policy = policy
        self._reserved = reserved
        self._key = key
        self._rule = policy.rule(key)
        self._edits: Sequence[PreparedEdit] = sorted(edits, key=_in_order) if len(edits) > 1 else edits
        self._outcomes: dict[int, tuple[Outcome, str]] = {}
        self._compares = compare
        for edit in edits:
            if edit.base is not None or edit.copy_of_below:
                self._compares = True
        self.standing: Standing | None = None
        self._below: Standing | None = None
        self.diagnostics: list[Diagnostic] = []
        self.without_target: list[PreparedEdit] = []

    def run(self) -> None:
        """Fold all layers."""
        layer: list[PreparedEdit] = []
        last: PreparedEdit | None = None
        for edit in self._edits:
            if last is not None and (edit.layer != last.layer or edit.rank != last.rank):
                self._layer(layer)
                layer = []
            last = edit
            # What stands below decides what takes part, so a layer is asked when those below it are done.
            if self._takes_part(edit):
                layer.append(edit)
        self._layer(layer)

    def steps(self) -> tuple[Step, ...]:
        """The chain: every edit that was tried, low to high, with its outcome."""
        outcomes = self._outcomes
        return tuple([Step(edit, *outcomes[id(edit)]) for edit in self._edits if id(edit) in outcomes])

    # -- one layer ---------------------------------------------------------------------------------

    def _layer(self, edits: list[PreparedEdit]) -> None:
        if len(edits) > 1:
            edits = self._without_quarrels(edits, [edit for edit in edits if edit.mode in WRITING], "text")
            for what in ("title", "priority"):
                # The operator can say that a section has no title; a stranger that says so says nothing.
                saying = [edit for edit in edits if getattr(edit, what) is not None]
                saying = [edit for edit in saying if getattr(edit, what) != "" or edit.trusted]
                if len({getattr(edit, what) for edit in saying}) > 1:
                    edits = self._without_quarrels(edits, saying, what)
        below = self._below = self.standing
        others: list[PreparedEdit] = []
        for edit in edits:
            if edit.mode in WRITING:
                self._write(edit)
            else:
                others.append(edit)
        if others:
            self._patch([edit for edit in others if edit.mode == "patch"])
            self._surround([edit for edit in others if edit.mode in ("prepend", "append")])
            for edit in others:
                if edit.mode == "move" and self._has_target(edit):
                    self._settle(edit)
        for edit in edits:
            # Only what is said about title or place changes them.
            if (edit.title is not None or edit.priority is not None) and self._holds(edit):
                self._title_and_place(edit, below)

    def _holds(self, edit: PreparedEdit) -> bool:
        return self._outcomes.get(id(edit), ("failed",))[0] in ("applied", "stale")

    def _takes_part(self, edit: PreparedEdit) -> bool:
        """Apply what stands outside the layers: verdicts of preparation, copies, the policy."""
        if edit.verdict is not None:
            self._outcomes[id(edit)] = (edit.verdict, edit.reason)
            return False
        if edit.copy_of_below and self._is_untouched(edit):
            return False
        reason = self._forbidden(edit)
        if reason is None and edit.exclusive and edit.mode in ("plain", "define") and self._written_elsewhere(edit):
            reason = f"untrusted= defines only ids that no other layer has, and {edit.id!r} is one"
        if (
            reason is None
            and edit.mode == "remove"
            and edit.layer in UNTRUSTED
            and self._policy.rule(edit.id).required
        ):
            reason = f"the policy requires {edit.id!r}, so layer {edit.layer} may not remove it"
        if reason is None:
            return True
        self._say("FW020", edit, reason, "ask the operator, or take the edit away")
        self._outcomes[id(edit)] = ("refused", reason)
        return False

    def _is_untouched(self, copy: PreparedEdit) -> bool:
        same = self.standing is not None and copy.raw == self.standing.raw
        return same and copy.title is None and copy.priority is None

    def _forbidden(self, edit: PreparedEdit) -> str | None:
        mode: str = edit.mode
        if mode == "plain" and edit.layer != "extension":
            mode = "define" if self.standing is None else "replace"
        if self._rule.editable_by is None and edit.layer in OPERATOR:
            # Nobody has said anything about the section, and the operator's own layers need no leave.
            return None
        prefix = f"{edit.provider.distribution}."
        reason = self._policy.allows(edit.id, edit.layer, mode, own=edit.own, prefix=prefix)
        placing = bool(edit.title) or (edit.title is not None and edit.trusted) or edit.priority is not None
        if reason is None and mode not in ("plain", "define") and placing:
            # Whoever may only add text may not move the section with it.
            reason = self._policy.allows(edit.id, edit.layer, "move", own=edit.own, prefix=prefix)
        return reason

    def _written_elsewhere(self, edit: PreparedEdit) -> bool:
        return any(
            other.mode in ("plain", "define", "replace")
            and other.verdict is None
            and not other.exclusive
            and self._policy.allows(other.id, other.layer, "define", own=other.own) is None
            for other in self._edits
        )

    def _without_quarrels(
        self, edits: list[PreparedEdit], rivals: list[PreparedEdit], what: str
    ) -> list[PreparedEdit]:
        """Leave out edits of one layer that cannot all hold, unless the operator prefers one."""
        quarrel = settled(rivals, what, self._policy.preferred(self._key))
        if quarrel is None:
            return edits
        for edit in quarrel.lost:
            self._outcomes[id(edit)] = (quarrel.outcome, quarrel.reason)
        if quarrel.outcome == "conflict":
            self._say("FW021", quarrel.lost[0], quarrel.reason, quarrel.remedy)
        gone = {id(edit) for edit in quarrel.lost}
        return [edit for edit in edits if id(edit) not in gone]

    # -- the modes ---------------------------------------------------------------------------------

    def _write(self, edit: PreparedEdit) -> None:
        if edit.mode == "define" or (edit.mode == "plain" and edit.layer == "extension"):
            if self.standing is not None:
                if edit.layer == "extension" and edit.mode == "plain" and self._may_replace(edit):
                    self._replace(edit)
                    return
                reason = f"{edit.id!r} stands already, defined by {named(self.standing.definer)}"
                self._outcomes[id(edit)] = ("no-target", reason)
                self._say("FW022", edit, reason, "take an id that no lower layer has, or another mode")
                return
            self._define(edit)
        elif edit.mode == "plain":
            if self.standing is None:
                self._define(edit)
                if edit.layer == "override" or edit.copy_of_below:
                    self._say(
                        "FW027",
                        edit,
                        f"nothing below has the id {edit.id!r}; the text stands as a section of its own",
                        "check the file's name, or leave it so",
                        "warning",
                    )
            else:
                self._replace(edit)
        elif self._has_target(edit):
            if edit.mode == "replace":
                self._replace(edit)
            else:
                self._shadow(f"removed by {named(edit)}", moves_too=True)
                self.standing = None
                self._outcomes[id(edit)] = _APPLIED

    def _may_replace(self, edit: PreparedEdit) -> bool:
        editable = self._policy.rule(edit.id).editable_by
        return editable is not None and edit.layer in editable

    def _define(self, edit: PreparedEdit) -> None:
        given = edit.priority is not None
        priority = edit.priority if edit.priority is not None else edit.default_priority
        title = None if edit.title else edit.default_title
        self.standing = Standing(
            edit,
            edit,
            whole(edit),
            title if edit.trusted or not title else self._title(edit, title, None),
            False,
            edit,
            priority if given else self._windowed(edit, priority),
            edit,
            edit.raw if self._compares and edit.layer != "extension" else None,
        )
        self._outcomes[id(edit)] = _APPLIED

    def _replace(self, edit: PreparedEdit) -> None:
        below = self.standing
        assert below is not None
        self._shadow(f"replaced by {named(edit)}", moves_too=False)
        self._settle(edit)
        self.standing = below._replace(winner=edit, spans=whole(edit), raw=self._raw(below, [edit]))

    def _patch(self, edits: list[PreparedEdit]) -> None:
        found: list[tuple[PreparedEdit, Target]] = []
        for edit in edits:
            if not self._has_target(edit):
                continue
            assert self.standing is not None
            assert edit.heading is not None
            hits = targets(join(self.standing.spans), edit.heading)
            if len(hits) == 1:
                found.append((edit, hits[0]))
                continue
            reason = f"the heading {edit.heading!r} of {edit.id!r} is there {len(hits)} times, not once"
            self._outcomes[id(edit)] = ("no-target", reason)
            self._say("FW022", edit, reason, "name one heading of the text below, as it reads when rendered")
        clashing = {
            id(edit)
            for edit, target in found
            for other, its in found
            if edit is not other
            and target.heading.start < max(its.end, its.heading.end)
            and its.heading.start < max(target.end, target.heading.end)
        }
        rivals = [edit for edit, _ in found if id(edit) in clashing]
        kept = {id(edit) for edit in self._without_quarrels([edit for edit, _ in found], rivals, "patch")}
        bodies = [(target.start, target.end, edit) for edit, target in found if id(edit) in kept]
        if not bodies or self.standing is None:
            return
        below = self.standing
        for _, _, edit in bodies:
            self._settle(edit)
        raw = self._raw(below, [edit for _, _, edit in bodies])
        self.standing = below._replace(spans=exchange(below.spans, bodies), raw=raw)

    def _surround(self, edits: list[PreparedEdit]) -> None:
        edits = [edit for edit in edits if self._has_target(edit)]
        below = self.standing
        if not edits or below is None:
            return
        before = [edit for edit in edits if edit.mode == "prepend"]
        after = [edit for edit in edits if edit.mode == "append"]
        for edit in edits:
            self._settle(edit)
        raw = self._raw(below, [*reversed(before), *after])
        self.standing = below._replace(spans=surround(below.spans, before, after), raw=raw)

    # -- title and place ---------------------------------------------------------------------------

    def _title_and_place(self, edit: PreparedEdit, below: Standing | None) -> None:
        standing = self.standing
        if standing is None:
            return
        if edit.title is not None and (edit.title or edit.trusted):
            stood = below.title if below is not None else None
            title = self._title(edit, edit.title, stood)
            standing = standing._replace(title=title, title_given=True, titled_by=edit)
        if edit.priority is not None:
            standing = standing._replace(priority=self._windowed(edit, edit.priority), placed_by=edit)
        self.standing = standing

    def _title(self, edit: PreparedEdit, title: str | None, stood: str | None) -> str | None:
        """Return the title, or what stands instead where it is reserved for the operator."""
        if edit.trusted or not title:
            return title
        key = title_key(title)
        if key not in self._reserved or (stood is not None and key == title_key(stood)):
            return title
        instead = stood or unreserved(edit.id, edit.id, self._reserved)
        self._say(
            "FW025",
            edit,
            f"the title {title!r} belongs to the operator; the text of {edit.id!r} stands under {instead!r}",
            "give it another title",
        )
        return instead

    def _windowed(self, edit: PreparedEdit, priority: int) -> int:
        # A stranger's text in an operator's layer, such as a skill, has the window of strangers.
        whose = edit.layer if edit.trusted or edit.layer in UNTRUSTED else "extension"
        window = self._policy.window(whose)
        if window is None or window[0] <= priority <= window[1]:
            return priority
        low, high = window
        edge = low if priority < low else high
        self._say(
            "FW024",
            edit,
            f"priority {priority} of {edit.id!r} is outside the window {low} to {high} of layer {edit.layer}; "
            f"it stands at {edge}",
            f"choose a priority from {low} to {high}",
            "warning",
        )
        return edge

    # -- outcomes ----------------------------------------------------------------------------------

    def _has_target(self, edit: PreparedEdit) -> bool:
        if self.standing is not None:
            return True
        self._outcomes[id(edit)] = ("no-target", f"no lower layer has a section {edit.id!r}")
        self.without_target.append(edit)
        return False

    def _settle(self, edit: PreparedEdit) -> None:
        """Record that the edit holds: applied, or stale when the text below is no longer its base."""
        below = self._below
        if edit.base is None or below is None or below.raw is None or edit.base == text_hash(below.raw):
            self._outcomes[id(edit)] = _APPLIED
            return
        reason = "the text below has changed since this was written"
        self._outcomes[id(edit)] = ("stale", reason)
        self._say("FW026", edit, f"{edit.id!r}: {reason}", "compare the two and write it anew", "warning")

    def _shadow(self, reason: str, *, moves_too: bool) -> None:
        for edit in self._edits:
            outcome = self._outcomes.get(id(edit))
            if outcome is not None and outcome[0] in ("applied", "stale") and (moves_too or edit.mode != "move"):
                self._outcomes[id(edit)] = ("shadowed", reason)

    def _raw(self, below: Standing, edits: Sequence[PreparedEdit]) -> str | None:
        raw = below.raw
        for edit in edits:
            if self._compares and edit.layer != "extension":
                raw = raw_after(raw, edit)
        return raw

    def _say(
        self, code: str, edit: PreparedEdit, message: str, remedy: str, severity: str = "error"
    ) -> None:
        self.diagnostics.append(
            Diagnostic(
                code,
                "warning" if severity == "warning" else "error",
                message,
                edit.place,
                remedy,
                edit.id,
                str(edit.provider),
            )
        )
