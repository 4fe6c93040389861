"""Exchange: where one of the operator's files says another text, the prompt is the last one but for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from foreword.files._exchange import exchange
from foreword.files._markdown_file import Directory
from foreword.files._questions import FileKey
from foreword.files._walk import below

from ._file_edit import edits_of
from ._limits import is_within_limits
from ._named_tuple import new as _new
from ._plain_edit import plain_edits
from ._prompt import Prompt
from ._resolution import Resolution
from ._resolve_changed import resolve_changed
from ._sources import FILE_BY_FILE, Given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreword.files._names import Readings
    from foreword.files._stamps import Evidence

    from ._built import Built
    from ._model import Section
    from ._policy import Policy
    from ._prepare import Drafts
    from ._prepared import PreparedEdit


class Spot(NamedTuple):
    """Where a file came into a prompt of which there is nothing to say but its text.

    ``given`` is the place of the source that gave its edit, ``seen`` of its directory among what that asked for,
    ``edit`` of the edit, and ``prepared`` what that came out as.
    """

    given: int
    seen: int
    edit: int
    prepared: PreparedEdit


class Exchanges:
    """Makes prompts of one builder again that differ from the last ones in one file.

    Args:
        readings: what was read.
        max_bytes: the most bytes that a file may have.
        drafts: what edits came out as.
        policy: what the operator allows.
    """

    def __init__(self, readings: Readings, max_bytes: int, drafts: Drafts, policy: Policy) -> None:
        self._readings = readings
        self._max_bytes = max_bytes
        self._drafts = drafts
        self._policy = policy

    def of(self, built: Built, evidence: Evidence, place: int) -> Built | None:
        """Return a prompt as it is now that one file has changed, or None where anything else has to be looked at.

        Args:
            built: the prompt as it was.
            evidence: what shows that it would be made alike.
            place: the place of the file's stamp there.
        """
        path, _ = evidence.stamps[place]
        before, resolution = built.prompt, built.prompt._source  # pyright: ignore[reportPrivateUsage]
        if built.fatal or not isinstance(resolution, Resolution):
            return None
        spot = built.spots.get(path) or self._spot(built.given, resolution, path)
        if spot is None:
            return None
        nth, place_seen, at, went = spot
        given = built.given[nth]
        provider, layers, _, _, seen = given
        edits = given.edits
        old = edits[at].file
        assert seen is not None
        assert old is not None
        found = exchange(self._readings, seen[place_seen], old, evidence, place, self._max_bytes)
        if found is None:
            return None
        file, observation, evidence = found
        if file is old:
            return built._replace(proof=evidence)
        edits = (*edits[:at], *edits_of((file,)), *edits[at + 1 :])
        come = self._plain(given, edits, at)
        if come is None or come.id != went.id:
            return None
        policy = self._policy
        changed = resolve_changed(resolution, (went,), (come,), policy)
        if changed.fatal or changed.diagnostics is not resolution.diagnostics or not is_within_limits(changed, policy):
            return None
        seen = (*seen[:place_seen], observation, *seen[place_seen + 1 :])
        given = _new(Given, (provider, layers, edits, (), seen))
        all_given = (*built.given[:nth], given, *built.given[nth + 1 :])
        prompt = Prompt(changed, before.diagnostics, before.agent, before._layout)  # pyright: ignore[reportPrivateUsage]
        spots = {**built.spots, path: _new(Spot, (nth, place_seen, at, come))}
        return built._replace(given=all_given, prompt=prompt, proof=evidence, spots=spots)

    def _spot(self, all_given: Sequence[Given], resolution: Resolution, path: str) -> Spot | None:
        """Return the spot of a file, None where there is more to it, or it was read more than once."""
        found: list[tuple[int, int]] = []
        for nth, given in enumerate(all_given):
            for seen, (key, answer) in enumerate(given.seen or ()):
                if isinstance(answer, Directory):
                    found += [(nth, seen) for file in answer.files if file.path == path]
                elif isinstance(key, FileKey) and below(key.root.path, key.name) == path:
                    return None
        if len(found) != 1:
            return None
        ((nth, seen),) = found
        given = all_given[nth]
        if given.diagnostics or given.provider.entry_point not in FILE_BY_FILE:
            return None
        for at, edit in enumerate(given.edits):
            if edit.file is not None and edit.file.path == path:
                plain = self._plain(given, given.edits, at)
                one = resolution.one(plain.id) if plain is not None else None
                if one is None or plain not in one.edits:
                    return None
                return Spot(nth, seen, at, one.edits[one.edits.index(plain)])
        return None

    def _plain(self, given: Given, edits: Sequence[Section], at: int) -> PreparedEdit | None:
        """Return what an edit comes out as of which there is nothing to say, None where there is, or may be."""
        origin = self._drafts.origin(given.provider, given.layers, self._policy)
        return plain_edits(edits, (at,), origin, False)[0]
