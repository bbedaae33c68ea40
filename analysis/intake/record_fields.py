"""Which column of a row is what: rows of any table as submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeGuard

from planoracle.analysis.intake.path_names import NOTHING, EntryError, Hints, PathNames, problem_name
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model_output.messages import STOPS
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.plan import COMMON_FIELDS

#: What columns can be named for.
FIELDS = ("id", "instance", "model", "sample", "plan")
#: Characters of an ``id`` or a ``model``, which many rows and tables repeat.
MAX_NAME = 1_000
# Where rows that verbs of ours write have what made them, and what other programs call samples.
_MODELS, _SAMPLES = ("model", "method", "heuristic"), ("sample", "epoch")


@cache
def _own_fields() -> tuple[str, ...]:
    every = (field for name in registry.names() for field in registry.get(name).plan_fields)
    return tuple(dict.fromkeys(every))


@cache
def _address_fields() -> tuple[str, ...]:
    return tuple(dict.fromkeys(field for name in registry.names() for field in registry.get(name).address_fields))


@cache
def _limits() -> tuple[str, ...]:
    limits = (registry.get(name).submission_limit for name in registry.names())
    return tuple(dict.fromkeys(limit[0] for limit in limits if limit is not None))


@cache
def plan_fields() -> tuple[str, ...]:
    """Return the fields that may hold a plan, of all benchmarks."""
    return tuple(dict.fromkeys((*_own_fields(), *COMMON_FIELDS)))


def holds_plan(row: Mapping[str, Any]) -> bool:
    """Whether a row has a field that may hold a plan, and something in it."""
    return any(isinstance(row[name], (str, list, dict)) for name in plan_fields() if name in row)


def is_grade(row: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a row is one that ``planoracle grade`` has written: a verdict, without a plan."""
    return isinstance(row, dict) and "scored" in row and not holds_plan(row)


def given_columns(entries: Iterable[str], *, claims: bool = False) -> dict[str, str]:
    """Return columns by field from ``field=column``; raises `UnknownNameError` for what is none.

    With ``claims`` there is a field ``makespan`` as well.

    Examples
    --------
    >>> given_columns(["plan=response.text", "instance=problem_id"])
    {'plan': 'response.text', 'instance': 'problem_id'}
    """
    found = {}
    fields = (*FIELDS, "makespan") if claims else FIELDS
    for entry in entries:
        field, _, column = entry.partition("=")
        if field not in fields or not column:
            raise UnknownNameError(
                f"must be FIELD=COLUMN, FIELD one of {', '.join(fields)}", field="--map", value=entry
            )
        found[field] = column
    return found


class Columns:
    """Makes submissions of rows.

    Parameters
    ----------
    columns
        Columns by field, see `given_columns`; with dots they lead into objects and lists (``choices.0.text``).
    model
        Name of the model of all rows.
    told
        Called, once each, with what a person should know.
    claims
        Whether rows may state a makespan, beside a plan or in place of it.
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        model: str | None = None,
        told: Callable[[str], None] = lambda message: None,
        *,
        claims: bool = False,
    ) -> None:
        self._columns = dict(columns or {})
        self._model = model
        self._told = told
        self._claims = claims
        self._seen: set[frozenset[str]] = set()
        self._met: set[str] = set()
        self._rows = 0

    def submission(self, row: Any, place: PathNames, hints: Hints = NOTHING) -> dict[str, Any]:
        """Return the submission that a row is; a row of ``planoracle grade`` stays what it is.

        Raises
        ------
        EntryError
            If something is missing, or is not what it should be.
        """
        found: dict[str, Any] = {}
        try:
            if not isinstance(row, dict):
                raise InputError("must be an object with instance and plan", field="submission", value=row)
            missing = self._map(row, found)
            if is_grade(found):
                return found if self._model is None else found | {"model": self._model}
            self._name(found, place, hints)
            for field in ("instance", "plan"):
                claimed = self._claims and found.get("makespan") is not None
                lacking = found.get(field) is None if field == "instance" else not (holds_plan(found) or claimed)
                if field in missing and lacking:
                    reason = f"has no column {self._columns[field]!r}; there are {_listed(row)}"
                    raise InputError(reason, field=f"--map {field}")
            if found.get("instance") is None:
                raise self._missing("instance", row)
            if not (self._claims and _claimed(found)):
                self._choose_plan(found, row)
            return checked(found)
        except InputError as error:
            raise EntryError(error, found) from None

    def close(self) -> None:
        """Tell of columns that were asked for and that no row had."""
        for field, column in self._columns.items():
            if self._rows and field not in self._met:
                self._told(f"--map {field}={column}: no row has that column")

    def _map(self, row: dict[str, Any], found: dict[str, Any]) -> set[str]:
        """Fill in a row with its columns where they belong; return the fields whose columns it lacks."""
        found.update(row)
        self._rows += 1
        missing = set()
        for field, column in self._columns.items():
            try:
                value = _at(row, column)
            except KeyError:
                missing.add(field)
                continue
            self._met.add(field)
            if field == "plan":
                for name in plan_fields():
                    found.pop(name, None)
            found[field] = value
        return missing

    def _name(self, found: dict[str, Any], place: PathNames, hints: Hints) -> None:
        """Fill in what the row does not say itself."""
        made_id = hints.id or (str(place.line) if place.source is None else f"{place.source}:{place.line}")
        found["id"] = made_id if found.get("id") in (None, "") else found["id"]
        for field, names, hint in (("model", _MODELS, hints.model), ("sample", _SAMPLES, hints.sample)):
            given = _first(found, names)
            found[field] = hint if given is None else given
        if self._model is not None:
            found["model"] = self._model
        if hints.instance is not None and found.get("instance") in (None, ""):
            found["instance"] = hints.instance
        for name in _limits():
            text = found.get(name)
            if isinstance(text, str):  # of a table in which all is text
                del found[name]
                if text:
                    found[name] = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text

    def _choose_plan(self, found: dict[str, Any], row: dict[str, Any]) -> None:
        """Leave out empty fields beside one that is not; raises `InputError` if there is no plan."""
        there = [name for name in plan_fields() if name in found]
        filled = [name for name in there if found[name] not in (None, "")]
        if not filled and isinstance(found.get("error"), str) and found["error"]:  # a broken run is not a failed one
            raise InputError(f"the run ended with an error: {found['error'][:300]}")
        if not there:
            raise self._missing("plan", row)
        if all(found[name] is None for name in there):
            status = found.get("status")
            why = f"the status is {status}" if isinstance(status, str) else "there is no plan"
            raise InputError(f"is null: {why}", field=there[0])
        for name in there:
            if name not in filled and (filled or found[name] is None):
                del found[name]
        if "plan" in filled:  # it is called so, and needs no others beside it but a benchmark's own
            for name in filled:
                if name not in _own_fields():
                    del found[name]
            return
        several = frozenset(filled)
        if len(several) > 1 and several not in self._seen and not several.isdisjoint(COMMON_FIELDS):
            self._seen.add(several)
            own = [name for name in filled if name in _own_fields()]
            taken = own or [name for name in COMMON_FIELDS if name in several][:1]
            others = ", ".join(sorted(several - set(taken)))
            self._told(
                f"the plan is taken from {' or '.join(taken)}, not from {others}; --map plan=COLUMN says otherwise"
            )

    def _missing(self, field: str, row: dict[str, Any]) -> InputError:
        example = "COLUMN"
        if field == "instance":
            inner = [(f"{key}.{name}", one) for key, value in row.items() for name, one in _inside(value)]
            texts = ((key, one) for key, one in (*row.items(), *inner) if isinstance(one, str))
            example = next((key for key, one in texts if problem_name(one)), example)
        said = f"is missing; there are {_listed(row)} (--map {field}={example} says which it is)"
        return InputError(said, field=field)


def _claimed(found: dict[str, Any]) -> bool:
    """Make a number of the makespan that a row states; return whether it has no plan beside it.

    Raises
    ------
    InputError
        For what is no whole number of ticks.
    """
    plan = found.get("plan")
    if isinstance(plan, int | float) and found.get("makespan") is None:  # as in {"NAME": 12}
        found["makespan"] = found.pop("plan")
    value = found.get("makespan")
    if value in (None, ""):
        found.pop("makespan", None)
        return False
    found["makespan"] = ticks(value)
    if any(found.get(name) not in (None, "") for name in plan_fields()):
        return False
    for name in plan_fields():
        found.pop(name, None)
    return True


def ticks(value: Any) -> int:
    """Return a makespan that somebody states, a number or digits; raises `InputError` for what is none."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise InputError("must be a whole number of ticks from 0", field="makespan", value=value)
    return value


def _inside(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _first(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _listed(row: Mapping[str, Any]) -> str:
    names = [str(name)[:40] for name in row]
    return (
        ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "") if names else "no columns"
    )


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


def normalised(entry: dict[str, Any], place: PathNames) -> dict[str, Any]:
    """Return what is kept of a submission: what every one has, its plan, its limit, what says for which problem it is.

    A row of ``planoracle grade`` is kept as it is.
    """
    if is_grade(entry):
        return entry | place._asdict()
    shared = {name: entry.get(name) for name in ("id", "instance", "model", "sample")} | place._asdict()
    kept = (*_address_fields(), *_limits(), *plan_fields(), *STOPS)
    return shared | {name: entry[name] for name in kept if name in entry}


def checked(submission: object) -> dict[str, Any]:
    """Return a submission with the name of its problem, and ``id``, ``model`` and ``sample`` as `Grade` has them.

    ``instance`` must be text; a benchmark may let other fields say more, see
    `planoracle.instances.protocol.benchmark.Benchmark.addressed`. ``id`` and ``model`` may be numbers, of at most
    `MAX_NAME`
    characters, and may be missing, like ``sample`` (or ``epoch``): a whole number or text.

    Raises
    ------
    InputError
        Naming the field that is not what it should be.

    Examples
    --------
    >>> checked({"id": 7, "instance": "timearena/lab1", "epoch": "2"})
    {'id': '7', 'instance': 'timearena/lab1', 'epoch': '2', 'model': None, 'sample': 2}
    """
    if not isinstance(submission, dict):
        raise InputError("must be an object with instance and plan", field="submission", value=submission)
    if not isinstance(submission.get("instance"), str):
        raise InputError("must be text", field="instance", value=submission.get("instance"))
    names = {field: _name(submission.get(field), field) for field in ("id", "model")}
    names["instance"] = catalog.addressed(submission["instance"], submission)
    given = submission.get("sample")
    return submission | names | {"sample": _sample(submission.get("epoch") if given is None else given)}


def said(record: object, *fields: str, longest: int | None = 200) -> dict[str, Any]:
    """Return what a record says of some of ``id, instance, model, sample``; ``None`` for what is not as it should be.

    Examples
    --------
    >>> said({"id": 7, "model": ["gpt"], "sample": 2}, "id", "model", "sample")
    {'id': '7', 'model': None, 'sample': 2}
    """
    given = record if isinstance(record, dict) else {}
    found: dict[str, Any] = {}
    for field in fields:
        value = given.get(field)
        if value is None and field == "sample":
            value = given.get("epoch")
        try:
            found[field] = _sample(value) if field == "sample" else _text(value, field)
        except InputError:
            found[field] = None
        if isinstance(found[field], str):
            found[field] = found[field][:longest]
    return found


def _name(value: Any, field: str) -> str | None:
    text = _text(value, field)
    if text is not None and len(text) > MAX_NAME:
        raise InputError(f"must have at most {MAX_NAME:,} characters", field=field, value=value)
    return text


def _text(value: Any, field: str) -> str | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise InputError("must be text or a number", field=field, value=value)
    if value is None or isinstance(value, str):
        return value
    if abs(value) >= 10**20:
        raise InputError("must be text or a number of at most 20 digits", field=field, value=value)
    return str(value)


def _sample(value: Any) -> int | str | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if value is None or value == "":
        return None
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    if not whole and not (isinstance(value, str) and len(value) <= 200):
        raise InputError("must be a whole number from 0, or text", field="sample", value=value)
    return value  # type: ignore[no-any-return]
