"""Explanations of optima and of impossible problems, as a function and on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from support.runner import CliRunner

from planoracle.analysis.cli import app
from planoracle.analysis.diagnosis.explain import explain
from planoracle.instances.files import catalog
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Status
from planoracle.solver.exact import search as solving
from planoracle.solver.proofs.certificate import verify

NAME = "recipe2plan/timed/Cobbler_Pancakes"
KITCHEN = "kitchens/synchronous/0_cheese_sandwich"

HURRIED = {
    "format": "planoracle/instance",
    "version": 1,
    "name": "supper",
    "unit": "minute",
    "time_limit": 8,
    "tasks": [{"name": "soup", "actions": [{"name": "boil", "duration": 9, "attended": 0}]}],
}


def run(*arguments):
    return CliRunner().invoke(app, ["explain", *arguments])


def test_an_optimum_with_its_proof():
    problem = catalog.load(NAME)
    found = explain(problem)
    assert (found.status, found.makespan, found.kind, found.gap, found.explained) == (
        "optimal",
        4080,
        "busy time",
        0,
        True,
    )
    verify(problem, found.certificate)
    assert found.lines()[0] == f"{NAME}: optimal, 1 h 8 min."
    assert found.lines()[-1].endswith("the makespan is at least 1 h 8 min.")
    assert found.conflict is None


def shop(seed, jobs, machines):
    """Return a job shop: every job once on every machine."""
    random, made = Random(seed), Model("shop")
    for job in range(jobs):
        made = made.task(f"job{job}")
        for place, machine in enumerate(random.sample(range(machines), machines)):
            made = made.action(f"step{place}", random.randint(1, 9), attended=0, uses=f"machine{machine}")
            if place:
                made = made.after(f"step{place - 1}")
    return made.build()


@pytest.mark.slow
def test_what_the_search_had_to_settle_is_said():
    found = explain(shop(10, 6, 6))
    assert (found.status, found.kind, found.explained) == ("optimal", "search", False)
    assert found.gap > 0
    assert "proved by search" in found.lines()[-1]


def test_an_impossible_problem_has_a_minimal_conflict():
    problem = catalog.load(NAME)
    found = explain(replace(problem, benchmark="generic", time_limit=2700, origin=problem))
    assert (found.status, found.makespan, found.certificate) == ("infeasible", None, None)
    assert found.conflict.minimal
    assert found.explained
    assert found.lines() == found.conflict.lines()


def test_a_proof_can_settle_what_the_search_could_not(monkeypatch):
    def undecided(instance, **given):
        return replace(genuine(instance, **given), status=Status.feasible, lower_bound=79)

    genuine = solving.solve
    monkeypatch.setattr(solving, "solve", undecided)
    found = explain(Instance("many", tuple(Action(f"t/{k}", "t", 2, 2) for k in range(40))))
    assert (found.status, found.lower_bound, found.explained_bound) == ("optimal", 80, 80)


def test_without_time_nothing_is_claimed():
    found = explain(catalog.load("recipe2plan/timed/Tacos_Smore-Bars"), time_limit=0)
    assert found.status in ("feasible", "unknown")
    assert (found.explained, found.explained_bound, found.certificate, found.document) == (False, None, None, None)
    assert found.lines()[0].endswith("no certificate was found within the time limit.")


def test_a_kitchen_is_proved_by_search():
    found = explain(catalog.problem(KITCHEN))
    assert (found.status, found.kind, found.explained, found.gap) == ("optimal", "search", False, None)
    assert any("by search" in line for line in found.lines())


def test_an_impossible_file_is_answered(tmp_path):
    path = tmp_path / "supper.json"
    path.write_text(json.dumps(HURRIED))
    result = run(str(path))
    assert result.exit_code == 0
    assert "is infeasible" in result.output
    assert "boil" in result.output


@pytest.mark.slow
def test_what_cannot_be_answered_is_reported(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("{")
    result = run(str(path), "timearena/lab1")
    assert result.exit_code == 1
    assert "timearena/lab1: optimal" in result.output
    assert run("recipe2plan/timed/Tacos_Smore-Bars", "--time-limit", "0").exit_code in (0, 1)
