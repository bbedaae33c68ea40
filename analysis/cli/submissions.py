"""What the verbs that read submissions share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.output import complain, track
from planoracle.analysis.cli.paths import chosen_places
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.analysis.batch.limits import Limits
    from planoracle.analysis.problems import Problems
    from planoracle.analysis.submissions import Answer, Intake, Place
    from planoracle.instances.problem import Problem

__all__ = [
    "MapOption",
    "ModelOption",
    "PatternOption",
    "ProblemsOption",
    "ProfileOption",
    "RuleOption",
    "SubmissionsArgument",
    "answered",
    "blamed",
    "chosen_rules",
    "counted",
    "found_problems",
    "named_problems",
    "opened",
    "submitted",
]

SubmissionsArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Files or folders with submissions: JSON lines, JSON, CSV, Parquet, logs of inspect_ai, texts of plans, "
        "also by gzip or zstd; - for standard input.",
        metavar="SUBMISSIONS",
    ),
]
PatternOption = Annotated[
    str | None,
    typer.Option(help="Names in paths: {model}/{instance}.*, also {sample}, {id}. Default: one of six layouts."),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="Which column is what: --map plan=response --map instance=problem_id; also id, model, sample.",
        metavar="FIELD=COLUMN",
    ),
]
ModelOption = Annotated[str | None, typer.Option(help="Name of the model of all submissions.")]
ProblemsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--problems",
        help="File or folder of problems, which submissions may name by their own names or paths (repeatable).",
    ),
]
ProfileOption = Annotated[str, typer.Option("--profile", "--rules", help="Rules: paper or released.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "--rule",
        help="Set a single rule: --set BENCHMARK.RULE=VALUE, or RULE=VALUE where one alone has it.",
        metavar="[BENCHMARK.]RULE=VALUE",
    ),
]


def chosen_rules(entries: Iterable[str]) -> dict[str, str]:
    """Return single rules by name from ``name=value``; ends the program for what is none."""
    found: dict[str, str] = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise typer.BadParameter(f"must be name=value, not {entry!r}", param_hint="--set")
        found[name] = value
    return found


def named_problems(names: Iterable[str] | None) -> dict[str, Problem]:
    """Return problems by name from files and folders.

    Raises
    ------
    InputError
        For two problems of one name.
    """
    from planoracle.instances.catalogue import expand, read_problems
    from planoracle.instances.errors import InputError

    found: dict[str, Problem] = {}
    for path in expand(names or ()):
        for problem in read_problems(path):
            if found.setdefault(problem.name, problem) != problem:
                raise InputError("is the name of two problems", source=path, field="--problems", value=problem.name)
    return found


def found_problems(names: Iterable[str] | None) -> Problems:
    """Return what finds the problems that submissions name."""
    from planoracle.analysis.problems import Problems

    return Problems(named=named_problems(names), places=chosen_places(names))


def opened(
    paths: Sequence[Path],
    pattern: str | None = None,
    columns: Iterable[str] | None = None,
    model: str | None = None,
    *,
    claims: bool = False,
) -> Intake:
    """Find all submissions, with ``claims`` also those of a mere makespan; ends the program if that is not possible."""
    from planoracle.analysis.intake.columns import given_columns
    from planoracle.analysis.submissions import Intake
    from planoracle.instances.errors import InputError, UnknownNameError

    chosen = given_columns(columns or (), claims=claims)
    try:
        return Intake(
            paths,
            pattern=pattern,
            columns=chosen,
            model=model,
            told=lambda message: tell(message, "note"),
            claims=claims,
        )
    except UnknownNameError:
        raise
    except InputError as error:
        complain(error)
        raise typer.Exit(2) from None


def counted(intake: Intake) -> int | None:
    """Count the submissions for the progress bar, if there is one."""
    return intake.count() if sys.stderr.isatty() else None


def blamed(place: Place, reason: str | None) -> None:
    """Complain of what is wrong with a submission, naming its place once."""
    complain(f"{place}: {(reason or '').removeprefix(f'{place.source}: ')}")


def submitted(answer: Answer[Any]) -> dict[str, Any]:
    """Return the fields that say which submission a row is about."""
    names = ("id", "instance", "model", "sample", "source", "line")
    return {name: getattr(answer, name) for name in names}


def answered(
    intake: Intake, function: Callable[[Any, dict[str, Any]], Any], label: str, problems: Problems, limits: Limits
) -> Iterator[Answer[Any]]:
    """Yield an `Answer` for every submission, from another process; those without a value are complained of."""
    from planoracle.analysis.batch.answering import answers_within

    for answer in answers_within(track(intake, label, counted(intake)), function, problems, limits):
        if answer.value is None:
            blamed(answer.place, answer.reason)
        yield answer
