"""The CP-SAT interval model of an instance.

Times are in steps of ``step`` ticks. An action that cannot be interrupted is one interval; an
interruptible one is a chain of intervals of one step each, which proves optimality far sooner than a few
intervals of variable length. Consecutive pieces that touch count as one run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias, TypeVar

from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.solver.exact.bounds import Windows, urgent
from planoracle.solver.exact.cp_model import CpModel, negated
from planoracle.solver.exact.precedence import closure
from planoracle.solver.exact.resources import (
    Inside,
    ResourceConstraints,
    Segment,
    Start,
    holds,
    keep_out,
    literals,
    negations,
    starts_are_counted,
)
from planoracle.solver.exact.symmetry import exchangeable

#: A span of time: a variable and ticks behind it for the begin and for the end, and the literals that all hold in it.
_Span: TypeAlias = tuple[int, int, int, int, tuple[int, ...]]
_Choice = TypeVar("_Choice")


class _PlacedSegment(NamedTuple):
    """A segment of a solution, in the order in which segments get their agents."""

    start: int
    turn: int
    action: int
    number: int
    segment: Segment
    mode: int


# Turns of segments that start at the same instant.
_SETTLED, _GOING_ON, _UNATTENDED, _ATTENDED = range(4)


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
        fixed_pieces: Mapping[str, int] | None = None,
        deadline: Deadline = NO_LIMIT,
    ) -> None:
        self.instance = instance
        self.step = step
        self.model = CpModel(deadline)
        self._last_step = max_makespan // step
        self.makespan = self.model.integer(-(-min_makespan // step), self._last_step)
        self.segments: list[list[Segment]] = []
        self.modes: list[list[int | None]] = []
        self._relaxed = relaxed and len(instance.agents) == 1
        self._unheld = relaxed and len(instance.agents) > 1
        #: Parts that must go on from the one before them if a literal holds, and are new starts otherwise.
        self.runs: list[tuple[Segment, Segment, int]] = []
        self._heads = [-(-head // step) for head in bounds.head]
        self._tails = [-(-tail // step) for tail in bounds.tail]
        self._urgent = urgent(instance, bounds)
        index = instance.index
        self._followed: set[int] = set()
        for lag in instance.lags:
            if lag.minimum is not None and lag.minimum >= 0:
                self._followed.add(index[lag.before])
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
        self._add_agents()
        self._add_starts()
        resources = ResourceConstraints(instance, self.model, self.segments, self.modes, self._ordered)
        resources.add()
        #: Uses, settings that may share their room, and the literals that they do.
        self.joins = resources.joins
        self.model.minimize(self.makespan)

    # --- actions and lags ------------------------------------------------------------------------

    def _add_action(self, i: int, action: Action) -> None:
        model = self.model
        segments = self._segments_of(i, action)
        self.segments.append(segments)
        if len(action.modes) > 1:
            choices = [model.boolean() for _ in action.modes]
            self.modes.append([*choices])
            model.exactly_one(choices)
        else:
            self.modes.append([None])
        if i not in self._followed:  # the others finish before one of these does
            last = segments[-1]
            model.difference(self.makespan, last.start, last.size + self._tails[i])

    def _segments_of(self, i: int, action: Action) -> list[Segment]:
        """Return new segments of an action: its steps in order if it is interruptible, else one."""
        model = self.model
        length = action.duration // self.step
        head = self._heads[i]
        latest = max(head, self._last_step - self._tails[i] - length)
        if not action.interruptible or length <= 1:
            busy = 0 if action.interruptible and self._unheld else action.attended // self.step
            return [Segment(model.integer(head, latest), length, busy)]
        busy = 1 if action.attended and not self._unheld else 0
        segments = [Segment(model.integer(head + k, latest + k), 1, busy) for k in range(length)]
        for segment, successor in pairwise(segments):
            model.difference(successor.start, segment.start, 1)
        return segments

    def _add_lags(self) -> None:
        model, index = self.model, self.instance.index
        #: By action the ends of its maximum lags: segments, and the ticks from their starts.
        reaches: dict[int, list[tuple[Segment, int]]] = {}
        for lag in self.instance.lags:
            last = self.segments[index[lag.before]][-1]
            after = self.segments[index[lag.after]]
            if lag.minimum is not None:
                earliest = last.size + lag.minimum // self.step
                model.difference(after[0].start, last.start, earliest)
            if lag.maximum is not None:
                reach = last.size + lag.maximum // self.step
                model.difference(last.start, after[0].start, -reach)
                reaches.setdefault(index[lag.after], []).append((last, reach))
                if self._relaxed and self.instance.by_id[lag.after].interruptible:
                    for segment in after:
                        last_moment = model.boolean()
                        model.difference(segment.start, last.start, reach, last_moment)
                        segment.yielding.append(last_moment)
        for i, lasts in reaches.items():
            for segment, successor in pairwise(self.segments[i]):
                in_time = model.boolean()  # the same for all lags, for a run is counted once
                for last, reach in lasts:
                    model.difference(last.start, successor.start, -reach, in_time)
                self._continue_run(segment, successor, negated(in_time))
        self._add_predecessors_of_modes()
        if self._relaxed:
            for segments in self.segments:
                self._add_yields([segment for segment in segments if segment.yielding])

    def _add_predecessors_of_modes(self) -> None:
        for i, action in enumerate(self.instance.actions):
            start = self.segments[i][0].start
            for mode, literal in zip(action.modes, self.modes[i], strict=True):
                for before in mode.after:
                    last = self.segments[self.instance.index[before]][-1]
                    self.model.difference(start, last.start, last.size, *literals(literal))

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

    def _continue_run(self, segment: Segment, successor: Segment, literal: int) -> None:
        """Let ``successor`` continue the run of ``segment`` if ``literal`` holds."""
        self.model.difference(segment.start, successor.start, -1, literal)
        self.runs.append((segment, successor, literal))

    # --- agents ----------------------------------------------------------------------------------

    def _crews(self) -> tuple[tuple[str, ...], ...]:
        """Return the agents in groups within which the model counts them."""
        return interchangeable(self.instance)

    def _add_agents(self) -> None:
        model = self.model
        model.topics[model.constraints] = "one eligible agent for each action"
        for i, action in enumerate(self.instance.actions):
            self._choose_agents(i, action)
        for crew in self.crews:
            head = crew[0]
            model.topics[model.constraints] = f"attended work of {' and '.join(crew)}"
            intervals = [(self._attended_interval(segment, head), 1) for segment in self._attended_by(head)]
            model.capacity(intervals, len(crew))
            model.energetic |= 1 < len(crew) < len(intervals)
        for i, segments in enumerate(self.segments):
            if any(segment.yields is not None for segment in segments):
                self._separate_from_rigid_work(i)

    def _choose_agents(self, i: int, action: Action) -> None:
        """Give each segment of an action one literal for every crew that is eligible."""
        model = self.model
        agents = self.instance.eligible(action)
        heads = dict.fromkeys(self.head_of[agent] for agent in agents)
        for segment in self.segments[i]:
            segment.agents = dict.fromkeys(heads)
            if len(heads) > 1:
                choices = {head: model.boolean() for head in heads}
                segment.agents |= choices
                model.exactly_one(choices.values())

    def _attended_by(self, head: str) -> Iterator[Segment]:
        """Yield the attended segments for which a crew is eligible."""
        for segment in chain.from_iterable(self.segments):
            if segment.busy and head in segment.agents:
                yield segment

    def _attended_interval(self, segment: Segment, head: str) -> int:
        present = (*literals(segment.agents[head]), *negations(segment.yields))
        return self.model.interval(segment.start, segment.busy, *present)

    def _separate_from_rigid_work(self, yielding: int) -> None:
        """Let no attended action that cannot be paused overlap the steps of action ``yielding``."""
        intervals = []
        for i, action in enumerate(self.instance.actions):
            if i == yielding or not action.interruptible:
                for segment in self.segments[i]:
                    if segment.busy:
                        interval = self.model.interval(segment.start, segment.busy)
                        intervals.append((interval, 1))
        self.model.capacity(intervals, 1)

    def _add_starts(self) -> None:
        """Require a free agent at the start of every unattended action."""
        self.model.topics[self.model.constraints] = "a free agent at the start of unattended actions"
        starters = []
        for i, action in enumerate(self.instance.actions):
            if not action.attended and self.instance.eligible(action):
                starters.append(i)
        for i in starters:
            # A step that follows its predecessor at once is no new start.
            for segment, successor in pairwise(self.segments[i]):
                touches = self.model.boolean()
                self._continue_run(segment, successor, touches)
                successor.starts_if = (negated(touches),)
        for crew in self.crews:
            self._add_starts_by(crew, starters)
        for segment, successor, literal in self.runs:
            self._keep_agent(segment, successor, literal)

    def _add_starts_by(self, crew: tuple[str, ...], starters: list[int]) -> None:
        head = crew[0]
        fixed_pieces = self.fixed_pieces.get(head, ())
        starts: list[tuple[int, Segment]] = []
        for i in starters:
            starts += [(i, segment) for segment in self.segments[i] if head in segment.agents]
        blocks: list[tuple[int, Segment]] = []
        for j, segments in enumerate(self.segments):
            attended = (segment for segment in segments if segment.busy > 1)
            blocks += [(j, segment) for segment in attended if head in segment.agents]
        cuts: list[tuple[int, tuple[int, ...]]] = []  # begins of segments, which a start at that moment would cut off
        for _, successor, literal in self.runs:
            if successor.busy and head in successor.agents:
                present = (literal, *literals(successor.agents[head]))
                cuts.append((successor.start, present))
        if not fixed_pieces and starts_are_counted(len(crew), len(starts), len(blocks) + len(cuts)):
            spans = []
            for _, block in blocks:
                present = literals(block.agents[head])
                spans.append(Inside(block.start, 1, block.busy - 1, present))
            spans += [Inside(begin, 0, 1, present) for begin, present in cuts]
            moments: list[Start] = []
            for _, segment in starts:
                present = (*segment.starts_if, *literals(segment.agents[head]))
                moments.append(Start(segment.start, present))
            keep_out(self.model, len(crew), spans, moments)
            return
        for i, segment in starts:
            self.model.deadline.check()  # the loop visits all pairs, also those without a constraint
            pairs: list[_Span] = []
            for j, block in blocks:
                if i != j and not self._never_inside(i, j):
                    present = literals(block.agents[head])
                    pairs.append((block.start, 0, block.start, block.busy, present))
            pairs += [(begin, 1, begin, 1, present) for begin, present in cuts]
            pairs += [(begin, 0, end, 0, ()) for begin, end in fixed_pieces]
            if len(pairs) >= len(crew):
                self._keep_out(segment, head, len(crew), pairs)

    def _keep_out(self, segment: Segment, head: str, agents: int, spans: list[_Span]) -> None:
        model = self.model
        inside: list[int] = []
        for begin, before, end, after, present in spans:
            both = (*segment.starts_if, *literals(segment.agents[head]), *present)
            early = model.boolean()
            late = negated(early)
            if agents > 1:
                late, within = model.boolean(), model.boolean()
                model.clause(early, late, within)
                inside.append(within)
            model.difference(begin, segment.start, before, early, *both)
            model.difference(segment.start, end, after, late, *both)
        if inside:
            model.at_most_sum(inside, agents - 1)

    def _never_inside(self, i: int, j: int) -> bool:
        """Return whether action ``i`` can never start strictly inside action ``j``."""
        first_i, first_j = self._heads[i], self._heads[j]
        last_i = self._last_step - self._tails[i]
        last_j = self._last_step - self._tails[j]
        return last_j <= first_i or last_i <= first_j or self._ordered(i, j)

    def _ordered(self, i: int, j: int) -> bool:
        before = closure(self.instance)
        return bool(before[i] >> j & 1 or before[j] >> i & 1)

    def _keep_agent(self, segment: Segment, successor: Segment, literal: int) -> None:
        for agent, literal_now in segment.agents.items():
            next_literal = successor.agents[agent]
            if literal_now is not None and next_literal is not None:
                self.model.clause(negated(literal), negated(literal_now), next_literal)

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
        return starts + choices

    def values(self, schedule: Schedule) -> dict[int, int] | None:
        """Return the values of the makespan, starts, modes and agents in a schedule.

        ``None`` if its pieces do not start and end on the grid of the model.
        """
        step = self.step
        if any(piece.start % step or piece.duration % step for piece in schedule.pieces):
            return None
        pieces_of: list[list[Piece]] = [[] for _ in self.segments]
        for piece in schedule.pieces:  # in the order of their starts
            pieces_of[self.instance.index[piece.action]].append(piece)
        values = {self.makespan: schedule.makespan // step}
        for segments, modes, pieces in zip(self.segments, self.modes, pieces_of, strict=True):
            starts: list[tuple[int, str | None]] = []
            for piece in pieces:
                times: Sequence[int] = (piece.start,)
                if len(segments) > 1:
                    times = range(piece.start, piece.end, step)
                head = self.head_of.get(piece.agent or "")
                starts += [(time // step, head) for time in times]
            for segment, (start, head) in zip(segments, starts, strict=True):
                values[segment.start] = start
                for agent, literal in segment.agents.items():
                    if literal is not None:
                        values[literal] = int(agent == head)
            for number, literal in enumerate(modes):
                if literal is not None:
                    values[literal] = int(number == pieces[0].mode)
        return values

    def break_symmetry(self) -> None:
        """Keep only one order of what can be exchanged, see `planoracle.solver.exact.symmetry`."""
        for i, j in exchangeable(self.instance, self._urgent):
            first, second = self.segments[i][0], self.segments[j][0]
            self.model.difference(second.start, first.start, 0)

    def schedule(self, solution: list[int]) -> Schedule:
        """Return the schedule of a solution of the model."""
        pieces = self.pieces(solution, {}, frozenset())
        return Schedule.of(self.instance, (piece for _, _, piece in pieces))

    def pieces(
        self, solution: list[int], agent_of: Mapping[tuple[int, int], str | None], begins: Set[tuple[int, int]]
    ) -> list[tuple[int, int, Piece]]:
        """Return every segment of a solution as (action, number of the segment, piece), in order of time.

        ``agent_of`` holds the agents of fixed segments, ``begins`` the segments with which a piece begins.
        Interchangeable agents are assigned to the other segments around them.
        """
        resumed = (successor for _, successor, literal in self.runs if holds(literal, solution))
        going_on = {id(segment) for segment in resumed if segment.busy}
        for i, k in agent_of:
            if (i, k) not in begins:
                going_on.add(id(self.segments[i][k]))
        free = dict.fromkeys(self.instance.agents, 0)
        since = dict.fromkeys(self.instance.agents, -1)  # start of the last piece that holds the agent
        last: dict[int, tuple[int, str | None]] = {}
        pieces = []
        for start, turn, i, k, segment, mode in self._placed_segments(solution, agent_of, going_on):
            head = _chosen(segment.agents.items(), solution)
            previous_end, agent = last.get(i, (-1, None))
            if head is None:
                agent = None
            elif turn == _SETTLED:
                agent = agent_of[i, k]
            elif turn != _GOING_ON:
                # The segment after a fixed piece is a separate command, with its own start.
                needs_free_agent = segment.busy or (i, k - 1) in agent_of
                goes_on = previous_end == start and agent is not None and self.head_of[agent] == head
                is_free = agent is not None and free[agent] <= start
                keeps_agent = goes_on and (is_free or not needs_free_agent)
                if not keeps_agent:
                    # An unattended action may also start at the moment at which its agent begins a piece.
                    beginning = []
                    if not segment.busy:
                        beginning = [name for name, begin in since.items() if begin == start]
                    crew = (name for name in free if self.head_of[name] == head)
                    agent = next(name for name in crew if free[name] <= start or name in beginning)
            if segment.busy and agent is not None:
                if id(segment) not in going_on:
                    since[agent] = start
                free[agent] = start + segment.busy
            last[i] = (start + segment.size, agent)
            name = self.instance.actions[i].id
            piece = Piece(name, start * self.step, segment.size * self.step, agent, mode)
            pieces.append((i, k, piece))
        return pieces

    def _placed_segments(
        self, solution: list[int], agent_of: Mapping[tuple[int, int], str | None], going_on: Set[int]
    ) -> list[_PlacedSegment]:
        """Return the segments in the order in which they get their agents; ``going_on`` holds ids of segments."""
        placed = []
        for i, segments in enumerate(self.segments):
            mode = _chosen(enumerate(self.modes[i]), solution) or 0
            for k, segment in enumerate(segments):
                if (i, k) in agent_of:
                    turn = _SETTLED
                elif id(segment) in going_on:
                    turn = _GOING_ON
                else:
                    turn = _ATTENDED if segment.busy else _UNATTENDED
                placed.append(_PlacedSegment(solution[segment.start], turn, i, k, segment, mode))
        return sorted(placed, key=lambda segment: segment[:4])


def _chosen(choices: Iterable[tuple[_Choice, int | None]], solution: Sequence[int]) -> _Choice | None:
    """Return the first choice whose literal is true or that has none."""
    for choice, literal in choices:
        if literal is None or solution[literal]:
            return choice
    return None
