"""Components that explain, certify, value and repair refuse features of problems by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def _explained(*actions: Action, **fields: object) -> list[str]:
    instance = Instance("shop", actions, agents=("Ann",), **fields)  # type: ignore[arg-type]
    explanation = engine_of(instance).explain(instance, 10.0)
    assert explanation.status == "infeasible"
    return explanation.lines()


_EARLY = (Action("t/a", "t", 3, 3, deadline=5), Action("u/a", "u", 3, 3, deadline=5))


def test_conflict_of_mandatory_tasks_explains_a_problem_with_optional_tasks() -> None:
    spare = Action("v/a", "v", 1, 1)
    *reasons, note = _explained(*_EARLY, spare, optional=(("v", 1),))
    assert "- t/a must be finished by tick 5" in reasons
    assert note == "This explanation leaves out optional tasks."


def test_conflict_without_set_up_times_explains_a_problem_with_some() -> None:
    walk = Transitions(("Ann",), (("home", "shop", 2),), (("Ann", "home"),))
    *reasons, note = _explained(*(replace(action, place="shop") for action in _EARLY), transitions=(walk,))
    assert "- u/a must be finished by tick 5" in reasons
    assert note == "This explanation leaves out ways and set-up times."


def test_conflict_by_set_up_times_has_no_other_explanation() -> None:
    walk = Transitions(("Ann",), (("home", "shop", 3),), (("Ann", "home"),))
    (line,) = _explained(replace(_EARLY[0], place="shop"), transitions=(walk,))
    assert line.endswith("cannot respect ways and set-up times; without them, there is a schedule.")


def test_optional_settings_of_states_may_be_needed() -> None:
    sets, requires = (Mode((Demand("oven", **{key: "hot"}),)) for key in ("sets", "requires"))
    heat = Action("v/heat", "v", 4, 4, modes=(sets,))
    bake = Action("t/bake", "t", 3, 3, modes=(requires,), deadline=5)
    (line,) = _explained(bake, heat, optional=(("v", 1),), resources=(Resource("oven", state="cold"),))
    assert line.endswith("the explanation of conflicts cannot respect optional tasks.")
