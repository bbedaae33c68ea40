"""What a single task may take, whatever it holds."""

from __future__ import annotations

from typing import Final, NamedTuple

from planoracle.instances.errors import InputError

__all__ = ["MAX_ANSWER", "NO_LIMITS", "LimitError", "Limits", "too_long"]

#: Most characters of what is answered to a submission.
MAX_ANSWER: Final = 2**24


class LimitError(InputError):
    """A submission that takes more than it may, or that ends every process at work on it."""


class Limits(NamedTuple):
    """Limits of a task; ``None``: there is none.

    Attributes
    ----------
    seconds
        Of processor time, of all threads together.
    memory
        Of the process that is at work on it, in megabytes (10**6 bytes).

    Examples
    --------
    >>> Limits(120, 2000).ended_by_time
    'takes more than 120 s of processor time (--line-seconds)'
    >>> Limits(120, 2000).ended_by_memory
    'needs more than 2000 MB of memory (--line-memory)'
    """

    seconds: float | None = None
    memory: int | None = None

    @property
    def ended_by_time(self) -> str:
        """What is said of a task that takes too long."""
        return f"takes more than {self.seconds:g} s of processor time (--line-seconds)"

    @property
    def ended_by_memory(self) -> str:
        """What is said of a task that needs too much memory."""
        most = "there is" if self.memory is None else f"{self.memory} MB of memory (--line-memory)"
        return f"needs more than {most}"


#: No limits at all.
NO_LIMITS = Limits()


def too_long(what: str) -> LimitError:
    """Return what is said in place of an answer, a grade say, that would have more than `MAX_ANSWER` characters.

    >>> print(too_long("grade"))
    its grade would have more than 16777216 characters
    """
    return LimitError(f"its {what} would have more than {MAX_ANSWER} characters")
