"""Drafts: what can be said of an edit before the value of any variable is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from foreword.scan._suspects import suspected
from foreword.templates._names import compile_names

from ._diagnostics import Diagnostic
from ._edit_text import EditText, Verdict
from ._layers import OPERATOR
from ._names import CUSTOM_PRIORITY, KNOWN_IDS, NameRefused, check_id, clean_title, is_tool
from ._origin import Origin
from ._plain_edit import is_plain_name
from ._prepared import Outcome, PreparedEdit, PreparedMode

if TYPE_CHECKING:
    from foreword.templates._names import NamesTemplate

    from ._model import Section
    from ._policy import LayerRule
    from ._screen import Screen


class Draft(EditText):
    """One edit, as far as it is prepared.

    ``prepared`` is what it comes out as, None when it is no edit. Where ``waits`` is set, its text is still to be
    rendered: by ``template``, or in mode ``jinja`` where there is none.

    Args:
        edit: what the source gave.
        origin: where it comes from.
        position: the edit's place in the list that the provider returned.
        rank: its rank inside the layer.
        screen: what scans and neutralises.
        clean: whether the scanner has nothing to look at in its text.
    """

    __slots__ = ("origin", "position", "prepared", "rank", "template", "title", "waits")

    def __init__(
        self, edit: Section, origin: Origin, position: int, rank: int, screen: Screen, clean: bool = False
    ) -> None:
        super().__init__(edit, origin.provider, screen, [])
        self.origin = origin
        self.position = position
        self.rank = rank
        self.waits = False
        self.template: NamesTemplate | None = None
        self.title: str | None = None
        self.prepared: PreparedEdit | None = self._drafted(clean)

    def _drafted(self, clean: bool) -> PreparedEdit | None:
        # The attributes of a model are many times as slow as those of the dict that it keeps them in.
        fields = vars(self.edit)
        get = fields.get
        findings = get("findings")
        wrong = self._findings(findings) if findings else None
        file, origin, given_id = self.file, self.origin, fields["id"]
        if wrong is not None and not given_id:
            return None
        try:
            id = check_id(given_id)
        except NameRefused as problem:
            self.say("FW034" if file is None else "FW007", f"{given_id!r} is no id: {problem}", "rename it")
            return None
        layer: str = get("layer") or origin.layers[0]
        limits, trusted = origin.rights(layer)
        mode: PreparedMode = get("mode") or "plain"
        heading: str | None = get("heading")
        if heading is not None:
            heading = heading.strip()
        verdict: Verdict | None = None
        if layer not in origin.layers:
            granted = ", ".join(origin.layers)
            reason = f"{self.provider.name} may not write in layer {layer}, only in {granted}"
            verdict = ("refused", reason, "FW020")
        else:
            verdict = wrong or self._unreadable(layer, limits)
            if verdict is None and "mode" in fields:
                verdict = self._misused(mode, heading, layer, limits, trusted, get("template") or "names")
        raw: str = fields["text"]
        if file is None:
            if "\r" in raw:
                raw = raw.replace("\r\n", "\n").replace("\r", "\n")
            raw = raw.strip()
        title: str | None = fields["title"]
        if title is not None:
            title = clean_title(title)
        writes = mode not in ("remove", "move")
        if verdict is None and not raw and writes:
            if file is None or mode != "plain" or (title is None and fields["priority"] is None):
                remedy = "write a text, or say mode: remove to take the section away"
                self.say("FW010", f"the text of {id!r} is empty, so it changes nothing", remedy, "warning", id)
                return None
            mode, writes = "move", False
        if verdict is None and layer != "builtin" and self._is_suspicious(given_id, raw, title, heading, clean):
            verdict = self.scanned(id, raw, title, heading, trusted)
        if verdict is None and writes and limits.section is not None:
            verdict = _oversized(layer, limits.section, raw)
        if verdict is not None:
            outcome, reason, code = verdict
            if code:
                self.say(code, reason, REMEDIES.get(code, MEND), "error", id)
            return self._stamped(id, layer, mode, heading, title, trusted, raw, "", None, outcome, reason)
        if not writes:
            return self._stamped(id, layer, mode, heading, title, trusted, raw, raw, None)
        if not get("literal"):
            jinja = get("template") == "jinja"
            template = None
            if not jinja and "{" in raw and "{{" in raw:
                template = _packaged(raw) if layer == "builtin" else compile_names(raw)
            if jinja or (template is not None and template.has_placeholders):
                self.waits, self.template, self.title = True, template, title
                return self._stamped(id, layer, mode, heading, title, trusted, raw, "", None)
        text, lines = raw, None
        if not trusted and not is_tool(id):
            text, lines = self.neutralised(id, raw, None, title)
            if not text:
                self.say("FW010", f"the text of {id!r} is only its title", "write a text", "warning", id)
                return None
        return self._stamped(id, layer, mode, heading, title, trusted, raw, text, lines)

    def _stamped(
        self,
        id: str,
        layer: str,
        mode: PreparedMode,
        heading: str | None,
        title: str | None,
        trusted: bool,
        raw: str,
        text: str,
        lines: tuple[int, ...] | None,
        outcome: Outcome | None = None,
        reason: str = "",
    ) -> PreparedEdit:
        fields: dict[str, Any] = vars(self.edit)
        get = fields.get
        default_title: str | None = fields["default_title"]
        default_priority: int | None = fields["default_priority"]
        known = KNOWN_IDS.get(id)
        if known is not None:
            default_title = known.title if default_title is None else default_title
            default_priority = known.priority if default_priority is None else default_priority
        if is_tool(id):
            title = default_title = None
        return PreparedEdit(
            id,
            layer,
            mode,
            self.provider,
            self.place,
            self.position,
            self.rank,
            text,
            raw,
            lines,
            title,
            fields["priority"],
            clean_title(default_title) if default_title else None,
            CUSTOM_PRIORITY if default_priority is None else default_priority,
            heading,
            get("base"),
            get("copy_of_below", False),
            self.origin.owns(id),
            self.origin.exclusive,
            trusted,
            get("template") == "jinja",
            outcome,
            reason,
        )

    def _findings(self, findings: tuple[Diagnostic, ...]) -> Verdict | None:
        """Report what is known of the edit's file; the first error is why the edit has failed."""
        self.said.extend(replace(finding, provider=str(self.provider)) for finding in findings)
        return next((("failed", finding.message, "") for finding in findings if finding.severity == "error"), None)

    def _unreadable(self, layer: str, limits: LayerRule) -> Verdict | None:
        file = self.file
        if file is None:
            return None
        if file.error is not None:
            return ("failed", file.error.message, "")
        if limits.file is not None and file.size > limits.file:
            return ("failed", f"the file has {file.size} bytes, more than the {limits.file} of layer {layer}", "FW005")
        document = file.document
        if document is not None and document.failed:
            reasons = [found.message for found in document.diagnostics if found.severity == "error"]
            return ("failed", reasons[0] if reasons else "its front matter cannot be used", "")
        return None

    def _misused(
        self, mode: PreparedMode, heading: str | None, layer: str, limits: LayerRule, trusted: bool, template: str
    ) -> Verdict | None:
        if mode == "patch":
            if not heading:
                return ("failed", "a patch names the heading whose text it exchanges, and this one does not", "FW014")
        elif heading is not None:
            self.say("FW016", "heading has no effect without mode: patch", "take it away", "warning")
        if template not in limits.templates:
            return ("refused", f"the policy allows no template: {template} in layer {layer}", "FW018")
        if template == "jinja" and not trusted:
            whose = "a skill" if layer in OPERATOR else f"layer {layer}"
            return ("refused", f"template: jinja is for operator layers, not for {whose}", "FW018")
        return None

    def _is_suspicious(self, id: str, raw: str, title: str | None, heading: str | None, clean: bool) -> bool:
        """Say whether the scanner has anything to look at; in doubt it has."""
        if title or heading or not is_plain_name(id) or not (clean or not suspected(raw)):
            return True
        file = self.file
        if file is None:
            return False
        document = file.document
        described = document.front_matter.description if document is not None else None
        if described and not is_plain_name(described.replace("\n", " ")):
            return True
        return not is_plain_name(file.name.rpartition("/")[2])


# What ships with a package is the same for every builder.
_packaged: Final = lru_cache(16)(compile_names)


def _oversized(layer: str, most: int, raw: str) -> Verdict | None:
    size = len(raw.encode())
    if size <= most:
        return None
    return ("refused", f"the text has {size} bytes, more than the {most} of layer {layer}", "FW029")


MEND: Final = "mend it, or take it away"

REMEDIES: Final[Mapping[str, str]] = {
    "FW014": "add heading: to its front matter",
    "FW017": "mend the template",
    "FW018": "take template: jinja away",
    "FW029": "shorten it, or raise the limit under [limits]",
    "FW020": "grant the layer under [plugins.layers]",
}
"""What to do about an edit that is not in effect, by the code of why."""
