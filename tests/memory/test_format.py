"""The format on disk: what foreword writes is what the page about it says, and what others write so is read."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "memory-format.md").read_text()


def keys(heading: str) -> set[str]:
    """The keys in the table below a heading of the page."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def digest(data: bytes) -> str:
    """The hash of some bytes."""
    return hashlib.sha256(data).hexdigest()


def test_what_is_written_has_the_keys_and_hashes_of_the_page(home) -> None:
    """After every kind of change record, journal and texts hold exactly what the page says."""
    memory = home.memory()
    memory.override("custom_style", "Mine.")
    memory.override("identity", "More.", mode="append")
    home.write(home.copies / "STYLE.md", "mine\n")
    home.write(home.prompts / "STYLE.md", "new\n")
    home.write(home.prompts / "NEWS.md", "News.\n")
    home.memory("operator").upgrade()
    home.memory("operator").settle("custom_style", "new")
    home.memory("tool").revert(2)
    (home.copies / "TOOL_USAGE.md").unlink()
    home.memory().status()
    record = json.loads((home.kept / "record.json").read_text())
    assert set(record) == keys("`record.json`")
    journal = sorted((home.kept / "journal").iterdir())
    assert [path.name for path in journal] == [f"{number:08}.json" for number in range(1, len(journal) + 1)]
    assert record["applied"] == len(journal)
    shape = re.compile(
        r"create|(override: \w+)|(upgrade: (refresh|merge|conflict|copy|take mine|take new) \S+)|(revert \d+: .*)|"
        r"((added|changed|deleted) past foreword: \S+)"
    )
    kept = {path.name: path.read_bytes() for path in (home.kept / "texts").iterdir()}
    assert all(name == digest(data) for name, data in kept.items())
    whos = set()
    for number, path in enumerate(journal, 1):
        entry = json.loads(path.read_text())
        assert set(entry) == keys("The journal")
        assert entry["n"] == number
        assert shape.fullmatch(entry["what"]), entry["what"]
        whos.add(entry["who"])
        for before, after in entry["files"].values():
            assert {before, after} - {None} <= set(kept)
        for pair in entry["bases"].values():
            assert all(set(bases) == {"copy", "override"} for bases in pair)
    assert whos == {"agent", "operator", "tool", "unknown"}
    assert record["files"] == {
        path.relative_to(home.root / "souveraine_operations").as_posix(): digest(path.read_bytes())
        for folder in (home.copies, home.overrides)
        for path in folder.rglob("*.md")
    }
    for name, copy in record["copies"].items():
        assert set(copy) == {"id", "base", "title", "priority"}
        assert kept[copy["base"]] == kept[copy["base"]].strip()
        if (home.copies / name).exists():
            assert copy["base"] == digest((home.copies / name).read_bytes().strip())
    assert record["overrides"]["AGENTS.append-001.md"] == {"base": record["copies"]["AGENTS.md"]["base"]}


def test_a_memory_that_another_program_wrote_is_read_merged_and_undone(house) -> None:
    """A memory written by hand as the page says is as good as one of foreword's own."""
    base = b"one\ntwo\nthree\nfour\nfive"
    house.write(house.prompts / "STYLE.md", b"ONE\ntwo\nthree\nfour\nfive\n")
    house.write(house.copies / "STYLE.md", b"one\ntwo\nthree\nfour\nFIVE\n")
    mine = b"By another program.\n"
    for text in (base, mine):
        house.write(house.kept / "texts" / digest(text), text)
    copies = {"STYLE.md": {"id": "custom_style", "base": digest(base)}}
    house.write(house.kept / "record.json", json.dumps({"version": 1, "agent": "ada", "copies": copies}))
    entry = {"n": 1, "id": "identity", "who": "tool", "when": "2026-04-13T09:30:00.000Z", "why": "", "what": "override"}
    changes = {"files": {"prompt-overrides/AGENTS.md": [None, digest(mine)]}, "bases": {}}
    house.write(house.kept / "journal" / "00000001.json", json.dumps({**entry, **changes}))
    assert house.state("STYLE.md") == "stale"
    assert house.text("identity") == "By another program."
    done = {one.file: one.action for one in house.memory().upgrade()}
    assert done.pop("STYLE.md") == "merge"
    assert set(done.values()) == {"copy"}
    assert (house.copies / "STYLE.md").read_bytes() == b"ONE\ntwo\nthree\nfour\nFIVE\n"
    house.memory().revert(1)
    assert not (house.overrides / "AGENTS.md").exists()
