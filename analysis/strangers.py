"""Plans that are probably for other problems than they say, told once for every model and set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from planoracle.analysis.grade import Grade
from planoracle.instances import catalogue


class Strangers:
    """Counts them, by model and set.

    Examples
    --------
    >>> from planoracle.analysis.grade import Grader
    >>> plan = {"id": "1", "model": "m", "instance": "timearena/lab1", "plan": ["wash cup", "pick leaf", "wash kettle"]}
    >>> print(*Strangers().over([Grader().grade(plan)]).warnings())
    1 of 1 plans of m for timearena/lab/1 are probably for other problems: timearena/lab1: 3 of 3 commands name \
what the problem does not have: cup, pick leaf, kettle
    """

    def __init__(self) -> None:
        self._plans: dict[tuple[str, str], int] = {}
        self._first: dict[tuple[str, str], tuple[int, str]] = {}

    def add(self, grade: Grade) -> None:
        """Count a grade."""
        name = grade.instance or ""
        key = (grade.model or "", _set_of(name) or name.rpartition("/")[0] or name)
        self._plans[key] = self._plans.get(key, 0) + 1
        if grade.other_problem:
            count, example = self._first.get(key, (0, f"{name}: {grade.other_problem}"))
            self._first[key] = (count + 1, example)

    def over(self, grades: Iterable[Grade]) -> Strangers:
        """Count several grades; return the same."""
        for grade in grades:
            self.add(grade)
        return self

    def warnings(self) -> list[str]:
        """Return a sentence for every model and set that has such plans."""
        return [
            f"{count} of {self._plans[key]} plans{f' of {key[0]}' if key[0] else ''} for {key[1]} are probably for "
            f"other problems: {example}"
            for key, (count, example) in sorted(self._first.items())
        ]


@lru_cache(maxsize=4096)
def _set_of(name: str) -> str:
    return catalogue.set_of(name)[0]
