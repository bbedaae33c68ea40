"""``planoracle verify``: check certificates, and derive the bundled optima again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import ProblemLoop
from planoracle.analysis.cli.output import Format, FormatOption, Table
from planoracle.analysis.cli.progress import track
from planoracle.analysis.console import collect, complain, tell
from planoracle.analysis.verification.bundled_checks import (
    bundled_entries,
    derive,
    faults_of,
    select_names,
    write_optima,
)
from planoracle.analysis.verification.verify import read_certificates, verify_bundled, verify_named, write_certificates
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.protocol import registry
from planoracle.instances.workers.pool import each_in_worker

_COLUMNS = ("instance", "holds", "makespan", "bound", "profile", "proved", "reason")
_PANEL = "Bundled optima"


def verify(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name, prefix or glob of problems, or file with problems. Default: all bundled problems.",
            metavar="PROBLEM",
            autocompletion=catalog.completions,
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Argument(
            help="File of proofs, written by explain --out. Default: the bundled certificates.", metavar="PROOF"
        ),
    ] = None,
    form: FormatOption = Format.table,
    bundled: Annotated[
        bool,
        typer.Option(
            "--bundled", help="Solve the bundled problems again, and report each difference.", rich_help_panel=_PANEL
        ),
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Compute missing optima and certificates, and write them into the source folder of planoracle.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    work: Annotated[
        float,
        typer.Option(
            help="Maximum work per problem, in seconds of an idle core; problems that need more are skipped.",
            metavar="SECONDS",
            min=0.0,
            rich_help_panel=_PANEL,
        ),
    ] = 240.0,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Number of problems, drawn at random. Default: all.", metavar="N", min=1, rich_help_panel=_PANEL
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of --sample.", metavar="SEED", min=0, rich_help_panel=_PANEL)
    ] = 0,
) -> None:
    """Check proofs that no schedule is shorter, step by step.

    The plans in proofs are replayed, too. A lower bound without a certificate cannot be checked: the verdict is then
    "plan holds, bound not checked". A contradiction with a bundled optimum is an error. A proof can also be checked
    without planoracle: python solver/proofs/checker.py PROBLEM.json PROOF.json; a DRCP proof by drcp_checker.py.

    With --bundled, the bundled problems are solved again; optima that the current code cannot compute are only
    replayed. The same command with --bundled --write resumes after an interruption.

    Exit status: 1 if a proof is refuted, an optimum differs, or a file cannot be read.

    Examples
    --------
    planoracle verify 'timearena/household*'
    planoracle verify tasks.csv certificates.jsonl
    planoracle verify timearena/household --bundled --sample 3
    """
    check_columns("verify")
    patterns = [] if name is None else [name]
    if write and not bundled:
        raise typer.BadParameter("needs --bundled", param_hint="--write")
    if not bundled and proof is None:
        raise typer.Exit(_check_bundled(patterns, form))
    if not bundled:
        raise typer.Exit(_check_file(patterns, str(proof), form))
    if proof is not None:
        raise typer.BadParameter("cannot be combined with --bundled", param_hint="PROOF")
    names = select_names(patterns, sample, seed)
    if not write:
        raise typer.Exit(_compare(names, work))
    _write(names, work)
    write_certificates(track(catalog.expand(patterns) or catalog.bundled(), "proving"))


def _compare(names: list[str], work: float) -> int:
    """Derive bundled optima again, and report each difference; return the exit status."""
    faulty = skipped = 0
    replayed: Counter[str] = Counter()  # by proof; "" for those that are derived
    for name in track(names, "solving"):
        for bundled_entry in bundled_entries(name):
            if bundled_entry.derivable and bundled_entry.effort > work:
                skipped += 1
                continue
            entry = bundled_entry.entry
            replayed["" if bundled_entry.derivable or entry is None else entry["proof"]] += 1
            for fault in faults_of(bundled_entry):
                faulty += 1
                collect(f"{name} ({', '.join(bundled_entry.profiles)})", str(fault), "problems")
    derived = replayed.pop("", 0)
    differences = "1 difference" if faulty == 1 else f"{faulty or 'no'} differences"
    parts = [f"{derived} optima solved again, {differences}"]
    parts += [f"{number} more only replayed ({proof})" for proof, number in replayed.items()]
    if skipped:
        parts.append(f"{skipped} skipped, because they need more work")
    tell("; ".join(parts))
    return int(faulty > 0)


def _write(names: list[str], work: float) -> None:
    """Write missing entries."""
    new: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for name in track(names, "solving"):
        ways = list(bundled_entries(name))
        if not any(_lacks(bundled_entry.entry, work) for bundled_entry in ways):
            continue
        benchmark = ways[0].problem.benchmark
        entries = []
        for bundled_entry in ways:
            entry = bundled_entry.entry
            entries.append(derive(bundled_entry, WorkLimit(work)) if _lacks(entry, work) else entry)
        new[benchmark][ways[0].problem.name] = entries
        write_optima(registry.get(benchmark), new[benchmark])


def _lacks(entry: dict[str, Any] | None, work: float) -> bool:
    """Return True if an entry is missing, or not settled by as much work."""
    return entry is None or entry.get("work", work) < work


def _check_bundled(names: list[str], form: Format) -> int:
    """Check bundled certificates; return the exit status. Tables of all problems list refuted ones."""
    expanded = catalog.expand(names) or catalog.bundled()
    table = Table(form, _COLUMNS)
    count = Counter[bool | None]()
    for name in track(expanded, "verifying"):
        for verdict in verify_bundled(name):
            count[verdict.holds] += 1
            if verdict.holds is False or names or form is not Format.table:
                table.add(verdict.row())
    if table.rows or form is not Format.table:
        table.close()
    tell(
        f"{count[True]} certificates hold; {count[None]} optima have no certificate: their plans hold, their bounds "
        f"are not checked; {count[False] or 'none'} refuted"
    )
    return int(count[False] > 0)


def _check_file(names: list[str], proof: str, form: Format) -> int:
    """Check the certificates of a file; return the exit status."""
    run = ProblemLoop(names, "reading")
    problems = {instance.name: instance for instance, _ in run.each(lambda instance: None)}
    table = Table(form, _COLUMNS)
    for verdict in track(each_in_worker(_verdicts, proof, problems), "verifying"):
        if isinstance(verdict, InputError):
            complain(verdict, "certificates")
            run.failed = True
        else:
            table.add(verdict.row())
            run.failed |= verdict.holds is False
    table.close()
    return int(run.failed)


def _verdicts(proof: str, problems: dict[str, Any]) -> Iterator[Any]:
    """Yield the verdict on each certificate of a file, or why there is none."""
    for place, certificate in read_certificates(proof):
        if isinstance(certificate, InputError):
            yield certificate.at(place)
            continue
        try:
            yield verify_named(certificate, problems)
        except InputError as error:
            yield error.at(place)
