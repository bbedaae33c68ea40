"""Features of the scheduling model that benchmarks refuse by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planoracle.instances.errors import InputError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark, check_instance


def model() -> Model:
    return Model("k").resource("steel", 9, renewable=False).resource("saw").task("t")


PROBLEMS = {
    Feature.MODES: Model("k").task("t").action("a").mode(duration=2).mode(duration=3).build,
    Feature.BUDGETS: model().action("a", 2).uses("steel", 3).build,
    Feature.WINDOWS: Model("k").task("t").action("a", 2, windows=[(1, 5)]).build,
    Feature.CALENDARS: Model("k").calendar("agent", [(1, 2)]).task("t").action("a", 2).build,
    Feature.BREAKS: Model("k").task("t").action("a", 2, pauses="breaks").build,
    Feature.OPTIONAL: Model("k").task("t").action("a", 2).optional().build,
    Feature.TRANSITIONS: Model("k").travel("agent", [("x", "y", 1)]).task("t").action("a", 2, place="x").build,
    Feature.EXCESS: model().action("a", 2).mode().mode("two saws").uses("saw", 2).build,
}


def test_every_feature_has_a_problem() -> None:
    assert list(PROBLEMS) == list(Feature)


@pytest.mark.parametrize("feature", Feature)
def test_benchmarks_refuse_features_that_their_plans_cannot_express(feature: Feature) -> None:
    problem = PROBLEMS[feature]()
    assert feature in features_of(problem)
    check_instance(problem)
    refusing = 0
    for name in registry.names():
        benchmark = registry.get(name)
        if isinstance(benchmark, ScheduleBenchmark) and feature not in benchmark.features:
            refusing += 1
            with pytest.raises(InputError, match=f"^k: the benchmark {name} cannot respect .*{feature}"):
                check_instance(replace(problem, benchmark=name))
    assert refusing >= 5
