"""Charts of problems and plans as JSON: rows, actions, lags, the best plan, and units of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any, cast

from planoracle.analysis.report.details import plain, whole
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance, Mode
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem, of_kind
from planoracle.instances.model.schedule import Piece
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import action_name, language
from planoracle.instances.protocol.schedule_run import AnyScheduleRun
from planoracle.instances.protocol.scoring import BestKnown, Oracle
from planoracle.solver.kinds.registry import kind_of

#: Most pieces of one plan that are drawn.
MAX_PIECES = 2_000


def _instance_chart(instance: Instance, best: BestKnown | None) -> dict[str, Any]:
    """Describe a scheduling problem and its best schedule.

    Parameters
    ----------
    best
        ``None`` if the rules permit no completion.

    Returns
    -------
    dict
        ``actions``: ``[words, label, short name, task, duration, attended, in pieces, modes]``, times in ticks,
        ``modes`` a list of ``[name, [[resource, amount], ...], attended]``, tasks and resources as positions;
        ``optimum.pieces`` as in `piece_row`. With calendars ``off``: ``[row, period, [[begin, end], ...]]``, where the
        row is ``a`` or ``r`` with the position of the agent or resource, and the period is 0 for off-times that do not
        repeat. With a clock time of tick 0 ``start`` in ISO format.
    """
    benchmark = registry.of(instance)
    pieces = [piece_row(instance, piece, None) for piece in _pieces(instance, best)]
    calendars = {"off": _off_rows(instance)} if instance.calendars else {}
    start = {} if instance.start_time is None else {"start": instance.start_time.isoformat()}
    return {
        "kind": instance.kind,
        "slots": int(benchmark.has_discrete_time),
        "unit": plain(instance.unit, 20),
        "seconds": instance.seconds_per_tick,
        "first": benchmark.tick_origin,
        "tasks": [plain(task, 80) for task in instance.tasks],
        "agents": [plain(agent, 80) for agent in instance.agents],
        "resources": [[plain(resource.name, 80), resource.capacity] for resource in instance.resources],
        "actions": _action_rows(instance),
        "optimum": _optimum(best, pieces),
        **calendars,
        **start,
    }


def _off_rows(instance: Instance) -> list[list[Any]]:
    """Return the rows ``off`` of `_instance_chart`."""
    keys = {agent: f"a{position}" for position, agent in enumerate(instance.agents)}
    keys |= {name: f"r{position}" for position, name in enumerate(instance.resource)}
    rows = []
    for calendar in instance.calendars:
        spans = [list(span) for span in calendar.off]
        rows += [[keys[member], calendar.period or 0, spans] for member in calendar.members]
    return rows


def _action_rows(instance: Instance) -> list[list[Any]]:
    """Return the rows ``actions`` of `_instance_chart`."""
    tasks = {task: position for position, task in enumerate(instance.tasks)}
    resources = {name: position for position, name in enumerate(instance.resource)}
    rows = []
    for action in instance.actions:
        words = action_name(instance, action.id)
        short_name = action.id.rpartition("/")[2] or action.id
        modes = [_mode_row(instance, action, mode, resources) for mode in action.modes]
        texts = [plain(words, 120), plain(action.label, 120), plain(short_name, 60)]
        times = [action.duration, action.attended, int(action.interruptible or action.pauses_in_breaks)]
        rows.append([*texts, tasks[action.task], *times, modes])
    return rows


def _mode_row(instance: Instance, action: Action, mode: Mode, resources: Mapping[str, int]) -> list[Any]:
    """Return the row of a mode; budgets are not in use over time, and have no row in a chart."""
    demands = []
    for demand in mode.demands:
        if instance.resource[demand.resource].renewable:
            demands.append([resources[demand.resource], demand.amount])
    return [plain(mode.name, 60), demands, action.attended_in(mode)]


def _optimum(best: BestKnown | None, pieces: list[Any]) -> dict[str, Any]:
    """Return the field ``optimum`` of a chart."""
    if best is None:
        return {"status": Status.infeasible, "makespan": None, "bound": None, "pieces": pieces}
    return {"status": best.status, "makespan": best.makespan, "bound": best.lower_bound, "pieces": pieces}


def chart(problem: Problem, rules: Rules, oracle: Oracle) -> dict[str, Any]:
    """Describe a problem and its best plan, see `_instance_chart`."""
    try:
        judged = registry.of(problem).under(problem, rules)
    except InputError:  # the rules leave no way to complete it
        return _chart_with(problem, None, rules)
    return _chart_with(judged, oracle.best(judged, rules), rules)


def _chart_with(problem: Problem, best: BestKnown | None, rules: Rules) -> dict[str, Any]:
    """Describe a problem and its best plan, if the rules permit a completion."""
    if kind_of(problem).has_interval_model:
        return _instance_chart(of_kind(problem, Instance), best)
    return _timeline_chart(problem, best, rules)


def chart_of_run(run: AnyRun) -> dict[str, Any]:
    """Describe a run as a chart: ``pieces`` executed and submitted, and the fields of a chart."""
    if kind_of(run.problem).has_interval_model:
        return _pieces_of(cast("AnyScheduleRun", run))
    return _timeline_actions(run)


def _pieces(instance: Instance, best: BestKnown | None) -> tuple[Piece, ...]:
    if best is None or best.plan is None:
        return ()
    benchmark = language(instance)
    pieces = benchmark.schedule(instance, benchmark.parse(instance, best.plan)).pieces
    return tuple(piece for piece in pieces if not instance.by_id[piece.action].is_milestone)


def piece_row(
    instance: Instance, piece: Piece, position: int | None, *, done: bool = True, start: int | None = None
) -> list[Any]:
    """Return ``[action, start, duration, agent, mode, command position, done]``; agent -1: unknown."""
    agents, modes = instance.agents, instance.by_id[piece.action].modes
    agent = agents.index(piece.agent) if piece.agent in agents else -1
    mode = piece.mode if piece.mode < len(modes) else 0
    times = [whole(piece.start if start is None else start), whole(piece.duration)]
    return [instance.index[piece.action], *times, agent, mode, position, int(done)]


#: A run in which nothing was carried out.
_EMPTY: dict[str, Any] = {"tasks": [], "actions": [], "resources": [], "pieces": []}


def _timeline_actions(run: AnyRun) -> dict[str, Any]:
    """Describe a run in a kitchen or grid kitchen as a schedule: ``tasks, actions, resources, pieces``."""
    try:
        instance, schedule = kind_of(run.problem).timeline(run)
    except InputError:
        return _EMPTY
    chart = _instance_chart(instance, None)
    command_is_action = kind_of(run.problem).command_is_action
    positions: Iterable[int | None] = repeat(None)
    if command_is_action:
        positions = [step.position for step in run.steps if step.kind == "act"]
    for row, action in zip(chart["actions"], instance.actions, strict=True):
        words, short_name = f"{action.task} {action.label}", action.label
        if command_is_action:
            words, short_name = action.label, action.task.removesuffix("-item").removesuffix("-container")
        row[:3] = [plain(words, 120), "", plain(short_name, 60)]
    rows = zip(schedule.pieces[:MAX_PIECES], positions, strict=False)
    pieces = [piece_row(instance, piece, position) for piece, position in rows]
    return {key: chart[key] for key in ("tasks", "actions", "resources")} | {"pieces": pieces}


def _timeline_chart(problem: Problem, best: BestKnown | None, rules: Rules) -> dict[str, Any]:
    """Describe a kitchen and its best plan as in `chart`; ``actions`` are those of the plan."""
    kind = kind_of(problem)
    actions = _EMPTY
    if best is not None and best.plan is not None:
        run = registry.of(problem).run(problem, {"plan": best.plan}, rules)
        actions = _timeline_actions(run)
    optimum = _optimum(best, actions["pieces"])
    if kind.counts_rounds(rules):
        rounds = None if optimum["makespan"] is None else -(-optimum["makespan"] // len(problem.agents))
        optimum |= {"makespan": rounds, "bound": None}
    return {
        "kind": problem.kind,
        "slots": 0,  # a refused action takes no step
        "unit": problem.unit,
        "seconds": None,
        "first": int(kind.command_is_action),
        "tasks": actions["tasks"],
        "agents": [plain(agent, 80) for agent in problem.agents],
        "resources": actions["resources"],
        "actions": actions["actions"],
        "optimum": optimum,
    }


def _pieces_of(run: AnyScheduleRun) -> dict[str, Any]:
    """Return the pieces that were carried out, in order, and then submitted pieces that were not."""
    unfinished = run.impossible is None and not (run.verdict.success and not run.verdict.violations)
    rows = []
    carried: Counter[tuple[str, int]] = Counter()
    count = 0
    for step, point in zip(run.steps, run.points[1:], strict=True):
        pieces = point.state.pieces
        is_started = len(pieces) > count
        count = len(pieces)
        # A repeated task of a list is no action of the problem: it only takes time.
        if is_started and pieces[-1].action in run.problem.by_id:
            rows.append(piece_row(run.problem, pieces[-1], step.position, start=step.start))
            carried[pieces[-1].action, step.start] += 1
    targets = run.targets().targets if unfinished else ()
    for target in targets[:MAX_PIECES]:
        piece = target.piece
        if carried[piece.action, piece.start]:
            carried[piece.action, piece.start] -= 1
        else:
            rows.append(piece_row(run.problem, piece, target.position, done=False))
    milestones = {run.problem.index[action.id] for action in run.problem.actions if action.is_milestone}
    drawn_rows = [row for row in rows if row[0] not in milestones]
    return {"pieces": drawn_rows[:MAX_PIECES]}
