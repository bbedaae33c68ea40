"""The CP-SAT interval model of an instance.

Times are in steps of ``step`` ticks. An action that cannot be interrupted is one interval; an
interruptible one is a chain of intervals of one step each, which proves optimality far sooner than a few
intervals of variable length. Consecutive pieces that touch count as one run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise

from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.working_times import worked_pieces
from planoracle.solver.exact.bounds import Windows, shortest_duration, urgent
from planoracle.solver.exact.cp_model import CpModel, negated
from planoracle.solver.exact.model_of_agents import add_agents, add_starts
from planoracle.solver.exact.model_of_loads import add_loads
from planoracle.solver.exact.model_of_times import add_time_constraints
from planoracle.solver.exact.model_of_transitions import add_transitions
from planoracle.solver.exact.model_solutions import pieces_of_solution, values_of_schedule
from planoracle.solver.exact.precedence import closure
from planoracle.solver.exact.resources import (
    ResourceConstraints,
)
from planoracle.solver.exact.segments import Segment, Version, VersionGroup, literals, negations, version_groups
from planoracle.solver.exact.symmetry import exchangeable


class ScheduleModel:
    """Variables and constraints for one instance.

    Parameters
    ----------
    bounds
        Earliest starts and tails in ticks.
    step
        Ticks per step of the model; must divide all times (but the time limit).
    min_makespan, max_makespan
        Domain of the makespan, in ticks.
    relaxed
        A relaxation of the same problem in continuous time, see ``solver/exact/README.md``. With one agent, one step of
        every interruptible action that is bound by a maximum lag may need no agent, if it starts at the last moment
        that the lag allows; with several, interruptible actions are unattended.
    ordering
        Add the order of every pair of actions that cannot overlap, by a literal where it is open. Redundant; slows down
        small proofs and makes large ones possible.
    loads
        State that the work of every resource and crew fits before the end. Redundant; helps where modes are chosen.
    fixed_pieces
        Number of pieces of a state of a run that the model can hold, by crew (named by its first agent); see the
        attribute of this name.
    deadline
        Time after which building the model is given up.

    Raises
    ------
    TimeOverError
        After the deadline.
    """

    def __init__(
        self,
        instance: Instance,
        bounds: Windows,
        step: int,
        min_makespan: int,
        max_makespan: int,
        *,
        relaxed: bool = False,
        ordering: bool = False,
        loads: bool = False,
        fixed_pieces: Mapping[str, int] | None = None,
        deadline: Deadline = NO_LIMIT,
    ) -> None:
        self.instance = instance
        self.step = step
        self.model = CpModel(deadline)
        self._last_step = max_makespan // step
        self.makespan = self.model.integer(-(-min_makespan // step), self._last_step)
        #: By action what it may be in the schedule.
        self.versions: list[list[Version]] = []
        #: By action the segments of all versions.
        self.segments: list[list[Segment]] = []
        #: By action the literals of its modes.
        self.modes: list[list[int | None]] = []
        #: By task the literal that it is executed, of optional tasks.
        self.executed = {task: self.model.boolean() for task in instance.weights}
        #: By action the literal that it is executed, ``None`` if it always is.
        self.present = [self.executed.get(action.task) for action in instance.actions]
        self._relaxed = relaxed and len(instance.agents) == 1
        self._unheld = relaxed and len(instance.agents) > 1
        #: Parts that must go on from the one before them if a literal holds, and are new starts otherwise.
        self.runs: list[tuple[Segment, Segment, int]] = []
        self._heads = [-(-head // step) for head in bounds.head]
        self._tails = [-(-tail // step) for tail in bounds.tail]
        self._shortest = [shortest_duration(action) // step for action in instance.actions]
        self._urgent = urgent(instance, bounds)
        index = instance.index
        self._followed: set[int] = set()
        for lag in instance.lags:
            before, after = index[lag.before], index[lag.after]
            is_void = self.present[after] not in (None, self.present[before])
            if lag.orders and not is_void:
                self._followed.add(before)
        self.model.topics[0] = "steps of interruptible actions, one mode for each action, and the end of all"
        for i, action in enumerate(instance.actions):
            self._add_action(i, action)
        self.model.topics[self.model.constraints] = "time lags"
        self._add_lags()
        self._add_orders(bounds, ordering=ordering)
        #: Interchangeable agents, by crew: within a crew the model counts them and does not distinguish them.
        self.crews = self._crews()
        #: First agent of each agent's crew, which represents it in `Segment.agents`.
        self.head_of: dict[str, str] = {}
        for crew in self.crews:
            self.head_of |= dict.fromkeys(crew, crew[0])
        #: Begins and ends of fixed pieces inside of which their agents start no action: variables by crew, 0 until set.
        self.fixed_pieces: dict[str, list[tuple[int, int]]] = {}
        for head, count in (fixed_pieces or {}).items():
            intervals = self.fixed_pieces[head] = []
            for _ in range(count):
                intervals.append((self.model.integer(0, 0), self.model.integer(0, 0)))
        add_agents(self)
        self._add_starts()
        resources = ResourceConstraints(instance, self.model, self.versions, self.modes, self.is_ordered)
        resources.add()
        #: Uses, settings that may share their room, and the literals that they do.
        self.joins = resources.joins
        if loads:
            add_loads(self)
        add_time_constraints(self)
        #: Which visits may follow each other.
        self.arcs = [*add_transitions(self)]
        self.model.minimize(self.makespan)

    # --- actions and lags ------------------------------------------------------------------------

    def _add_action(self, i: int, action: Action) -> None:
        model = self.model
        groups = version_groups(self.instance, action)
        if len(groups) > 1:
            self._add_modes(i, action)
        versions: list[Version] = []
        for group in groups:
            present = self.present[i]
            if len(groups) > 1:
                present = self._any_of([self.modes[i][number] for number in group.modes])
            versions += self._versions_of(group, present)
        for version in versions:
            start = versions[0].segments[0].start if versions[0].segments else None
            version.segments += self._segments_of(i, action, version, start)
        self.versions.append(versions)
        self.segments.append([*chain.from_iterable(version.segments for version in versions)])
        if len(groups) == 1:
            self._add_modes(i, action)
        if i not in self._followed:  # the others finish before one of these does
            for version in versions:
                last = version.segments[-1]
                variable, behind = last.finish
                model.difference(self.makespan, variable, behind + self._tails[i], *literals(last.present))

    def _add_modes(self, i: int, action: Action) -> None:
        """Add the literals of the modes of an action, of which one holds if it is executed."""
        present = self.present[i]
        if len(action.modes) == 1:
            self.modes.append([present])
            return
        choices = [self.model.boolean() for _ in action.modes]
        self.modes.append([*choices])
        self.model.exactly_one([*choices, *negations(present)])

    def _any_of(self, choices: Sequence[int | None]) -> int:
        """Return a literal that holds if one of the literals of some modes does."""
        mode_literals = [literal for literal in choices if literal is not None]
        if len(mode_literals) == 1:
            return mode_literals[0]
        chosen = self.model.boolean()
        self.model.exactly_one([negated(chosen), *mode_literals])
        return chosen

    def _versions_of(self, group: VersionGroup, present: int | None) -> Iterator[Version]:
        """Yield the versions of a group: one, or one for each set of agents that pause at the same times."""
        if len(group.pausing) <= 1:
            off_times = group.pausing[0].off_times if group.pausing else None
            yield Version(group.duration, group.attended, group.agents, group.modes, present, off_times)
            return
        choices = []
        for crew in group.pausing:
            chosen = self.model.boolean()
            choices.append(chosen)
            yield Version(group.duration, group.attended, crew.agents, group.modes, chosen, crew.off_times)
        self.model.exactly_one([*choices, *negations(present)])

    def _segments_of(self, i: int, action: Action, version: Version, start: int | None) -> list[Segment]:
        """Return new segments of a version of an action: its steps in order if it is interruptible, else one.

        The first one has the start of the other versions, if there are any.
        """
        model = self.model
        length = version.duration // self.step
        head = self._heads[i]
        latest = max(head, self._last_step - self._tails[i] - length)
        if start is None:
            latest_start = max(head, self._last_step - self._tails[i] - self._shortest[i])
            start = model.integer(head, latest_start)
        present = version.present
        if version.off_times is not None:
            segment = Segment(start, length, version.attended // self.step, present)
            segment.end = model.integer(head + length, max(head + length, self._last_step - self._tails[i]))
            segment.length = model.integer(0, self._last_step)
            model.linear([(segment.end, 1), (start, -1), (segment.length, -1)], 0, 0, *literals(present))
            return [segment]
        if not action.interruptible or length <= 1:
            busy = 0 if action.interruptible and self._unheld else version.attended // self.step
            return [Segment(start, length, busy, present)]
        busy = 1 if version.attended and not self._unheld else 0
        starts = [start, *(model.integer(head + k, latest + k) for k in range(1, length))]
        segments = [Segment(begin, 1, busy, present) for begin in starts]
        for segment, successor in pairwise(segments):
            model.difference(successor.start, segment.start, 1, *literals(present))
        return segments

    def _conditions(self, before: int, after: int, last: Segment) -> tuple[int, ...]:
        """Return the literals that hold if the end of this segment of an action bounds another one."""
        if last.present is None and not self.executed:
            return ()
        conditions = (*literals(last.present), *literals(self.present[before]), *literals(self.present[after]))
        return tuple(dict.fromkeys(conditions))

    def _last_segments(self, i: int) -> list[Segment]:
        """Return the last segment of every version of an action."""
        return [version.segments[-1] for version in self.versions[i]]

    def _add_lags(self) -> None:
        model, index = self.model, self.instance.index
        #: By action the ends of its maximum lags: variable, the steps that it reaches behind, and conditions.
        reaches: dict[int, list[tuple[int, int, tuple[int, ...]]]] = {}
        for lag in self.instance.lags:
            before, after = index[lag.before], index[lag.after]
            start = self.segments[after][0].start
            for last in self._last_segments(before):
                end, behind = last.finish
                conditions = self._conditions(before, after, last)
                if lag.minimum is not None:
                    model.difference(start, end, behind + lag.minimum // self.step, *conditions)
                if lag.maximum is None:
                    continue
                reach = behind + lag.maximum // self.step
                model.difference(end, start, -reach, *conditions)
                reaches.setdefault(after, []).append((end, reach, conditions))
                if self._relaxed and self.instance.by_id[lag.after].interruptible:
                    for segment in self.segments[after]:
                        last_moment = model.boolean()
                        model.difference(segment.start, end, reach, last_moment)
                        segment.yielding.append(last_moment)
        for i, ends in reaches.items():
            for segment, successor in self._steps(i):
                in_time = model.boolean()  # the same for all lags, for a run is counted once
                for end, reach, conditions in ends:
                    model.difference(end, successor.start, -reach, in_time, *conditions)
                self.continue_run(segment, successor, negated(in_time))
        self._add_predecessors_of_modes()
        if self._relaxed:
            for segments in self.segments:
                self._add_yields([segment for segment in segments if segment.yielding])

    def _steps(self, i: int) -> Iterator[tuple[Segment, Segment]]:
        """Yield every two consecutive steps of an action."""
        for version in self.versions[i]:
            yield from pairwise(version.segments)

    def _add_predecessors_of_modes(self) -> None:
        for i, action in enumerate(self.instance.actions):
            start = self.segments[i][0].start
            for mode, literal in zip(action.modes, self.modes[i], strict=True):
                for before in mode.after:
                    for last in self._last_segments(self.instance.index[before]):
                        end, behind = last.finish
                        conditions = (*literals(literal), *literals(last.present))
                        self.model.difference(start, end, behind, *conditions)

    def _add_orders(self, bounds: Windows, *, ordering: bool) -> None:
        model = self.model
        starts = [segments[0].start for segments in self.segments]
        # That ordered pairs are ordered follows from the lags, but presolve profits from the explicit constraint.
        for i, j, distance in bounds.ordered if ordering else bounds.forced:
            steps = -(-distance // self.step)
            model.difference(starts[j], starts[i], steps)
        if not ordering:
            return
        for i, j, ahead, behind in bounds.open:
            first = model.boolean()
            steps_ahead = -(-ahead // self.step)
            steps_behind = -(-behind // self.step)
            model.difference(starts[j], starts[i], steps_ahead, first)
            model.difference(starts[i], starts[j], steps_behind, negated(first))

    def _add_yields(self, segments: list[Segment]) -> None:
        for segment in segments:
            segment.yields = self.model.boolean()
            self.model.clause(negated(segment.yields), *segment.yielding)
        yields = [segment.yields for segment in segments if segment.yields is not None]
        if yields:
            self.model.at_most_sum(yields, 1)

    def continue_run(self, segment: Segment, successor: Segment, literal: int) -> None:
        """Let ``successor`` continue the run of ``segment`` if ``literal`` holds."""
        self.model.difference(segment.start, successor.start, -segment.size, literal)
        self.runs.append((segment, successor, literal))

    # --- agents ----------------------------------------------------------------------------------

    def _crews(self) -> tuple[tuple[str, ...], ...]:
        """Return the agents in groups within which the model counts them; those with ways are told apart."""
        travellers = set[str]()
        for transitions in self.instance.transitions:
            travellers.update(transitions.members)
        crews: list[tuple[str, ...]] = []
        for crew in interchangeable(self.instance):
            crews += [(agent,) for agent in crew] if travellers.intersection(crew) else [crew]
        return tuple(crews)

    def _add_starts(self) -> None:
        """Require a free agent at unattended starts; derived models may bind steps to each other before."""
        add_starts(self)

    # --- questions of other constraints ----------------------------------------------------------

    @property
    def last_tick(self) -> int:
        """Largest makespan in ticks."""
        return self._last_step * self.step

    def is_before(self, i: int, j: int) -> bool:
        """Return whether action ``i`` must finish before action ``j`` starts."""
        return bool(closure(self.instance)[j] >> i & 1)

    def never_inside(self, i: int, j: int) -> bool:
        """Return whether action ``i`` can never start strictly inside action ``j``."""
        first_i, first_j = self._heads[i], self._heads[j]
        last_i = self._last_step - self._tails[i]
        last_j = self._last_step - self._tails[j]
        return last_j <= first_i or last_i <= first_j or self.is_ordered(i, j)

    def is_ordered(self, i: int, j: int) -> bool:
        """Return whether one of two actions must finish before the other starts."""
        earlier = closure(self.instance)
        return bool(earlier[j] >> i & 1 or earlier[i] >> j & 1)

    def all_of(self, conditions: Sequence[int]) -> int | None:
        """Return a literal that holds if all of some literals do; ``None`` for no literal."""
        if len(conditions) <= 1:
            return conditions[0] if conditions else None
        model = self.model
        every = model.boolean()
        for literal in conditions:
            model.clause(negated(every), literal)
        model.clause(every, *map(negated, conditions))
        return every

    # --- answers ---------------------------------------------------------------------------------

    def narrow(self, min_makespan: int, max_makespan: int) -> None:
        """Look for makespans between two bounds (ticks) from now on; the upper one no greater than at first."""
        min_step, max_step = -(-min_makespan // self.step), max_makespan // self.step
        self.model.restrict(self.makespan, min_step, max_step)

    @property
    def decisions(self) -> list[int]:
        """Variables that fix a schedule, in the order in which a search in order makes them small.

        Starts come first, beginning with the action with the longest path to the end.
        """
        starts: list[int] = []
        for i in self._urgent:
            starts += [segment.start for segment in self.segments[i]]
        choices: list[int] = []
        for modes in self.modes:
            choices += [literal for literal in reversed(modes) if literal is not None]
        for segment in chain.from_iterable(self.segments):
            choices += [literal for literal in reversed(segment.agents.values()) if literal is not None]
        return [*dict.fromkeys(starts), *choices]

    def break_symmetry(self) -> None:
        """Keep only one order of what can be exchanged, see `planoracle.solver.exact.symmetry`."""
        for i, j in exchangeable(self.instance, self._urgent):
            first, second = self.segments[i][0], self.segments[j][0]
            self.model.difference(second.start, first.start, 0)

    def values(self, schedule: Schedule) -> dict[int, int] | None:
        """Return the values of the makespan, starts, modes and agents in a schedule.

        ``None`` if its pieces do not start and end on the grid of the model.
        """
        return values_of_schedule(self, schedule)

    def schedule(self, solution: list[int]) -> Schedule:
        """Return the schedule of a solution of the model."""
        pieces = [piece for _, _, piece in pieces_of_solution(self, solution, {}, frozenset())]
        if self.instance.calendars:
            pieces = [*chain.from_iterable(worked_pieces(self.instance, piece) for piece in pieces)]
        return Schedule.of(self.instance, pieces)
