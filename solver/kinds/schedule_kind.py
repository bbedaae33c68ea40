"""Kind ``schedule``: scheduling problems with fixed actions, solved by CP-SAT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError
from planoracle.instances.model.agents import busy_agent_note
from planoracle.instances.model.clock_times import LocalClock
from planoracle.instances.model.features import Feature, features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Limit, Status, deadline_of
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Piece, Schedule, weight_of
from planoracle.instances.protocol.benchmark import AnyRun, lazy
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import certify, language, replay_rules
from planoracle.solver.explanation import Explanation
from planoracle.solver.kinds.kind import Kind, Timeline, missing_schedule
from planoracle.solver.result import Result, SolveOptions, stored_result

if TYPE_CHECKING:
    from planoracle.instances.protocol.plan import DroppedCommand, Plan
    from planoracle.instances.protocol.scoring import BestKnown
    from planoracle.solver.repair.plan_repair import Repair
    from planoracle.solver.runs import RunSolver, ValueSource


class ScheduleKind(Kind):
    """Scheduling problems, see `planoracle.instances.model.instance.Instance`.

    The modules of the solver are imported on first use, since tables need none of them.
    """

    name = "schedule"
    has_interval_model = True
    _search = lazy("planoracle.solver.exact.search")
    _lexicographic = lazy("planoracle.solver.exact.lexicographic")
    _states = lazy("planoracle.solver.states.run_solver")
    _repairs = lazy("planoracle.solver.repair.plan_repair")
    _measures = lazy("planoracle.instances.generate.network_measures")
    _certificates = lazy("planoracle.solver.proofs.certificate")
    _stored_proofs = lazy("planoracle.solver.proofs.stored_proof")
    _explanations = lazy("planoracle.solver.kinds.schedule_explanation")

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Solve an instance."""
        _check_rules(problem, options.rules)
        if options.after:
            raise InputError("is for kitchens only; for schedules use planoracle.instances.model.state", field="after")
        instance, deadline = of_kind(problem, Instance), deadline_of(options.time_limit)
        result: Result = self._search.solve(
            instance,
            time_limit=deadline,
            seed=options.seed,
            workers=options.workers,
            exact_grid=options.exact_grid,
            engine=options.engine,
            on_progress=options.on_progress,
            rules=options.rules,
        )
        if options.min_interruptions and result.schedule is not None:
            result = self._lexicographic.with_few_interruptions(instance, result, deadline, options.rules)
        return result

    def rules_for_optimum(self, rules: Rules | None) -> None:
        """Return ``None``: the rules of schedules are in the problem; others only refuse plans."""

    def pack(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return the stored form of a result.

        Pieces are five numbers each: action, agent (-1: none), mode, start and duration.
        """
        instance = of_kind(problem, Instance)
        agents = {None: -1} | {agent: number for number, agent in enumerate(instance.agents)}
        numbers: list[int] = []
        for piece in () if result.schedule is None else result.schedule.pieces:
            numbers += [instance.index[piece.action], agents[piece.agent], piece.mode, piece.start, piece.duration]
        entry = {
            "status": result.status,
            "makespan": result.makespan,
            "bound": result.lower_bound,
            "plan": numbers,
            "proof": result.proof,
        }
        if result.weight_bound is not None:
            entry |= {"weight": result.weight, "weight_bound": result.weight_bound}
        return entry if result.grid == 1 else entry | {"grid": result.grid}

    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Restore a stored result and certify its schedule again."""
        _check_rules(problem, rules)
        instance = of_kind(problem, Instance)
        grid = entry.get("grid", 1)
        if type(grid) is not int or grid < 1:
            raise ValueError("the grid must be a positive integer")
        weight, weight_bound = entry.get("weight"), entry.get("weight_bound")
        result = stored_result(instance, entry, grid=grid, weight=weight, weight_bound=weight_bound)
        if result.makespan is None:
            return result
        schedule = Schedule(tuple(_pieces(instance, entry["plan"])))
        is_best = result.status != Status.optimal or weight == weight_bound
        if weight != weight_of(instance, schedule.pieces) or not is_best:
            raise ValueError("the weight must be that of the plan, and of an optimal result the greatest")
        plan = certify(instance, schedule, result.makespan, rules=rules)
        return replace(result, plan=plan, schedule=schedule)

    def state_solver(self, run: AnyRun, limit: Limit) -> RunSolver:
        """Return the solver of the states of one run."""
        solver: RunSolver = self._states.Solver(run, limit)
        return solver

    def values_refusal(self, problem: Problem) -> str:
        """Return the feature of the problem that states cannot respect, or an empty text."""
        refusal: str = self._states.STATES.refusal(of_kind(problem, Instance))
        return refusal

    def value_source(self, problem: Problem, limit: Limit) -> ValueSource:
        """Return the values of live runs on one problem."""
        source: ValueSource = self._states.RunValues(limit)
        return source

    def repair(
        self,
        run: AnyRun,
        best: Callable[[Problem], BestKnown],
        objectives: tuple[str, ...],
        time_limit: Limit,
        salvaged: tuple[DroppedCommand, ...],
    ) -> Repair:
        """Move as few actions as little as possible, see `planoracle.solver.repair.plan_repair`."""
        repair: Repair = self._repairs.repair_schedule(run, best, objectives, time_limit, salvaged)
        return repair

    def explain(self, problem: Problem, time_limit: Limit) -> Explanation:
        """Explain an optimum by a certificate, or infeasibility by a conflict."""
        explanation: Explanation = self._explanations.explain_schedule(of_kind(problem, Instance), time_limit)
        return explanation

    def certificate(self, problem: Problem, result: Result) -> dict[str, Any] | None:
        """Return a certificate, see `planoracle.solver.proofs.certificate`."""
        instance = of_kind(problem, Instance)
        if result.schedule is None or self._certificates.CERTIFICATES.refusal(instance):
            return None
        proof = self._certificates.certificate(instance, result.makespan, result.schedule, cases=False)
        if proof is None or not proof.explained:
            return None
        document: dict[str, Any] = proof.as_dict()
        return document

    def check_certificate(self, problem: Problem, certificate: Any, makespan: int | None) -> None:
        """Check a certificate by the stand-alone checker."""
        self._stored_proofs.check_proof(of_kind(problem, Instance), certificate, makespan)

    def timeline(self, run: AnyRun) -> Timeline:
        """Return the pieces of the submitted plan."""
        return _timeline(of_kind(run.problem, Instance), run.plan)

    def timeline_of_plan(self, problem: Problem, plan: object) -> Timeline:
        """Return the pieces of a plan, which may break rules."""
        instance = of_kind(problem, Instance)
        return _timeline(instance, language(instance).parse(instance, plan))

    def timeline_of_answer(self, problem: Problem, answer: Any, rules: Rules | None) -> Timeline:
        """Return a schedule, or that of a result."""
        schedule = answer if isinstance(answer, Schedule) else getattr(answer, "schedule", None)
        if not isinstance(schedule, Schedule):
            raise missing_schedule(answer)
        return of_kind(problem, Instance), schedule

    def size(self, problem: Problem) -> Mapping[str, int]:
        """Return counts of actions and of maximum lags, and the total work in ticks."""
        instance = of_kind(problem, Instance)
        autonomous = [action for action in instance.actions if action.attended < action.duration]
        interruptible = [action for action in instance.actions if action.interruptible]
        maximum_lags = [lag for lag in instance.lags if lag.maximum is not None]
        return {
            "actions": len(instance.actions),
            "autonomous": len(autonomous),
            "interruptible": len(interruptible),
            "maximum_lags": len(maximum_lags),
            "work": sum(action.duration for action in instance.actions),
        }

    def features(self, problem: Problem) -> tuple[str, ...]:
        """Return the names of the features that an instance has, in the order of `Feature`."""
        features = features_of(of_kind(problem, Instance))
        return tuple(feature.name.lower() for feature in Feature if feature in features)

    def description(self, problem: Problem) -> Mapping[str, Any]:
        """Return measures of the network, see `planoracle.instances.generate.network_measures`."""
        row: dict[str, Any] = self._measures.describe(of_kind(problem, Instance)).row()
        return row

    def result_fields(self, result: Result) -> dict[str, Any]:
        """Return grid, pieces, seed, optional tasks that are left out, and the date of the end."""
        pieces = None if result.schedule is None else [piece._asdict() for piece in result.schedule.pieces]
        fields = {"grid": result.grid, "schedule": pieces, "seed": result.seed}
        if result.problem is not None and result.schedule is not None:
            fields |= _planner_fields(of_kind(result.problem, Instance), result.schedule)
        return fields

    def note(self, problem: Problem, makespan: int | None) -> str:
        """Return a note if an agent is busy all the time, so that the rules leave no choice."""
        return busy_agent_note(of_kind(problem, Instance), makespan)


#: The kind.
KIND = ScheduleKind()


def _pieces(instance: Instance, numbers: list[int]) -> Iterator[Piece]:
    for action, agent, mode, start, duration in zip(*[iter(numbers)] * 5, strict=True):
        if action < 0 or agent < -1:
            raise ValueError("a piece must name an action and an agent")
        name = None if agent < 0 else instance.agents[agent]
        yield Piece(instance.actions[action].id, start, duration, name, mode)


def _planner_fields(instance: Instance, schedule: Schedule) -> dict[str, Any]:
    """Return the optional tasks that a schedule leaves out, and the date of its end."""
    fields: dict[str, Any] = {}
    if instance.optional:
        executed = {instance.by_id[piece.action].task for piece in schedule.pieces}
        fields["left_out"] = {task: weight for task, weight in instance.optional if task not in executed}
    if instance.start_time is not None:
        fields["end_date"] = LocalClock(instance.start_time, instance.seconds_per_tick).text(schedule.makespan)
    return fields


def _timeline(instance: Instance, plan: Plan[Any]) -> Timeline:
    """Return the pieces of a plan; raise `InputError` if there is none."""
    schedule = language(instance).schedule(instance, plan)
    if not schedule.pieces:
        raise InputError("the plan contains no step to draw", field=instance.name)
    return instance, schedule


def _check_rules(problem: Problem, rules: Rules | None) -> None:
    """Raise `InputError` for rules of a benchmark whose scheduling problems state all rules."""
    if rules is not None and replay_rules(problem, rules) is None:
        raise InputError("is for kitchens only; a scheduling problem contains its rules", field="rules", value=rules)
