"""What a plan names that its problem does not have at all: a sign that it is for another problem."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

#: Of several commands so many at least, and of a single one that.
_LEAST = 2


class Foreign(NamedTuple):
    """Commands that name an action, an object, a step or a tool that is not there.

    Attributes
    ----------
    names
        What they name, for each such command one.
    commands
        All that were looked at.
    fits
        Name of another problem in which the plan is a success, if one that is easily mixed up was tried.
    """

    names: tuple[str, ...] = ()
    commands: int = 0
    fits: str = ""

    def suspicion(self, share: float) -> str | None:
        """Return why a failed plan is probably for another problem, if that is so.

        It is if it fits another one, or at least such a share of its commands names what is not there.

        >>> Foreign(("table7", "table7", "stove2"), 8).suspicion(0.1)
        '3 of 8 commands name what the problem does not have: table7, stove2'
        >>> Foreign(("table7",), 8).suspicion(0.1)
        """
        if self.fits:
            return f"it is a success in {self.fits}"
        count = len(self.names)
        if count < min(_LEAST, max(self.commands, 1)) or count < share * self.commands:
            return None
        often = [name for name, _ in Counter(self.names).most_common(3)]
        more = ", ..." if len(set(self.names)) > len(often) else ""
        return f"{count} of {self.commands} commands name what the problem does not have: {', '.join(often)}{more}"
