"""Random lists of abstract tasks: readers accept them, and profiles agree except for loopholes."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.paracook_abstract.problems import instance
from planoracle.instances.protocol import registry
from tests.support.paracook_abstract import DISH
from tests.support.samples import examples

BENCHMARK = registry.get("paracook_abstract")
TWO = instance("two", DISH, 2)
BEST = 14
NAMES = [name for name, _, _ in DISH]
PLANS = st.lists(st.lists(st.sampled_from([*NAMES, *NAMES, "stir", None, 7, []]), max_size=5), max_size=4)
MOSTLY_GOOD = st.permutations([*NAMES, "|", "|"]).map(
    lambda names: [part.split() for part in " ".join(names).split("|")]
)


@given(PLANS | MOSTLY_GOOD)
@example([["cut", "cut", "cut", "cut", "serve"]])  # passes without the predecessor of the last task
@examples(300)
def test_profiles_agree_except_for_loopholes(plan):
    paper, released = (BENCHMARK.run(TWO, plan, BENCHMARK.rules.profile(name)) for name in ("paper", "released"))
    assert paper.success == (released.success and not released.loophole)
    assert paper.crash == released.crash
    if paper.success:
        assert paper.makespan == released.makespan >= BEST
        assert sorted(name for one in plan for name in one) == sorted(NAMES)
        assert released.steps[-1].end <= paper.makespan
    ends = {(entry.task, entry.end) for entry in released.record.entries}
    assert released.success == (not released.crash and len(ends) == len(NAMES))
    for run in (paper, released):
        assert [step.command for step in run.steps] == run.command_texts[: len(run.steps)]
        assert {target.piece.action for target in run.targets().targets} <= TWO.by_id.keys()
        assert json.dumps([one.as_dict() for one in run.verdict.violations])
