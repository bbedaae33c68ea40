"""What the page has to know of a problem: rows, actions, time lags, the best plan known, and how times are written."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from planoracle.analysis.optimum import optimum
from planoracle.analysis.report.encode import plain, whole
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.profile import Profile
from planoracle.instances.kitchens.run import Run, replay
from planoracle.instances.model import Instance, Mode
from planoracle.instances.schedule import Piece
from planoracle.instances.status import Status
from planoracle.instances.wording import action_name
from planoracle.solver.kitchens.planner import KitchenResult

__all__ = ["MAX_PIECES", "deeds", "instance_chart", "kitchen_chart", "piece_row"]

#: Most pieces of one plan that are drawn.
MAX_PIECES = 2_000


def instance_chart(instance: Instance, *, solvable: bool = True) -> dict[str, Any]:
    """Describe a scheduling problem and its best schedule.

    Parameters
    ----------
    solvable
        False where the rules that judge leave no way to complete it.

    Returns
    -------
    dict
        ``actions``: ``[words, label, short name, task, duration, attended, interruptible, modes, tail]``, times in
        ticks, ``modes`` a list of ``[name, [[resource, amount], ...]]`` and ``tail`` the longest delay before something
        that builds on it; ``windows``: ``[before, after, maximum lag]``; positions everywhere. ``optimum.pieces`` as
        in `piece_row`.
    """
    tasks = {task: i for i, task in enumerate(instance.tasks)}
    resources = {name: i for i, name in enumerate(instance.resource)}
    tails: dict[str, int] = defaultdict(int)
    for lag in instance.lags:
        tails[lag.before] = max(tails[lag.before], lag.minimum or 0)
    best = optimum(instance) if solvable else None
    pieces = best.schedule.pieces if best is not None and best.schedule is not None else ()
    return {
        "benchmark": instance.benchmark,
        "unit": plain(instance.unit, 20),
        "seconds": instance.seconds_per_tick,
        "first": int(instance.benchmark == "asynctool"),
        "limit": instance.time_limit,
        "tasks": [plain(task, 80) for task in tasks],
        "agents": [plain(agent, 80) for agent in instance.agents],
        "resources": [[plain(one.name, 80), one.capacity] for one in instance.resources],
        "actions": [
            [
                plain(action_name(instance, action.id), 120),
                plain(action.label, 120),
                plain(action.id.rpartition("/")[2] or action.id, 60),
                tasks[action.task],
                action.duration,
                action.attended,
                int(action.interruptible),
                [_mode(mode, resources) for mode in action.modes],
                tails[action.id],
            ]
            for action in instance.actions
        ],
        "windows": [
            [instance.index[lag.before], instance.index[lag.after], lag.maximum]
            for lag in instance.lags
            if lag.maximum is not None
        ],
        "optimum": {
            "status": Status.infeasible if best is None else best.status,
            "makespan": None if best is None else best.makespan,
            "bound": None if best is None else best.lower_bound,
            "pieces": [piece_row(instance, piece, None) for piece in pieces],
        },
    }


def _mode(mode: Mode, resources: dict[str, int]) -> list[Any]:
    return [plain(mode.name, 60), [[resources[one.resource], one.amount] for one in mode.demands]]


def piece_row(
    instance: Instance, piece: Piece, position: int | None, *, done: bool = True, start: int | None = None
) -> list[Any]:
    """Return ``[action, start, duration, agent, mode, position of the command, done]``; -1 for no known agent."""
    agents = instance.agents
    return [
        instance.index[piece.action],
        whole(piece.start if start is None else start),
        whole(piece.duration),
        agents.index(piece.agent) if piece.agent in agents else -1,
        piece.mode if piece.mode < len(instance.by_id[piece.action].modes) else 0,
        position,
        int(done),
    ]


def deeds(run: Run) -> dict[str, Any]:
    """Describe the legal actions of a run in a kitchen as actions of a schedule: one step each, a task per verb.

    Returns
    -------
    dict
        ``tasks`` and ``actions`` as in `instance_chart`, and ``pieces`` as in `piece_row`.
    """
    players = list(run.rules.kitchen.players)
    domain = run.rules.kitchen.domain.actions
    tasks: dict[str, int] = {}
    actions: dict[str, tuple[int, list[Any]]] = {}
    pieces: list[list[Any]] = []
    for position, step in enumerate(run.steps):
        if step.deed is None or len(pieces) == MAX_PIECES:
            continue
        deed = run.rules.deeds[step.deed]
        verb = plain(domain[deed.position].name, 40)
        short = verb.removesuffix("-item").removesuffix("-container")
        text = plain(deed.text, 120)
        row = [text, "", short, tasks.setdefault(verb, len(tasks)), 1, 1, 0, [["", []]], 0]
        place, _ = actions.setdefault(text, (len(actions), row))
        player = players.index(deed.player) if deed.player in players else -1
        pieces.append([place, len(pieces), 1, player, 0, position, 1])
    return {"tasks": list(tasks), "actions": [row for _, row in actions.values()], "pieces": pieces}


def kitchen_chart(kitchen: Kitchen, best: KitchenResult, rules: Profile) -> dict[str, Any]:
    """Describe a kitchen and its best plan in the form of `instance_chart`; ``actions`` are those of the best plan."""
    made = deeds(replay(kitchen, best.actions, rules))
    joint = rules.moves == "joint"
    return {
        "benchmark": kitchen.benchmark,
        "unit": kitchen.unit,
        "seconds": None,
        "first": 1,
        "limit": None,
        "tasks": made["tasks"],
        "agents": [plain(player, 80) for player in kitchen.players],
        "resources": [],
        "actions": made["actions"],
        "windows": [],
        "optimum": {
            "status": best.status,
            "makespan": best.rounds if joint else best.makespan,
            "bound": None if joint else best.lower_bound,
            "pieces": made["pieces"],
        },
    }
