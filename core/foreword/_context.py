"""The context: what a plugin is given when one of its hooks is called."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import FrozenInstanceError
from typing import NamedTuple

from foreword.config._settings import Settings
from foreword.files._reader import Directory, MarkdownFile, Reader
from foreword.files._roots import Root, root
from foreword.templates._names import Value

from ._diagnostics import Diagnostic, Place, Severity, is_sound
from ._provider import Provider
from ._screen import Screen
from ._trust import skill_hash


class Asked(NamedTuple):
    """What every plugin is told in one build, and where their reports go."""

    agent: str | None
    variables: Mapping[str, Value]
    data: Mapping[str, object]
    settings: Settings
    memory: Root | None
    skill_roots: tuple[Root, ...]
    approved: Mapping[str, str] | None
    trusted_skills: Mapping[str, str] | None
    reader: Reader
    screen: Screen
    found: list[Diagnostic]

    def context(self, provider: Provider | None) -> Context:
        """Return the context as one plugin is given it: its reports say whose they are."""
        context = object.__new__(Context)
        context._asked = self  # pyright: ignore[reportPrivateUsage]
        context._provider = provider  # pyright: ignore[reportPrivateUsage]
        return context


class Context:
    """What a hook may know, and its way to files. Nothing of it can be changed."""

    # Two names for all plugins of a build: one object for each of thousands would cost more than the calls.
    __slots__ = ("_asked", "_provider")

    _asked: Asked
    _provider: Provider | None

    def __init__(
        self,
        agent: str | None,
        variables: Mapping[str, Value],
        data: Mapping[str, object],
        settings: Settings,
        memory: Root | None = None,
        skill_roots: tuple[Root, ...] = (),
        approved: Mapping[str, str] | None = None,
        trusted_skills: Mapping[str, str] | None = None,
        _reader: Reader | None = None,
        _screen: Screen | None = None,
    ) -> None:
        reader = _reader if _reader is not None else Reader()
        screen = _screen if _screen is not None else Screen()
        self._asked = Asked(
            agent, variables, data, settings, memory, skill_roots, approved, trusted_skills, reader, screen, []
        )
        self._provider = None

    def __repr__(self) -> str:
        return f"Context(agent={self.agent!r}, variables={self.variables!r}, data={self.data!r})"

    @property
    def agent(self) -> str | None:
        """The agent that is asked for, or None."""
        return self._asked.agent

    @property
    def variables(self) -> Mapping[str, Value]:
        """The variables of operator and call."""
        return self._asked.variables

    @property
    def data(self) -> Mapping[str, object]:
        """What the caller handed out as ``context=``."""
        return self._asked.data

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self._asked.settings

    @property
    def memory(self) -> Root | None:
        """The memory of the agent asked for, as configured; None where there is none."""
        return self._asked.memory

    @property
    def skill_roots(self) -> tuple[Root, ...]:
        """The directories of skills for this agent, low to high."""
        return self._asked.skill_roots

    @property
    def approved(self) -> Mapping[str, str] | None:
        """The hash of every approved file of the memory, by path; None where nothing needs approval."""
        return self._asked.approved

    @property
    def trusted_skills(self) -> Mapping[str, str] | None:
        """The hash of every trusted skill, by its directory as shown; None where skills are not pinned."""
        return self._asked.trusted_skills

    def read_directory(
        self,
        path: str | os.PathLike[str] | Root,
        sub: str = "",
        *,
        known: Collection[str] = (),
        recursive: bool = False,
        only: str | None = None,
        skip: Collection[str] = (),
        trusted_links: bool = False,
    ) -> list[MarkdownFile]:
        """Read the Markdown files of a directory safely; what is wrong with one is reported for you.

        Args:
            path: the directory. It need not be there.
            sub: a directory below it.
            known: names of sub-directories about which nothing need be said.
            recursive: read sub-directories too.
            only: read only files of this very name, at any depth.
            skip: sub-directories to leave out, as paths below ``path``.
            trusted_links: links may also lead into the operator's ``link_roots``.

        Returns:
            The files, sorted by name. One that cannot be read is among them, with its ``error``; its
            ``edit`` is then one that has failed.
        """
        return list(
            self.list_directory(
                path, sub, known=known, recursive=recursive, only=only, skip=skip, trusted_links=trusted_links
            ).files
        )

    def list_directory(
        self,
        path: str | os.PathLike[str] | Root,
        sub: str = "",
        *,
        known: Collection[str] = (),
        recursive: bool = False,
        only: str | None = None,
        skip: Collection[str] = (),
        trusted_links: bool = False,
    ) -> Directory:
        """Like `read_directory`, and say whether the directory is there."""
        where = path if isinstance(path, Root) else root(path, os.getcwd())
        directory = self._asked.reader.read_directory(
            where, sub, known=known, recursive=recursive, only=only, skip=skip, trusted_links=trusted_links
        )
        for diagnostic in directory.diagnostics:
            self._note(diagnostic)
        return directory

    def read_file(self, path: Root, name: str) -> bytes | None:
        """Return the bytes of one file below a directory, or None where it is not there or refused."""
        found = self._asked.reader.read_file(path, name, trusted_links=False)
        if isinstance(found, Diagnostic):
            self._note(found)
            return None
        return found

    def content_hash(self, file: MarkdownFile) -> str | None:
        """Return the SHA-256 of a file as it was read and of all else in its directory, or None.

        It is what ``foreword trust`` records of a skill; None where something in the directory cannot be read.
        """
        return skill_hash(self._asked.reader, file)

    def tree(self, path: Root, *, skip: Collection[str] = ()) -> list[str]:
        """Return the paths of everything below a directory, sorted; directories end in a slash."""
        return self._asked.reader.tree(path, skip=skip)

    def screen(self, names: Mapping[str, str], place: Place, section: str | None = None) -> bool:
        """Look over a stranger's words that are to be shown in a text of your own; what is found is reported.

        Args:
            names: one line each, by what it is called: name, description.
            place: the file and line they come from.
            section: the section it concerns.

        Returns:
            Whether they may be shown.
        """
        found = list(self._asked.screen.scanned("", names, trusted=False))
        for one in found:
            remedy = "look at it in an editor that shows it"
            self.report(one.code, one.severity, one.message, place, remedy, section)
        return not any(one.refuses for one in found)

    def report(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: Place | None = None,
        remedy: str = "",
        section: str | None = None,
    ) -> None:
        """Say something about this source's files that the operator should know.

        Args:
            code: a stable code.
            severity: ``error``, ``warning`` or ``info``.
            message: one sentence.
            place: the file and line.
            remedy: what to do about it.
            section: the section it concerns.

        Raises:
            ValueError: the severity is none of these, or a text is none.
        """
        said = Diagnostic(code, severity, message, place, remedy, section)
        if not is_sound(said):
            raise ValueError("a report is a code, one of error, warning and info, and texts")
        self._note(said)

    def _note(self, diagnostic: Diagnostic) -> None:
        provider = str(self._provider) if self._provider is not None else None
        self._asked.found.append(
            Diagnostic(
                diagnostic.code,
                diagnostic.severity,
                diagnostic.message,
                diagnostic.place,
                diagnostic.remedy,
                diagnostic.section,
                diagnostic.provider or provider,
            )
        )


def _refusing(name: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise FrozenInstanceError(f"cannot change field {name!r}")

    return refuse


for _name, _read in list(vars(Context).items()):
    if isinstance(_read, property):
        # Said here, so that a type checker knows nothing of a setter either.
        setattr(Context, _name, property(_read.fget, _refusing(_name), _refusing(_name), _read.__doc__))


def asked(context: Context, found: list[Diagnostic]) -> Asked:
    """Return what a context tells, for plugins whose reports go to this list."""
    return context._asked._replace(found=found)  # pyright: ignore[reportPrivateUsage]
