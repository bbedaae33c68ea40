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
from planoracle.solver.proofs import drcp
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


def test_optimum_with_optional_tasks_names_its_weight():
    actions = Action("a/work", "a", 2, 2), Action("b/work", "b", 3, 3), Action("c/work", "c", 4, 4)
    explanation = explain(Instance("orders", actions, optional=(("b", 5), ("c", 1)), time_limit=6))
    assert explanation.as_dict()["weight"] == 5
    expected = "orders: optimal, weight 5 of at most 5, 5 ticks; certificates cannot respect optional tasks."
    assert explanation.lines() == [expected]
    assert "weight" not in explain(Instance("work", actions)).as_dict()


def test_optimum_has_certificate():
    problem = catalog.load(NAME)
    explanation = explain(problem)
    assert (explanation.status, explanation.makespan, explanation.kind, explanation.gap, explanation.explained) == (
        "optimal",
        4080,
        "busy time",
        0,
        True,
    )
    verify(problem, explanation.certificate)
    assert explanation.lines()[0] == f"{NAME}: optimal, 1 h 8 min."
    assert explanation.lines()[-1].endswith("the makespan is at least 1 h 8 min.")
    assert explanation.conflict is None


def shop(seed, jobs, machines):
    """Return a job shop: every job once on every machine."""
    random, model = Random(seed), Model("shop")
    for job in range(jobs):
        model = model.task(f"job{job}")
        for place, machine in enumerate(random.sample(range(machines), machines)):
            model = model.action(f"step{place}", random.randint(1, 9), attended=0, uses=f"machine{machine}")
            if place:
                model = model.after(f"step{place - 1}")
    return model.build()


@pytest.mark.slow
def test_gap_closed_by_search_is_reported(monkeypatch):
    monkeypatch.setattr(drcp, "is_available", lambda: False)
    explanation = explain(shop(10, 6, 6))
    assert (explanation.status, explanation.kind, explanation.explained) == ("optimal", "search", False)
    assert explanation.gap > 0
    assert any("proved by search" in line for line in explanation.lines())


def test_infeasible_problem_has_minimal_conflict():
    problem = catalog.load(NAME)
    explanation = explain(replace(problem, benchmark="generic", time_limit=2700, origin=problem))
    assert (explanation.status, explanation.makespan, explanation.certificate) == ("infeasible", None, None)
    assert explanation.conflict.minimal
    assert explanation.explained
    assert explanation.lines() == explanation.conflict.lines()


def test_certificate_can_prove_optimum_that_search_did_not(monkeypatch):
    def undecided(instance, **options):
        return replace(genuine(instance, **options), status=Status.feasible, lower_bound=79)

    genuine = solving.solve
    monkeypatch.setattr(solving, "solve", undecided)
    explanation = explain(Instance("many", tuple(Action(f"t/{k}", "t", 2, 2) for k in range(40))))
    assert (explanation.status, explanation.lower_bound, explanation.explained_bound) == ("optimal", 80, 80)


def test_zero_time_limit_claims_no_proof():
    explanation = explain(catalog.load("recipe2plan/timed/Tacos_Smore-Bars"), time_limit=0)
    assert explanation.status in ("feasible", "unknown")
    assert (explanation.explained, explanation.explained_bound, explanation.certificate, explanation.document) == (
        False,
        None,
        None,
        None,
    )
    assert explanation.lines()[0].endswith("no certificate was found within the time limit.")


def test_kitchen_is_proved_by_search():
    explanation = explain(catalog.problem(KITCHEN))
    assert (explanation.status, explanation.kind, explanation.explained, explanation.gap) == (
        "optimal",
        "search",
        False,
        None,
    )
    assert any("by search" in line for line in explanation.lines())


def test_infeasible_file_is_explained(tmp_path):
    path = tmp_path / "supper.json"
    path.write_text(json.dumps(HURRIED))
    result = run(str(path))
    assert result.exit_code == 0
    assert "is infeasible" in result.output
    assert "boil" in result.output


@pytest.mark.slow
def test_unreadable_problem_is_reported(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("{")
    result = run(str(path), "timearena/lab1")
    assert result.exit_code == 1
    assert "timearena/lab1: optimal" in result.output
    assert run("recipe2plan/timed/Tacos_Smore-Bars", "--time-limit", "0").exit_code in (0, 1)
