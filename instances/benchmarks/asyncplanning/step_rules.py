"""Grades of answers to AsyncPlan-XXL, exact and as the released graders give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asyncplanning.step_facts import Edge, earliest_starts, makespan_of
from planoracle.instances.benchmarks.asyncplanning.step_tasks import StepOrigin
from planoracle.instances.benchmarks.asyncplanning.step_text import PlannerAnswer, exact_number, released_time
from planoracle.instances.model.violations import Violation

#: Tolerance of the released check of schedules, in seconds.
_TOLERANCE = 1
#: Largest absolute time that a schedule may state, and that messages show, in seconds.
MAX_SECONDS = 10**15
#: Most characters of a name or value in a violation.
_MAX_TEXT = 200


class TimedStep(NamedTuple):
    """Entry of a schedule.

    Attributes
    ----------
    start, duration
        Seconds.
    name
        Step, such as ``step3``.
    """

    start: Fraction
    name: str
    duration: Fraction

    @property
    def end(self) -> Fraction:
        """Seconds."""
        return self.start + self.duration


class StepGrade(NamedTuple):
    """Grade of an answer.

    Attributes
    ----------
    violation
        First broken rule; ``None`` for a success.
    seconds
        Stated or derived makespan; ``None`` if the answer states none.
    starts
        Starts of all steps by the orders of a JSON answer, if steps and orders are right.
    """

    violation: Violation | None
    seconds: Fraction | None = None
    starts: Sequence[Fraction] | None = None


def grade(origin: StepOrigin, answer: PlannerAnswer | tuple[TimedStep, ...], *, is_released: bool) -> StepGrade:
    """Grade an answer: JSON with orders, or a schedule.

    Parameters
    ----------
    origin
        Facts and durations of the problem.
    answer
        Answer of a model, or entries of a schedule.
    is_released
        Grade as the released code.
    """
    if isinstance(answer, PlannerAnswer):
        return _released_answer(origin, answer) if is_released else _exact_answer(origin, answer.document)
    if not answer:
        return StepGrade(_violation("no_answer" if is_released else "no_plan", "plan"))
    return _released_schedule(origin, answer) if is_released else _exact_schedule(origin, answer)


def _violation(kind: str, subject: object, required: object = None, actual: object = None) -> Violation:
    values = ["" if value is None else _measure(value) for value in (required, actual)]
    return Violation(None, kind, str(subject)[:_MAX_TEXT], required=values[0] or None, actual=values[1] or None)


def _measure(value: object) -> str:
    """Return a value in a message; seconds as a decimal number."""
    if not isinstance(value, Fraction):
        return str(value)[:_MAX_TEXT]
    if abs(value) > MAX_SECONDS:
        return f"more than {MAX_SECONDS} seconds"
    return f"{float(value):.10g} seconds"


def names_of(count: int) -> dict[str, int]:
    """Return the numbers of the steps by name, in order."""
    return {f"step{number}": number for number in range(1, count + 1)}


# --- JSON with orders -----------------------------------------------------------------------------


def _released_answer(origin: StepOrigin, answer: PlannerAnswer) -> StepGrade:
    """Compare the stated time with the released one; the stated plan does not count."""
    stated = released_time(answer)
    if stated is None:
        return StepGrade(_violation("no_answer", "final_answer_seconds"))
    violation = None
    if stated != origin.right_time:
        violation = _violation("wrong_time", "final_answer_seconds", origin.right_time, Fraction(stated))
    return StepGrade(violation, Fraction(stated))


class _StatedPlan(NamedTuple):
    """Steps and orders of a JSON answer, by the names in it."""

    durations: list[tuple[str, object]]
    orders: list[tuple[str, str]]
    time: object


def _exact_answer(origin: StepOrigin, document: Any) -> StepGrade:
    """Check steps, durations and orders; then compare stated time and resulting schedule with the optimum."""
    stated = _stated_plan(document)
    if stated is None:
        return StepGrade(_violation("no_plan", "answer"))
    durations = origin.seconds
    numbers = names_of(len(durations))
    steps = [name for name, _ in stated.durations]
    mentioned = [*steps]
    for order in stated.orders:
        mentioned.extend(order)
    times = [(name, exact_number(time)) for name, time in stated.durations]
    violation = (
        _unknown(mentioned, numbers)
        or _repeated(steps)
        or _wrong_duration(times, numbers, durations)
        or _missing(steps, numbers)
    )
    if violation is not None:
        return StepGrade(violation)
    orders = [(numbers[before], numbers[after]) for before, after in stated.orders]
    starts = earliest_starts(durations, orders)
    if starts is None:
        return StepGrade(_violation("cycle", "dependencies"))
    broken = _broken_order(origin.facts.edges, starts, durations)
    if broken is not None:
        return StepGrade(broken)
    makespan = makespan_of(starts, durations)
    return StepGrade(_wrong_time(origin, stated.time, makespan), makespan, starts)


def _wrong_time(origin: StepOrigin, stated: object, makespan: Fraction) -> Violation | None:
    """Return the violation of a stated time or a schedule that is not the shortest."""
    optimum = origin.facts.shortest_time(released=origin.has_released_durations)
    if exact_number(stated) != optimum:
        return _violation("wrong_time", "final_answer_seconds", optimum, stated)
    if makespan > optimum:
        return _violation("extra_order", "dependencies", optimum, makespan)
    return None


def _stated_plan(document: Any) -> _StatedPlan | None:
    """Return the plan of a JSON answer, ``None`` without lists of steps and orders.

    An entry without a name counts as an unknown step.
    """
    if not isinstance(document, dict) or not isinstance(document.get("actions"), list):
        return None
    dependencies = document.get("dependencies")
    if dependencies is None:
        dependencies = []
    if not isinstance(dependencies, list):
        return None
    durations = [(_name_in(entry, "id"), _value_in(entry, "duration")) for entry in document["actions"]]
    orders = [(_name_in(entry, "before"), _name_in(entry, "after")) for entry in dependencies]
    return _StatedPlan(durations, orders, document.get("final_answer_seconds"))


def _value_in(entry: object, field: str) -> object:
    return entry.get(field) if isinstance(entry, dict) else None


def _name_in(entry: object, field: str) -> str:
    name = _value_in(entry, field)
    return name if isinstance(name, str) else ""


# --- schedules ------------------------------------------------------------------------------------


def _exact_schedule(origin: StepOrigin, entries: Sequence[TimedStep]) -> StepGrade:
    """Check a schedule; it may take longer than the optimum."""
    durations = origin.seconds
    numbers = names_of(len(durations))
    steps = [entry.name for entry in entries]
    violation = _unknown(steps, numbers) or _repeated(steps)
    if violation is not None:
        return StepGrade(violation)
    makespan = _latest_end(entries)
    times = [(entry.name, entry.duration) for entry in entries]
    violation = _wrong_duration(times, numbers, durations)
    if violation is not None:
        return StepGrade(violation, makespan)
    violation = _missing(steps, numbers)
    if violation is not None:
        return StepGrade(violation)
    by_name = {entry.name: entry for entry in entries}
    starts = [by_name[name].start for name in numbers]
    violation = _negative_start(entries) or _broken_order(origin.facts.edges, starts, durations)
    return StepGrade(violation, makespan)


def _released_schedule(origin: StepOrigin, entries: Sequence[TimedStep]) -> StepGrade:
    """Check the first entry of every step with a tolerance, then the latest end of all entries."""
    makespan = _latest_end(entries)
    durations = origin.seconds
    numbers = names_of(len(durations))
    first_entries: dict[str, TimedStep] = {}
    for entry in entries:
        first_entries.setdefault(entry.name, entry)
    violation = _missing(first_entries, numbers)
    if violation is not None:
        return StepGrade(violation, makespan)
    by_number = [first_entries[name] for name in numbers]
    times = [(entry.name, entry.duration) for entry in by_number]
    starts = [entry.start for entry in by_number]
    lengths = [entry.duration for entry in by_number]
    violation = _wrong_duration(times, numbers, durations, _TOLERANCE)
    violation = violation or _broken_order(origin.facts.edges, starts, lengths, _TOLERANCE)
    right = origin.right_time
    if violation is None and round(makespan) != right:
        violation = _violation("wrong_time", "plan", right, makespan)
    return StepGrade(violation, makespan)


def _latest_end(entries: Iterable[TimedStep]) -> Fraction:
    return max(entry.end for entry in entries)


def _negative_start(entries: Iterable[TimedStep]) -> Violation | None:
    early = next((entry for entry in entries if entry.start < 0), None)
    return None if early is None else _violation("negative_start", early.name, Fraction(0), early.start)


# --- common checks --------------------------------------------------------------------------------


def _unknown(names: Iterable[str], numbers: dict[str, int]) -> Violation | None:
    unknown = next((name for name in names if name not in numbers), None)
    return None if unknown is None else _violation("unknown_step", unknown, f"step1 to step{len(numbers)}")


def _repeated(names: Sequence[str]) -> Violation | None:
    counts = Counter(names)
    repeated = next((name for name in names if counts[name] > 1), None)
    if repeated is None:
        return None
    return _violation("repeated_step", repeated, "1 time", f"{counts[repeated]} times")


def _missing(names: Iterable[str], numbers: dict[str, int]) -> Violation | None:
    listed = set(names)
    missing = next((name for name in numbers if name not in listed), None)
    return None if missing is None else _violation("missing_step", missing)


def _wrong_duration(
    times: Iterable[tuple[str, Fraction | None]],
    numbers: dict[str, int],
    durations: Sequence[Fraction],
    tolerance: int = 0,
) -> Violation | None:
    """Return the first duration that is no number, or differs by more than the tolerance."""
    for name, time in times:
        required = durations[numbers[name] - 1]
        if time is None:
            return _violation("duration", name, required, "no number")
        if abs(time - required) > tolerance:
            return _violation("duration", name, required, time)
    return None


def _broken_order(
    edges: Iterable[Edge], starts: Sequence[Fraction], durations: Sequence[Fraction], tolerance: int = 0
) -> Violation | None:
    """Return the first required order that starts do not keep."""
    for before, after in edges:
        end = starts[before - 1] + durations[before - 1]
        if starts[after - 1] < end - tolerance:
            return _violation("order", f"step{after}", f"step{before}")
    return None
