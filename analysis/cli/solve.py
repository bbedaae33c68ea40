"""``planoracle solve``: proved optimal schedules, heuristic schedules, and the bundled optima."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Annotated, Any, NoReturn

import typer

from planoracle.analysis.batch.pool import TaskFailure
from planoracle.analysis.batch.tasks import Item, ResultRow, Solving, answer_items, is_solved
from planoracle.analysis.batch.worker import NO_LIMITS
from planoracle.analysis.cli.options import (
    AgentsOption,
    Notes,
    OnlyOption,
    OptionalNamesArgument,
    ProblemLoop,
    complete_heuristic,
    read_each,
)
from planoracle.analysis.cli.output import Format, FormatOption, Table, write_table
from planoracle.analysis.cli.progress import ClusterOption, JobsOption, RunOption, SignalExit, track, workshop
from planoracle.analysis.cli.submissions import RuleOption, chosen_rules
from planoracle.analysis.console import complain, say, tell
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.verification.bundled_checks import rows_of, select_names
from planoracle.heuristics.improve import Budget
from planoracle.heuristics.registry import names as heuristic_names
from planoracle.heuristics.registry import run as apply
from planoracle.instances.errors import InputError, InternalError, PlanoracleError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.strict_json import MAX_BYTES, refuse_compressed
from planoracle.instances.model.agents import add_agent_suffix
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem

_COLUMNS = ("instance", "status", "makespan", "claimed", "lower_bound", "unit", "seconds", "proof")
_HEURISTIC_COLUMNS = ("instance", "heuristic", "makespan", "unit", "seconds", "reason")
_BUNDLED_COLUMNS = ("instance", "profile", "status", "makespan", "bound", "claimed", "unit", "proof")
# Seconds per problem without --time-limit.
_SECONDS = 60.0
# No name is longer, in bytes.
_LONGEST = 2**16


def solve(
    names: OptionalNamesArgument = None,
    form: FormatOption = Format.table,
    heuristic: Annotated[
        str | None,
        typer.Option(
            "--heuristic",
            "-H",
            help="Compute a schedule by this heuristic, without proof; 'list' prints all names.",
            autocompletion=complete_heuristic,
        ),
    ] = None,
    bundled: Annotated[
        bool,
        typer.Option("--bundled", help="List the bundled optima of these problems, or of all; nothing is solved."),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds per problem. Default: 60; none for heuristics.", min=0.0),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the solver or the heuristic.", min=0, max=2**31 - 1)] = 0,
    iterations: Annotated[int, typer.Option(help="Priority lists that --heuristic improve tries.", min=0)] = 300,
    workers: Annotated[int, typer.Option(help="Solver threads per problem, once fast methods have failed.", min=1)] = 1,
    exact_grid: Annotated[
        bool,
        typer.Option(
            "--finest",
            help="Allow interruptions at every tick, not only at multiples of the common divisor. Slower.",
        ),
    ] = False,
    min_interruptions: Annotated[
        bool,
        typer.Option("--fewest-pieces", help="Among optimal schedules, minimize the number of interruptions."),
    ] = False,
    agents: AgentsOption = None,
    only: OnlyOption = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "--rules",
            help="Rules: paper or released. Default: the rules the problem was written for; kitchens: released.",
        ),
    ] = None,
    rule: RuleOption = None,
    jobs: JobsOption = None,
    run: RunOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Compute proved optimal schedules and validate them with the benchmark's rules.

    With - as the only name, standard input has one problem per line: a name, or the problem as JSON.

    Exit status: 1 if a status is unknown, a heuristic fails, or a file cannot be read. Ctrl-C ends with 130; with --run
    DIR the same command then resumes.
    """
    if bundled:
        rows = (row for name in select_names(names or []) for row in rows_of(name))
        return write_table(form, _BUNDLED_COLUMNS, rows)
    if heuristic == "list":
        return say("\n".join(heuristic_names()))
    if not names:
        raise typer.BadParameter("name at least one problem", param_hint="NAME")
    if heuristic is not None:
        budget = Budget(seed=seed, iterations=iterations, seconds=time_limit)
        _apply_heuristic(heuristic, [add_agent_suffix(name, agents, only or ()) for name in names], form, budget)
    chosen = chosen_rules(rule or ())
    profile = profile or ("paper" if chosen else "")
    if profile:
        profiles(profile, chosen)  # raises for unknown profiles and rules
    seconds = _SECONDS if time_limit is None else time_limit
    work = Solving(profile, tuple(sorted(chosen.items())), seconds, seed, workers, exact_grid, min_interruptions)
    listed = _ProblemList(names, agents, only or [])
    table, notes = Table(form, _COLUMNS), Notes()
    failed = turns = False
    with workshop(work.start, NO_LIMITS, jobs, run, cluster, listed.improve) as (pool, journal):
        items = listed.items(work.item)
        answers = answer_items(items, pool, journal, is_solved)
        try:
            # The progress bar is closed before a message about an interruption is written.
            with closing(track(answers, "solving", lambda: listed.count, listed.progress)) as tracked:
                for item, answer in tracked:
                    listed.alone = None
                    if not isinstance(answer, ResultRow):
                        complain(_fault(item, answer))
                        failed = True
                        continue
                    row = json.loads(answer.text)
                    failed |= row["status"] == Status.unknown
                    turns |= row["unit"] == "turn"
                    table.add(row | {"method": "optimum"})
                    notes.add(row["instance"])
        except SignalExit:
            if listed.alone is not None and (message := listed.progress()):
                tell(f"{listed.alone.name}: {message}", "stopped")
            raise
        table.close()
    notes.close()
    if turns:
        tell("turns count the closing message, ALL COMPLETED", "note")
    raise typer.Exit(1 if failed else 0)


def _apply_heuristic(heuristic: str, names: list[str], form: Format, budget: Budget) -> NoReturn:
    """Write a schedule of a heuristic for each problem, and end the program."""
    run = ProblemLoop(names, "scheduling")
    table = Table(form, _HEURISTIC_COLUMNS)
    for instance, answer in run.each(lambda one: apply(one, heuristic, budget)):
        run.failed |= answer.makespan is None
        table.add(
            {
                "instance": answer.instance,
                "heuristic": answer.heuristic,
                "makespan": answer.makespan,
                "unit": instance.unit,
                "seconds": round(answer.seconds, 6),
                "reason": answer.reason or None,
                "plan": answer.plan,
                "schedule": answer.schedule and [piece._asdict() for piece in answer.schedule.pieces],
            }
        )
    table.close()
    run.exit()


def _fault(item: Item, failure: TaskFailure) -> object:
    """Return the message about a problem that could not be read or solved."""
    kind = "internal error: " if isinstance(failure.error, InternalError) else ""
    is_read = item.about is not None and (kind or not failure.certain)
    return f"{item.about.name}: {kind}{failure.error}" if is_read else failure.error


class _ProblemList:
    """The problems behind names; ``count``: their number, ``None`` if unknown."""

    def __init__(self, names: list[str], agents: int | None, only: list[str]) -> None:
        self.count: int | None = None
        self.alone: Problem | None = None  # the only problem, if there is just one
        self._best: tuple[int | None, int] | None = None
        self._names: Iterable[str | bytes]
        if names == ["-"]:
            self._names = (
                name if isinstance(name, bytes) else add_agent_suffix(name, agents, only) for name in _read_names()
            )
        else:
            self._names = listed = catalog.expand(add_agent_suffix(name, agents, only) for name in names)
            self.count = len(listed)

    def items(self, item: Callable[[Any], Item]) -> Iterator[Item]:
        """Yield an item per problem; the item of an unreadable problem has its error as the answer."""
        for name in self._names:
            try:
                problems = catalog.read_line(name, "-") if isinstance(name, bytes) else read_each(name)
                for count, problem in enumerate(problems):
                    if self.count is not None and count:  # a file may hold several
                        self.count += 1
                    if isinstance(problem, InputError):
                        yield Item(None, answer=TaskFailure(problem))
                    else:
                        self.alone, self._best = problem if self.count == 1 else None, None
                        yield item(problem)
            except UnknownNameError:  # a mistake in the call, not in a problem
                raise
            except PlanoracleError as error:
                yield Item(None, answer=TaskFailure(error))

    def improve(self, best: tuple[int | None, int]) -> None:
        """Record the incumbent and the lower bound of the problem being solved."""
        self._best = best

    def progress(self) -> str:
        """Return incumbent and bound of a single problem; ``""`` if there are several."""
        if self.alone is None or self.count != 1 or self._best is None:
            return ""
        best, bound = self._best
        unit = self.alone.unit
        if best is None:
            return f"no plan yet, bound {bound} {unit}s"
        return f"best plan {best} {unit}s, bound {bound}, gap {(best - bound) / max(1, best):.0%}"


def _read_names() -> Iterator[str | bytes]:
    """Yield the names on standard input, one per line; a line with a problem as bytes."""
    try:
        while line := sys.stdin.buffer.readline(_LONGEST + 1):
            refuse_compressed(line, "-")
            if line.startswith(b"{"):
                yield line if line.endswith(b"\n") else line + sys.stdin.buffer.readline(MAX_BYTES)
                continue
            if len(line) > _LONGEST:
                raise InputError(f"a name must have at most {_LONGEST} bytes", source="-")
            if name := os.fsdecode(line.rstrip(b"\r\n")):
                yield name
    except OSError as error:
        raise InputError(f"cannot be read any further: {error.strerror}", source="-") from None
