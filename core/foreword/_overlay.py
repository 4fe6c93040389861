"""Overlay: an agent's own texts are laid over the shared base, where there is nothing to decide about any of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from ._folded import PlaceKey
from ._layers import RANK
from ._layout import DefaultLayout, Layout, texts
from ._named_tuple import new as _new
from ._origin import Origin
from ._plain_edit import plain_name, plain_name_of, plain_text
from ._prepare import is_clean
from ._remade import lay_over, resolved_for
from ._resolution import Resolution
from ._stack import Stacked, over
from ._variant import Variant, Variants

if TYPE_CHECKING:
    from foreword.files._markdown_file import MarkdownFile

    from ._policy import Policy
    from ._prepared import PreparedEdit


class Overlay(NamedTuple):
    """The prompt of an agent that has nothing but some texts of its own; of thousands, each holds little more.

    Attributes:
        common: what agents have in common.
        agent: the agent.
        origin: where its texts come from.
        own: its texts, from the end of the prompt.
        paths: the path to show of the file of each.
        places: for each of them a place in the base, and whether it stands instead of the section there, or before it.
        titles: the title over each, or nothing at all where none has one.
    """

    common: Variants
    agent: str
    origin: Origin
    own: tuple[str, ...]
    paths: tuple[str, ...]
    places: tuple[int, ...]
    titles: tuple[str | None, ...]

    def texts(self, layout: Layout) -> Sequence[str]:
        """Return the sections as the layout writes them."""
        common, agent, _, own, _, places, titles = self
        if not isinstance(layout, DefaultLayout):
            return texts(layout, self.resolution())
        made = [*Variant(common, agent).texts(layout)]
        lay_over(made, own, titles, places, layout)
        return made

    def resolution(self) -> Resolution:
        """Return the resolution of the agent's prompt."""
        own: list[PreparedEdit] = []
        for position, (path, text) in enumerate(sorted(zip(self.paths, self.own, strict=True))):
            name = plain_name(path.rpartition("/")[2])
            assert name is not None
            own.append(plain_text(name, self.origin, path, position, text))
        return resolved_for(self.common.base, self.common.preparation(self.agent), own)


def overlaid(
    common: Variants, agent: str, files: Sequence[MarkdownFile], origin: Origin, policy: Policy
) -> Overlay | None:
    """Return the prompt of an agent, None where there is, or may be, anything to decide about its texts.

    Args:
        common: what agents have in common.
        agent: the agent.
        files: the texts that it has of its own, by name.
        origin: where they come from.
        policy: what the operator allows.
    """
    resolution, layer = common.base.resolution, origin.plain_layer
    if layer is None or layer not in policy.free or resolution.is_strange or resolution.asked:
        return None
    places, one, rank = resolution.places, resolution.changed.get, RANK[layer]
    clean = len(files) > 1 and is_clean([file.text for file in files])
    found: list[tuple[int, bool, PlaceKey, str, str, str | None]] = []
    for file in files:
        name = plain_name_of(file, clean)
        if name is None:
            return None
        key, title, priority = name
        given = None
        old = one(key)
        if old is None:
            place_key = (priority, rank, key)
        elif type(old) is Stacked and RANK[old.edits[-1].layer] < rank:
            place_key, title, given = old.place_key, old.edits[0].default_title, old.given
        else:
            return None
        text = file.text
        title = over(text, title) if given is None else given or None
        found.append((bisect_left(places, place_key), old is not None, place_key, text, file.place, title))
    if not found:
        return _new(Overlay, (common, agent, origin, (), (), (), ()))
    # Of what comes to one place, what stands last is put there first.
    found.sort(key=_place, reverse=True)
    at, are_gone, keys, own, paths, titles = zip(*found, strict=True)
    if len(set(keys)) < len(keys):
        return None
    pairs = tuple(chain.from_iterable(zip(at, are_gone, strict=True)))
    is_titled = titles.count(None) < len(titles)
    return _new(Overlay, (common, agent, origin, own, paths, pairs, titles if is_titled else ()))


_place: Final = itemgetter(0, 1, 2)
