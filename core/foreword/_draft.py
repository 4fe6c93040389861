"""Drafts: what can be said of an edit before the value of any variable is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from foreword.templates._names import compile_names

from ._diagnostics import Diagnostic
from ._edit_text import EditText, Verdict
from ._layers import OPERATOR
from ._model import Section
from ._names import CUSTOM_PRIORITY, KNOWN_IDS, NameRefused, check_id, clean_title, is_tool, plugin_prefix
from ._prepared import Outcome, PreparedEdit, PreparedMode
from ._provider import UNTRUSTED_ARGUMENT, Provider

if TYPE_CHECKING:
    from foreword.templates._names import NamesTemplate

    from ._policy import Policy
    from ._screen import Screen


@dataclass(slots=True)
class Draft:
    """One edit, as far as it is prepared.

    ``prepared`` is what it comes out as, None when it is no edit. Where ``waits`` is set, its text is still to be
    rendered: by ``template``, or in mode ``jinja`` where there is none.
    """

    edit: Section
    provider: Provider
    layers: tuple[str, ...]
    position: int
    rank: int
    prepared: PreparedEdit | None = None
    said: tuple[Diagnostic, ...] = ()
    waits: bool = False
    template: NamesTemplate | None = None
    title: str | None = None


def draft(
    edit: Section,
    provider: Provider,
    layers: tuple[str, ...],
    position: int,
    rank: int,
    policy: Policy,
    screen: Screen,
) -> Draft:
    """Return the draft of an edit.

    Args:
        edit: what the source gave.
        provider: who the source is, stamped by the host.
        layers: the layers that are granted to the provider, low to high.
        position: the edit's place in the list that the provider returned.
        rank: its rank inside the layer.
        policy: what the operator allows.
        screen: what scans and neutralises.
    """
    made = Draft(edit, provider, layers, position, rank)
    said: list[Diagnostic] = []
    _Drafting(made, policy, EditText(edit, provider, screen, said)).run()
    made.said = tuple(said)
    return made


class _Drafting:
    """Finds out an edit's id, layer and mode, and what is wrong with it."""

    def __init__(self, made: Draft, policy: Policy, text: EditText) -> None:
        self.made = made
        self.edit = made.edit
        self.full = text.full
        self.file = text.file
        self.provider = made.provider
        self.policy = policy
        self.text = text

    def run(self) -> None:
        edit, full, text = self.edit, self.full, self.text
        wrong = self._findings()
        if wrong is not None and not edit.id:
            return
        try:
            id = check_id(edit.id)
        except NameRefused as problem:
            text.say("FW034" if self.file is None else "FW007", f"{edit.id!r} is no id: {problem}", "rename it")
            return
        layer = self.made.layers[0]
        verdict: Verdict | None = None
        if full is not None and full.layer is not None:
            layer = full.layer
            if layer not in self.made.layers:
                granted = ", ".join(self.made.layers)
                reason = f"{self.provider.name} may not write in layer {layer}, only in {granted}"
                verdict = ("refused", reason, "FW020")
        mode: PreparedMode = full.mode if full is not None and full.mode is not None else "plain"
        heading = full.heading.strip() if full is not None and full.heading is not None else None
        if verdict is None:
            verdict = wrong or self._unreadable(layer) or self._misused(mode, heading, layer)
        raw = edit.text
        if self.file is None:
            if "\r" in raw:
                raw = raw.replace("\r\n", "\n").replace("\r", "\n")
            raw = raw.strip()
        title = clean_title(edit.title) if edit.title is not None else None
        if verdict is None and not raw and mode not in ("remove", "move"):
            if self.file is None or mode != "plain" or (title is None and edit.priority is None):
                text.say(
                    "FW010",
                    f"the text of {id!r} is empty, so it changes nothing",
                    "write a text, or say mode: remove to take the section away",
                    "warning",
                    id,
                )
                return
            mode = "move"
        trusted = layer in OPERATOR and not _is_skill(self.provider)
        if verdict is None and layer != "builtin":
            verdict = text.scanned(id, raw, title, heading, trusted)
        renders = bool(raw) and mode not in ("remove", "move")
        if verdict is None and renders:
            verdict = self._oversized(layer, raw)
        if verdict is not None:
            outcome, reason, code = verdict
            if code:
                text.say(code, reason, REMEDIES.get(code, MEND), "error", id)
            self._stamp(id, layer, mode, heading, title, trusted, raw, "", None, outcome, reason)
            return
        if not renders:
            self._stamp(id, layer, mode, heading, title, trusted, raw, raw, None)
            return
        self.made.title = title
        if full is None or not full.literal:
            jinja = full is not None and full.template == "jinja"
            template = compile_names(raw) if not jinja and "{" in raw and "{{" in raw else None
            if jinja or (template is not None and template.names):
                self.made.waits = True
                self.made.template = template
                self._stamp(id, layer, mode, heading, title, trusted, raw, raw, None)
                return
        body, lines = raw, None
        if not trusted and not is_tool(id):
            body, lines = text.neutralised(id, raw, None, title)
            if not body:
                text.say("FW010", f"the text of {id!r} is only its title", "write a text", "warning", id)
                return
        self._stamp(id, layer, mode, heading, title, trusted, raw, body, lines)

    def _stamp(
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
    ) -> None:
        edit, full, provider = self.edit, self.full, self.provider
        known = KNOWN_IDS.get(id)
        default_title, default_priority = edit.default_title, edit.default_priority
        if known is not None:
            default_title = known.title if default_title is None else default_title
            default_priority = known.priority if default_priority is None else default_priority
        if is_tool(id):
            title = default_title = None
        self.made.prepared = PreparedEdit(
            id,
            layer,
            mode,
            provider,
            self.text.place,
            self.made.position,
            self.made.rank,
            text,
            raw,
            lines,
            title,
            edit.priority,
            clean_title(default_title) if default_title else None,
            default_priority if default_priority is not None else CUSTOM_PRIORITY,
            heading,
            full.base if full is not None else None,
            full.copy_of_below if full is not None else False,
            _is_own(provider, id),
            provider is UNTRUSTED_ARGUMENT,
            trusted,
            full is not None and full.template == "jinja",
            outcome,
            reason,
        )

    def _findings(self) -> Verdict | None:
        """Report what is known of the edit's file; the first error is why the edit has failed."""
        findings = self.full.findings if self.full is not None else ()
        if not findings:
            return None
        self.text.said.extend(replace(finding, provider=str(self.provider)) for finding in findings)
        return next((("failed", finding.message, "") for finding in findings if finding.severity == "error"), None)

    def _unreadable(self, layer: str) -> Verdict | None:
        file = self.file
        if file is None:
            return None
        if file.error is not None:
            return ("failed", file.error.message, "")
        most = self.policy.limits(layer).file
        if most is not None and file.size > most:
            return ("failed", f"the file has {file.size} bytes, more than the {most} of layer {layer}", "FW005")
        if file.document is not None and file.document.failed:
            reasons = [found.message for found in file.document.diagnostics if found.severity == "error"]
            return ("failed", reasons[0] if reasons else "its front matter cannot be used", "")
        return None

    def _misused(self, mode: PreparedMode, heading: str | None, layer: str) -> Verdict | None:
        full = self.full
        if full is None:
            return None
        if mode == "patch" and not heading:
            return ("failed", "a patch names the heading whose text it exchanges, and this one does not", "FW014")
        if heading is not None and mode != "patch":
            self.text.say("FW016", "heading has no effect without mode: patch", "take it away", "warning")
        template = full.template or "names"
        if template not in self.policy.limits(layer).templates:
            return ("refused", f"the policy allows no template: {template} in layer {layer}", "FW018")
        if template == "jinja" and (layer not in OPERATOR or _is_skill(self.provider)):
            whose = "a skill" if layer in OPERATOR else f"layer {layer}"
            return ("refused", f"template: jinja is for operator layers, not for {whose}", "FW018")
        return None

    def _oversized(self, layer: str, raw: str) -> Verdict | None:
        most = self.policy.limits(layer).section
        if most is not None and len(raw.encode()) > most:
            reason = f"the text has {len(raw.encode())} bytes, more than the {most} of layer {layer}"
            return ("refused", reason, "FW029")
        return None


MEND: Final = "mend it, or take it away"

REMEDIES: Final = {
    "FW014": "add heading: to its front matter",
    "FW017": "mend the template",
    "FW018": "take template: jinja away",
    "FW029": "shorten it, or raise the limit under [limits]",
    "FW020": "grant the layer under [plugins.layers]",
}
"""What to do about an edit that is not in effect, by the code of why."""


def _is_skill(provider: Provider) -> bool:
    # A skill is a stranger's text, wherever the operator keeps it.
    return provider.entry_point == "skills" and provider.first_party


def _is_own(provider: Provider, id: str) -> bool:
    """Whether the id is one that the provider may define in layer extension."""
    if provider is UNTRUSTED_ARGUMENT or provider.first_party:
        return True
    prefix = plugin_prefix(provider.distribution) + "."
    return id.startswith((prefix, f"skills/{prefix}"))
