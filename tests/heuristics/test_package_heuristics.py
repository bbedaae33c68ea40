"""Heuristics of other packages: registration, failures and names."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from support.runner import CliRunner
from support.samples import sample

from planoracle import Instance, compare, register, schedule
from planoracle.analysis.cli import app
from planoracle.heuristics.package_heuristics import CONTRIBUTIONS, HeuristicError
from planoracle.heuristics.registry import names
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Lag
from planoracle.plugin import HeuristicOutcome, Piece, Schedule

SOUP = Instance(
    "soup",
    (Action("soup/chop", "soup", 5, 5), Action("soup/boil", "soup", 9, 0)),
    (Lag("soup/chop", "soup/boil"),),
)
CHOP, BOIL = Piece("soup/chop", 0, 5, "agent"), Piece("soup/boil", 5, 9, "agent")


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CONTRIBUTIONS, "_registered", {})


def _endless(instance: Instance, budget: object) -> None:
    while True:
        pass


def _quits(instance: Instance, budget: object) -> None:
    raise SystemExit(3)


def _returns(value: object) -> Callable[..., object]:
    return lambda instance, budget: value


@pytest.mark.parametrize(
    "value",
    [[CHOP, BOIL], (BOIL, CHOP), Schedule((CHOP, BOIL)), HeuristicOutcome(Schedule((CHOP, BOIL)))],
)
def test_schedule_of_a_registered_heuristic_is_replayed(value: object) -> None:
    register(_returns(value), name="own-rule")
    result = schedule(SOUP, "own-rule")
    assert (result.status, result.makespan, result.method) == ("feasible", 14, "own-rule")
    entries = compare(SOUP, ["own-rule", "all"]).entries
    assert [(entry.method, entry.outcome) for entry in entries if entry.method == "own-rule"] == [
        ("own-rule", "feasible")
    ]


@pytest.mark.parametrize("value", [None, HeuristicOutcome(None, "no room")])
def test_heuristic_without_a_schedule_gives_its_reason(value: object) -> None:
    register(_returns(value), name="own-rule")
    result = schedule(SOUP, "own-rule")
    assert (result.status, result.makespan) == ("unknown", None)
    assert result.proof in ("own-rule: no room", "own-rule: the heuristic found no schedule")


@pytest.mark.parametrize(
    ("heuristic", "fault"),
    sample(
        [
            (_quits, "raised SystemExit: 3"),
            (_endless, "did not end within 0.2 s"),
            (lambda instance, budget: {}["x"], "raised KeyError: 'x'"),
            (lambda instance: [], "raised TypeError"),
            (_returns(7), "must return a Schedule"),
            (_returns([CHOP, ("soup/boil", 5, 9, "agent")]), "must return a Schedule"),
            (_returns([CHOP, BOIL._replace(start=5.0)]), "must be whole numbers"),
            (_returns([CHOP, BOIL._replace(start=-1)]), "must be whole numbers"),
            (_returns([CHOP, BOIL._replace(action="soup/fly")]), "has an action that the problem lacks"),
            (_returns([CHOP, BOIL._replace(start=4)]), "breaks the rule 'start_attended'"),
            (_returns([CHOP]), "breaks the rule 'missing_action'"),
            (_returns([]), "breaks the rule 'missing_action'"),
            (_returns([CHOP, BOIL._replace(agent="cook")]), "breaks the rule 'ineligible_agent'"),
            (_returns([CHOP, BOIL._replace(mode=3)]), "breaks the rule 'wrong_mode'"),
        ],
        4,
        several=True,
    ),
)
def test_failure_of_a_heuristic_is_an_error_with_its_name(heuristic: Any, fault: str) -> None:
    register(heuristic, name="own-rule")
    with pytest.raises(HeuristicError, match=f"^own-rule: .*{fault}"):
        schedule(SOUP, "own-rule", seconds=0.2)
    (entry,) = compare(SOUP, ["own-rule"], time_limit=0.2).entries
    assert (entry.outcome, entry.makespan, entry.accepted) == ("failed", None, None)
    assert str(entry.reason).startswith("own-rule: ")


@pytest.mark.parametrize(
    "name", ["improve", "serial-spt", "greedy", "timearena-greedy", "optimum", "all", "list", "own-rule"]
)
def test_name_in_use_is_refused(name: str) -> None:
    register(_returns(None), name="own-rule")
    with pytest.raises(InputError, match=rf"is the name of another heuristic \(got '{name}'\)"):
        register(_returns([]), name=name)


@pytest.mark.parametrize("name", ["", "Own", "own rule", "a,b", "<lambda>"])
def test_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="must be lower-case letters and digits"):
        register(_returns(None), name=name)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("far", "planoracle_not_there:far", "cannot be loaded from planoracle_not_there:far"),
        ("far", "planoracle:not_there", "cannot be loaded from planoracle:not_there"),
        ("far", "planoracle:__version__", "must be a function of a problem and a budget"),
        ("improve", "planoracle:solve", "is the name of another heuristic or method"),
        ("in_order", "planoracle:solve", ""),
    ],
)
def test_entry_points_are_checked_by_name(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [EntryPoint(name, value, group)])
    monkeypatch.setattr(CONTRIBUTIONS, "_from_packages", CONTRIBUTIONS._load)
    monkeypatch.setattr("planoracle.instances.protocol.registry._from_packages", dict)
    if not message:
        assert name in names("schedule")
        return
    with pytest.raises(InputError, match=message) as caught:
        names()
    assert "planoracle.heuristics" in str(caught.value)


def test_commands_accept_and_list_a_registered_heuristic(tmp_path: Any) -> None:
    register(_returns([CHOP, BOIL._replace(start=0)]), name="own-rule")
    listed = CliRunner().invoke(app, ["solve", "-H", "list"])
    assert "own-rule" in listed.stdout.split()
    compared = CliRunner().invoke(
        app, ["compare", "timearena/household1", "--methods", "own-rule", "--format", "jsonl"]
    )
    assert compared.exit_code == 1
    (row,) = map(json.loads, compared.stdout.splitlines())
    assert (row["method"], row["outcome"], row["makespan"]) == ("own-rule", "failed", None)
