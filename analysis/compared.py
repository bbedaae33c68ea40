"""Models beside the methods: what ``planoracle grade`` has written, in comparisons."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from planoracle.analysis.compare import Comparison, Entry
from planoracle.analysis.grade import Grade
from planoracle.analysis.graded import read_grades
from planoracle.analysis.intake.columns import is_grade
from planoracle.analysis.submissions import Intake
from planoracle.instances.status import Status


def parted(names: Sequence[str]) -> tuple[list[str], list[Grade]]:
    """Return the names among names, and the grades in those that are files of these.

    Without any other name these are the problems that were graded.

    Raises
    ------
    InputError
        For a file that cannot be read.
    """
    files = [name for name in names if os.path.isfile(name) and _holds_grades(name)]
    grades = [grade for name in files for grade in read_grades(name)]
    left = [name for name in names if name not in files]
    if files and not left:
        left = list(dict.fromkeys(grade.instance for grade in grades if grade.scored and grade.instance is not None))
    return left, grades


def _holds_grades(path: str) -> bool:
    return any(is_grade(entry) for _, (_, entry) in zip(range(1), Intake([path]), strict=False))


def with_models(one: Comparison, grades: Iterable[Grade]) -> Comparison:
    """Return a comparison with an entry for every model: the shortest of its plans that succeed.

    A model all of whose plans fail has no makespan, and says why of the first. One that is called like a method, or
    like another column, is told from it.
    """
    taken = set(one.row())
    groups: dict[str, list[Grade]] = defaultdict(list)
    for grade in grades:
        if grade.instance == one.instance and grade.scored:
            model = grade.model or "no model"
            groups[f"model {model}" if model in taken else model].append(grade)
    return replace(one, entries=(*one.entries, *(_entry(model, found) for model, found in groups.items())))


def _entry(model: str, grades: Sequence[Grade]) -> Entry:
    spans = [grade.makespan for grade in grades if grade.success and grade.makespan is not None]
    if spans:
        return Entry(model, min(spans), Status.feasible, accepted=True)
    return Entry(model, accepted=False, reason=f"no success: {grades[0].violation or 'not all tasks are done'}")
