"""Constraints of agents in the CP-SAT model: attended work, and starts of unattended actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from planoracle.solver.exact.cp_model import negated
from planoracle.solver.exact.resources import use_interval
from planoracle.solver.exact.segments import Segment, Version, negations

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel

#: Pairs of a start and a piece of one agent up to which a literal for each of them proves more.
_FEW_PAIRS = 1_000


class _Span(NamedTuple):
    """Moments after ``begin - before`` and ahead of ``end + after``, in steps, if all literals hold."""

    begin: int
    before: int
    end: int
    after: int
    present: tuple[int, ...]


def add_agents(model: ScheduleModel) -> None:
    """Give every action an eligible agent, and let no agent attend to two actions at a time."""
    cp_model = model.model
    cp_model.topics[cp_model.constraints] = "one eligible agent for each action"
    for i in range(len(model.segments)):
        _choose_agents(model, i)
    for crew in model.crews:
        head = crew[0]
        cp_model.topics[cp_model.constraints] = f"attended work of {' and '.join(crew)}"
        intervals = [(_attended_interval(model, segment, head), 1) for segment in _attended_by(model, head)]
        cp_model.capacity(intervals, len(crew))
        cp_model.energetic |= 1 < len(crew) < len(intervals)
    for i, segments in enumerate(model.segments):
        if any(segment.yields is not None for segment in segments):
            _separate_from_rigid_work(model, i)


def _choose_agents(model: ScheduleModel, i: int) -> None:
    """Give each segment of an action one literal for every crew that is eligible."""
    cp_model = model.model
    for version in model.versions[i]:
        heads = dict.fromkeys(model.head_of[agent] for agent in version.agents)
        for segment in version.segments:
            segment.agents = dict.fromkeys(heads)
            if len(heads) > 1:
                choices = {head: cp_model.boolean() for head in heads}
                segment.agents |= choices
                cp_model.exactly_one([*choices.values(), *negations(segment.present)])


def _attended_by(model: ScheduleModel, head: str) -> Iterator[Segment]:
    """Yield the attended segments for which a crew is eligible."""
    for segment in chain.from_iterable(model.segments):
        if segment.busy and head in segment.agents:
            yield segment


def _attended_interval(model: ScheduleModel, segment: Segment, head: str) -> int:
    present = (*segment.by(head), *negations(segment.yields))
    if segment.end is not None:
        return use_interval(model.model, segment, *present)
    return model.model.interval(segment.start, segment.busy, *present)


def _separate_from_rigid_work(model: ScheduleModel, yielding: int) -> None:
    """Let no attended action that cannot be paused overlap the steps of action ``yielding``."""
    intervals = []
    for i, action in enumerate(model.instance.actions):
        if i == yielding or not action.interruptible:
            for segment in model.segments[i]:
                if segment.busy:
                    interval = model.model.interval(segment.start, segment.busy)
                    intervals.append((interval, 1))
    model.model.capacity(intervals, 1)


def add_starts(model: ScheduleModel) -> None:
    """Require a free agent at the start of every unattended action."""
    model.model.topics[model.model.constraints] = "a free agent at the start of unattended actions"
    starters: list[tuple[int, Version]] = []
    for i, versions in enumerate(model.versions):
        starters += [(i, version) for version in versions if version.agents and not version.attended]
    for _, version in starters:
        # A step that follows its predecessor at once is no new start.
        for segment, successor in pairwise(version.segments):
            touches = model.model.boolean()
            model.continue_run(segment, successor, touches)
            successor.starts_if = (negated(touches),)
    for crew in model.crews:
        _StartsByAgents(model, crew, starters).add()
    for segment, successor, literal in model.runs:
        _keep_agent(model, segment, successor, literal)


def _keep_agent(model: ScheduleModel, segment: Segment, successor: Segment, literal: int) -> None:
    for agent, literal_now in segment.agents.items():
        next_literal = successor.agents[agent]
        if literal_now is not None and next_literal is not None:
            model.model.clause(negated(literal), negated(literal_now), next_literal)


def starts_are_counted(agents: int, starts: int, spans: int) -> bool:
    """Return whether one capacity for all starts is better than a literal for every start and span."""
    return agents > 1 or starts * spans > _FEW_PAIRS


class _StartsByAgents:
    """Starts of unattended actions by one crew, which need an agent that is not inside an attended piece."""

    def __init__(self, model: ScheduleModel, crew: tuple[str, ...], starters: Sequence[tuple[int, Version]]) -> None:
        self.schedule_model = model
        self.model = model.model
        self.head = crew[0]
        self.agents = len(crew)
        self.fixed_pieces = model.fixed_pieces.get(self.head, ())
        #: Segments that begin with a start, and attended segments that take time, with their actions.
        self.starts: list[tuple[int, Segment]] = []
        self.blocks: list[tuple[int, Segment]] = []
        #: Begins of segments, which a start at that moment would cut off, and the literals that all hold then.
        self.cuts: list[tuple[int, tuple[int, ...]]] = []
        for i, version in starters:
            self.starts += [(i, segment) for segment in version.segments if self.head in segment.agents]
        for j, segments in enumerate(model.segments):
            attended = (segment for segment in segments if segment.busy > 1 or (segment.busy and segment.end))
            self.blocks += [(j, segment) for segment in attended if self.head in segment.agents]
        for _, successor, literal in model.runs:
            if successor.busy and self.head in successor.agents:
                present = (literal, *successor.by(self.head))
                self.cuts.append((successor.start, present))

    def add(self) -> None:
        """Add the constraints, as one capacity or with a literal for every start and span."""
        has_breaks = any(block.end is not None for _, block in self.blocks)
        is_counted = starts_are_counted(self.agents, len(self.starts), len(self.blocks) + len(self.cuts))
        if is_counted and not self.fixed_pieces and not has_breaks:
            self._count_starts()
            return
        for i, segment in self.starts:
            self.model.deadline.check()  # the loop visits all pairs, also those without a constraint
            spans = self._spans(i)
            if len(spans) >= self.agents:
                self._keep_out(segment, spans)

    def _count_starts(self) -> None:
        """Require a free agent at every start by one capacity.

        It has as many units for every agent as there are starts. An agent inside a span takes all its units, a start
        takes one: where all agents are inside no unit remains, and where one is not there are enough for all starts
        together. With a literal for every start and span the model would grow with their product.
        """
        model, units = self.model, len(self.starts)
        if len(self.blocks) + len(self.cuts) < self.agents or not units:
            return
        intervals: list[tuple[int, int]] = []
        for _, block in self.blocks:
            inside = model.interval(block.start, block.busy - 1, *block.by(self.head), after=1)
            intervals.append((inside, units))
        for begin, present in self.cuts:
            intervals.append((model.interval(begin, 1, *present), units))
        for _, segment in self.starts:
            start = model.interval(segment.start, 1, *segment.starts_if, *segment.by(self.head))
            intervals.append((start, 1))
        model.capacity(intervals, self.agents * units)

    def _spans(self, i: int) -> list[_Span]:
        """Return the spans inside which agents may be at a start of action ``i``."""
        spans: list[_Span] = []
        for j, block in self.blocks:
            if i != j and not self.schedule_model.never_inside(i, j):
                end, after = (block.start, block.busy) if block.end is None else (block.end, 0)
                spans.append(_Span(block.start, 0, end, after, block.by(self.head)))
        spans += [_Span(begin, 1, begin, 1, present) for begin, present in self.cuts]
        spans += [_Span(begin, 0, end, 0, ()) for begin, end in self.fixed_pieces]
        return spans

    def _keep_out(self, segment: Segment, spans: list[_Span]) -> None:
        """Let fewer spans than there are agents hold at the start of a segment."""
        model = self.model
        inside: list[int] = []
        for begin, before, end, after, present in spans:
            conditions = (*segment.starts_if, *segment.by(self.head), *present)
            early = model.boolean()
            late = negated(early)
            if self.agents > 1:
                late, within = model.boolean(), model.boolean()
                model.clause(early, late, within)
                inside.append(within)
            model.difference(begin, segment.start, before, early, *conditions)
            model.difference(segment.start, end, after, late, *conditions)
        if inside:
            model.at_most_sum(inside, self.agents - 1)
