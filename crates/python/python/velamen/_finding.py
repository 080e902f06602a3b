"""What is known of a promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._result import Result


@dataclass(frozen=True)
class Finding(Result):
    """A promise, and what the released file shows of it."""

    promise: str
    """The model's or rule's name."""
    asked: Any
    """What was asked."""
    reached: Any
    """What the file shows; of records, where ``of_people`` is there."""
    state: str
    """``held``, ``broken``, ``not-checked`` or ``stated``."""
    of_people: Any = None
    """What the custodian states of people, where the file does not show whose its records are."""
