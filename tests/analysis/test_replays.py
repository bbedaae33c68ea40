"""How often a report replays one submission: once to show it, and once to price its decisions."""

from __future__ import annotations

from importlib import import_module

import pytest

from planoracle.analysis.report.worker import Bench, Options
from tests.support.specimens import EXAMPLES, submissions

#: By benchmark a problem, and the function of its rules that carries a plan out, the plan its second argument.
RULES = {
    "recipe2plan": ("recipe2plan/untimed/Cobbler_Pancakes", "recipe2plan.rules:replay"),
    "timearena": ("timearena/household1", "timearena.run:run_of"),
    "asynctool": ("asynctool/files_1+text_2", "asynctool.run:run_of"),
    "robotouille": ("robotouille/synchronous/3_burger", "kitchens.run:replay"),
    "generic": (EXAMPLES[0], "generic.run:referee"),
}


def changed(name):
    """Return an optimal submission, and others without its last command, without its first one, with that one last."""
    best = next(row for row in submissions((name,)) if isinstance(row["plan"], list))
    plan = best["plan"]
    return [best | {"plan": made} for made in (plan, plan[:-1], plan[1:], [*plan[1:], plan[0]])]


@pytest.mark.parametrize("name", RULES)
def test_a_submission_is_replayed_to_be_shown_and_to_be_priced(monkeypatch, name):
    problem, place = RULES[name]
    module, _, function = place.partition(":")
    module = import_module(f"planoracle.instances.{module}")
    replay = getattr(module, function)
    here = Bench(Options())
    for submission in changed(problem):
        here.show(submission)  # solves the problem, and replays its best plan
        read = here.grader.run(submission).plan.commands
        replayed = []

        def counted(problem, plan, *rules, replayed=replayed):
            replayed.append(plan)
            return replay(problem, plan, *rules)

        monkeypatch.setattr(module, function, counted)
        assert here.show(submission).grade.scored
        assert replayed.count(read) == 1  # others are plans that complete it, to see whether they succeed
        assert here.price(submission, 60.0) is not None
        assert replayed.count(read) == 2
        monkeypatch.undo()
