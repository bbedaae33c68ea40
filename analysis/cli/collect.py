"""``planoracle collect``: submissions of every form as JSON lines, for keeping."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from planoracle.analysis.cli.output import complain, track
from planoracle.analysis.cli.stopping import stoppable
from planoracle.analysis.cli.submissions import (
    MapOption,
    ModelOption,
    PatternOption,
    SubmissionsArgument,
    blamed,
    counted,
    opened,
)
from planoracle.analysis.output_files import output_file
from planoracle.analysis.spoken import clear, tell
from planoracle.instances.visible import to_json


def collect(
    submissions: SubmissionsArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: standard output.")
    ] = None,
    pattern: PatternOption = None,
    columns: MapOption = None,
    model: ModelOption = None,
) -> None:
    """Write submissions as JSON lines: id, instance, model, sample, source, line and the plan as it was found.

    What cannot be read is reported and left out; the exit status is then 1.
    """
    from planoracle.analysis.intake.columns import normalised
    from planoracle.instances.errors import InputError

    intake = opened(submissions, pattern, columns, model)
    written = failed = 0
    try:
        with stoppable(), nullcontext(sys.stdout) if output is None else output_file(output) as stream:
            for place, entry in track(intake, "collecting", counted(intake)):
                if isinstance(entry, InputError):
                    blamed(place, str(entry))
                    failed += 1
                    continue
                if output is None:
                    clear()
                stream.write(to_json(normalised(entry, place)) + "\n")
                written += 1
    except OSError as error:
        if output is None:
            raise
        complain(f"{output}: cannot be written: {error.strerror}")
        raise typer.Exit(2) from None
    left = f"; {failed} could not be read" if failed else ""
    tell(f"{written} submissions{left}", "note")
    raise typer.Exit(1 if failed else 0)
