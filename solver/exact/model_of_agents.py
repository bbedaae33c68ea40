"""Constraints of agents in the CP-SAT model: their attended work, and the starts of unattended actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from planoracle.solver.exact.cp_model import negated
from planoracle.solver.exact.resources import Inside, Start, keep_out, starts_are_counted, use_interval
from planoracle.solver.exact.segments import Segment, Version, negations

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel

#: A span of time: a variable and ticks behind it for the begin and for the end, and the literals that all hold in it.
_Span: TypeAlias = tuple[int, int, int, int, tuple[int, ...]]


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
        _add_starts_by(model, crew, starters)
    for segment, successor, literal in model.runs:
        _keep_agent(model, segment, successor, literal)


def _add_starts_by(model: ScheduleModel, crew: tuple[str, ...], starters: Sequence[tuple[int, Version]]) -> None:
    head = crew[0]
    fixed_pieces = model.fixed_pieces.get(head, ())
    starts: list[tuple[int, Segment]] = []
    for i, version in starters:
        starts += [(i, segment) for segment in version.segments if head in segment.agents]
    blocks: list[tuple[int, Segment]] = []
    for j, segments in enumerate(model.segments):
        attended = (segment for segment in segments if segment.busy > 1 or (segment.busy and segment.end))
        blocks += [(j, segment) for segment in attended if head in segment.agents]
    cuts: list[tuple[int, tuple[int, ...]]] = []  # begins of segments, which a start at that moment would cut off
    for _, successor, literal in model.runs:
        if successor.busy and head in successor.agents:
            present = (literal, *successor.by(head))
            cuts.append((successor.start, present))
    has_breaks = any(block.end is not None for _, block in blocks)
    is_counted = starts_are_counted(len(crew), len(starts), len(blocks) + len(cuts))
    if is_counted and not fixed_pieces and not has_breaks:
        spans = []
        for _, block in blocks:
            spans.append(Inside(block.start, 1, block.busy - 1, block.by(head)))
        spans += [Inside(begin, 0, 1, present) for begin, present in cuts]
        moments: list[Start] = []
        for _, segment in starts:
            present = (*segment.starts_if, *segment.by(head))
            moments.append(Start(segment.start, present))
        keep_out(model.model, len(crew), spans, moments)
        return
    for i, segment in starts:
        model.model.deadline.check()  # the loop visits all pairs, also those without a constraint
        pairs: list[_Span] = []
        for j, block in blocks:
            if i != j and not model.never_inside(i, j):
                free_again, behind = (block.start, block.busy) if block.end is None else (block.end, 0)
                pairs.append((block.start, 0, free_again, behind, block.by(head)))
        pairs += [(begin, 1, begin, 1, present) for begin, present in cuts]
        pairs += [(begin, 0, end, 0, ()) for begin, end in fixed_pieces]
        if len(pairs) >= len(crew):
            _keep_out(model, segment, head, len(crew), pairs)


def _keep_out(model: ScheduleModel, segment: Segment, head: str, agents: int, spans: list[_Span]) -> None:
    cp_model = model.model
    inside: list[int] = []
    for begin, before, end, after, present in spans:
        both = (*segment.starts_if, *segment.by(head), *present)
        early = cp_model.boolean()
        late = negated(early)
        if agents > 1:
            late, within = cp_model.boolean(), cp_model.boolean()
            cp_model.clause(early, late, within)
            inside.append(within)
        cp_model.difference(begin, segment.start, before, early, *both)
        cp_model.difference(segment.start, end, after, late, *both)
    if inside:
        cp_model.at_most_sum(inside, agents - 1)


def _keep_agent(model: ScheduleModel, segment: Segment, successor: Segment, literal: int) -> None:
    for agent, literal_now in segment.agents.items():
        next_literal = successor.agents[agent]
        if literal_now is not None and next_literal is not None:
            model.model.clause(negated(literal), negated(literal_now), next_literal)
