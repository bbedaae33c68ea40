"""Rewards for training: of whole completions, and of the steps of a live run."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.oracle import WORK, SolverOracle
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.intake.submissions import fault_of
from planoracle.instances.errors import InputError, NoSolverError, PlanError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Reward
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.text import one_of
from planoracle.solver.runs import Live, StateValue, lost_now, run_of
from planoracle.solver.solve import has_bundled_results_only, no_solver_reason


@dataclass(frozen=True, slots=True)
class _State:
    """Memory of `RegretReward` after a step.

    Attributes
    ----------
    state_value
        Bounds by the solver; ``None`` if it was not called.
    best
        Last proved reachable makespan.
    max_cost
        Cost of a failed run in ticks, which is also the largest cost.
    open
        Number of steps since ``best`` without a proved cost.
    cost
        Ticks that the steps so far cost.
    charged
        Ticks that have been charged so far.
    lost
        True if success is impossible.
    """

    state_value: StateValue | None
    best: int | None
    max_cost: int
    open: int = 0
    cost: int = 0
    charged: int = 0
    lost: bool = False


class RegretReward(Reward):
    """Negative regret of a step: the increase in the best reachable makespan.

    The costs of a successful run add up to its makespan minus the optimum. They are differences of proved values: if a
    value is not proved in time, the reward is 0 and the cost is charged with the next proved value.

    An unsuccessful run, also a stopped one, costs ten times the optimum in all, and no run costs more. So no failure
    has a higher return than a success. A step after which success is impossible has a ``penalty`` instead of a
    ``cost``: the rest of that amount. Later steps have reward 0, or return the penalty if they make success possible
    again. An illegal action, which the adapters do not carry out, costs one tick.

    ``info`` of a transition: ``status`` of the value after the step (``optimal``: proved; ``infeasible``: success is
    impossible), the proved best makespans ``before`` and ``after`` in ticks, the ``cost`` and its number of ``steps``,
    the ``penalty`` (negative: returned), and the reason why the run is ``lost``: ``over``, ``unreadable`` (whole plans)
    or a reason of `planoracle.solver.runs.lost_after`; ``proved`` if it is certain.

    Parameters
    ----------
    limit
        Limit for one state: counted work, so that no reward depends on the machine, or seconds of wall time.
    penalty
        Cost of a failed run in ticks; by default ten times the optimum, or its proved lower bound.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"), reward="regret")
    >>> run.step("Step(0, Cobbler, 10 min, 00:05:00)").reward
    -300.0
    """

    name = "regret"

    def __init__(self, limit: Limit = WORK, penalty: int | None = None) -> None:
        self.penalty = penalty
        self._live = Live(limit)

    def begin(self, environment: AnyEnvironment) -> _State:
        """Return the memory before the first step."""
        state_value = self._live.state_value(environment)
        value = state_value.value
        penalty = self.penalty
        if penalty is None:
            lower_bound = 0 if value.is_infeasible else value.lower
            penalty = 10 * max(1, lower_bound)
        return _State(state_value, value.makespan, penalty)

    def refused(self, memo: object) -> tuple[float, _State]:
        """Charge a tick."""
        assert isinstance(memo, _State)
        return _charge(replace(memo, cost=memo.cost + 1))

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, _State, Mapping[str, object]]:
        """Return the cost of the last step as a negative reward."""
        assert isinstance(memo, _State)
        try:
            makespan = _makespan(environment)
        except PlanError:
            return self._success_impossible(memo, None, ("unreadable", "proved"))
        if makespan is not None:
            return self._success_possible(memo, None, makespan, Status.optimal)
        if environment.done:
            return self._success_impossible(memo, None, ("over", "proved"))
        state_value = self._live.state_value(environment, memo.state_value)
        lost = lost_now(environment, state_value.value)
        if lost is not None:
            return self._success_impossible(memo, state_value, lost)
        return self._success_possible(memo, state_value, state_value.value.makespan, state_value.value.status)

    def _success_possible(
        self, memo: _State, state_value: StateValue | None, value: int | None, status: Status
    ) -> tuple[float, _State, Mapping[str, object]]:
        cost = None if value is None or memo.best is None else value - memo.best
        best = memo.best if value is None else value
        opened = memo.open + 1 if value is None else 0
        worth, state = _charge(_State(state_value, best, memo.max_cost, opened, memo.cost + (cost or 0), memo.charged))
        back = min(memo.cost, memo.max_cost) - memo.max_cost if memo.lost else None
        return worth, state, _info(status, memo, value, cost, back)

    def _success_impossible(
        self, memo: _State, state_value: StateValue | None, reason: tuple[str, str]
    ) -> tuple[float, _State, Mapping[str, object]]:
        worth, state = _charge(replace(memo, state_value=state_value, open=0, lost=True))
        return worth, state, _info(Status.infeasible, memo, None, None, None if memo.lost else -int(worth), *reason)


def _makespan(environment: AnyEnvironment) -> int | None:
    """Return the makespan of a successful run, else ``None``; raises `PlanError` for an unreadable plan."""
    if environment.config.loop == "open":
        return run_of(environment).makespan
    return environment.verdict().makespan if environment.success else None


def _charge(memo: _State) -> tuple[float, _State]:
    """Return the outstanding cost as a reward, and the memory after charging it."""
    charge = memo.max_cost if memo.lost else min(memo.cost, memo.max_cost)
    return float(memo.charged - charge), replace(memo, charged=charge)


def _info(
    status: Status,
    memo: _State,
    after: int | None,
    cost: int | None,
    penalty: int | None,
    lost: str = "",
    proof: str = "",
) -> dict[str, object]:
    before = None if memo.open or memo.lost else memo.best
    return {
        "status": status.value,
        "before": before,
        "after": after,
        "cost": cost,
        "steps": memo.open + 1,
        "penalty": penalty,
        "lost": lost or None,
        "proved": proof == "proved" if lost else status == Status.optimal,
    }


class Score(Reward):
    """Increase of the benchmark's main score, so that all rewards add up to that of the grade.

    ``info``: the ``score`` so far, ``None`` where it is undefined; the reward is then 0.
    """

    name = "score"

    def __init__(self, limit: Limit = WORK) -> None:
        self._oracle = SolverOracle(limit)

    def begin(self, environment: AnyEnvironment) -> float:
        """Return the score before the first step."""
        return 0.0

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, float, Mapping[str, object]]:
        """Return the change of the score by the last step."""
        assert isinstance(memo, float)
        score = self._score(environment)
        now = memo if score is None else float(score)
        return now - memo, now, {"score": score}

    def _score(self, environment: AnyEnvironment) -> float | None:
        """Return the score so far: by the state of the run, or by its grade where the state does not say it."""
        benchmark = environment.benchmark
        row = None
        if _has_commands(environment):
            row = benchmark.metrics.live_row(environment, self._oracle)
        if row is not None:
            return benchmark.main_score(row)
        try:
            grade = Grade.of_run(run_of(environment), self._oracle, details=False, id=None, instance=None)
        except PlanError:
            return 0.0
        return grade.main_score


class Success(Reward):
    """Reward 1 for the last step of a successful run, else 0."""

    name = "success"

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, None, Mapping[str, object]]:
        """Return 1 at the end of a successful run."""
        if not environment.done:
            return 0.0, None, {}
        success = _verdict_success(environment)
        return float(success), None, {"success": success}


def _has_commands(environment: AnyEnvironment) -> bool:
    """Return True if a run has commands, so that its grade confirms its state; a whole plan is none."""
    return environment.config.loop == "closed" and environment.state.turn is not None


def _verdict_success(environment: AnyEnvironment) -> bool:
    """Return whether the verdict on a run so far is a success; a whole plan that cannot be read is none."""
    if _has_commands(environment):
        return environment.verdict().success
    try:
        return run_of(environment).success
    except PlanError:
        return False


#: Rewards of steps by name.
STEP_REWARDS: Mapping[str, type[RegretReward | Score | Success]] = {
    Score.name: Score,
    RegretReward.name: RegretReward,
    Success.name: Success,
}


def step_reward(name: str) -> Reward:
    """Return a new reward of steps by its name; raises `UnknownNameError`.

    Examples
    --------
    >>> step_reward("regret").name
    'regret'
    """
    if name not in STEP_REWARDS:
        raise UnknownNameError(one_of(name, tuple(STEP_REWARDS), "rewards"), field="reward", value=name)
    return STEP_REWARDS[name]()


def reward(
    completions: Iterable[object],
    instance: str | Problem | Iterable[str | Problem],
    kind: str = "score",
    *,
    profile: str = "paper",
    **columns: object,
) -> list[float]:
    r"""Return the reward of each completion: a number from 0 to 1, the same in every call.

    A completion is a whole plan in the words of a model. It is read and graded as by `planoracle.grade`. The signature
    is that of a reward function of trl's ``GRPOTrainer``, whose data set then has a column ``instance``.

    Parameters
    ----------
    completions
        Texts, or chats: lists of messages with ``role`` and ``content``. Bytes are read as UTF-8.
    instance
        Problem of all completions, or one per completion: name, file, or the problem itself.
    kind
        ``score``: main score of the benchmark, at most 1, which often rises with each part of the work that is done.
        ``success``: 1 if the plan does all the work and breaks no rule that ends the run, else 0.
        ``regret``: ``optimum / makespan`` of a success, else 0. So an optimal plan has 1, and a plan with a regret as
        long as the optimum has 0.5. An unproved optimum is replaced by its proved lower bound. A success whose
        optional tasks weigh less than is best, or of which the best weight is not proved, has 0.
    profile
        Rule profile: ``paper`` or ``released``.
    columns
        Ignored: trl passes prompts and all other columns of the data set.

    Returns
    -------
    list of float
        In the order of the completions. A plan that *fails* has 0 by ``success`` and ``regret``; by ``score`` it has
        the main score of the work up to the failure, which some benchmarks define as 0. An *unreadable* completion has
        0 by every kind: one that is empty, is neither text nor a chat, contains no plan, contains several plans without
        a choice, or has too many lines that look like steps and cannot be read. A completion never raises an
        error; if it causes an internal error, it has 0, and a `RuntimeWarning` is given.

    Raises
    ------
    InputError
        For an unknown instance, kind or profile, and if there is not one instance per completion.
    NoSolverError
        For ``regret``, and a problem of which no solver and no bundled result has a bound.

    Examples
    --------
    >>> plans = ["wash cup", "I cannot do that.", [{"role": "assistant", "content": "1. wash teapot\n2. wash cup"}]]
    >>> [round(value, 2) for value in reward(plans, instance="timearena/household1")]
    [0.19, 0.0, 0.25]
    """
    if kind not in STEP_REWARDS:
        raise UnknownNameError(one_of(kind, tuple(STEP_REWARDS), "kinds"), field="kind", value=kind)
    if isinstance(completions, str | bytes | Mapping) or not isinstance(completions, Iterable):
        raise InputError("must be a list of completions", field="completions", value=completions)
    texts = list(completions)
    is_list = isinstance(instance, Iterable) and not isinstance(instance, str)
    instances: list[Any] = list(cast("Iterable[Any]", instance)) if is_list else [instance] * len(texts)
    if len(instances) != len(texts):
        message = f"must be a single problem, or a list with one problem for each of the {len(texts)} completions"
        raise InputError(message, field="instance", value=instances)
    oracle, rules = SolverOracle(), profiles(profile)
    problems = [_problem(reference) for reference in instances]
    if kind == "regret":
        for problem in dict.fromkeys(problems):
            _check_bound(problem, rules[registry.of(problem).name], oracle)
    return [_reward(text, problem, rules, oracle, kind) for text, problem in zip(texts, problems, strict=True)]


def _problem(reference: Any) -> Problem:
    """Return the problem of a name or file, or the problem itself."""
    return catalog.single(reference) if isinstance(reference, str) else check_problem(reference)


def _check_bound(problem: Problem, rules: Rules, oracle: SolverOracle) -> None:
    """Raise `NoSolverError` for a problem without solver of which no bound is bundled."""
    if has_bundled_results_only(problem) and oracle.best(problem, rules).lower_bound is None:
        raise NoSolverError(no_solver_reason(problem), field=problem.name)


def _reward(completion: object, problem: Problem, rules: Mapping[str, Rules], oracle: SolverOracle, kind: str) -> float:
    """Return the reward of one completion; raises no error."""
    benchmark = registry.of(problem)
    try:
        run = benchmark.run(problem, {"completion": _text_or_chat(completion)}, rules[benchmark.name])
        if kind != "score" and not run.success:
            return 0.0
        grade = Grade.of_run(run, oracle, details=False, id=None, instance=None)
    except InputError:
        return 0.0
    except Exception as error:
        warnings.warn(f"{problem.name}: the reward is 0 because of an {fault_of(error)}", RuntimeWarning, stacklevel=3)
        return 0.0
    if kind == "score":
        return min(1.0, max(0.0, grade.main_score or 0.0))
    if kind == "success" or not grade.success:
        return float(bool(grade.success))
    if grade.weight_note:
        return 0.0
    lower_bound = grade.optimum_bound if grade.optimal_makespan is None else grade.optimal_makespan
    return min(1.0, (lower_bound or 0) / grade.makespan) if grade.makespan else 1.0


def _text_or_chat(completion: object) -> object:
    """Return a completion as text or JSON data; raises `InputError` for other values."""
    if isinstance(completion, bytes):
        return completion.decode(errors="replace")
    try:
        return completion if isinstance(completion, str) else json.loads(json.dumps(completion))
    except (TypeError, ValueError, RecursionError):
        raise InputError("must be text or a list of chat messages", field="completion") from None
