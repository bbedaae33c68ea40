"""Problems with other numbers have the answers that they have when they are solved from nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from support.random_crews import crewshop, pauseshop
from support.random_instances import kitchen, ovens, workshop
from support.samples import sample

from planoracle.instances.catalogue import expand, load
from planoracle.instances.certify import accepted
from planoracle.instances.deadline import Work
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model import Instance
from planoracle.instances.referee import find_violations
from planoracle.instances.schedule import Schedule
from planoracle.instances.status import Status
from planoracle.instances.validate import validate
from planoracle.solver.changes import numbers as other_numbers
from planoracle.solver.changes import solver as changes
from planoracle.solver.changes.numbers import Numbers, changed
from planoracle.solver.changes.solver import ChangeSolver
from planoracle.solver.exact.solve import solve


def drawn(instance: Instance, random: Random) -> Numbers:
    """Other numbers, some of which may make no sense."""

    def about(number: int) -> int:
        return max(0, number + random.randint(-2, 3))

    some = random.choice((0.1, 0.5, 1.0))
    durations = {a.id: about(a.duration) for a in instance.actions if random.random() < some}
    releases = {a.id: about(a.release) for a in instance.actions if random.random() < 0.1}
    lags: dict[tuple[str, str], tuple[int | None, int | None]] = {}
    for lag in instance.lags:
        if random.random() < 0.2:
            least = None if lag.minimum is None else about(lag.minimum)
            lags[lag.before, lag.after] = least, None if lag.maximum is None else about(lag.maximum) + (least or 0)
    numbers = Numbers(durations, releases, lags)
    if random.random() < 0.2:
        numbers = replace(numbers, time_limit=random.choice((None, random.randint(1, 40))))
    return numbers


def same(instance: Instance, asked: Iterable[Numbers]) -> int:
    """Compare answers; return how many of them were found without solving from nothing."""
    again, quick = ChangeSolver(instance), 0
    for numbers in asked:
        try:
            other = changed(instance, numbers)
        except InputError as error:
            with pytest.raises(InputError, match=re.escape(str(error))):
                again.solve(numbers)
            continue
        one, two = again.solve(numbers, time_limit=Work(5.0)), solve(other, time_limit=Work(5.0))
        assert (one.status, one.makespan, one.lower_bound, one.grid, one.unit) == (
            *(two.status, two.makespan, two.lower_bound, two.grid, two.unit),
        )
        if one.schedule is not None:
            assert not list(find_violations(other, one.schedule))
        quick += one.proof in ("lower bound reached", "nothing shorter", "core search") and not one.canonical
    return quick


@pytest.mark.parametrize("seed", sample(range(60), 12))
@pytest.mark.parametrize("family", [kitchen, workshop, ovens, crewshop, pauseshop])
def test_small_problems_have_the_same_answers_as_from_nothing(family: Any, seed: int) -> None:
    instance, random = family(seed), Random(seed)
    same(instance, (drawn(instance, random) for _ in range(6)))


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(expand(["recipe2plan"]), 3))
def test_bundled_problems_have_the_same_answers_as_from_nothing(name: str) -> None:
    instance, random = load(name), Random(1)
    asked = [
        Numbers({a.id: a.duration + 60 * random.randint(0, 2) for a in random.sample(instance.actions, many)})
        for many in (1, 1, 2, 2, 3, 4)
    ]
    assert same(instance, asked)


def outcome(instance: Instance, numbers: Numbers) -> object:
    try:
        return changed(instance, numbers)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("seed", sample(range(40), 8))
@pytest.mark.parametrize("family", [kitchen, workshop, crewshop])
def test_numbers_are_checked_as_those_of_a_new_instance(
    family: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, random = family(seed), Random(seed)
    odd: list[Any] = [-1, 0, 10**10, True, 1.5, None]
    for _ in range(20):
        numbers = drawn(instance, random)
        some = {a.id: random.choice(odd) for a in instance.actions if random.random() < 0.1}
        if random.random() < 0.5:
            numbers = replace(numbers, durations={**numbers.durations, **some})
        if random.random() < 0.3:
            numbers = replace(numbers, releases=some, time_limit=random.choice(odd))
        for lag in instance.lags:
            if random.random() < 0.1:
                lags = {**numbers.lags, (lag.before, lag.after): (random.choice(odd), random.choice(odd))}
                numbers = replace(numbers, lags=lags)
        with monkeypatch.context() as patch:
            patch.setattr(other_numbers, "validate_numbers", lambda made, places, lags: validate(made))
            wanted = outcome(instance, numbers)
        found = outcome(instance, numbers)
        assert found == wanted
        if isinstance(found, Instance):
            assert found.order == replace(found).order
            assert found.predecessors == replace(found).predecessors


def test_numbers_of_a_problem_whose_rules_know_them_from_elsewhere_can_be_changed() -> None:
    instance = load("timearena/household1")
    again = ChangeSolver(instance)
    assert again.solve().makespan == 13
    longest = max(instance.actions, key=lambda action: action.duration)
    longer = again.solve(Numbers({longest.id: longest.duration + 5}))
    assert longer.makespan is not None
    assert longer.makespan > 13
    assert again.instance.benchmark == "generic"


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    instance, random = load("recipe2plan/timed/Cobbler_Pancakes"), Random(2)
    asked = [Numbers({a.id: a.duration + 60 * random.randint(0, 2)}) for a in random.sample(instance.actions, 8)]
    again = ChangeSolver(instance)
    found = [(numbers, again.solve(numbers).makespan) for numbers in asked]
    for numbers, makespan in reversed(found):
        assert ChangeSolver(instance).solve(numbers).makespan == again.solve(numbers).makespan == makespan


def test_most_changes_of_a_duration_need_no_search_for_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, calls = load("recipe2plan/untimed/Cobbler_Pancakes"), []
    monkeypatch.setattr(changes, "solve", lambda *given, **more: calls.append(1) or solve(*given, **more))
    again = ChangeSolver(instance)
    for action in instance.actions:
        assert again.solve(Numbers({action.id: action.duration + 60})).status == Status.optimal
    assert len(calls) < len(instance.actions) / 4


def squeezed(again: ChangeSolver) -> Schedule:
    """A schedule that breaks the rules: its last piece begins at once."""
    found = again.solve().schedule
    assert found is not None
    return Schedule((*found.pieces[:-1], found.pieces[-1]._replace(start=0)))


def test_no_plan_is_returned_that_the_rules_do_not_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    again = ChangeSolver(load("recipe2plan/timed/Cobbler_Pancakes"))
    wrong = squeezed(again)
    monkeypatch.setattr(ChangeSolver, "_placed_in_pieces", lambda self, question: None)
    monkeypatch.setattr(ChangeSolver, "_placed", lambda self, question: wrong)
    monkeypatch.setattr(changes._Question, "shortened", lambda self, best: (best, "nothing shorter"))
    with pytest.raises(InternalError, match="does not pass the rules"):
        again.solve()


def test_what_is_placed_in_pieces_is_dropped_if_the_rules_do_not_accept_it(monkeypatch: pytest.MonkeyPatch) -> None:
    again = ChangeSolver(load("recipe2plan/timed/Cobbler_Pancakes"))
    wrong = squeezed(again)
    refused: list[Schedule] = []

    def placed(self: ChangeSolver, question: Any) -> Schedule:
        question.least = wrong.makespan
        return wrong

    def looked_at(instance: Instance, schedule: Schedule) -> str | None:
        text = accepted(instance, schedule)
        refused.extend([schedule] if text is None else [])
        return text

    monkeypatch.setattr(ChangeSolver, "_placed_in_pieces", placed)
    monkeypatch.setattr(changes, "accepted", looked_at)
    found = again.solve()
    assert (refused, found.makespan, found.status) == ([wrong], 4080, Status.optimal)


def test_what_is_not_settled_soon_is_solved_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = kitchen(3)
    again = ChangeSolver(instance)
    wanted = again.solve()
    monkeypatch.setattr(changes._Question, "shortened", lambda self, best: (best, ""))
    monkeypatch.setattr(changes, "lower_bound", lambda *given: 0)
    assert (again.solve().makespan, again.solve().status) == (wanted.makespan, Status.optimal)
    assert again.solve().canonical


_LAG = "Cobbler/2", "Cobbler/3"


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (Numbers({"Cobbbler/7": 5}), "durations: is not in the instance; did you mean Cobbler/7?"),
        (Numbers(releases={"x": 5}), "releases: is not in the instance"),
        (Numbers(lags={("Cobbler/0", "Pancakes/0"): (0, None)}), "lags: is not in the instance"),
        (Numbers(lags={_LAG: 5}), "lags[Cobbler/2, Cobbler/3]: must be a minimum and a maximum"),  # type: ignore[dict-item]
        (Numbers(lags={_LAG: (1,)}), "lags[Cobbler/2, Cobbler/3]: must be a minimum and a maximum"),  # type: ignore[dict-item]
        (Numbers(lags={_LAG: None}), "lags[Cobbler/2, Cobbler/3]: must be a minimum and a maximum"),  # type: ignore[dict-item]
        (Numbers(lags={_LAG: (0, "9")}), "must be a whole number"),  # type: ignore[dict-item]
        (Numbers(lags=[_LAG]), "lags: must be a mapping"),  # type: ignore[arg-type]
        (Numbers(5), "durations: must be a mapping"),  # type: ignore[arg-type]
        (Numbers({"Cobbler/7": -1}), "actions[Cobbler/7].duration: must lie between 0 and"),
        (Numbers({"Cobbler/7": 1.5}), "actions[Cobbler/7].duration: must be a whole number"),  # type: ignore[dict-item]
        (Numbers(time_limit=-1), "time_limit: must lie between 0 and"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(numbers: Numbers, said: str) -> None:
    with pytest.raises(InputError) as raised:
        ChangeSolver(load("recipe2plan/timed/Cobbler_Pancakes")).solve(numbers)
    assert said in str(raised.value)
