"""Lines of whole numbers, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.validation import MAX_LAGS, MAX_TICKS

#: Largest number in a file; what is computed from several of them stays within what an instance may hold.
LARGEST: Final = MAX_TICKS // 4

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def whole(token: str, field: str, least: int = 0) -> int:
    """Return the whole number that a token is; raises `InputError`."""
    if not _NUMBER.fullmatch(token):
        raise InputError("must be a whole number", field=field, value=token)
    number = int(token)
    if not least <= number <= LARGEST:
        raise InputError(f"must lie between {least} and {LARGEST}", field=field, value=number)
    return number


class Rows:
    """The lines of a text that are not blank, one after the other.

    Attributes
    ----------
    number
        Of the line that was read last, from 1.
    """

    def __init__(self, text: str, comment: str | tuple[str, ...] = ()) -> None:
        self._lines: Iterator[tuple[int, str]] = (
            (number, line)
            for number, line in enumerate(text.splitlines(), 1)
            if line and not line.isspace() and not (comment and line.lstrip().startswith(comment))
        )
        self.number = 0

    def line(self, what: str) -> str:
        """Return the next line; raises `InputError` if the file ends where ``what`` should stand."""
        found = next(self._lines, None)
        if found is None:
            raise InputError(f"the file ends where {what} should stand", field=f"after line {self.number}")
        self.number, line = found
        return line

    def rest(self) -> Iterator[str]:
        """Return the lines that are left."""
        for number, line in self._lines:
            self.number = number
            yield line

    def end(self) -> None:
        """Raise `InputError` if there is another line."""
        for line in self.rest():
            raise self.fault("nothing more should stand here", line)

    def fault(self, message: str, *value: Any) -> InputError:
        """Return an error at the line that was read last."""
        return InputError(message, field=f"line {self.number}", **({"value": value[0]} if value else {}))

    def numbers(self, what: str, count: int | None = None, least: int = 0) -> list[int]:
        """Return the next line as ``count``, or at least so many, whole numbers; raises `InputError`."""
        return self.whole(self.line(what), what, count, least)

    def whole(self, line: str, what: str, count: int | None = None, least: int = 0) -> list[int]:
        """Return (part of) the line read last as ``count``, or at least so many, numbers; raises `InputError`."""
        tokens = line.split()
        try:
            if "_" in line or not line.isascii():
                raise ValueError("int() would take these")
            found = list(map(int, tokens))
            if max(map(abs, found), default=0) > LARGEST:
                raise ValueError("too large")
        except ValueError:
            found = [whole(token, f"line {self.number}: {what}", -LARGEST) for token in tokens]
        if count is not None and len(found) != count:
            raise self.fault(f"must be {count} number{'s' * (count != 1)} ({what})", line.strip())
        if len(found) < least:
            raise self.fault(f"must be at least {least} numbers ({what})", line.strip())
        return found


#: ``(i, j): d`` says that activity j starts at least d ticks after activity i starts; d may be negative.
Distances = dict[tuple[int, int], int]


def tighten(distances: Distances, first: int, second: int, least: int) -> None:
    """Add a distance to a dictionary of them; of two between the same activities the larger one counts."""
    known = distances.get((first, second))
    if known is None or known < least:
        distances[first, second] = least


def activity(task: str, name: object, duration: int, demands: Iterable[Demand], release: int = 0) -> Action:
    """Return an action that runs by itself: it holds no agent, and nobody has to start it."""
    return Action(f"{task}/{name}", task, duration, 0, modes=(Mode(tuple(demands)),), agents=(), release=release)


def lags_of(actions: Sequence[Action], distances: Mapping[tuple[int, int], int]) -> tuple[Lag, ...]:
    """Say distances between starts as lags from finish to start; exactly, whatever their signs.

    A distance d from i to j is a minimum lag of ``d - duration(i)`` from i to j, and just as well a maximum lag of
    ``-d - duration(j)`` from j to i. Minimum lags order their actions, which many algorithms need; so they are
    preferred where d >= 0, except among actions that stand in a cycle of precedences (or after one), which
    nothing can order. Two distances between the same actions become one lag, unless they contradict each other.

    Examples
    --------
    >>> fill, boil = (activity("tea", name, 5, ()) for name in ("fill", "boil"))
    >>> lags_of([fill, boil], {(0, 1): 7, (1, 0): -9})
    (Lag(before='tea/fill', after='tea/boil', minimum=2, maximum=4),)
    """
    size = [action.duration for action in actions]
    circular = _circular(size, distances)
    found: list[tuple[int, int, int | None, int | None]] = []
    for (i, j), least in distances.items():
        back = distances.get((j, i))
        if i in circular and j in circular:
            found.append((i, j, None, -least - size[j]))
        elif back is None:
            found.append((j, i, least - size[i], None) if least >= 0 else (i, j, None, -least - size[j]))
        elif least + back > 0:  # they contradict each other
            found.append((j, i, least - size[i], None))
        elif (back, j) < (least, i):
            found.append((j, i, least - size[i], -back - size[i]))
    # By the action that waits, as in our own files.
    found.sort(key=lambda row: row[:2])
    return tuple(Lag(actions[i].id, actions[j].id, least, most) for j, i, least, most in found)


def _circular(size: Sequence[int], distances: Mapping[tuple[int, int], int]) -> set[int]:
    """Return the actions that no order of the precedences (start no earlier than the finish) reaches."""
    after: list[list[int]] = [[] for _ in size]
    missing = [0] * len(size)
    for (i, j), least in distances.items():
        if least >= size[i]:
            after[i].append(j)
            missing[j] += 1
    ready = [i for i, count in enumerate(missing) if not count]
    for i in ready:  # grows while it is walked through
        for j in after[i]:
            missing[j] -= 1
            if not missing[j]:
                ready.append(j)
    return set(range(len(size))).difference(ready) if len(ready) < len(size) else set()


def project(
    name: str,
    first: int,
    durations: Sequence[int],
    demands: Sequence[Sequence[int]],
    capacities: Sequence[int],
    distances: Distances,
) -> Instance:
    """Return a project whose first and last activities are its beginning and its end.

    The beginning and the end, if they last no time and use nothing, are left out where the model can say the
    same without them: distances from the beginning are releases, a distance from the end to the beginning is
    the time limit, and the makespan is no earlier than the finish of any activity anyway.

    Where an activity needs more of a resource than there is, the excess is given to a second one (``8+R4``) that has
    to run at the same time: as impossible as before, so that such a project is infeasible rather than refused.

    Parameters
    ----------
    first
        Number of the first activity; the others follow.
    durations, demands
        Of every activity; one demand for every resource.
    capacities
        Of the resources R1, R2, ...
    distances
        Between starts, by position; not changed.

    Raises
    ------
    InputError
        If there is no activity between the beginning and the end, or as from `Instance`.
    """
    last = len(durations) - 1
    if last < 2:
        message = "needs at least one activity between the first and the last"
        raise InputError(message, field="activities", value=last + 1)
    if len(distances) > MAX_LAGS:
        raise InputError(f"must be at most {MAX_LAGS}", field="distances", value=len(distances))
    distances = dict(distances)
    begins, ends = (not durations[k] and not any(demands[k]) for k in (0, last))
    limit = distances.pop((last, 0)) if begins and ends and distances.get((last, 0), 1) <= 0 else None
    kept, release = set(range(last + 1)), [0] * (last + 1)
    if ends and any(i == last for i, _ in distances):  # something waits for the end, so nothing may come after it
        for i in range(1, last):
            tighten(distances, i, last, durations[i])
    elif ends and all(j != last or d <= durations[i] for (i, j), d in distances.items()):
        kept.discard(last)
    if begins and any(j == 0 for _, j in distances):  # a deadline counts from the beginning, so nothing comes before it
        for j in kept - {0}:
            tighten(distances, 0, j, 0)
    elif begins:
        kept.discard(0)
        for (i, j), d in distances.items():
            if i == 0:
                release[j] = max(d, 0)
    resources = {f"R{k}": Resource(f"R{k}", max(capacity, 1)) for k, capacity in enumerate(capacities, 1)}
    order = sorted(kept)
    position = {k: at for at, k in enumerate(order)}
    inside = {(position[i], position[j]): d for (i, j), d in distances.items() if i in position and j in position}
    actions, excess = [], []
    used = {name for name, capacity in zip(resources, capacities, strict=True) if capacity}
    for k in order:
        uses = []
        for resource, capacity, amount in zip(resources.values(), capacities, demands[k], strict=True):
            if amount:
                used.add(resource.name)
                uses.append(Demand(resource.name, min(amount, resource.capacity)))
            if amount > capacity and durations[k]:
                more = Demand(resource.name, min(amount - capacity, resource.capacity))
                excess.append((position[k], activity("project", f"{first + k}+{resource.name}", durations[k], [more])))
        actions.append(activity("project", first + k, durations[k], uses, release[k]))
    for beside, action in excess:
        inside[beside, len(actions)] = inside[len(actions), beside] = 0
        actions.append(action)
    return Instance(
        name,
        tuple(actions),
        lags_of(actions, inside),
        tuple(one for one in resources.values() if one.name in used),
        agents=(),
        time_limit=None if limit is None else -limit,
    )
