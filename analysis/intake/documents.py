"""JSON that is no JSON lines: lists of submissions, objects over several lines, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from planoracle.analysis.intake.columns import holds_plan
from planoracle.analysis.intake.lines import MAX_LINE
from planoracle.analysis.intake.logs import is_log, logged
from planoracle.analysis.intake.names import known
from planoracle.analysis.intake.scanner import Scanner
from planoracle.instances.errors import InputError
from planoracle.instances.reading import load_json

__all__ = ["expanded", "read_documents"]


def read_documents(stream: IO[bytes], source: str, *, named: bool) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the number and the content of every entry of the lists and of every object that a stream holds.

    An object whose keys are all names of problems holds a plan for each. A list of what are no submissions is a plan
    itself where the path names the problem (``named``): a list of commands, of messages.
    """
    scanner = Scanner(stream, source, MAX_LINE)
    number = 0
    while first := scanner.peek():
        if first == b"[":
            found: Iterator[Any] = _listed(scanner, source, named)
        else:
            found = expanded(_parsed(scanner.value(), source), named=named)
        for entry in found:
            number += 1
            yield number, entry
    if not number:
        yield 1, InputError("holds nothing", source=source)


def _parsed(text: bytes | None, source: str) -> Any:
    if text is None:
        return InputError(f"is longer than {MAX_LINE} bytes", source=source)
    try:
        return load_json(text, source)
    except InputError as error:
        return error


def _listed(scanner: Scanner, source: str, named: bool) -> Iterator[Any]:
    entries = (_parsed(text, source) for text in scanner.elements())
    for index, first in enumerate(entries):
        if index == 0 and not named and not isinstance(first, dict | InputError):
            raise InputError("must be a list of objects with instance and plan", source=source, value=first)
        if index == 0 and named and not isinstance(first, InputError) and not _is_submission(first):
            yield {"plan": [first, *(_sound(entry) for entry in entries)]}
            return
        yield first


def _sound(entry: Any) -> Any:
    if isinstance(entry, InputError):
        raise entry
    return entry


def _is_submission(entry: Any) -> bool:
    return isinstance(entry, dict) and ("instance" in entry or "scored" in entry or holds_plan(entry))


def expanded(entry: Any, *, named: bool) -> Iterator[Any]:
    """Yield what an object holds: itself, the samples of a log, or the plans of the problems that are its keys."""
    if isinstance(entry, str) and named:
        yield {"plan": entry}
    elif not isinstance(entry, dict) or _is_submission(entry):
        yield entry
    elif is_log(entry):
        yield from (one for _, one in logged(entry, entry.get("samples") or ()))
    elif entry and _by_problem(entry):
        for name, plan in entry.items():
            whole = isinstance(plan, dict) and holds_plan(plan)
            yield {**(plan if whole else {"plan": plan}), "instance": known(name) or name}
    else:
        yield entry


def _by_problem(entry: dict[str, Any]) -> bool:
    """Whether the keys of an object are problems; where one is by its whole name, the others are meant so too."""
    found = [(name, known(name)) for name in entry]
    return all(one is not None for _, one in found) or any("/" in name and one is not None for name, one in found)
