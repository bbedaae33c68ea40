"""Robotouille: success within the step limit, optimality, steps to go, and what the trace says about failures."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from planoracle.analysis.judges.common import given, shared_fields, steps_limit
from planoracle.analysis.optimum import kitchen_optimum
from planoracle.instances.errors import InputError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.language import parse
from planoracle.instances.kitchens.profile import Profile
from planoracle.instances.kitchens.run import Run, as_replay, replay
from planoracle.instances.robotouille.failures import failure
from planoracle.instances.robotouille.metrics import measure, step_limit
from planoracle.instances.robotouille.published import published_steps
from planoracle.instances.status import Status
from planoracle.solver.kitchens.planner import KitchenResult, plan

__all__ = ["LIMITS", "RobotouilleJudge"]

#: What the step limit is taken from.
LIMITS = ("optimum", "published")


class RobotouilleJudge:
    """Judge under one profile.

    Parameters
    ----------
    optimum
        Solves a kitchen; by default our planner, for ``seconds`` at most. Each kitchen is solved once.
    limit
        Whether a success must come in 1.5 times the proved optimum or the ``published`` number of steps.
    published
        Returns the published number for a kitchen's name, ``None`` if there is none.
    price_rest
        Work out the normalised steps to go of failed runs, which takes a solve of ``rest_seconds`` at most for each.
    """

    def __init__(
        self,
        rules: Profile,
        *,
        optimum: Callable[[Kitchen], KitchenResult] | None = None,
        limit: Literal["optimum", "published"] = "optimum",
        published: Callable[[str], float | None] = published_steps,
        price_rest: bool = False,
        seconds: float = 10.0,
        rest_seconds: float = 10.0,
    ) -> None:
        if limit not in LIMITS:
            raise InputError(f"must be one of {', '.join(LIMITS)}", field="limit", value=limit)
        self.rules = rules
        self.limit = limit
        self.published = published
        self.price_rest = price_rest
        self.rest_seconds = rest_seconds
        solve = optimum or (lambda kitchen: kitchen_optimum(kitchen, rules, seconds=seconds))
        self._best = lru_cache(maxsize=1024)(solve)

    def judge(self, kitchen: Kitchen, submission: dict[str, Any]) -> dict[str, Any]:
        """Judge ``submission["actions"]`` (or ``"plan"``), a list or text, of ``submission["limit"]`` steps at most.

        Without a limit of the submission's own it is run to its end, also past the one that success is measured by.

        ``details`` (sections of the paper in brackets; ``|τ|`` steps taken, ``|τ*|`` of a proved optimal plan):

        - ``end``: ``completed``, ``limit`` (the submission's) or ``exhausted``; ``steps_taken``: ``|τ|``;
          ``attempts``: with refused actions;
        - ``optimal_steps``: ``|τ*|``, ``None`` if not proved, and the ``lower_bound`` that is;
        - ``step_limit``: ``floor(1.5 · reference)``, ``None`` if that is not known; ``within_limit``: the goal was
          reached in so many steps, the paper's success [4.2.2, question 1], ``None`` without limit;
          ``within_limit_attempts``: the same if refused actions cost a step as well;
        - ``optimality``: ``|τ| / |τ*|`` of runs that reached the goal [4.2.2, question 2];
        - ``steps_to_go``: ``|τ*_left| / |τ*|``, the steps that an optimal plan needs from the final state over those
          it needs from the start [4.2.2, question 3]; 0 if the goal was reached, ``None`` if one of them is not
          proved or ``price_rest`` is off; ``steps_left``: ``|τ*_left|``; ``rest``: its status (``infeasible``:
          nothing leads to the goal any more);
        - ``repeated_transitions``, ``repeated_share``, ``invalid_actions``, ``invalid_kinds``: see
          `metrics.robotouille.Figures` [4.2.3];
        - ``prioritised``, ``slow_needed``, ``slow_started``, ``first_slow_start``, ``other_before``: see
          `metrics.robotouille.foresight` [4.2.4, question 6];
        - ``failure``, ``cause``, ``cause_index``, ``lacks``, ``recovered``: see
          `metrics.robotouille_failures.failure` [4.2.3, A.9];
        - ``steps``: action, whether it was legal, whether it reached the goal, how many were legal before it.
        """
        made = parse(given(submission, "actions", "plan"), kitchen.domain, self.rules)
        limit = steps_limit(submission)
        run = replay(kitchen, made, self.rules, limit)
        best = self._best(kitchen)
        optimal = self._steps(best)
        figures = measure(run)
        allowed = self._allowed(kitchen, optimal)
        found = failure(run, allowed)
        foresight = figures.foresight
        details: dict[str, Any] = {
            "end": run.end,
            "steps_taken": figures.steps_taken,
            "attempts": figures.attempts,
            "optimal_steps": optimal,
            "lower_bound": best.lower_bound,
            "step_limit": allowed,
            "within_limit": None if allowed is None else run.success and figures.steps_taken <= allowed,
            "within_limit_attempts": None if allowed is None else run.success and figures.attempts <= allowed,
            "optimality": figures.steps_taken / optimal if run.success and optimal else None,
            **self._to_go(run, optimal),
            "repeated_transitions": figures.repeated_transitions,
            "repeated_share": figures.repeated_share,
            "invalid_actions": figures.invalid_actions,
            "invalid_kinds": figures.invalid_kinds,
            "prioritised": foresight.prioritised,
            "slow_needed": foresight.needed,
            "slow_started": foresight.started,
            "first_slow_start": foresight.first_start,
            "other_before": foresight.other_before,
            "failure": found.kind,
            "cause": found.cause,
            "cause_index": found.position,
            "lacks": [
                {**lack._asdict(), "condition": list(lack.condition), "objects": list(lack.objects)}
                for lack in found.lacks
            ],
            "recovered": found.recovered,
            "steps": [[step.action, step.valid, step.reached, step.choices] for step in run.steps],
        }
        return shared_fields(as_replay(run)) | {"optimal_makespan": optimal, "details": details}

    def _steps(self, result: KitchenResult) -> int | None:
        """Return the proved fewest steps as the rules count them."""
        if result.status != Status.optimal:
            return None
        return result.rounds if self.rules.moves == "joint" else result.makespan

    def _allowed(self, kitchen: Kitchen, optimal: int | None) -> int | None:
        reference = optimal if self.limit == "optimum" else self.published(kitchen.name)
        return None if reference is None else step_limit(reference)

    def _to_go(self, run: Run, optimal: int | None) -> dict[str, Any]:
        if run.success:
            return {"steps_to_go": 0.0 if optimal else None, "steps_left": 0, "rest": Status.optimal}
        if not self.price_rest:
            return {"steps_to_go": None, "steps_left": None, "rest": None}
        done = [step.action for step in run.steps if step.valid]
        rest = plan(run.rules.kitchen, time_limit=self.rest_seconds, rules=self.rules, after=done)
        left = self._steps(rest)
        share = None if left is None or not optimal else left / optimal
        return {"steps_to_go": share, "steps_left": left, "rest": rest.status}
