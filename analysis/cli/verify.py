"""``planoracle verify``: certificates, those that ship or of others, checked; and runs graded again."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planoracle.analysis.cli.batching import JobsOption, workshop
from planoracle.analysis.cli.common import Run, begun
from planoracle.analysis.cli.limiting import MEMORY, SECONDS, MemoryOption, OwnLimitsOption, SecondsOption, limits_of
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.cli.submissions import (
    MapOption,
    ModelOption,
    PatternOption,
    ProblemsOption,
    ProfileOption,
    RuleOption,
    chosen_rules,
    counted,
    found_problems,
    opened,
)
from planoracle.analysis.spoken import tell

if TYPE_CHECKING:
    from planoracle.analysis.batch.grading import Grading
    from planoracle.analysis.problems import Problems
    from planoracle.analysis.submissions import Intake

_COLUMNS = ("instance", "profile", "makespan", "bound", "proved", "holds", "reason")
_LEAST = ("profile", "proved")
_DIFFERING = ("line", "source", "id", "instance", "differs")


def verify(
    what: Annotated[
        str | None,
        typer.Argument(
            help="Name, prefix, glob or file of the problems, by default all that are bundled; or a folder that grade "
            "--run has kept, or a file of its grades.",
            metavar="PROBLEM|RUN",
            autocompletion=begun,
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Argument(
            help="File of certificates, as explain --out writes them, by default those that ship; or the submissions "
            "of the run.",
            metavar="PROOF|SUBMISSIONS",
        ),
    ] = None,
    form: FormatOption = Format.table,
    sample: Annotated[
        str, typer.Option(help="How many submissions of a run to grade again: a number, or all.", metavar="N|all")
    ] = "all",
    seed: Annotated[int, typer.Option(help="What --sample is drawn by.", min=0)] = 0,
    profile: ProfileOption = "paper",
    rule: RuleOption = None,
    trace: Annotated[bool, typer.Option("--trace", help="The run was graded with --trace.")] = False,
    pattern: PatternOption = None,
    columns: MapOption = None,
    model: ModelOption = None,
    problems: ProblemsOption = None,
    jobs: JobsOption = None,
    line_seconds: SecondsOption = SECONDS,
    line_memory: MemoryOption = MEMORY,
    own_limits: OwnLimitsOption = True,
    cache: Annotated[bool, typer.Option(help="Use optima and plans of the user's cache folder.")] = True,
) -> None:
    """Check proofs that no schedule is shorter, step by step; or grade a run again and report rows that differ.

    Schedules and plans in proofs are replayed as well. A bound without a certificate is not checked: then the answer is
    "plan holds, bound not checked". A contradiction with a bundled optimum is an error. Two files that need Python
    alone do the same: python solver/explain/checker.py PROBLEM.json PROOF.json, and timetable.py beside it.

    A run is graded again with the options that it was graded with. Exit status: 0 if nothing is refuted, 1 if something
    is, or cannot be read.
    """
    from planoracle.analysis.batch.journal import NAME
    from planoracle.analysis.batch.regrading import is_graded

    run = what is not None and ((Path(what) / NAME).exists() or is_graded(what))
    if not against:
        if run:
            raise typer.BadParameter(f"{what} is a run: name its submissions as well", param_hint="SUBMISSIONS")
        raise typer.Exit(_shipped([] if what is None else [what], form))
    assert what is not None
    if run:
        from planoracle.analysis.batch.grading import Grading

        rules, limits = tuple(sorted(chosen_rules(rule or ()).items())), limits_of(line_seconds, line_memory)
        options = Grading(profile, rules, trace, cache, limits, own_limits)
        count = _number(sample)
        making = found_problems(problems)
        raise typer.Exit(_run(what, opened(against, pattern, columns, model), options, making, form, count, seed, jobs))
    if len(against) != 1:
        raise typer.BadParameter(f"{what} is no run, and only one file of certificates is taken", param_hint="PROOF")
    _certificates(what, str(against[0]), form)


def _shipped(names: list[str], form: Format) -> int:
    """Check what ships about bundled problems; in tables that people read, of many only those that do not hold."""
    from planoracle.analysis.verified import shipped
    from planoracle.instances import catalogue

    found = catalogue.expand(names) or catalogue.bundled()
    table = Table(form, _COLUMNS, least=_LEAST)
    count = Counter[bool | None]()
    for name in track(found, "verifying"):
        for one in shipped(name):
            count[one.holds] += 1
            if one.holds is False or names or form is not Format.table:
                table.add(one.row())
    if table.rows or form is not Format.table:
        table.close()
    tell(
        f"{count[True]} certificates hold; {count[None]} others have none: their plans hold, their bounds are not "
        f"checked; {count[False] or 'none'} refused"
    )
    return int(count[False] > 0)


def _certificates(problem: str, proof: str, form: Format) -> None:
    from planoracle.analysis.verified import certificates, verified
    from planoracle.instances.errors import InputError

    run = Run([problem], "reading", kitchens=True)
    problems = {instance.name: instance for instance, _ in run.each(lambda instance: None)}
    table, failed = Table(form, _COLUMNS, least=_LEAST), False
    for place, found in track(list(certificates(proof)), "verifying"):
        try:
            if isinstance(found, InputError):
                raise found
            one = verified(found, problems)
        except InputError as error:
            complain(error.at(place))
            failed = True
            continue
        table.add(one.row())
        failed |= one.holds is False
    table.close()
    run.exit(failed=failed)


def _number(sample: str) -> int | None:
    """Return how many submissions are wanted, ``None`` for all."""
    if sample == "all":
        return None
    if not (sample.isascii() and sample.isdigit() and int(sample)):
        raise typer.BadParameter(f"must be a number from 1 on, or all, not {sample!r}", param_hint="--sample")
    return int(sample)


def _run(
    path: str,
    intake: Intake,
    work: Grading,
    problems: Problems,
    form: Format,
    sample: int | None,
    seed: int,
    jobs: int | None,
) -> int:
    """Grade a run again; return the exit status."""
    from planoracle.analysis.batch.grading import Submissions
    from planoracle.analysis.batch.journal import Journal
    from planoracle.analysis.batch.regrading import Count, Written, kept_in, regraded
    from planoracle.analysis.cli.grade import items_of

    table, count, differing = Table(form, _DIFFERING, least=("source",)), Count(), 0
    expected = counted(intake) if sample is None else sample
    with ExitStack() as stack, workshop(work, jobs, None, None, intake.count) as (pool, _):
        written = Written(path) if os.path.isfile(path) else None
        if written is None:
            kept = kept_in(stack.enter_context(Journal(Path(path), lambda said: tell(said, "warning"), reading=True)))
        items = items_of(intake, Submissions(work, problems, keyed=True))
        found = regraded(items, written or kept, pool, count, sample, seed)
        with closing(track(found, "grading", expected)) as told:
            for one in told:
                if one is not None:
                    differing += 1
                    table.add(one.row())
    if table.rows or form is not Format.table:
        table.close()
    left = 0 if written is None else written.left
    if count.missing:
        tell(f"{count.missing} submissions have no row in {path}, by these options and versions", "note")
    if left:
        complain(f"{path}: {left} rows are of none of the submissions")
    what = "differs" if differing == 1 else "differ"
    tell(f"{count.again} of {count.found} rows graded again: {differing or 'none'} {what}")
    if not count.found:
        complain(f"{path}: holds no row of these submissions, by these options and versions")
    return int(differing > 0 or left > 0 or not count.found)
