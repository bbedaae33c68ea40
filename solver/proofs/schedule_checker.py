"""Check that a schedule obeys a problem and has its makespan, with Python and this file alone.

``python schedule_checker.py problem.json proof.json``: a problem as ``planoracle instances --export`` writes it, a
proof as ``planoracle explain --out`` does. ``checker.py`` beside this file checks that no schedule is shorter. The page
of `planoracle.instances.model.instance` defines problems; this file uses no other code.

"""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from typing import Any, NamedTuple

#: Limits: bytes of a file, absolute value of a number.
MAX_BYTES, MAX_NUMBER = 16 * 2**20, 10**30
#: Accepted keys of objects; an unknown key might be a constraint.
_KEYS = {
    "problem": "$schema format version name benchmark unit seconds_per_tick agents resources tasks time_limit",
    "resource": "name capacity state",
    "task": "name actions",
    "action": "name label duration attended interruptible release agents uses modes after",
    "mode": "name uses after",
    "use": "resource amount requires sets",
    "lag": "action min_lag max_lag",
    "piece": "action start duration agent mode",
}


class ScheduleRefusedError(Exception):
    """The schedule breaks a rule of the problem, or a file is malformed."""


class _Use(NamedTuple):
    amount: int = 0
    requires: str | None = None
    sets: str | None = None


class _Piece(NamedTuple):
    """Piece of an action, which holds its agent up to ``until``."""

    start: int
    until: int
    end: int
    action: str
    agent: str | None
    mode: int


def check(problem: Any, proof: Any) -> int | None:
    """Return the makespan of the schedule in a proof, ``None`` if the proof has neither.

    ``problem`` and ``proof`` are documents as parsed from JSON. Raises `ScheduleRefusedError` with the reason.
    """
    try:
        makespan, rows = proof["makespan"], proof["schedule"]
        if makespan is None and rows is None:
            return None
        end = _Timetable(problem, rows).check()
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ScheduleRefusedError(f"the problem or the proof is malformed: {type(error).__name__}: {error}") from None
    if type(makespan) is not int or proof["instance"] != problem["name"] or makespan != end:
        message = f"the proof must name the problem {problem['name']} and the makespan {end} of its schedule"
        raise ScheduleRefusedError(message)
    return end


def _object(name: str, row: dict[str, Any], **usual: Any) -> dict[str, Any]:
    if not row.keys() <= {*_KEYS[name].split()}:
        raise ScheduleRefusedError(f"a {name} has unknown keys; accepted are {_KEYS[name]}")
    return usual | row


class _Timetable:
    """Actions of a problem, and pieces of a schedule by action in order of start."""

    def __init__(self, document: Any, rows: Any) -> None:
        self.problem = _object("problem", document, agents=["agent"], resources=[], time_limit=None)
        if (document["format"], document["version"]) != ("planoracle/instance", 1) or type(rows) is not list:
            message = "the problem must have the format planoracle/instance, version 1, and the schedule must be a list"
            raise ScheduleRefusedError(message)
        self.actions: dict[str, dict[str, Any]] = {}
        self.modes: dict[str, list[tuple[dict[str, _Use], list[str]]]] = {}
        self.lags: list[tuple[str, str, int | None, int | None]] = []
        for entry in document["tasks"]:
            task = _object("task", entry)
            for row in task["actions"]:
                self.take(task["name"], _object("action", row, attended=None, interruptible=False, release=0))
        self.runs: dict[str, list[_Piece]] = {name: [] for name in self.actions}
        self.pieces = sorted(map(self.piece, rows), key=lambda piece: piece[:3])
        for piece in self.pieces:
            self.runs[piece.action].append(piece)

    def take(self, task: str, action: dict[str, Any]) -> None:
        """Read an action with its lags and the demands of its modes."""
        name, agents = f"{task}/{action['name']}", action.get("agents")
        action["agents"] = self.problem["agents"] if agents is None else agents
        if action["attended"] is None:  # the whole duration if an agent is eligible
            action["attended"] = action["duration"] if action["agents"] else 0
        if name in self.actions:
            raise ScheduleRefusedError(f"two actions have the name {name}")

        def full_name(reference: str) -> str:
            return reference if "/" in reference else f"{task}/{reference}"

        for row in action.get("after", ()):
            lag = _object("lag", {"action": row} if type(row) is str else row, min_lag=0, max_lag=None)
            self.lags.append((full_name(lag["action"]), name, lag["min_lag"], lag["max_lag"]))
        mode_rows = action.get("modes") or [{"uses": action.get("uses") or []}]
        modes = [_object("mode", row) for row in mode_rows]
        self.actions[name] = action
        self.modes[name] = []
        for mode in modes:
            after = [full_name(reference) for reference in mode.get("after", ())]
            self.modes[name].append((self.uses(mode), after))

    def uses(self, mode: dict[str, Any]) -> dict[str, _Use]:
        """Return the uses of a mode by resource."""
        rows = [_object("use", row, amount=1) for row in mode.get("uses", ())]
        return {row["resource"]: _Use(row["amount"], row.get("requires"), row.get("sets")) for row in rows}

    def piece(self, row: Any) -> _Piece:
        """Read a piece; check its action, mode, agent, start and duration."""
        row_fields = _object("piece", row)
        name, start, duration, agent, mode = (row_fields[key] for key in _KEYS["piece"].split())
        action = self.actions.get(name)
        if action is None or not all(map(_is_number, (start, duration, mode))):
            message = f"a piece of {name} must name an action; its numbers must be integers up to {MAX_NUMBER}"
            raise ScheduleRefusedError(message)
        eligible = action["agents"] or [None]
        if not 0 <= mode < len(self.modes[name]) or agent not in eligible:
            raise ScheduleRefusedError(f"{name} has no mode {mode}, or {agent} is not eligible for it")
        min_duration = min(1, action["duration"])
        if duration < min_duration or start < action["release"]:
            limits = f"last at least {min_duration} and start at {action['release']} or later"
            raise ScheduleRefusedError(f"a piece of {name} must {limits}")
        busy = duration if action["interruptible"] and action["attended"] else action["attended"]
        return _Piece(start, start + busy, start + duration, name, agent, mode)

    def check(self) -> int:
        """Return the end of the schedule after a check of all rules."""
        for name, pieces in self.runs.items():
            self.check_action(name, pieces)
        self.in_time()
        latest: dict[str | None, _Piece] = {}  # by agent
        used = defaultdict[str, list[tuple[_Piece, _Use]]](list)
        for piece in self.pieces:
            agent, start = piece.agent, piece.start
            before = latest.get(agent) if agent is not None else None
            # Agents also start actions that they do not attend to.
            if before is not None and start < before.until and before.start < piece.until:
                raise ScheduleRefusedError(f"{agent} cannot attend to {before.action} and {piece.action} at {start}")
            latest[agent] = piece
            for name, use in self.modes[piece.action][piece.mode][0].items():
                used[name].append((piece, use))
        for row in self.problem["resources"]:
            resource = _object("resource", row, capacity=1, state=None)
            self.resource(resource["name"], resource["capacity"], resource["state"], used[resource["name"]])
        end = max((piece.end for piece in self.pieces), default=0)
        if self.problem["time_limit"] is not None and end > self.problem["time_limit"]:
            raise ScheduleRefusedError(f"the schedule ends at {end}, after the time limit")
        return end

    def check_action(self, name: str, pieces: list[_Piece]) -> None:
        """Check the total duration of an action, and its pieces if it can be interrupted."""
        action = self.actions[name]
        if not pieces or sum(piece.end - piece.start for piece in pieces) != action["duration"]:
            raise ScheduleRefusedError(f"the pieces of {name} must take {action['duration']} in total")
        if len(pieces) > 1 and not action["interruptible"]:
            raise ScheduleRefusedError(f"{name} has {len(pieces)} pieces, but cannot be interrupted")
        for before, piece in pairwise(pieces):
            if piece.start < before.end or piece.mode != before.mode:
                raise ScheduleRefusedError(f"pieces of {name} overlap or have different modes")

    def in_time(self) -> None:
        """Check all time lags from the end of an action to the start and each resumption of another."""
        lags = [*self.lags]
        for name, pieces in self.runs.items():
            lags += [(before, name, 0, None) for before in self.modes[name][pieces[0].mode][1]]
        for before, after, min_lag, max_lag in lags:
            finish = self.runs[before][-1].end
            first, last = self.runs[after][0], self.runs[after][-1]
            if min_lag is not None and first.start - finish < min_lag:
                raise ScheduleRefusedError(f"{after} starts less than {min_lag} after the end of {before}")
            if max_lag is not None and last.start - finish > max_lag:
                raise ScheduleRefusedError(f"{after} starts or resumes more than {max_lag} after the end of {before}")

    def resource(self, name: str, capacity: int, initial: str | None, uses: list[tuple[_Piece, _Use]]) -> None:
        """Check that simultaneous uses fit into the capacity and meet the states that they require."""
        times = _SettingTimes(initial)
        lenders: dict[tuple[int, int, bool], int] = {}  # maximum units by interval and attendance
        for piece, use in uses:
            action = self.actions[piece.action]
            if use.sets is not None:
                times.add(use.sets, piece.start)
            elif not action["interruptible"]:
                key = piece.start, piece.end, action["attended"] > 0
                lenders[key] = max(lenders.get(key, 0), use.amount)

        def is_lent(piece: _Piece, use: _Use) -> bool:
            """Return whether a setting shares the interval and the units of a use."""
            accepted = {False, self.actions[piece.action]["attended"] > 0}
            return any(lenders.get((piece.start, piece.end, attended), -1) >= use.amount for attended in accepted)

        loads: list[tuple[int, int, int]] = []
        # Settings of one state over one interval share units: the largest counts.
        shared: dict[tuple[int, int, str], int] = {}
        for piece, use in uses:
            if use.requires is not None and not times.meets(piece, use, use.requires):
                raise ScheduleRefusedError(f"{piece.action} requires {name} to be {use.requires}")
            if use.sets is None:
                loads.append((piece.start, piece.end, use.amount))
            elif not (is_lent(piece, use) and times.meets(piece, use, use.sets)):
                interval = piece.start, piece.end, use.sets
                shared[interval] = max(shared.get(interval, 0), use.amount)
        loads += [(start, end, amount) for (start, end, _), amount in shared.items()]
        _check_capacity(name, capacity, loads)


class _SettingTimes:
    """Start times of the settings of a resource, added in order; ``initial`` is its state at first."""

    def __init__(self, initial: str | None) -> None:
        self.initial = initial
        self.starts: list[int] = []
        self.by_state = defaultdict[str, list[int]](list)

    def add(self, state: str, start: int) -> None:
        """Add a setting."""
        self.starts.append(start)
        self.by_state[state].append(start)

    def count_rivals(self, state: str, begin: int, end: int) -> int:
        """Return the number of settings of other states that start in ``[begin, end)``."""
        return _count_between(self.starts, begin, end) - _count_between(self.by_state[state], begin, end)

    def meets(self, piece: _Piece, use: _Use, state: str) -> bool:
        """Return whether a use meets one state only: set before it, and by no other setting while it runs."""
        position = bisect_left(self.starts, piece.start)
        if position:
            is_met = not self.count_rivals(state, self.starts[position - 1], piece.start)
        else:
            is_met = self.initial == state
        sets_rival_state = use.sets not in (None, state)
        end = max(piece.end, piece.start + 1)
        return is_met and self.count_rivals(state, piece.start, end) == sets_rival_state


def _count_between(times: list[int], begin: int, end: int) -> int:
    return bisect_left(times, end) - bisect_left(times, begin)


def _check_capacity(name: str, capacity: int, loads: list[tuple[int, int, int]]) -> None:
    """Check that loads, as (start, end, amount), never exceed a capacity."""
    changes: list[tuple[int, int]] = []
    for start, end, amount in loads:
        if start < end:
            changes += [(start, amount), (end, -amount)]
    load = 0
    for moment, change in sorted(changes):  # ends before starts
        load += change
        if load > capacity:
            raise ScheduleRefusedError(f"{load} units of {name} are in use at {moment}; its capacity is {capacity}")


def _is_number(value: Any) -> bool:
    return type(value) is int and abs(value) <= MAX_NUMBER


if __name__ == "__main__":
    try:
        files = [json.loads(open(name, "rb").read(MAX_BYTES)) for name in sys.argv[1:]]  # noqa: SIM115
        print(f"There is a schedule of {files[0]['name']} of {check(*files)} ticks.")
    except (ScheduleRefusedError, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        sys.exit(f"refused: {error}\nusage: python schedule_checker.py problem.json proof.json")
