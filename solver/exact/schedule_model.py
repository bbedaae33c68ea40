"""The CP-SAT interval model of an instance.

Times are in steps of ``step`` ticks. An action that cannot be interrupted is one interval; an
interruptible one is a chain of intervals of one step each, which proves optimality far sooner than a few
intervals of variable length. Consecutive pieces that touch count as one run.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import pairwise

from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import NEVER, Deadline
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


class ScheduleModel:
    """Variables and constraints for one instance.

    Parameters
    ----------
    bounds
        Earliest starts and tails in ticks.
    step
        Ticks per step of the model; must divide all times (but the time limit).
    least, most
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
        least: int,
        most: int,
        *,
        relaxed: bool = False,
        ordering: bool = False,
        fixed_pieces: Mapping[str, int] | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.instance = instance
        self.step = step
        self.model = CpModel(deadline)
        self._most = most // step
        self.makespan = self.model.integer(-(-least // step), self._most)
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
        self._followed = {index[lag.before] for lag in instance.lags if lag.minimum is not None and lag.minimum >= 0}
        self.model.topics[0] = "steps of interruptible actions, one mode for each action, and the end of all"
        for i, action in enumerate(instance.actions):
            self._add_action(i, action)
        self.model.topics[self.model.constraints] = "time lags"
        self._add_lags()
        self._add_orders(bounds, ordering=ordering)
        #: Interchangeable agents, by crew: within a crew the model counts them and does not distinguish them.
        self.crews = self._crews()
        #: First agent of each agent's crew, which represents it in `Segment.agents`.
        self.head_of = {agent: crew[0] for crew in self.crews for agent in crew}
        #: Begins and ends of fixed pieces inside of which their agents start no action: variables by crew, 0 until set.
        self.fixed_pieces = {
            head: [(self.model.integer(0, 0), self.model.integer(0, 0)) for _ in range(count)]
            for head, count in (fixed_pieces or {}).items()
        }
        self._add_agents()
        self._add_starts()
        resources = ResourceConstraints(instance, self.model, self.segments, self.modes, self._ordered)
        resources.add()
        #: Uses, settings that may share their room, and the literals that they do.
        self.joins = resources.joins
        self.model.minimize(self.makespan)

    # --- actions and lags ------------------------------------------------------------------------

    def _add_action(self, i: int, action: Action) -> None:
        model, step = self.model, self.step
        length = action.duration // step
        head, latest = self._heads[i], self._most - self._tails[i] - length
        if action.interruptible and length > 1:
            busy = 1 if action.attended and not self._unheld else 0
            segments = [Segment(model.integer(head + k, max(head + k, latest + k)), 1, busy) for k in range(length)]
            for one, two in pairwise(segments):
                model.difference(two.start, one.start, 1)
        else:
            busy = 0 if action.interruptible and self._unheld else action.attended // step
            segments = [Segment(model.integer(head, max(head, latest)), length, busy)]
        self.segments.append(segments)
        self.modes.append([None] if len(action.modes) == 1 else [model.boolean() for _ in action.modes])
        if len(action.modes) > 1:
            model.exactly_one([literal for literal in self.modes[i] if literal is not None])
        if i not in self._followed:  # the others finish before one of these does
            model.difference(self.makespan, segments[-1].start, segments[-1].size + self._tails[i])

    def _add_lags(self) -> None:
        model, index = self.model, self.instance.index
        reaches: dict[int, list[tuple[Segment, int]]] = {}
        for lag in self.instance.lags:
            last, after = self.segments[index[lag.before]][-1], self.segments[index[lag.after]]
            if lag.minimum is not None:
                model.difference(after[0].start, last.start, last.size + lag.minimum // self.step)
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
            for one, two in pairwise(self.segments[i]):
                in_time = model.boolean()  # one for all lags, for a run is counted once
                for last, reach in lasts:
                    model.difference(last.start, two.start, -reach, in_time)
                self._continue_run(one, two, negated(in_time))
        for i, action in enumerate(self.instance.actions):
            for mode, literal in zip(action.modes, self.modes[i], strict=True):
                for before in mode.after:
                    last = self.segments[index[before]][-1]
                    model.difference(self.segments[i][0].start, last.start, last.size, *literals(literal))
        for segments in self.segments if self._relaxed else ():
            self._add_yields([segment for segment in segments if segment.yielding])

    def _add_orders(self, bounds: Windows, *, ordering: bool) -> None:
        model = self.model
        # That ordered pairs are ordered follows from the lags, but presolve profits from the explicit constraint.
        for i, j, least in bounds.ordered if ordering else bounds.forced:
            model.difference(self.segments[j][0].start, self.segments[i][0].start, -(-least // self.step))
        for i, j, ahead, behind in bounds.open if ordering else ():
            first = model.boolean()
            model.difference(self.segments[j][0].start, self.segments[i][0].start, -(-ahead // self.step), first)
            model.difference(
                self.segments[i][0].start, self.segments[j][0].start, -(-behind // self.step), negated(first)
            )

    def _add_yields(self, segments: list[Segment]) -> None:
        for segment in segments:
            segment.yields = self.model.boolean()
            self.model.clause(negated(segment.yields), *segment.yielding)
        if segments:
            self.model.at_most_sum([segment.yields for segment in segments if segment.yields is not None], 1)

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
            able = dict.fromkeys(self.head_of[agent] for agent in self.instance.eligible(action))
            for segment in self.segments[i]:
                segment.agents = dict.fromkeys(able)
                if len(able) > 1:
                    segment.agents |= {head: model.boolean() for head in able}
                    model.exactly_one(literal for literal in segment.agents.values() if literal is not None)
        for crew in self.crews:
            model.topics[model.constraints] = f"attended work of {' and '.join(crew)}"
            intervals = [
                (
                    model.interval(
                        segment.start, segment.busy, *literals(segment.agents[crew[0]]), *negations(segment.yields)
                    ),
                    1,
                )
                for segments in self.segments
                for segment in segments
                if segment.busy and crew[0] in segment.agents
            ]
            model.capacity(intervals, len(crew))
            model.energetic |= 1 < len(crew) < len(intervals)
        for segments in self.segments:  # what cannot be paused never overlaps a step that yields
            if any(segment.yields is not None for segment in segments):
                rigid = [
                    (model.interval(segment.start, segment.busy), 1)
                    for action, others in zip(self.instance.actions, self.segments, strict=True)
                    for segment in others
                    if segment.busy and (others is segments or not action.interruptible)
                ]
                model.capacity(rigid, 1)

    def _add_starts(self) -> None:
        """Require a free agent at the start of every unattended action."""
        self.model.topics[self.model.constraints] = "a free agent at the start of unattended actions"
        starters = [i for i, a in enumerate(self.instance.actions) if not a.attended and self.instance.eligible(a)]
        blockers = [i for i in range(len(self.segments)) if any(segment.busy > 1 for segment in self.segments[i])]
        for i in starters:
            for one, two in pairwise(self.segments[i]):  # a step that follows its predecessor at once is no new start
                touches = self.model.boolean()
                self._continue_run(one, two, touches)
                two.starts_if = (negated(touches),)
        for crew in self.crews:
            self._add_starts_by(crew, starters, blockers)
        for one, two, literal in self.runs:
            self._keep_agent(one, two, literal)

    def _add_starts_by(self, crew: tuple[str, ...], starters: list[int], blockers: list[int]) -> None:
        head, fixed_pieces = crew[0], self.fixed_pieces.get(crew[0], ())
        starts = [(i, segment) for i in starters for segment in self.segments[i] if head in segment.agents]
        blocks = [(j, one) for j in blockers for one in self.segments[j] if one.busy > 1 and head in one.agents]
        cuts = [  # a start would cut the run
            (two, (literal, *literals(two.agents[head])))
            for _, two, literal in self.runs
            if two.busy and head in two.agents
        ]
        if not fixed_pieces and starts_are_counted(len(crew), len(starts), len(blocks) + len(cuts)):
            spans = [Inside(block.start, 1, block.busy - 1, literals(block.agents[head])) for _, block in blocks]
            spans += [Inside(two.start, 0, 1, present) for two, present in cuts]
            moments = [Start(one.start, (*one.starts_if, *literals(one.agents[head]))) for _, one in starts]
            keep_out(self.model, len(crew), spans, moments)
            return
        for i, segment in starts:
            self.model.deadline.check()  # the loop visits all pairs, also those without a constraint
            pairs = [
                (block.start, 0, block.start, block.busy, literals(block.agents[head]))
                for j, block in blocks
                if i != j and not self._never_inside(i, j)
            ]
            pairs += [(two.start, 1, two.start, 1, present) for two, present in cuts]
            pairs += [(begin, 0, end, 0, ()) for begin, end in fixed_pieces]
            if len(pairs) >= len(crew):
                self._keep_out(segment, head, len(crew), pairs)

    def _keep_out(
        self, segment: Segment, head: str, agents: int, pairs: list[tuple[int, int, int, int, tuple[int, ...]]]
    ) -> None:
        model = self.model
        inside: list[int] = []
        for begin, before, end, after, present in pairs:
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
        first_i, last_i = self._heads[i], self._most - self._tails[i]
        first_j, last_j = self._heads[j], self._most - self._tails[j]
        return last_j <= first_i or last_i <= first_j or self._ordered(i, j)

    def _ordered(self, i: int, j: int) -> bool:
        before = closure(self.instance)
        return bool(before[i] >> j & 1 or before[j] >> i & 1)

    def _keep_agent(self, one: Segment, two: Segment, literal: int) -> None:
        for agent, literal_now in one.agents.items():
            next_literal = two.agents[agent]
            if literal_now is not None and next_literal is not None:
                self.model.clause(negated(literal), negated(literal_now), next_literal)

    # --- answers ---------------------------------------------------------------------------------

    def narrow(self, least: int, most: int) -> None:
        """Look for makespans between two bounds (ticks) from now on; ``most`` no greater than at first."""
        self.model.restrict(self.makespan, -(-least // self.step), most // self.step)

    @property
    def decisions(self) -> list[int]:
        """Variables that fix a schedule, in the order in which a search in order makes them small.

        Starts come first, beginning with the action with the longest path to the end.
        """
        starts = [segment.start for i in self._urgent for segment in self.segments[i]]
        modes = [literal for choices in self.modes for literal in reversed(choices) if literal is not None]
        agents = [
            literal
            for segments in self.segments
            for segment in segments
            for literal in reversed(segment.agents.values())
            if literal is not None
        ]
        return starts + modes + agents

    def values(self, schedule: Schedule) -> dict[int, int] | None:
        """Return the values of the makespan, starts, modes and agents in a schedule.

        ``None`` if its pieces do not start and end on the grid of the model.
        """
        step = self.step
        if any(piece.start % step or piece.duration % step for piece in schedule.pieces):
            return None
        own: list[list[Piece]] = [[] for _ in self.segments]
        for piece in schedule.pieces:  # in the order of their starts
            own[self.instance.index[piece.action]].append(piece)
        values = {self.makespan: schedule.makespan // step}
        for segments, modes, pieces in zip(self.segments, self.modes, own, strict=True):
            starts = [
                (time // step, self.head_of.get(piece.agent or ""))
                for piece in pieces
                for time in (range(piece.start, piece.end, step) if len(segments) > 1 else (piece.start,))
            ]
            for segment, (start, head) in zip(segments, starts, strict=True):
                values[segment.start] = start
                values |= {v: int(agent == head) for agent, v in segment.agents.items() if v is not None}
            values |= {v: int(number == pieces[0].mode) for number, v in enumerate(modes) if v is not None}
        return values

    def break_symmetry(self) -> None:
        """Keep only one order of what can be exchanged, see `planoracle.solver.exact.symmetry`."""
        for i, j in exchangeable(self.instance, self._urgent):
            self.model.difference(self.segments[j][0].start, self.segments[i][0].start, 0)

    def schedule(self, solution: list[int]) -> Schedule:
        """Return the schedule of a solution of the model."""
        return Schedule.of(self.instance, (piece for _, _, piece in self.pieces(solution, {}, frozenset())))

    def pieces(
        self, solution: list[int], agent_of: Mapping[tuple[int, int], str | None], begins: Set[tuple[int, int]]
    ) -> list[tuple[int, int, Piece]]:
        """Return every segment of a solution as (action, number of the segment, piece), in order of time.

        ``agent_of`` holds the agents of fixed segments, ``begins`` the segments with which a piece begins.
        Interchangeable agents are assigned to the other segments around them.
        """
        going_on = {id(two) for _, two, literal in self.runs if two.busy and holds(literal, solution)}
        going_on |= {id(self.segments[i][k]) for i, k in agent_of if (i, k) not in begins}
        rows = []
        for i, segments in enumerate(self.segments):
            mode = next((m for m, literal in enumerate(self.modes[i]) if literal is None or solution[literal]), 0)
            for k, segment in enumerate(segments):
                # At the same instant those whose agent is settled come first.
                turn = 0 if (i, k) in agent_of else 1 if id(segment) in going_on else 3 if segment.busy else 2
                rows.append((solution[segment.start], turn, i, k, segment, mode))
        rows.sort(key=lambda row: row[:4])
        free = dict.fromkeys(self.instance.agents, 0)
        since = dict.fromkeys(self.instance.agents, -1)  # start of the last piece that holds the agent
        last: dict[int, tuple[int, str | None]] = {}
        pieces = []
        for start, turn, i, k, segment, mode in rows:
            head = next((a for a, literal in segment.agents.items() if literal is None or solution[literal]), None)
            touching, agent = last.get(i, (-1, None))
            if head is None:
                agent = None
            elif turn == 0:
                agent = agent_of[i, k]
            elif turn != 1 and (
                touching != start
                or agent is None
                or self.head_of[agent] != head
                # The segment after a fixed piece is a separate command, with its own start.
                or ((segment.busy or (i, k - 1) in agent_of) and free[agent] > start)
            ):
                agent = next(
                    name
                    for name, until in free.items()
                    if self.head_of[name] == head and (until <= start or (not segment.busy and since[name] == start))
                )
            if segment.busy and agent is not None:
                since[agent] = since[agent] if id(segment) in going_on else start
                free[agent] = start + segment.busy
            last[i] = (start + segment.size, agent)
            piece = Piece(self.instance.actions[i].id, start * self.step, segment.size * self.step, agent, mode)
            pieces.append((i, k, piece))
        return pieces
