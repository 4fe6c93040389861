"""Exchange: where files of the operator's say another text, the prompt is the last one but for that."""

from __future__ import annotations

from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, NamedTuple

from foreword.files._exchange import exchange
from foreword.files._markdown_file import Directory
from foreword.files._questions import DirectoryKey, Observation

from ._built import Built
from ._file_edit import edits_of
from ._limits import is_within_limits
from ._named_tuple import new as _new
from ._plain_edit import plain_edits, plain_name_of, plain_text
from ._prompt import Prompt
from ._resolution import Resolution
from ._resolve_changed import resolve_changed
from ._sources import FILE_BY_FILE, Given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foreword.files._markdown_file import MarkdownFile
    from foreword.files._names import Readings
    from foreword.files._stamps import Evidence

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
    """Makes prompts of one builder again that differ from the last ones in the text of some files.

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
        """Return a prompt as it is now that some files have changed, or None where anything else has to be looked at.

        Args:
            built: the prompt as it was.
            evidence: what shows that it would be made alike.
            place: the place there of the first stamp that is not as it was.
        """
        before, spots = built.prompt, built.spots or {}
        resolution = before._source  # pyright: ignore[reportPrivateUsage]
        if built.fatal or not isinstance(resolution, Resolution):
            return None
        path, _ = evidence.stamps[place]
        spot = spots.get(path) or self._spot(built.given, resolution, path)
        if spot is None:
            return None
        nth, place_seen, _, _ = spot
        given = built.given[nth]
        provider, layers, _, _, seen = given
        assert seen is not None
        key, directory = seen[place_seen]
        assert isinstance(key, DirectoryKey)
        assert isinstance(directory, Directory)
        found = exchange(self._readings, key, evidence, place, self._max_bytes)
        if found is None or found.directory.diagnostics or len(found.directory.files) != len(directory.files):
            return None
        gone: list[PreparedEdit] = []
        come: list[PreparedEdit] = []
        files = zip(directory.files, found.directory.files, strict=True)
        for old, new in compress(files, map(is_not, directory.files, found.directory.files)):
            path = new.path
            spot = spots.get(path) or self._spot(built.given, resolution, path)
            if spot is None or path not in found.read or old.name != new.name:
                return None
            _, _, at, went = spot
            plain = self._plain(given, new, at)
            if plain is None or plain.id != went.id:
                return None
            gone.append(went)
            come.append(plain)
            spots = {**spots, path: _new(Spot, (nth, place_seen, at, plain))}
        if not come:
            return built._replace(proof=found.evidence)
        policy = self._policy
        changed = resolve_changed(resolution, gone, come, policy)
        if changed.fatal or changed.diagnostics is not resolution.diagnostics or not is_within_limits(changed, policy):
            return None
        seen = (*seen[:place_seen], _new(Observation, (key, found.directory)), *seen[place_seen + 1 :])
        given = _new(Given, (provider, layers, None, (), seen))
        all_given = (*built.given[:nth], given, *built.given[nth + 1 :])
        prompt = Prompt(changed, before.diagnostics, before.agent, before._layout)  # pyright: ignore[reportPrivateUsage]
        return _new(Built, (all_given, built.strangers, built.values, prompt, (), found.evidence, spots))

    def _spot(self, all_given: Sequence[Given], resolution: Resolution, path: str) -> Spot | None:
        """Return the spot of a file, None where there is more to it, or it was read more than once."""
        found: list[tuple[int, int]] = []
        for nth, given in enumerate(all_given):
            for seen, (_, answer) in enumerate(given.seen or ()):
                if isinstance(answer, Directory):
                    found += [(nth, seen) for file in answer.files if file.path == path]
        if len(found) != 1:
            return None
        ((nth, seen),) = found
        given = all_given[nth]
        if given.diagnostics or given.provider.entry_point not in FILE_BY_FILE:
            return None
        files = given.files
        if list(given.edits) != edits_of(files):
            return None
        at = next(at for at, file in enumerate(files) if file.path == path)
        plain = self._plain(given, files[at], at)
        one = resolution.one(plain.id) if plain is not None else None
        if one is None or plain not in one.edits:
            return None
        return Spot(nth, seen, at, one.edits[one.edits.index(plain)])

    def _plain(self, given: Given, file: MarkdownFile, at: int) -> PreparedEdit | None:
        """Return what the edit of a file comes out as of which there is nothing to say, None where there may be."""
        origin = self._drafts.origin(given.provider, given.layers, self._policy)
        name = plain_name_of(file, False) if origin.plain_layer is not None else None
        if name is not None:
            return plain_text(name, origin, file.place, at, file.text)
        (plain,) = plain_edits(edits_of((file,)), (0,), origin, False)
        return plain._replace(position=at) if plain is not None else None
