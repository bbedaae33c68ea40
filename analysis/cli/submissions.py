"""Options and helpers of the subcommands that read submissions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from os.path import exists
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.batch.submission_tasks import each_within
from planoracle.analysis.cli.options import note_problem, read_problems, with_options
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import collect, complain, set_variable, tell
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.intake.record_fields import FIELDS, identity_of, parse_columns
from planoracle.analysis.intake.submissions import Intake, SubmissionResult, answers, record_of
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import expand
from planoracle.instances.model.problem import Problem
from planoracle.instances.workers.worker import TaskLimits

# Endings of files in a folder of problems that must hold problems.
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")

SubmissionsArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Files or folders with submissions: JSON lines, JSON, CSV, Parquet, logs of inspect_ai, texts of plans; "
        "also compressed with gzip or zstd. - for standard input. A file of a folder that could hold submissions and "
        "is not read is an error (exit status 1).",
        metavar="SUBMISSIONS",
    ),
]
PatternOption = Annotated[
    str | None,
    typer.Option(
        help="Layout of the paths of submission files, with {model}, {instance}, {sample}, {id}, such as "
        "'{model}/{instance}.*'. Default: one of six layouts is detected.",
        metavar="LAYOUT",
    ),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="Column that contains the field instance, plan, id, model or sample: plan=response (repeatable; the first "
        "column of a field that a row has counts).",
        metavar="FIELD=COLUMN",
    ),
]
ModelOption = Annotated[str | None, typer.Option(help="Name of the model that wrote all submissions.", metavar="MODEL")]
ProblemsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--problems",
        help="File or folder with problems that submissions refer to by name (repeatable).",
        metavar="FILE|DIR",
    ),
]
#: Processor time, in seconds, and memory, in MB, that a submission may use by default.
SECONDS, MEMORY = 120.0, 4000
#: The same time for commands that compute the regret of each decision.
PRICED = 1200.0

SecondsOption = Annotated[
    float,
    typer.Option(
        help="Processor time per submission, in seconds; 0: unlimited. A submission that exceeds it is unscored.",
        metavar="SECONDS",
        min=0,
    ),
]
MemoryOption = Annotated[
    int,
    typer.Option(
        help="Memory of a worker process, in MB, on Linux; 0: unlimited. A submission that exceeds it is unscored.",
        metavar="MB",
        min=0,
    ),
]
OwnLimitsOption = Annotated[
    bool,
    typer.Option(
        "--own-limits/--no-own-limits",
        help="Apply the limits that submissions set for their own runs (fields time_limit and limit).",
    ),
]
#: Help text of the option ``--profile``.
PROFILE_HELP = "Rule profile: paper (rules of the paper) or released (rules of the released code)."
ProfileOption = Annotated[str, typer.Option("--profile", "--rules", help=PROFILE_HELP, metavar="PROFILE")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "--rule",
        help="Change one rule of the profile (repeatable); planoracle benchmark list prints all rules. BENCHMARK may "
        "be omitted if only one has the rule.",
        metavar="[BENCHMARK.]RULE=VALUE",
    ),
]


_PATHS = {
    "instances": (
        Annotated[
            list[Path] | None,
            typer.Option(
                "--instances",
                help="Folder with problem files that submissions refer to by path (repeatable).",
                metavar="DIR",
                exists=True,
                file_okay=False,
            ),
        ],
        None,
    ),
    "trust_paths": (
        Annotated[
            bool,
            typer.Option(
                "--trust-paths", help="Let submissions refer to any file. Use it only for trusted submissions."
            ),
        ],
        False,
    ),
}
_allowed: ContextVar[tuple[tuple[str, ...], bool]] = ContextVar("paths", default=((), False))


def with_paths(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with ``--instances`` and ``--trust-paths`` if it reads submissions."""
    if "problems" not in inspect.signature(function).parameters:
        return function
    return with_options(function, _PATHS, _allow)


def _allow(*, instances: list[Path] | None, trust_paths: bool) -> AbstractContextManager[None]:
    return set_variable(_allowed, (tuple(map(str, instances or ())), trust_paths))


def chosen_places(problems: Iterable[str] | None) -> Places:
    """Return the files that submissions may name: those of the options, and the files of ``--problems``."""
    folders, trusted = _allowed.get()
    return Places((*folders, *filter(exists, problems or ())), trusted)


def limits_of(seconds: float, memory: int) -> TaskLimits:
    """Return the limits of two options, in which 0 means unlimited."""
    return TaskLimits(seconds or None, memory or None)


def chosen_rules(entries: Iterable[str]) -> dict[str, str]:
    """Return rules by name from ``name=value``; raises `typer.BadParameter` for other texts."""
    rules: dict[str, str] = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise typer.BadParameter(f"must be RULE=VALUE, not {entry!r}", param_hint="--set")
        rules[name] = value
    return rules


def named_problems(names: Iterable[str] | None) -> dict[str, Problem]:
    """Return problems by name from files and folders.

    A note names each file of a folder, other than JSON, that holds no problem: submissions may be beside problems.

    Raises
    ------
    InputError
        For a file that cannot be read, and for two problems of one name.
    """
    problems: dict[str, Problem] = {}
    requested = list(names or ())
    for path in expand(requested):
        try:
            members = read_problems(path)
        except InputError as error:
            if path in requested or path.endswith(_JSON_ENDINGS):
                raise
            tell(f"no problem: {error}", "note")
            continue
        for problem in members:
            if problems.setdefault(problem.name, problem) != problem:
                raise InputError(
                    "must be unique; two problems have it",
                    source=path,
                    field="--problems",
                    value=problem.name,
                )
    return problems


def open_submissions(
    paths: Sequence[Path],
    pattern: str | None = None,
    columns: Iterable[str] | None = None,
    model: str | None = None,
    problems: Iterable[str] | None = None,
    *,
    claims: bool = False,
) -> Intake:
    """Open submissions to bundled problems and those of ``--problems``; exits if a path cannot be read.

    With ``claims`` also rows without a plan are read.
    """
    chosen = parse_columns(columns or (), (*FIELDS, "makespan") if claims else FIELDS)
    named = named_problems(problems)
    try:
        return Intake(
            paths,
            pattern=pattern,
            columns=chosen,
            model=model,
            on_note=lambda message: tell(message, "note"),
            claims=claims,
            problems=named,
            places=chosen_places(problems),
        )
    except UnknownNameError:
        raise
    except InputError as error:
        complain(error)
        raise typer.Exit(2) from None


def count_for_bar(intake: Intake) -> int | None:
    """Return the number of submissions if a progress bar will show it."""
    return intake.count() if sys.stderr.isatty() else None


def report_failure(place: SourceLine, reason: str | None) -> None:
    """Write an error about a submission, with its place; equal ones together, see `console.collect`."""
    collect(place, (reason or "").removeprefix(f"{place.source}: "), "submissions")


def identifying_fields(answer: SubmissionResult[Any]) -> dict[str, Any]:
    """Return the fields that identify the submission of a row."""
    names = ("id", "instance", "model", "sample", "source", "line")
    return {name: getattr(answer, name) for name in names}


def submission_answers(
    function: Callable[[Any, dict[str, Any]], Any],
    label: str,
    intake: Intake,
    problems: Iterable[str] | None,
    limits: TaskLimits,
    ids: Collection[str] = (),
) -> Iterator[SubmissionResult[Any]]:
    """Yield the `SubmissionResult` of each submission from worker processes; report failures.

    Parameters
    ----------
    function
        Answers a problem and a submission; crosses a process boundary by pickle.
    label
        Text before the progress bar.
    problems
        Values of ``--problems``.
    ids
        Those of the submissions that are answered; empty for all.
    """
    lookup = Problems(named=intake.problems, places=chosen_places(problems))
    each = partial(answers, function=function, problems=lookup)
    entries = track(intake, label, count_for_bar(intake))
    chosen = (one for one in entries if not ids or identity_of(record_of(one[1]), "id", longest=None)["id"] in ids)
    for answer in each_within(chosen, each, limits):
        if answer.value is None:
            report_failure(answer.place, answer.reason)
        note_problem(answer.instance)
        yield answer
