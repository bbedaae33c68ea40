"""Problems of AsyncHow by name and from files, as scheduling problems with as many agents as steps."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.asynchow import bundled_data
from planoracle.instances.benchmarks.asynchow.bundled_data import KINDS, HowTo, Interval, how_to, longest_path, seconds
from planoracle.instances.benchmarks.asynchow.rules import PROFILES, Profile
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Action, Instance, Lag
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.validation import MAX_TICKS


class Origin(NamedTuple):
    """Facts of a problem, and the rules that determine its durations."""

    facts: HowTo
    rules: Profile


def load(name: str) -> Instance:
    """Return a bundled problem by a name such as ``asynchow/async/829``; raises `UnknownNameError`."""
    return instance(how_to(name.removeprefix("asynchow/")), name)


@lru_cache(maxsize=4096)
def instance(facts: HowTo, name: str, rules: Profile = PROFILES["paper"]) -> Instance:
    """Encode a problem: each step occupies one agent, and there are as many agents as steps.

    Ticks are seconds, but minutes where a step takes longer than the model allows.

    >>> steps = load("asynchow/async/829")
    >>> [action.id for action in steps.actions], steps.agents[-1], least(steps)
    (['step/1', 'step/2', 'step/3', 'step/4'], 'agent4', 6220800)
    """
    intervals = facts.seconds(last_unit=rules.units == "last")
    end = 1 if rules.length == "most" else 0
    durations = [interval[end] for interval in intervals]
    needs_seconds = any(time % 60 for time in durations)
    tick = 1 if max(durations) <= MAX_TICKS or needs_seconds else 60
    ticks = [time // tick for time in durations]
    labels = facts.sentences or ("",) * len(durations)
    actions = []
    for number, (duration, label) in enumerate(zip(ticks, labels, strict=True), 1):
        actions.append(Action(f"step/{number}", "step", duration, duration, label=label))
    lags = []
    for before, after in facts.edges:
        lags.append(Lag(f"step/{before}", f"step/{after}"))
    numbers = range(1, len(durations) + 1)
    agents = [f"agent{number}" for number in numbers]
    unit = "second" if tick == 1 else "minute"
    return Instance(
        name=name,
        actions=tuple(actions),
        lags=tuple(lags),
        agents=tuple(agents),
        benchmark="asynchow",
        unit=unit,
        seconds_per_tick=tick,
        origin=Origin(facts, rules),
    )


def origin_of(problem: Instance) -> Origin:
    """Return facts and rules of a problem; raises `InputError` for one of another benchmark."""
    origin = (problem.rest_of or problem).origin
    if not isinstance(origin, Origin):
        raise InputError("is not an AsyncHow problem with its facts", value=problem.name)
    return origin


def under(problem: Instance, rules: Profile) -> Instance:
    """Return a problem with the durations of a rule profile."""
    origin = origin_of(problem)
    return problem if origin.rules == rules else instance(origin.facts, problem.name, rules)


@ProblemCache
def right_answer(problem: Instance, rules: Profile) -> Interval:
    """Return the seconds that count as right."""
    facts = origin_of(problem).facts
    if rules.gold == "released":
        return facts.released_answer
    return facts.answer(last_unit=rules.units == "last")


@ProblemCache
def least(problem: Instance) -> int:
    """Return the longest path in ticks: the optimum with as many agents as steps, else a lower bound."""
    place = {action.id: number for number, action in enumerate(problem.actions, 1)}
    edges = [(place[lag.before], place[lag.after]) for lag in problem.lags]
    durations = [action.duration for action in problem.actions]
    return longest_path(durations, edges)


def with_agents(problem: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule in which every step without an agent gets its own agent."""
    if all(piece.agent is not None for piece in schedule.pieces):
        return schedule
    agents = dict(zip(problem.index, problem.agents, strict=True))
    pieces = []
    for piece in schedule.pieces:
        if piece.agent is None:
            piece = piece._replace(agent=agents[piece.action])
        pieces.append(piece)
    return Schedule.of(problem, pieces)


#: Maximum number of steps of a problem; the released ones have at most 17.
MAX_STEPS = 1_000
_SECOND = timedelta(seconds=1)
#: Released files by kind of problem.
_PICKLES = {"async": "async_benchmark.pkl", "parallel": "para_benchmark.pkl", "sequential": "seq_benchmark.pkl"}
_COLUMNS = ("steps", "edge_list", "time_dic", "timedelta_dic", "task_time")


def recognises(document: object) -> bool:
    """Return true for a JSON document with the outline of the benchmark's problems."""
    rows = document.get("problems") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        return False
    first = rows[0]
    return isinstance(first, dict) and {"edges", "gold"} <= first.keys()


def released_file(kind: str, folder: Path) -> str:
    """Return the name of the file in a folder with problems of a kind, ``""`` without one."""
    files = (_PICKLES[kind], f"{kind}.json")
    return next((file for file in files if (folder / file).is_file()), "")


def file_of(name: str, folder: Path) -> str | None:
    """Return the problem of a name in a folder of released files, ``None`` without its file."""
    inner = name.removeprefix("asynchow/")
    file = released_file(inner.partition("/")[0], folder) if covers(name) else ""
    return f"{folder / file}#{file}/{inner}" if file else None


def check_copy(folder: Path) -> None:
    """Raise `InputError` for a folder without a released file."""
    if not any(released_file(kind, folder) for kind in KINDS):
        accepted = ", ".join(_PICKLES.values())
        raise InputError(f"must contain {accepted} or async.json, parallel.json, sequential.json", value=str(folder))


def is_pickle(data: bytes) -> bool:
    """Return true for a file that begins like the released pickles."""
    return data.startswith(b"\x80\x04") and b"timedelta_dic" in data


def read(document: object, source: str) -> list[Instance]:
    """Return the problems of a document, with the sentences of a ``steps.json`` beside its file."""
    return encoded(read_document(document, source, _sentences_beside(source)), source)


def encoded(problems: Iterable[HowTo], source: str) -> list[Instance]:
    """Return problems of a file as scheduling problems."""
    try:
        file = Path(source).name
        return [instance(problem, f"{file}/{problem.name}") for problem in problems]
    except InputError as error:
        raise error.at(source) from None


def _sentences_beside(path: str) -> Any:
    """Return the content of a ``steps.json`` beside a file, ``{}`` if there is none."""
    file = Path(path).with_name("steps.json")
    return load_json(read_bytes(file), str(file)) if file.is_file() else {}


def read_document(document: Any, source: str, sentences: Any = None) -> list[HowTo]:
    """Read the problems of a JSON document; ``sentences`` are those of its steps, by the problems' ids."""
    try:
        if not recognises(document):
            raise InputError("must be an object with a list of problems")
        texts = _object({} if sentences is None else sentences, "sentences")
        rows = []
        for number, row in enumerate(document["problems"]):
            rows.append(_object(row, f"problems[{number}]"))
        problems = []
        for number, row in enumerate(rows):
            sentences_of_problem = texts.get(_name(row, number), [])
            problems.append(_problem(row, f"problems[{number}]", sentences_of_problem))
        return problems
    except InputError as error:
        raise error.at(source) from None


def _name(row: dict[str, Any], number: int) -> str:
    name = row.get("id")
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise InputError("must be text such as async/829", field=f"problems[{number}].id", value=name)
    return name


def _problem(row: dict[str, Any], location: str, sentences: Any) -> HowTo:
    for key in ("durations", "edges", "gold"):
        if key not in row:
            raise InputError("is missing", field=f"{location}.{key}")
    durations = _object(row["durations"], f"{location}.durations")
    numbers = range(1, len(durations) + 1)
    steps = list(map(str, numbers))
    if not steps or len(steps) > MAX_STEPS or set(durations) != set(steps):
        message = f"must be 1 to {MAX_STEPS} steps, numbered from 1"
        raise InputError(message, field=f"{location}.durations", value=sorted(durations)[:20])
    count = len(steps)
    texts = []
    for step in steps:
        texts.append(_duration_text(durations[step], f"{location}.durations.{step}"))
    is_list = isinstance(sentences, list) and all(isinstance(text, str) for text in sentences)
    if not is_list or len(sentences) not in (0, count):
        raise InputError(f"must be a list of {count} texts", field=f"{location}.sentences", value=sentences)
    edges = set(_edges(row["edges"], count, f"{location}.edges"))
    distinct_edges = tuple(sorted(edges))
    answer = _interval(row["gold"], f"{location}.gold")
    return HowTo(row["id"], tuple(texts), distinct_edges, answer, tuple(sentences))


def _duration_text(entry: Any, field: str) -> str:
    """Return the text of a duration, which must agree with the seconds beside it."""
    if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[2], str):
        raise InputError("must be [shortest, longest, text], with times in seconds", field=field, value=entry)
    text = entry[2]
    if _interval(entry[:2], field) != seconds(text, last_unit=True, field=field):
        raise InputError("seconds and text must agree", field=field, value=entry)
    return text


def _edges(value: Any, steps: int, field: str) -> Iterator[tuple[int, int]]:
    """Yield the edges between steps, without those of START and END."""
    if not isinstance(value, list) or len(value) > MAX_STEPS**2:
        raise InputError("must be a list of pairs", field=field, value=value)
    nodes = {str(number): number for number in range(1, steps + 1)}
    nodes |= {"START": 0, "END": 0}
    for number, edge in enumerate(value):
        is_pair = isinstance(edge, list | tuple) and len(edge) == 2
        if not is_pair or not all(isinstance(node, str) and node in nodes for node in edge):
            message = f"must be two of START, 1 to {steps}, END"
            raise InputError(message, field=f"{field}[{number}]", value=edge)
        before, after = (nodes[node] for node in edge)
        if before and after:
            yield before, after


def _interval(value: Any, field: str) -> Interval:
    is_pair = isinstance(value, list) and len(value) == 2
    low, high = value if is_pair else (None, None)
    if type(low) is not int or type(high) is not int or not 0 <= low <= high <= 10**12:
        raise InputError("must be [shortest, longest] in seconds", field=field, value=value)
    return low, high


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("must be an object", field=field, value=value)
    return value


# --- pickles --------------------------------------------------------------------------------------


class _Plain(pickle.Unpickler):
    """Unpickler for plain data and `datetime.timedelta`; it looks up nothing else and runs no code."""

    def find_class(self, module: str, name: str) -> type[timedelta]:
        if (module, name) != ("datetime", "timedelta"):
            full_name = f"{module[:80]}.{name[:80]}"
            raise pickle.UnpicklingError(f"{full_name} is not allowed in it")
        return timedelta


def read_pickle(data: bytes, source: str) -> list[HowTo]:
    """Read one of the released pickles; only plain data and time spans are accepted."""
    try:
        document = _Plain(io.BytesIO(data)).load()
    except Exception as error:  # a pickle can fail in every way
        raise InputError(f"is not a pickle of AsyncHow: {error}", source=source) from None
    try:
        table = _object(document, "document")
        columns = [table.get(column) for column in _COLUMNS]
        lists = [column for column in columns if isinstance(column, list)]
        lengths = set(map(len, lists))
        if len(lists) < len(columns) or len(lengths) != 1:
            raise InputError(f"must have lists of equal length: {', '.join(_COLUMNS)}")
        rows = zip(*lists, strict=True)
        file = Path(source).name
        matches = (kind for kind in KINDS if file.startswith(kind[:3]))
        kind = next(matches, "async")
        problems = []
        for number, row in enumerate(rows):
            problems.append(_row(row, f"{kind}/{number}"))
        return problems
    except InputError as error:
        raise error.at(source) from None


def _row(row: tuple[Any, ...], name: str) -> HowTo:
    steps, edges, texts, times, gold = row
    field = f"{name}.timedelta_dic"
    texts = _object(texts, f"{name}.time_dic")
    times = _object(times, field)
    durations = {}
    for step, text in texts.items():
        interval = _seconds(times.get(step), field)
        durations[step] = [*interval, text]
    gold_interval = _seconds(gold, name)
    row_of_document = {"id": name, "edges": edges, "durations": durations, "gold": gold_interval}
    return _problem(row_of_document, name, steps)


def _seconds(value: Any, field: str) -> list[int]:
    if not isinstance(value, list) or not all(isinstance(part, timedelta) for part in value):
        raise InputError("must be two time spans", field=field, value=value)
    return [part // _SECOND for part in value]


@cache
def names() -> tuple[str, ...]:
    """Names of the 1,998 problems, in the order of the released files."""
    return tuple(f"asynchow/{name}" for name in bundled_data.names())


def covers(name: str) -> bool:
    """Return true if a name is that of a bundled problem."""
    return name.startswith("asynchow/") and name.removeprefix("asynchow/") in bundled_data.bundled()


@cache
def _set(label: str) -> tuple[str, ...]:
    prefix = f"{label}/"
    return tuple(name for name in names() if name.startswith(prefix))


def set_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return ``asynchow/async``, ``asynchow/parallel`` or ``asynchow/sequential``, and its members.

    >>> set_of("asynchow/async/829")[0], len(set_of("asynchow/async/829")[1])
    ('asynchow/async', 1598)
    """
    label = name.rpartition("/")[0]
    return (label, _set(label)) if covers(name) else ("", ())
