"""Cheating plans: weak graders that they uncover, kinds of violations, and the page of cheats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from support.pages import PAGES, generated_pages
from support.samples import sample

from planoracle.analysis.contract.cases import BrokenContractError, ContractCase
from planoracle.analysis.contract.cheat_checks import ACCEPTED, CHEAT_CHECKS, TRIES, CheatCase
from planoracle.analysis.contract.cheats import CHEATS
from planoracle.analysis.contract.plan_steps import PlanSteps
from planoracle.analysis.contract.suite import cases_of
from planoracle.instances.benchmarks.generic import Generic
from planoracle.instances.benchmarks.generic import run as general
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.profiles import Rules, RuleSet

CHECKS = {check.__name__: check for check in CHEAT_CHECKS}
#: Rules by which a weak grader is as strict as the general rules.
STRICT = Rules()
WEAK = Rules(refuse_unread=False)
#: Kinds of violations that a grader may overlook, each with a cheat that profits.
OVERLOOKED = {
    ("agent_busy",): "overlaps",
    ("minimum_lag",): "overlaps",
    ("action_duration",): "changed_durations",
    ("missing_action",): "omitted_actions",
    ("ineligible_agent",): "exchanged_objects",
}
#: Causes for which the cheating plans for the problem may fail; without any, all of them are refused.
CAUSES = {
    "changed_durations": {"action duration", "minimum lag", "agent busy"},
    "overlaps": {"agent busy", "minimum lag", "action duration"},
    "repeated_actions": {"action duration"},
    "omitted_actions": {"missing action"},
    "exchanged_objects": {"ineligible agent", "action duration", "minimum lag", "agent busy"},
    "empty_plans": {"missing action", "nothing read"},
    "negative_times": set(),
    "fractional_times": set(),
}
PROBLEM = Instance(
    "weak/one",
    (
        Action("one/boil", "one", 6, attended=0, agents=("anna",)),
        Action("one/pour", "one", 4, attended=4, agents=("anna",)),
        Action("one/wash", "one", 5, attended=5, agents=("ben",)),
        Action("one/dry", "one", 3, attended=3, agents=("anna",)),
    ),
    (Lag("one/boil", "one/pour"), Lag("one/wash", "one/dry")),
    agents=("anna", "ben"),
    benchmark="weak",
)


def successful(verdict: Replay, makespan: int) -> Replay:
    """Return the verdict of a success."""
    return replace(
        verdict, success=True, fatal=None, violations=(), makespan=makespan, progress=1.0, goal_ratio=1.0, remaining={}
    )


def replay_without(kinds: tuple[str, ...]) -> Callable[..., Any]:
    """Return a replay by the general rules that overlooks kinds of violations under the weak rules."""

    def replay(problem: Instance, plan: Any, rules: Rules) -> Any:
        run = general.replay(problem, plan, rules)
        if rules == WEAK and all(violation.kind in kinds for violation in run.verdict.violations):
            run.verdict = successful(run.verdict, plan.commands.makespan)
        return run

    return replay


@pytest.fixture
def weak_case(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ContractCase]:
    """Return a function that registers a weak grader, and returns the case of the problem."""

    def register(kinds: tuple[str, ...], own_rules: Rules = WEAK, **methods: Any) -> ContractCase:
        runs = SimpleNamespace(simulator=general.simulator, replay=replay_without(kinds))
        rules = RuleSet("weak", {"paper": own_rules, "released": WEAK})
        parts = {"name": "weak", "__module__": __name__, "runs": runs, "rules": rules, **methods}
        benchmark: Any = type("Weak", (Generic,), parts)()
        monkeypatch.setitem(registry._registered, "weak", benchmark)
        PROBLEM.memos.clear()
        return next(cases_of([PROBLEM], 0))

    return register


@pytest.mark.parametrize(("kinds", "cheat"), OVERLOOKED.items())
def test_grader_that_overlooks_a_kind_of_violation_fails_the_check(
    kinds: tuple[str, ...], cheat: str, weak_case: Callable[..., ContractCase]
) -> None:
    with pytest.raises(BrokenContractError, match="a plan that gains nothing"):
        CHECKS[cheat](weak_case(kinds))


@pytest.mark.parametrize(("kinds", "cheat"), OVERLOOKED.items())
def test_plans_that_only_the_released_rules_accept_are_counted(
    kinds: tuple[str, ...], cheat: str, weak_case: Callable[..., ContractCase]
) -> None:
    assert CHECKS[cheat](weak_case(kinds, STRICT))[ACCEPTED] > 0


def test_success_below_the_optimum_fails_the_check_where_plans_have_no_times(
    weak_case: Callable[..., ContractCase],
) -> None:
    case = weak_case(("action_duration",), action_space=lambda self, problem: ActionSpace((), timed=False))
    with pytest.raises(BrokenContractError, match=r"below the proved lower bound of 12"):
        CHECKS["changed_durations"](case)


def test_grader_that_believes_claims_fails_the_check(weak_case: Callable[..., ContractCase]) -> None:
    def run(self: Generic, problem: Instance, submission: Any, rules: Rules | None = None) -> Any:
        replay = Generic.run(self, problem, submission, rules)
        if isinstance(submission, dict) and submission.get("success"):
            replay.verdict = successful(replay.verdict, 12)
        return replay

    with pytest.raises(BrokenContractError, match="a plan that gains nothing"):
        CHECKS["claims_of_success"](weak_case((), run=run))


@pytest.mark.parametrize("cheat", CAUSES)
def test_cheating_plans_fail_for_the_rule_that_they_break(cheat: str, weak_case: Callable[..., ContractCase]) -> None:
    counts = CHECKS[cheat](weak_case((), STRICT))
    causes = {match[1] for match in map(re.compile(r"failed \((.*)\)").fullmatch, counts) if match}
    assert causes <= CAUSES[cheat]
    assert counts["refused"] == counts[TRIES] if not CAUSES[cheat] else causes


@pytest.mark.parametrize("name", registry.names())
def test_plan_put_together_from_its_steps_has_the_same_verdict(name: str) -> None:
    case = generated_pages.cheated_cases(registry.get(name))[0]
    text = CheatCase(case).plan
    plan = PlanSteps(text)
    repeated = plan.with_lists(plan.lists)
    verdicts = [case.benchmark.run(case.problem, entry, case.rules).verdict for entry in (text, repeated)]
    assert len(plan.steps) > 0
    assert verdicts[0] == verdicts[1]


def table_of(name: str) -> str:
    """Return the table of a benchmark on the page of cheats."""
    return str(generated_pages.page_section((PAGES / "cheats.md").read_text("utf-8"), name))


def tries_of(name: str) -> Counter[str]:
    """Return the number of plans of each cheat for problems of a benchmark."""
    rows = [line.strip("| ").split(" | ") for line in table_of(name).splitlines()[2:]]
    return Counter({cheat.__name__: int(row[1]) for cheat, row in zip(CHEATS, rows, strict=True)})


def test_each_cheat_applies_somewhere_and_each_benchmark_gets_most_cheats() -> None:
    total: Counter[str] = Counter()
    for name in registry.names():
        tries = tries_of(name)
        assert 2 * len(+tries) > len(CHEATS), name
        total.update(tries)
    assert min(total.values()) >= 100


def test_page_of_a_benchmark_has_its_table_of_cheats() -> None:
    for name in registry.names():
        assert table_of(name) in generated_pages.benchmark_page(name)


@pytest.mark.parametrize("name", sample(registry.names()))
def test_table_of_cheats_is_current(name: str) -> None:
    table = generated_pages.cheat_table(generated_pages.cheat_counts(name))
    assert table == table_of(name).rstrip("\n") + "\n", "python tests/support/pages.py .docs/cheats.md"


@pytest.mark.slow
def test_page_of_cheats_is_current() -> None:
    page = (PAGES / "cheats.md").read_text("utf-8")
    assert generated_pages.cheats_page(page) == page, "python tests/support/pages.py .docs/cheats.md"
