"""Heuristics and the features of problems: what a heuristic cannot respect it refuses by name."""

import pytest

from planoracle.analysis.comparison.compare import compare
from planoracle.heuristics.registry import names, run
from planoracle.instances.model.instance import Action, Instance

OPTIONAL = Instance("orders", (Action("a/work", "a", 2, 2), Action("b/work", "b", 3, 3)), optional=(("b", 5),))


@pytest.mark.parametrize("name", [*names(), "greedy"])
def test_refused_feature_is_the_reason_for_no_schedule(name):
    answer = run(OPTIONAL, name)
    assert (answer.schedule, answer.plan) == (None, None)
    assert answer.reason.endswith("cannot respect optional tasks")


def test_comparison_shows_refused_features():
    entries = compare(OPTIONAL, ("best_heuristic", "serial-lpt")).entries
    reasons = {entry.method: entry.reason for entry in entries}
    assert reasons["best_heuristic"] == "the improver cannot respect optional tasks"
    assert reasons["serial-lpt"] == "the list heuristics cannot respect optional tasks"
