"""What the verbs that read submissions share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from os.path import isdir
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from planoracle.analysis.cli.output import complain, track
from planoracle.analysis.spoken import tell
from planoracle.instances import registry

__all__ = [
    "DataOption",
    "OriginalsOption",
    "ProfileOption",
    "RuleOption",
    "SubmissionsArgument",
    "answered",
    "chosen_rules",
    "folders",
    "opened",
]

SubmissionsArgument = Annotated[
    Path,
    typer.Argument(
        help="JSON lines with id, instance, plan (actions, turns) and optionally model; - for standard input."
    ),
]
ProfileOption = Annotated[str, typer.Option(help="Rules: paper or released.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "--rule",
        help="Set a single rule: --set BENCHMARK.RULE=VALUE, or RULE=VALUE where one alone has it.",
        metavar="[BENCHMARK.]RULE=VALUE",
    ),
]
DataOption = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        help="Folder with the authors' own files, which the benchmark's names then mean (repeatable).",
        metavar="BENCHMARK=DIR",
    ),
]
OriginalsOption = Annotated[Path | None, typer.Option(hidden=True)]


def chosen_rules(entries: Iterable[str]) -> dict[str, str]:
    """Return single rules by name from ``name=value``; ends the program for what is none."""
    found: dict[str, str] = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise typer.BadParameter(f"must be name=value, not {entry!r}", param_hint="--set")
        found[name] = value
    return found


def folders(data: Iterable[str] | None, originals: Path | None) -> dict[str, Path]:
    """Return folders by benchmark from ``name=folder``; ends the program for what is none.

    ``originals``, as it was called once, is the folder of all benchmarks whose names can mean files.
    """
    if not data and originals is None:
        return {}
    able = [name for name in registry.names() if registry.get(name).data]
    entries = [f"{name}={originals}" for name in able if originals is not None]
    if entries:
        tell(f"--originals {originals} is called --data {' --data '.join(entries)} now", "note")
    found = {}
    for entry in (*entries, *(data or ())):
        name, _, folder = entry.partition("=")
        if name not in able or not isdir(folder):
            known = ", ".join(f"{one} ({registry.get(one).data})" for one in able)
            raise typer.BadParameter(f"must be NAME=FOLDER, NAME one of {known}; not {entry!r}", param_hint="--data")
        found[name] = Path(folder)
    return found


def opened(submissions: Path) -> IO[bytes]:
    """Open a file of submissions, or standard input; ends the program if that is not possible."""
    try:
        return sys.stdin.buffer if str(submissions) == "-" else submissions.open("rb")
    except OSError as error:
        complain(f"{submissions}: cannot be read: {error.strerror}")
        raise typer.Exit(2) from None


def answered(
    submissions: Path, function: Callable[[Any, dict[str, Any]], Any], label: str, data: Mapping[str, Path]
) -> Iterator[Any]:
    """Yield an `Answer` for every line; those without a value are complained of."""
    from planoracle.analysis.problems import Problems
    from planoracle.analysis.submissions import answers, read_submissions

    with opened(submissions) as stream:
        entries = track(read_submissions(stream, str(submissions)), label)
        for answer in answers(entries, function, Problems(data)):
            if answer.value is None:
                complain(f"line {answer.line}: {answer.reason}")
            yield answer
