"""Rewards of the steps of a live run, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planoracle.analysis.grading.grader import Grade
from planoracle.analysis.grading.oracle import WORK, SolverOracle
from planoracle.instances.errors import PlanError, UnknownNameError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.environment import AnyEnvironment, Reward
from planoracle.instances.protocol.scoring import BestKnown
from planoracle.instances.text import one_of
from planoracle.solver.result import Result
from planoracle.solver.runs import Live, StateValue, lost_after, run_of
from planoracle.solver.states.state_solver import NEVER


@dataclass(frozen=True, slots=True)
class _State:
    """Memory of `RegretReward` after a step.

    Attributes
    ----------
    state_value
        Bounds by the solver; ``None`` if it was not asked.
    best
        Last proved makespan within reach.
    most
        Cost of a failed run in ticks, which is also the largest cost.
    open
        Steps since ``best`` whose cost is not state_value yet.
    cost
        Ticks that the steps so far cost.
    charged
        Ticks that have been charged so far.
    lost
        True if success is impossible.
    """

    state_value: StateValue | None
    best: int | None
    most: int
    open: int = 0
    cost: int = 0
    charged: int = 0
    lost: bool = False


class RegretReward:
    """Negative regret of a step: the increase in the best makespan within reach.

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
        state_value = self._live.state_value(run_of(environment))
        value = state_value.value
        least = 0 if value.lower >= NEVER else value.lower
        return _State(state_value, value.makespan, 10 * max(1, least) if self.penalty is None else self.penalty)

    def refused(self, memo: object) -> tuple[float, _State]:
        """Charge a tick."""
        assert isinstance(memo, _State)
        return _charge(replace(memo, cost=memo.cost + 1))

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, _State, Mapping[str, object]]:
        """Return the cost of the last step as a negative reward."""
        assert isinstance(memo, _State)
        try:
            run = run_of(environment)
        except PlanError:
            return self._success_impossible(memo, None, ("unreadable", "proved"))
        if run.success and run.makespan is not None:
            return self._success_possible(memo, None, run.makespan, Status.optimal)
        if environment.done:
            return self._success_impossible(memo, None, ("over", "proved"))
        state_value = self._live.state_value(run, memo.state_value)
        lost = lost_after(run, run.stop, state_value.value)
        if lost is not None:
            return self._success_impossible(memo, state_value, lost)
        return self._success_possible(memo, state_value, state_value.value.makespan, state_value.value.status)

    def _success_possible(
        self, memo: _State, state_value: StateValue | None, value: int | None, status: Status
    ) -> tuple[float, _State, Mapping[str, object]]:
        cost = None if value is None or memo.best is None else value - memo.best
        best = memo.best if value is None else value
        opened = memo.open + 1 if value is None else 0
        worth, state = _charge(_State(state_value, best, memo.most, opened, memo.cost + (cost or 0), memo.charged))
        back = min(memo.cost, memo.most) - memo.most if memo.lost else None
        return worth, state, _info(status, memo, value, cost, back)

    def _success_impossible(
        self, memo: _State, state_value: StateValue | None, reason: tuple[str, str]
    ) -> tuple[float, _State, Mapping[str, object]]:
        worth, state = _charge(replace(memo, state_value=state_value, open=0, lost=True))
        return worth, state, _info(Status.infeasible, memo, None, None, None if memo.lost else -int(worth), *reason)


def _charge(memo: _State) -> tuple[float, _State]:
    """Return the outstanding cost as a reward, and the memory after charging it."""
    charge = memo.most if memo.lost else min(memo.cost, memo.most)
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


class _Measuring(SolverOracle):
    """Oracle that solves problems, but no single states of a run."""

    def rest(self, run: AnyRun) -> BestKnown:
        """Return an unknown result."""
        return Result(run.problem.name, Status.unknown)

    def values(self, run: AnyRun) -> list[int | None]:
        """Return an unknown result."""
        return [None] * (len(run.steps) + 1)


class Score:
    """Increase of the benchmark's main score, so that all rewards add up to that of the grade.

    ``info``: the ``score`` so far, ``None`` where it is undefined; the reward is then 0.
    """

    name = "score"

    def __init__(self, limit: Limit = WORK) -> None:
        self._oracle = _Measuring(limit)

    def begin(self, environment: AnyEnvironment) -> float:
        """Return the score before the first step."""
        return 0.0

    def refused(self, memo: object) -> tuple[float, object]:
        """Return reward 0."""
        return 0.0, memo

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, float, Mapping[str, object]]:
        """Return the change of the score by the last step."""
        assert isinstance(memo, float)
        try:
            score = Grade.of_run(run_of(environment), self._oracle, id=None, instance=None).main_score
        except PlanError:
            score = 0.0
        now = memo if score is None else float(score)
        return now - memo, now, {"score": score}


class Success:
    """Reward 1 for the last step of a successful run, else 0."""

    name = "success"

    def begin(self, environment: AnyEnvironment) -> None:
        """Return no memory."""

    def refused(self, memo: object) -> tuple[float, object]:
        """Return reward 0."""
        return 0.0, memo

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, None, Mapping[str, object]]:
        """Return 1 at the end of a successful run."""
        if not environment.done:
            return 0.0, None, {}
        try:
            success = run_of(environment).verdict.success
        except PlanError:
            success = False
        return float(success), None, {"success": success}


#: All rewards by name.
REWARDS: Mapping[str, type[RegretReward | Score | Success]] = {one.name: one for one in (Score, RegretReward, Success)}


def reward(name: str) -> Reward:
    """Return a new reward by its name; raises `UnknownNameError`.

    Examples
    --------
    >>> reward("regret").name
    'regret'
    """
    if name not in REWARDS:
        raise UnknownNameError(one_of(name, tuple(REWARDS), "rewards"), field="reward", value=name)
    return REWARDS[name]()
