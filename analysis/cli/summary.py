"""``planoracle summary``: how models do over sets of problems, out of graded plans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planoracle.analysis.cli.output import Format, FormatOption, complain, track
from planoracle.analysis.cli.submissions import ProfileOption, RuleOption, chosen_rules, opened
from planoracle.analysis.cli.summaries import show

if TYPE_CHECKING:
    from planoracle.analysis.grade import Grade


def summary(
    grades: Annotated[
        list[Path],
        typer.Argument(help="What planoracle grade --format jsonl writes; - for standard input.", metavar="GRADES..."),
    ],
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    rule: RuleOption = None,
) -> None:
    """Sum grades up: a row per model, over all sets, then a row per model and set.

    Figures are means over the samples of a problem, then over problems, then over sets. json, jsonl and csv have all
    of them, a row per model (level model) and per model and set (level set). A line that is no grade is reported, and
    the exit status is then 1.
    """
    from planoracle.analysis.profiles import profiles
    from planoracle.analysis.statistics import Averages

    averages = Averages(profiles(profile, chosen_rules(rule or ())))
    failed = False
    for path in grades:
        for grade, fault in track(_read(path), "reading"):
            try:
                if grade is not None:
                    averages.add(grade)
            except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
                fault = f"line {grade.line if grade else 0}: lacks what the figures of its benchmark need: {error}"
            if fault:
                complain(f"{path}: {fault}" if len(grades) > 1 else fault)
                failed = True
    show(averages, form)
    raise typer.Exit(1 if failed else 0)


def _read(path: Path) -> Iterator[tuple[Grade | None, str]]:
    """Yield every grade of a file, or what is wrong with its line."""
    from planoracle.analysis.report.inputs import grade_of
    from planoracle.analysis.submissions import read_submissions
    from planoracle.instances.errors import InputError

    with opened(path) as stream:
        for line, content in read_submissions(stream, str(path)):
            if isinstance(content, InputError):
                yield None, f"line {line}: {content}"
            elif not isinstance(content, dict) or "scored" not in content:
                yield None, f"line {line}: is no grade; planoracle grade --format jsonl makes them of submissions"
            else:
                found = grade_of(content, line)
                # A row that is none is an unscored one to those who only show it.
                yield (found, "") if found.scored == content["scored"] else (None, f"line {line}: {found.reason}")
