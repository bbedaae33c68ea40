"""Verdicts of Natural Plan, compared with the general rules of the same problem."""

from __future__ import annotations

from random import Random

import pytest

from planoracle.instances.benchmarks.naturalplan.run import text_of_plan
from planoracle.instances.benchmarks.naturalplan.task_modules import modules_of
from planoracle.instances.benchmarks.naturalplan.trip_facts import consecutive
from planoracle.instances.files.catalog import expand, load
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.protocol import registry
from planoracle.solver.solve import solve

_BENCHMARK = registry.get("naturalplan")


def _shifted(problem: Instance, schedule: Schedule, random: Random) -> Schedule:
    """Return a schedule with some meetings moved by minutes, or left out."""
    pieces = list(schedule.pieces)
    for _ in range(random.randint(1, 2)):
        position = random.randrange(len(pieces))
        start = pieces[position].start + random.choice((-5, -1, 1, 5, 30))
        pieces[position] = pieces[position]._replace(start=max(0, start))
    if len(pieces) > 1 and random.random() < 0.3:
        pieces.pop(random.randrange(len(pieces)))
    return Schedule.of(problem, pieces)


@pytest.mark.parametrize("name", [f"naturalplan/meeting/{number}" for number in (6, 389, 502, 962)])
def test_meetings_near_the_optimum_are_accepted_if_the_general_rules_accept_them(name: str) -> None:
    problem = load(name)
    best = solve(problem).schedule
    assert best is not None
    random = Random(name)
    verdicts = []
    for _ in range(60):
        schedule = _shifted(problem, best, random)
        plan = text_of_plan(modules_of(problem).answers.written(problem, schedule))
        run = _BENCHMARK.run(problem, {"plan": plan})
        expected = referee(problem, schedule)
        assert run.success == expected.success, (plan, run.verdict.violations, expected.violations)
        verdicts.append(run.success)
    assert 0 < sum(verdicts) < 60


@pytest.mark.parametrize("name", ["naturalplan/trip/1450", "naturalplan/trip/1009", "naturalplan/trip/21"])
def test_orders_of_cities_are_accepted_if_the_general_rules_accept_them(name: str) -> None:
    problem = load(name)
    facts = problem.origin
    random = Random(name)
    orders = [*facts.orders(), *(random.sample(order, len(order)) for order in facts.orders(1) * 30)]
    verdicts = []
    for order in orders:
        stays = consecutive(tuple((city, dict(facts.stays)[city]) for city in order))
        run = _BENCHMARK.run(problem, "\n".join(stay.text for stay in stays))
        assert run.success == referee(problem, Schedule.of(problem, run.plan.commands.pieces)).success, stays
        assert run.success == (tuple(order) in facts.orders())
        verdicts.append(run.success)
    assert len(set(verdicts)) == 2


def test_slots_are_accepted_if_the_general_rules_accept_them() -> None:
    names = [name for name in expand(["naturalplan/calendar"])[::20] if not load(name).origin.is_earliest]
    for name in names:
        problem = load(name)
        facts = problem.origin
        verdicts = []
        for day in (*facts.days, (facts.days[-1] + 1) % 5):
            for start in range(facts.opens - 30, facts.closes, 15):
                run = _BENCHMARK.run(problem, facts.slot_at(day, start).text)
                expected = referee(problem, Schedule.of(problem, run.plan.commands.pieces)).success
                assert run.success == expected, (name, day, start)
                verdicts.append(run.success)
        assert len(set(verdicts)) == 2
