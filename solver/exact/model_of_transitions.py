"""Constraints of ways and set-up times in the CP-SAT model: the visits of a member form one circuit.

Node 0 is the time before the first visit and after the last. It has an arc to itself only if there is no visit, because
a circuit of visits of length 0 with ways of 0 ticks would satisfy all differences of starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from planoracle.instances.model.agents import interchangeable
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.transition_rules import MAX_TIED_VISITS
from planoracle.instances.model.transitions import Ways, ticks_between
from planoracle.solver.exact.bounds import shortest_duration
from planoracle.solver.exact.cp_model import FAR, negated
from planoracle.solver.exact.segments import Segment, literals

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel


@dataclass(frozen=True, slots=True)
class _Visit:
    """A segment at which an agent or a resource is at a place or family.

    Attributes
    ----------
    action
        Position of the action.
    step
        Number of the segment among the steps of its version.
    place
        Place or family.
    end, behind
        A variable, and the steps behind it at which the visit ends.
    length
        Steps that it lasts at least.
    present
        Literal that it happens; ``None`` if it always does.
    """

    action: int
    step: int
    place: str
    start: int
    end: int
    behind: int
    length: int
    present: int | None


class Arc(NamedTuple):
    """A visit that may come directly after another one.

    Attributes
    ----------
    earlier, later
        Variables of the starts.
    literal
        Literal that it does.
    """

    earlier: int
    later: int
    literal: int


def add_transitions(model: ScheduleModel) -> Iterator[Arc]:
    """Let ways and set-up times lie between the visits of agents and resources; yield the arcs."""
    agents = set(model.instance.agents)
    for crew in _ordered_crews(model.instance):
        for before, after in pairwise(crew):
            _number(model, before, after)
    for transitions in model.instance.transitions:
        ways = transitions.ways()
        start_of = dict(transitions.start)
        for member in transitions.members:
            visits = _visits_of_agent(model, member) if member in agents else _visits_of_resource(model, member)
            model.model.topics[model.model.constraints] = f"transitions of {member}"
            yield from _add_circuit(model, list(visits), ways, start_of.get(member))


def _ordered_crews(instance: Instance) -> Iterator[tuple[str, ...]]:
    """Yield the groups of interchangeable agents that the model tells apart.

    It does so only for their ways. They are ordered by the first action that each does, which breaks their symmetry: if
    one does an action, the agent before it does that or an earlier one. Models that tell other agents apart ask which
    of them does an action, and refuse ways.
    """
    travellers: set[str] = set()
    for transitions in instance.transitions:
        travellers.update(transitions.members)
    for crew in interchangeable(instance):
        if travellers.issuperset(crew):
            yield crew


def in_order_of_agents(instance: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule in which interchangeable agents have names that the model allows."""
    first_action: dict[str, int] = {}
    for piece in schedule.pieces:
        if piece.agent is not None:
            number = instance.index[piece.action]
            first_action[piece.agent] = min(number, first_action.get(piece.agent, number))
    new_name: dict[str, str] = {}
    for crew in _ordered_crews(instance):
        active = sorted((agent for agent in crew if agent in first_action), key=first_action.__getitem__)
        by_first_action = [*active, *(agent for agent in crew if agent not in first_action)]
        new_name |= dict(zip(by_first_action, crew, strict=True))
    pieces = [piece._replace(agent=new_name.get(piece.agent or "", piece.agent)) for piece in schedule.pieces]
    return Schedule.of(instance, pieces)


def _number(model: ScheduleModel, before: str, after: str) -> None:
    """Let an agent do an action only if the one before it does that or an earlier action."""
    earlier: list[int] = []
    for segments in model.segments:
        for segment in segments:
            if before in segment.agents:
                earlier += segment.by(before)
        for segment in segments:
            if after in segment.agents:
                model.model.clause(*map(negated, segment.by(after)), *earlier)


def _visits_of_agent(model: ScheduleModel, agent: str) -> Iterator[_Visit]:
    for i, action in enumerate(model.instance.actions):
        for version in model.versions[i]:
            for step, segment in enumerate(version.segments):
                if agent in segment.agents:
                    assert action.place is not None, "validation requires a place"
                    present = model.all_of(segment.by(agent))
                    yield _visit(i, step, action.place, segment, segment.busy, present)


def _visits_of_resource(model: ScheduleModel, resource: str) -> Iterator[_Visit]:
    for i, action in enumerate(model.instance.actions):
        for version in model.versions[i]:
            for number in version.modes:
                families = [demand.family for demand in action.modes[number].demands if demand.resource == resource]
                for family in families:
                    assert family is not None, "validation requires a family"
                    for step, segment in enumerate(version.segments):
                        conditions = (*literals(model.modes[i][number]), *literals(segment.present))
                        present = model.all_of(tuple(dict.fromkeys(conditions)))
                        yield _visit(i, step, family, segment, segment.size, present)


def _visit(action: int, step: int, place: str, segment: Segment, length: int, present: int | None) -> _Visit:
    """Return the visit of a segment, for its first steps."""
    end, behind = segment.start, length
    if length and segment.end is not None:
        end, behind = segment.end, 0
    return _Visit(action, step, place, segment.start, end, behind, length, present)


def _add_circuit(model: ScheduleModel, visits: list[_Visit], ways: Ways, first_place: str | None) -> Iterator[Arc]:
    """Let the visits that happen follow each other, with a way between any two and before the first."""
    cp_model, step = model.model, model.step
    if not visits:
        return
    arcs: list[tuple[int, int, int]] = []
    spent: list[tuple[int, int]] = []  # ways and lengths of the visits, which pass before the end
    for head, visit in enumerate(visits, 1):
        way = 0 if first_place is None else ticks_between(ways, first_place, visit.place)
        if way is not None:
            comes_first = cp_model.boolean()
            arcs.append((0, head, comes_first))
            cp_model.linear([(visit.start, 1)], way // step, FAR, comes_first)
            spent.append((comes_first, way // step))
        arcs.append((head, 0, cp_model.boolean()))
    for tail, earlier in enumerate(visits, 1):
        for head, later in enumerate(visits, 1):
            way = ticks_between(ways, earlier.place, later.place)
            if way is None or not _may_follow(model, earlier, later):
                continue
            follows = cp_model.boolean()
            arcs.append((tail, head, follows))
            yield Arc(earlier.start, later.start, follows)
            cp_model.difference(later.start, earlier.end, earlier.behind + way // step, follows)
            spent.append((follows, way // step))
    constant = 0
    for node, visit in enumerate(visits, 1):
        if visit.present is None:
            constant += visit.length
        else:
            arcs.append((node, node, negated(visit.present)))
            spent.append((visit.present, visit.length))
    if all(visit.present is not None for visit in visits):
        is_unused = cp_model.boolean()
        arcs.append((0, 0, is_unused))
        for visit in visits:
            cp_model.clause(negated(is_unused), *(negated(literal) for literal in literals(visit.present)))
    cp_model.circuit(arcs)
    positive = [(literal, ticks) for literal, ticks in spent if ticks]
    cp_model.linear([(model.makespan, 1), *((literal, -ticks) for literal, ticks in positive)], constant, FAR)
    _limit_ties(model, visits)


def _limit_ties(model: ScheduleModel, visits: list[_Visit]) -> None:
    """Let no more visits of length 0 be at one instant than the rules order."""
    instants = [visit for visit in visits if not visit.length]
    if len(instants) > MAX_TIED_VISITS:
        steps = [model.model.interval(visit.start, 1, *literals(visit.present)) for visit in instants]
        model.model.capacity([(interval, 1) for interval in steps], MAX_TIED_VISITS)


def _may_follow(model: ScheduleModel, earlier: _Visit, later: _Visit) -> bool:
    """Return whether a visit may come directly after another one.

    Visits of length 0 at one instant come in any order, also if one action precedes the other and takes no time.
    """
    if earlier.action == later.action:
        return earlier.step < later.step
    if not model.is_before(later.action, earlier.action):
        return True
    takes_no_time = not shortest_duration(model.instance.actions[later.action])
    return takes_no_time and not (earlier.length or later.length)
