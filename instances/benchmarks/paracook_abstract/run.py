"""Runs of ParaCook's abstract part: every decision gives an agent its next task."""

from __future__ import annotations

import json

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.language import lists_of
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, list_agents
from planoracle.instances.benchmarks.paracook_abstract.rules import (
    ListSimulator,
    ListVariant,
    assess,
    command_text,
)
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets
from planoracle.instances.protocol.trajectory import Move, Trajectory

#: Names of the tasks of every agent, as submitted.
Lists = list[list[object]]


class ParaCookRun(Trajectory[Lists, Profile]):
    """Run of task lists. Commands are in order of starts; tasks never executed come last.

    Attributes
    ----------
    record
        Execution of the lists.
    crash
        Exception with which the released code stops, or ``""``.
    loophole
        Gap of the released rules by which an incomplete plan passes: ``repeats``, ``lists`` or both; else ``""``.
    """

    simulator: ListSimulator

    def __init__(self, problem: Instance, plan: Plan[Lists], rules: Profile) -> None:
        self.simulator = ListSimulator(problem, rules)
        self.record = self.simulator.carry_out(plan.commands)
        self._agents = list_agents(problem, plan.commands)
        self._entries = {entry.place: entry for entry in self.record.entries}
        self._order, self._strict, verdict = assess(problem, plan.commands, rules, self.record)
        self.crash = self.record.crash[0]
        self.loophole = ""
        if not verdict.violations:
            loopholes = {"lists" if violation.kind == "too_many_lists" else "repeats" for violation in self._strict}
            self.loophole = " and ".join(sorted(loopholes, reverse=True))
        super().__init__(problem, plan, rules, verdict)

    # Decisions

    def _walk(self) -> tuple[list[Move], int]:
        moves: list[Move] = []
        point, variant = self.begin, ListVariant()
        fatal = self.verdict.fatal
        seen: set[str] = set()
        spare = self._left_out() if self.success else []
        for position, place in enumerate(self._order):
            entry = self._entries.get(place)
            agent = self._agents[place[0]]
            words = command_text(agent, self.plan.commands[place[0]][place[1]])
            if entry is None or (fatal is not None and fatal.position is not None and position >= fatal.position):
                at = point.state.clock if entry is None else entry.start
                fault = fatal if fatal is not None and position == fatal.position else None
                lost = Move(position, words, "lost", at, at, fault, after=point)
                return [*moves, lost], len(moves)
            before = point.instance
            if agent not in before.agents:
                variant = variant._replace(agents=sum(map(bool, self.plan.commands)))
            useful = entry.task not in seen
            if not useful and spare:
                variant = variant._replace(dropped=(*variant.dropped, spare.pop()))
            seen.add(entry.task)
            task = by_name(self.problem)[entry.task]
            piece = Piece(task.id, entry.start, entry.end - entry.start, agent)
            variant, point = self.simulator.assigned(point, variant, piece, useful=useful)
            same = point.instance is before
            moves.append(Move(position, words, "act", entry.start, entry.end, after=point, restricts=same))
        return moves, len(moves)

    def _left_out(self) -> list[str]:
        """Return the tasks that a passing plan omits, in topological order."""
        missing = {violation.subject for violation in self._strict if violation.kind == "missing_task"}
        ordered_ids = (self.problem.actions[position].id for position in self.problem.order)
        return [action for action in ordered_ids if action in missing]

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the lists up to a step, followed by those of the remaining tasks."""
        lists = lists_of(self.problem, (*self.points[count].state.pieces, *remaining.pieces))
        return json.dumps(lists), replay(self.problem, Plan(lists, lists), self.rules).verdict

    @property
    def command_texts(self) -> list[str]:
        """The commands in order."""
        return [command_text(self._agents[n], self.plan.commands[n][k]) for n, k in self._order]

    def targets(self) -> Targets:
        """Return every task at its start; tasks never executed follow one another without waits."""
        clocks = [0] * len(self.plan.commands)
        targets: list[Target] = []
        dropped: list[DroppedCommand] = []
        tasks = by_name(self.problem)
        seen: set[str] = set()
        for position, (number, k) in enumerate(self._order):
            name = self.plan.commands[number][k]
            words = command_text(self._agents[number], name)
            if not isinstance(name, str) or name not in tasks:
                dropped.append(DroppedCommand(position, words, "there is no such task"))
                continue
            entry = self._entries.get((number, k))
            start = clocks[number] if entry is None else entry.start
            clocks[number] = start + tasks[name].duration
            if name in seen:
                dropped.append(DroppedCommand(position, words, "repeats a completed task"))
                continue
            seen.add(name)
            agent = self._agents[number] if self._agents[number] in self.problem.agents else None
            piece = Piece(tasks[name].id, start, tasks[name].duration, agent)
            targets.append(Target(position, words, piece))
        return Targets(self.problem, tuple(targets), tuple(dropped))


#: Functions of the part ``runs``.
simulator, replay = ListSimulator, ParaCookRun
