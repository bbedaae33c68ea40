"""AsyncTool problems: sub-tasks with reference calls, tool families, delays, and their instance."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from planoracle.instances.benchmarks.asynctool.tools.base import ToolFamily
from planoracle.instances.benchmarks.asynctool.tools.calculation import Formats, Generation, Numbers, Text
from planoracle.instances.benchmarks.asynctool.tools.class_family import family_of_class
from planoracle.instances.benchmarks.asynctool.tools.communication import Messages, Posts, Tickets
from planoracle.instances.benchmarks.asynctool.tools.devices import Files, Records, Vehicle
from planoracle.instances.benchmarks.asynctool.tools.purchases import Trading, Travel
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.strict_json import parse_expression
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.protocol import tool_classes

#: Longest call string, in characters.
MAX_CALL = 20_000
#: Deepest nesting of lists and objects in parameters.
MAX_DEPTH = 32
#: Largest number: one that Python can print.
MAX_NUMBER = 10**4300 - 1


@dataclass(frozen=True)
class Call:
    """A call of a tool; parameters are JSON values by name."""

    name: str
    params: dict[str, Any]

    @cached_property
    def key(self) -> tuple[str, Any]:
        """Equal for calls of the same tool with the same parameters, whatever their order."""
        return self.name, canonical(self.params)

    def __str__(self) -> str:
        values = [f"{name}={value!r}" for name, value in self.params.items()]
        params = ", ".join(values)
        return f"{self.name}({params})"


def canonical(value: Any) -> Any:
    """Return a hashable form of a JSON value, equal for equal values.

    Numbers are equal by value; truth values and text are never equal to numbers.

    >>> canonical({"a": 1, "b": [True]}) == canonical({"b": [True], "a": 1.0})
    True
    >>> canonical(1) == canonical(True) or canonical(1) == canonical("1")
    False
    """
    match value:
        case bool():
            return "bool", value
        case dict():
            entries = ((name, canonical(entry)) for name, entry in value.items())
            return "object", frozenset(entries)
        case list() | tuple():
            return "list", tuple(map(canonical, value))
    return value


def too_deep(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Return true if lists and objects are nested deeper than ``depth``."""
    if not isinstance(value, dict | list):
        return False
    entries = value.values() if isinstance(value, dict) else value
    return not depth or any(too_deep(entry, depth - 1) for entry in entries)


def parse_call(text: str, order: dict[str, tuple[str, ...]] | None = None) -> Call:
    """Read a call such as ``mv(source='a', destination='b')``. Nothing is evaluated.

    Parameters
    ----------
    order
        Names of the parameters of every tool in order; lets values be given by position.

    Raises
    ------
    InputError
        For anything but one call with literal values.

    Examples
    --------
    >>> parse_call("place(kind='Buy', amount=-20, tags=['a'])").params
    {'kind': 'Buy', 'amount': -20, 'tags': ['a']}
    """
    if not isinstance(text, str) or len(text) > MAX_CALL:
        raise InputError(f"must be a call of at most {MAX_CALL} characters", value=text)
    try:
        call = parse_expression(text.strip()).body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise InputError("must be a call such as f(a=1)", value=text)
        names = (order or {}).get(call.func.id, ())
        if len(call.args) > len(names):
            raise InputError("values must be given by name", value=text)
        by_name = ((keyword.arg, keyword.value) for keyword in call.keywords)
        arguments = [*zip(names, call.args, strict=False), *by_name]
        params = {name: _literal(node, text) for name, node in arguments if name is not None}
    except (SyntaxError, ValueError, RecursionError):
        raise InputError("must be a call such as f(a=1)", value=text) from None
    if len(params) < len(arguments):
        raise InputError("must give each parameter once, by name", value=text)
    if too_deep(params):
        raise InputError("is nested too deeply", value=text)
    return Call(call.func.id, params)


def _literal(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Constant(value=str() | bool() | None as value):
            return value
        case ast.Constant(value=int() | float() as value) if value <= MAX_NUMBER:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value) as operand) if (
            not isinstance(value, bool)
        ):
            return -_literal(operand, text)
        case ast.List(elts=entries) | ast.Tuple(elts=entries):
            return [_literal(entry, text) for entry in entries]
        case ast.Dict(keys=keys, values=values) if all(
            isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys
        ):
            pairs = zip(keys, values, strict=True)
            entries_by_key = {key.value: _literal(entry, text) for key, entry in pairs}  # type: ignore[union-attr]
            if len(entries_by_key) == len(keys):
                return entries_by_key
    raise InputError("values must be literals: text, numbers, true, false, none, lists, objects", value=text)


#: Bundled tool families by name.
FAMILIES: dict[str, type[ToolFamily]] = {
    "files": Files,
    "formats": Formats,
    "generation": Generation,
    "messages": Messages,
    "numbers": Numbers,
    "posts": Posts,
    "records": Records,
    "text": Text,
    "tickets": Tickets,
    "trading": Trading,
    "travel": Travel,
    "vehicle": Vehicle,
}


class _NoTools(ToolFamily):
    """Executor of a sub-task without tools: every call returns ``None`` and changes nothing."""

    def call(self, name: str, params: Mapping[str, Any]) -> Any:
        return None


def family_of(name: str | None) -> type[ToolFamily]:
    """Return a tool family, bundled or a class of tools; calls of the family ``None`` return nothing.

    Raises
    ------
    InputError
        For an unknown family, or a class of tools that is not accepted.
    """
    if name is None:
        return _NoTools
    if name in FAMILIES:
        return FAMILIES[name]
    classes = tool_classes.by_name()
    if name not in classes:
        names = ", ".join([*FAMILIES, *classes])
        raise InputError(f"must be one of {names}; --tools FILE adds classes", field="family", value=name)
    return family_of_class(classes[name])


#: Longest delay, in turns.
MAX_DELAY = 1_000


@dataclass(frozen=True)
class Delays:
    """Delays of results: the result of a call in turn t with delay d can be used in turn t + 1 + d.

    Attributes
    ----------
    least, most
        Range of delays. The delay of a call is drawn from ``seed``, the sub-task's id and the number of the call
        within the sub-task, so a plan cannot change delays.
    tools
        Delays of single tools; these take precedence.
    """

    least: int = 1
    most: int = 1
    seed: int = 0
    tools: Mapping[str, int] = field(default_factory=dict)

    @property
    def constant(self) -> bool:
        """True if all calls have the same delay."""
        tools_agree = all(delay == self.least for delay in self.tools.values())
        return self.least == self.most and tools_agree

    def of(self, task: str, number: int, tool: str) -> int:
        """Return the delay of the call with a number (from 0) within its sub-task."""
        if tool in self.tools:
            return self.tools[tool]
        if self.least == self.most:
            return self.least
        text = f"{self.seed}/{number}/{task}"
        call = text.encode(errors="backslashreplace")
        digest = blake2b(call, digest_size=8).digest()
        number_of_delays = self.most - self.least + 1
        return self.least + int.from_bytes(digest, "big") % number_of_delays

    @classmethod
    def parse(cls, text: str) -> Delays:
        """Read ``1``, ``0-2`` or ``0-2:seed``; raises `UnknownNameError`.

        >>> Delays.parse("0-1:7")
        Delays(least=0, most=1, seed=7, tools={})
        """
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4})(?::(\d{1,9}))?)?", text, re.ASCII)
        shortest = int(match[1]) if match else 1
        longest = int(match[2]) if match and match[2] else shortest
        if not match or not shortest <= longest <= MAX_DELAY:
            raise UnknownNameError(
                "must be a number of turns, a range, or a range with a seed, such as 1, 0-1 or 1-2:7",
                field="delay",
                value=text,
            )
        return cls(shortest, longest, int(match[3] or 0))


@dataclass(frozen=True)
class ReferenceResults:
    """Results of the reference calls of a sub-task in order, and the final state."""

    results: tuple[Any, ...]
    state: Any


@dataclass(frozen=True)
class SubTask:
    """One of the tasks on which an agent works concurrently.

    Attributes
    ----------
    id
        Identifier that the agent must give with every call.
    question
        Instruction for the agent.
    reference_calls
        Calls that solve the sub-task, in order (the ground truth).
    family
        Executor, see `planoracle.instances.benchmarks.asynctool.problem_model.family_of`.
    documents
        Documents of the offered tools, by name.
    initial
        Initial state.
    """

    id: str
    question: str
    reference_calls: tuple[Call, ...]
    family: str | None
    documents: dict[str, dict[str, Any]]
    initial: dict[str, Any]

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Names of the reference calls as actions of an instance: ``task/number function``, numbered from 1."""
        names = []
        for number, call in enumerate(self.reference_calls, 1):
            names.append(f"{self.id}/{number} {call.name}")
        return tuple(names)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields: results and states may contain objects of a class that another process lacks."""
        return {name: value for name, value in vars(self).items() if name != "solved"}

    @cached_property
    def solved(self) -> ReferenceResults:
        """Results and final state of the reference calls."""
        executor = family_of(self.family)(self.initial)
        calls = self.reference_calls
        results = tuple(executor.call(call.name, call.params) for call in calls)
        return ReferenceResults(results, executor.state())


@dataclass(frozen=True)
class AsyncToolProblem:
    """Concurrent sub-tasks, with one call per turn."""

    name: str
    tasks: tuple[SubTask, ...]
    delays: Delays = field(default_factory=Delays)

    @cached_property
    def by_id(self) -> dict[str, SubTask]:
        """Sub-tasks by id."""
        return {task.id: task for task in self.tasks}

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Distinct families of the sub-tasks, in alphabetical order."""
        return tuple(sorted({str(task.family) for task in self.tasks}))

    @property
    def size(self) -> str:
        """Kind and number of the sub-tasks: ``similar 2``, or ``cross 2`` if they have several families."""
        kind = "cross" if len(self.families) > 1 else "similar"
        return f"{kind} {len(self.tasks)}"

    @cached_property
    def reference_delays(self) -> dict[str, tuple[int, ...]]:
        """Delay of every reference call, by sub-task."""
        return {task.id: self._delays_of(task) for task in self.tasks}

    def _delays_of(self, task: SubTask) -> tuple[int, ...]:
        """Return the delay of every reference call of a sub-task."""
        delays = []
        for number, call in enumerate(task.reference_calls):
            delays.append(self.delays.of(task.id, number, call.name))
        return tuple(delays)


#: Action of the closing message.
CLOSE = "closing/ALL COMPLETED"


def instance(problem: AsyncToolProblem) -> Instance:
    """Encode a problem: a call occupies the agent for one turn, its result arrives ``delay`` turns later.

    The last action is the closing message, after all calls; it need not wait for the last results (paper,
    Figure 12), and it counts in the makespan.
    """
    actions, lags = [], []
    for task in problem.tasks:
        actions += [Action(id, task.id, duration=1, attended=1) for id in task.actions]
        delays = problem.reference_delays[task.id]
        steps = zip(task.actions, task.actions[1:], delays, strict=False)
        lags += [Lag(before, after, delay) for before, after, delay in steps]
        lags.append(Lag(task.actions[-1], CLOSE))
    actions.append(Action(CLOSE, "closing", duration=1, attended=1))
    return Instance(
        name=problem.name,
        actions=tuple(actions),
        lags=tuple(lags),
        benchmark="asynctool",
        unit="turn",
        origin=problem,
    )


def optimal_turns(problem: AsyncToolProblem, *, strict: bool = True) -> int | None:
    """Return the minimum number of turns in closed form, closing message included.

    With constant delay d and g = d + 1, chains of n calls need ``max(sum n, (max n - 1) g + k)`` turns, k being the
    number of longest chains. A round-robin schedule with a period of g turns reaches this bound.

    Parameters
    ----------
    strict
        If false, calls need not wait for results but only follow one another, as if no data passed between them.

    Returns
    -------
    int or None
        ``None`` if delays differ; the solver computes the optimum then.
    """
    lengths = [len(task.reference_calls) for task in problem.tasks]
    if not strict:
        return sum(lengths) + 1
    if not problem.delays.constant:
        return None
    longest = max(lengths)
    period = problem.delays.least + 1
    longest_chains = (longest - 1) * period + lengths.count(longest)
    return max(sum(lengths), longest_chains) + 1


def problem_of(instance: Instance) -> AsyncToolProblem:
    """Return the problem that an instance encodes."""
    if not isinstance(instance.origin, AsyncToolProblem):
        raise InputError("is not an AsyncTool problem", field="origin", value=instance.origin)
    return instance.origin
