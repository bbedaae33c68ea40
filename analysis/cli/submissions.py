"""Options and helpers of the subcommands that read submissions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from os.path import exists
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.batch.submission_tasks import each_within
from planoracle.analysis.cli.options import note_problem, read_problems, set_parameters
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import collect, complain, tell
from planoracle.analysis.grading.problem_loader import Places, Problems
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.intake.record_fields import FIELDS, identity_of, parse_columns
from planoracle.analysis.intake.submissions import Intake, SubmissionResult, answers, record_of
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files.catalog import expand, file_path
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
#: Limits of a submission by default.
SUBMISSION_LIMITS = TaskLimits(seconds=120.0, memory=4000)
#: The same for commands that compute the regret of each decision.
REGRET_LIMITS = TaskLimits(seconds=1200.0, memory=4000)

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


InstancesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--instances",
        help="Folder with problem files that submissions refer to by path (repeatable).",
        metavar="DIR",
        exists=True,
        file_okay=False,
    ),
]
TrustOption = Annotated[
    bool,
    typer.Option("--trust-paths", help="Let submissions refer to any file. Use it only for trusted submissions."),
]


@dataclass(frozen=True, slots=True)
class SubmissionSource:
    """Submissions that the options of a command name, and the problems that these may refer to.

    Attributes
    ----------
    paths
        Files or folders with submissions.
    pattern, columns, model
        Values of ``--pattern``, ``--map`` and ``--model``.
    problems
        Values of ``--problems``.
    instances, trust_paths
        Values of the options of the same names.
    """

    paths: Sequence[Path] = ()
    pattern: str | None = None
    columns: Sequence[str] = ()
    model: str | None = None
    problems: Sequence[str] = ()
    instances: Sequence[Path] = ()
    trust_paths: bool = False

    @property
    def places(self) -> Places:
        """Files that submissions may name: those of ``--instances``, and the files of ``--problems``."""
        folders = map(str, self.instances)
        files = filter(exists, map(file_path, self.problems))
        return Places((*folders, *files), self.trust_paths)

    def open(self, *, claims: bool = False) -> Intake:
        """Open the submissions, and read the problems; exits if a path cannot be read.

        With ``claims`` also rows without a plan are read.
        """
        chosen = parse_columns(self.columns, (*FIELDS, "makespan") if claims else FIELDS)
        named = named_problems(self.problems)
        try:
            return Intake(
                self.paths,
                pattern=self.pattern,
                columns=chosen,
                model=self.model,
                on_note=lambda message: tell(message, "note"),
                claims=claims,
                problems=named,
                places=self.places,
            )
        except UnknownNameError:
            raise
        except InputError as error:
            complain(error)
            raise typer.Exit(2) from None

    def results(
        self,
        function: Callable[[Any, dict[str, Any]], Any],
        label: str,
        limits: TaskLimits,
        ids: Collection[str] = (),
    ) -> Iterator[SubmissionResult[Any]]:
        """Open the submissions; yield their results from worker processes, and report failures.

        Parameters
        ----------
        function
            Answers a problem and a submission; crosses a process boundary by pickle.
        label
            Text before the progress bar.
        ids
            Those of the submissions that are answered; empty for all.
        """
        intake = self.open()
        lookup = Problems(named=intake.problems, places=self.places)
        entries = track(intake, label, count_for_bar(intake))
        chosen = _with_ids(entries, ids)
        answer = partial(answers, function=function, problems=lookup)
        return _report(each_within(chosen, answer, limits))


#: Options in place of the parameter ``source`` of a command, by the name of another parameter that the command has.
_SOURCE_OPTIONS: dict[str, dict[str, Any]] = {
    "": {
        "submissions": SubmissionsArgument,
        "pattern": PatternOption,
        "columns": MapOption,
        "model": ModelOption,
        "problems": ProblemsOption,
    },
    "names": {"problems": ProblemsOption, "columns": MapOption, "model": ModelOption},
}
_PATH_OPTIONS: dict[str, tuple[Any, Any]] = {"instances": (InstancesOption, None), "trust_paths": (TrustOption, False)}


def with_submissions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with the options of submissions if it has the parameter ``source``.

    The options replace the parameters ``source``, a `SubmissionSource`, and ``limits``, `TaskLimits`. Commands whose
    argument ``names`` may be submissions have no argument ``submissions``.
    """
    signature = inspect.signature(function, eval_str=True)
    if "source" not in signature.parameters:
        return function
    options = [*_source_parameters(signature)]
    options += [_option(name, *declared) for name, declared in _PATH_OPTIONS.items()]

    @wraps(function)
    def command(**values: Any) -> Any:
        source_values = {name: values.pop(name) for name in _SOURCE_FIELDS if name in values}
        limits = TaskLimits(values.pop("line_seconds") or None, values.pop("line_memory") or None)
        return function(**values, source=_source_of(**source_values), limits=limits)

    return set_parameters(command, options)


_SOURCE_FIELDS = (*_SOURCE_OPTIONS[""], *_PATH_OPTIONS)


def _source_parameters(signature: inspect.Signature) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command, with options in place of ``source`` and ``limits``."""
    source_options = _SOURCE_OPTIONS["names" if "names" in signature.parameters else ""]
    for name, parameter in signature.parameters.items():
        if name == "source":
            for option, annotation in source_options.items():
                is_required = option == "submissions"
                yield _option(option, annotation, inspect.Parameter.empty if is_required else None)
        elif name == "limits":
            yield _option("line_seconds", SecondsOption, parameter.default.seconds)
            yield _option("line_memory", MemoryOption, parameter.default.memory)
        else:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _source_of(
    *,
    submissions: Sequence[Path] = (),
    pattern: str | None = None,
    columns: Sequence[str] | None,
    model: str | None,
    problems: Sequence[str] | None,
    instances: Sequence[Path] | None,
    trust_paths: bool,
) -> SubmissionSource:
    """Return the source that values of options describe."""
    return SubmissionSource(
        submissions, pattern, columns or (), model, problems or (), instances or (), trust_paths=trust_paths
    )


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


def _with_ids(entries: Iterable[tuple[SourceLine, Any]], ids: Collection[str]) -> Iterator[tuple[SourceLine, Any]]:
    """Yield the submissions that have one of the ids; all if there are no ids."""
    for place, entry in entries:
        if not ids or identity_of(record_of(entry), "id", longest=None)["id"] in ids:
            yield place, entry


def _report(results: Iterable[SubmissionResult[Any]]) -> Iterator[SubmissionResult[Any]]:
    """Yield results; write an error for each failure, and the catalogue's notes on the problems."""
    for result in results:
        if result.value is None:
            report_failure(result.place, result.reason)
        note_problem(result.instance)
        yield result
