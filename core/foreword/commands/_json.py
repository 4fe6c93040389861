"""The stable JSON forms of prompts, explanations and diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foreword import Diagnostic, Explanation, Prompt, PromptSection
    from foreword._prepared import Step


def dump(content: object) -> str:
    """Return JSON for people and programs: indented, keys in the order of the documentation."""
    import json

    return json.dumps(content, ensure_ascii=False, indent=2)


def of_prompt(prompt: Prompt) -> dict[str, Any]:
    """Return the JSON form of a prompt."""
    return {
        "text": prompt.text,
        "fingerprint": prompt.fingerprint,
        "sections": [of_section(section) for section in prompt.sections],
        "tools": dict(prompt.tools),
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in prompt.diagnostics],
    }


def of_section(section: PromptSection) -> dict[str, Any]:
    """Return the JSON form of a section."""
    return {
        "id": section.id,
        "title": section.title,
        "priority": section.priority,
        "layer": section.layer,
        "defined_in": section.defined_in,
        "origin": str(section.origin),
        "provenance": [of_step(step) for step in section.provenance],
    }


def of_step(step: Step) -> dict[str, Any]:
    """Return the JSON form of one link of a section's provenance."""
    import hashlib

    edit = step.edit
    return {
        "outcome": step.outcome,
        "layer": edit.layer,
        "mode": edit.mode,
        "provider": edit.provider.name,
        "version": edit.provider.version,
        "place": str(edit.place),
        "sha256": hashlib.sha256(edit.text.encode()).hexdigest(),
        "reason": step.reason,
    }


def of_explanation(explanation: Explanation) -> dict[str, Any]:
    """Return the JSON form of an explanation."""
    section = explanation.section
    described = of_section(section) if section is not None else {"id": explanation.id}
    return {
        **described,
        "in_prompt": section is not None,
        "provenance": [of_step(step) for step in explanation.steps],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in explanation.diagnostics],
    }


def of_diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the JSON form of a diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "place": str(diagnostic.place) if diagnostic.place is not None else None,
        "remedy": diagnostic.remedy,
        "section": diagnostic.section,
        "provider": diagnostic.provider,
    }
