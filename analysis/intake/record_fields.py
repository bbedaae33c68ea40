"""Fields of submissions in the columns of any table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeGuard

from planoracle.analysis.intake.path_names import NO_HINTS, EntryError, Hints, SourceLine, problem_name
from planoracle.analysis.intake.problem_names import NameResolver
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model_output.messages import STOPS
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.plan import COMMON_FIELDS

#: Fields that a column can be mapped to.
FIELDS = ("id", "instance", "model", "sample", "plan")
#: Most characters of ``id`` and ``model``.
MAX_NAME = 1_000
# Columns with the name of the model in rows of planoracle, and columns of samples in those of other programs.
_MODELS, _SAMPLES = ("model", "method", "heuristic"), ("sample", "epoch")
# Columns of other programs that are taken for the instance if they name a problem.
_INSTANCES = ("problem_id", "task_id", "question_id", "instance_id", "task")
# Fields of submissions to any benchmark.
_USUAL = frozenset(("id", "instance", *_MODELS, *_SAMPLES, *STOPS))
#: Names of columns for the problem.
INSTANCE_FIELDS = ("instance", *_INSTANCES)


class SubmissionFields(NamedTuple):
    """Fields of submissions beside the common ones: of one benchmark, or of all.

    Attributes
    ----------
    plan, address, limit, detail
        Fields that may hold the plan, complete the name of the problem, limit the run, and serve metrics.
    """

    plan: tuple[str, ...]
    address: tuple[str, ...]
    limit: tuple[str, ...]
    detail: tuple[str, ...]


@cache
def _fields_of(benchmarks: tuple[str, ...]) -> SubmissionFields:
    """Return the fields that some benchmarks declare, in their order."""
    names: list[dict[str, None]] = [{}, {}, {}, {}]  # ordered sets
    for benchmark in map(registry.get, benchmarks):
        limit = () if benchmark.submission_limit is None else benchmark.submission_limit[:1]
        declared = (benchmark.plan_fields, benchmark.address_fields, limit, benchmark.detail_fields)
        for members, fields in zip(names, declared, strict=True):
            members |= dict.fromkeys(fields)
    return SubmissionFields(*map(tuple, names))


def _all_fields() -> SubmissionFields:
    return _fields_of(registry.names())


def fields_for(record: Mapping[str, Any]) -> SubmissionFields:
    """Return the fields that a record may have.

    They are those of all benchmarks, unless the benchmark of its problem declares all fields of the record, and at most
    one of each kind. Then no other benchmark is imported.
    """
    name = record.get("instance")
    head = name.partition("/")[0].partition("@")[0] if isinstance(name, str) else ""
    benchmark = registry.find(head) if head else None
    if benchmark is None:
        return _all_fields()
    own_fields = _fields_of((benchmark.name,))
    kinds = own_fields._replace(plan=(*own_fields.plan, *COMMON_FIELDS))
    counts = [len(record.keys() & set(fields)) for fields in kinds]
    has_further_fields = not record.keys() <= _USUAL.union(*kinds)
    return _all_fields() if has_further_fields or max(counts) > 1 else own_fields


@cache
def plan_fields() -> tuple[str, ...]:
    """Return the fields that may hold a plan, of all benchmarks."""
    return tuple(dict.fromkeys((*_all_fields().plan, *COMMON_FIELDS)))


def holds_plan(row: Mapping[str, Any]) -> bool:
    """Return True for a row with a non-empty field that may hold a plan."""
    return any(isinstance(row[name], (str, list, dict)) for name in plan_fields() if name in row)


def is_grade(row: Any) -> TypeGuard[dict[str, Any]]:
    """Return True for a row of ``planoracle grade``: a verdict without a plan."""
    return isinstance(row, dict) and "scored" in row and not holds_plan(row)


def parse_columns(entries: Iterable[str], fields: Sequence[str] = FIELDS) -> dict[str, tuple[str, ...]]:
    """Return the columns of each field from texts ``field=column``; raises `UnknownNameError`.

    Examples
    --------
    >>> parse_columns(["plan=response.text", "instance=problem_id", "plan=output"])
    {'plan': ('response.text', 'output'), 'instance': ('problem_id',)}
    """
    columns: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        field, _, column = entry.partition("=")
        if field not in fields or not column:
            raise UnknownNameError(
                f"must be FIELD=COLUMN with FIELD one of {', '.join(fields)}", field="--map", value=entry
            )
        earlier = columns.get(field, ())
        columns[field] = tuple(dict.fromkeys((*earlier, column)))
    return columns


def columns_by_field(columns: Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each field as tuples."""
    return {field: (names,) if isinstance(names, str) else tuple(names) for field, names in columns.items()}


class Columns:
    """Converter of rows into submissions.

    Parameters
    ----------
    columns
        Column of each field, or several of which the first that a row has counts, see `parse_columns`; dots separate
        keys of nested objects and lists (``choices.0.text``). A row without them is read by the usual names.
    model
        Name of the model of all rows.
    on_note
        Callback for notes to the user.
    names
        Names of problems; by default the bundled ones.
    claims
        True if rows may have a makespan beside a plan or instead of one.
    """

    def __init__(
        self,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        model: str | None = None,
        on_note: Callable[[str], None] = lambda message: None,
        *,
        claims: bool = False,
        names: NameResolver | None = None,
    ) -> None:
        self._columns = columns_by_field(columns or {})
        self._names = names or NameResolver()
        self._is_completed = False  # a name has been completed, with a note
        self._model = model
        self._on_note = on_note
        self._claims = claims
        self._seen: set[frozenset[str]] = set()
        self._met: set[tuple[str, str]] = set()
        self._instance = ""  # one of `_INSTANCES` that has named a problem
        self._rows = 0

    def submission(self, row: Any, place: SourceLine, hints: Hints = NO_HINTS) -> dict[str, Any]:
        """Return the submission of a row; a row of ``planoracle grade`` is returned unchanged.

        Raises
        ------
        EntryError
            If a field is missing or invalid.
        """
        record: dict[str, Any] = {}
        try:
            if not isinstance(row, dict):
                raise InputError("must be an object with instance and plan", field="submission", value=row)
            self._map(row, record)
            if is_grade(record):
                return record if self._model is None else record | {"model": self._model}
            self._name(record, place, hints)
            if record.get("instance") is None:
                raise self._missing("instance", row)
            self._complete_name(record)
            if not (self._claims and _take_claim(record)):
                self._choose_plan(record, row)
            return check_submission(record)
        except InputError as error:
            raise EntryError(error, record) from None

    def close(self) -> None:
        """Report requested columns that no row has."""
        for field, columns in self._columns.items():
            for column in columns:
                if self._rows and (field, column) not in self._met:
                    self._on_note(f"--map {field}={column}: no row has that column")

    def _map(self, row: dict[str, Any], record: dict[str, Any]) -> None:
        """Copy a row with its mapped columns."""
        record.update(row)
        self._rows += 1
        for field, columns in self._columns.items():
            values = self._values_at(row, field, columns)
            if not values:
                continue
            if field == "plan":
                for name in plan_fields():
                    record.pop(name, None)
            filled = [value for value in values if value not in (None, "")]
            record[field] = (filled or values)[0]

    def _values_at(self, row: dict[str, Any], field: str, columns: Sequence[str]) -> list[Any]:
        """Return the values of a field in the requested columns that a row has."""
        values = []
        for column in columns:
            try:
                values.append(_at(row, column))
            except KeyError:
                continue
            self._met.add((field, column))
        return values

    def _complete_name(self, record: dict[str, Any]) -> None:
        """Complete the name of the problem, with a note on the first one; raises `InputError` if several fit."""
        name = record["instance"]
        if not isinstance(name, str):
            return
        record["instance"] = self._names.complete(name)
        if record["instance"] != name and not self._is_completed:
            self._is_completed = True
            self._on_note(f"names of problems are completed: {name} is {record['instance']}")

    def _name(self, record: dict[str, Any], place: SourceLine, hints: Hints) -> None:
        """Add id, model, sample and instance of a row that lacks them; its id may name the problem."""
        own_name = record["id"] if isinstance(record.get("id"), str) else ""
        own_id = hints.id or (str(place.line) if place.source is None else f"{place.source}:{place.line}")
        for field, names, value in (
            ("id", ("id",), own_id),
            ("model", _MODELS, hints.model),
            ("sample", _SAMPLES, hints.sample),
        ):
            record[field] = next((record[name] for name in names if record.get(name) not in (None, "")), value)
        if self._model is not None:
            record["model"] = self._model
        if record.get("instance") in (None, ""):
            name = self._instance_of(record) or hints.instance or self._names.find(own_name)
            record["instance"] = name or _addressed_name(record)
        for name in fields_for(record).limit:
            if record.get(name) == "":  # of a table in which all is text
                del record[name]
            elif isinstance(record.get(name), str):
                record[name] = _whole(record[name], digits=9)

    def _instance_of(self, record: dict[str, Any]) -> str | None:
        """Return the problem that a column of another name says, once such a column has named one."""
        candidates = [self._instance] if self._instance in record else _INSTANCES
        for name in candidates:
            value = record.get(name)
            if isinstance(value, str) and (self._instance == name or self._names.find(value)):
                if not self._instance:
                    self._on_note(f"the problem is taken from {name}; --map instance=COLUMN selects another column")
                self._instance = name
                return self._names.find(value) or value
        return None

    def _choose_plan(self, record: dict[str, Any], row: dict[str, Any]) -> None:
        """Remove empty and redundant plan fields; raises `InputError` if none holds a plan."""
        declared_fields = fields_for(record).plan
        present = [name for name in dict.fromkeys((*declared_fields, *COMMON_FIELDS)) if name in record]
        filled = [name for name in present if record[name] not in (None, "")]
        error = record.get("error")
        is_broken = isinstance(error, str) and error and not _states_cause(record)
        if not filled and is_broken:  # a broken run is not a failed one
            raise InputError(f"the run ended with an error: {str(error)[:300]}")
        if not present:
            raise self._missing("plan", row)
        if all(record[name] is None for name in present):
            if not _holds_verdict(record):
                status = record.get("status")
                reason = f"the status is {status}" if isinstance(status, str) else "there is no plan"
                raise InputError(f"is null: {reason}", field=present[0])
            record[present[0]] = ""
        declared = [name for name in filled if name in declared_fields]
        for name in present:
            is_empty = record[name] is None or (filled and name not in filled)
            if is_empty or ("plan" in filled and name not in declared):  # beside a plan, common fields are redundant
                del record[name]
        several = frozenset(filled)
        is_doubtful = len(several) > 1 and "plan" not in several and not several.isdisjoint(COMMON_FIELDS)
        used = declared or [name for name in COMMON_FIELDS if name in several][:1]
        unused = sorted(several.difference(used))
        if is_doubtful and unused and several not in self._seen:
            self._seen.add(several)
            self._on_note(
                f"the plan is taken from {' or '.join(used)}, not from {', '.join(unused)}; "
                "--map plan=COLUMN selects another column"
            )

    def _missing(self, field: str, row: dict[str, Any]) -> InputError:
        names = ", ".join([str(name)[:40] for name in row][:20])
        names += f" and {len(row) - 20} more" if len(row) > 20 else ""
        columns = f"the columns are {names}" if row else "there are no columns"
        if field in self._columns:
            requested = " or ".join(map(repr, self._columns[field]))
            return InputError(f"has no column {requested}; {columns}", field=f"--map {field}")
        example = "COLUMN"
        if field == "instance":
            example = next(_columns_with_problems(row), example)
        return InputError(f"is missing; {columns} (select one with --map {field}={example})", field=field)


def _addressed_name(record: Mapping[str, Any]) -> str | None:
    """Return the problem that the address fields of a benchmark identify, in a row that names none."""
    for benchmark in map(registry.get, registry.names()):
        if record.keys().isdisjoint(benchmark.address_fields):
            continue
        name = benchmark.addressed_name("", record)
        if name:
            return name
    return None


def _states_cause(record: Mapping[str, Any]) -> bool:
    """Return True for a row of another grader whose ``error`` is the reason of its verdict."""
    return isinstance(record.get("success"), bool) and isinstance(record.get("error_type"), str)


def _holds_verdict(record: Mapping[str, Any]) -> bool:
    """Return True for a row of another grader, which has graded an answer that is ``None`` as a failure."""
    return _states_cause(record) or isinstance(record.get("correct"), bool)


def _columns_with_problems(row: dict[str, Any]) -> Iterator[str]:
    """Yield the columns of a row, then those of its objects, that name a problem."""
    for column, value in row.items():
        if isinstance(value, str) and problem_name(value):
            yield column
    for column, value in row.items():
        for name, text in value.items() if isinstance(value, dict) else ():
            if isinstance(text, str) and problem_name(text):
                yield f"{column}.{name}"


def _take_claim(record: dict[str, Any]) -> bool:
    """Convert the claimed makespan of a row to a number; return True if it has no plan.

    Raises
    ------
    InputError
        If it is no whole number of ticks.
    """
    if isinstance(record.get("plan"), int | float) and record.get("makespan") is None:  # as in {"NAME": 12}
        record["makespan"] = record.pop("plan")
    if record.get("makespan") in (None, ""):
        record.pop("makespan", None)
        return False
    record["makespan"] = ticks(record["makespan"])
    if any(record.get(name) not in (None, "") for name in plan_fields()):
        return False
    for name in plan_fields():
        record.pop(name, None)
    return True


def ticks(value: Any) -> int:
    """Return a claimed makespan, a number or digits; raises `InputError` for other values."""
    value = _whole(value, digits=15)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise InputError("must be a whole number of ticks from 0", field="makespan", value=value)
    return value


def _at(row: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column; raises `KeyError`."""
    if column in row:
        return row[column]
    value: Any = row
    for part in column.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(column)
    return value


def normalise(entry: dict[str, Any], place: SourceLine) -> dict[str, Any]:
    """Return a submission with its common fields, plan, limit and fields that name the problem.

    A row of ``planoracle grade`` is returned unchanged.
    """
    if is_grade(entry):
        return entry | place._asdict()
    shared = {name: entry.get(name) for name in ("id", "instance", "model", "sample")} | place._asdict()
    declared = fields_for(entry)
    names = (*declared.address, *declared.limit, *declared.plan, *COMMON_FIELDS, *declared.detail, *STOPS)
    return shared | {name: entry[name] for name in names if name in entry}


def check_submission(submission: object) -> dict[str, Any]:
    """Return a submission with a valid ``instance``, ``id``, ``model`` and ``sample``.

    ``instance`` must be text; a benchmark may use further fields, see
    `planoracle.instances.protocol.benchmark.Benchmark.addressed_name`. ``id`` and ``model`` may be numbers or texts, at
    most `MAX_NAME` characters. They may be missing, like ``sample`` (or ``epoch``): a whole number or text.

    Raises
    ------
    InputError
        Naming the invalid field.

    Examples
    --------
    >>> check_submission({"id": 7, "instance": "TimeArena/lab1", "epoch": "2"})
    {'id': '7', 'instance': 'timearena/lab1', 'epoch': '2', 'model': None, 'sample': 2}
    """
    if not isinstance(submission, dict):
        raise InputError("must be an object with instance and plan", field="submission", value=submission)
    if not isinstance(submission.get("instance"), str):
        raise InputError("must be text", field="instance", value=submission.get("instance"))
    names: dict[str, Any] = {field: _text(submission.get(field), field) for field in ("id", "model")}
    for field, name in names.items():
        if len(name or "") > MAX_NAME:
            raise InputError(f"must have at most {MAX_NAME:,} characters", field=field, value=name)
    names["instance"] = catalog.addressed(submission["instance"], submission)
    return submission | names | {"sample": _sample(submission)}


def identity_of(record: object, *fields: str, longest: int | None = 200) -> dict[str, Any]:
    """Return some of ``id, instance, model, sample`` of a record; ``None`` for invalid values.

    Examples
    --------
    >>> identity_of({"id": 7, "model": ["gpt"], "sample": 2}, "id", "model", "sample")
    {'id': '7', 'model': None, 'sample': 2}
    """
    values = record if isinstance(record, dict) else {}
    identity: dict[str, Any] = {}
    for field in fields:
        try:
            value = _sample(values) if field == "sample" else _text(values.get(field), field)
        except InputError:
            value = None
        identity[field] = value[:longest] if isinstance(value, str) else value
    return identity


def _text(value: Any, field: str) -> str | None:
    value = _whole(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise InputError("must be text or a number", field=field, value=value)
    if value is None or isinstance(value, str):
        return value
    if abs(value) >= 10**20:
        raise InputError("must be text or a number of at most 20 digits", field=field, value=value)
    return str(value)


def _whole(value: Any, digits: int = 0) -> Any:
    """Return an integral number, or a text of at most so many digits, as ``int``."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    is_text = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= digits
    return int(value) if is_whole or is_text else value


def _sample(values: Mapping[str, Any]) -> int | str | None:
    value = _whole(values.get("epoch") if values.get("sample") is None else values["sample"], digits=9)
    if value is None or value == "":
        return None
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    if not is_number and not (isinstance(value, str) and len(value) <= 200):
        raise InputError("must be a whole number from 0, or text", field="sample", value=value)
    return value  # type: ignore[no-any-return]
