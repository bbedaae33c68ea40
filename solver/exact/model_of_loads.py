"""Redundant constraints of the CP-SAT model: the work of every resource and crew fits before the end.

They follow from capacities and durations, but only as sums over the modes and agents that are chosen; as linear
constraints they give bounds that propagation of intervals does not see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planoracle.solver.exact.cp_model import FAR
from planoracle.solver.exact.segments import literals

if TYPE_CHECKING:
    from planoracle.solver.exact.schedule_model import ScheduleModel


class _Load:
    """Work of one resource or crew, in units times steps."""

    def __init__(self) -> None:
        self.constant = 0
        self.terms: list[tuple[int, int]] = []

    def add(self, work: int, conditions: tuple[int, ...]) -> None:
        """Add work that is done if all literals hold; work of several conditions is left out."""
        if not conditions:
            self.constant += work
        elif len(conditions) == 1 and conditions[0] >= 0:
            self.terms.append((conditions[0], work))


def add_loads(model: ScheduleModel) -> None:
    """State for each resource and crew with a choice that its work fits before the makespan."""
    for resource in model.instance.resources:
        if resource.renewable and resource.capacity and resource.state is None:
            _add_load(model, load_of_resource(model, resource.name), resource.capacity)
    for crew in model.crews:
        _add_load(model, load_of_crew(model, crew[0]), len(crew))


def _add_load(model: ScheduleModel, load: _Load, capacity: int) -> None:
    if load.terms:
        terms = [(model.makespan, capacity), *((literal, -work) for literal, work in load.terms)]
        model.model.linear(terms, load.constant, FAR)


def load_of_resource(model: ScheduleModel, resource: str) -> _Load:
    """Return the work of all actions on a resource, without settings, which may share the room of others."""
    load = _Load()
    for i, action in enumerate(model.instance.actions):
        for version in model.versions[i]:
            for number in version.modes:
                conditions = (*literals(model.modes[i][number]), *literals(version.present))
                steps = version.duration // model.step
                for demand in action.modes[number].demands:
                    if demand.resource == resource and demand.sets is None:
                        load.add(demand.amount * steps, tuple(dict.fromkeys(conditions)))
    return load


def load_of_crew(model: ScheduleModel, head: str) -> _Load:
    """Return the attended work of a crew, named by its first agent."""
    load = _Load()
    for versions in model.versions:
        for version in versions:
            for segment in version.segments:
                if head in segment.agents:
                    load.add(segment.busy, segment.by(head))
    return load
