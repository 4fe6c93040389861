"""One file that changed: the prompt is the last one but for that, and whatever else there may be to it is looked at."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import Builder, BuildError, Prompt
from foreword._diagnostics import Diagnostic
from foreword._exchange import Exchanges
from foreword._gather import Gathering
from foreword.files._cache import Cache
from foreword.files._exchange import exchange
from foreword.files._markdown_file import Directory
from foreword.files._questions import DirectoryKey
from foreword.files._reader import Reader, Readings
from foreword.files._roots import Root
from foreword.files._stamps import Evidence

FILES = {
    "SAFETY.md": "Do no harm.",
    "STYLE.md": "Short sentences.",
    "NOTES.md": "# Notes\n\nOne.",
    "TITLED.md": "---\ntitle: Titled\n---\nBelow a title.",
    "agents/ada/STYLE.md": "Long sentences.",
}
CONFIG = 'prompts_dir = "prompts"\n'


class Home:
    """A configuration, its prompts directory, and a builder that is kept.

    Args:
        path: where to make them.
        more: what the configuration says beside the prompts directory.
    """

    def __init__(self, path: Path, more: str = "") -> None:
        self.path = path
        self.prompts = path / "prompts"
        (path / "foreword.toml").write_text(CONFIG + more)
        for name, text in FILES.items():
            self.write(name, text)
        self.warm = self.builder()
        self.settle()

    def builder(self) -> Builder:
        """A builder that has built nothing."""
        return Builder.from_config(self.path / "foreword.toml", plugins=False, on_diagnostic=lambda _: None)

    def write(self, name: str, text: str) -> None:
        """Write a file, in place where it is there."""
        path = self.prompts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def settle(self) -> None:
        """Wait until the times of files can be relied on."""
        time.sleep(0.03)

    def ready(self, *agents: str | None) -> None:
        """Build until the kept builder knows what shows that nothing has changed."""
        for agent in agents or (None,):
            for _ in range(3):
                self.warm.build(agent)

    def same(self, agent: str | None = None) -> Prompt:
        """Check that the kept builder gives what a new one does, and return it."""
        warm, cold = self.warm.build(agent), self.builder().build(agent)
        assert said(warm) == said(cold)
        return warm


def said(prompt: Prompt) -> object:
    """All that a prompt says."""
    explained = [str(one) for one in prompt.explain()]
    return prompt.text, dict(prompt.tools), prompt.diagnostics, prompt.sections, prompt.lines(), explained


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that is ready, for all and for one agent."""
    made = Home(tmp_path)
    made.ready(None, "ada", "bob")
    return made


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What has every source that is asked for anything from now on fail the test."""

    def start() -> None:
        monkeypatch.setattr(Gathering, "gather", lambda *_: pytest.fail("the sources were asked"))

    return start


@pytest.mark.parametrize("agent", [None, "ada"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("STYLE.md", "Shorter."),
        ("NOTES.md", "# Other notes\n\nTwo."),
        ("NOTES.md", "No heading any more."),
        ("TITLED.md", "---\ntitle: Titled\n---\nBelow it still."),
        ("SAFETY.md", "Harm none.\r\n\r\nEver."),
        ("STYLE.md", "\ufeffAfter a mark."),
        ("STYLE.md", "کوتاه بنویس"),
    ],
)
def test_another_text_is_all_that_is_looked_at(
    home: Home, alone: Callable[[], None], agent: str | None, name: str, text: str
) -> None:
    """No source is asked again when a file of the operator's says another text, however often that happens."""
    before = home.same(agent).text
    home.write(name, text)
    home.settle()
    after = home.same(agent).text
    home.write(name, FILES[name])
    home.settle()
    home.same(agent)
    alone()
    for expected, way in ((after, text), (before, FILES[name]), (after, text)):
        home.write(name, way)
        prompt = home.warm.build(agent)
        assert prompt.text == expected
        assert home.warm.build(agent) is prompt
    assert (before == after) is (agent == "ada" and name == "STYLE.md")


def _replace(home: Home) -> None:
    home.write("new.tmp", "Replaced.")
    os.replace(home.prompts / "new.tmp", home.prompts / "STYLE.md")


def _link(home: Home) -> None:
    (home.path / "outside.md").write_text("From outside.")
    (home.prompts / "STYLE.md").unlink()
    (home.prompts / "STYLE.md").symlink_to(home.path / "outside.md")


def _fifo(home: Home) -> None:
    (home.prompts / "STYLE.md").unlink()
    os.mkfifo(home.prompts / "STYLE.md")


def _hard_link(home: Home) -> None:
    os.link(home.prompts / "STYLE.md", home.path / "another.md")
    home.write("STYLE.md", "Known by two names.")


def _swap(home: Home) -> None:
    home.prompts.rename(home.path / "old")
    (home.path / "prompts").mkdir()
    home.write("STYLE.md", "Another directory.")


def _two(home: Home) -> None:
    home.write("STYLE.md", "One.")
    home.write("NOTES.md", "Two.")


def _cased(home: Home) -> None:
    home.write("STYLE.md", "One.")
    home.write("Style.md", "Two.")


CHANGES: dict[str, Callable[[Home], object]] = {
    "a title": lambda home: home.write("STYLE.md", "---\ntitle: Style\n---\nTitled now."),
    "a priority": lambda home: home.write("STYLE.md", "---\npriority: 5\n---\nFirst now."),
    "a mode": lambda home: home.write("SAFETY.md", "---\nmode: append\n---\nAppended now."),
    "another id": lambda home: home.write("STYLE.md", "---\nid: other\n---\nAnother section."),
    "the id of another": lambda home: home.write("STYLE.md", "---\nid: custom_notes\n---\nAnother section."),
    "a condition": lambda home: home.write("STYLE.md", "---\nwhen: {agents: [ada]}\n---\nFor one."),
    "a variable": lambda home: home.write("STYLE.md", "Say {{ agent_name }}."),
    "an unknown variable": lambda home: home.write("STYLE.md", "Say {{ agnt_name }}."),
    "wrong front matter": lambda home: home.write("STYLE.md", "---\npriority: high\n---\nWrong."),
    "nothing": lambda home: home.write("STYLE.md", ""),
    "white space": lambda home: home.write("STYLE.md", " \n\n"),
    "something hidden": lambda home: home.write("STYLE.md", "Hidden\u202e text."),
    "no text at all": lambda home: (home.prompts / "STYLE.md").write_bytes(b"\xff\xfe\x00"),
    "too much": lambda home: home.write("STYLE.md", "x" * 300_000),
    "nothing any more": lambda home: (home.prompts / "STYLE.md").unlink(),
    "a reader that may not": lambda home: (home.prompts / "STYLE.md").chmod(0),
    "one more": lambda home: home.write("MORE.md", "More."),
    "a tool": lambda home: home.write("tools/read.md", "Read."),
    "an agent": lambda home: home.write("agents/bob/STYLE.md", "As Bob does."),
    "another in its place": _replace,
    "a link": _link,
    "a pipe": _fifo,
    "another name": _hard_link,
    "another directory": _swap,
    "two at once": _two,
    "the same in other letters": _cased,
}


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_else_has_changed_is_seen(home: Home, change: str, waits: bool) -> None:
    """After a change of any other kind the prompt is that of a builder that has built nothing, and then again."""
    home.write("NOTES.md", "Before it.")
    home.same()
    CHANGES[change](home)
    if waits:
        home.settle()
    for agent in (None, "ada", "bob", None):
        home.same(agent)
    if (home.prompts / "STYLE.md").is_file():
        (home.prompts / "STYLE.md").chmod(0o644)
        home.write("STYLE.md", "Plain again.")
    for agent in (None, "ada", "bob", None):
        home.same(agent)


def test_the_prompt_stays_the_same_object_until_a_text_is_another(home: Home) -> None:
    """A file that is touched, or written as it was, or beside which something comes and goes, changes nothing."""
    home.write("STYLE.md", "Changed.")
    prompt = home.same()
    assert home.warm.build() is prompt
    os.utime(home.prompts / "STYLE.md")
    assert home.warm.build() is prompt
    home.write("STYLE.md", "Changed.")
    home.settle()
    assert home.warm.build() is prompt
    assert home.warm.build() is prompt
    home.write("other.md.swp", "")
    (home.prompts / "other.md.swp").unlink()
    assert home.warm.build() is prompt
    home.settle()
    assert home.warm.build() is prompt
    assert home.warm.build() is prompt


def test_a_file_that_was_just_written_needs_no_source_asked(home: Home, alone: Callable[[], None]) -> None:
    """Right after it is written, a file is read at each build and nothing else is; a moment later not even that."""
    for text in ("One.", "Two."):
        home.write("STYLE.md", text)
        home.warm.build()
    alone()
    home.write("STYLE.md", "Three.")
    prompt = home.warm.build()
    assert "Three." in prompt.text
    assert home.warm.build() is prompt
    home.settle()
    assert home.warm.build() is prompt


@pytest.mark.parametrize("text", [" ", "", "---\nmode: remove\n---\n"])
def test_a_required_section_that_is_emptied_is_missed(tmp_path: Path, text: str) -> None:
    """What the policy requires is looked at after each change."""
    home = Home(tmp_path, "[sections.custom_style]\nrequired = true\n")
    home.ready()
    home.write("STYLE.md", "Other.")
    home.same()
    home.write("STYLE.md", text)
    with pytest.raises(BuildError):
        home.warm.build()
    home.write("STYLE.md", "There again.")
    assert "There again." in home.same().text


def test_limits_are_kept_after_a_change(tmp_path: Path) -> None:
    """A text that grows over a limit is refused as by a builder that has built nothing."""
    home = Home(tmp_path, "[limits]\nprompt = 2000\nproject = {section = 100}\n")
    home.ready()
    for text in ("Short.", "x " * 80, "Short again.", "y " * 2000):
        home.write("STYLE.md", text)
        home.same()
        home.settle()
        home.same()


def test_a_finding_about_another_file_stays(home: Home) -> None:
    """What is said of one file is said as long as it is so, and no longer, whatever happens to the others."""
    home.write("NOTES.md", "---\npriority: high\n---\nWrong.")
    for text in ("One.", "Two.", "Three."):
        home.write("STYLE.md", text)
        assert [one.code for one in home.same().diagnostics]
    home.write("NOTES.md", "Right.")
    assert not home.same().diagnostics


def test_what_is_said_of_another_directory_stays_with_the_source(home: Home) -> None:
    """What there is to say of a tool stays said, and the prompt stays the same object, when a text changes."""
    home.write("tools/note.txt", "No tool.")
    home.settle()
    for text in ("One.", "Two.", "Three."):
        home.write("STYLE.md", text)
        prompt = home.same()
        assert [one.code for one in prompt.diagnostics] == ["FW008"]
        home.settle()
        home.write("passing.md.swp", "")
        (home.prompts / "passing.md.swp").unlink()
        assert home.warm.build() is prompt


@pytest.mark.parametrize(
    "more", ['layout = "xml"\n', '[files]\nvalidate = "content"\n', "[priorities]\nproject = [50, 800]\n"]
)
def test_every_configuration_sees_the_change(tmp_path: Path, more: str) -> None:
    """However the prompt is written and files are compared, one that changed is seen."""
    home = Home(tmp_path, more)
    home.ready(None, "ada")
    for text in ("One.", "Two.", "Three."):
        for name in ("STYLE.md", "agents/ada/STYLE.md"):
            home.write(name, text)
            for agent in (None, "ada"):
                home.same(agent)


def test_diagnostics_are_told_with_each_prompt(tmp_path: Path) -> None:
    """A prompt that is the last one but for a file tells what there is to say of it, as every prompt does."""
    told: list[Diagnostic] = []
    (tmp_path / "STYLE.md").write_text("One.")
    (tmp_path / "note.txt").write_text("Not read.")
    time.sleep(0.03)
    builder = Builder(prompts_dir=tmp_path, plugins=False, on_diagnostic=told.append)
    for text in ("Two.", "Three.", "Four.", "Five."):
        (tmp_path / "STYLE.md").write_text(text)
        told.clear()
        prompt = builder.build()
        assert text in prompt.text
        assert tuple(told) == prompt.diagnostics != ()


# -- reading ---------------------------------------------------------------------------------------


Read = tuple[Readings, DirectoryKey, Directory, Evidence]


def six(place: Path) -> Read:
    """Read a directory of six files; return what is kept of that, what was asked and answered, and the evidence."""
    for name in "abcdef":
        (place / f"{name}.md").write_text(name)
    time.sleep(0.03)
    readings: Readings = Cache()
    reader = Reader(readings=readings)
    seen = reader.watch()
    reader.read_directory(Root("p", str(place)))
    ((key, answer),) = seen
    evidence = reader.evidence(seen)
    assert isinstance(key, DirectoryKey)
    assert isinstance(answer, Directory)
    assert evidence is not None
    assert evidence.first_changed() == len(evidence.stamps) == 6
    return readings, key, answer, evidence


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A directory of six files that was read."""
    return six(tmp_path)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.text("xy", min_size=1, max_size=2)), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_an_exchange_is_what_reading_the_directory_gives(changes: list[tuple[str, str]]) -> None:
    """Whichever files have changed, the directory is what a new reader makes of it; the others stay what they are."""
    with tempfile.TemporaryDirectory() as place:
        readings, key, before, evidence = six(Path(place))
        for name, text in changes:
            Path(place, f"{name}.md").write_text(text)
        time.sleep(0.025)
        found = exchange(readings, key, evidence, evidence.first_changed(), 1000)
        fresh = Reader().read_directory(key.root)
        assert found is not None
        assert [file.__reduce__() for file in found.directory.files] == [file.__reduce__() for file in fresh.files]
        for old, new in zip(before.files, found.directory.files, strict=True):
            assert new is old or new.path in found.read
        assert dict(found.evidence.stamps).keys() == dict(evidence.stamps).keys()
        # It was kept, so the next one begins from there, and what still says the same is the same object.
        again = exchange(readings, key, found.evidence, 0, 1000)
        assert again is not None
        assert all(one is other for one, other in zip(again.directory.files, found.directory.files, strict=True))


@pytest.mark.parametrize("change", ["gone", "new", "more", "link", "directory", "all"])
def test_nothing_is_exchanged_where_more_has_changed(read: Read, change: str) -> None:
    """Where the directory is not as it was, a file is too large now, or too many are others, all is read anew."""
    readings, key, _, evidence = read
    place = Path(key.root.path)
    (place / "a.md").write_text("another")
    if change == "gone":
        (place / "b.md").unlink()
    if change == "new":
        (place / "g.md").write_text("new")
    if change == "more":
        (place / "b.md").write_text("x" * 2000)
    if change in ("link", "directory"):
        (place / "b.md").unlink()
        if change == "link":
            (place / "b.md").symlink_to("c.md")
        else:
            (place / "b.md").mkdir()
    if change == "all":
        for name in "abcdef":
            (place / f"{name}.md").write_text("another")
    found = exchange(readings, key, evidence, 0, 1000)
    assert found is None or (change == "more" and found.directory.diagnostics)


@pytest.mark.parametrize("way", ["cold", "cold, with more", "once", "again", "exchange"])
def test_a_text_that_comes_after_its_times_goes_with_no_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A file can have new times a moment before its new text; what it said until then stands beside no later change."""
    home = Home(tmp_path)
    if way == "once":
        home.warm.build()
    elif way == "cold, with more":
        home.write("README.md", "For people.")
    elif way != "cold":
        home.ready()
    late = {"NOTES.md", "STYLE.md"}
    for name in late:
        home.write(name, "After.")
    if way == "again":
        home.write("MORE.md", "More.")
        (home.prompts / "MORE.md").unlink()
    read, left = os.read, {"NOTES.md": b"Prior."}

    def reads(fd: int, size: int) -> bytes:
        data = read(fd, size)
        name = os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))
        return left.pop(name) if name in left else data

    with monkeypatch.context() as patch:
        patch.setattr(os, "read", reads)
        prompt = home.warm.build()
    assert not left
    assert "Prior." not in prompt.text
    assert prompt.text.count("After.") == 2
    home.same()


def test_what_is_not_kept_any_more_is_not_exchanged(read: Read) -> None:
    """A reading that was let go of, or has another file in its place, is no ground for an exchange."""
    readings, key, _, evidence = read
    Path(key.root.path, "a.md").write_text("another")
    assert exchange(Cache(), key, evidence, 0, 1000) is None
    other = evidence._replace(stamps=((f"{key.root.path}/z.md", None), *evidence.stamps))
    assert exchange(readings, key, other, 0, 1000) is None


def test_what_comes_while_a_file_is_read_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change to another file between the look at it and the reading keeps the exchange from being made."""
    home = Home(tmp_path)
    home.ready()
    home.write("STYLE.md", "One.")
    home.warm.build()
    read = os.read
    meanwhile = ["Meanwhile."]

    def reads(fd: int, size: int) -> bytes:
        data = read(fd, size)
        if meanwhile:
            home.write("NOTES.md", meanwhile.pop())
        return data

    home.write("STYLE.md", "Two.")
    with monkeypatch.context() as patched:
        patched.setattr(os, "read", reads)
        prompt = home.warm.build()
    assert "Two." in prompt.text
    assert "Meanwhile." in prompt.text
    assert not meanwhile
    home.same()


def test_a_builder_exchanges_what_it_can(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases above are no show: nearly every change of a text is an exchange."""
    made: list[bool] = []
    whole = Exchanges.of

    def counted(self: Exchanges, *given: object) -> object:
        result = whole(self, *given)  # type: ignore[arg-type]
        made.append(result is not None)
        return result

    monkeypatch.setattr(Exchanges, "of", counted)
    for number in range(20):
        home.write(("STYLE.md", "NOTES.md", "TITLED.md")[number % 3], f"Number {number}.")
        home.same()
        home.same("ada")
        home.settle()
    assert made.count(True) >= 30
