"""Plans of all benchmarks and of our own format: mutated ones, any values, floods of text."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import FLOODS, encoded
from support.mutations import Mutator, answer
from support.samples import examples, sample
from support.specimens import EXAMPLES, ROOT, submissions

from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.recipe2plan.simulation import MAX_VIOLATIONS
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import read_problems
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.protocol import registry

NAMES = (
    "recipe2plan/timed/Vada_Daikon-Radish",
    "timearena/household1",
    "kitchens/asynchronous/5_potato_soup",
    "asynctool/files_1+text_2",
    "asynchow/async/829",
    "paracook/abstract/own/seed_2/orders_num_2~2",
    next(path for path in EXAMPLES if path.endswith("tea.json")),
)
PROBLEMS = {name: read_problems(name)[0] for name in NAMES}
PLANS = {name: [one["plan"] for one in submissions() if one["instance"] == name] for name in NAMES}
EVERY = [one["plan"] for one in submissions()]
KEYS = ("action", "response", "step", "recipe", "duration", "start", "id", "func_name", "params", "content", "role")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from((*KEYS, "tool_calls", "messages")), inner),
)
each = pytest.mark.parametrize("name", NAMES, ids=lambda name: name.removeprefix(str(ROOT)))
profiles = st.sampled_from(("paper", "released"))


def run_of(name: str, plan: Any, profile: str) -> Any:
    benchmark = registry.of(PROBLEMS[name])
    return benchmark.run(PROBLEMS[name], plan, benchmark.rules.profile(profile))


def check(name: str, plan: Any, profile: str) -> None:
    """Check that a plan is refused, or replayed with a sound verdict, the same every time."""
    run = answer(run_of, name, plan, profile)
    if isinstance(run, InputError):
        return
    verdict, given = run.verdict, PROBLEMS[name]
    assert 0 <= verdict.progress <= 1
    assert verdict.success <= (verdict.progress == 1)
    assert given.benchmark != "generic" or verdict.success == (not verdict.violations)
    assert verdict.executed <= len(verdict.events)
    if not isinstance(given, Kitchen):
        assert len(verdict.violations) <= MAX_VIOLATIONS + 2 * len(given.actions)
    assert run_of(name, plan, profile).verdict == verdict


@each
@pytest.mark.slow
@examples(400)
@given(st.integers(0, 2**32 - 1), profiles)
def test_mutated_plans_are_replayed_or_refused(name: str, seed: int, profile: str) -> None:
    mutator = Mutator(Random(seed), EVERY)
    plan = load_json(encoded(mutator.times(mutator.plan, mutator.random.choice(PLANS[name] or EVERY))), "plan")
    check(name, plan, profile)


@each
@given(VALUES, profiles)
def test_any_plan_is_replayed_or_refused(name: str, plan: Any, profile: str) -> None:
    check(name, plan, profile)


@each
@pytest.mark.parametrize("flood", sample(FLOODS, 10))
def test_floods_are_read_in_linear_time(name: str, flood: str) -> None:
    text = flood * (150_000 // len(flood))
    for plan in (text, [text], {"response": text}, {"content": text}, [{"action": text}], [[0, text, text, text]]):
        for profile in ("paper", "released"):
            check(name, plan, profile)
