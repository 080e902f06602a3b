"""What can go wrong, by class.

Every error has ``kind`` (the class of the command line: ``"data"``, ``"recipe"``, ...), ``place`` (where, if that is
known), ``hint`` (how to mend it, if that is known) and ``code`` (of the command line's errors). No message holds a cell of the data.

Reading and writing fail with :class:`FileError`, which is an ``OSError``; Ctrl-C ends a call with ``KeyboardInterrupt``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._text import spoken

if TYPE_CHECKING:
    from ._finding import Finding

__all__ = [
    "DataError",
    "FileError",
    "Place",
    "PromiseError",
    "RecipeError",
    "TooLargeError",
    "UsageError",
    "VelamenError",
    "VelamenWarning",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mistake stands; what is not known is ``None``."""

    file: str | None = None
    """The recipe or hierarchy file."""
    line: int | None = None
    """The line there."""
    attribute: str | None = None
    """The attribute of the recipe that it is about."""
    key: str | None = None
    """The recipe's key, with dots between its parts."""


class VelamenError(Exception):
    """Whatever a call refuses.

    >>> import velamen as vm
    >>> try:
    ...     vm.Recipe({"attributes": {"age": {"role": "secret"}}})
    ... except vm.VelamenError as error:
    ...     error.kind
    'recipe'
    """

    kind: str = "error"
    """The class of the error, as the command line names it."""
    place: Place | None = None
    """Where it is, if that is known."""
    hint: str | None = None
    """How to mend it, if that is known."""
    code: str | None = None
    """The error's code, if it has one: ``velamen.explain(code)`` says more."""


class UsageError(VelamenError, ValueError):
    """The call does not make sense."""

    kind = "usage"


class RecipeError(VelamenError, ValueError):
    """The recipe or a hierarchy is wrong."""

    kind = "recipe"


class DataError(VelamenError, ValueError):
    """The data are not what they should be."""

    kind = "data"


class PromiseError(VelamenError):
    """The promise cannot be met, or a release does not keep it."""

    kind = "promise"
    findings: tuple[Finding, ...] = ()
    """What the checker found, where it ran."""


class TooLargeError(VelamenError, MemoryError):
    """The run needs more memory or disk than it may have."""

    kind = "too-large"


class FileError(VelamenError, OSError):
    """A file or folder cannot be read or written."""

    kind = "io"


class VelamenWarning(UserWarning):
    """A note: a release has remarks for its custodian, ``Release.warnings``, or an index without name was left out."""


_CLASSES: dict[str, type[VelamenError]] = {
    "usage": UsageError,
    "recipe": RecipeError,
    "data": DataError,
    "promise": PromiseError,
    "not-checked": PromiseError,
    "too-large": TooLargeError,
    "io": FileError,
}


def _make(
    kind: str, message: str, place: Place, hint: str | None, code: tuple[str, str | None]
) -> BaseException:
    """The exception of a kind; called by the compiled part.

    What mends any error of its code is a note, which a traceback shows below the message.
    """
    if kind == "interrupted":
        interrupted = KeyboardInterrupt(message)
        for name, value in (("kind", kind), ("place", None), ("hint", None)):
            setattr(interrupted, name, value)
        return interrupted
    error = _CLASSES.get(kind, VelamenError)(spoken(message))
    error.kind = kind
    error.place = place if place != Place() else None
    error.code, mend = code
    mend = mend and spoken(mend)
    error.hint = hint and spoken(hint) or mend
    if mend:
        error.add_note(f"try: {mend}")
    return error
