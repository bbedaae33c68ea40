"""Kinds of problems of other packages: registration, requests and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint

import pytest
from support.blocking_shop import KIND, BlockingShop, BlockingShopKind, Operation

from planoracle import compare, explain, gantt, register, schedule, solve
from planoracle.instances.errors import InputError, NoSolverError
from planoracle.solver.kinds.registry import CONTRIBUTIONS, UnknownKind, find
from planoracle.solver.solve import engine_of, has_solver

#: The second job blocks the saw while the paint shop is busy; if jobs could wait elsewhere, 8 ticks would suffice.
SHOP = BlockingShop(
    "line",
    (
        (Operation("saw", 1), Operation("paint", 6)),
        (Operation("saw", 2), Operation("paint", 1)),
        (Operation("saw", 5),),
    ),
)


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CONTRIBUTIONS, "_registered", {})


def test_problem_of_a_registered_kind_is_solved_by_it() -> None:
    assert not has_solver(SHOP)
    register(KIND)
    assert has_solver(SHOP)
    result = solve(SHOP)
    assert (result.status, result.makespan) == ("optimal", 9)
    record = result.as_dict()
    assert record["seed"] == 0
    assert "grid" not in record
    entry = json.loads(json.dumps(engine_of(SHOP).pack(SHOP, None, result)))
    assert engine_of(SHOP).unpack(SHOP, None, entry).plan == result.plan
    with pytest.raises(ValueError, match="stored makespan"):
        engine_of(SHOP).unpack(SHOP, None, entry | {"makespan": 8})


def test_problem_of_a_registered_kind_is_compared_and_drawn() -> None:
    register(KIND)
    comparison = compare(SHOP, ["optimum"])
    assert (comparison.optimum, comparison.actions) == (9, 5)
    axes = gantt(SHOP, solve(SHOP).plan)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["saw", "paint", "unattended"]


REFUSED: dict[str, Callable[[], object]] = {
    "has no explanation": partial(explain, SHOP),
    "is for scheduling problems": partial(schedule, SHOP),
    "has no interval model": partial(solve, SHOP, engine="cp-sat"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_request_that_a_kind_does_not_define_is_refused_by_name(message: str) -> None:
    register(KIND)
    with pytest.raises(InputError, match=message):
        REFUSED[message]()


def test_kind_that_no_package_defines_refuses_every_request() -> None:
    kind = find("blocking-shop")
    assert isinstance(kind, UnknownKind)
    with pytest.raises(NoSolverError, match="no solver accepts problems of kind 'blocking-shop'"):
        kind.unpack(SHOP, None, {})


def test_name_of_another_kind_is_refused() -> None:
    register(KIND)
    register(KIND)
    with pytest.raises(InputError, match="is the name of another kind"):
        register(BlockingShopKind())
    for name in ("schedule", "kitchen"):
        kind = BlockingShopKind()
        kind.name = name
        with pytest.raises(InputError, match="is the name of another kind"):
            register(kind)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("blocking-shop", "support.blocking_shop:KIND", ""),
        ("other", "support.blocking_shop:KIND", "must be the name of the kind"),
        ("blocking-shop", "support.blocking_shop:SHOP", "cannot be loaded from support.blocking_shop:SHOP"),
        ("blocking-shop", "planoracle:solve", "must be an object of a class derived from"),
    ],
)
def test_entry_points_are_checked_by_name(name: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [EntryPoint(name, value, group)])
    monkeypatch.setattr(CONTRIBUTIONS, "_from_packages", CONTRIBUTIONS._load)
    if not message:
        assert find(name) is KIND
        return
    with pytest.raises(InputError, match=message) as caught:
        find("riddle")
    assert "planoracle.kinds" in str(caught.value)
