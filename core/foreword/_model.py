"""What an author writes: sections, and the other edits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SkipValidation, StrictInt, StrictStr

from foreword.markdown._front_matter import When

from ._diagnostics import Diagnostic
from ._layers import Layer
from ._made_model import made_model, sharing_keys

if TYPE_CHECKING:
    from typing import TypeAlias

    from foreword.files._reader import MarkdownFile

    File: TypeAlias = MarkdownFile | None
    Findings: TypeAlias = tuple[Diagnostic, ...]
else:
    # They come from the host: pydantic need not look into them.
    File = Any
    Findings = Any

Mode = Literal["define", "replace", "remove", "patch", "prepend", "append", "move"]
MODES: tuple[Mode, ...] = get_args(Mode)


def _plain_str(value: object) -> object:
    # A subclass could change under the reader's hands; only its characters count.
    if not isinstance(value, str):
        return value
    text = str.__str__(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is no character") from None
    return text


Text = Annotated[StrictStr, BeforeValidator(_plain_str)]
Priority = Annotated[StrictInt, Field(ge=-9999, le=9999)]


class Section(BaseModel):
    """A named block of the prompt, as its author writes it.

    It replaces the section of that id where one stands below, else it defines it; in layer
    ``extension`` a plugin's section only defines.

    Args:
        id: what the section is called. A plugin's ids begin with its distribution's name and a dot.
        text: Markdown. White space at both ends is set aside; an empty text is no section.
        title: the heading over it; None is "not given".
        priority: the place in the prompt, low first; None is "not given" (900 for a new id).
        file: the file the text was read from, so that the prompt can say where each line stands.
        default_title: the title that is taken only when the section is defined, and none is given.
        default_priority: the priority likewise.

    Raises:
        pydantic.ValidationError: a value has the wrong type.

    >>> Section("acme-citations.style", "Cite by author and year.", title="Citations").priority is None
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)

    id: Text
    text: Text = ""
    title: Text | None = None
    priority: Priority | None = None
    file: Annotated[File, SkipValidation] = Field(default=None, repr=False, exclude=True)
    default_title: Text | None = Field(default=None, repr=False)
    default_priority: Priority | None = Field(default=None, repr=False)

    def __init__(
        self,
        id: str,
        text: str = "",
        *,
        title: str | None = None,
        priority: int | None = None,
        file: MarkdownFile | None = None,
        default_title: str | None = None,
        default_priority: int | None = None,
        **given: Any,
    ) -> None:
        if not self.__pydantic_complete__:
            import_module("foreword._model_checks")
        super().__init__(
            id=id,
            text=text,
            title=title,
            priority=priority,
            file=file,
            default_title=default_title,
            default_priority=default_priority,
            **given,
        )


class Edit(Section):
    """What a source says about one section, in one mode.

    Args:
        id: the section it speaks of.
        text: the text of a define, replace, patch, prepend or append.
        mode: None (replace where the id exists below, else define), ``define``, ``replace``,
            ``remove``, ``patch``, ``prepend``, ``append`` or ``move``.
        heading: for a patch, the heading whose text is exchanged.
        template: ``names`` (the default) or ``jinja`` (operator layers only).
        layer: one of the layers granted to the plugin; None is the lowest of them.
        when: a condition; an edit whose condition does not hold is no edit.
        base: the SHA-256 of the text below when this edit was written; when that text has changed,
            the edit applies with outcome ``stale``.
        findings: what there is to say about the edit's file; with an error among them, it has failed.
        literal: the text is no template: nothing in it is replaced.
        copy_of_below: the text is a copy of the text below: where both are equal, it is no edit.

    Raises:
        pydantic.ValidationError: a value has the wrong type, or the mode is unknown.

    >>> Edit("tool_usage", "Never use the shell.", mode="append").mode
    'append'
    """

    mode: Mode | None = None
    heading: Text | None = None
    template: Literal["names", "jinja"] | None = None
    layer: Layer | None = None
    when: When | None = None
    base: Text | None = None
    copy_of_below: bool = False
    literal: bool = False
    findings: Annotated[Findings, SkipValidation] = Field(default=(), repr=False, exclude=True)

    def __init__(
        self,
        id: str,
        text: str = "",
        *,
        mode: Mode | None = None,
        heading: str | None = None,
        template: Literal["names", "jinja"] | None = None,
        layer: Layer | None = None,
        when: When | None = None,
        base: str | None = None,
        copy_of_below: bool = False,
        literal: bool = False,
        findings: tuple[Diagnostic, ...] = (),
        title: str | None = None,
        priority: int | None = None,
        file: MarkdownFile | None = None,
        default_title: str | None = None,
        default_priority: int | None = None,
        **given: Any,
    ) -> None:
        super().__init__(
            id,
            text,
            title=title,
            priority=priority,
            file=file,
            default_title=default_title,
            default_priority=default_priority,
            mode=mode,
            heading=heading,
            template=template,
            layer=layer,
            when=when,
            base=base,
            copy_of_below=copy_of_below,
            literal=literal,
            findings=findings,
            **given,
        )


_ALL: set[str] = set(Edit.model_fields)
"""The fields of an edit. pydantic copies the set before it changes it, so that all edits can share one."""

TEXT_ONLY: set[str] = set(_ALL)
"""The same for the edits that files stand for which say nothing but a text, under a name of which nothing is to say.

They are known by this very set: what is made of such an edit by copying it has another.
"""

NOTHING_SAID: dict[str, Any] = sharing_keys({name: field.default for name, field in Edit.model_fields.items()})
"""The fields of an edit that says nothing, to be copied and filled in."""


def made(fields: dict[str, Any]) -> Edit:
    """Return an edit whose fields are known to be right: every one of them, as `Edit` would have it.

    What a file says was checked when it was read, and checking it again would cost more than the reading.

    Args:
        fields: the fields; the edit keeps the very dict.
    """
    return made_model(Edit, fields, _ALL)
