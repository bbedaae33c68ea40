"""Metrics of Recipe2Plan: R-Efficiency and others, against the released reference and the optimum."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from math import inf
from statistics import fmean
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.recipe2plan.beliefs import measures, read_beliefs
from planoracle.instances.benchmarks.recipe2plan.language import Answers, parse
from planoracle.instances.benchmarks.recipe2plan.problems import (
    book,
    bundled_names,
    bundled_plan,
    covers,
    load,
    load_bundled,
    reference_plan,
)
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, Profile
from planoracle.instances.benchmarks.recipe2plan.run import Recipe2PlanRun
from planoracle.instances.benchmarks.recipe2plan.simulation import replay_answers
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import Status
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.environment import AnyEnvironment
from planoracle.instances.protocol.scoring import (
    Average,
    BestKnown,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Row,
)


class MultitaskingEfficiency(NamedTuple):
    """Multitasking efficiency of one run.

    Attributes
    ----------
    efficiency
        Equation 1, time saved / autonomous time; ``None`` if no autonomous time was spent.
    r_efficiency
        Equation 2, ``None`` where it is undefined.
    multitasking_score
        Equation 3: ``r_efficiency`` of a successful run, else 0.
    """

    efficiency: float | None
    r_efficiency: float | None
    multitasking_score: float | None


def efficiency(
    instance: Instance,
    run: Replay,
    reference: Sequence[StepCommand] | None,
    rules: Profile = PROFILES["paper"],
    *,
    is_whole_reference: bool = False,
) -> MultitaskingEfficiency:
    """Compute equations 1 to 3 for one replayed run.

    Parameters
    ----------
    reference
        Reference plan in its listed order, ``None`` if there is none. Its first commands count, as many as the run
        carried out.
    is_whole_reference
        Count all commands of the reference if the run is a success: complete plans differ in their number of commands,
        because interruptions split steps.
    rules
        Options ``t_auto``, ``clip_saved``, ``ref_floor``, ``undefined_ref`` and ``score_if``.
    """
    carried = [event for event in run.events if event.accepted]
    work = sum(event.end - event.start for event in carried)
    saved = work - run.makespan
    if rules.clip_saved:
        saved = max(0, saved)
    if rules.t_auto == "nominal":
        unattended = [action for action in instance.actions if not action.attended]
        autonomous = sum(action.duration for action in unattended if action.id not in run.remaining)
    else:
        autonomous_events = [event for event in carried if not instance.by_id[event.subject].attended]
        autonomous = sum(event.end - event.start for event in autonomous_events)
    efficiency_of_run = saved / autonomous if autonomous else None
    count = None if is_whole_reference and run.success else len(carried)
    against = reference_efficiency(instance, (reference or ())[:count])
    value = None
    if efficiency_of_run is not None and against:
        # In this order, the released code's, so that both agree to the last bit.
        value = saved / autonomous / against
        if rules.ref_floor:
            value = min(value, 5 * saved / autonomous)
    if value is None and rules.undefined_ref == "zero":
        value = 0.0
    counts = run.success if rules.score_if == "success" else run.progress == 1
    score = value if counts else 0.0
    return MultitaskingEfficiency(efficiency_of_run, value, score)


def reference_efficiency(instance: Instance, commands: Iterable[StepCommand]) -> float | None:
    """Return equation 1 for a list of commands, ``None`` if they have no autonomous time or save no time."""
    autonomous = saved = makespan = 0
    for command in commands:
        saved += command.duration
        makespan = max(makespan, command.start + command.duration)
        if not instance.by_id[f"{command.recipe}/{command.step}"].attended:
            autonomous += command.duration
    saved -= makespan
    return saved / autonomous if autonomous and saved else None


def executable(instance: Instance, commands: Iterable[StepCommand]) -> float:
    """Return the mean number of actions whose predecessors are finished, over the starts of a plan."""
    ends: dict[int, int] = {}
    counts = []
    for command in sorted(commands, key=lambda command: command.start):
        executable_steps = 0
        for position, predecessors in enumerate(instance.predecessors):
            if position in ends:
                continue
            if all(ends.get(before, inf) <= command.start for before, _ in predecessors):
                executable_steps += 1
        counts.append(executable_steps)
        position = instance.index[f"{command.recipe}/{command.step}"]
        ends[position] = command.start + command.duration
    return fmean(counts)


@cache
def published_figures() -> dict[str, float]:
    """Return the figures of the paper's Table 2, for the bundled recipes and reference plans."""
    return _figures_of_recipes() | _figures_of_reference_plans()


def _figures_of_recipes() -> dict[str, float]:
    recipes = book()
    actions, count = recipes.actions, len(recipes.tasks)
    windows = [lag.maximum for lag in recipes.lags if lag.maximum is not None]
    indirect = sum(lag.minimum is None for lag in recipes.lags)
    autonomous = sum(not action.attended for action in actions)
    interruptible = sum(action.interruptible for action in actions)
    seconds = fmean(action.duration for action in actions)
    return {
        "recipes": count,
        "actions per recipe": len(actions) / count,
        "autonomous actions per recipe": autonomous / count,
        "interruptible actions per recipe": interruptible / count,
        "time constraints per recipe": len(windows) / count,
        "time constraints without a direct dependency": indirect,
        "minutes per action": seconds / 60,
        "minutes of a restriction": fmean(windows) / 60,
    }


def _figures_of_reference_plans() -> dict[str, float]:
    timed: dict[str, float] = {}
    untimed: dict[str, float] = {}
    executable_actions = []
    for name in bundled_names():
        plan = bundled_plan(name)
        if not plan:
            continue
        problem = load_bundled(name)
        _, setting, pair = name.split("/")
        efficiencies = timed if setting == "timed" else untimed
        efficiencies[pair] = reference_efficiency(problem, plan) or 0.0
        if setting == "untimed":
            executable_actions.append(executable(problem, plan))
    short_pairs = sum(value <= 0.8 for value in untimed.values())
    pairs_without_drop = sum(value >= untimed[pair] for pair, value in timed.items())
    return {
        "executable actions per step": fmean(executable_actions),
        "efficiency without time constraints, %": 100 * fmean(untimed.values()),
        "efficiency with time constraints, %": 100 * fmean(timed.values()),
        "pairs of at most 80 %": short_pairs,
        "pairs without a drop": pairs_without_drop,
    }


class RecipeMeasurement(Measurement[Recipe2PlanRun]):
    """Run with its efficiency against the reference plan, and against the optimal plan."""

    def __init__(self, run: Recipe2PlanRun, oracle: Oracle) -> None:
        super().__init__(run, oracle)
        problem, rules = run.problem, run.rules
        self.beliefs = read_beliefs(problem, run.submission) or None
        self.reference, self.figures = _against_reference(problem, run.verdict, rules, self.best)
        self.against_optimum = self.figures
        if self.reference != "optimal":
            commands = _commands(problem, self.best)
            self.against_optimum = efficiency(problem, run.verdict, commands, rules, is_whole_reference=True)

    @cached_property
    def optimum(self) -> Optimum:
        """Optimum; none if a success takes less, as only ``zero_duration="accepted"`` allows."""
        optimum, makespan = super().optimum, self.run.makespan
        if makespan is not None and optimum.makespan is not None and makespan < optimum.makespan:
            return Optimum()
        return optimum


def declare(rules: Profile) -> Declarations[RecipeMeasurement]:
    """Return the metrics and means of the paper; means exclude runs whose efficiency is undefined."""
    is_failed = rules.missing == "failed"
    return (*_shares_of_goals(is_failed), *_efficiencies(), *_scores(is_failed), *_actions(), *_sources())


def _shares_of_goals(is_failed: bool) -> Declarations[RecipeMeasurement]:
    success = Average("success", "plans that succeed", _number("success"), "mean", is_failed, role=("success",))
    progress = Average("progress", "actions done", _number("progress"), "mean", is_failed)
    goal_ratio = Average("goal_ratio", "recipes done", _number("goal_ratio"), "mean", is_failed, is_shown=False)
    return success, progress, goal_ratio


def _number(name: str) -> Callable[[Row], float]:
    """Return the function that returns a value of a row, 0 if it is missing."""
    return lambda row: row.get(name) or 0.0


def _efficiencies() -> Declarations[RecipeMeasurement]:
    saved_share: Metric[RecipeMeasurement] = Metric(
        "efficiency",
        "time saved divided by autonomous time (equation 1)",
        lambda measurement: measurement.figures.efficiency,
        "share",
    )
    r_efficiency: Metric[RecipeMeasurement] = Metric(
        "r_efficiency",
        "efficiency divided by that of as many commands of the reference plan (equation 2)",
        lambda measurement: measurement.figures.r_efficiency,
        "share",
        is_shown=True,
        average=Average("r_efficiency", "mean where r_efficiency is defined"),
    )
    undefined = Average(
        "undefined", "runs whose r_efficiency is undefined", lambda row: int(row["r_efficiency"] is None), "sum"
    )
    against_optimum: Metric[RecipeMeasurement] = Metric(
        "r_efficiency_optimal",
        "r_efficiency with the optimal plan as reference; successful runs are compared with the whole plan",
        lambda measurement: measurement.against_optimum.r_efficiency,
        "share",
    )
    feasible = Average(
        "r_efficiency_feasible",
        "mean r_efficiency of feasible plans (Table 7)",
        _r_efficiency_of_feasible,
        is_shown=False,
    )
    return saved_share, r_efficiency, undefined, feasible, against_optimum


def _scores(is_failed: bool) -> Declarations[RecipeMeasurement]:
    mean_score = Average(
        "multitasking_score", "mean where r_efficiency is defined", counts_missing=is_failed, role=("main",)
    )
    multitasking_score: Metric[RecipeMeasurement] = Metric(
        "multitasking_score",
        "r_efficiency of a successful run, else 0 (equation 3)",
        lambda measurement: measurement.figures.multitasking_score,
        "share",
        is_shown=True,
        average=mean_score,
    )
    # A plan that fails early can equal the optimum.
    mean_against_optimum = Average(
        "r_efficiency_optimal", "mean of successful runs where it is defined", _r_efficiency_of_success
    )
    return multitasking_score, mean_against_optimum


def _actions() -> Declarations[RecipeMeasurement]:
    meaning = "commands by validity: valid, or the kind of the first rule that an invalid one breaks (Figure 5)"
    average = Average("action_kinds", meaning, aggregate="counts", is_shown=False)
    return (Metric("action_kinds", meaning, _count_actions, kind="json", average=average),)


#: Kinds of violation that section 5.2 calls action mismatch.
_MISMATCHES = ("wrong_recipe", "wrong_action", "repeated_action", "no_action")


def _count_actions(measurement: RecipeMeasurement) -> dict[str, int]:
    """Count the valid and invalid commands of a run.

    A violated time constraint is a source of failure, not an invalid action (section 5.2).
    """
    verdict = measurement.run.verdict
    unreadable = [violation for violation in verdict.violations if violation.kind == "no_action"]
    kinds = ["no_action"] * len(unreadable)
    first_kinds: dict[int | None, str] = {}
    for violation in verdict.violations:
        if violation not in unreadable:
            first_kinds.setdefault(violation.position, violation.kind)
    for event in verdict.events:
        kinds.append("valid" if event.accepted else first_kinds.get(event.position, "no_action"))
    counts = Counter("action_mismatch" if kind in _MISMATCHES else kind for kind in kinds)
    del counts["time_constraint"]
    return dict(counts)


def _sources() -> Declarations[RecipeMeasurement]:
    reference: Metric[RecipeMeasurement] = Metric(
        "reference",
        "reference plan of r_efficiency: heuristic, optimal or none",
        lambda measurement: measurement.reference,
        kind="text",
    )
    counts_of_items = Average("beliefs", "numbers of items in beliefs", _belief_items, "counts", is_shown=False)
    beliefs: Metric[RecipeMeasurement] = Metric(
        "beliefs",
        "beliefs about implicit facts of the recipes (Table 9), per recipe; unread beliefs with the reason",
        lambda measurement: measurement.beliefs,
        kind="json",
        average=counts_of_items,
    )
    return reference, beliefs


def _r_efficiency_of_feasible(row: Row) -> float | None:
    return row.get("r_efficiency") if row["success"] else None


def _r_efficiency_of_success(row: Row) -> float | None:
    return row.get("r_efficiency_optimal") if row["success"] else None


def _belief_items(row: Row) -> list[str]:
    """Return an entry for each item of a belief, and for each belief: recipe, kind, and what is counted."""
    items: list[str] = []
    for belief in row.get("beliefs") or ():
        status = "unread" if "unread" in belief else "read"
        for name, count in {**belief, status: 1}.items():
            if name in _COUNTED:
                # A damaged row cannot fill the memory.
                item = f"{belief['recipe']} {belief['belief']} {name}"
                items += [item] * min(count, 10_000)
    return items


def belief_table(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return recall, precision and F1 of every model by kind of belief, over all recipes and per recipe.

    Items are summed over all runs; unread beliefs are counted separately and excluded.
    """
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        for entry, count in row["beliefs"].items():
            recipe, kind, name = entry.split()
            for scope in ("", recipe):
                counts[scope, kind, row["model"]][name] += count
    table = []
    for (recipe, kind, model), items in sorted(counts.items()):
        shares = measures(items["right"], items["believed"], items["true"])
        about = {"recipe": recipe or "all", "belief": kind, "model": model}
        readings = {"read": items["read"], "unread": items["unread"]}
        table.append(about | shares | readings)
    return table


def _against_reference(
    problem: Instance, verdict: Replay, rules: Profile, best: BestKnown
) -> tuple[str, MultitaskingEfficiency]:
    """Return the name of the reference plan, and the efficiency of a run against it."""
    name, plan = _reference(problem, rules, best)
    return name, efficiency(problem, verdict, plan, rules, is_whole_reference=name == "optimal")


def _live_row(environment: AnyEnvironment, oracle: Oracle) -> Row:
    """Return the score of a run so far, which is 0 until all recipes are complete."""
    score: float | None = 0.0
    if environment.success:
        problem, rules = environment.problem, environment.rules
        _, figures = _against_reference(problem, environment.verdict(), rules, oracle.best(problem, rules))
        score = figures.multitasking_score
    return {"multitasking_score": score}


def _reference(problem: Instance, rules: Profile, best: BestKnown) -> tuple[str, tuple[StepCommand, ...] | None]:
    plan = released_plan(problem) if rules.reference == "heuristic" else None
    name = "heuristic"
    if plan is None and (rules.reference == "optimal" or rules.missing_ref == "optimum"):
        name, plan = "optimal", _commands(problem, best)
    return name if plan else "none", plan


def released_plan(problem: Instance) -> tuple[StepCommand, ...] | None:
    """Return the reference plan of a problem with a name, ``None`` without one."""
    return reference_plan(problem.name) if _has_name(problem) else None


def _has_name(problem: Instance) -> bool:
    return covers(problem.name) and problem is load(problem.name)


def released(problem: Instance) -> Claim:
    """Return the makespan of the released reference plan, and the verdict of the rules on it."""
    commands = released_plan(problem)
    if not commands:
        is_released = _has_name(problem) and problem.name in bundled_names()
        missing = "no plan was released, so the released grader scores every plan 0"
        return Claim(None, reason=missing if is_released else "")
    makespan = max(command.start + command.duration for command in commands)
    verdict = replay_answers(problem, Answers((commands,)))
    plan = "\n".join(command.text for command in commands)
    if verdict.success and not verdict.violations:
        return Claim(makespan, accepted=True, plan=plan)
    fault = verdict.violations[0].message if verdict.violations else "the plan does not complete all recipes"
    return Claim(makespan, accepted=False, reason=fault, plan=plan)


def _commands(problem: Instance, best: BestKnown) -> tuple[StepCommand, ...] | None:
    """Return the commands of a proved optimal plan."""
    if best.status != Status.optimal or best.plan is None:
        return None
    return _parse(problem, best.plan) or None


@ProblemCache
def _parse(problem: Instance, plan: str) -> tuple[StepCommand, ...]:
    return parse(plan, problem).commands


#: Counts of beliefs, see `belief_table`.
_COUNTED = ("read", "unread", "right", "believed", "true")

METRICS = MetricSet(
    RecipeMeasurement,
    declare,
    references=(
        Reference("heuristic_reference", "reference", released, main=True, published="released_plan"),
        Reference("dfs", "dfs", "recipe2plan-dfs"),
    ),
    published_figures=published_figures,
    tables={"beliefs": belief_table},
    live_row=_live_row,
)
