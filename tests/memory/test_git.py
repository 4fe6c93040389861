"""Git: where the memory is a repository of its own, each change is one commit of exactly its files."""

from __future__ import annotations

import os
import subprocess

import pytest

NAME = "souveraine_operations/prompt-overrides/style.md"


def git(root, *arguments: str) -> str:
    """Run git in a directory, as the agent."""
    result = subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=ada", "-c", "user.email=ada@example.org", *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return result.stdout


@pytest.fixture(autouse=True)
def _own_configuration(monkeypatch, tmp_path) -> None:
    """No settings of this machine."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def repository(house):
    """A house whose memory is a repository with one commit, before its creation."""
    git(house.root, "init", "-q", "-b", "main")
    house.write(house.root / "diary.md", "Dear diary.\n")
    git(house.root, "add", ".")
    git(house.root, "commit", "-qm", "diary")
    return house


def committed(house, revision: str = "HEAD") -> set[str]:
    """The files of a commit."""
    return set(git(house.root, "show", "--name-only", "--format=", revision).split())


def subjects(house) -> list[str]:
    """The first lines of the messages of all commits, oldest first."""
    return git(house.root, "log", "--format=%s").splitlines()[::-1]


def test_each_change_is_one_commit_of_exactly_its_files(repository) -> None:
    """Creation, override and revert are a commit each, with the reason, by whoever made the change."""
    told: list[str] = []
    repository.create(on_message=told.append)
    repository.memory("tool", on_message=told.append).override("custom_style", "Mine.", reason="I like it")
    names = committed(repository)
    assert NAME in names
    assert all(name == NAME or name.startswith("souveraine_operations/.foreword/") for name in names)
    assert git(repository.root, "log", "-1", "--format=%an: %B").strip() == "tool: override: replace\n\nI like it"
    repository.memory(on_message=told.append).revert(2)
    assert subjects(repository) == ["diary", "create", "override: replace", "revert 2: override: replace"]
    assert git(repository.root, "show", "--name-status", "--format=", "HEAD", "--", NAME).split()[0] == "D"
    assert told == []
    assert git(repository.root, "status", "--porcelain").split() == ["??", "souveraine_operations/.foreword/lock"]


def test_a_clone_has_the_history_too(repository) -> None:
    """What a commit holds is enough to look back, to undo and to merge in a clone."""
    repository.create()
    repository.memory().override("custom_style", "Mine.")
    repository.root.rename(repository.home / "origin")
    git(repository.home, "clone", "-q", "origin", "memory")
    assert [entry.n for entry in repository.memory().history()] == [1, 2]
    repository.write(repository.copies / "STYLE.md", (repository.copies / "STYLE.md").read_text() + "\nMine.\n")
    repository.write(repository.prompts / "STYLE.md", "New.\n" + (repository.prompts / "STYLE.md").read_text())
    assert [one.action for one in repository.memory().upgrade()] == ["merge"]
    repository.memory().revert(2)
    assert subjects(repository)[-3:] == [
        "changed past foreword: prompts/STYLE.md",
        "upgrade: merge STYLE.md",
        "revert 2: override: replace",
    ]


def test_what_is_staged_stays_staged_and_nothing_else_is_swept_in(repository) -> None:
    """The agent's staged, changed and new files are in no commit of foreword's, and are as they were."""
    repository.create()
    repository.write(repository.root / "staged.md", "staged\n")
    git(repository.root, "add", "staged.md")
    repository.write(repository.root / "diary.md", "changed\n")
    repository.write(repository.root / "new.md", "new\n")
    before = git(repository.root, "status", "--porcelain")
    repository.memory().override("custom_style", "Mine.")
    assert git(repository.root, "status", "--porcelain") == before
    assert not committed(repository) & {"staged.md", "diary.md", "new.md"}


def test_each_change_past_foreword_is_a_commit_of_its_own(repository) -> None:
    """Several files that the agent wrote are several entries and several commits."""
    repository.create()
    repository.write(repository.overrides / "a.md", "a\n")
    repository.write(repository.overrides / "b.md", "b\n")
    repository.memory().status()
    assert subjects(repository)[-2:] == [
        "added past foreword: prompt-overrides/a.md",
        "added past foreword: prompt-overrides/b.md",
    ]
    assert "souveraine_operations/prompt-overrides/a.md" not in committed(repository)


def test_ignored_files_and_names_of_any_kind_are_committed(repository) -> None:
    """What .gitignore leaves out, and names with spaces, letters of any script or magic, are committed all the same."""
    repository.write(repository.root / ".gitignore", "souveraine_operations/\n")
    repository.create()
    for name in ("my rules.md", "Größe.md", ":(top)x.md", "-x.md", "*.md"):
        repository.write(repository.overrides / name, "x\n")
    told: list[str] = []
    repository.memory(on_message=told.append).status()
    assert told == []
    names = git(repository.root, "ls-files", "-z").split("\0")
    assert "souveraine_operations/prompt-overrides/Größe.md" in names
    assert "souveraine_operations/prompt-overrides/:(top)x.md" in names


def test_a_merge_in_progress_is_left_alone(repository) -> None:
    """In a repository with a conflict or a merge in progress nothing is committed; the change stands in the journal."""
    repository.create()
    git(repository.root, "checkout", "-qb", "other")
    repository.write(repository.root / "diary.md", "theirs\n")
    git(repository.root, "commit", "-qam", "theirs")
    git(repository.root, "checkout", "-q", "main")
    repository.write(repository.root / "diary.md", "ours\n")
    git(repository.root, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository.root, "merge", "other")
    status, head = git(repository.root, "status", "--porcelain"), git(repository.root, "rev-parse", "HEAD")
    index = (repository.root / ".git" / "index").read_bytes()
    told: list[str] = []
    entry = repository.memory(on_message=told.append).override("custom_style", "Mine.")
    assert any("middle of something (MERGE_HEAD), so nothing is committed" in message for message in told)
    assert git(repository.root, "rev-parse", "HEAD") == head
    assert (repository.root / ".git" / "index").read_bytes() == index
    assert set(status.splitlines()) <= set(git(repository.root, "status", "--porcelain").splitlines())
    assert repository.memory().history()[-1].n == entry.n
    assert repository.text("custom_style") == "Mine."
    (repository.root / ".git" / "MERGE_HEAD").unlink()
    told.clear()
    repository.memory(on_message=told.append).override("custom_style", "Again.")
    assert told == ["the repository has conflicts, so nothing is committed"]
    assert git(repository.root, "rev-parse", "HEAD") == head


@pytest.mark.parametrize("name", ["CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "BISECT_LOG"])
def test_whatever_else_is_in_progress_is_left_alone_too(repository, name) -> None:
    """A cherry-pick, a revert, a rebase or a bisection under way means no commit."""
    repository.create()
    head = git(repository.root, "rev-parse", "HEAD")
    repository.write(repository.root / ".git" / name, head)
    told: list[str] = []
    repository.memory(on_message=told.append).override("custom_style", "Mine.")
    assert told == [f"the repository is in the middle of something ({name}), so nothing is committed"]
    assert git(repository.root, "rev-parse", "HEAD") == head


def test_a_memory_inside_a_bigger_repository_makes_no_commits(house) -> None:
    """Where the top of the work tree is above the memory nothing is committed and nothing staged."""
    git(house.home, "init", "-q", "-b", "main")
    git(house.home, "add", "foreword.toml")
    git(house.home, "commit", "-qm", "configuration")
    told: list[str] = []
    house.create(on_message=told.append)
    house.memory(on_message=told.append).override("custom_style", "Mine.")
    assert git(house.home, "log", "--format=%s").split() == ["configuration"]
    assert git(house.home, "diff", "--cached", "--name-only") == ""
    assert told == []


def test_a_work_tree_that_is_elsewhere_is_not_written_to(repository) -> None:
    """A repository in the memory whose work tree is another directory gets no commit."""
    repository.create()
    (repository.home / "elsewhere").mkdir()
    git(repository.root, "config", "core.worktree", str(repository.home / "elsewhere"))
    told: list[str] = []
    repository.memory(on_message=told.append).override("custom_style", "Mine.")
    assert len(told) == 1
    assert "nothing is committed" in told[0]


def test_nothing_of_the_agents_configuration_runs(repository) -> None:
    """Hooks, filters and helpers that the repository's configuration names are not run by a commit."""
    repository.create()
    ran = repository.home / "ran"
    script = repository.home / "run.sh"
    repository.write(script, f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    script.chmod(0o755)
    for hook in ("pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-index-change"):
        (repository.root / ".git" / "hooks").mkdir(exist_ok=True)
        (repository.root / ".git" / "hooks" / hook).symlink_to(script)
    for key in ("filter.a.clean", "filter.b.process", "core.fsmonitor", "gpg.program", "core.editor", "core.pager"):
        git(repository.root, "config", key, str(script))
    for key in ("filter.a.required", "filter.b.required", "commit.gpgSign"):
        git(repository.root, "config", key, "true")
    repository.write(repository.root / ".gitattributes", "*.md filter=a\n*.json filter=b\n")
    told: list[str] = []
    repository.memory(on_message=told.append).override("custom_style", "Mine.")
    assert told == []
    assert not ran.exists()
    assert subjects(repository)[-1] == "override: replace"


def test_without_git_the_change_stands_in_the_journal(repository, monkeypatch) -> None:
    """Where git is not installed, or does not work, a message says that nothing is committed."""
    repository.create()
    told: list[str] = []
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(repository.home))
    repository.memory(on_message=told.append).override("custom_style", "Mine.")
    monkeypatch.setenv("PATH", path)
    (repository.root / ".git" / "index.lock").touch()
    repository.memory(on_message=told.append).override("custom_style", "Again.")
    assert told[0] == "git is not installed, so nothing is committed"
    assert "git would not commit" in told[1]
    assert [entry.n for entry in repository.memory().history()] == [1, 2, 3]
