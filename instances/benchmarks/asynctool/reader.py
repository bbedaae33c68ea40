"""Reader of AsyncTool problems: strict at the boundary, every reference call tried out."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from planoracle.instances.benchmarks.asynctool import encoding
from planoracle.instances.benchmarks.asynctool.calls import parse_call
from planoracle.instances.benchmarks.asynctool.families import family_of
from planoracle.instances.benchmarks.asynctool.problem_model import MAX_DELAY, AsyncToolProblem, Delays, SubTask
from planoracle.instances.errors import InputError
from planoracle.instances.files.instance_file import SchemaLink, StrictEntry, check, schema_of, shorthand, validated
from planoracle.instances.model.instance import Instance

FORMAT: Final = "planoracle/asynctool"
#: Most problems of a file, sub-tasks of a problem, and reference calls of a sub-task.
MAX_PROBLEMS, MAX_TASKS, MAX_CALLS = 10_000, 100, 1_000


class DelayEntry(StrictEntry):
    """Delay of results in turns; drawn from the range for every call, with the seed."""

    least: int = Field(1, ge=0, le=MAX_DELAY)
    most: int | None = Field(None, ge=0, le=MAX_DELAY, description="default: least")
    seed: int = 0
    tools: dict[str, Annotated[int, Field(ge=0, le=MAX_DELAY)]] = Field(
        {}, description="delays of single tools, which go before"
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
    family: str | None = Field(None, description="executor: one of ours, or null for none")
    tools: list[Annotated[str | dict[str, Any], BeforeValidator(_name_or_document)]] | None = Field(
        None, description="tools offered: names, or documents as in the paper's Figure 11; default: all of the family"
    )
    initial: dict[str, Any] = Field({}, description="state that the executor begins with")


class ProblemEntry(StrictEntry):
    """Sub-tasks to be carried out at the same time."""

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
        Naming file, field and value of the first fault; also for reference calls that fail when they are tried out.
    """
    several = "problems" in document
    entries: list[ProblemEntry] = (
        validated(document, source, CollectionDocument).problems
        if several
        else [validated(document, source, ProblemDocument)]
    )
    instances: dict[str, Instance] = {}
    for i, one in enumerate(entries):
        try:
            if one.name in instances:
                raise InputError("must be unique", field="name", value=one.name)
            instances[one.name] = encoding.instance(_problem(one))
        except InputError as error:
            raise error.at(source, f"problems[{i}]" if several else None) from None
    return list(instances.values())


def _problem(entry: ProblemEntry) -> AsyncToolProblem:
    tasks: dict[str, SubTask] = {}
    for i, task in enumerate(entry.tasks):
        field = f"tasks[{i}]"
        if task.id in tasks or "/" in task.id or not task.id.isprintable():
            raise InputError("must be unique, printable and without '/'", field=f"{field}.id", value=task.id)
        try:
            tasks[task.id] = _sub_task(task)
        except InputError as error:
            raise error.at("", field) from None
    return AsyncToolProblem(entry.name, tuple(tasks.values()), _delays(entry.delay))


def _delays(entry: DelayEntry) -> Delays:
    most = entry.least if entry.most is None else entry.most
    if most < entry.least:
        raise InputError("must not be less than least", field="delay.most", value=most)
    return Delays(entry.least, most, entry.seed, entry.tools)


def _sub_task(entry: SubTaskEntry) -> SubTask:
    offered = _offered(entry)
    order = {
        name: tuple((document.get("parameters") or {}).get("properties") or ())
        for name, document in (offered or {}).items()
    }
    calls = []
    for i, text in enumerate(entry.ground_truth):
        try:
            calls.append(parse_call(text, order))
        except InputError as error:
            raise error.at("", f"ground_truth[{i}]") from None
    if offered is None:
        offered = {call.name: {"name": call.name} for call in calls}
    task = SubTask(entry.id, entry.question, tuple(calls), entry.family, offered, entry.initial)
    if task.family is not None:
        check(family_of(task.family).Initial, task.initial, "initial")
    for i, (call, result) in enumerate(zip(calls, task.solved.results, strict=True)):
        fault = "" if call.name in offered else "calls a tool that is not offered"
        if isinstance(result, dict) and "error" in result:
            fault = fault or f"fails: {result['error']}"
        if fault:
            raise InputError(fault, field=f"ground_truth[{i}]", value=entry.ground_truth[i])
    return task


def _offered(entry: SubTaskEntry) -> dict[str, dict[str, Any]] | None:
    documents = family_of(entry.family).documents()
    if entry.tools is None:
        return documents or None
    offered = {}
    for i, tool in enumerate(entry.tools):
        name = tool if isinstance(tool, str) else tool.get("name")
        if not isinstance(name, str) or (documents and name not in documents):
            raise InputError("must be a tool of the family", field=f"tools[{i}]", value=name)
        parameters = (tool.get("parameters") if isinstance(tool, dict) else None) or {}
        if not isinstance(parameters, dict) or not isinstance(parameters.get("properties") or {}, dict):
            raise InputError("must be an object with properties", field=f"tools[{i}].parameters", value=parameters)
        offered[name] = tool if isinstance(tool, dict) else documents.get(name, {"name": name})
    return offered


def to_document(problem: AsyncToolProblem) -> dict[str, Any]:
    """Return the document of a problem; reading it gives an equal one."""
    delays = problem.delays
    spread = {"least": delays.least, "most": delays.most, "seed": delays.seed, "tools": dict(delays.tools)}
    return {
        "format": FORMAT,
        "version": 1,
        "name": problem.name,
        "delay": delays.least if delays == Delays(delays.least, delays.least) else spread,
        "tasks": [
            {
                "id": task.id,
                "question": task.question,
                "ground_truth": [str(call) for call in task.reference_calls],
                "family": task.family,
                "tools": _tools(task),
                "initial": task.initial,
            }
            for task in problem.tasks
        ],
    }


def _tools(task: SubTask) -> list[str | dict[str, Any]]:
    documents = family_of(task.family).documents()
    return [
        name if document == documents.get(name, {"name": name}) else document
        for name, document in task.documents.items()
    ]
