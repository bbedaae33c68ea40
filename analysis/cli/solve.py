"""``planoracle solve``: proved optimal schedules."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planoracle.analysis.cli.batching import ClusterOption, JobsOption, RunOption, workshop
from planoracle.analysis.cli.common import AgentsOption, NamesArgument, Notes, OnlyOption
from planoracle.analysis.cli.output import Format, FormatOption, Table, complain, track
from planoracle.analysis.cli.stopping import Stopped
from planoracle.analysis.cli.submissions import RuleOption, chosen_rules
from planoracle.analysis.spoken import tell
from planoracle.instances.status import Status

if TYPE_CHECKING:
    from planoracle.analysis.batch.work import Item
    from planoracle.instances.problem import Problem

_COLUMNS = ("instance", "status", "makespan", "lower_bound", "unit", "seconds", "proof")
_LEAST = ("seconds", "proof", "unit", "lower_bound")
# No name is longer, in bytes.
_LONGEST = 2**16


def solve(
    names: NamesArgument,
    form: FormatOption = Format.table,
    time_limit: Annotated[float, typer.Option(help="Seconds per problem.", min=0.0)] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the solver.", min=0, max=2**31 - 1)] = 0,
    workers: Annotated[int, typer.Option(help="Threads for problems that resist the fast attempts.", min=1)] = 1,
    finest: Annotated[
        bool, typer.Option("--finest", help="Where a proof holds on a grid of pauses only, prove it for every tick.")
    ] = False,
    fewest_pieces: Annotated[
        bool, typer.Option("--fewest-pieces", help="Of the schedules that are as short, one that pauses least.")
    ] = False,
    agents: AgentsOption = None,
    only: OnlyOption = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "--rules",
            help="Rules: paper or released. Default: those that a problem was made by; in kitchens the released ones.",
        ),
    ] = None,
    rule: RuleOption = None,
    jobs: JobsOption = None,
    run: RunOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Compute optimal schedules, with proof; every one is accepted by the benchmark's rules.

    - as the only name: one name, or one problem as JSON, a line from standard input. Exit status 1 if the status of
    some problem stays unknown or a file cannot be read. Ctrl-C ends with 130; with --run DIR the same command then goes
    on where it was.
    """
    from planoracle.analysis.batch.pipeline import answered
    from planoracle.analysis.batch.solving import Solving, sound
    from planoracle.analysis.profiles import profiles
    from planoracle.instances.errors import PlanoracleError

    chosen = chosen_rules(rule or ())
    if profile is not None or chosen:
        profile = profile or "paper"
        profiles(profile, chosen)  # which raises for what there is not
    rules = tuple(sorted(chosen.items()))
    work = Solving(time_limit, seed, workers, finest, profile, rules, fewest_pieces=fewest_pieces)
    listed = _Listed(names, agents, only or [])
    table, notes = Table(form, _COLUMNS, least=_LEAST), Notes()
    failed = turns = False
    with workshop(work, jobs, run, cluster, lambda: listed.known) as (pool, journal):
        items = listed.items(lambda problem: work.item(problem, keyed=journal is not None))
        answers = answered(items, pool, journal, sound)
        # The bar is closed before anything is said of an end before time.
        with listed.spoken_of(), closing(track(answers, "solving", lambda: listed.known, listed.sofar)) as told:
            for item, answer in told:
                listed.alone = None
                if answer.row is None:
                    complain(item.about if isinstance(item.about, PlanoracleError) else answer.fault)
                    failed = True
                    continue
                row = json.loads(answer.row)
                failed |= row["status"] == Status.unknown
                turns |= row["unit"] == "turn"
                table.add(row | {"method": "optimum"})
                notes.add(row["instance"])
        table.close()
    notes.close()
    if turns:
        tell("turns count the closing message, ALL COMPLETED", "note")
    raise typer.Exit(1 if failed else 0)


class _Listed:
    """The problems behind names; ``known`` is how many there are, as far as that is known."""

    def __init__(self, names: list[str], agents: int | None, only: list[str]) -> None:
        from planoracle.instances import catalogue
        from planoracle.instances.crew import crewed

        self.known: int | None = None
        self.alone: Problem | None = None  # the one that is being solved, if there is but one
        self._names: Iterable[str | bytes]
        if names == ["-"]:
            self._names = (name if isinstance(name, bytes) else crewed(name, agents, only) for name in _typed())
        else:
            self._names = listed = catalogue.expand(crewed(name, agents, only) for name in names)
            self.known = len(listed)

    def items(self, item: Callable[[Any], Item]) -> Iterator[Item]:
        """Yield an item for every problem; what cannot be read is answered at once, the error is what it is about."""
        from planoracle.analysis.batch.work import Answer, Item
        from planoracle.instances import catalogue
        from planoracle.instances.errors import InputError, PlanoracleError, UnknownNameError

        def refused(name: str | bytes, error: PlanoracleError) -> Item:
            return Item(str(name), error, answer=Answer(None, lasting=False, fault=str(error)))

        for name in self._names:
            try:
                found = catalogue.read_line(name, "-") if isinstance(name, bytes) else catalogue.read_each(name)
                for count, problem in enumerate(found):
                    if self.known is not None and count:  # a file may hold several
                        self.known += 1
                    if isinstance(problem, InputError):
                        yield refused(name, problem)
                    else:
                        self.alone = problem if self.known == 1 else None
                        yield item(problem)
            except UnknownNameError:  # a mistake in the call, not in a problem
                raise
            except PlanoracleError as error:
                yield refused(name, error)

    def sofar(self) -> str:
        """Say how far the only problem has come; nothing of one among many."""
        from planoracle.analysis.batch.sofar import noted

        found = noted()
        if self.alone is None or self.known != 1 or found is None:
            return ""
        best, bound = found
        unit = self.alone.unit
        if best is None:
            return f"no plan yet, bound {bound} {unit}s"
        return f"best plan {best} {unit}s, bound {bound}, gap {(best - bound) / max(1, best):.0%}"

    @contextmanager
    def spoken_of(self) -> Iterator[None]:
        """If somebody stops us, say how far the only problem has come, once nothing is drawn any more."""
        try:
            yield
        except Stopped:
            if self.alone is not None and (said := self.sofar()):
                tell(f"{self.alone.name}: {said}", "stopped")
            raise


def _typed() -> Iterator[str | bytes]:
    """Yield the names on standard input, one a line; a line that is a problem itself as bytes."""
    from planoracle.instances.errors import InputError
    from planoracle.instances.reading import MAX_BYTES, refuse_compressed

    try:
        while line := sys.stdin.buffer.readline(_LONGEST + 1):
            refuse_compressed(line, "-")
            if line.startswith(b"{"):
                yield line if line.endswith(b"\n") else line + sys.stdin.buffer.readline(MAX_BYTES)
                continue
            if len(line) > _LONGEST:
                raise InputError(f"a line is longer than {_LONGEST} bytes, and so no name", source="-")
            if name := os.fsdecode(line.rstrip(b"\r\n")):
                yield name
    except OSError as error:
        raise InputError(f"cannot be read any further: {error.strerror}", source="-") from None
