"""The parser of a file that begins with three hyphens: its front matter, or why it has none."""

from __future__ import annotations

import re
from typing import Final

from pydantic import ValidationError

from foreword._diagnostics import Diagnostic, Place, Severity
from foreword.markdown._front_matter import EMPTY, KEYS, Document, FrontMatter, line_of_text
from foreword.markdown._front_matter_model import EXPECTED, WHEN_KEYS
from foreword.markdown._yaml import Block, BrokenYaml, read_mapping

# Only "\n" ends a line here: str.splitlines() would also split at form feeds and U+2028.
_FENCE: Final = re.compile(r"---[ \t]*$", re.MULTILINE)
_CLOSING: Final = re.compile(r"\n---[ \t]*$", re.MULTILINE)
_CONTENT: Final = re.compile(r"^[ \t]*[^# \t\n]", re.MULTILINE)
_ANY_KEY: Final = "|".join(map(re.escape, sorted(KEYS)))
_KNOWN_KEY: Final = re.compile(rf"^[ \t{{]*[\"']?(?:{_ANY_KEY})[\"']?[ \t]*:", re.MULTILINE)
_DESCRIPTION: Final = re.compile(r"^(description[ \t]*:[ \t]+)([^|>\s].*)$", re.MULTILINE)
_ID: Final = re.compile(r"^id[ \t]*:.*$", re.MULTILINE)
_MOST: Final = 10
_LONGEST: Final = 40


class Parser:
    """Reads one file that begins with three hyphens, white space set aside."""

    def __init__(self, source: str, path: str) -> None:
        self._source = source
        self._path = path
        self._diagnostics: list[Diagnostic] = []

    def document(self) -> Document:
        """Return what was read."""
        opening = _FENCE.match(self._source)
        if opening is None:
            return self._without_front_matter()
        closing = _CLOSING.search(self._source, opening.end())
        if closing is None:
            return self._all_text("the block that '---' opens is never closed", "close it with a line '---'")
        block = self._source[opening.end() + 1 : closing.start() + 1]
        if _CONTENT.search(block) is None:
            return self._with_body(closing.end(), EMPTY)
        return self._with_block(block, closing.end())

    def _with_block(self, block: str, end: int) -> Document:
        try:
            mapping = self._mapping(block)
        except BrokenYaml as error:
            if _KNOWN_KEY.search(block) is None:
                return self._all_text("the block at the start is not YAML and has no known key")
            message = f"the front matter is broken YAML: {error}"
            self._say("FW014", message, error.line, "correct it, or put the value in quotes")
            return self._with_body(end, _identified(block), failed=True)
        if mapping is None:
            return self._all_text("the block at the start is no mapping of keys to values")
        if KEYS.isdisjoint(mapping.values):
            hints = (_nearest(key, KEYS) for key in list(mapping.values)[:_MOST])
            hint = next(filter(None, hints), "use a known key")
            return self._all_text("the block at the start has no known key", hint)
        self._check_keys(mapping)
        front_matter, failed = self._validated(mapping)
        return self._with_body(end, front_matter, failed=failed)

    def _mapping(self, block: str) -> Block | None:
        try:
            return read_mapping(block, 2)
        except BrokenYaml:
            found = _DESCRIPTION.search(block)
            if found is None:
                raise
            quoted = found[2].rstrip().replace("'", "''")
            mapping = read_mapping(f"{block[: found.start()]}{found[1]}'{quoted}'{block[found.end() :]}", 2)
            line = 2 + block.count("\n", 0, found.start())
            message = "the value of 'description' is broken YAML and was read as plain text"
            self._say("FW015", message, line, "put it in quotes")
            return mapping

    def _check_keys(self, mapping: Block) -> None:
        unknown = [key for key in mapping.values if key not in KEYS]
        for key in unknown[:_MOST]:
            remedy = _nearest(key, KEYS) or "remove it"
            message = f"front matter has no key '{_short(key)}'"
            self._say("FW011", message, mapping.line((key,)), remedy)
        if len(unknown) > _MOST:
            message = f"front matter has {len(unknown) - _MOST} more keys that are not known"
            self._say("FW011", message, mapping.line((unknown[_MOST],)), "remove them")
        for path in mapping.repeated[:_MOST]:
            message = f"the key '{_short('.'.join(path))}' is given more than once and the last one counts"
            self._say("FW011", message, mapping.line(path), "give it once")

    def _validated(self, mapping: Block) -> tuple[FrontMatter, bool]:
        # A key without a value is one that its author left open.
        values = {key: value for key, value in mapping.values.items() if key in KEYS and value is not None}
        try:
            return FrontMatter.model_validate(values), False
        except ValidationError as invalid:
            errors = invalid.errors(include_url=False, include_input=False)
            for error in errors[:_MOST]:
                where = tuple(str(part) for part in error["loc"])
                self._say_wrong(where, error["type"], mapping.line(where))
            # What can be read still says which section the failed edit is about.
            wrong = {error["loc"][0] for error in errors}
            kept = {key: value for key, value in values.items() if key not in wrong}
            return FrontMatter.model_validate(kept), True

    def _say_wrong(self, where: tuple[str, ...], kind: str, line: int) -> None:
        if kind == "extra_forbidden":
            message = f"'when' has no key '{_short(where[-1])}'"
            remedy = _nearest(where[-1], WHEN_KEYS) or "use agents or variables"
            self._say("FW014", message, line, remedy)
            return
        name = ".".join(where[:2]) if where[0] == "when" else where[0]
        expected, remedy = EXPECTED[name]
        self._say("FW014", f"the value of '{name}' is not {expected}", line, remedy)

    def _without_front_matter(self) -> Document:
        text = self._source.strip()
        line = line_of_text(self._source, text)
        if text != self._source.rstrip() and _is_block(text):
            message = "front matter counts only at the very start of a file, so this block is text"
            self._say("FW013", message, line, "remove what stands before its first '---'")
        return Document(text, line, diagnostics=tuple(self._diagnostics))

    def _all_text(self, reason: str, remedy: str = "use a known key") -> Document:
        remedy = f"{remedy}, or put an empty line before it if it is text"
        self._say("FW013", f"{reason}, so all of it is text", 1, remedy)
        return Document(self._source.strip(), diagnostics=tuple(self._diagnostics))

    def _with_body(self, end: int, front_matter: FrontMatter, *, failed: bool = False) -> Document:
        rest = self._source[end:]
        text = rest.strip()
        # The first character of the text is no white space, so where it stands first the text begins.
        line = 1 + self._source.count("\n", 0, end + rest.index(text[0])) if text else 1
        if text.startswith("---") and _is_block(text):
            message = "only the first block is front matter, so this second one is text"
            self._say("FW013", message, line, "merge the two blocks")
        said = tuple(self._diagnostics)
        return Document(text, line, front_matter, said, failed, not text)

    def _say(self, code: str, message: str, line: int, remedy: str) -> None:
        severity: Severity = "error" if code == "FW014" else "warning"
        said = Diagnostic(code, severity, message, Place(self._path, line), remedy)
        if said not in self._diagnostics:
            self._diagnostics.append(said)


def _is_block(text: str) -> bool:
    opening = _FENCE.match(text)
    closing = opening and _CLOSING.search(text, opening.end())
    return bool(opening and closing and _KNOWN_KEY.search(text, opening.end(), closing.start() + 1))


def _identified(block: str) -> FrontMatter:
    # A broken edit still has to count against the section that it was meant for.
    found = _ID.search(block)
    try:
        mapping = read_mapping(found[0], 1) if found is not None else None
        return FrontMatter.model_validate(mapping.values) if mapping is not None else EMPTY
    except (BrokenYaml, ValidationError):
        return EMPTY


def _nearest(key: str, known: frozenset[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(_short(key).lower(), sorted(known), n=1)
    return f"perhaps '{near[0]}' is meant" if near else ""


def _short(key: str) -> str:
    return key if len(key) <= _LONGEST else f"{key[: _LONGEST - 1]}…"
