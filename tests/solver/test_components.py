"""Components that explain, certify, value and repair refuse features of problems by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.instances.errors import InputError
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import Component, Feature, features_of
from planoracle.instances.model.instance import Action, Demand, Instance, Mode, Resource
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.state import STATES
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.protocol.schedule_benchmark import language
from planoracle.solver.exact.model_export import MINIZINC, model_text
from planoracle.solver.proofs.certificate import CERTIFICATES, certificate
from planoracle.solver.proofs.conflict import EXPLANATION, find_conflict
from planoracle.solver.repair.minimal_change import REPAIR, minimal_change
from planoracle.solver.result import Result
from planoracle.solver.runs import solver_of
from planoracle.solver.solve import engine_of, has_state_values, solve


def _with(*modes: Mode, **fields: object) -> Action:
    return Action("t/a", "t", 3, 3, modes=modes or (Mode(),), **fields)  # type: ignore[arg-type]


_WALK = Transitions(("agent",), (("home", "shop", 2),), (("agent", "home"),))
#: By feature a problem that has this one only.
PROBLEMS = {
    Feature.MODES: Instance("modes", (_with(Mode(duration=2), Mode()),)),
    Feature.BUDGETS: Instance(
        "budget", (_with(Mode((Demand("money"),))),), resources=(Resource("money", renewable=False),)
    ),
    Feature.WINDOWS: Instance("window", (_with(deadline=5, windows=((1, 5),)),)),
    Feature.CALENDARS: Instance("calendar", (_with(),), calendars=(Calendar(("agent",), ((2, 4),)),)),
    Feature.BREAKS: Instance("break", (_with(pauses_in_breaks=True),)),
    Feature.OPTIONAL: Instance("optional", (_with(),), optional=(("t", 2),)),
    Feature.TRANSITIONS: Instance("walk", (_with(place="shop"),), transitions=(_WALK,)),
}


def _solved(instance: Instance) -> tuple[Result, Schedule]:
    result = solve(instance)
    assert result.schedule is not None
    return result, result.schedule


def _certify(instance: Instance) -> object:
    result, schedule = _solved(instance)
    return certificate(instance, result.makespan, schedule)


def _values(instance: Instance) -> object:
    run = language(instance).replay(instance, language(instance).parse(instance, []), None)
    return solver_of(run, 10.0).value


COMPONENTS: list[tuple[Component, Callable[[Instance], object]]] = [
    (EXPLANATION, find_conflict),
    (CERTIFICATES, _certify),
    (STATES, _values),
    (REPAIR, lambda instance: minimal_change(instance, {})),
    (Component("the least number of interruptions"), lambda instance: solve(instance, min_interruptions=True)),
    (MINIZINC, lambda instance: model_text(instance, ".mzn")),
]


@pytest.mark.parametrize("feature", list(PROBLEMS))
@pytest.mark.parametrize(("component", "use"), COMPONENTS, ids=[component.name for component, _ in COMPONENTS])
def test_refused_features_are_named(component: Component, use: Callable[[Instance], object], feature: Feature) -> None:
    instance = PROBLEMS[feature]
    assert features_of(instance) == {feature}
    if feature not in component.refused:
        use(instance)
        return
    with pytest.raises(InputError, match=f"{component.name} cannot respect {feature}"):
        use(instance)


@pytest.mark.parametrize("feature", list(PROBLEMS))
def test_refused_features_leave_implicit_answers_empty(feature: Feature) -> None:
    instance = PROBLEMS[feature]
    result, _ = _solved(instance)
    assert result.status == "optimal"
    explanation = engine_of(instance).explain(instance, 10.0)
    assert explanation.status == "optimal"
    if feature in CERTIFICATES.refused:
        assert engine_of(instance).certificate(instance, result) is None
        assert f"certificates cannot respect {feature}" in explanation.lines()[0]
    assert has_state_values(instance) == (feature not in STATES.refused)
    run = language(instance).replay(instance, language(instance).parse(instance, []), None)
    if feature in STATES.refused:
        assert set(SolverOracle(is_cached=False).values(run)) == {None}
