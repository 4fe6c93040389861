"""Prompts of large batches that are made again: where an agent's own sections come to stand among those of all."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder
from foreword._builder import FEW
from foreword._remade import Remade

PRIORITIES = (None, None, 10, 20, 30, 950)
FILES = ("AGENTS.md", "SAFETY.md", "a.md", "b.md", "c.md", "d.md")
TEXTS = ("Be kind.", "# Rules\nBe kind.", "Two\n---\n\nlines")

files = st.dictionaries(
    st.sampled_from(FILES), st.tuples(st.sampled_from(PRIORITIES), st.sampled_from(TEXTS)), max_size=5
)


def written(place: Path, files: dict[str, tuple[int | None, str]]) -> None:
    """Write files, some with the place of their section."""
    place.mkdir(parents=True, exist_ok=True)
    for name, (priority, text) in files.items():
        head = "" if priority is None else f"---\npriority: {priority}\n---\n"
        (place / name).write_text(f"{head}{text} {name} {place.name}")


def test_the_text_of_an_agent_has_its_own_sections_at_their_places() -> None:
    """Whichever sections an agent exchanges, adds and moves, its text is that of a builder that builds no other."""
    seen: Counter[str] = Counter()

    @given(files.map(lambda base: {"AGENTS.md": (None, "Be kind."), **base}), st.lists(files, min_size=2, max_size=2))
    @settings(max_examples=150, deadline=None)
    def check(base: dict[str, tuple[int | None, str]], own: list[dict[str, tuple[int | None, str]]]) -> None:
        with tempfile.TemporaryDirectory() as place:
            prompts = Path(place, "prompts")
            written(prompts, base)
            for number, given_files in enumerate(own):
                written(prompts / "agents" / f"agent{number}", given_files)

            def builder() -> Builder:
                return Builder(prompts_dir=prompts, plugins=False, on_diagnostic=lambda _: None)

            names = [f"agent{number}" for number in range(len(own))]
            many = builder().build_many([*[f"other{number}" for number in range(FEW)], *names])
            for name, prompt, given_files in zip(names, many[-len(names) :], own, strict=True):
                assert prompt.text == builder().build(name).text
                source = prompt._source
                # Where the packaged text with the agent's name in it stands, it is not the agent's own.
                if isinstance(source, Remade) and source.places is not None:
                    at = list(zip(source.places[::2], source.places[1::2], strict=False))[: len(given_files)]
                    seen["exchanged"] += any(is_gone for _, is_gone in at)
                    seen["added"] += any(not is_gone for _, is_gone in at)
                    seen["moved"] += len(source.places) > 2 * len(given_files)

    check()
    assert min(seen["exchanged"], seen["added"], seen["moved"]) > 20
