"""Git: where a memory is a repository of its own, each change is one commit of exactly the files changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")

SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
"""The repository is the agent's: nothing that its configuration names is to run in our name."""


class Git:
    """Commits changes of one memory, if its root is the top of a git work tree.

    Args:
        root: the memory's root.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._folder = os.path.join(root, ".git")

    @property
    def present(self) -> bool:
        """Whether the memory itself is the top of a work tree."""
        return os.path.lexists(self._folder)

    def commit(self, paths: Sequence[str], message: str, who: str) -> str | None:
        """Commit exactly these paths, and leave everything else as it is, also what is staged.

        Returns:
            None, or why there is no commit; the change stands in the journal all the same.
        """
        if not self.present:
            return None
        try:
            top = self._run("rev-parse", "--show-toplevel").removesuffix("\n")
            if not os.path.samefile(top, self._root):
                return f"the repository's work tree is {top}, not the memory, so nothing is committed"
            folder = self._run("rev-parse", "--absolute-git-dir").removesuffix("\n")
            for name in UNFINISHED:
                if os.path.lexists(os.path.join(folder, name)):
                    return f"the repository is in the middle of something ({name}), so nothing is committed"
            if self._run("ls-files", "--unmerged").strip():
                return "the repository has conflicts, so nothing is committed"
            known = set(self._run("ls-files", "-z", "--", *paths).split("\0"))
            there = [path for path in paths if os.path.lexists(os.path.join(self._root, path))]
            concerned = [path for path in paths if path in known or path in there]
            if not concerned:
                return None
            filters = self._filters()
            if there:
                self._run("add", "--force", "--", *there, settings=filters)
            author = f"{who} <{who}@foreword.invalid>"
            how = ("--quiet", "--no-verify", "--only", "--author", author, "-m", message)
            self._run("commit", *how, "--", *concerned, settings=filters)
        except FileNotFoundError:
            return "git is not installed, so nothing is committed"
        except (OSError, subprocess.SubprocessError) as problem:
            told = getattr(problem, "stderr", "") or str(problem)
            return f"git would not commit: {told.strip().splitlines()[-1] if told.strip() else 'no reason given'}"
        return None

    def _filters(self) -> tuple[str, ...]:
        """Return settings that empty every filter which the configuration names."""
        try:
            names = self._run("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        except subprocess.CalledProcessError:
            return ()
        found = {name.rpartition(".")[0] for name in names.split("\0") if name}
        return tuple(f"{name}.{key}" for name in sorted(found) for key in ("clean=", "process=", "required=false"))

    def _run(self, *arguments: str, settings: Sequence[str] = ()) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment.update(
            GIT_CONFIG_NOSYSTEM="1",
            GIT_TERMINAL_PROMPT="0",
            GIT_COMMITTER_NAME="foreword",
            GIT_COMMITTER_EMAIL="foreword@foreword.invalid",
            GIT_CEILING_DIRECTORIES=os.path.dirname(self._root),
            LC_ALL="C",
        )
        options = [part for setting in (*SAFE, *settings) for part in ("-c", setting)]
        command = ["git", "--literal-pathspecs", *options, "-C", self._root, *arguments]
        result = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=True, errors="replace"
        )
        return result.stdout
