"""What the verbs that read submissions share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from planoracle.analysis.cli.output import complain, track

__all__ = ["OriginalsOption", "ProfileOption", "SubmissionsArgument", "answered", "opened"]

SubmissionsArgument = Annotated[
    Path,
    typer.Argument(
        help="JSON lines with id, instance, plan (actions, turns) and optionally model; - for standard input."
    ),
]
ProfileOption = Annotated[str, typer.Option(help="Rules: paper or released.")]
OriginalsOption = Annotated[
    Path | None, typer.Option(help="Folder with the simulator's kitchens, which robotouille/... then names.")
]


def opened(submissions: Path) -> IO[bytes]:
    """Open a file of submissions, or standard input; ends the program if that is not possible."""
    try:
        return sys.stdin.buffer if str(submissions) == "-" else submissions.open("rb")
    except OSError as error:
        complain(f"{submissions}: cannot be read: {error.strerror}")
        raise typer.Exit(2) from None


def answered(
    submissions: Path, function: Callable[[Any, dict[str, Any]], Any], label: str, originals: Path | None = None
) -> Iterator[Any]:
    """Yield an `Answer` for every line; those without a value are complained of."""
    from planoracle.analysis.problems import Problems
    from planoracle.analysis.submissions import answers, read_submissions

    with opened(submissions) as stream:
        entries = track(read_submissions(stream, str(submissions)), label)
        for answer in answers(entries, function, Problems(originals)):
            if answer.value is None:
                complain(f"line {answer.line}: {answer.reason}")
            yield answer
