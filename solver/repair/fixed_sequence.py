"""The best makespan that keeps a given order of commands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from planoracle.instances.certify import certify
from planoracle.instances.deadline import Limit, deadline_of
from planoracle.instances.model import Action, Instance, Lag
from planoracle.instances.schedule import Piece, Schedule
from planoracle.instances.status import Status
from planoracle.solver.exact.bounds import lower_bound, windows
from planoracle.solver.exact.cp import negated
from planoracle.solver.exact.lexicographic import Lexicographic
from planoracle.solver.exact.model import ScheduleModel
from planoracle.solver.repair.minimal_change import longest_makespan
from planoracle.solver.repair.perturbation import PerturbationModel
from planoracle.solver.repair.target import TargetPieces, all_normal

# Every piece becomes an action of its own: orders with more of them are not looked at.
_MOST_PAUSES = 1000
# Most steps of interruptible actions in a model with the finest pauses.
_MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class FixedSequence:
    """What is known about the schedules that keep an order.

    Attributes
    ----------
    status
        ``optimal``: ``makespan`` is least, proved. ``feasible``: there is such a schedule. ``infeasible``: proved
        that no schedule keeps the order. ``unknown``: neither found nor excluded.
    makespan
        Ticks; ``None`` where unknown.
    plan
        The schedule in the benchmark's language, accepted by its rules.
    grid
        As in `planoracle.solver.repair.minimal_change.MinimalChange`.
    """

    instance: str
    status: Status
    makespan: int | None = None
    schedule: Schedule | None = None
    plan: str | None = None
    grid: int = 1


def best_in_sequence(instance: Instance, order: Sequence[Piece], *, time_limit: Limit = 60.0) -> FixedSequence:
    """Find the best schedule in which every command starts no earlier than the one before it.

    Commands that start at the same instant may change places.

    Parameters
    ----------
    order
        Pieces in the order of their commands. Of their times only the durations count: an interruptible action is
        cut into pieces as long as these (the last may be cut, or work be left over that is placed freely, where
        they are not its whole duration). Modes and agents are free; so are actions without a command.

    Raises
    ------
    InputError
        For actions that the instance does not have.
    InternalError
        If a schedule found does not pass the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.model import Action, Instance
    >>> meal = Instance("meal", (Action("t/boil", "t", 9, 0), Action("t/chop", "t", 4, 4), Action("t/wash", "t", 2, 2)))
    >>> boil, chop, wash = (Piece(action.id, 0, action.duration, "agent") for action in meal.actions)
    >>> [best_in_sequence(meal, order).makespan for order in ([boil, chop, wash], [chop, wash, boil])]
    [9, 13]
    """
    deadline = deadline_of(time_limit)
    places = _places(instance, order)
    if sum(len(place.pieces) for place in places.values()) > len(instance.actions) + _MOST_PAUSES:
        return FixedSequence(instance.name, Status.unknown)
    commands = _Commands(instance, places)
    cut = commands.cut
    bounds = windows(cut)
    most = longest_makespan(cut)
    if not bounds.consistent or lower_bound(cut, bounds) > most:
        return FixedSequence(instance.name, Status.infeasible)
    near = PerturbationModel(cut, bounds, most, {})
    model: ScheduleModel = near
    grid = near.grid
    lexicographic = Lexicographic(model.model, deadline)
    commands.bind(model)
    proved = lexicographic.minimize([(model.makespan, 1)])
    if lexicographic.infeasible and near.coarse:  # finer pauses may leave a way
        grid = model.step
        if sum(action.duration for action in cut.actions if action.interruptible) // grid > _MOST_STEPS:
            return FixedSequence(instance.name, Status.unknown, grid=grid)
        model = ScheduleModel(cut, bounds, grid, lower_bound(cut, bounds), most)
        commands.bind(model)
        lexicographic = Lexicographic(model.model, deadline)
        proved = lexicographic.minimize([(model.makespan, 1)])
    if proved:
        lexicographic.smallest_in_order(model.decisions)
    if lexicographic.solution is None:
        return FixedSequence(
            instance.name, Status.infeasible if lexicographic.infeasible else Status.unknown, grid=grid
        )
    schedule = Schedule.of(instance, map(commands.original, model.schedule(lexicographic.solution).pieces))
    return FixedSequence(
        instance.name,
        Status.optimal if proved else Status.feasible,
        schedule.makespan,
        schedule,
        certify(instance, schedule),
        grid,
    )


def _places(instance: Instance, order: Sequence[Piece]) -> dict[str, TargetPieces]:
    """Return the pieces that count, by action; the place in the order takes the place of their starts."""
    numbered: dict[str, list[Piece]] = defaultdict(list)
    for number, piece in enumerate(order):
        numbered[piece.action].append(piece._replace(start=number))
    return all_normal(instance, numbered)[0]


class _Commands:
    """An instance with its interruptible actions cut into the pieces of commands.

    Attributes
    ----------
    cut
        The instance, every piece an action of its own. The last piece, or the work left over, keeps the action's id.
    """

    def __init__(self, instance: Instance, places: Mapping[str, TargetPieces]) -> None:
        self._action: dict[str, str] = {}  # piece -> action
        self._pieces: dict[str, list[str]] = {}  # action -> pieces
        ranks: list[tuple[int, str]] = []
        actions: list[Action] = []
        for action in instance.actions:
            commands = places[action.id].pieces if action.id in places else ()
            pieces = list(self._cut(instance, action, commands)) if action.interruptible else [action]
            self._pieces[action.id] = [piece.id for piece in pieces]
            self._action |= {piece.id: action.id for piece in pieces}
            ranks += [(command.start, piece.id) for command, piece in zip(commands, pieces, strict=False)]
            actions += pieces
        self.order = [name for _, name in sorted(ranks)]
        self.cut = replace(
            instance, actions=tuple(actions), lags=tuple(self._lags(instance)), benchmark="generic", origin=None
        )

    def _cut(self, instance: Instance, action: Action, commands: Sequence[Piece]) -> Iterator[Action]:
        """Yield the pieces of an interruptible action, and the work left over, which may still be interrupted."""
        spans = [(command.duration, False) for command in commands]
        left = action.duration - sum(length for length, _ in spans)
        if left or not spans:
            spans.append((left, True))
        for number, (length, interruptible) in enumerate(spans, 1):
            name = f"{action.id}#{number}"
            while name in instance.by_id:
                name += "#"
            yield replace(
                action,
                id=action.id if number == len(spans) else name,
                duration=length,
                attended=length if action.attended else 0,
                interruptible=interruptible,
                # What a mode waits for, it waits for before the first piece.
                modes=action.modes if number == 1 else tuple(replace(mode, after=()) for mode in action.modes),
            )

    def _lags(self, instance: Instance) -> Iterator[Lag]:
        for lag in instance.lags:
            first, *others = self._pieces[lag.after]
            yield replace(lag, after=first)
            if lag.maximum is not None:  # every piece has to start in time
                yield from (Lag(lag.before, name, None, lag.maximum) for name in others)
        for pieces in self._pieces.values():
            yield from (Lag(one, two) for one, two in pairwise(pieces))

    def bind(self, model: ScheduleModel) -> None:
        """Add to the model of ``cut`` that commands are in order, and that the pieces of an action share its mode."""
        index = self.cut.index
        for one, two in pairwise(self.order):
            model.model.difference(model.segments[index[two]][0].start, model.segments[index[one]][0].start, 0)
        for first, *others in self._pieces.values():
            for name in others:
                for mode, same in zip(model.modes[index[first]], model.modes[index[name]], strict=True):
                    if mode is not None and same is not None:
                        model.model.clause(negated(mode), same)

    def original(self, piece: Piece) -> Piece:
        """Return a piece as one of its action."""
        return piece._replace(action=self._action[piece.action])
