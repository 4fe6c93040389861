"""Preparation: each edit by itself is decoded, rendered and stamped, before any is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from foreword.templates._names import Value

from ._diagnostics import Diagnostic
from ._edit_text import EditText
from ._layers import OPERATOR
from ._model import Section
from ._names import (
    CUSTOM_PRIORITY,
    KNOWN_IDS,
    NameRefused,
    check_id,
    clean_title,
    is_tool,
    plugin_prefix,
)
from ._policy import Policy
from ._prepared import Outcome, PreparedEdit, PreparedMode
from ._provider import UNTRUSTED_ARGUMENT, Provider
from ._screen import Screen


@dataclass(frozen=True, slots=True)
class Preparation:
    """What every edit of one build is prepared with."""

    agent: str | None
    policy: Policy
    values: Mapping[str, Value]
    """Every registered variable."""
    trusted_values: Mapping[str, Value]
    """Those that the operator or the call gave: the only ones that reach a locked section."""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    screen: Screen = field(default_factory=Screen)

    def prepare(
        self,
        edit: Section,
        provider: Provider,
        layers: tuple[str, ...],
        position: int = 0,
        rank: int = 0,
    ) -> PreparedEdit | None:
        """Prepare one edit, or return None when it is no edit.

        Args:
            edit: what the source gave.
            provider: who the source is, stamped by the host.
            layers: the layers that are granted to the provider, low to high.
            position: the edit's place in the list that the provider returned.
            rank: its rank inside the layer.
        """
        return _One(self, edit, provider, layers, position, rank).prepared()


class _One(EditText):
    """The preparation of one edit: its id, layer and mode, and what it comes out as."""

    def __init__(
        self,
        shared: Preparation,
        edit: Section,
        provider: Provider,
        layers: tuple[str, ...],
        position: int,
        rank: int,
    ) -> None:
        super().__init__(shared, edit, provider)
        self.layers = layers
        self.position = position
        self.rank = rank

    def prepared(self) -> PreparedEdit | None:
        edit, full = self.edit, self.full
        if full is not None and full.when is not None and not full.when.holds(self.shared.agent, self.shared.values):
            return None
        wrong = self._findings()
        if wrong is not None and not edit.id:
            return None
        try:
            id = check_id(edit.id)
        except NameRefused as problem:
            self.say("FW034" if self.file is None else "FW007", f"{edit.id!r} is no id: {problem}", "rename it")
            return None
        layer = self.layers[0]
        verdict: tuple[Outcome, str, str] | None = None
        if full is not None and full.layer is not None:
            layer = full.layer
            if layer not in self.layers:
                reason = f"{self.provider.name} may not write in layer {layer}, only in {', '.join(self.layers)}"
                verdict = ("refused", reason, "FW020")
        mode: PreparedMode = full.mode if full is not None and full.mode is not None else "plain"
        heading = full.heading.strip() if full is not None and full.heading is not None else None
        if verdict is None:
            verdict = wrong or self._unreadable(layer) or self._misused(mode, heading, layer)
        raw = edit.text
        if self.file is None:
            raw = raw.replace("\r\n", "\n").replace("\r", "\n")
        raw = raw.strip()
        title = clean_title(edit.title) if edit.title is not None else None
        if verdict is None and not raw and mode not in ("remove", "move"):
            if self.file is None or mode != "plain" or (title is None and edit.priority is None):
                self.say(
                    "FW010",
                    f"the text of {id!r} is empty, so it changes nothing",
                    "write a text, or say mode: remove to take the section away",
                    "warning",
                    id,
                )
                return None
            mode = "move"
        text, lines = raw, None
        trusted = self._trusted(layer)
        if verdict is None and layer != "builtin":
            verdict = self.scanned(id, raw, title, heading, trusted)
        if verdict is None and raw and mode not in ("remove", "move"):
            text, lines, verdict = self.rendered(id, layer, raw)
            if verdict is None and not trusted and not is_tool(id):
                text, lines = self.neutralised(id, text, lines, title)
                if not text:
                    self.say("FW010", f"the text of {id!r} is only its title", "write a text", "warning", id)
                    return None
            if verdict is None and not text:
                self.say("FW010", f"the text of {id!r} is empty once rendered", "check its conditions", "warning", id)
                return None
        if verdict is not None:
            outcome, reason, code = verdict
            if code:
                self.say(code, reason, _REMEDIES.get(code, "mend it, or take it away"), "error", id)
            return self._stamped(id, layer, mode, heading, title, outcome=outcome, reason=reason, raw=raw)
        return self._stamped(id, layer, mode, heading, title, text=text, raw=raw, lines=lines)

    def _stamped(
        self,
        id: str,
        layer: str,
        mode: PreparedMode,
        heading: str | None,
        title: str | None,
        *,
        text: str = "",
        raw: str = "",
        lines: tuple[int, ...] | None = None,
        outcome: Outcome | None = None,
        reason: str = "",
    ) -> PreparedEdit:
        edit, full = self.edit, self.full
        known = KNOWN_IDS.get(id)
        default_title = edit.default_title if edit.default_title is not None else known.title if known else None
        default_priority = (
            edit.default_priority
            if edit.default_priority is not None
            else known.priority
            if known
            else CUSTOM_PRIORITY
        )
        return PreparedEdit(
            id=id,
            layer=layer,
            mode=mode,
            provider=self.provider,
            place=self.place,
            position=self.position,
            rank=self.rank,
            text=text,
            raw=raw,
            lines=lines,
            title=None if is_tool(id) else title,
            priority=edit.priority,
            default_title=None if is_tool(id) else clean_title(default_title) if default_title else None,
            default_priority=default_priority,
            heading=heading,
            base=full.base if full is not None else None,
            copy_of_below=full.copy_of_below if full is not None else False,
            own=self._own(id),
            exclusive=self.provider is UNTRUSTED_ARGUMENT,
            trusted=self._trusted(layer),
            jinja=full is not None and full.template == "jinja",
            verdict=outcome,
            reason=reason,
        )

    def _own(self, id: str) -> bool:
        """Whether the id is one that the provider may define in layer extension."""
        if self.provider is UNTRUSTED_ARGUMENT or self.provider.first_party:
            return True
        prefix = plugin_prefix(self.provider.distribution) + "."
        return id.startswith((prefix, f"skills/{prefix}"))

    def _trusted(self, layer: str) -> bool:
        # A skill is a stranger's text, wherever the operator keeps it.
        return layer in OPERATOR and not (self.provider.first_party and self.provider.entry_point == "skills")

    def _findings(self) -> tuple[Outcome, str, str] | None:
        """Report what is known of the edit's file; the first error is why the edit has failed."""
        findings = self.full.findings if self.full is not None else ()
        self.shared.diagnostics.extend(replace(finding, provider=str(self.provider)) for finding in findings)
        return next((("failed", finding.message, "") for finding in findings if finding.severity == "error"), None)

    def _unreadable(self, layer: str) -> tuple[Outcome, str, str] | None:
        file = self.file
        if file is None:
            return None
        if file.error is not None:
            return ("failed", file.error.message, "")
        most = self.shared.policy.limits(layer).file
        if most is not None and file.size > most:
            return ("failed", f"the file has {file.size} bytes, more than the {most} of layer {layer}", "FW005")
        if file.document is not None and file.document.failed:
            reasons = [found.message for found in file.document.diagnostics if found.severity == "error"]
            return ("failed", reasons[0] if reasons else "its front matter cannot be used", "")
        return None

    def _misused(
        self, mode: PreparedMode, heading: str | None, layer: str
    ) -> tuple[Outcome, str, str] | None:
        full = self.full
        if full is None:
            return None
        if mode == "patch" and not heading:
            return ("failed", "a patch names the heading whose text it exchanges, and this one does not", "FW014")
        if heading is not None and mode != "patch":
            self.say("FW016", "heading has no effect without mode: patch", "take it away", "warning")
        if (full.template or "names") not in self.shared.policy.limits(layer).templates:
            mode_named = full.template or "names"
            return ("refused", f"the policy allows no template: {mode_named} in layer {layer}", "FW018")
        if full.template == "jinja" and not self._trusted(layer):
            whose = "a skill" if layer in OPERATOR else f"layer {layer}"
            return ("refused", f"template: jinja is for operator layers, not for {whose}", "FW018")
        return None


_REMEDIES = {
    "FW014": "add heading: to its front matter",
    "FW017": "mend the template",
    "FW018": "take template: jinja away",
    "FW029": "shorten it, or raise the limit under [limits]",
    "FW020": "grant the layer under [plugins.layers]",
}
