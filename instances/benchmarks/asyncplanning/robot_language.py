"""Plans for kitchens: a text with a line for each action, for episodes a text for each stage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planoracle.instances.benchmarks.asyncplanning.robot_facts import STACK, TICKS, RobotTask
from planoracle.instances.benchmarks.asyncplanning.robot_lines import Line, in_order, lines_in
from planoracle.instances.benchmarks.asyncplanning.robot_outcome import commit
from planoracle.instances.benchmarks.asyncplanning.robot_rules import RobotRules
from planoracle.instances.benchmarks.asyncplanning.robot_tasks import robot_origin
from planoracle.instances.errors import PlanError
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.protocol.plan import NO_PLAN, Plan, Reading

# Fields of the released log with the text of a stage: of a model, and of a solver after a model.
_STAGE_FIELDS = ("response", "solver_plan")
# Start of a line that is meant as an action.
_LOOKS = re.compile(r"[-*•\s]*\d+(?:\.\d+)?\s*s?\s*:\s*\(")
# Line of `wait_line`.
_WAITED = re.compile(r"0\.000: \(wait_until\)  \[([0-9]{1,6})\.([0-9]{3})\]")


@dataclass(frozen=True, slots=True)
class RobotPlan(Schedule):
    """Plan as lines; its pieces are the actions of the problem among them.

    Attributes
    ----------
    stages
        Lines of every stage in the order of the text, with starts relative to the stage. A task has one stage.
    waited_until
        Tick up to which a live run has waited, which no rule considers; 0 if it has not.
    """

    stages: tuple[tuple[Line, ...], ...] = ()
    waited_until: int = 0


def texts_of(submitted: object, is_online: bool) -> list[str]:
    """Return the texts of a plan: one for a task, one for each stage of an episode.

    Parameters
    ----------
    submitted
        Text, chat, list of texts, or the released log of an episode: objects with one of `_STAGE_FIELDS`.
    is_online
        True for an episode.

    Raises
    ------
    PlanError
        For any other value.
    """
    texts: list[str] = []
    for entry in _entries_of(submitted):
        text = _text_in(entry)
        if not isinstance(text, str):
            accepted = "a text for each stage" if is_online else "text with a line for each action"
            raise PlanError(f"must be {accepted}", field="plan", value=submitted)
        texts.append(text)
    return texts if is_online else ["\n".join(texts)]


def _entries_of(submitted: object) -> Sequence[object]:
    """Return the messages, stages or texts of a plan."""
    value = _json_value(submitted) if isinstance(submitted, str) else submitted
    chat = chat_in(value)
    if chat is not None:
        return ["\n".join(map(str, contents(message))) for message in chat if is_agents(message)]
    if isinstance(value, dict) and "stages" in value:
        value = value["stages"]
    return value if isinstance(value, list) else [value]


def _text_in(entry: object) -> object:
    """Return the text of a stage, also in an object of the released log; a null answer is an empty text."""
    if entry is None:
        return ""
    if not isinstance(entry, dict):
        return entry
    texts = [entry[field] for field in _STAGE_FIELDS if field in entry]
    if not texts:
        return "" if entry.get("error_type") else None
    filled = [text for text in texts if text is not None]
    return filled[0] if filled else ""


def _json_value(text: str) -> object:
    """Return the JSON value that a text is, or the object with stages in it; other texts as they are."""
    if text.lstrip()[:1] in ("[", "{"):
        value = whole_value(text)
        return text if value is None else value
    if '"stages"' not in text:
        return text
    value = whole_value(text[text.find("{") : text.rfind("}") + 1])
    return value if isinstance(value, dict) else text


def reading(problem: Instance, submitted: object, rules: object) -> Reading[Schedule]:
    """Read a plan; lines that do not match are ignored, in both profiles."""
    task = task_in(problem)
    texts = texts_of(submitted, task.is_online)
    stages = tuple(tuple(lines_in(text, task.is_online)) for text in texts)
    count = sum(map(len, stages))
    rows = "\n".join(texts).splitlines()
    looks = sum(1 for row in rows if _LOOKS.match(row))
    fault = "" if count or task.is_online else NO_PLAN
    waits = [_last_wait(now, text) for now, text in zip(task.moments, texts, strict=False)]
    plan = RobotPlan((), stages, max(waits, default=0))
    return Reading(plan, count, "lines", max(0, looks - count), fault=fault)


def _last_wait(now: int, text: str) -> int:
    """Return the tick up to which the text of a stage says that a live run has waited."""
    ticks = 0
    for row in text.splitlines():
        match = _WAITED.fullmatch(row)
        if match is not None:
            ticks = now + int(match[1]) * TICKS + int(match[2])
    return ticks


def wait_line(ticks: int) -> str:
    """Return the line by which a live run states the ticks since the beginning of a stage.

    Like all waits it is dropped by the rules.

    >>> wait_line(2290)
    '0.000: (wait_until)  [2.290]'
    """
    return Line(0, "wait_until", (), ticks).text()


def task_in(problem: Instance) -> RobotTask:
    """Return the facts of a problem."""
    return robot_origin(problem).task


def line_from(piece: Piece) -> Line:
    """Return the line that starts a piece."""
    item, _, action = piece.action.partition("/")
    arguments = (item,) if piece.agent is None else (piece.agent, item)
    return Line(piece.start, action, arguments, piece.duration)


def pieces_of(problem: Instance, lines: Iterable[Line]) -> list[Piece]:
    """Return the pieces that lines start, in order; an action that is repeated or not asked for is none."""
    pieces: dict[str, Piece] = {}
    for line in lines:
        action = f"{line.item}/{line.action}"
        expected = 2 if problem.agents else 1
        if action in problem.by_id and action not in pieces and len(line.arguments) == expected:
            agent = line.arguments[0] if problem.agents else None
            if agent is None or agent in problem.agents:
                pieces[action] = Piece(action, line.start, line.duration, agent)
    return list(pieces.values())


def written(problem: Instance, schedule: Schedule) -> object:
    """Write a schedule as lines; for an episode as texts of stages.

    A stage has all lines from its beginning on whose items have arrived: agents state all that is still to do.
    """
    stages = [[line.text() for line in stage] for stage in stages_of(problem, schedule)]
    return {"stages": ["\n".join(lines) for lines in stages]} if task_in(problem).is_online else stages[0]


def stages_of(problem: Instance, commands: Schedule) -> tuple[tuple[Line, ...], ...]:
    """Return the lines of a plan by stage, with starts relative to it; of a schedule those that state it."""
    if isinstance(commands, RobotPlan):
        return commands.stages
    task = task_in(problem)
    lines = _by_pile(task, [line_from(piece) for piece in commands.pieces])
    stages: list[tuple[Line, ...]] = []
    for stage, now in enumerate(task.moments):
        future = [line for line in lines if line.start >= now and task.by_name[line.item].stage <= stage]
        stages.append(tuple(line._replace(start=line.start - now) for line in future))
    return tuple(stages)


def _by_pile(task: RobotTask, lines: Sequence[Line]) -> list[Line]:
    """Return lines by start; items that are stacked at the same time in the order of their pile."""
    height: dict[str, int] = {}
    for order in task.orders:
        height |= {item: position for position, item in enumerate(order.stack)}

    def place(line: Line) -> tuple[int, int]:
        return line.start, height.get(line.item, 0) if line.action == STACK else 0

    return sorted(lines, key=place)


def name_of(action: str) -> str:
    """Return the words of an action.

    >>> name_of("fish/fry")
    'fry fish'
    """
    item, _, verb = action.partition("/")
    return f"{verb} {item}"


def schedule(problem: Instance, plan: Plan[Schedule]) -> Schedule:
    """Return the schedule of a plan, without the lines that are no action of the problem."""
    return Schedule.of(problem, pieces_of(problem, lines_of(problem, plan.commands)))


def lines_of(problem: Instance, commands: Schedule) -> list[Line]:
    """Return the lines of a plan that are carried out, with absolute starts, in order."""
    task = task_in(problem)
    stages = stages_of(problem, commands)
    if task.is_online:
        return commit(task, stages, RobotRules()).lines
    return in_order(stages[0] if stages else (), is_online=False)
