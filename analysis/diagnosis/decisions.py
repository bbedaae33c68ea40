"""Which decisions of a run cost most, and after which one it could not be saved any more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from planoracle.instances.model.limits import Status
from planoracle.instances.protocol.feedback import ClockFormat, clean, listed, quoted, sentence, some
from planoracle.solver.runs import solver_of

if TYPE_CHECKING:
    from planoracle.analysis.diagnosis.regret import DecisionRegret, RunRegret

#: Most decisions that are named, and most constraints of a contradiction.
MAX_COSTLY, MAX_REASONS = 3, 8
#: Most commands to go on with that are named in prose.
MAX_NEXT = 5
#: Seconds to look for a contradiction.
CONFLICT_SECONDS = 5.0

_NO_RETURN = {
    "constraints": "after {here} nothing can complete everything without a fault any more",
    "time_limit": "after {here} the time that is left is too short to complete everything",
    "over": "{here} ended the run before everything was done",
    "spoiled": "{here} did something that the work still to be done does not make good",
}


@dataclass(frozen=True, slots=True)
class Costly:
    """A decision and what it cost.

    Attributes
    ----------
    index
        Of the command, from 0; a wait has that of the command it comes before.
    command
        As text, cleaned.
    kind
        ``act``, ``wait`` or ``lost`` (a command that was refused).
    start, end
        Ticks.
    cost
        Ticks by which the best makespan still possible has grown; ``None`` where nothing is possible any more, or
        the cost is not proved.
    status
        What is known about the best makespan after it.
    """

    index: int
    command: str
    kind: str
    start: int
    end: int
    cost: int | None
    status: Status


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of a run in short.

    Attributes
    ----------
    costly
        The costliest decisions, dearest first, of those that cost something.
    no_return
        The first one after which nothing can be completed without a violation any more.
    why, proved
        ``constraints``, ``time_limit``, ``over`` or ``spoiled``, see `planoracle.analysis.diagnosis.regret.RunRegret`;
        and whether
        that is proved.
    reasons
        Constraints in words that contradict each other from there on, where ``why`` is ``constraints``.
    completion
        Ticks; the best makespan possible from where the run stopped.
    kept
        How many decisions from the first on keep the optimum reachable, of ``count`` in all.
    next
        Commands by which the run can go on without loss from where it stopped, if hints were asked for.
    text
        The paragraph without its heading.
    """

    costly: tuple[Costly, ...]
    no_return: Costly | None
    why: str | None
    proved: bool
    reasons: tuple[str, ...]
    completion: int | None
    kept: int
    count: int
    next: tuple[str, ...]
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return asdict(self) | {
            "costly": [asdict(one) for one in self.costly],
            "reasons": list(self.reasons),
            "next": list(self.next),
        }


def decisions(
    regret: RunRegret, clock: ClockFormat, *, hints: bool = False, following: tuple[str, ...] = ()
) -> Decisions:
    """Put a regret profile in short.

    With ``hints`` the prose also says how far the optimum was within reach, and by which commands, ``following``, the
    run can go on without loss.
    """
    made = regret.decisions
    costly = tuple(_costly(made[i]) for i in regret.costliest(MAX_COSTLY))
    last = regret.no_return if regret.no_return is not None and regret.no_return >= 0 else None
    proved = last is not None and regret.no_return_status == "proved"
    kept = next((i for i, one in enumerate(made) if one.cost is None or one.cost > 0), len(made))
    found = Decisions(
        costly=costly,
        no_return=None if last is None else _costly(made[last]),
        why=None if last is None else regret.no_return_reason,
        proved=proved,
        reasons=_reasons(regret, last) if last is not None and proved else (),
        completion=regret.completion,
        kept=kept,
        count=len(made),
        next=tuple(clean(command) for command in following),
        text="",
    )
    said = [*_told(clock, found, success=regret.success), *(_hint(made, found, clock) if hints else ())]
    return replace(found, text=" ".join(said))


def too_long(count: int) -> Decisions:
    """Return what is said of a run of so many decisions that they are not looked at."""
    return Decisions((), None, None, False, (), None, 0, count, (), "There are too many decisions to price them.")


def _costly(one: DecisionRegret) -> Costly:
    return Costly(one.position, clean(one.command), one.kind, one.start, one.end, one.cost, one.status)


def _reasons(regret: RunRegret, last: int) -> tuple[str, ...]:
    """Return constraints that cannot all be obeyed after a decision, if they can be found in time."""
    if regret.run is None or regret.no_return_reason != "constraints":
        return ()
    found = solver_of(regret.run, CONFLICT_SECONDS).contradiction(last + 1)
    return tuple(clean(text, 200) for text in found[:MAX_REASONS])


def _named(one: Costly, clock: ClockFormat) -> str:
    if one.kind == "wait" and one.end > one.start:
        return f"waiting ({clock.stretch(one.start, one.end)})"
    # What the rules carried out is in their words; the rest is the submission's alone.
    name = one.command if one.kind != "lost" else quoted(one.command)
    if clock.is_discrete:
        return f"{name} ({clock.moment(one.start)})"
    return f"command {one.index + 1} ({name})"


def _told(clock: ClockFormat, found: Decisions, *, success: bool) -> Iterator[str]:
    if found.costly:
        parts = [f"{_named(one, clock)} by {clock.span(one.cost or 0)}" for one in found.costly]
        yield f"What puts the end off most: {listed(parts)}."
    if found.no_return is not None and found.why is not None:
        here = _named(found.no_return, clock)
        yield sentence(_NO_RETURN[found.why].format(here=here))
        if found.reasons:
            yield f"These cannot all be kept from there on: {'; '.join(found.reasons)}."
    elif found.completion is not None and not success:
        yield f"From where the run stopped, everything could still be done in {clock.span(found.completion)} in all."


def _hint(made: tuple[DecisionRegret, ...], found: Decisions, clock: ClockFormat) -> Iterator[str]:
    kept = found.kept
    if found.next:
        yield f"Go on with one of these: {some(found.next, MAX_NEXT)}."
    if not made:
        return
    if kept == len(made):
        yield "Nothing that you decided costs time."
    elif kept:
        yield f"Up to {_named(_costly(made[kept - 1]), clock)} nothing is lost; keep that."
    else:
        yield "Begin differently."
