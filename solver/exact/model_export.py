"""Interval model of an instance without bounds of our own, and its text for other solvers.

CP-SAT alone solves this model (``planoracle solve --engine cp-sat``), and ``planoracle solve --export`` writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from string import Template
from typing import Any

from planoracle import __version__
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NEVER, Deadline
from planoracle.instances.text import visible
from planoracle.solver.exact.bounds import Windows, common_tick, horizon, steps
from planoracle.solver.exact.cp_model import FAR
from planoracle.solver.exact.model_size import model_size
from planoracle.solver.exact.schedule_model import ScheduleModel

# Most steps of interruptible actions, largest model, and longest name of an action in the name of a variable.
_MOST_STEPS, _LARGEST_MODEL, _LONGEST = 10_000, 500_000, 60


def interval_model(instance: Instance, step: int, deadline: Deadline = NEVER) -> ScheduleModel:
    """Return the model whose starts are bounded by releases, the time limit and a trivial horizon only.

    Raises
    ------
    InputError
        If the model would be too large.
    TimeOverError
        After the deadline.
    """
    none = [0] * len(instance.actions)
    windows = Windows([action.release for action in instance.actions], none, none)
    if steps(instance, step) > _MOST_STEPS or model_size(instance, windows, step) > _LARGEST_MODEL:
        raise InputError("is too large for an interval model", field=instance.name)
    limits = (horizon(instance), instance.time_limit)
    most = min(limit for limit in limits if limit is not None)
    return ScheduleModel(instance, windows, step, 0, most, deadline=deadline)


def model_text(instance: Instance, ending: str) -> str:
    """Return the interval model of an instance as text: of CP-SAT's ``CpModelProto``, or in MiniZinc.

    Both have the same variables, named after the actions. Objectives are in ticks.

    Parameters
    ----------
    ending
        ``.pb`` or ``.mzn``.

    Raises
    ------
    InputError
        If the model would be too large.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> pair = Instance("p", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 0)), (Lag("t/a", "t/b", 0, 4),))
    >>> [line for line in model_text(pair, ".mzn").splitlines() if line.startswith("constraint start")]
    ['constraint start_2_t_b >= start_1_t_a + 2;', 'constraint start_1_t_a >= start_2_t_b - 6;']
    """
    model = interval_model(instance, common_tick(instance))
    proto: Any = model.model.proto
    for variable, name in enumerate(_names(model)):
        proto.variables[variable].name = name
    agents = ", ".join(f"{n} {agent}" for n, agent in enumerate(instance.agents, 1))
    head = [
        f"Interval model of {instance.name}, written by planoracle {__version__}.",
        f"One step is {model.step} {instance.unit}{'s' * (model.step > 1)}; the objective is in {instance.unit}s.",
        *(
            [f"Numbers of agents (only the first of interchangeable ones is used): {agents}."]
            if len(instance.agents) > 1
            else []
        ),
        "Starts and choices are named by number and name of their action, and by step if it is interruptible:",
        *(f"{n} {action.id}{action.label and ': '}{action.label}" for n, action in enumerate(instance.actions, 1)),
    ]
    if ending == ".mzn":
        return "".join(f"% {visible(line)}\n" for line in head) + _MiniZinc(model, proto).text()
    proto.name = visible(instance.name)
    proto.objective.scaling_factor = model.step
    topic = ""
    for number, constraint in enumerate(proto.constraints):
        topic = constraint.name = model.model.topics.get(number, topic)
    return "".join([*(f"# {visible(line)}\n" for line in head), str(proto)])


def _names(model: ScheduleModel) -> list[str]:
    """Return an identifier for every variable; the number of the action keeps them apart."""
    names = {model.makespan: "makespan_in_steps"}
    agents = {agent: n for n, agent in enumerate(model.instance.agents, 1)}
    for n, (action, segments, modes) in enumerate(
        zip(model.instance.actions, model.segments, model.modes, strict=True), 1
    ):
        own = f"{n}_{re.sub(r'[^A-Za-z0-9]+', '_', action.id).strip('_')[:_LONGEST]}"
        names |= {literal: f"mode_{m}_of_{own}" for m, literal in enumerate(modes, 1) if literal is not None}
        for k, segment in enumerate(segments, 1):
            part = own if len(segments) == 1 else f"{own}_{k}"
            names[segment.start] = f"start_{part}"
            names |= {
                literal: f"agent_{agents[agent]}_does_{part}"
                for agent, literal in segment.agents.items()
                if literal is not None
            }
    return [names.get(variable, f"choice_{variable}") for variable in range(model.model.variables)]


_MINIZINC = Template(r"""
include "cumulative.mzn";

int: step = $step; % ticks
$variables
var int: makespan = step * makespan_in_steps;
$constraints

solve minimize makespan;

array[int] of string: action = [$actions];
array[int] of var int: start = [$starts];
output ["makespan \(makespan)\n"] ++
  [action[i] ++ " starts at \(step * start[i])\n" | i in index_set(start)];
""")


class _MiniZinc:
    """Text of a model in MiniZinc, constraint by constraint."""

    def __init__(self, model: ScheduleModel, proto: Any) -> None:
        self.model, self.proto = model, proto
        self.names = [variable.name for variable in proto.variables]

    def text(self) -> str:
        """Return the text of the model."""
        domains = ["..".join(map(str, variable.domain)) for variable in self.proto.variables]
        kinds = ("bool" if _is_choice(name) else domain for name, domain in zip(self.names, domains, strict=True))
        return _MINIZINC.substitute(
            step=self.model.step,
            variables="\n".join(f"var {kind}: {name};" for kind, name in zip(kinds, self.names, strict=True)),
            constraints="\n".join(self.constraints()),
            actions=", ".join(json.dumps(visible(a.id), ensure_ascii=False) for a in self.model.instance.actions),
            starts=", ".join(self.names[segments[0].start] for segments in self.model.segments),
        )

    def constraints(self) -> Iterator[str]:
        """Yield the lines of the constraints, with their topics."""
        for number, constraint in enumerate(self.proto.constraints):
            if topic := self.model.model.topics.get(number):
                yield f"\n% {visible(topic)}"
            if not constraint.has_interval():  # intervals are written where they are used
                yield f"constraint {self.constraint(constraint)};"

    def constraint(self, one: Any) -> str:
        """Return a constraint."""
        if one.has_cumulative():
            demands = [demand.offset for demand in one.cumulative.demands]
            return self.cumulative(one.cumulative.intervals, demands, one.cumulative.capacity.offset)
        if one.has_no_overlap():
            return self.cumulative(one.no_overlap.intervals, [1] * len(one.no_overlap.intervals), 1)
        if one.has_bool_or():
            return " \\/ ".join(map(self.literal, one.bool_or.literals)) or "false"
        if one.has_exactly_one():
            return f"{_sum([f'bool2int({self.literal(literal)})' for literal in one.exactly_one.literals])} = 1"
        condition = self.all_of(one.enforcement_literal)
        return f"{condition} -> {self.linear(one.linear)}" if condition else self.linear(one.linear)

    def cumulative(self, intervals: Iterable[int], demands: Sequence[int], capacity: int) -> str:
        """Return the constraint of a capacity; absent intervals demand nothing."""
        uses = [self.proto.constraints[interval] for interval in intervals]
        starts = [_sum([self.names[use.interval.start.vars[0]]], use.interval.start.offset) for use in uses]
        present = [self.all_of(use.enforcement_literal) for use in uses]
        needs = [f"{demand} * bool2int({one})" if one else demand for demand, one in zip(demands, present, strict=True)]
        rows = (starts, [use.interval.size.offset for use in uses], needs)
        return (
            f"cumulative({', '.join(f'[{texts}]' for texts in (', '.join(map(str, row)) for row in rows))}, {capacity})"
        )

    def linear(self, one: Any) -> str:
        """Return a linear constraint, with positive terms on the left and negative ones on the right."""
        sides: tuple[list[str], list[str]] = ([], [])
        for variable, factor in zip(one.vars, one.coeffs, strict=True):
            name = f"bool2int({self.names[variable]})" if _is_choice(self.names[variable]) else self.names[variable]
            sides[factor < 0].append(name if abs(factor) == 1 else f"{abs(factor)} * {name}")
        positive, (least, most) = _sum(sides[0]), one.domain
        bounds = [f"{positive} >= {_sum(sides[1], least)}"] if least > -FAR else []
        bounds += [f"{positive} <= {_sum(sides[1], most)}"] if most < FAR else []
        return " /\\ ".join(bounds)

    def literal(self, number: int) -> str:
        """Return a Boolean variable or its negation."""
        return self.names[number] if number >= 0 else f"not {self.names[-number - 1]}"

    def all_of(self, literals: Iterable[int]) -> str:
        """Return the conjunction of literals."""
        return " /\\ ".join(map(self.literal, literals))


def _is_choice(name: str) -> bool:
    """Return whether a variable is Boolean."""
    return name.startswith(("mode_", "agent_", "choice_"))


def _sum(terms: Sequence[str], constant: int = 0) -> str:
    """Return a sum of terms and a constant."""
    text = " + ".join(terms)
    if not text or not constant:
        return text or str(constant)
    return f"{text} {'+' if constant > 0 else '-'} {abs(constant)}"
