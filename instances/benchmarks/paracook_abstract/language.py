"""Plans: a list of tasks for every agent, without times; as JSON, or within what a model wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from planoracle.instances.benchmarks.paracook.language import text_of, value_of
from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.benchmarks.paracook_abstract.problems import by_name, holders, name_of
from planoracle.instances.benchmarks.paracook_abstract.rules import carry_out
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output import reading as outputs
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.characters import spoken
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.protocol.plan import Plan, Reading

#: Largest number of an agent in a plan, since every smaller number gets a list.
MAX_LISTS = 1_000

_AGENT = re.compile(r"\b(?:agent|cook|chef|worker|robot|person)s?[\s_#-]{0,3}(\d{1,4}|(?-i:[A-Z]))\b", re.IGNORECASE)
_DIGITS, _WORD, _ASIDE = re.compile(r"\d+"), re.compile(r"[^\W\d_]{2,}"), re.compile(r"\([^()]*\)")
_HEAD = re.compile(r"[\s#>*_`\d.)-]{0,12}(cook \w{1,4})(?:'s)?(?: [a-z]{1,12}){0,3}[\s:*_`#-]{0,9}", re.IGNORECASE)
_LISTED = re.compile(r"[\s#>*_`-]{0,12}(cook \w{1,4})[\s:=*_`]{1,9}\[([^\[\]{}]*)\][\s,.;]{0,9}")
_REMARK = re.compile(r"\s[\u2013\u2014-]\s|[\w*_`]:\s")
_DEEP = 10  # levels of chats and objects
_JSON = re.compile(r"[\"\[\]{}`|]")
_LISTS = ("tasks", "subtasks", "list", "sequence", "order", "schedule", "plan", "actions")
_TASKS = ("task", "subtask", "name", "action", "task_name")
_AGENTS = ("agent", "agent_id", "cook", "worker", "chef", "who")


def written(problem: Instance, schedule: Schedule) -> list[list[str]]:
    """Write a schedule: for every agent its tasks in order."""
    rows: dict[str | None, list[str]] = {agent: [] for agent in problem.agents}
    for piece in schedule.pieces:
        rows[piece.agent].append(name_of(piece.action))
    return list(rows.values())


def schedule(problem: Instance, plan: Plan[list[list[object]]]) -> Schedule:
    """Return when the lists are carried out; raises `PlanError` for a name that is no task, or lists of nobody."""
    known = by_name(problem)
    agents = holders(problem, plan.commands)
    for number, one in enumerate(plan.commands):
        if one and agents[number] not in problem.agents:
            raise PlanError(f"is a list for nobody: there are {len(problem.agents)} agents", field=f"plan[{number}]")
        for place, name in enumerate(one):
            if not isinstance(name, str) or name not in known:
                raise PlanError("there is no such task", field=f"plan[{number}][{place}]", value=name)
    entries = carry_out(problem, plan.commands).entries
    return Schedule.of(
        problem, (Piece(known[one.task].id, one.start, one.end - one.start, agents[one.place[0]]) for one in entries)
    )


def commands(problem: Instance, given: object, rules: Profile) -> list[list[object]]:
    """Return the lists of a plan, see `reading`."""
    return reading(problem, given, rules).commands


def reading(problem: Instance, given: object, rules: Profile) -> Reading[list[list[object]]]:
    """Read a plan: a list of lists, the same as JSON text, or within what a model wrote.

    To the released letter text is what `released` says, else `planoracle.instances.model_output` finds lists, objects
    with a
    list for every agent, and lines such as ``agent 1: subtask3, subtask1``.

    Raises
    ------
    PlanError
        If it is none of these, or if it does not say which agent does a task.
    """
    if isinstance(given, list) and all(isinstance(one, list) for one in given):
        return _as_lists(given, "list as given")
    if not isinstance(given, str | list | dict) or (isinstance(given, list) and not any(map(_says, given))):
        raise PlanError("must be a list with a list of tasks for each agent, or text", field="plan", value=given)
    if rules.answers == "released":
        return _as_lists(released(text_of(given)), "whole text")
    value = whole_value(given) if isinstance(given, str) else None
    given = value if isinstance(value, str) else given
    if isinstance(value, list) and all(isinstance(one, list) for one in value):
        return _as_lists(value, "JSON value")
    grammar = _Steps(problem)
    found = outputs.read(_told(given), grammar)
    sure = found.commands and (not found.unread or any(step.form != "text" for step in found.commands))
    if rules.refuse_unread and isinstance(given, str) and not sure:
        lost = grammar.named(spoken(given)[0]) - {step.task for step in found.commands}
        if lost:
            raise PlanError("is named in the text, but not clearly in the list of an agent", value=min(map(str, lost)))
    return found.of(lambda steps: _lists(problem, steps))


def _says(part: object) -> bool:
    """Whether a part of a list can say anything of a plan."""
    return isinstance(part, str | list | dict)


def _told(given: object, depth: int = 0) -> object:
    """Say in every line of a text whose tasks it has, and call agents cooks: ``agent:`` would say who speaks."""
    if isinstance(given, str):
        return "\n".join(_with_agents(_AGENT.sub(r"cook \1", given).split("\n")))
    if isinstance(given, list) and depth < _DEEP:
        return [_told(one, depth + 1) for one in given]
    if isinstance(given, dict) and depth < _DEEP:
        return {name: _told(held, depth + 1) for name, held in given.items()}
    return given


def _with_agents(lines: Iterable[str]) -> Iterator[str]:
    """Name the agent of a heading in all lines below it, and take the brackets of a list behind an agent away."""
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
            plain = agent and line.strip() and not _JSON.search(line) and _AGENT.search(line) is None
            yield f"{line} ({agent})" if plain else line


def _as_lists(lists: list[list[object]], where: str) -> Reading[list[list[object]]]:
    return Reading(lists, sum(map(len, lists)), where, 0)


# --- to the letter ---------------------------------------------------------------------------------


def released(text: str) -> list[list[object]]:
    """Return the lists of an answer as the released code reads it; raises `PlanError` where it reads none.

    >>> released("[['a'], []]")
    [['a'], []]
    """
    value = value_of(text)
    if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
        raise PlanError("is no answer to the released code: no list of lists", field="plan")
    return value


# --- as models write -------------------------------------------------------------------------------


class ListedTask(NamedTuple):
    """A task as a model gives it.

    Attributes
    ----------
    agent
        Number of the agent as written, ``None`` where that is not said.
    task
        Its name, or what stands in its place.
    form
        ``list``: of lists, which are counted from 1; ``object``; or ``text``.
    """

    agent: int | None
    task: object
    form: str = "text"


class _Steps(Grammar[ListedTask]):
    """Tasks by their names, and whose they are."""

    unique = True

    def __init__(self, problem: Instance) -> None:
        self.problem = problem
        self._plain = {_plain(name): name for name in by_name(problem)}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        """Names of tasks, and what looks like them: with another number, or a space before it."""
        shapes = {_DIGITS.sub("0", name) for name in by_name(self.problem)}
        parts = sorted(
            (r"[\s_-]?\d{1,6}".join(map(re.escape, one.split("0"))) for one in shapes), key=len, reverse=True
        )
        return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])", re.IGNORECASE)

    def _name(self, text: str) -> str:
        return self._plain.get(_plain(text), text)

    def find(self, text: str) -> list[StepMatch[ListedTask]]:
        """Return the tasks in a line that holds little else, for the agent that it names, or that is before them.

        Asides are left out. A line of many words, or that names several agents but not before their tasks, says nothing
        that is clear.
        """
        plain = self._without_remark(_ASIDE.sub(" ", text))
        words = _WORD.findall(_AGENT.sub(" ", self._names.sub(" ", plain)))
        steps = [*self._by_agent(text, plain)]
        if len(words) > 2 + len(steps):
            return []
        return [StepMatch(0 if number else len(text), step) for number, step in enumerate(steps)]

    def _without_remark(self, text: str) -> str:
        """Leave out what stands behind a dash or a colon, if no task and no agent does."""
        last = max((one.end() for form in (self._names, _AGENT) for one in form.finditer(text)), default=1)
        sign = _REMARK.search(text, last - 1)
        return text if sign is None else text[: sign.start() + 1]

    def _by_agent(self, text: str, plain: str) -> Iterator[ListedTask]:
        agents = [*_AGENT.finditer(text)]
        numbers = {_number(one[1]) for one in agents}
        if len(numbers) < 2:
            yield from (
                ListedTask(min(numbers, default=None), self._name(one[0])) for one in self._names.finditer(plain)
            )
            return
        agents = [*_AGENT.finditer(plain)]
        if agents and self._names.search(plain, 0, agents[0].start()) is None:
            for one, behind in zip_longest(agents, agents[1:]):
                end = len(plain) if behind is None else behind.start()
                yield from (
                    ListedTask(_number(one[1]), self._name(it[0])) for it in self._names.finditer(plain, one.end(), end)
                )

    def named(self, text: str) -> set[object]:
        """Return the tasks of the problem that a text names anywhere."""
        return {self._plain[name] for one in self._names.finditer(text) if (name := _plain(one[0])) in self._plain}

    def of(self, value: object) -> list[ListedTask] | None:
        """Return the tasks of a list of lists, or of an object with lists of agents."""
        if isinstance(value, list):
            if value and all(isinstance(one, list) for one in value):
                return [
                    ListedTask(number, self._said(name), "list")
                    for number, one in enumerate(value, 1)
                    for name in _tasks(one)
                ]
            if value and all(isinstance(one, str) and _plain(one) in self._plain for one in value):
                return [ListedTask(None, self._said(name), "object") for name in value]
            return None
        if not isinstance(value, dict):
            return None
        own = {name: held for name, held in value.items() if isinstance(held, list) and _agent_of(name) is not None}
        if own and all(name in own or isinstance(held, str) for name, held in value.items()):
            return [
                ListedTask(_agent_of(name), self._said(task), "object") for name in own for task in _tasks(own[name])
            ]
        return self._of_one(value)

    def _of_one(self, value: Mapping[str, object]) -> list[ListedTask] | None:
        """Return the tasks of an object for one agent, which it names."""
        named = {name.lower().replace(" ", "_"): held for name, held in value.items()}
        agent = next((_agent_of(named[name]) for name in _AGENTS if name in named), None)
        if agent is None:
            return None
        tasks = next((named[name] for name in _LISTS if isinstance(named.get(name), list)), None)
        if isinstance(tasks, list):
            return [ListedTask(agent, self._said(one), "object") for one in _tasks(tasks)]
        task = next((named[name] for name in _TASKS if isinstance(named.get(name), str)), None)
        return None if task is None else [ListedTask(agent, self._said(task), "object")]

    def _said(self, name: object) -> object:
        return self._name(name) if isinstance(name, str) else name

    def row(self, cells: Mapping[str, str]) -> list[ListedTask] | None:
        """Return the tasks of a row of a table: with a column for every agent, or one that names it."""
        agents = {head: _agent_of(head) for head in cells}
        if any(number is not None for number in agents.values()):
            return [
                ListedTask(agents[head], self._name(one[0]))
                for head, held in cells.items()
                if agents[head] is not None
                for one in self._names.finditer(held)
            ] or None
        number = next((_agent_of(held) for head, held in cells.items() if head in _AGENTS), None)
        found = [one.step for one in self.find(" ".join(cells.values()))]
        return [step if number is None else step._replace(agent=number) for step in found] or None

    def looks(self, text: str, free: bool) -> bool:
        """Whether a line names tasks."""
        return self._names.search(text) is not None

    def key(self, step: ListedTask) -> str:
        """Return the task."""
        return str(step.task)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else ord(text.upper()) - ord("A") + 1


def _agent_of(said: object) -> int | None:
    """Return the number of an agent that is named, or is a number."""
    if isinstance(said, int) and not isinstance(said, bool):
        return said if 0 <= said < 10_000 else None
    if not isinstance(said, str) or len(said) > 40:
        return None
    if said.strip().isdecimal():
        return int(said) if len(said.strip()) < 5 else None
    found = _AGENT.search(said)
    return None if found is None else _number(found[1])


def _tasks(names: Iterable[object]) -> Iterable[object]:
    """Yield the names of tasks, of objects what they call so."""
    for one in names:
        held = one
        if isinstance(one, dict):
            held = next((one[name] for name in _TASKS if isinstance(one.get(name), str)), one)
        yield held


def steps_in(problem: Instance, text: str) -> list[ListedTask]:
    """Return the tasks in a message of a live run, whose agent may not be said."""
    return outputs.read(_told(text), _Steps(problem)).commands


def _lists(problem: Instance, steps: list[ListedTask]) -> list[list[object]]:
    first = 0 if any(step.agent == 0 for step in steps) else 1
    rows: dict[int, list[object]] = {}
    only = first if len(problem.agents) == 1 else None
    said: set[object] = set()
    for step in steps:
        agent = only if step.agent is None else step.agent
        if agent is None:
            raise PlanError("does not say which agent does it", field="plan", value=step.task)
        if step.form == "text" and step.task in said:
            raise PlanError("stands in the text twice, so that its place is not clear", field="plan", value=step.task)
        said |= {step.task} if step.form == "text" else set()
        rows.setdefault(agent - first, []).append(step.task)
    if max(rows, default=0) >= MAX_LISTS:
        raise PlanError(f"holds more than {MAX_LISTS} lists", field="plan")
    return [rows.get(number, []) for number in range(max(rows, default=-1) + 1)]
