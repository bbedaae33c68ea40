"""What a benchmark says of its steps, so that they can be found in anything a model writes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

S = TypeVar("S")


class Found(NamedTuple, Generic[S]):
    """A step in a line: how many of its characters it takes, and the step."""

    length: int
    step: S


class Grammar(Generic[S]):
    """How the steps of a benchmark look; by itself one that knows none.

    Attributes
    ----------
    unique
        Whether a plan makes every step once, so that steps which come again belong to another plan.
    """

    unique = False

    def find(self, text: str) -> list[Found[S]]:
        """Return the steps in a line, from left to right."""
        return []

    def told(self, text: str) -> list[S]:
        """Return the steps in sentences."""
        return [one.step for one in self.find(text)]

    def of(self, value: object) -> list[S] | None:
        """Return the steps that a JSON object or list stands for, ``None`` if it is not itself a step."""
        return None

    def row(self, cells: Mapping[str, str]) -> list[S] | None:
        """Return the steps of a row of a table, by the heads of its columns in lower case."""
        return self.of(dict(cells))

    def looks(self, text: str, free: bool) -> bool:
        """Whether a line that holds no step looks as if it should; ``free`` if it stands in no list, block or table."""
        return False

    def meant(self, text: str, kind: str, among: bool) -> S | None:
        """Return the command that a line is meant as although it is none of the benchmark's, if there is such a thing.

        ``kind`` is that of `planoracle.instances.outputs.layout.Line`; ``among``: whether it follows steps that are.
        """
        return None

    def ends(self, text: str) -> bool:
        """Whether a line says that the plan is over."""
        return False

    def key(self, step: S) -> Hashable:
        """Return what is equal for equal steps; ``None`` for one that plans repeat, such as a wait."""
        return step if isinstance(step, Hashable) else repr(step)

    def command(self, step: S) -> Hashable:
        """Return what is equal for the same command at the same time, where that is more than `key` says."""
        return self.key(step)
