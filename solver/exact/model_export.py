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
from planoracle.instances.model.features import Component, Feature, features_of
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.limits import NO_LIMIT, Deadline
from planoracle.instances.text import visible
from planoracle.solver.exact.bounds import Windows, common_tick, horizon, steps
from planoracle.solver.exact.cp_model import FAR
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.model_size import has_many_off_times, model_size
from planoracle.solver.exact.schedule_model import ScheduleModel

#: Features of which MiniZinc models are not written.
MINIZINC = Component("the export of MiniZinc models", frozenset({Feature.TRANSITIONS}))

# Most steps of interruptible actions, and largest model.
_MOST_STEPS, _LARGEST_MODEL = 10_000, 500_000
# Longest name of an action in the name of a variable.
_LONGEST = 60


def interval_model(instance: Instance, step: int, deadline: Deadline = NO_LIMIT) -> ScheduleModel:
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
    last = latest_end(instance) if features_of(instance) else horizon(instance)
    latest_makespan = last if instance.time_limit is None else min(last, instance.time_limit)
    is_large = steps(instance, step) > _MOST_STEPS or model_size(instance, windows, step) > _LARGEST_MODEL
    if is_large or has_many_off_times(instance, latest_makespan):
        raise InputError("is too large for an interval model", field=instance.name)
    return ScheduleModel(instance, windows, step, 0, latest_makespan, deadline=deadline)


def model_text(instance: Instance, ending: str) -> str:
    """Return the interval model of an instance as text: of CP-SAT's ``CpModelProto``, or in MiniZinc.

    Both have the same variables, named after the actions. Objectives are in ticks. With optional tasks the objective is
    the makespan less a number for each unit of weight, which is greater than any makespan.

    Parameters
    ----------
    ending
        ``.pb`` or ``.mzn``.

    Raises
    ------
    InputError
        If the model would be too large, or `MINIZINC` refuses a feature of the instance.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Lag
    >>> pair = Instance("p", (Action("t/a", "t", 2, 2), Action("t/b", "t", 3, 0)), (Lag("t/a", "t/b", 0, 4),))
    >>> [line for line in model_text(pair, ".mzn").splitlines() if line.startswith("constraint start")]
    ['constraint start_2_t_b >= start_1_t_a + 2;', 'constraint start_1_t_a >= start_2_t_b - 6;']
    """
    if ending == ".mzn":
        MINIZINC.check(instance)
    model = interval_model(instance, common_tick(instance))
    if instance.optional:
        weights = [(model.executed[task], -weight * _per_weight(model)) for task, weight in instance.optional]
        model.model.minimize_sum([(model.makespan, 1), *weights])
    proto: Any = model.model.proto
    for variable, name in enumerate(_names(model)):
        proto.variables[variable].name = name
    heading = _heading(model)
    if ending == ".mzn":
        return _comment("%", heading) + _MiniZinc(model, proto).text()
    proto.name = visible(instance.name)
    proto.objective.scaling_factor = model.step
    topic = ""
    for number, constraint in enumerate(proto.constraints):
        topic = constraint.name = model.model.topics.get(number, topic)
    return _comment("#", heading) + str(proto)


def _per_weight(model: ScheduleModel) -> int:
    """Return the steps that a unit of weight is worth: more than any makespan."""
    return model.last_tick // model.step + 1


def _heading(model: ScheduleModel) -> Iterator[str]:
    """Yield the lines above a model."""
    instance, step = model.instance, model.step
    unit = instance.unit
    yield f"Interval model of {instance.name}, written by planoracle {__version__}."
    units = unit + "s" * (step > 1)
    yield f"One step is {step} {units}; the objective is in {unit}s."
    if instance.optional:
        ticks_per_weight = _per_weight(model) * step
        yield f"The objective is the makespan, less {ticks_per_weight} for each unit of weight of optional tasks."
    if len(instance.agents) > 1:
        numbered_agents = [f"{n} {agent}" for n, agent in enumerate(instance.agents, 1)]
        agents = ", ".join(numbered_agents)
        yield f"Numbers of agents (only the first of interchangeable ones is used): {agents}."
    yield "Starts and choices are named by number and name of their action, and by step if it is interruptible:"
    for n, action in enumerate(instance.actions, 1):
        label = f": {action.label}" if action.label else ""
        yield f"{n} {action.id}{label}"


def _comment(mark: str, lines: Iterable[str]) -> str:
    texts = map(visible, lines)
    return "".join(f"{mark} {text}\n" for text in texts)


def _names(model: ScheduleModel) -> list[str]:
    """Return an identifier for every variable; the number of the action keeps them apart."""
    names = {model.makespan: "makespan_in_steps"}
    for number, executed in enumerate(model.executed.values(), 1):
        names[executed] = f"mode_of_optional_task_{number}"
    agents = {agent: n for n, agent in enumerate(model.instance.agents, 1)}
    rows = zip(model.instance.actions, model.segments, model.modes, strict=True)
    for n, (action, segments, modes) in enumerate(rows, 1):
        identifier = re.sub(r"[^A-Za-z0-9]+", "_", action.id).strip("_")
        action_name = f"{n}_{identifier[:_LONGEST]}"
        for m, literal in enumerate(modes, 1):
            if literal is not None:
                names.setdefault(literal, f"mode_{m}_of_{action_name}")
        for k, segment in enumerate(segments, 1):
            part = action_name if len(segments) == 1 else f"{action_name}_{k}"
            names.setdefault(segment.start, f"start_{part}")
            if segment.end is not None:
                names[segment.end] = f"end_{part}"
                names[segment.length] = f"length_{part}"
            for agent, literal in segment.agents.items():
                if literal is not None:
                    names[literal] = f"agent_{agents[agent]}_does_{part}"
    variables = range(model.model.variables)
    for variable, domain in zip(variables, model.model.domains(), strict=True):
        is_literal = tuple(domain) == (0, 1)
        names.setdefault(variable, f"{'choice' if is_literal else 'number'}_{variable}")
    return [names[variable] for variable in variables]


_MINIZINC = Template(r"""
include "cumulative.mzn";

int: step = $step; % ticks
$variables
var int: makespan = step * makespan_in_steps;
$constraints

solve minimize $objective;

array[int] of string: action = [$actions];
array[int] of var int: start = [$starts];
output ["makespan \(makespan)\n"] ++
  [action[i] ++ " starts at \(step * start[i])\n" | i in index_set(start)$condition];
""")


class _MiniZinc:
    """Text of a model in MiniZinc, constraint by constraint."""

    def __init__(self, model: ScheduleModel, proto: Any) -> None:
        self.model, self.proto = model, proto
        self.names = [variable.name for variable in proto.variables]

    def text(self) -> str:
        """Return the text of the model."""
        names = (visible(action.id) for action in self.model.instance.actions)
        actions = [json.dumps(name, ensure_ascii=False) for name in names]
        starts = [self.names[segments[0].start] for segments in self.model.segments]
        return _MINIZINC.substitute(
            step=self.model.step,
            variables="\n".join(self.variables()),
            constraints="\n".join(self.constraints()),
            objective=self.objective(),
            condition=self.condition(),
            actions=", ".join(actions),
            starts=", ".join(starts),
        )

    def variables(self) -> Iterator[str]:
        """Yield the lines of the variables."""
        for name, variable in zip(self.names, self.proto.variables, strict=True):
            if _is_choice(name):
                yield f"var bool: {name};"
            else:
                domain = "..".join(map(str, variable.domain))
                yield f"var {domain}: {name};"

    def objective(self) -> str:
        """Return the makespan in ticks, less so many for each unit of weight of optional tasks."""
        model = self.model
        if not model.executed:
            return "makespan"
        weights = model.instance.weights
        terms = [f"{weights[task]} * bool2int({self.names[literal]})" for task, literal in model.executed.items()]
        return f"makespan - {_per_weight(model) * model.step} * ({_sum(terms)})"

    def condition(self) -> str:
        """Return the condition that the action at a position is executed, of which the start is written."""
        if not self.model.executed:
            return ""
        executed = ["true" if literal is None else self.literal(literal) for literal in self.model.present]
        return f" where fix([{', '.join(executed)}][i])"

    def constraints(self) -> Iterator[str]:
        """Yield the lines of the constraints, with their topics."""
        for number, constraint in enumerate(self.proto.constraints):
            if topic := self.model.model.topics.get(number):
                yield f"\n% {visible(topic)}"
            if not constraint.has_interval():  # intervals are written where they are used
                yield f"constraint {self.constraint(constraint)};"

    def constraint(self, constraint: Any) -> str:
        """Return the text of a constraint."""
        if constraint.has_cumulative():
            cumulative = constraint.cumulative
            demands = [demand.offset for demand in cumulative.demands]
            return self.cumulative(cumulative.intervals, demands, cumulative.capacity.offset)
        if constraint.has_no_overlap():
            intervals = constraint.no_overlap.intervals
            return self.cumulative(intervals, [1] * len(intervals), 1)
        if constraint.has_bool_or():
            literals = map(self.literal, constraint.bool_or.literals)
            return " \\/ ".join(literals) or "false"
        if constraint.has_exactly_one():
            literals = map(self.literal, constraint.exactly_one.literals)
            terms = [f"bool2int({literal})" for literal in literals]
            return f"{_sum(terms)} = 1"
        condition = self.all_of(constraint.enforcement_literal)
        linear = self.linear(constraint.linear)
        return f"{condition} -> {linear}" if condition else linear

    def cumulative(self, intervals: Iterable[int], demands: Sequence[int], capacity: int) -> str:
        """Return the constraint of a capacity; absent intervals demand nothing."""
        starts: list[str] = []
        sizes: list[str] = []
        needs: list[str] = []
        for number, demand in zip(intervals, demands, strict=True):
            use = self.proto.constraints[number]
            start = use.interval.start
            variable = start.vars[0]
            starts.append(_sum([self.names[variable]], start.offset))
            length = use.interval.size
            sizes.append(_sum([self.names[variable] for variable in length.vars], length.offset))
            present = self.all_of(use.enforcement_literal)
            needs.append(f"{demand} * bool2int({present})" if present else str(demand))
        arrays = ", ".join(f"[{', '.join(texts)}]" for texts in (starts, sizes, needs))
        return f"cumulative({arrays}, {capacity})"

    def linear(self, linear: Any) -> str:
        """Return a linear constraint, with positive terms on the left and negative ones on the right."""
        positive_terms: list[str] = []
        negative_terms: list[str] = []
        for variable, factor in zip(linear.vars, linear.coeffs, strict=True):
            name = self.names[variable]
            number = f"bool2int({name})" if _is_choice(name) else name
            side = negative_terms if factor < 0 else positive_terms
            size = abs(factor)
            side.append(number if size == 1 else f"{size} * {number}")
        if len(linear.domain) > 2:
            return self.in_ranges(linear)
        lower, upper = linear.domain
        left_side = _sum(positive_terms)
        bounds = []
        if lower > -FAR:
            right_side = _sum(negative_terms, lower)
            bounds.append(f"{left_side} >= {right_side}")
        if upper < FAR:
            right_side = _sum(negative_terms, upper)
            bounds.append(f"{left_side} <= {right_side}")
        return " /\\ ".join(bounds)

    def in_ranges(self, linear: Any) -> str:
        """Return that a variable has a value in one of several ranges."""
        (variable,) = linear.vars
        bounds = [*linear.domain]
        ranges = [f"{first}..{last}" for first, last in zip(bounds[::2], bounds[1::2], strict=True)]
        return f"{self.names[variable]} in {' union '.join(ranges)}"

    def literal(self, number: int) -> str:
        """Return a Boolean variable or its negation."""
        if number < 0:
            variable = -number - 1
            return f"not {self.names[variable]}"
        name: str = self.names[number]
        return name

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
    sign = "+" if constant > 0 else "-"
    return f"{text} {sign} {abs(constant)}"
