"""Replays of ParaCook's abstract part: every decision gives an agent its next task."""

from __future__ import annotations

import json
from dataclasses import replace

from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.language import lists_of
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, list_agents
from planoracle.instances.benchmarks.paracook_abstract.rules import (
    ListSimulator,
    ListVariant,
    Place,
    assess,
    command_text,
)
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol.decision_points import DecisionPoint
from planoracle.instances.protocol.plan import DroppedCommand, Plan, Target, Targets
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun
from planoracle.instances.protocol.simulator import Step

#: Names of the tasks of every agent, as submitted.
Lists = list[list[object]]


class ParaCookRun(ScheduleRun[Lists, Profile]):
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
        assessment = assess(problem, plan.commands, rules, self.record)
        self._order, self._strict, verdict = assessment
        self.crash = self.record.crash[0]
        self.loophole = ""
        if not verdict.violations:
            loopholes = {"lists" if violation.kind == "too_many_lists" else "repeats" for violation in self._strict}
            self.loophole = " and ".join(sorted(loopholes, reverse=True))
        super().__init__(problem, plan, rules, verdict)

    # Decisions

    def compute_path(self) -> DecisionPath:
        """Return the steps and points of the tasks in order of starts, up to the first violation."""
        points = [DecisionPoint(self.problem)]
        steps = list[Step]()
        variant = ListVariant()
        seen: set[str] = set()
        spare = self._left_out() if self.success else []
        for position, place in enumerate(self._order):
            point = points[-1]
            entry = self._entries.get(place)
            if entry is None or self._is_refused(position):
                start = point.state.clock if entry is None else entry.start
                lost = self._lost_step(position, place, start)
                return DecisionPath((*points, point), (*steps, lost), len(steps))
            agent = self._agents[place[0]]
            if agent not in point.instance.agents:
                variant = variant._replace(agents=sum(map(bool, self.plan.commands)))
            is_useful = entry.task not in seen
            if not is_useful and spare:
                variant = variant._replace(dropped=(*variant.dropped, spare.pop()))
            seen.add(entry.task)
            task = by_name(self.problem)[entry.task]
            piece = Piece(task.id, entry.start, entry.end - entry.start, agent)
            variant, point = self.simulator.assigned(point, variant, piece, is_useful=is_useful)
            words = self._words(place)
            steps.append(Step(position, words, "act", entry.start, entry.end))
            points.append(point)
        return DecisionPath(tuple(points), tuple(steps), len(steps))

    def _is_refused(self, position: int) -> bool:
        """Return True for commands from the fatal violation on."""
        fatal = self.verdict.fatal
        return fatal is not None and fatal.position is not None and position >= fatal.position

    def _lost_step(self, position: int, place: Place, start: int) -> Step:
        """Return the step of a command that is not carried out, with the fatal violation if it is the first."""
        fatal = self.verdict.fatal
        violation = fatal if fatal is not None and position == fatal.position else None
        return Step(position, self._words(place), "lost", start, start, violation)

    def _words(self, place: Place) -> str:
        """Return the command at a place of the lists."""
        number, index = place
        return command_text(self._agents[number], self.plan.commands[number][index])

    def _left_out(self) -> list[str]:
        """Return the tasks that a passing plan omits, in topological order."""
        missing = {violation.subject for violation in self._strict if violation.kind == "missing_task"}
        ordered_ids = (self.problem.actions[position].id for position in self.problem.order)
        return [action for action in ordered_ids if action in missing]

    def completed(self, count: int, remaining: Schedule) -> tuple[str, Replay]:
        """Return the lists up to a step, followed by those of the remaining tasks."""
        point = self.points[count]
        pieces = (*point.state.pieces, *remaining.pieces)
        # The released rules allow more lists than agents.
        lists = lists_of(replace(self.problem, agents=point.instance.agents), pieces)
        plan = Plan(lists, lists)
        return json.dumps(lists), replay(self.problem, plan, self.rules).verdict

    @property
    def command_texts(self) -> list[str]:
        """The commands in order."""
        return [self._words(place) for place in self._order]

    def targets(self) -> Targets:
        """Return every task at its start; tasks never executed follow one another without waits."""
        clocks = [0] * len(self.plan.commands)
        targets: list[Target] = []
        dropped: list[DroppedCommand] = []
        tasks = by_name(self.problem)
        seen: set[str] = set()
        for position, place in enumerate(self._order):
            number, index = place
            name = self.plan.commands[number][index]
            words = self._words(place)
            if not isinstance(name, str) or name not in tasks:
                dropped.append(DroppedCommand(position, words, "there is no such task"))
                continue
            entry = self._entries.get(place)
            start = clocks[number] if entry is None else entry.start
            clocks[number] = start + tasks[name].duration
            if name in seen:
                dropped.append(DroppedCommand(position, words, "repeats a completed task"))
                continue
            seen.add(name)
            agent = self._agents[number]
            known_agent = agent if agent in self.problem.agents else None
            piece = Piece(tasks[name].id, start, tasks[name].duration, known_agent)
            targets.append(Target(position, words, piece))
        return Targets(self.problem, tuple(targets), tuple(dropped))


#: Functions of the part ``runs``.
simulator, replay = ListSimulator, ParaCookRun
