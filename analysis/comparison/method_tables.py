"""Tables of comparisons: averages per set, and entries for graded models."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from planoracle.analysis.comparison.compare import OPTIMUM, Comparison, MethodResult, rank
from planoracle.analysis.grading.grade_row import read_grades
from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.intake.record_fields import is_grade
from planoracle.analysis.intake.submissions import Intake
from planoracle.analysis.statistics.intervals import mean
from planoracle.instances.files.catalog import set_of, short_name
from planoracle.instances.model.limits import Status
from planoracle.instances.protocol import registry

#: Method of grades without a model, and what stands before a model with the name of a method.
UNNAMED_MODEL, MODEL_PREFIX = "no model", "model "
# Reasons of models without a graded plan.
_NOT_SCORED = "not scored: "
_NO_PLAN = "no plan for this problem"


def summarize(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Summarize the answers of each method per set.

    Returns
    -------
    list of dict
        ``set`` (of the bundled problems, else the benchmark), ``method, problems``; numbers of answers
        ``above, equal, below`` the proved optimum; ``impossible``: number of makespans whose plan the rules reject;
        ``failed``: number of problems on which every plan of a model failed; the number of problems ``answered``,
        their ``mean`` in ticks and its ``unit``; the number of answers ``compared`` with a proved optimum, and their
        ``mean_gap, max_gap`` (share of the optimum); ``worst``: problem with the largest gap.
        Then the columns of the benchmark (`planoracle.instances.protocol.benchmark.Benchmark.paper_averages`).
    """
    import pandas as pd

    answers: list[dict[str, Any]] = []
    for number, comparison in enumerate(comparisons):
        answers += _answers(number, comparison)
    if not answers:
        return []
    rows = []
    sets: Any = pd.DataFrame(answers, dtype=object).groupby(["benchmark", "set"], sort=False)
    for (name, label), members in sets:
        benchmark = registry.get(name)
        titles = {reference.name: reference.title for reference in benchmark.references}
        units = members["unit"].unique()
        unit = units[0] if len(units) == 1 else None
        for method, part in members.groupby("method", sort=False):
            row = {
                "set": label,
                "method": titles.get(method, method.replace("_", " ")),
                "problems": members["number"].nunique(),
            }
            row |= _counts_and_means(part, unit)
            averages = benchmark.paper_averages(row)
            if part["ungraded"].all():  # a model without a graded plan has not failed
                averages = dict.fromkeys(averages)
            rows.append(row | averages)
    return rows


def _answers(number: int, comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield the answers of the methods for one problem, which has a number."""
    instance, benchmark = comparison.instance, comparison.benchmark
    set_name = storable(set_of(instance)[0] or instance.rpartition("/")[0] or benchmark)
    for entry in comparison.entries:
        reason = entry.reason or ""
        makespan = comparison.optimum if entry is comparison.exact else entry.makespan
        yield {
            "number": number,
            "benchmark": benchmark,
            "set": set_name,
            "instance": instance,
            "method": storable(entry.method),
            "unit": comparison.unit,
            "makespan": makespan,
            "has_best_weight": comparison.has_best_weight(entry),
            "gap": comparison.gap(entry),
            "refused": entry.accepted is False,
            "ungraded": reason.startswith((_NOT_SCORED, _NO_PLAN)),
        }


def _counts_and_means(part: Any, unit: str | None) -> dict[str, Any]:
    """Return the numbers of the answers of a method for a set, which are part of a frame."""
    makespans = part["makespan"][part["has_best_weight"]].dropna()
    gaps = part["gap"].dropna().astype(float)
    max_gap = None if gaps.empty else float(gaps.max())
    worst = None
    if max_gap is not None and max_gap > 0:
        worst = short_name(part["instance"][gaps.idxmax()])
    is_refused, is_answered = part["refused"], part["makespan"].notna()
    return {
        "above": int((gaps > 0).sum()),
        "equal": int((gaps == 0).sum()),
        "below": int((gaps < 0).sum()),
        "impossible": int((is_refused & is_answered).sum()),
        "failed": int((is_refused & ~is_answered).sum()),
        "answered": int(is_answered.sum()),
        "mean": mean(makespans),
        "unit": unit,
        "compared": len(gaps),
        "mean_gap": mean(gaps),
        "max_gap": max_gap,
        "worst": worst,
    }


def storable(text: str) -> str:
    """Return a text by which a frame can be grouped: surrogates that stand alone are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def names_and_grades(names: Sequence[str]) -> tuple[list[str], list[Grade]]:
    """Split names into problems and files of grades; return the former and the grades of the latter.

    Without a problem the graded problems are returned.

    Raises
    ------
    InputError
        For a file that cannot be read.
    """
    files = [name for name in names if os.path.isfile(name) and _has_grades(name)]
    grades = list(chain.from_iterable(map(read_grades, files)))
    remaining = [name for name in names if name not in files]
    # An unscored plan for a known problem has its benchmark.
    about_problems = [grade for grade in grades if grade.scored or grade.benchmark]
    graded = dict.fromkeys(grade.instance for grade in about_problems if grade.instance is not None)
    return (list(graded) if files and not remaining else remaining), grades


def _has_grades(file: str) -> bool:
    """Return True if the first entry of a file is a grade."""
    return any(is_grade(entry) for _, entry in islice(Intake([file]), 1))


def with_models(comparison: Comparison, grades: Iterable[Grade], order: Sequence[str] = ()) -> Comparison:
    """Return a comparison with an entry for every model: the shortest of its plans that succeed.

    A model without a successful plan for the problem has no makespan, and the reason of its first plan. A model with
    the name of a method gets the prefix ``model``.

    Parameters
    ----------
    grades
        Grades of all problems: a model that has none for this problem has an entry, too.
    order
        Names in the order of the entries; if it names models, other models are omitted.
    """
    used = {OPTIMUM, *(entry.method for entry in comparison.entries)}
    groups: dict[str, list[Grade]] = {}
    for grade in grades:
        model = grade.model or UNNAMED_MODEL
        group = groups.setdefault(f"{MODEL_PREFIX}{model}" if model in used else model, [])
        if grade.instance == comparison.instance:
            group.append(grade)
    chosen = [name for name in groups if name in order] or groups
    entries = [*comparison.entries, *(_entry(name, groups[name]) for name in chosen)]
    places = {name: place for place, name in enumerate(order)}

    def place_of(entry: MethodResult) -> int:
        return places.get(entry.method, len(places))

    entries.sort(key=place_of)
    return replace(comparison, entries=tuple(entries))


def _success(model: str, grade: Grade) -> MethodResult:
    return MethodResult(model, grade.makespan, Status.feasible, accepted=True, weight=grade.weight)


def _entry(model: str, grades: Sequence[Grade]) -> MethodResult:
    """Return the entry of a model from its grades for a problem."""
    scored = [grade for grade in grades if grade.scored]
    successes = [grade for grade in scored if grade.success and grade.makespan is not None]
    if successes:
        entries = [_success(model, grade) for grade in successes]
        return min(entries, key=rank)
    if scored:
        reason = f"no successful plan: {scored[0].violation or 'not all tasks are complete'}"
        return MethodResult(model, accepted=False, reason=reason)
    return MethodResult(model, reason=f"{_NOT_SCORED}{grades[0].reason}" if grades else _NO_PLAN)
