"""How far the solve that is going on has come, on a page that a process and the one it works for share."""

from __future__ import annotations

import mmap
import struct
from typing import Final

__all__ = ["clear", "note", "noted"]

# Made before anything forks. Each number is one more than it says, 0: nothing has been said. They are written apart,
# and any best plan holds with any bound of the same problem.
_PAGE: Final = mmap.mmap(-1, mmap.PAGESIZE)
_NUMBERS: Final = struct.Struct("=qq")


def clear() -> None:
    """Begin with another problem."""
    _NUMBERS.pack_into(_PAGE, 0, 0, 0)


def note(best: int | None, bound: int) -> None:
    """Say how long the best plan is, if there is one, and that none is shorter than ``bound``.

    Examples
    --------
    >>> clear()
    >>> noted()
    >>> note(None, 7)
    >>> noted()
    (None, 7)
    >>> note(9, 8)
    >>> noted()
    (9, 8)
    """
    _NUMBERS.pack_into(_PAGE, 0, 0 if best is None else best + 1, bound + 1)


def noted() -> tuple[int | None, int] | None:
    """Return what was said last of the problem, ``None`` if nothing was."""
    best, bound = _NUMBERS.unpack_from(_PAGE, 0)
    return (best - 1 if best else None, bound - 1) if bound else None
