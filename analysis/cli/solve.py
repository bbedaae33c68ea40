"""``planoracle solve``: proved optimal schedules, heuristic schedules, and the bundled optima."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from planoracle.analysis.batch.tasks import Improvement, Item, ResultRow, Solving, answer_items, is_solved
from planoracle.analysis.cli.column_names import check_columns
from planoracle.analysis.cli.options import (
    AgentsOption,
    OnlyOption,
    OptionalNamesArgument,
    complete_heuristic,
    note_problem,
    read_each,
    single_problem,
)
from planoracle.analysis.cli.output import (
    PEOPLE,
    Format,
    FormatOption,
    Table,
    check_outputs,
    new_file,
    write_beside,
    write_table,
)
from planoracle.analysis.cli.progress import (
    ClusterOption,
    JobsOption,
    RunOption,
    SignalExit,
    best_in_words,
    track,
    workshop,
)
from planoracle.analysis.cli.submissions import RuleOption, chosen_rules
from planoracle.analysis.console import collect, complain, say, tell
from planoracle.analysis.grading.rule_options import profiles
from planoracle.analysis.run_schedule import plan_rows, rows_for_people
from planoracle.analysis.verification.bundled_checks import rows_of, select_names
from planoracle.heuristics.registry import GREEDY, check_name
from planoracle.heuristics.registry import names as heuristic_names
from planoracle.instances.errors import InputError, InternalError, PlanoracleError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.files.strict_json import MAX_BYTES, refuse_compressed
from planoracle.instances.files.task_table import table_options
from planoracle.instances.model.agents import add_agent_suffix
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.workers.pool import TaskFailure
from planoracle.instances.workers.worker import NO_LIMITS
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.result import in_words
from planoracle.solver.solve import MODEL_FILES, Engines, model_text

_COLUMNS = (
    *("instance", "status", "weight", "weight_bound", "makespan", "claimed", "lower_bound", "end_date", "unit"),
    *("seconds", "left_out", "branches", "conflicts", "cp_sat_seconds", "proof", "proof_grade"),
)
_HEURISTIC_COLUMNS = ("instance", "heuristic", "status", "makespan", "unit", "seconds", "reason")
# Columns that stay in a narrow terminal: a failure shows its status and reason.
_HEURISTIC_LASTING = ("instance", "status", "reason", "makespan")
_BUNDLED_COLUMNS = ("instance", "profile", "status", "makespan", "bound", "claimed", "unit", "proof")
_PIECE_FIELDS = (
    *("start", "end", "unit", "action", "agent", "resources", "label", "task", "mode_name", "attended"),
    "agent_until",
)
_PIECE_DATES = ("start_date", "end_date", "agent_until_date")
_PIECE_COLUMNS = (
    *("instance", "start_date", "end_date", "start", "end", "action", "agent", "agent_until", "resources", "label"),
    "mode_name",
)
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
            metavar="NAME",
            autocompletion=complete_heuristic,
        ),
    ] = None,
    bundled: Annotated[
        bool,
        typer.Option(
            "--bundled", help="List the bundled optima of these problems, or of all problems, without solving."
        ),
    ] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--schedule",
            help="Show the schedules, one row per piece. Default on a terminal for a single problem.",
        ),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Wall time per problem, in seconds. Default: 60; unlimited for heuristics.", metavar="SECONDS", min=0.0
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of the solver or the heuristic.", metavar="SEED", min=0, max=2**31 - 1)
    ] = 0,
    iterations: Annotated[
        int,
        typer.Option(
            help="Number of priority lists of --heuristic improve, or of 20 schedules of genetic or 100 moves of tabu.",
            metavar="N",
            min=0,
        ),
    ] = 300,
    nodes: Annotated[
        int, typer.Option(help="Maximum number of nodes that a depth-first heuristic visits.", metavar="N", min=1)
    ] = 20_000,
    threads: Annotated[
        int,
        typer.Option(help="Solver threads per problem, used if fast methods prove no optimum.", metavar="N", min=1),
    ] = 1,
    exact_grid: Annotated[
        bool,
        typer.Option(
            "--exact-grid",
            "--finest",
            help="Allow interruptions at every tick, not only at multiples of the common divisor. Slower.",
        ),
    ] = False,
    min_interruptions: Annotated[
        bool,
        typer.Option(
            "--min-interruptions",
            "--fewest-pieces",
            help="Among optimal schedules, minimize the number of interruptions.",
        ),
    ] = False,
    engine: Annotated[
        Engines,
        typer.Option(
            help="auto: all methods of planoracle; cp-sat: CP-SAT alone proves the optimum, as a second opinion.",
            metavar="auto|cp-sat",
        ),
    ] = Engines.auto,
    recompute: Annotated[
        bool, typer.Option("--recompute", "--again", help="Solve problems even if their optimum is bundled.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            help="Write the constraint model of one problem, without solving: .pb for CP-SAT, .mzn for MiniZinc.",
            metavar="FILE.pb|FILE.mzn",
        ),
    ] = None,
    agents: AgentsOption = None,
    only: OnlyOption = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "--rules",
            help="Rule profile: paper or released. Default: the rules for which the problem was written; for kitchens, "
            "released.",
            metavar="PROFILE",
        ),
    ] = None,
    rule: RuleOption = None,
    jobs: JobsOption = None,
    run: RunOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Compute proved optimal schedules and validate them with the benchmark's rules.

    The optima of bundled problems are stored: such a problem is not solved, but its stored plan is replayed and its
    certificate is checked. The column proof then begins with "bundled"; --recompute solves the problem. A kitchen
    without a proved optimum is searched from its stored plan and lower bound on.

    With - as the only name, standard input has one problem per line: a name, or the problem as JSON.

    Exit status: 1 if the status of a problem is unknown, a heuristic finds no schedule, or a file cannot be read.
    Ctrl-C writes all results, with the incumbents of unfinished problems, and exits with 130; the same command resumes
    if it has --run DIR.

    Examples
    --------
    planoracle solve timearena/household1
    planoracle solve 'recipe2plan/timed/C*' --format jsonl
    planoracle solve tasks.csv --calendar shifts.csv --start "2026-11-30 08:00" --schedule
    """
    if bundled:
        if show:
            raise typer.BadParameter("cannot be combined with --bundled", param_hint="--schedule")
        check_columns("solve-bundled")
        rows: list[dict[str, Any]] = []
        for name in select_names(names or []):
            rows += rows_of(name)
        for row in rows:
            note_problem(row["instance"])
        return write_table(form, _BUNDLED_COLUMNS, rows)
    if heuristic == "list":
        return say("\n".join((GREEDY, *heuristic_names())))
    if heuristic is not None:
        check_name(heuristic)
        if engine is not Engines.auto or export is not None:
            raise typer.BadParameter("cannot be combined with --engine or --export", param_hint="--heuristic")
    if not names:
        raise typer.BadParameter("at least one problem is required", param_hint="NAME")
    check_columns("solve-schedule" if show else "solve")
    chosen = chosen_rules(rule or ())
    profile = profile or ("paper" if chosen else "")
    if profile:
        profiles(profile, chosen)  # raises for unknown profiles and rules
    seconds = _SECONDS if time_limit is None and heuristic is None else time_limit
    goal = exact_grid, min_interruptions, engine.value, recompute
    options = seconds, seed, threads, *goal, heuristic, iterations, nodes
    work = Solving(profile, tuple(sorted(chosen.items())), *options)
    if export is not None:
        if len(names) > 1:
            raise typer.BadParameter("needs exactly one problem", param_hint="--export")
        problem = single_problem(add_agent_suffix(names[0], agents, only or ()))
        return _export(work.under_rules(problem)[0], export)
    listed = _ProblemList(names, agents, only or [], seconds)
    results = _Results(form, work, show=show)
    failed = turns = False
    with workshop(work.start, NO_LIMITS, jobs, run, cluster, listed.improve, answers_early=True) as (pool, journal):
        answers = answer_items(listed.items(work.item), pool, journal, is_solved)
        try:
            # The progress bar is closed before a message about an interruption is written.
            with closing(track(answers, "solving", lambda: listed.count, listed.progress)) as tracked:
                for item, answer in tracked:
                    listed.best = None
                    if not isinstance(answer, ResultRow):
                        _complain_of(item, answer)
                        failed = True
                        continue
                    row = json.loads(answer.text)
                    failed |= row["status"] == Status.unknown
                    turns |= row["unit"] == "turn"
                    results.add(item.about, row)
                    is_single = listed.count == 1
                    note = kind_of(item.about).note(item.about, row["makespan"]) if is_single else ""
                    note_problem(row["instance"], note)
                    _note_unused_workers(item.about)
        except SignalExit:
            listed.tell_best()
            raise
        listed.tell_best()  # of a problem that Ctrl-C left without an answer
        results.close()
    if turns:
        tell("the closing message, ALL COMPLETED, counts as a turn", "note")
    raise typer.Exit(1 if failed else 0)


def _note_unused_workers(problem: Problem) -> None:
    """Write a note if ``--workers``, which was once the number of threads, has no effect on a problem."""
    if table_options.get().workers is not None and "workers" not in getattr(problem, "resource", {}):
        effect = "--workers has no effect: no table has a column of workers"
        collect("", f"{effect}; --threads sets the number of threads", kind="note")


def _export(problem: Problem, path: Path) -> None:
    """Write the interval model of a problem."""
    if path.suffix not in MODEL_FILES:
        raise typer.BadParameter(f"must end in {' or '.join(MODEL_FILES)}, not {path.name!r}", param_hint="--export")
    check_outputs(path)
    text = model_text(problem, path.suffix)
    with new_file(path) as stream:
        stream.write(text)
    tell(f"{path}: interval model of {problem.name}", "note")


class _Results:
    """Results on standard output, a row each, or a row for each piece of their plans.

    A single result on a terminal is a table of the plan with a summary below. The summary of several plans is a table
    after the pieces, on standard error beside data formats.
    """

    def __init__(self, form: Format, work: Solving, *, show: bool) -> None:
        self._form = form
        self._work = work
        self._show = show
        self._columns = _COLUMNS if work.heuristic is None else _HEURISTIC_COLUMNS
        lasting = () if show or work.heuristic is None else _HEURISTIC_LASTING
        self._table = Table(form, _PIECE_COLUMNS if show else self._columns, lasting=lasting)
        self._results: list[tuple[Problem, dict[str, Any]]] = []

    def add(self, problem: Problem, row: dict[str, Any]) -> None:
        """Write or store a result."""
        if self._show or not self._results:  # of several results without their plans the first is enough
            self._results.append((problem, row))
        if self._show:
            for piece in self._pieces(problem, row):
                self._table.add(piece)
        elif self._work.heuristic:
            self._table.add(row)
        else:
            output = _with_short_text(row) if self._form in PEOPLE else row
            self._table.add(output | {"method": "optimum"})

    def close(self) -> None:
        """Write what is stored."""
        if self._is_single():
            problem, row = self._results[0]
            if pieces := list(self._pieces(problem, row)):
                write_table(self._form, _PIECE_COLUMNS[1:], pieces)
            say(f"{row['instance']}: {row['status']}\n{in_words(row)}")
            return
        self._table.close()
        if self._show:
            lasting = () if self._work.heuristic is None else _HEURISTIC_LASTING
            rows = [_with_short_text(row) for _, row in self._results]
            write_beside(self._form, self._columns, rows, "results", lasting=lasting)

    def _is_single(self) -> bool:
        """Return True for a single result that is shown as a table of the plan with a summary."""
        if self._form is not Format.table or len(self._results) != 1:
            return False
        is_on_terminal = sys.stdout.isatty() and not self._has_chosen_columns()
        return self._show or (is_on_terminal and len(self._table.rows) == 1)

    def _has_chosen_columns(self) -> bool:
        view = self._table.view
        return bool(view.columns or view.all)

    def _pieces(self, problem: Problem, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield a row per piece of a plan."""
        plan = row["plan"]
        if plan is None:
            return
        if row.get("schedule") is not None:
            plan = Schedule(tuple(Piece(**piece) for piece in row["schedule"]))
        problem, rules = self._work.under_rules(problem)
        rows = plan_rows(problem, plan, rules)
        if self._form in PEOPLE:
            rows = rows_for_people(rows, keeps_all=self._has_chosen_columns())
        for piece in rows:
            fields = {name: piece.get(name) for name in _PIECE_FIELDS}
            dates = {name: piece[name] for name in _PIECE_DATES if name in piece}
            yield {"instance": problem.name} | fields | dates


def _with_short_text(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for people, with the names of the tasks that are left out."""
    return row | {"left_out": ", ".join(row["left_out"])} if "left_out" in row else row


def _complain_of(item: Item, failure: TaskFailure) -> None:
    """Write the error of a problem that could not be read or solved."""
    kind = "internal error: " if isinstance(failure.error, InternalError) else ""
    if item.about is not None and (kind or not failure.certain):
        collect(item.about.name, f"{kind}{failure.error}", "problems")
    else:
        complain(failure.error, "problems")


class _ProblemList:
    """The problems behind names; ``count``: their number, ``None`` if unknown."""

    def __init__(self, names: list[str], agents: int | None, only: list[str], seconds: float | None) -> None:
        self.count: int | None = None
        self.best: Improvement | None = None  # latest improvement
        self._seconds = seconds
        self._names: Iterable[str | bytes]
        if names == ["-"]:
            self._names = _read_names(agents, only)
        else:
            listed = catalog.expand(add_agent_suffix(name, agents, only) for name in names)
            self._names = listed
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
                        yield item(problem)
            except UnknownNameError:  # a mistake in the call, not in a problem
                raise
            except PlanoracleError as error:
                yield Item(None, answer=TaskFailure(error))

    def improve(self, best: Improvement) -> None:
        """Record the incumbent and the lower bound of a problem being solved."""
        self.best = best

    def tell_best(self) -> None:
        """Write the best result of a single problem that has no answer yet."""
        if self.count == 1 and self.best is not None:
            tell(f"{self.best.instance}: {best_in_words(*self.best[1:3])}", "stopped")

    def progress(self) -> str:
        """Return incumbent and bound of a single problem, or of the one of several that improved last."""
        if self.best is None:
            return ""
        name, makespan, bound, share = self.best
        limit = "" if self._seconds is None else f"at most {self._seconds:g} s"
        parts = best_in_words(makespan, bound), share, limit if self.count == 1 else name
        return ", ".join(filter(None, parts))


def _read_names(agents: int | None, only: list[str]) -> Iterator[str | bytes]:
    """Yield the names on standard input, one per line, with agents; a line with a problem as bytes."""
    try:
        while line := sys.stdin.buffer.readline(_LONGEST + 1):
            refuse_compressed(line, "-")
            if line.startswith(b"{"):
                yield line if line.endswith(b"\n") else line + sys.stdin.buffer.readline(MAX_BYTES)
                continue
            if len(line) > _LONGEST:
                raise InputError(f"a name must have at most {_LONGEST} bytes", source="-")
            if name := os.fsdecode(line.rstrip(b"\r\n")):
                yield add_agent_suffix(name, agents, only)
    except OSError as error:
        raise InputError(f"cannot be read any further: {error.strerror}", source="-") from None
