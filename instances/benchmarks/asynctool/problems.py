"""AsyncTool problems by name (bundled ones, and any combination of the bundled tasks) and from files.

The reader of files is strict and executes every reference call.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from planoracle.instances.benchmarks.asynctool.problem_model import (
    MAX_DELAY,
    AsyncToolProblem,
    Delays,
    SubTask,
    family_of,
    instance,
    parse_call,
)
from planoracle.instances.errors import InputError, UnknownNameError, in_field
from planoracle.instances.files.strict_entries import SchemaLink, StrictEntry, schema_of, shorthand, validated
from planoracle.instances.files.strict_entries import check as check_document
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance

#: Beginning of the names of problems.
PREFIX: Final = "asynctool/"


def _read(file: str) -> Any:
    path = files(__package__) / "data" / file
    return load_json(path.read_bytes(), file)


@cache
def tasks() -> dict[str, SubTask]:
    """Return the bundled single tasks by id."""
    rows = _read("tasks.json")["tasks"]
    return {row["id"]: _bundled_task(row) for row in rows}


def _bundled_task(row: dict[str, Any]) -> SubTask:
    calls = tuple(map(parse_call, row["ground_truth"]))
    documents = family_of(row["family"]).documents()
    identifier, question = row["id"], row["question"]
    return SubTask(identifier, question, calls, row["family"], documents, row["initial"])


@cache
def _sets() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the bundled sets by label: the tasks of each problem by its number."""
    sets: dict[str, dict[str, tuple[str, ...]]] = {}
    for label, rows in _read("sets.json").items():
        numbered = enumerate(map(tuple, rows), 1)
        sets[label] = {f"{number:02}": ids for number, ids in numbered}
    return sets


@cache
def names() -> tuple[str, ...]:
    """Names of the 120 bundled problems; kinds and sizes in the proportions of the paper's Table 5."""
    all_names: list[str] = []
    for label, rows in _sets().items():
        all_names += [f"{PREFIX}{label}/{number}" for number in rows]
    return tuple(all_names)


@lru_cache(maxsize=4096)
def problem(name: str) -> AsyncToolProblem:
    """Return the problem of a name; raises `UnknownNameError`.

    Names are ``asynctool/cross2/01`` or ``asynctool/files_1+text_2``. Both may end in a delay, ``@2``, ``@0-1`` or
    ``@1-2:seed``, see `Delays.parse`.

    >>> [task.id for task in problem("asynctool/files_2+trading_1@0-1:7").tasks]
    ['files_2', 'trading_1']
    """
    head, at, delay = name[:1000].partition("@")
    body = head.removeprefix(PREFIX)
    label, _, number = body.partition("/")
    ids = tuple(body.split("+"))
    if label in _sets():
        ids = _sets()[label].get(number, ())
    has_prefix = head != body
    existing = {*ids} & tasks().keys()
    if len(name) > 1000 or not has_prefix or not ids or len(existing) < len(ids):
        raise UnknownNameError("there is no such AsyncTool problem", value=name)
    delays = Delays.parse(delay) if at else Delays()
    sub_tasks = tuple(tasks()[task] for task in ids)
    return AsyncToolProblem(name, sub_tasks, delays)


@lru_cache(maxsize=4096)
def load(name: str) -> Instance:
    """Return the instance of a name; raises `UnknownNameError`."""
    return instance(problem(name))


def covers(name: str) -> bool:
    """Return true for the name of a `problem`."""
    try:
        problem(name)
    except UnknownNameError:
        return False
    return True


def members(name: str) -> tuple[str, ...]:
    """Return the members of a set with a delay in its name: ``asynctool/cross2@0-1``, ``asynctool@2``."""
    head, at, delay = name.partition("@")
    if not at:
        return ()
    prefix = head.rstrip("/") + "/"
    delayed = (f"{member}@{delay}" for member in names() if member.startswith(prefix))
    return tuple(filter(covers, delayed))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the label and the members of the set that a name belongs to, its delay included.

    >>> set_of("asynctool/cross2/01@2")[0]
    'asynctool/cross2@2'
    """
    head, at, delay = name.partition("@")
    if head not in names() or not covers(name):
        return "", ()
    label = head.rpartition("/")[0]
    suffix = f"{at}{delay}"
    prefix = f"{label}/"
    set_members = (member for member in names() if member.startswith(prefix))
    members_of_set = tuple(f"{member}{suffix}" for member in set_members)
    return f"{label}{suffix}", members_of_set


FORMAT: Final = "planoracle/asynctool"
#: Maximum number of problems in a file.
MAX_PROBLEMS = 10_000
#: Maximum numbers of sub-tasks of a problem, and of reference calls of a sub-task.
MAX_TASKS, MAX_CALLS = 100, 1_000


class DelayEntry(StrictEntry):
    """Delay of results in turns, drawn for every call from the range with the seed."""

    least: int = Field(1, ge=0, le=MAX_DELAY)
    most: int | None = Field(None, ge=0, le=MAX_DELAY, description="default: least")
    seed: int = 0
    tools: dict[str, Annotated[int, Field(ge=0, le=MAX_DELAY)]] = Field(
        {}, description="delays of single tools, which take precedence"
    )


def _spread(value: Any) -> Any:
    if isinstance(value, dict | DelayEntry):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_DELAY:
        raise ValueError(f"must be a whole number between 0 and {MAX_DELAY}, or an object")
    return {"least": value}


def _name_or_document(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise ValueError("must be a name or a document")
    return value


class SubTaskEntry(StrictEntry):
    """A sub-task."""

    id: str = Field(min_length=1, max_length=100)
    question: str = ""
    ground_truth: list[str] = Field(
        min_length=1, max_length=MAX_CALLS, description="reference calls in order, such as f(a=1)"
    )
    family: str | None = Field(
        None, description="tool family that executes the calls, bundled or a class of tools; null for none"
    )
    tools: list[Annotated[str | dict[str, Any], BeforeValidator(_name_or_document)]] | None = Field(
        None,
        description="offered tools: names, or documents as in the paper's Figure 11; default: all tools of the family",
    )
    initial: dict[str, Any] = Field({}, description="initial state of the tools")


class ProblemEntry(StrictEntry):
    """Concurrent sub-tasks."""

    name: str = Field(min_length=1)
    delay: Annotated[DelayEntry, BeforeValidator(_spread), shorthand("integer", DelayEntry)] = Field(
        1, validate_default=True, description="turns"
    )
    tasks: list[SubTaskEntry] = Field(min_length=1, max_length=MAX_TASKS)


class _Head(StrictEntry):
    schema_: SchemaLink = None
    format: Literal["planoracle/asynctool"]
    version: Literal[1]


class ProblemDocument(_Head, ProblemEntry):
    """A file with one AsyncTool problem."""


class CollectionDocument(_Head):
    """A file with several AsyncTool problems."""

    problems: list[ProblemEntry] = Field(min_length=1, max_length=MAX_PROBLEMS)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a file with one problem."""
    return schema_of(ProblemDocument)


def recognises(document: Any) -> bool:
    """Return true for a document of this format."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def read(document: Any, source: str) -> list[Instance]:
    """Read the problems of a parsed document as instances.

    Raises
    ------
    InputError
        For the first error, with file, field and value; also for reference calls that fail.
    """
    is_collection = "problems" in document
    entries: list[ProblemEntry] = []
    if is_collection:
        entries += validated(document, source, CollectionDocument).problems
    else:
        entries.append(validated(document, source, ProblemDocument))
    instances: dict[str, Instance] = {}
    for i, entry in enumerate(entries):
        try:
            if entry.name in instances:
                raise InputError("must be unique", field="name", value=entry.name)
            instances[entry.name] = instance(_problem(entry))
        except InputError as error:
            raise error.at(source, f"problems[{i}]" if is_collection else None) from None
    return list(instances.values())


def _problem(entry: ProblemEntry) -> AsyncToolProblem:
    tasks: dict[str, SubTask] = {}
    for i, task in enumerate(entry.tasks):
        field = f"tasks[{i}]"
        if task.id in tasks or "/" in task.id or not task.id.isprintable():
            raise InputError("must be unique, printable and without '/'", field=f"{field}.id", value=task.id)
        with in_field(field):
            tasks[task.id] = _sub_task(task)
    return AsyncToolProblem(entry.name, tuple(tasks.values()), _delays(entry.delay))


def _delays(entry: DelayEntry) -> Delays:
    longest = entry.least if entry.most is None else entry.most
    if longest < entry.least:
        raise InputError("must be at least the value of least", field="delay.most", value=longest)
    return Delays(entry.least, longest, entry.seed, entry.tools)


def _sub_task(entry: SubTaskEntry) -> SubTask:
    offered = _tool_documents(entry)
    order = {name: _parameter_names(document) for name, document in (offered or {}).items()}
    calls = []
    for i, text in enumerate(entry.ground_truth):
        with in_field(f"ground_truth[{i}]"):
            calls.append(parse_call(text, order))
    if offered is None:
        offered = {call.name: {"name": call.name} for call in calls}
    task = SubTask(entry.id, entry.question, tuple(calls), entry.family, offered, entry.initial)
    if task.family is not None:
        family = family_of(task.family)
        check_document(family.Initial, task.initial, "initial")
        family.check_repeatable(task.initial, [(call.name, call.params) for call in calls])
    for i, (call, result) in enumerate(zip(calls, task.solved.results, strict=True)):
        field = f"ground_truth[{i}]"
        text = entry.ground_truth[i]
        if call.name not in offered:
            raise InputError("calls a tool that is not offered", field=field, value=text)
        if isinstance(result, dict) and "error" in result:
            raise InputError(f"fails: {result['error']}", field=field, value=text)
    return task


def _parameter_names(document: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a tool, in order."""
    parameters = document.get("parameters") or {}
    return tuple(parameters.get("properties") or ())


def _tool_documents(entry: SubTaskEntry) -> dict[str, dict[str, Any]] | None:
    """Return the documents of the offered tools by name, ``None`` for the tools that the calls name."""
    documents = family_of(entry.family).documents()
    if entry.tools is None:
        return documents or None
    offered = {}
    for i, tool in enumerate(entry.tools):
        name = tool if isinstance(tool, str) else tool.get("name")
        if not isinstance(name, str) or (documents and name not in documents):
            raise InputError("must be a tool of the family", field=f"tools[{i}]", value=name)
        parameters = (tool.get("parameters") if isinstance(tool, dict) else None) or {}
        properties = None
        if isinstance(parameters, dict):
            properties = parameters.get("properties") or {}
        if not isinstance(properties, dict):
            raise InputError("must be an object with properties", field=f"tools[{i}].parameters", value=parameters)
        if not isinstance(tool, dict):
            tool = documents.get(name, {"name": name})
        offered[name] = tool
    return offered


def to_document(problem: AsyncToolProblem) -> dict[str, Any]:
    """Return the document of a problem; reading it gives an equal one."""
    delays = problem.delays
    is_plain = delays == Delays(delays.least, delays.least)
    spread = {"least": delays.least, "most": delays.most, "seed": delays.seed, "tools": dict(delays.tools)}
    delay = delays.least if is_plain else spread
    tasks_of_problem = [_task_document(task) for task in problem.tasks]
    return {"format": FORMAT, "version": 1, "name": problem.name, "delay": delay, "tasks": tasks_of_problem}


def _task_document(task: SubTask) -> dict[str, Any]:
    calls = [str(call) for call in task.reference_calls]
    return {
        "id": task.id,
        "question": task.question,
        "ground_truth": calls,
        "family": task.family,
        "tools": _tools(task),
        "initial": task.initial,
    }


def _tools(task: SubTask) -> list[str | dict[str, Any]]:
    """Return the tools of a sub-task: names of those with the documents of the family, other documents."""
    documents = family_of(task.family).documents()
    tools: list[str | dict[str, Any]] = []
    for name, document in task.documents.items():
        is_family_document = document == documents.get(name, {"name": name})
        tools.append(name if is_family_document else document)
    return tools
