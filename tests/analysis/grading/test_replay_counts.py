"""Number of replays of one submission by a report: one for the details, one for the regret."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest

from planoracle.analysis.grading.problem_loader import Places
from planoracle.analysis.report.work import Bench, ReportOptions
from planoracle.instances.protocol.plan import Plan
from tests.support.samples import sample
from tests.support.valid_inputs import EXAMPLES, submissions

#: Problem and replay function of each benchmark; the plan is the second argument.
RULES = {
    "recipe2plan": ("recipe2plan/untimed/Cobbler_Pancakes", "recipe2plan.run:simulation_of"),
    "timearena": ("timearena/household1", "timearena.run:TimeArenaRun"),
    "asynctool": ("asynctool/files_1+text_2", "asynctool.run:run_of"),
    "robotouille": ("kitchens/synchronous/3_burger", "kitchens.run:replay"),
    "generic": (EXAMPLES[0], "generic.run:referee"),
    "asynchow": ("asynchow/async/829", "asynchow.run:AsyncHowRun"),
}


def changed(name):
    """Return an optimal submission, and variants without the last or first command, or with it moved."""
    best = next(row for row in submissions((name,)) if isinstance(row["plan"], list))
    plan = best["plan"]
    return [best | {"plan": commands} for commands in (plan, plan[:-1], plan[1:], [*plan[1:], plan[0]])]


@pytest.fixture
def replays(monkeypatch):
    """Return a function that counts the replays of a submission for its details and its regret."""

    def replays(name, submission):
        bench = Bench(ReportOptions(places=Places(trusted=True)))
        bench.show(submission)  # solves the problem, and replays its best plan
        read = bench.grader.run(submission).plan.commands
        module, _, function = RULES[name][1].partition(":")
        module = import_module(f"planoracle.instances.benchmarks.{module}")
        replay = getattr(module, function)
        replayed = []

        def counted(problem, plan, *rules):
            plan = list(plan) if isinstance(plan, Iterator) else plan
            replayed.append(plan.commands if isinstance(plan, Plan) else plan)
            return replay(problem, plan, *rules)

        with monkeypatch.context() as patch:
            patch.setattr(module, function, counted)
            assert bench.show(submission).grade.scored
            count = replayed.count(read)  # other replays check completions of the plan
            ((priced,), _) = bench.price(60.0, 60.0, [submission])
            assert priced is not None
            return count, replayed.count(read)

    return replays


@pytest.mark.parametrize("name", sample(RULES))
def test_submission_is_replayed_once_for_details_and_once_for_regret(replays, name):
    for submission in changed(RULES[name][0]):
        assert replays(name, submission) == (1, 2)


@pytest.mark.parametrize("answer", ['It takes "70 days".', "I do not know."], ids=["right", "wrong"])
def test_text_answer_is_read_once_for_details_and_once_for_regret(replays, answer):
    assert replays("asynchow", {"id": answer, "instance": "asynchow/async/829", "answer": answer}) == (1, 2)
