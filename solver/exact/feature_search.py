"""Exact search for flexible shops, and for problems with calendars, ways, optional tasks and the like.

CP-SAT alone solves the model: first for the greatest weight if tasks are optional, then for the least makespan. A short
horizon comes first: a schedule that is optimal among those that end in time is optimal, whatever the horizon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from math import ceil, floor, inf
from time import perf_counter
from typing import Any

from planoracle.heuristics.improve import IMPROVER, LIST_HEURISTICS, improve, list_schedule
from planoracle.instances.errors import InputError
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.instances.model.schedule import Schedule, weight_of
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify
from planoracle.solver.exact.bounds import common_tick, longest_duration, lower_bound, windows_of_paths
from planoracle.solver.exact.cp_model import FAR, CpOutcome, run
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.left_shift import settled_early
from planoracle.solver.exact.model_of_transitions import in_order_of_agents
from planoracle.solver.exact.model_size import has_many_off_times, model_size
from planoracle.solver.exact.neighbourhood import NeighbourhoodSearch
from planoracle.solver.exact.open_time_bound import open_time_bound
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.search_params import FeatureParams
from planoracle.solver.exact.strategies import neighbourhood_settings
from planoracle.solver.result import TWO_RUNS, OnProgress, Result, versions

#: Proof after which the starts of the schedule are made small by CP-SAT, too.
_BY_CP_SAT = "CP-SAT alone"
#: Settings of CP-SAT that prove most problems if they have the time.
PRESOLVED: dict[str, Any] = {"presolve": True, "linearization": 1}
#: Settings of CP-SAT that take turns, and their shares of the effort. Each proves problems that the others do not.
_IN_TURN: tuple[tuple[dict[str, Any], float], ...] = (
    ({"halving": True}, 1.0),
    ({"core": True}, 1.0),
    (PRESOLVED, 2.0),
)
#: With ways and set-up times only linear relaxations of circuits have good bounds. Schedules in narrow windows are
#: found without one.
_IN_TURN_WITH_CIRCUITS: tuple[tuple[dict[str, Any], float], ...] = (
    ({}, 1.0),
    ({"linearization": 2, "bound_tree": True}, 4.0),
    ({}, 4.0),
    ({"linearization": 2}, 32.0),
    (PRESOLVED, 8.0),
)

#: Features that the search around the first schedule does not respect; CP-SAT's own schedule is the first one then.
NEIGHBOURHOOD = Component("the neighbourhood search", frozenset({Feature.OPTIONAL}))


class FeatureSearch:
    """One exact search by CP-SAT alone.

    Attributes
    ----------
    is_single_call
        CP-SAT alone, in a single call for each objective.
    is_attempt
        End if a short effort finds no schedule.
    status, proof
        What is known, and why.
    schedule
        Best schedule, ``None`` if there is none yet.
    lower_bound
        Lower bound of the makespan at the greatest weight; ``None`` until that weight is proved.
    weight_bound
        Upper bound of the weight; ``None`` if no task is optional.
    effort
        Branches, conflicts and seconds of CP-SAT.
    """

    def __init__(
        self,
        instance: Instance,
        params: FeatureParams,
        time_limit: Limit,
        *,
        seed: int,
        workers: int,
        on_progress: OnProgress | None = None,
        is_single_call: bool = False,
        is_attempt: bool = False,
    ) -> None:
        self.instance = instance
        self.params = params
        self.seed = seed
        self.workers = workers
        self.on_progress = on_progress
        self.is_single_call = is_single_call
        self.is_attempt = is_attempt
        self.deadline: Deadline = deadline_of(time_limit)
        self.step = common_tick(instance)
        self.bounds = windows_of_paths(instance, self.deadline)
        self.status = Status.unknown
        self.proof = ""
        self.schedule: Schedule | None = None
        self.lower_bound: int | None = None
        self.weight_bound: int | None = sum(instance.weights.values()) if instance.optional else None
        self.effort = {"branches": 0, "conflicts": 0, "cp_sat_seconds": 0.0}

    @property
    def weight(self) -> int | None:
        """Weight of the best schedule; ``None`` without one, or if no task is optional."""
        if self.schedule is None:
            return None
        return weight_of(self.instance, self.schedule.pieces)

    def run(self) -> None:
        """Search until the optimum is proved, or the time is over."""
        if self.instance.optional and not self.is_single_call and self._executes_all_tasks():
            return
        if not self.bounds.consistent:
            self.status, self.proof = Status.infeasible, self.bounds.fault
            return
        try:
            if not self.is_single_call:
                self._begin_with_heuristics()
                self._bound()
            if not self.status.settled:
                self._try_horizons()
            if self.schedule is not None and self.proof != _BY_CP_SAT:
                self.schedule = settled_early(self.instance, self.schedule)
        except TimeOverError:
            self.proof = "time limit during the construction of the model"
            if self.schedule is not None:
                self.status = Status.feasible

    def _executes_all_tasks(self) -> bool:
        """Search for a schedule of all tasks, which has the greatest weight; return whether there is one."""
        try:
            mandatory = replace(self.instance, optional=())
        except InputError:  # some optional task never fits
            return False
        search = type(self)(
            mandatory,
            self.params,
            self.deadline,
            seed=self.seed,
            workers=self.workers,
            on_progress=self.on_progress,
            is_attempt=True,
        )
        search.run()
        if search.schedule is None:
            return False
        self.schedule, self.lower_bound = search.schedule, search.lower_bound
        self.status, self.proof = search.status, search.proof
        return True

    def _begin_with_heuristics(self) -> None:
        """Take a first schedule of heuristics if the problem is large and they respect its features."""
        instance, params = self.instance, self.params
        fewest = params.first_schedule_with_ways if instance.transitions else params.first_schedule
        if len(instance.actions) < fewest or LIST_HEURISTICS.refusal(instance):
            return
        deadline = self.deadline.counting(round(min(params.first_work, self.deadline.remaining() / 4), 2))
        timetables = [list_schedule(instance, deadline=deadline)]
        is_improved = len(instance.actions) >= params.first_improvement and not self._has_neighbourhoods
        if is_improved and not IMPROVER.refusal(instance):
            improved = improve(instance, seed=self.seed, iterations=params.priority_lists, deadline=deadline)
            timetables.append(improved)
        limit = inf if instance.time_limit is None else instance.time_limit
        for timetable in timetables:
            longest = limit if self.schedule is None else self.schedule.makespan - 1
            if timetable is not None and timetable.makespan <= longest:
                self.schedule = in_order_of_agents(instance, timetable.schedule())
        if self.schedule is not None and self.on_progress is not None:
            self.on_progress(self.schedule.makespan, 0)

    def _bound(self) -> None:
        """Compute a first lower bound, which may settle the problem; without one if tasks are optional."""
        instance, limit = self.instance, self.instance.time_limit
        if instance.optional:
            return
        self.lower_bound = lower_bound(instance, self.bounds)
        if limit is not None and self.lower_bound > limit:
            self.status, self.proof = Status.infeasible, "the lower bound exceeds the time limit"
            return
        longest = latest_end(instance) if limit is None else limit
        until = longest if self.schedule is None else self.schedule.makespan
        self.lower_bound = max(self.lower_bound, open_time_bound(instance, self.bounds, until))
        if self.schedule is not None and self.schedule.makespan == self.lower_bound:
            self.status, self.proof = Status.optimal, "several bounds"

    @property
    def _has_neighbourhoods(self) -> bool:
        """True if a search around the incumbent pays and respects all features."""
        fewest = (
            self.params.first_neighbourhood_with_ways if self.instance.transitions else self.params.first_neighbourhood
        )
        is_large = len(self.instance.actions) >= fewest
        return is_large and not NEIGHBOURHOOD.refusal(self.instance)

    def _try_horizons(self) -> None:
        horizons = list(self._horizons())
        for horizon in horizons:
            if not self._fits(horizon):
                self.proof = "too many off-times or too large a model for its horizon"
                break
            is_last = horizon == horizons[-1]
            if self._solve_until(horizon, is_last=is_last):
                return
        self.status = Status.unknown if self.schedule is None else Status.feasible

    def _horizons(self) -> Iterator[int]:
        """Yield horizons in ticks, of which the last one is sufficient."""
        if self.schedule is not None:
            yield self.schedule.makespan
            return
        last = latest_end(self.instance)
        if self.instance.time_limit is not None:
            last = min(last, self.instance.time_limit)
        paths = zip(self.bounds.head, self.instance.actions, self.bounds.tail, strict=True)
        longest_path = max(head + longest_duration(action) + tail for head, action, tail in paths)
        work = sum(longest_duration(action) for action in self.instance.actions)
        first = longest_path + work
        is_far_shorter = self.params.short_horizon * first < last and first >= (self.lower_bound or 0)
        if is_far_shorter and not self.is_single_call:
            yield first
        yield last

    def _fits(self, horizon: int) -> bool:
        """Return whether a model until a horizon is not too large."""
        if has_many_off_times(self.instance, horizon, self.params.max_off_times):
            return False
        return model_size(self.instance, self.bounds, self.step) <= self.params.max_model

    def _search_around(self, model: ScheduleModel, effort: float) -> None:
        """Improve the schedule of a large problem by a search around it, for an effort in deterministic time."""
        assert self.schedule is not None
        values = model.values(self.schedule)
        if values is None:
            return
        lower_bound = self.lower_bound or 0
        search = NeighbourhoodSearch(
            model,
            values,
            neighbourhood_settings(is_crowded=False, is_windowed=False),
            self.seed,
            self._report_makespan,
        )
        workers = 1 if self.deadline.counted else max(1, self.workers)
        search.search(self.deadline, -(-lower_bound // self.step), effort, workers)
        if search.makespan * self.step < self.schedule.makespan:
            self.schedule = search.schedule()

    def _solve_until(self, horizon: int, *, is_last: bool) -> bool:
        """Search for the best schedule that ends until a horizon; return whether the search is over."""
        model = ScheduleModel(
            self.instance, self.bounds, self.step, self.lower_bound or 0, horizon, loads=True, deadline=self.deadline
        )
        if self.schedule is not None:
            model.model.hint(model.values(self.schedule) or {})
        if self.instance.optional and not self._maximize_weight(model, is_last=is_last):
            return self.status.settled or not self._has_time()
        self._minimize_makespan(model, is_last=is_last)
        return self.status.settled or not self._has_time()

    def _has_time(self) -> bool:
        return self.deadline.remaining() > 0

    def _maximize_weight(self, model: ScheduleModel, *, is_last: bool) -> bool:
        """Find the greatest weight and keep it; return whether it is proved."""
        terms = [(model.executed[task], weight) for task, weight in self.instance.optional]
        model.model.minimize_sum([(literal, -weight) for literal, weight in terms])
        outcome = self._run(model, PRESOLVED, None if is_last else self.params.attempt)
        if outcome.status == Status.infeasible:
            self._refute(model, presolved=True, is_last=is_last)
            return False
        if outcome.solution:
            self._take(model, outcome.solution)
        total = sum(weight for _, weight in terms)
        if is_last and outcome.status != Status.optimal:
            self.weight_bound = min(total, floor(1e-6 - outcome.bound))
        if self.schedule is None:
            self.proof = "time limit"
            return False
        weight = self.weight
        assert weight is not None
        is_proved = outcome.status == Status.optimal and (is_last or weight == total)
        if is_proved:
            self.weight_bound = weight
            model.model.linear(terms, weight, FAR)
            model.model.hint(dict(enumerate(outcome.solution)))
        else:
            self.status, self.proof = Status.feasible, "time limit"
        model.model.minimize(model.makespan)
        return is_proved

    def _minimize_makespan(self, model: ScheduleModel, *, is_last: bool) -> None:
        """Minimize the makespan by several settings in turn, each with more and more effort.

        On large problems each round begins with a search around the incumbent.
        """
        if self.is_single_call:
            self._minimize(model, PRESOLVED, None, is_last=is_last)
            return
        params, has_ways = self.params, bool(self.instance.transitions)
        settings_in_turn = _IN_TURN_WITH_CIRCUITS if has_ways else _IN_TURN
        neighbourhood = params.neighbourhood_with_ways if has_ways else params.neighbourhood
        effort = params.first_proof
        while self._has_time():
            if self._has_neighbourhoods and self.schedule is not None:
                self._search_around(model, neighbourhood * effort)
                model.narrow(self.lower_bound or 0, self.schedule.makespan)
                model.model.hint(model.values(self.schedule) or {})
            for settings, share in settings_in_turn:
                has_schedule = self._minimize(model, settings, share * effort, is_last=is_last)
                if not has_schedule or self.status.settled:
                    return
                if self.schedule is not None:
                    model.narrow(self.lower_bound or 0, self.schedule.makespan)
            if self.schedule is None and effort >= params.attempt and (self.is_attempt or not is_last):
                return
            effort *= params.growth

    def _minimize(self, model: ScheduleModel, settings: dict[str, Any], effort: float | None, *, is_last: bool) -> bool:
        """Minimize the makespan with an effort in deterministic time, and keep the schedule and the bound.

        Returns
        -------
        bool
            False if there is no schedule until the horizon.
        """
        outcome = self._run(model, settings, effort)
        if outcome.status == Status.infeasible:
            self._refute(model, presolved="presolve" in settings, is_last=is_last)
            return False
        if outcome.solution:
            self._take(model, outcome.solution)
            model.model.hint(dict(enumerate(outcome.solution)))
        if outcome.status == Status.optimal:
            assert self.schedule is not None
            self.status, self.proof = Status.optimal, _BY_CP_SAT
            self.lower_bound = self.schedule.makespan
            self.schedule = self._early(model, outcome.solution)
            return True
        bound = max(0, ceil(outcome.bound - 1e-6)) * self.step if outcome.bound > -FAR else 0
        self.lower_bound = max(bound, self.lower_bound or 0)
        self.status = Status.unknown if self.schedule is None else Status.feasible
        self.proof = "time limit"
        if self.schedule is not None and self.schedule.makespan == self.lower_bound:
            self.status, self.proof = Status.optimal, "several bounds"
        return True

    def _refute(self, model: ScheduleModel, *, presolved: bool, is_last: bool) -> None:
        """Accept that there is no schedule only if CP-SAT proves it with presolve on and off."""
        model.model.drop_objective()
        second = run(model.model, deadline=self.deadline, seed=self.seed, presolve=not presolved)
        if second.status == Status.infeasible:
            if is_last and self.schedule is None:
                self.status, self.proof = Status.infeasible, TWO_RUNS
            return
        if second.solution:
            self._take(model, second.solution)
            self.status, self.proof = Status.feasible, "presolve on and off disagree"
            return
        self.proof = "infeasible by one setting of presolve; time limit before the other confirmed it"

    def _run(self, model: ScheduleModel, settings: dict[str, Any], effort: float | None = None) -> CpOutcome:
        outcome = run(
            model.model,
            deadline=self.deadline,
            deterministic=effort,
            seed=self.seed,
            workers=self.workers,
            on_progress=self._reporter(),
            **settings,
        )
        self.effort["branches"] += outcome.branches
        self.effort["conflicts"] += outcome.conflicts
        self.effort["cp_sat_seconds"] += round(outcome.seconds, 6)
        return outcome

    def _reporter(self) -> Any:
        """Return a callback that reports makespans and bounds in ticks; ``None`` if nobody listens."""
        on_progress = self.on_progress
        if on_progress is None or self.instance.optional:
            return None
        reported: list[tuple[int | None, int]] = []

        def report(value: float | None, bound: float | None) -> None:
            makespan = None if value is None else round(value) * self.step
            lower_bound = 0 if bound is None else max(0, ceil(bound - 1e-6)) * self.step
            if reported[-1:] != [(makespan, lower_bound)]:
                reported.append((makespan, lower_bound))
                on_progress(makespan, lower_bound)

        return report

    def _report_makespan(self, makespan: int) -> None:
        """Report a makespan in steps of the model."""
        if self.on_progress is not None:
            self.on_progress(makespan * self.step, self.lower_bound or 0)

    def _take(self, model: ScheduleModel, solution: list[int]) -> None:
        """Keep the schedule of a solution if it is better."""
        previous, previous_weight = self.schedule, self.weight
        self.schedule = model.schedule(solution)
        if previous is None:
            return
        weight = self.weight
        is_heavier = (weight or 0) > (previous_weight or 0)
        is_lighter = (weight or 0) < (previous_weight or 0)
        if is_lighter or (not is_heavier and self.schedule.makespan >= previous.makespan):
            self.schedule = previous

    def _early(self, model: ScheduleModel, solution: list[int]) -> Schedule:
        """Return a schedule of the same makespan, choices and orders whose starts are small."""
        assert self.schedule is not None
        for variable, domain in enumerate(model.model.domains()):
            if [*domain] == [0, 1]:  # a choice or an order
                model.model.restrict(variable, solution[variable], solution[variable])
        makespan = solution[model.makespan]
        model.model.restrict(model.makespan, 0, makespan)
        starts = dict.fromkeys(segment.start for segment in chain.from_iterable(model.segments))
        model.model.minimize_sum([(start, 1) for start in starts])
        model.model.hint(dict(enumerate(solution)))
        outcome = run(model.model, deadline=self.deadline, seed=self.seed, deterministic=self.params.early)
        return model.schedule(outcome.solution) if outcome.solution else self.schedule


def solve_with_features(
    instance: Instance,
    *,
    params: FeatureParams,
    time_limit: Limit,
    seed: int,
    workers: int,
    on_progress: OnProgress | None,
    rules: Rules | None,
    engine: str,
) -> Result:
    """Find a schedule of the greatest weight, and of those one of minimum makespan, and prove both.

    Raises
    ------
    InternalError, RefusedPlanError
        If the rules reject the schedule; it is never returned.
    """
    began = perf_counter()
    search = FeatureSearch(
        instance,
        params,
        time_limit,
        seed=seed,
        workers=workers,
        on_progress=on_progress,
        is_single_call=engine == "cp-sat",
    )
    search.run()
    schedule = search.schedule
    result = Result(
        instance=instance.name,
        status=search.status,
        makespan=None if schedule is None else schedule.makespan,
        lower_bound=search.lower_bound,
        plan=None if schedule is None else certify(instance, schedule, rules=rules),
        proof=search.proof,
        versions=versions(),
        seed=seed,
        unit=instance.unit,
        schedule=schedule,
        seconds=perf_counter() - began,
        weight=search.weight,
        weight_bound=None if search.status == Status.infeasible else search.weight_bound,
    )
    return replace(result, effort=search.effort) if engine == "cp-sat" else result
