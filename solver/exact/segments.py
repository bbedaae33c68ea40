"""The stretches of actions that the CP-SAT model places, and literals that may be absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planoracle.solver.exact.cp import negated


@dataclass(slots=True)
class Segment:
    """A stretch of an action that runs without a break: the whole of it, or one step."""

    start: int  # variable
    size: int
    held: int
    agents: dict[str, int | None] = field(default_factory=dict)  # eligible agent -> literal (None: always)
    starts_if: tuple[int, ...] = ()  # literals: a new start, not the next step of a run
    yields: int | None = None  # literal: holds nobody after all (only in a relaxation),
    yielding: list[int] = field(default_factory=list)  # if one of these literals allows it


def literals(literal: int | None) -> tuple[int, ...]:
    """Return the literal, or nothing if it always holds."""
    return () if literal is None else (literal,)


def negations(literal: int | None) -> tuple[int, ...]:
    """Return the negation of a literal, or nothing if there is none."""
    return () if literal is None else (negated(literal),)


def holds(literal: int, solution: Sequence[int]) -> bool:
    """Whether a literal holds in a solution."""
    return bool(solution[literal]) if literal >= 0 else not solution[negated(literal)]
