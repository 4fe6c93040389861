"""Overrides: which file an edit of the agent is written to, and whether the policy lets it stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from foreword._builder import Builder
from foreword._file_edit import file_edit
from foreword._fold import Fold
from foreword._layers import RANK
from foreword._limits import resolve_within_limits
from foreword._memory_record import MemoryRecord
from foreword._model import Edit, Mode
from foreword._names import NameRefused, check_id, id_key, is_tool, normalise, section_name, tool_id
from foreword._plan import Plan
from foreword._plugin_calls import Contribution
from foreword._policy import Policy
from foreword._prepared import PreparedEdit
from foreword._resolution import Resolution
from foreword._standing import text_hash
from foreword._titles import NOTHING_RESERVED
from foreword.files._reader import MarkdownFile
from foreword.files._roots import Root
from foreword.markdown._front_matter import parse

from ._errors import ChangeRefused
from ._memory_files import MemoryFiles, digest
from ._sections import edit_of, is_read_only, section_of
from ._templates import file_stem

WRITERS = (None, "define", "replace", "remove")


class Draft(NamedTuple):
    """An override that is to be written: its file, the bytes of that, and the files that it takes the place of."""

    file: str
    data: bytes
    instead_of: tuple[str, ...]


def draft(
    files: MemoryFiles,
    id: str,
    text: str,
    *,
    mode: Mode | None,
    heading: str | None,
    title: str | None,
    priority: int | None,
) -> Draft:
    """Return the file that an override is written to.

    What gives, replaces or removes the whole text takes the place of the file that did so before; so does a
    second patch of one heading, and a second move. Texts put before or after add up.

    Raises:
        ChangeRefused: the id is none.
    """
    try:
        id = check_id(id)
    except NameRefused as problem:
        raise ChangeRefused(f"{id!r} is no id: {problem}") from problem
    if mode is None and not text.strip() and (title is not None or priority is not None):
        mode = "move"
    present = overrides(files)
    same = {name: edit for name, edit in present.items() if id_key(edit.id) == id_key(id)}
    if mode in WRITERS:
        instead = [name for name, edit in same.items() if edit.mode in WRITERS]
        stem = file_stem(id)
    elif mode == "patch":
        wanted = (heading or "").strip()
        instead = [n for n, edit in same.items() if edit.mode == "patch" and (edit.heading or "").strip() == wanted]
        stem = f"{file_stem(id)}.patch.{_slug(wanted)}"
    elif mode == "move":
        instead = [name for name, edit in same.items() if edit.mode == "move"]
        stem = f"{file_stem(id)}.move"
    else:
        instead = []
        stem = f"{file_stem(id)}.{mode}"
    if instead:
        name = instead[0]
    elif mode in ("prepend", "append"):
        name = _after(present, stem)
    else:
        name = next(name for name in _names(id, stem, whole=mode in WRITERS) if name not in present)
    data = _data(name, id, text, mode=mode, heading=heading, title=title, priority=priority)
    return Draft(name, data, tuple(other for other in instead if other != name))


def overrides(files: MemoryFiles) -> dict[str, Edit]:
    """Return the edit of every override, by the name of its file."""
    folder = f"{MemoryRecord.OVERRIDES}/"
    found: dict[str, Edit] = {}
    for path, data in files.documents().items():
        if path.startswith(folder):
            try:
                found[path.removeprefix(folder)] = edit_of(path, data)
            except Exception:
                continue
    return found


def matches(files: MemoryFiles, id: str) -> dict[str, str | None]:
    """Return the hash of each file of the agent for a section, and None for the file that a first override makes."""
    found: dict[str, str | None] = {}
    with suppress(NameRefused):
        id = check_id(id)
        found[f"{MemoryRecord.OVERRIDES}/{next(_names(id, file_stem(id), whole=True))}"] = None
    for path, data in files.documents().items():
        if id_key(section_of(path, data) or "") == id_key(id):
            found[path] = digest(data)
    return found


class Trial(NamedTuple):
    """A resolution in which a draft takes part: its edit, and the hash of the text below it."""

    edit: PreparedEdit
    base: str | None
    resolution: Resolution


def attempt(builder: Builder, plan: Plan, written: Draft) -> Trial:
    """Resolve the prompt as it would be with the draft, and see what becomes of it.

    Raises:
        ChangeRefused: the draft would be no edit, or would not hold; the message is the reason.
    """
    folder = f"{builder.settings.memory.namespace}/{MemoryRecord.OVERRIDES}"
    gone = {f"{folder}/{name}" for name in (written.file, *written.instead_of)}
    provider = next(plugin.provider for plugin in builder.manager.plugins if plugin.provider.entry_point == "memory")
    place = f"{folder}/{written.file}"
    document = parse(written.data.decode(), place)
    edit = file_edit(MarkdownFile(Root(folder, ""), written.file, place, document, None, None), layer="override")
    others = plan.prepared(without=lambda contribution: _is_one_of(contribution, gone))
    tried = plan.preparation.prepare(edit, provider, ("memory", "override"))
    if tried is None:
        raise ChangeRefused(f"the text of {edit.id!r} is empty, so it would change nothing")
    resolution = resolve_within_limits([*others, tried], builder.policy)
    for step in next((steps for id, steps in resolution.chains.items() if id_key(id) == id_key(tried.id)), ()):
        # A limit that is passed exchanges the edit for one that is refused.
        if step.edit.place == tried.place and step.edit.layer == tried.layer:
            if step.outcome not in ("applied", "stale", "shadowed"):
                raise ChangeRefused(f"{step.outcome}: {step.reason}")
            for found in resolution.diagnostics:
                if found.severity == "error" and found.place == tried.place and found.section == tried.id:
                    raise ChangeRefused(found.message)
            return Trial(tried, _base(others, tried, builder.policy), resolution)
    raise ChangeRefused(f"an edit of {tried.id!r} would have no effect")


def redraft(files: MemoryFiles, written: Draft) -> Draft:
    """Return a draft that waited as it is to be written now, with what others wrote in the meantime."""
    edit = edit_of(f"{MemoryRecord.OVERRIDES}/{written.file}", written.data)
    return draft(
        files,
        edit.id,
        edit.text,
        mode=edit.mode,
        heading=edit.heading,
        title=edit.title,
        priority=edit.priority,
    )


def read_only(files: MemoryFiles, plan: Plan, id: str) -> bool:
    """Return whether a file of the memory says of itself that the memory API may not change its section."""
    copies = files.record().copies
    for path, data in files.documents().items():
        copy = copies.get(path.removeprefix(f"{MemoryRecord.COPIES}/"))
        named = copy.id if copy is not None else section_of(path, data) or ""
        if id_key(named) == id_key(id) and is_read_only(path, data):
            return True
    return any(
        one.edit.file is not None and one.edit.file.front_matter.read_only and id_key(one.edit.id) == id_key(id)
        for one in plan.contributions
        if one.provider.first_party and one.provider.entry_point == "memory"
    )


def _is_one_of(contribution: Contribution, paths: set[str]) -> bool:
    file = contribution.edit.file
    return file is not None and contribution.provider.entry_point == "memory" and file.name in paths


def _base(edits: Iterable[PreparedEdit], tried: PreparedEdit, policy: Policy) -> str | None:
    """Return the hash of the text below, as it reads before rendering."""
    key = id_key(tried.id)
    lower = [edit for edit in edits if id_key(edit.id) == key and RANK[edit.layer] < RANK[tried.layer]]
    fold = Fold(key, lower, policy, NOTHING_RESERVED, compare=True)
    fold.run()
    raw = fold.standing.raw if fold.standing is not None else None
    return None if raw is None else text_hash(raw)


def _names(id: str, stem: str, *, whole: bool) -> Iterator[str]:
    """Yield names for a file; one below ``tools/`` can only stand for the tool that it is called by."""
    if whole and is_tool(id):
        yield f"{id}.md"
    yield f"{stem}.md"
    yield from (f"{stem}-{number}.md" for number in range(2, 1_000_000))


def _after(present: Iterable[str], stem: str) -> str:
    """Return a name that comes after those of the same kind: texts that add up stand in the order of their files."""
    numbers = [name.removeprefix(f"{stem}-").removesuffix(".md") for name in present if name.startswith(f"{stem}-")]
    last = max((int(number) for number in numbers if number.isascii() and number.isdigit()), default=0)
    return f"{stem}-{last + 1:03}.md"


def _slug(heading: str) -> str:
    try:
        return re.sub(r"_+", "_", normalise(heading).replace(".", "_")).strip("_")[:60] or "heading"
    except NameRefused:
        return "heading"


def _data(
    name: str,
    id: str,
    text: str,
    *,
    mode: Mode | None,
    heading: str | None,
    title: str | None,
    priority: int | None,
) -> bytes:
    given: dict[str, object] = {}
    if _named_by(name) != id:
        given["id"] = id
    given.update(mode=mode, heading=heading, title=title, priority=priority)
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in given.items() if value is not None]
    body = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    if lines or body.startswith("---"):
        body = "\n".join(["---", *lines, "---", body]).rstrip()
    return (body + "\n").encode()


def _named_by(name: str) -> str:
    folder, _, base = name.rpartition("/")
    return tool_id(base[:-3]) if folder == "tools" else section_name(base).id
