"""Problems of AsyncPlan-XXL by name and from the released records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.asyncplanning.rules import PROFILES, Profile
from planoracle.instances.benchmarks.asyncplanning.step_facts import (
    SIZES,
    Edge,
    StepTask,
    bundled,
    duration_seconds,
    earliest_starts,
)
from planoracle.instances.errors import InputError
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Piece, Schedule

#: Maximum number of steps of a problem; the released ones have at most 100.
MAX_STEPS = 1_000
#: Longest duration that an instance may state, in ticks.
_MAX_TICKS = 10**9
#: Number of bundled problems of each size.
_PER_SIZE = 50
#: Most characters of the name of a problem in a file.
_MAX_NAME = 300
_LINE = re.compile(r"^Step ([0-9]{1,4})\. (.*)$", re.MULTILINE)
_ORDER = re.compile(r"^Step ([0-9]{1,4}) must precede Step ([0-9]{1,4})\.$", re.MULTILINE)
_BRACKET = re.compile(r"\(([^()]{1,80})\)")


#: Durations and orders of a problem.
_Content: TypeAlias = tuple[tuple[str, ...], tuple[Edge, ...]]


class StepOrigin(NamedTuple):
    """Facts of a problem of AsyncPlan-XXL, and the rules that it is encoded for.

    Attributes
    ----------
    facts
        Steps and order.
    rules
        Rules that determine durations and time limit.
    """

    facts: StepTask
    rules: Profile

    @property
    def has_released_durations(self) -> bool:
        """True for the released durations."""
        return self.rules.durations == "released"

    @property
    def seconds(self) -> list[Fraction]:
        """Durations of the steps in seconds."""
        return self.facts.seconds(released=self.has_released_durations)

    @property
    def right_time(self) -> Fraction:
        """Seconds that count as right: the released answer for released durations, else the optimum."""
        if self.has_released_durations:
            return Fraction(self.facts.released_answer)
        return self.facts.shortest_time()


ORIGIN = StepOrigin


@cache
def names() -> tuple[str, ...]:
    """Names such as ``xxl/5/9``, in the order of the released files, without reading the facts."""
    names_of_sizes: list[str] = []
    for size in SIZES:
        names_of_sizes.extend(f"xxl/{size}/{number}" for number in range(1, _PER_SIZE + 1))
    return tuple(names_of_sizes)


def load(name: str) -> Instance:
    """Return a bundled problem by a name such as ``xxl/5/9``.

    >>> problem = load("xxl/5/9")
    >>> problem.name, [action.duration for action in problem.actions][:3], longest_path(problem)
    ('asyncplanning/xxl/5/9', [1200, 300, 900], 173700)
    """
    return instance(bundled()[name], f"asyncplanning/{name}")


@lru_cache(maxsize=4096)
def _encoded(facts: StepTask, name: str, rules: Profile) -> Instance:
    """Encode a problem: each step occupies one agent, and there are as many agents as steps.

    Ticks are seconds, but minutes where a step takes longer than the model allows. A part of a second counts as a
    whole one: it is off all longest paths. The released graders accept the right time only, which is a time limit.
    """
    origin = StepOrigin(facts, rules)
    seconds = origin.seconds
    tick = 1 if max(seconds) <= _MAX_TICKS else 60
    labels = facts.sentences or ("",) * len(seconds)
    actions = []
    agents = []
    for number, (time, label) in enumerate(zip(seconds, labels, strict=True), 1):
        ticks = ceil(time / tick)
        agent = f"agent{number}"
        actions.append(Action(f"step/{number}", "step", ticks, ticks, agents=(agent,), label=label))
        agents.append(agent)
    lags = [Lag(f"step/{before}", f"step/{after}") for before, after in facts.edges]
    unit = "second" if tick == 1 else "minute"
    time_limit = int(origin.right_time / tick) if rules.is_released else None
    return Instance(
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        agents=tuple(agents),
        benchmark="asyncplanning",
        unit=unit,
        seconds_per_tick=tick,
        time_limit=time_limit,
        origin=origin,
    )


def instance(facts: StepTask, name: str, rules: Profile = PROFILES["paper"]) -> Instance:
    """Return a problem as some rules change it."""
    return _encoded(facts, name, rules.deciding())


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem as some rules change it."""
    origin = step_origin(problem)
    return problem if origin.rules == rules.deciding() else instance(origin.facts, problem.name, rules)


def step_origin(problem: Instance) -> StepOrigin:
    """Return the facts of a problem."""
    origin = (problem.rest_of or problem).origin
    assert isinstance(origin, StepOrigin)
    return origin


def action_of(name: str) -> str:
    """Return the action of a step such as ``step3``."""
    return name.replace("step", "step/", 1)


def name_of(action: str) -> str:
    """Return the step of an action such as ``step/3``."""
    return action.replace("/", "", 1)


@ProblemCache
def earliest_schedule(problem: Instance) -> Schedule:
    """Return the schedule in which every step starts as early as possible."""
    durations = [Fraction(action.duration) for action in problem.actions]
    place = {action.id: number for number, action in enumerate(problem.actions, 1)}
    edges = [(place[lag.before], place[lag.after]) for lag in problem.lags]
    starts = earliest_starts(durations, edges)
    assert starts is not None
    pieces = []
    for action, start, agent in zip(problem.actions, starts, problem.agents, strict=True):
        pieces.append(Piece(action.id, int(start), action.duration, agent))
    return Schedule.of(problem, pieces)


def longest_path(problem: Instance) -> int:
    """Return the optimum with an agent for every step, in ticks."""
    return earliest_schedule(problem).makespan


# --- released records -----------------------------------------------------------------------------


def file_of(name: str, folder: Path) -> str | None:
    """Return the problem of a name in a copy of the repository, ``None`` without its file."""
    _, size, number = name.split("/")
    file = f"nodes{size}_n50_s42_nlrewrite_openrouter-gemini-3-flash.json"
    for path in (folder / "data" / "async_planning" / file, folder / file):
        if path.is_file():
            return f"{path}#{file}/{size}/{number}"
    return None


def recognises(document: object) -> bool:
    """Return True for a released record, or a list of them."""
    rows = document if isinstance(document, list) else [document]
    first = rows[0] if rows else None
    return isinstance(first, dict) and isinstance(first.get("graph"), dict) and "step_to_node" in first["graph"]


def document(problem: Instance) -> dict[str, Any]:
    """Return a problem as a record like the released ones, with its name, and durations as texts.

    Nodes are numbered like steps.
    """
    facts = step_origin(problem).facts
    edges = [[before - 1, after - 1] for before, after in facts.edges]
    nodes = {str(node + 1): node for node in range(len(facts.durations))}
    durations = [int(seconds) for seconds in facts.seconds(released=True)]
    graph = {"edges": edges, "step_to_node": nodes, "durations": durations, "texts": list(facts.durations)}
    return {
        "name": problem.name,
        "question": facts.question,
        "answer": facts.released_answer,
        "task_title": facts.title,
        "graph": graph,
    }


def read(document: object, source: str) -> list[Instance]:
    """Return the problems of records; ids of the released ones count from 1 within a size."""
    rows = document if isinstance(document, list) else [document]
    file = Path(source).name
    problems = []
    try:
        for position, row in enumerate(rows):
            location = f"[{position}]" if isinstance(document, list) else "record"
            task = _task(_object(row, location), location)
            number = row.get("id", position + 1)
            name = row.get("name", f"{file}/{len(task.durations)}/{number}")
            if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME:
                raise InputError("must be text", field=f"{location}.name", value=name)
            problems.append(instance(task, name))
    except InputError as error:
        raise error.at(source) from None
    return problems


def _task(row: dict[str, Any], location: str) -> StepTask:
    """Return the problem of a record."""
    graph = _object(row.get("graph"), f"{location}.graph")
    numbers = _step_numbers(graph.get("step_to_node"), f"{location}.graph.step_to_node")
    released = _durations(graph.get("durations"), numbers, f"{location}.graph.durations")
    edges = tuple(sorted(set(_edges(graph.get("edges"), numbers, f"{location}.graph.edges"))))
    if earliest_starts([Fraction(time) for time in released], edges) is None:
        raise InputError("must have no cycle", field=f"{location}.graph.edges")
    answer = row.get("answer")
    if type(answer) is not int or not 0 <= answer <= 10**12:
        raise InputError("must be a whole number of seconds", field=f"{location}.answer", value=answer)
    question = row.get("question", "")
    if not isinstance(question, str):
        raise InputError("must be text", field=f"{location}.question", value=question)
    sentences, durations = _lines(question, len(released), f"{location}.question")
    durations = durations or _texts(graph.get("texts"), released, f"{location}.graph.texts")
    misread = {}
    for step, (text, time) in enumerate(zip(durations, released, strict=True), 1):
        if duration_seconds(text) != time:
            misread[step] = time
    title = str(row.get("task_title", ""))[:300]
    return StepTask(title, tuple(durations), edges, answer, misread, tuple(sentences), question)


def _step_numbers(value: Any, field: str) -> dict[int, int]:
    """Return the step number of every node; names of nodes are numbers from 0."""
    nodes = _object(value, field)
    count = len(nodes)
    steps = {str(number) for number in range(1, count + 1)}
    is_permutation = nodes.keys() == steps and all(type(node) is int for node in nodes.values())
    if not 0 < count <= MAX_STEPS or not is_permutation or set(nodes.values()) != set(range(count)):
        raise InputError(f"must map steps from 1 on (at most {MAX_STEPS}) to nodes from 0 on", field=field, value=value)
    return {node: int(step) for step, node in nodes.items()}


def _durations(value: Any, numbers: dict[int, int], field: str) -> list[int]:
    """Return the durations in the order of the steps."""
    is_list = isinstance(value, list) and len(value) == len(numbers)
    if not is_list or not all(type(time) is int and 0 <= time <= 10**11 for time in value):
        raise InputError(f"must be {len(numbers)} whole numbers of seconds", field=field, value=value)
    nodes = sorted(numbers, key=lambda node: numbers[node])
    return [value[node] for node in nodes]


def _texts(value: Any, released: list[int], field: str) -> list[str]:
    """Return the durations in words, by default the released numbers."""
    if value is None:
        return [f"{time} seconds" for time in released]
    is_list = isinstance(value, list) and len(value) == len(released)
    if not is_list or not all(isinstance(text, str) for text in value):
        raise InputError(f"must be {len(released)} texts", field=field, value=value)
    return list(value)


def _edges(value: Any, numbers: dict[int, int], field: str) -> Iterator[Edge]:
    """Yield the edges in step numbers."""
    if not isinstance(value, list) or len(value) > MAX_STEPS**2:
        raise InputError("must be a list of pairs of nodes", field=field, value=value)
    for position, edge in enumerate(value):
        is_pair = isinstance(edge, list) and len(edge) == 2 and all(type(node) is int for node in edge)
        if not is_pair or not set(edge) <= numbers.keys():
            message = f"must be two nodes below {len(numbers)}"
            raise InputError(message, field=f"{field}[{position}]", value=edge)
        before, after = edge
        yield numbers[before], numbers[after]


@cache
def _names_by_content() -> dict[_Content, str]:
    """Return the names of the bundled problems by durations and orders, which no two problems share."""
    return {(task.durations, task.edges): name for name, task in bundled().items()}


def name_of_question(question: str) -> str:
    """Return the bundled problem with the durations and orders of a question, ``""`` if there is none."""
    pairs = {(int(before), int(after)) for before, after in _ORDER.findall(question)}
    count = len(_LINE.findall(question))
    if not 0 < count <= MAX_STEPS:
        return ""
    try:
        _, durations = _lines(question, count, "question")
    except InputError:
        return ""
    return _names_by_content().get((tuple(durations), tuple(sorted(pairs))), "")


def _lines(question: str, count: int, field: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the steps and their durations: the last bracket of every line."""
    lines = {int(number): text for number, text in _LINE.findall(question)}
    if not lines:
        return [], []
    if lines.keys() != set(range(1, count + 1)):
        raise InputError(f"must have lines 'Step 1.' to 'Step {count}.'", field=field, value=sorted(lines)[:20])
    sentences, durations = [], []
    for number in range(1, count + 1):
        brackets = list(_BRACKET.finditer(lines[number]))
        if not brackets:
            raise InputError("must end with a time in brackets", field=field, value=lines[number])
        last = brackets[-1]
        duration_seconds(last[1])
        durations.append(last[1])
        sentences.append(lines[number][: last.start()].strip())
    return sentences, durations


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    return value
