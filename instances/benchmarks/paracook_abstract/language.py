"""Plans of ParaCook's abstract part: one task list per agent, as JSON or in model output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, zip_longest
from typing import NamedTuple, TypeGuard

from planoracle.instances.benchmarks.paracook.language import text_of, value_of
from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, list_agents, name_of
from planoracle.instances.benchmarks.paracook_abstract.rules import PROFILES, ListSimulator
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.characters import without_thinking
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.plan import Plan, Reading

#: Maximum number of lists: an agent's number must be smaller, since every smaller number gets a list.
MAX_LISTS = 1_000

_AGENT = re.compile(r"\b(?:agent|cook|chef|worker|robot|person)s?[\s_#-]{0,3}(\d{1,4}|(?-i:[A-Z]))\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PARENTHESES = re.compile(r"\([^()]*\)")
_HEAD = re.compile(r"[\s#>*_`\d.)-]{0,12}(cook \w{1,4})(?:'s)?(?: [a-z]{1,12}){0,3}[\s:*_`#-]{0,9}", re.IGNORECASE)
_LISTED = re.compile(r"[\s#>*_`-]{0,12}(cook \w{1,4})[\s:=*_`]{1,9}\[([^\[\]{}]*)\][\s,.;]{0,9}")
_REMARK = re.compile(r"\s[\u2013\u2014-]\s|[\w*_`]:\s")
_MAX_LINE = 2_000  # characters of a line in which names are searched
_DEEP = 10  # levels of chats and objects
_JSON = re.compile(r"[\"\[\]{}`|]")
_LISTS = ("tasks", "subtasks", "list", "sequence", "order", "schedule", "plan", "actions")
_TASKS = ("task", "subtask", "name", "action", "task_name")
_AGENTS = ("agent", "agent_id", "cook", "worker", "chef", "who")


def lists_of(problem: Instance, pieces: Iterable[Piece]) -> list[list[object]]:
    """Return for every agent the tasks of some pieces in order of their starts; other actions are ignored."""
    rows: dict[str | None, list[object]] = {agent: [] for agent in problem.agents}
    for piece in sorted(pieces, key=lambda piece: piece.start):
        if piece.action in problem.by_id:
            rows[piece.agent].append(name_of(piece.action))
    return list(rows.values())


def written(problem: Instance, schedule: Schedule) -> list[list[object]]:
    """Write a schedule: for every agent its tasks in order."""
    return lists_of(problem, schedule.pieces)


def schedule(problem: Instance, plan: Plan[list[list[object]]]) -> Schedule:
    """Return the schedule of the lists; raises `PlanError` for unknown tasks or too many lists."""
    tasks = by_name(problem)
    agents = list_agents(problem, plan.commands)
    for number, names in enumerate(plan.commands):
        if names and agents[number] not in problem.agents:
            message = f"has no agent; the problem has {len(problem.agents)}"
            raise PlanError(message, field=f"plan[{number}]")
        for place, name in enumerate(names):
            if not isinstance(name, str) or name not in tasks:
                raise PlanError("there is no such task", field=f"plan[{number}][{place}]", value=name)
    record = ListSimulator(problem, PROFILES["paper"]).carry_out(plan.commands)
    pieces: list[Piece] = []
    for entry in record.entries:
        number, _ = entry.place
        action = tasks[entry.task]
        duration = entry.end - entry.start
        pieces.append(Piece(action.id, entry.start, duration, agents[number]))
    return Schedule.of(problem, pieces)


def reading(problem: Instance, submitted: object, rules: Profile) -> Reading[list[list[object]]]:
    """Read a plan: a list of lists, the same as JSON text, or model output.

    With ``answers=released`` `released` reads text. Else `planoracle.instances.model_output` finds lists, objects with
    a list for every agent, and lines such as ``agent 1: subtask3, subtask1``.

    Raises
    ------
    PlanError
        For other submissions, or if a task has no agent.
    """
    if _is_list_of_lists(submitted):
        return _as_lists(submitted, "list as given")
    if not _is_readable(submitted):
        raise PlanError("must be a list with a list of tasks for each agent, or text", field="plan", value=submitted)
    if rules.answers == "released":
        return _as_lists(released(text_of(submitted)), "whole text")
    value = whole_value(submitted) if isinstance(submitted, str) else None
    submitted = value if isinstance(value, str) else submitted
    if _is_list_of_lists(value):
        return _as_lists(value, "JSON value")
    grammar = _Steps(problem)
    output = read_output(_with_agents_as_cooks(submitted), grammar)
    is_structured = any(step.form != "text" for step in output.commands)
    is_clear = is_structured or (output.commands and not output.unread)
    if rules.refuse_unread and isinstance(submitted, str) and not is_clear:
        mentioned = grammar.find_mentioned(without_thinking(submitted)[0])
        unread = mentioned - {step.task for step in output.commands}
        if unread:
            task = min(map(str, unread))
            raise PlanError("names this task in the text, but not clearly its agent", field="plan", value=task)
    return output.of(lambda steps: _lists(problem, steps))


def _is_list_of_lists(value: object) -> TypeGuard[list[list[object]]]:
    return isinstance(value, list) and all(isinstance(entry, list) for entry in value)


def _is_readable(submitted: object) -> bool:
    """Return true for text, an object, and a list that contains a text, a list or an object."""
    if isinstance(submitted, list):
        return any(isinstance(part, str | list | dict) for part in submitted)
    return isinstance(submitted, str | dict)


def _with_agents_as_cooks(part: object, depth: int = 0) -> object:
    """Write the agent of a heading into every line below it, as a cook, since ``agent:`` names a speaker."""
    if isinstance(part, str):
        named = _AGENT.sub(r"cook \1", part)
        if "\n" not in named and _HEAD.fullmatch(named):  # the agent of an object, not a heading
            return named
        return "\n".join(_with_agents(named.split("\n")))
    if isinstance(part, list) and depth < _DEEP:
        return [_with_agents_as_cooks(inner_part, depth + 1) for inner_part in part]
    if isinstance(part, dict) and depth < _DEEP:
        return {name: _with_agents_as_cooks(content, depth + 1) for name, content in part.items()}
    return part


def _with_agents(lines: Iterable[str]) -> Iterator[str]:
    """Name the agent of a heading in all lines below it; remove brackets of a list after an agent."""
    agent = ""
    for line in lines:
        head = _HEAD.fullmatch(line)
        listed = _LISTED.fullmatch(line)
        if head is not None:
            agent = head[1]
            yield ""
        elif listed is not None:
            yield f"{listed[1]}: {listed[2]}"
        else:
            is_plain = agent and line.strip() and not _JSON.search(line) and _AGENT.search(line) is None
            yield f"{line} ({agent})" if is_plain else line


def _as_lists(lists: list[list[object]], source: str) -> Reading[list[list[object]]]:
    return Reading(lists, sum(map(len, lists)), source, 0)


# --- released reading ------------------------------------------------------------------------------


def released(text: str) -> list[list[object]]:
    """Return the lists of an answer as the released code reads it; raises `PlanError` where it reads none.

    >>> released("[['a'], []]")
    [['a'], []]
    """
    value = value_of(text)
    if not _is_list_of_lists(value):
        raise PlanError("cannot be read by the released code: it is not a list of lists", field="plan")
    return value


# --- model output ----------------------------------------------------------------------------------


class ListedTask(NamedTuple):
    """Task in model output.

    Attributes
    ----------
    agent
        Number of the agent as written, ``None`` if the text has none.
    task
        Its name, or another value in its place.
    form
        ``list`` (item of a list of lists, which are counted from 1), ``object`` or ``text``.
    """

    agent: int | None
    task: object
    form: str = "text"


class _Steps(Grammar[ListedTask]):
    """Grammar of tasks by name, with their agents."""

    unique = True

    def __init__(self, problem: Instance) -> None:
        self.problem = problem
        self._plain = {_plain(name): name for name in by_name(problem)}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Pattern of task names, also with other numbers or a space before the number."""
        shapes = {_DIGITS.sub("0", name) for name in by_name(self.problem)}
        patterns = []
        for shape in shapes:
            literals = map(re.escape, shape.split("0"))
            patterns.append(r"[\s_-]?\d{1,6}".join(literals))
        parts = sorted(patterns, key=len, reverse=True)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])", re.IGNORECASE)

    def _name(self, text: str) -> str:
        return self._plain.get(_plain(text), text)

    def find(self, text: str) -> list[StepMatch[ListedTask]]:
        """Return the tasks in a line with few other words, for the agent that it names.

        Parentheses are ignored. A line of many words, or with several agents that do not precede their tasks, is not
        clear and has no match.
        """
        plain = self._without_remark(_PARENTHESES.sub(" ", text))
        without_tasks = self._names.sub(" ", plain)
        words = _WORD.findall(_AGENT.sub(" ", without_tasks))
        steps = [*self._by_agent(text, plain)]
        if len(words) > 2 + len(steps):
            return []
        lengths = [len(text)] + [0] * len(steps)
        return [StepMatch(length, step) for length, step in zip(lengths, steps, strict=False)]

    def _without_remark(self, text: str) -> str:
        """Remove text after a dash or a colon, unless it contains a task or an agent."""
        matches = chain(self._names.finditer(text), _AGENT.finditer(text))
        last = max((match.end() for match in matches), default=1)
        sign = _REMARK.search(text, last - 1)
        return text if sign is None else text[: sign.start() + 1]

    def _by_agent(self, text: str, plain: str) -> Iterator[ListedTask]:
        numbers = {_number(agent[1]) for agent in _AGENT.finditer(text)}
        if len(numbers) < 2:
            number = min(numbers, default=None)
            for match in self._names.finditer(plain):
                yield ListedTask(number, self._name(match[0]))
            return
        agents = [*_AGENT.finditer(plain)]
        if agents and self._names.search(plain, 0, agents[0].start()) is None:
            for agent, next_agent in zip_longest(agents, agents[1:]):
                end = len(plain) if next_agent is None else next_agent.start()
                number = _number(agent[1])
                for match in self._names.finditer(plain, agent.end(), end):
                    yield ListedTask(number, self._name(match[0]))

    def find_mentioned(self, text: str) -> set[object]:
        """Return the tasks of the problem that a text names anywhere."""
        names = (_plain(match[0]) for match in self._names.finditer(text))
        return {self._plain[name] for name in names if name in self._plain}

    def of(self, value: object) -> list[ListedTask] | None:
        """Return the tasks of a list of lists, or of an object with lists of agents."""
        if isinstance(value, list):
            return self._of_list(value)
        if not isinstance(value, dict):
            return None
        lists = {}
        for name, entry in value.items():
            if isinstance(entry, list) and _agent_of(name) is not None:
                lists[name] = entry
        further = [entry for name, entry in value.items() if name not in lists]
        if lists and all(isinstance(entry, str) for entry in further):
            steps: list[ListedTask] = []
            for name, names in lists.items():
                steps += self._steps(_agent_of(name), names, "object")
            return steps
        return self._of_object(value)

    def _of_list(self, value: list[object]) -> list[ListedTask] | None:
        """Return the tasks of a list of lists, or of a list of names."""
        if not value:
            return None
        if _is_list_of_lists(value):
            steps: list[ListedTask] = []
            for number, names in enumerate(value, 1):
                steps += self._steps(number, names, "list")
            return steps
        if all(isinstance(name, str) and _plain(name) in self._plain for name in value):
            return [ListedTask(None, self._task_name(name), "object") for name in value]
        return None

    def _steps(self, agent: int | None, names: Iterable[object], form: str) -> list[ListedTask]:
        """Return the tasks of a list for an agent."""
        return [ListedTask(agent, self._task_name(name), form) for name in _tasks(names)]

    def _of_object(self, value: Mapping[str, object]) -> list[ListedTask] | None:
        """Return the tasks of an object that names one agent."""
        named = {}
        for name, entry in value.items():
            named[name.lower().replace(" ", "_")] = entry
        agent = next((_agent_of(named[name]) for name in _AGENTS if name in named), None)
        if agent is None:
            return None
        lists = (named.get(name) for name in _LISTS)
        tasks = next((entry for entry in lists if isinstance(entry, list)), None)
        if tasks is not None:
            return self._steps(agent, tasks, "object")
        texts = (named.get(name) for name in _TASKS)
        task = next((entry for entry in texts if isinstance(entry, str)), None)
        if task is None:
            return None
        return [ListedTask(agent, self._task_name(task), "object")]

    def _task_name(self, name: object) -> object:
        return self._name(name) if isinstance(name, str) else name

    def row(self, cells: Mapping[str, str]) -> list[ListedTask] | None:
        """Return the tasks of a row of a table: with a column for every agent, or one that names it."""
        agents = {head: _agent_of(head) for head in cells}
        if any(number is not None for number in agents.values()):
            steps: list[ListedTask] = []
            for head, number in agents.items():
                if number is not None:
                    names = self._names.finditer(cells[head])
                    steps += [ListedTask(number, self._name(name[0])) for name in names]
            return steps or None
        numbers = (_agent_of(cell) for head, cell in cells.items() if head in _AGENTS)
        number = next(numbers, None)
        matches = self.find(" ".join(cells.values()))
        steps = [match.step for match in matches]
        if number is not None:
            steps = [step._replace(agent=number) for step in steps]
        return steps or None

    def looks(self, text: str, free: bool) -> bool:
        """Return true if a line names tasks."""
        return self._names.search(text) is not None

    def mentions(self, text: str) -> bool:
        """Return true if a line contains the name of a task, also within a word."""
        plain = _plain(text[:_MAX_LINE])
        return any(name in plain for name in self._plain)

    def key(self, step: ListedTask) -> str:
        """Return the task."""
        return str(step.task)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return ord(text.upper()) - ord("A") + 1


def _agent_of(name: object) -> int | None:
    """Return the number of an agent from a name or a number."""
    if isinstance(name, int) and not isinstance(name, bool):
        return name if 0 <= name < 10_000 else None
    if not isinstance(name, str) or len(name) > 40:
        return None
    if name.strip().isdecimal():
        return int(name) if len(name.strip()) < 5 else None
    match = _AGENT.search(name)
    return None if match is None else _number(match[1])


def _tasks(names: Iterable[object]) -> Iterable[object]:
    """Yield the names of tasks; of objects the value of a field for a name."""
    for task in names:
        if isinstance(task, dict):
            texts = (task.get(field) for field in _TASKS)
            yield next((text for text in texts if isinstance(text, str)), task)
        else:
            yield task


def steps_in(problem: Instance, text: str) -> list[ListedTask]:
    """Return the tasks in a message of a live run, perhaps without their agents."""
    return read_output(_with_agents_as_cooks(text), _Steps(problem)).commands


def _lists(problem: Instance, steps: list[ListedTask]) -> list[list[object]]:
    first = 0 if any(step.agent == 0 for step in steps) else 1
    rows: dict[int, list[object]] = {}
    only = first if len(problem.agents) == 1 else None
    seen: set[object] = set()
    for step in steps:
        agent = only if step.agent is None else step.agent
        if agent is None:
            raise PlanError("names no agent for this task", field="plan", value=step.task)
        if step.form == "text" and step.task in seen:
            raise PlanError("contains this task twice, so its place is not clear", field="plan", value=step.task)
        if step.form == "text":
            seen.add(step.task)
        rows.setdefault(agent - first, []).append(step.task)
    if max(rows, default=0) >= MAX_LISTS:
        raise PlanError(f"contains more than {MAX_LISTS} lists", field="plan")
    last = max(rows, default=-1)
    return [rows.get(number, []) for number in range(last + 1)]
