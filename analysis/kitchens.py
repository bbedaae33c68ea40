"""Regret and advice in kitchens: the fewest steps that reach the goal, from every state of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planoracle.analysis.judges.common import steps_limit
from planoracle.analysis.regret import Decision, Regret
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.language import parse
from planoracle.instances.kitchens.profile import PROFILES, Profile
from planoracle.instances.kitchens.run import Run, replay
from planoracle.instances.status import Status
from planoracle.solver.kitchens.planner import plan
from planoracle.solver.states.solver import NEVER, Value
from planoracle.solver.states.values import fill

__all__ = ["KitchenValues", "choices", "kitchen_regret"]


class KitchenValues:
    """Fewest steps in all, those done counted, from every state of a list of legal actions.

    An action saves one step of a best plan at most, so these totals never fall.

    Attributes
    ----------
    totals
        Before the first and after every action (``last_only``: after the last one).
    best
        By number of actions done, the actions of a best plan from there, where one was looked for.
    """

    def __init__(
        self, kitchen: Kitchen, done: Sequence[str], rules: Profile, seconds: float, *, last_only: bool = False
    ) -> None:
        self.kitchen = kitchen
        self.done = tuple(done)
        self.rules = rules
        self.seconds = seconds
        self.best: dict[int, tuple[str, ...]] = {}
        if last_only:
            self.totals = [self._solve(len(done))]
            return
        totals: list[Value | None] = [None] * (len(done) + 1)
        totals[0] = self._solve(0)
        if done:
            totals[-1] = self._solve(len(done))
            fill(totals, 0, len(done), lambda k, _low, _high: self._solve(k), self._kept)
        self.totals = [total for total in totals if total is not None]

    def _solve(self, k: int) -> Value:
        found = plan(self.kitchen, time_limit=self.seconds, rules=self.rules, after=self.done[:k])
        if found.status == Status.infeasible:
            return Value(NEVER, None)
        if found.makespan is not None:
            self.best[k] = found.actions
        most = None if found.makespan is None else k + found.makespan
        return Value(k + (found.lower_bound or 0), most)

    def _kept(self, k: int, value: Value) -> Value | None:
        best = self.best.get(k, ())
        if value.makespan is None or best[:1] != self.done[k : k + 1]:
            return None
        self.best[k + 1] = best[1:]
        return value


def kitchen_regret(
    kitchen: Kitchen, submission: Any, rules: Profile = PROFILES["paper"], *, seconds: float = 10.0
) -> Regret:
    """Price every action of a run, in steps (of all players together); see `planoracle.analysis.regret`.

    Refused actions change nothing and cost nothing.

    Parameters
    ----------
    submission
        Actions, or an object with ``actions`` (or ``plan``) and possibly ``limit``.
    seconds
        Wall time for the planner at one state.
    """
    run, legal = _run(kitchen, submission, rules)
    values = KitchenValues(kitchen, legal, rules, seconds)
    refusals = {refusal.position: refusal.kind for refusal in run.refusals}
    decisions = []
    k = 0
    for position, step in enumerate(run.steps):
        before, after = values.totals[k], values.totals[k + step.valid]
        known = before.makespan is not None and after.makespan is not None
        decisions.append(
            Decision(
                position=position,
                command=step.action[:200],
                kind="act" if step.valid else "lost",
                start=k,
                end=k + step.valid,
                before=before.makespan,
                after=after.makespan,
                cost=after.makespan - before.makespan if known else None,  # type: ignore[operator]
                status=after.status,
                least=after.least if 0 < after.least < NEVER else None,
                most=after.most,
                violation=refusals.get(position),
            )
        )
        k += step.valid
    limit = submission.get("limit") if isinstance(submission, dict) else None
    late = [limit is not None and (one.least or 0) > limit for one in decisions]
    gone = next((i for i, one in enumerate(decisions) if late[i] or one.status == Status.infeasible), None)
    hopeless = values.totals[0].least >= NEVER
    costs = [one.cost for one in decisions]
    last = values.totals[-1]
    return Regret(
        instance=kitchen.name,
        unit=kitchen.unit,
        success=run.success,
        decisions=tuple(decisions),
        optimum=values.totals[0].makespan,
        final=len(legal) if run.success else None,
        total=None if None in costs else sum(cost for cost in costs if cost is not None),
        no_return=None if hopeless else gone,
        no_return_reason="constraints"
        if hopeless
        else None
        if gone is None
        else "time_limit"
        if late[gone]
        else "constraints",
        no_return_status=None if gone is None and not hopeless else "proved",
        completion=last.makespan,
        completion_status=last.status,
        completion_plan=None if run.success or last.most is None else "\n".join((*legal, *values.best[len(legal)])),
        grid=1,
    )


def choices(
    kitchen: Kitchen, submission: Any, rules: Profile, seconds: float
) -> tuple[str | None, Value, str | None, list[tuple[str, Value]]]:
    """Return whether a run is over, its value, a best plan as text, and every legal action with the value after it.

    Refused actions of the run so far are left out. ``seconds`` is for the planner at one state.
    """
    run, legal = _run(kitchen, submission, rules)
    here = KitchenValues(kitchen, legal, rules, seconds, last_only=True)
    value = here.totals[-1]
    text = None if value.most is None else "\n".join((*legal, *here.best[len(legal)]))
    if run.success:
        return "completed", value, text, []
    found = []
    for action in (run.rules.deeds[deed].text for deed in run.rules.legal(run.states[-1])):
        if value.makespan is not None and here.best[len(legal)][:1] == (action,):
            found.append((action, value))
        else:
            found.append((action, KitchenValues(kitchen, (*legal, action), rules, seconds, last_only=True).totals[-1]))
    return None, value, text, found


def _run(kitchen: Kitchen, submission: Any, rules: Profile) -> tuple[Run, list[str]]:
    """Replay a submission; return the run and its legal actions."""
    given = submission if isinstance(submission, dict) else {"actions": submission or []}
    made = parse(given.get("actions", given.get("plan")), kitchen.domain, rules)
    limit = steps_limit(given)
    run = replay(kitchen, made, rules, limit)
    return run, [step.action for step in run.steps if step.valid]
