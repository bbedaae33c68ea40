"""What the steps of a live run are worth, by name."""

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
    """What `RegretReward` keeps of a state.

    Attributes
    ----------
    known
        What the solver knows of it; ``None`` where it was not asked.
    best
        The last makespan within reach that was proved.
    most
        Ticks that the run costs if it fails, and at most.
    open
        Steps since ``best`` whose cost is not known yet.
    cost
        Ticks that the steps so far cost.
    charged
        Ticks that have been charged so far.
    lost
        Whether nothing leads to success any more.
    """

    known: StateValue | None
    best: int | None
    most: int
    open: int = 0
    cost: int = 0
    charged: int = 0
    lost: bool = False


class RegretReward:
    """What a step costs: by how much it puts off the best end that is still within reach; negative, as a reward.

    Of a run that succeeds the costs add up to its makespan less the optimum, exactly. They are differences of proved
    values: where one is not proved in time, the step is worth 0, says so, and is charged with the next that is.

    A run that ends without success, also one that is stopped, costs ten times the optimum in all, and no run costs
    more: so no failure is worth more than a success. A step after which nothing leads to success any more has no
    ``cost``, but a ``penalty``: what is missing to that. Steps after it are worth 0, or give the penalty back if they
    mend it. An action that is not legal, which the adapters do not carry out, costs one tick.

    ``info`` of a transition: ``status`` of the value after the step (``optimal``: proved; ``infeasible``: nothing
    leads to success), the best makespans ``before`` and ``after`` in ticks where they are proved, the ``cost``, of how
    many ``steps`` it is, the ``penalty`` (negative: given back), and why the run is ``lost``, if it is: ``over``,
    ``unreadable`` (a whole plan) or as `planoracle.solver.runs.lost_after` says; ``proved`` if it is certain.

    Parameters
    ----------
    limit
        For the value of one state: counted work, by which no reward depends on the machine, or seconds of wall time.
    penalty
        Ticks that a run costs that fails; by default ten times the optimum, or what is proved to be the least.

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
        """Value the beginning."""
        run = run_of(environment)
        value = (known := self._live.state_value(run)).value
        least = 0 if value.lower >= NEVER else value.lower
        return _State(known, value.makespan, 10 * max(1, least) if self.penalty is None else self.penalty)

    def refused(self, memo: object) -> tuple[float, _State]:
        """Charge a tick."""
        assert isinstance(memo, _State)
        return _charged(replace(memo, cost=memo.cost + 1))

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, _State, Mapping[str, object]]:
        """Return what the last step cost, as a negative reward."""
        assert isinstance(memo, _State)
        try:
            run = run_of(environment)
        except PlanError:
            return self._lost(memo, None, ("unreadable", "proved"))
        if run.success and run.makespan is not None:
            return self._priced(memo, None, run.makespan, Status.optimal)
        if environment.done:
            return self._lost(memo, None, ("over", "proved"))
        known = self._live.state_value(run, memo.known)
        lost = lost_after(run, run.stop, known.value)
        if lost is not None:
            return self._lost(memo, known, lost)
        return self._priced(memo, known, known.value.makespan, known.value.status)

    def _priced(
        self, memo: _State, known: StateValue | None, value: int | None, status: Status
    ) -> tuple[float, _State, Mapping[str, object]]:
        cost = None if value is None or memo.best is None else value - memo.best
        best = memo.best if value is None else value
        opened = memo.open + 1 if value is None else 0
        worth, state = _charged(_State(known, best, memo.most, opened, memo.cost + (cost or 0), memo.charged))
        back = min(memo.cost, memo.most) - memo.most if memo.lost else None
        return worth, state, _info(status, memo, value, cost, back)

    def _lost(
        self, memo: _State, known: StateValue | None, why: tuple[str, str]
    ) -> tuple[float, _State, Mapping[str, object]]:
        worth, state = _charged(replace(memo, known=known, open=0, lost=True))
        return worth, state, _info(Status.infeasible, memo, None, None, None if memo.lost else -int(worth), *why)


def _charged(memo: _State) -> tuple[float, _State]:
    """Return what is still to be charged, as a reward, and the state after that."""
    charge = memo.most if memo.lost else min(memo.cost, memo.most)
    return float(memo.charged - charge), replace(memo, charged=charge)


def _info(
    status: Status,
    memo: _State,
    after: int | None,
    cost: int | None,
    penalty: int | None,
    lost: str = "",
    how: str = "",
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
        "proved": how == "proved" if lost else status == Status.optimal,
    }


class _Measuring(SolverOracle):
    """Answers what main scores need, and nothing about single states of a run."""

    def rest(self, run: AnyRun) -> BestKnown:
        """Say that nothing is known."""
        return Result(run.problem.name, Status.unknown)

    def values(self, run: AnyRun) -> list[int | None]:
        """Say that nothing is known."""
        return [None] * (len(run.steps) + 1)


class Score:
    """By how much the benchmark's main score rises, from 0 to 1; so all rewards add up to that of the grade.

    ``info``: the ``score`` so far, ``None`` where it is not defined, which leaves the sum as it is.
    """

    name = "score"

    def __init__(self, limit: Limit = WORK) -> None:
        self._oracle = _Measuring(limit)

    def begin(self, environment: AnyEnvironment) -> float:
        """Begin with nothing."""
        return 0.0

    def refused(self, memo: object) -> tuple[float, object]:
        """Leave the score as it is."""
        return 0.0, memo

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, float, Mapping[str, object]]:
        """Return by how much the last step raised the score; negative if it fell."""
        assert isinstance(memo, float)
        try:
            score = Grade.of_run(run_of(environment), self._oracle, id=None, instance=None).main_score
        except PlanError:
            score = 0.0
        now = memo if score is None else float(score)
        return now - memo, now, {"score": score}


class Success:
    """1 for the step with which a run ends that is a success, else 0."""

    name = "success"

    def begin(self, environment: AnyEnvironment) -> None:
        """Keep nothing."""

    def refused(self, memo: object) -> tuple[float, object]:
        """Say that it is no success."""
        return 0.0, memo

    def after(self, environment: AnyEnvironment, memo: object) -> tuple[float, None, Mapping[str, object]]:
        """Look at the end of the run alone."""
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
