"""Necessity of every clause of the general rules: without it, the answer of some instance changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from support.model_clauses import CLAUSES, IRREGULAR
from support.model_horizon import horizon
from support.model_search import ModelSearch
from support.random_model_instances import model_mix

from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource

#: Seeds of instances whose answer needs a clause.
WITNESSES = {
    "start while the agent is off": 0,
    "start before the release": 4,
    "more than a capacity": 6,
    "amount above a capacity": 6,
    "piece in no window": 8,
    "start by a busy agent": 8,
    "less than a minimum lag": 8,
    "missing action": 10,
    "work while the agent is off": 18,
    "use of a resource that is off": 22,
    "wrong duration": 22,
    "more than a budget": 24,
    "too little time for a set-up": 53,
    "wrong state": 57,
    "end after the deadline": 65,
    "agent with two actions": 67,
    "agent that is not eligible": 68,
    "too little time for a way": 70,
    "missing way": 70,
    "too little time for the first way": 70,
    "start before the predecessor of a mode": 70,
    "pause while nothing is off": 80,
    "more than a maximum lag": 89,
    "pieces of an action at once": 210,
    "too little time between visits of a place": 266,
    "no order of visits at an instant": 267,
    "pieces of an action that must not pause": 394,
    "end after the time limit": 18,
}


def _another_agent() -> Instance:
    """Return an action that takes a break although another agent, which is not eligible, has none."""
    action = Action("t/paint", "t", 2, 2, pauses_in_breaks=True, agents=("ann",))
    return Instance("relief", (action,), agents=("ann", "bob"), calendars=(Calendar(("ann",), ((1, 4),)),))


def _another_mode() -> Instance:
    """Return an action that may pause, and two machines of which the second is on when the first is off."""
    modes = (Mode((Demand("lathe"),)), Mode((Demand("mill"),)))
    action = Action("t/turn", "t", 2, 0, interruptible=True, modes=modes, agents=())
    calendars = (Calendar(("lathe",), ((0, 1),)), Calendar(("mill",), ((1, 4),)))
    return Instance("machines", (action,), resources=(Resource("lathe"), Resource("mill")), calendars=calendars)


#: Instances for clauses that random ones of this size hardly need.
BY_HAND = {
    "another agent after a break": _another_agent,
    "two modes of an action": _another_mode,
}


def _witness(name: str) -> Instance:
    return BY_HAND[name]() if name in BY_HAND else model_mix(WITNESSES[name])


def test_every_clause_has_a_witness() -> None:
    assert WITNESSES.keys() | BY_HAND.keys() == CLAUSES.keys()


@pytest.mark.parametrize("name", sorted(CLAUSES))
def test_answer_changes_without_a_clause(name: str) -> None:
    instance = _witness(name)
    is_irregular = name in IRREGULAR
    expected = ModelSearch(instance).best()
    clause = partial(CLAUSES[name], instance)
    latest = horizon(replace(instance, time_limit=None))
    answer = ModelSearch(instance, latest, ignores=clause, is_irregular=is_irregular).best()
    assert answer[:3] != expected[:3]


@pytest.mark.parametrize("name", sorted(IRREGULAR))
def test_rules_refuse_irregular_runs(name: str) -> None:
    instance = _witness(name)
    assert ModelSearch(instance, is_irregular=True).best()[:3] == ModelSearch(instance).best()[:3]
