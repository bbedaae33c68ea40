"""Lists of abstract tasks at random, and texts that hold some: no plan breaks a reader, and the profiles agree."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.analysis.diagnosis.critique import critique
from planoracle.instances.benchmarks.paracook_abstract.problems import instance
from planoracle.instances.errors import InputError
from planoracle.instances.protocol import registry
from tests.support.paracook_abstract import DISH
from tests.support.samples import examples

ROOM = registry.get("paracook_abstract")
TWO = instance("two", DISH, 2)
BEST = 14
NAMES = [name for name, _, _ in DISH]
PLANS = st.lists(st.lists(st.sampled_from([*NAMES, *NAMES, "stir", None, 7, []]), max_size=5), max_size=4)
MOSTLY_GOOD = st.permutations([*NAMES, "|", "|"]).map(
    lambda names: [part.split() for part in " ".join(names).split("|")]
)
PIECES = ["agent 1", "Agent 2:", "agent", "- ", "1. ", "\n", "\n\n", ", ", " -> ", '["', '"]', "[[", "]]", "```json\n"]
PIECES += ["```", "<think>", "</think>", "//", "{", "}", '"agent1": ', "| ", "(", ")", "Final answer:", *NAMES]


@given(PLANS | MOSTLY_GOOD)
@example([["cut", "cut", "cut", "cut", "serve"]])  # passes without what the last one waits for
@examples(300)
def test_profiles_agree_but_for_loopholes(plan):
    paper, released = (ROOM.run(TWO, plan, ROOM.rules.profile(name)) for name in ("paper", "released"))
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


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=60))
@examples(300)
def test_texts_are_read_or_refused(text):
    for name in ("paper", "released"):
        try:
            run = ROOM.run(TWO, text, ROOM.rules.profile(name))
        except InputError:
            continue
        assert not run.success or run.loophole or run.makespan >= BEST


@given(PLANS)
@examples(20)
def test_every_plan_is_told_what_is_wrong_with_it(plan):
    assert critique(TWO, {"id": "1", "instance": "two", "plan": plan}).prose()
