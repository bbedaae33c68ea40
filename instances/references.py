"""What a benchmark gives to compare plans with: what its authors claim, their algorithms, and problems like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from planoracle.instances.problem import Problem


_P = TypeVar("_P", contravariant=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """A makespan that somebody states.

    Attributes
    ----------
    makespan
        Ticks; ``None``: nothing is claimed of this problem.
    accepted
        Whether the rules accept a plan of that makespan; ``None``: there is a number only.
    reason
        Why the rules refuse it, or why there is none.
    plan
        The plan itself, in a form that submissions may have; ``None``: there is a number only.
    """

    makespan: int | None
    accepted: bool | None = None
    reason: str = ""
    plan: object = None


@dataclass(frozen=True, slots=True)
class Reference(Generic[_P]):
    """Something to compare plans with. Nothing is worked out before it is asked for.

    Attributes
    ----------
    name, title
        A plain word, as columns and methods are called, and what summaries call it.
    source
        The name of a heuristic (`planoracle.heuristics.registry`); or what returns, for a problem, a claim, or another
        problem, whose optimum counts. `InputError` says that this other problem cannot be completed.
    main
        Whether it is the one that the benchmark itself measures plans by.
    published
        What an audit calls it if somebody has published it, in a word; ``""``: it is checked by none.
    profile
        The rules that it is checked by where nobody says others: those that it was made for.
    about
        What it is and where it was published, in a sentence or two.
    """

    name: str
    title: str
    source: str | Callable[[_P], Claim | Problem]
    main: bool = False
    published: str = ""
    profile: str = "paper"
    about: str = ""


@dataclass(frozen=True, slots=True)
class Loophole(Generic[_P]):
    """A way to pass the released grader by less work than a problem asks for.

    Attributes
    ----------
    name, about
        A plain word, and what the grader overlooks, in a sentence.
    problem
        By name: a bundled one that shows it.
    plans
        Returns plans for the problem that use the way, in a form that submissions may have: made of what the second
        argument returns, a shortest plan of a problem in that form. At least one of them passes.
    """

    name: str
    about: str
    problem: str
    plans: Callable[[_P, Callable[[_P], str]], Iterable[object]]
