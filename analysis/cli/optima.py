"""``planoracle optima``: the optima that ship, listed, derived again, and written."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.spoken import tell

_COLUMNS = ("instance", "profile", "status", "makespan", "bound", "claimed", "unit", "proof")
_LEAST = ("proof", "unit", "bound", "profile")


def optima(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names, prefixes or globs; by default all.", metavar="NAME")
    ] = None,
    form: FormatOption = Format.table,
    check: Annotated[
        bool, typer.Option("--check", help="Derive them again; exit status 1 if something differs.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Derive what is missing, optima and certificates, and write it into this checkout."
        ),
    ] = False,
    work: Annotated[
        float,
        typer.Option(
            help="Most work for one problem, in seconds of a quiet core; --check leaves out what needs more. Of "
            "entries that the current code cannot derive it only replays the plan.",
            min=0.0,
        ),
    ] = 240.0,
    sample: Annotated[int | None, typer.Option(help="Only so many problems, drawn at random.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="What --sample is drawn by.", min=0)] = 0,
) -> None:
    """List the proved optima that ship with the bundled problems, by which grading is quick and the same everywhere.

    Beside each stands what the benchmark's authors claim, if they do. Profiles under which the same is known of a
    problem share a line. What resists proof is listed as feasible, with its bound. Problems whose optimum a formula
    has are left out. --write goes on where it was stopped. The certificates of optima: planoracle verify.
    """
    from planoracle.analysis.optima import chosen, rows_of
    from planoracle.instances import catalogue

    if check and write:
        raise typer.BadParameter("go not together", param_hint="'--check' and '--write'")
    found = chosen(names or [], sample, seed)
    if write:
        _write(found, [*(catalogue.expand(names or []) or catalogue.bundled())], work)
        return
    if check:
        raise typer.Exit(_check(found, work))
    table = Table(form, _COLUMNS, least=_LEAST)
    for name in found:
        for row in rows_of(name):
            table.add(row)
    table.close()


def _check(names: list[str], work: float) -> int:
    from planoracle.analysis.optima import faults_of, ways_of

    count = faulty = skipped = 0
    replayed: Counter[str] = Counter()
    for name in track(names, "solving"):
        for one in ways_of(name):
            if one.derivable and one.effort > work:
                skipped += 1
                continue
            if one.derivable or one.entry is None:
                count += 1
            else:
                replayed[one.entry["proof"]] += 1
            for fault in faults_of(one):
                faulty += 1
                complain(f"{name} ({', '.join(one.profiles)}): {fault}")
    more = "".join(f"; of {number} more only the plan was replayed ({proof})" for proof, number in replayed.items())
    more += f"; {skipped} left out, which need more work" if skipped else ""
    tell(f"{count} optima derived again, {faulty or 'no'} difference{'s' * (faulty != 1)}{more}")
    return int(faulty > 0)


def _write(names: list[str], every: list[str], work: float) -> None:
    """Write the entries that are missing, and the certificates of all, also where a formula has the optimum."""
    from planoracle.analysis.certified import write
    from planoracle.analysis.optima import Writer, derived, ways_of
    from planoracle.instances import catalogue, registry
    from planoracle.instances.deadline import Work

    writers: dict[str, Any] = {}
    for name in track(names, "solving"):
        ways = list(ways_of(name))
        if not any(_lacks(one.entry, work) for one in ways):
            continue
        benchmark = ways[0].problem.benchmark
        if benchmark not in writers:
            writers[benchmark] = Writer(registry.get(benchmark))
            writers[benchmark].keep(catalogue.names_problem)
        entries = [derived(one, Work(work)) if _lacks(one.entry, work) else one.entry for one in ways]
        writers[benchmark].put(ways[0].problem.name, entries)
        writers[benchmark].write()
    write(track(every, "proving"))


def _lacks(entry: dict[str, Any] | None, work: float) -> bool:
    """Whether an entry is missing, or not settled by as much work."""
    return entry is None or entry.get("work", work) < work
