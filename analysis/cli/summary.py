"""``planoracle summary``: how models do over sets of problems, out of graded plans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planoracle.analysis.cli.output import Format, FormatOption, track
from planoracle.analysis.cli.submissions import ProfileOption, RuleOption, blamed, chosen_rules, opened
from planoracle.analysis.cli.summaries import show
from planoracle.analysis.cli.view import chosen

if TYPE_CHECKING:
    from planoracle.analysis.grade import Grade
    from planoracle.analysis.submissions import Intake, Place


def summary(
    grades: Annotated[
        list[Path],
        typer.Argument(
            help="What planoracle grade --format jsonl (or json) writes; - for standard input.", metavar="GRADES"
        ),
    ],
    form: FormatOption = Format.table,
    profile: ProfileOption = "paper",
    rule: RuleOption = None,
) -> None:
    """Sum grades up: a row per model, over all sets, then a row per model and set.

    Figures are means over the samples of a problem, then over problems, then over sets. json, jsonl and csv have all
    of them, a row per model (level model) and per model and set (level set); with --columns other formats have the
    first table alone. A line that is no grade is reported, and the exit status is then 1.
    """
    from planoracle.analysis.profiles import profiles
    from planoracle.analysis.statistics import GradeRows

    rows = GradeRows(profiles(profile, chosen_rules(rule or ())))
    failed = False
    for place, grade, fault in track(_read(opened(grades)), "reading"):
        try:
            if grade is not None:
                rows.add(grade)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            fault = f"lacks what the figures of its benchmark need: {error}"
        if fault:
            blamed(place, fault)
            failed = True
    show(rows, form, models=bool(chosen().columns))
    raise typer.Exit(1 if failed else 0)


def _read(intake: Intake) -> Iterator[tuple[Place, Grade | None, str]]:
    """Yield the place of every grade, and the grade or what is wrong with it."""
    from planoracle.analysis.graded import grade_of
    from planoracle.analysis.submissions import EntryError, is_grade

    for place, content in intake:
        if not is_grade(content):
            known = isinstance(content, dict) or (isinstance(content, EntryError) and "id" in content.about)
            none = "is no grade; planoracle grade --format jsonl makes them of submissions"
            yield place, None, none if known else str(content)
        else:
            found = grade_of(content, place)
            # A row that is none is an unscored one to those who only show it.
            yield (place, found, "") if found.scored == content["scored"] else (place, None, found.reason or "")
