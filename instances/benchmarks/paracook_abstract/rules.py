"""Rules of ParaCook's abstract part: execution of task lists and their violations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import NamedTuple

from planoracle.instances.benchmarks.paracook.rules import CHOICES as CHOICES
from planoracle.instances.benchmarks.paracook.rules import PROFILES as PROFILES
from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.problems import agent_names, by_name, name_of
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import gaps
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.violations import Other, Replay, ReplayEvent, Violation
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.simulator import CLOSE, LatePoint, LegalCommand, ScheduleSimulator, Step, Unreadable

#: Maximum number of refused commands; the next refusal ends the run.
MAX_REFUSALS = 10

#: Task of the actions that stand for idle times.
IDLE = "idle"
# Maximum number of waits; each is an action of all later decision points.
_MAX_IDLE = 500
# Maximum number of stored variants of a problem.
_MAX_VARIANTS = 1_000

#: A task of a plan: the number of its list and its place there, both from 0.
Place = tuple[int, int]


class ExecutedTask(NamedTuple):
    """Executed task, with times in ticks."""

    task: str
    place: Place
    start: int
    end: int


class PlanRecord(NamedTuple):
    """Execution of a plan.

    Attributes
    ----------
    entries
        Executed tasks, in the order in which they were tried.
    stuck
        Places at which lists wait for tasks that are never executed.
    crash
        Exception with which the released code stops at an unknown name, and its place; else ``("", None)``.
    """

    entries: tuple[ExecutedTask, ...]
    stuck: tuple[Place, ...] = ()
    crash: tuple[str, Place | None] = ("", None)

    @property
    def time(self) -> int:
        """The largest clock of an agent."""
        return max((entry.end for entry in self.entries), default=0)

    @property
    def pairs(self) -> int:
        """Number of distinct pairs of task and end, which the released code counts."""
        return len({(entry.task, entry.end) for entry in self.entries})


class Assignment(NamedTuple):
    """Command: the next task of an agent, by number from 0; ``None`` if the message names no agent."""

    agent: int | None
    task: object


@dataclass(slots=True)
class ListState:
    """State of the execution of lists.

    Attributes
    ----------
    lists
        Tasks given so far, by agent.
    entries
        Executed tasks in order of execution.
    ends
        Latest end of every task.
    clocks
        When each agent is free.
    refused
        Number of refused commands.
    closed
        True if the agent gave up.
    point
        Decision point of a live run, computed on demand.
    """

    lists: list[list[object]]
    entries: list[ExecutedTask]
    ends: dict[str, int]
    clocks: list[int]
    point: DecisionPoint | LatePoint
    refused: int = 0
    closed: bool = False


class ListVariant(NamedTuple):
    """Changes of a problem by decisions: idle times, tasks that became unnecessary, number of agents."""

    idle: tuple[int, ...] = ()
    dropped: tuple[str, ...] = ()
    agents: int = 0


class ListSimulator(ScheduleSimulator[ListState, Assignment | Unreadable | str]):
    """Simulator of task lists.

    A task is ready if all its predecessors have been executed, by any agent. It starts when its agent is free and the
    minimum lags from the latest executions of its predecessors are over.

    The remaining time depends only on the lists so far, since nothing can be inserted before an assigned task. An agent
    that waits is therefore idle for that time; decision points represent idle times as additional actions.
    """

    def __init__(self, problem: Instance, rules: Profile) -> None:
        self.problem = problem
        self.rules = rules
        self._tasks = by_name(problem)
        self._waits = _waits(problem)
        self._variants: dict[ListVariant, Instance] = {ListVariant(): problem}

    def initial(self) -> ListState:
        """Return the state in which no agent has a task."""
        return self._empty(len(self.problem.agents))

    def _empty(self, lists: int) -> ListState:
        empty_lists: list[list[object]] = [[] for _ in range(lists)]
        return ListState(empty_lists, [], {}, [0] * lists, DecisionPoint(self.problem))

    def copy(self, state: ListState) -> ListState:
        """Return an independent state."""
        lists = [tasks[:] for tasks in state.lists]
        ends = dict(state.ends)
        clocks = state.clocks[:]
        return replace(state, lists=lists, entries=state.entries[:], ends=ends, clocks=clocks)

    def apply(
        self, state: ListState, command: Assignment | Unreadable | str, *, force: bool = False
    ) -> tuple[ListState, tuple[Step, ...]]:
        """Return the state after an assignment; ``force`` skips checks, for lists that repeat tasks."""
        count = len(state.entries)
        clock = self.clock(state)
        if isinstance(command, Unreadable):
            state.refused += 1
            fault = Violation(None, "unreadable", command.text[:200])
            text = command.text[:200]
            return state, (Step(count, text, "lost", clock, clock, fault),)
        if not isinstance(command, Assignment):
            state.closed = True
            return state, (Step(count, CLOSE, "close", clock, clock),)
        number, task = command.agent or 0, command.task
        words = command_text(f"agent{number + 1}", task)
        violation = None if force else self._fault(state, command)
        if violation is not None:
            state.refused += 1
            return state, (Step(count, words, "lost", clock, clock, violation),)
        assert isinstance(task, str)
        since = state.clocks[number]
        start = self._earliest_start(state.ends, task, since)
        state.clocks[number] = end = start + self._tasks[task].duration
        agents = self.problem.agents
        piece = None if force else Piece(self._tasks[task].id, start, end - start, agents[number])
        step = Step(count, words, "act", start, end, piece=piece)
        if piece is not None:
            state.point = LatePoint(state.point, step)
        state.ends[task] = max(state.ends.get(task, 0), end)
        tasks = state.lists[number]
        place = number, len(tasks)
        state.entries.append(ExecutedTask(task, place, start, end))
        tasks.append(task)
        return state, (step,)

    def point(self, state: ListState) -> DecisionPoint:
        """Return the point after the assignments of a live run."""
        point = state.point = self.computed(state.point)
        return point

    def after_piece(self, point: DecisionPoint, piece: Piece) -> DecisionPoint:
        """Return the point after a task was assigned to an agent."""
        idle = [action.duration for action in point.instance.actions if action.task == IDLE]
        _, after = self.assigned(point, ListVariant(tuple(idle)), piece)
        return after

    def assigned(
        self, point: DecisionPoint, variant: ListVariant, piece: Piece, *, is_useful: bool = True
    ) -> tuple[ListVariant, DecisionPoint]:
        """Return the variant of the problem and the point after an assignment; a useless task only takes time."""
        pieces = point.state.pieces
        ends = [earlier.end for earlier in pieces if earlier.agent == piece.agent]
        since = max(ends, default=0)
        busy_from = piece.start if is_useful else piece.end
        if busy_from > since:
            variant = variant._replace(idle=(*variant.idle, busy_from - since))
            idle_name = f"{IDLE}/{len(variant.idle)}"
            pieces = (*pieces, Piece(idle_name, since, busy_from - since, piece.agent))
        if is_useful:
            pieces = (*pieces, piece)
        instance = self.variant(variant)
        clock = min(_free_times(instance, pieces).values())
        reached = max(point.reached, piece.end)
        grid = gcd(point.grid, since, busy_from, piece.end, clock)
        return variant, DecisionPoint(instance, PartialSchedule(pieces, clock), reached=reached, grid=grid)

    def choices(self, point: DecisionPoint, step: int, state: ListState | None = None) -> Iterator[LegalCommand]:
        """Yield every task with assigned predecessors, for every agent; there is no command to wait."""
        tasks = [piece for piece in point.state.pieces if piece.action in self.problem.by_id]
        ends = {name_of(piece.action): piece.end for piece in tasks}
        free_times = _free_times(point.instance, point.state.pieces)
        for name, action in self._tasks.items():
            if name in ends or action.id not in point.instance.by_id or not self._is_ready(ends, name):
                continue
            for agent in self.problem.agents:
                start = self._earliest_start(ends, name, free_times[agent])
                piece = Piece(action.id, start, action.duration, agent)
                yield LegalCommand(command_text(agent, name), "act", piece)

    def variant(self, variant: ListVariant) -> Instance:
        """Return the problem as decisions have changed it.

        Raises
        ------
        PlanError
            If there are far too many idle times.
        """
        if variant in self._variants:
            return self._variants[variant]
        if len(variant.idle) > _MAX_IDLE:
            raise PlanError(f"has more than {_MAX_IDLE} waits and repeated tasks", field="plan")
        if len(self._variants) > _MAX_VARIANTS:
            self._variants.clear()
        dropped = set(variant.dropped)
        idle = []
        for number, ticks in enumerate(variant.idle, 1):
            idle.append(Action(f"{IDLE}/{number}", IDLE, ticks, ticks))
        remaining = [action for action in self.problem.actions if action.id not in dropped]
        lags = [lag for lag in self.problem.lags if dropped.isdisjoint((lag.before, lag.after))]
        number_of_agents = max(variant.agents, len(self.problem.agents))
        instance = self._variants[variant] = replace(
            self.problem,
            actions=(*remaining, *idle),
            lags=tuple(lags),
            agents=agent_names(number_of_agents),
            benchmark="generic",
        )
        return instance

    def commands(self, point: DecisionPoint, remaining: Schedule) -> list[str]:
        """Return a command for every task, in the order in which they begin."""
        pieces = remaining.pieces
        return [command_text(str(piece.agent), name_of(piece.action)) for piece in pieces]

    def success(self, state: ListState) -> bool:
        """Return True if all tasks have been executed as the rules demand."""
        is_complete = len(state.entries) == len(self.problem.actions)
        return is_complete and self.verdict(state).success

    def _fault(self, state: ListState, command: Assignment) -> Violation | None:
        """Return the violation of an assignment in a live run."""
        number, task = command.agent, command.task
        number_of_agents = len(self.problem.agents)
        position = len(state.entries)
        if not isinstance(task, str) or task not in self._tasks:
            return Violation(position, "unknown_task", str(task))
        name = self._tasks[task].id
        if number is None and number_of_agents > 1:
            return Violation(position, "no_agent", name)
        if not 0 <= (number or 0) < number_of_agents:
            return Violation(position, "too_many_lists", name, "no_such_agent", required=number_of_agents)
        if task in state.ends:
            return Violation(position, "repeated_task", name, "given_already")
        open_tasks = [predecessor for predecessor, _ in self._waits[task] if predecessor not in state.ends]
        if not open_tasks:
            return None
        prerequisites = tuple(Other(self._tasks[predecessor].id) for predecessor in open_tasks)
        return Violation(position, "never_ready", name, "not_ready", others=prerequisites)

    def _is_ready(self, ends: Mapping[str, int], task: str) -> bool:
        """Return True if all predecessors of a task have an end."""
        return all(predecessor in ends for predecessor, _ in self._waits[task])

    def _earliest_start(self, ends: Mapping[str, int], task: str, since: int) -> int:
        """Return the earliest start of a task by an agent that is free from a time on."""
        earliest_starts = [ends[predecessor] + min_lag for predecessor, min_lag in self._waits[task]]
        return max([since, *earliest_starts])

    def ended(self, state: ListState) -> str | None:
        """Return why the run has ended."""
        if state.closed:
            return "finished"
        if len(state.entries) == len(self.problem.actions):
            return "completed"
        return "too_many_refusals" if state.refused > MAX_REFUSALS else None

    def clock(self, state: ListState) -> int:
        """Return when the first agent is free."""
        return min(state.clocks)

    def legal(self, state: ListState) -> list[LegalCommand]:
        """Return every task that is ready, for every agent; `CLOSE` if there is none."""
        unassigned = [name for name in self._tasks if name not in state.ends]
        ready = [name for name in unassigned if self._is_ready(state.ends, name)]
        commands: list[LegalCommand] = []
        for name in ready:
            commands += [LegalCommand(command_text(agent, name), "act") for agent in self.problem.agents]
        return commands or [LegalCommand(CLOSE, "close")]

    def verdict(self, state: ListState) -> Replay:
        """Return the verdict on the lists so far."""
        record = self.carry_out(state.lists)
        return assess(self.problem, state.lists, self.rules, record).verdict

    def carry_out(self, lists: Sequence[Sequence[object]]) -> PlanRecord:
        """Execute lists of tasks: they are tried in turn, one task per try, until a round executes nothing.

        >>> from planoracle.instances.benchmarks.paracook_abstract.problems import instance
        >>> two = instance("two", [("fry", 3, {}), ("cut", 2, {}), ("serve", 1, {"fry": 10})], 2)
        >>> simulator = ListSimulator(two, PROFILES["paper"])
        >>> simulator.carry_out([["cut"], ["fry", "serve"]]).entries[-1]
        ExecutedTask(task='serve', place=(1, 1), start=13, end=14)
        >>> simulator.carry_out([["serve", "fry"], ["cut"]]).stuck, simulator.carry_out([["stir"]]).crash
        (((0, 0),), ('KeyError', (0, 0)))
        """
        state = self._empty(len(lists))
        open_lists = [number for number, tasks in enumerate(lists) if tasks]
        while open_lists:
            before = len(state.entries)
            for number in open_lists:
                place = number, len(state.lists[number])
                task = lists[number][place[1]]
                if not isinstance(task, str) or task not in self._tasks:
                    return PlanRecord(tuple(state.entries), (), (_exception(task), place))
                if self._is_ready(state.ends, task):
                    state, _ = self.apply(state, Assignment(number, task), force=True)
            open_lists = [number for number in open_lists if len(state.lists[number]) < len(lists[number])]
            if len(state.entries) == before:
                break
        stuck = tuple((number, len(state.lists[number])) for number in open_lists)
        return PlanRecord(tuple(state.entries), stuck)


def _free_times(instance: Instance, pieces: Sequence[Piece]) -> dict[str, int]:
    """Return the time from which each agent is free."""
    free_times = dict.fromkeys(instance.agents, 0)
    for piece in pieces:
        agent = str(piece.agent)
        free_times[agent] = max(free_times[agent], piece.end)
    return free_times


def command_text(agent: str, task: object) -> str:
    """Write a command of a live run.

    >>> command_text("agent2", "subtask7")
    'agent2: subtask7'
    """
    name = task if isinstance(task, str) else json.dumps(task)
    return f"{agent}: {name}"[:200]


def _waits(problem: Instance) -> dict[str, list[tuple[str, int]]]:
    waits: dict[str, list[tuple[str, int]]] = {name: [] for name in by_name(problem)}
    for lag in problem.lags:
        predecessor = name_of(lag.before), lag.minimum or 0
        waits[name_of(lag.after)].append(predecessor)
    return waits


def _exception(name: object) -> str:
    """Return the exception of a dictionary lookup with an unknown key."""
    try:
        hash(name)
    except TypeError:
        return "TypeError"
    return "KeyError"


class Assessment(NamedTuple):
    """Verdict on lists: order of their commands, violations of the strict rules, and result."""

    order: list[Place]
    strict: list[Violation]
    verdict: Replay


def assess(problem: Instance, lists: Sequence[Sequence[object]], rules: Profile, record: PlanRecord) -> Assessment:
    """Return the verdict on executed lists; commands in order of starts, then those never executed."""
    tried = sorted(record.entries, key=lambda entry: entry.start)  # at equal times as tried
    order = _command_order(tried, lists)
    positions = {place: position for position, place in enumerate(order)}
    strict = _strict_violations(problem, lists, record, positions)
    violations = tuple(_counted_violations(problem, record, strict, rules))
    return Assessment(order, strict, _verdict(problem, tried, violations))


def _command_order(tried: Sequence[ExecutedTask], lists: Sequence[Sequence[object]]) -> list[Place]:
    """Return the places of executed tasks, then those of the others."""
    order = [entry.place for entry in tried]
    done_places = set(order)
    for number, tasks in enumerate(lists):
        places = ((number, position) for position in range(len(tasks)))
        order += [place for place in places if place not in done_places]
    return order


def _verdict(problem: Instance, tried: Sequence[ExecutedTask], violations: tuple[Violation, ...]) -> Replay:
    """Return the verdict on executed tasks; they count up to the first violation."""
    fatal = violations[0] if violations else None
    stop = len(tried)
    if fatal is not None and fatal.position is not None:
        stop = min(fatal.position, stop)
    counted = tried[:stop]
    done = {entry.task for entry in counted}
    remaining = {}
    if fatal:
        missing = [action for name, action in by_name(problem).items() if name not in done]
        remaining = {action.id: action.duration for action in missing}
    busy = [(entry.start, entry.end) for entry in tried]
    idle = gaps(busy, max((end for _, end in busy), default=0))
    ends = [entry.end for entry in counted]
    return Replay(
        events=tuple(_events(problem, tried, stop)),
        violations=violations,
        fatal=fatal,
        executed=stop,
        progress=len(done) / len(problem.actions) if fatal else 1.0,
        goal_ratio=float(fatal is None),
        success=fatal is None,
        makespan=max(ends, default=0),
        remaining=remaining,
        idle=idle,
    )


def _events(problem: Instance, entries: Sequence[ExecutedTask], stop: int) -> Iterator[ReplayEvent]:
    done: set[str] = set()
    for position, entry in enumerate(entries[: stop + 1]):
        if position < stop:
            done.add(entry.task)
        share = len(done) / len(problem.actions)
        action = by_name(problem)[entry.task]
        is_accepted = position < stop
        yield ReplayEvent(position, action.id, entry.start, entry.end, is_accepted, share)


def _counted_violations(
    problem: Instance, record: PlanRecord, strict: Sequence[Violation], rules: Profile
) -> list[Violation]:
    """Return the violations that count by the rules; none if the rules accept the plan."""
    counted = [violation for violation in strict if rules.lists == "agents" or violation.kind != "too_many_lists"]
    if rules.repeats == "counted" and not record.crash[0] and record.pairs == len(problem.actions):
        return [violation for violation in counted if violation.kind == "too_many_lists"]
    return counted


def _strict_violations(
    problem: Instance, lists: Sequence[Sequence[object]], record: PlanRecord, order: Mapping[Place, int]
) -> list[Violation]:
    """Return all violations of the strict rules, in the order of the plan's commands."""
    in_lists = _in_lists(problem, lists, record, order)
    violations = [*in_lists, *_too_many(problem, lists, order)]
    return sorted(violations, key=lambda violation: (violation.position is None, violation.position or 0))


def _in_lists(
    problem: Instance, lists: Sequence[Sequence[object]], record: PlanRecord, order: Mapping[Place, int]
) -> Iterator[Violation]:
    tasks, waits = by_name(problem), _waits(problem)
    entries = {entry.place: entry for entry in record.entries}
    done = {entry.task for entry in record.entries}
    first: dict[str, int] = {}
    for place in sorted(order, key=order.__getitem__):
        number, index = place
        position = order[place]
        task = lists[number][index]
        entry = entries.get(place)
        times = (None, None) if entry is None else (entry.start, entry.end)
        if not isinstance(task, str) or task not in tasks:
            yield Violation(position, "unknown_task", str(task), "", *times)
        elif task in first:
            yield Violation(position, "repeated_task", tasks[task].id, "", *times)
        else:
            first[task] = position
            if place in record.stuck:
                open_tasks = [predecessor for predecessor, _ in waits[task] if predecessor not in done]
                following = lists[number][index + 1 :]
                later_tasks = {later for later in following if isinstance(later, str)}
                case = "" if later_tasks.isdisjoint(open_tasks) else "own_list"
                prerequisites = tuple(Other(tasks[name].id) for name in open_tasks[:8])
                yield Violation(position, "never_ready", tasks[task].id, case, others=prerequisites)
    for name, action in tasks.items():
        if name not in first:
            yield Violation(None, "missing_task", action.id, required=action.duration, actual=0)


def _too_many(problem: Instance, lists: Sequence[Sequence[object]], order: Mapping[Place, int]) -> Iterator[Violation]:
    full = [number for number, tasks in enumerate(lists) if tasks]
    max_lists = len(problem.agents)
    if len(full) > max_lists:
        excess = full[max_lists:]
        position, number = min((order[number, 0], number) for number in excess)
        task = str(lists[number][0])[:80]
        yield Violation(position, "too_many_lists", task, required=max_lists, actual=len(full))
