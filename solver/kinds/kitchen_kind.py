"""Kind ``kitchen``: plans of PDDL kitchens, solved by A*."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import under
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.benchmarks.kitchens.run import KitchenRun, as_schedule
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.errors import InputError
from planoracle.instances.model.limits import Limit, Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.protocol.benchmark import AnyRun, lazy
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.profiles import Rules
from planoracle.solver.explanation import Explanation, plan_document
from planoracle.solver.kinds.kind import Kind, Timeline, run_of_answer
from planoracle.solver.result import Result, SolveOptions, stored_result

if TYPE_CHECKING:
    from planoracle.instances.protocol.plan import DroppedCommand
    from planoracle.instances.protocol.scoring import BestKnown
    from planoracle.solver.repair.plan_repair import Repair
    from planoracle.solver.runs import RunSolver, ValueSource


class KitchenKind(Kind):
    """Kitchens, whose plans choose the actions; the modules of the solver are imported on first use."""

    name = "kitchen"
    has_slow_search = True
    command_is_action = True
    _planner = lazy("planoracle.solver.kitchens.astar")
    _states = lazy("planoracle.solver.kitchens.run_solver")
    _repairs = lazy("planoracle.solver.kitchens.repair")

    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Solve a kitchen."""
        incumbent: tuple[str, ...] = ()
        lower_bound = 0
        if options.start is not None:
            incumbent = options.start.actions
            if options.start.unit == "step":  # the planner's bounds are never in rounds
                lower_bound = options.start.lower_bound or 0
        result: Result = self._planner.plan(
            of_kind(problem, Kitchen),
            time_limit=options.time_limit,
            rules=_profile(options.rules),
            after=options.after,
            incumbent=incumbent,
            at_least=lower_bound,
            on_progress=options.on_progress,
        )
        return result

    def rules_for_optimum(self, rules: Rules | None) -> KitchenRules:
        """Return the options of the profile that determine the optimum."""
        return _profile(rules).deciding()

    def counts_rounds(self, rules: Rules) -> bool:
        """Return True if all players act at once."""
        return _profile(rules).moves == "joint"

    def pack(self, problem: Problem, rules: Rules | None, result: Result) -> dict[str, Any]:
        """Return the stored form of a result."""
        return {
            "status": result.status,
            "makespan": result.makespan,
            "bound": result.lower_bound,
            "plan": list(result.actions),
            "proof": result.proof,
            "expanded": result.expanded,
        }

    def unpack(self, problem: Problem, rules: Rules | None, entry: dict[str, Any]) -> Result:
        """Restore a stored result and replay its actions."""
        kitchen, profile = of_kind(problem, Kitchen), _profile(rules)
        result = stored_result(kitchen, entry, unit=under(kitchen, profile).unit, expanded=int(entry["expanded"]))
        if result.makespan is None:
            return result
        actions = _replayed_actions(kitchen, profile, tuple(entry["plan"]), result.makespan)
        rounds = -(-len(actions) // len(kitchen.players))
        return replace(result, plan=language.render(actions), actions=actions, rounds=rounds)

    def state_solver(self, run: AnyRun, limit: Limit) -> RunSolver:
        """Return the solver of the states of one run."""
        solver: RunSolver = self._states.Solver(run, limit)
        return solver

    def value_source(self, problem: Problem, limit: Limit) -> ValueSource:
        """Return the values of live runs in one kitchen."""
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
        """Retain the longest possible prefix, see `planoracle.solver.kitchens.repair`."""
        repair: Repair = self._repairs.KitchenRepair(run, best(run.problem), time_limit).repair()
        return repair

    def explain(self, problem: Problem, time_limit: Limit) -> Explanation:
        """Explain a result of a search."""
        result = self.solve(problem, SolveOptions(time_limit=time_limit))
        fields = result.instance, result.status, result.makespan, result.lower_bound, problem.unit
        head = f"{result.instance}: {result.status}"
        if result.status == Status.infeasible:
            line = f"{head}: no plan completes the problem ({result.proof})."
            return Explanation(*fields, proof_grade=result.proof_grade, _lines=(line,))
        unknown = "; neither a plan nor a proof of infeasibility was found within the time limit"
        lines = [head + (unknown if result.makespan is None else f", {span(problem, result.makespan)}") + "."]
        if result.status == Status.optimal:
            lines.append(f"Proved by search ({result.proof}); {result.expanded} states were expanded.")
        elif result.lower_bound is not None:
            bound = span(problem, result.lower_bound)
            lines.append(
                f"Lower bound proved within the time limit: every plan takes at least {bound} ({result.proof})."
            )
        # These problems are solved by the profile "released" here.
        document = None if result.plan is None else plan_document(result, "released")
        grade = result.proof_grade
        return Explanation(*fields, "search", proof_grade=grade, document=document, _lines=tuple(lines))

    def timeline(self, run: AnyRun) -> Timeline:
        """Return the legal actions of a run, one step each."""
        return as_schedule(cast("KitchenRun", run))

    def timeline_of_answer(self, problem: Problem, answer: Any, rules: Rules | None) -> Timeline:
        """Return the actions of a plan, each of one step, if the rules reject none."""
        run = run_of_answer(problem, answer, rules)
        for position, step in enumerate(cast("KitchenRun", run).record.steps):
            if step.action_number is None:
                raise InputError("is rejected by the rules", field=f"actions[{position}]", value=step.action)
        return self.timeline(run)

    def size(self, problem: Problem) -> Mapping[str, int]:
        """Return counts of stations, items, containers and players."""
        counts = Counter(kind for _, kind in of_kind(problem, Kitchen).objects)
        return {f"{kind}s": counts[kind] for kind in ("station", "item", "container", "player")}

    def result_fields(self, result: Result) -> dict[str, Any]:
        """Return the rounds, and the number of expanded states."""
        return {"rounds": result.rounds, "expanded": result.expanded}


#: The kind.
KIND = KitchenKind()


def _replayed_actions(kitchen: Kitchen, profile: KitchenRules, actions: tuple[Any, ...], steps: int) -> tuple[str, ...]:
    """Return the actions of a stored plan as the rules write them; raise `ValueError` if these refuse it."""
    if not all(isinstance(action, str) for action in actions):
        raise ValueError("the actions of a plan must be text")
    replayed = trace(kitchen, actions, profile)
    is_whole = len(replayed.steps) == len(actions) and replayed.steps_taken == steps
    if not replayed.success or replayed.refusals or not is_whole:
        raise ValueError("the plan must pass the rules and have the stored makespan")
    return tuple(
        replayed.rules.actions[step.action_number].text for step in replayed.steps if step.action_number is not None
    )


def _profile(rules: Rules | None) -> KitchenRules:
    if rules is None:
        return PROFILES["released"]
    if not isinstance(rules, KitchenRules):
        raise InputError("must be a profile of kitchens", field="rules", value=rules)
    return rules
