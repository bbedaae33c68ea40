"""Projects from files: lines of numbers, distances between starts, and the instance of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.validation import MAX_LAGS, MAX_TICKS

#: Largest number in a file, so that sums of several stay within the limits of an instance.
LARGEST: Final = MAX_TICKS // 4

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_COMMENT = re.compile(r"(?:#|//|^[ \t]*+;).*", re.MULTILINE)
# Headings of job shops, which some files have in comments.
_HEADING = re.compile(r"\W*(?:instance\s|nb of jobs)", re.IGNORECASE)


def whole(token: str, field: str, line: int, minimum: int = 0) -> int:
    """Return the whole number of a token; raises `InputError`."""
    if not _NUMBER.fullmatch(token):
        raise InputError("must be a whole number", field=field, value=token, line=line)
    number = int(token)
    if not minimum <= number <= LARGEST:
        raise InputError(f"must lie between {minimum} and {LARGEST}", field=field, value=number, line=line)
    return number


def without_comments(text: str) -> str:
    r"""Return a text of equally many lines without comments; headings of job shops remain.

    Examples
    --------
    >>> without_comments("2 1 # jobs, machines\n# instance two\n// times").split("\n")
    ['2 1 ', ' instance two', '']
    """
    if not _COMMENT.search(text):
        return text
    lines = []
    for line in text.splitlines():
        is_heading = _HEADING.match(line) is not None
        content = line.replace("#", "", 1) if is_heading else _COMMENT.sub("", line)
        lines.append(content)
    return "\n".join(lines)


class Rows:
    """Iterator over the non-blank lines of a text.

    Attributes
    ----------
    number
        Number of the last line read, from 1.
    """

    def __init__(self, text: str, comment: str | tuple[str, ...] = ()) -> None:
        self._lines = _numbered_lines(text, comment)
        self.number = 0

    def line(self, content: str) -> str:
        """Return the next line; raises `InputError` if the file ends before its ``content``."""
        try:
            self.number, line = next(self._lines)
        except StopIteration:
            raise self.too_short(content) from None
        return line

    def rest(self) -> Iterator[str]:
        """Yield the remaining lines."""
        for number, line in self._lines:
            self.number = number
            yield line

    def end(self) -> None:
        """Raise `InputError` if there is another line."""
        for line in self.rest():
            raise self.fault("expected the end of the file", line)

    def too_short(self, content: str) -> InputError:
        """Return the error that the file ends before its ``content``."""
        return InputError(f"expected {content}, but the file ends", line=self.number)

    def fault(self, message: str, *value: Any) -> InputError:
        """Return an error at the last line read."""
        return InputError(message, line=self.number, **({"value": value[0]} if value else {}))

    def numbers(self, content: str, count: int | None = None, min_count: int = 0) -> list[int]:
        """Return the next line as ``count``, or at least ``min_count``, whole numbers; raises `InputError`."""
        return self.whole(self.line(content), content, count, min_count)

    def whole(self, line: str, content: str, count: int | None = None, min_count: int = 0) -> list[int]:
        """Return (part of) the last line as ``count`` or at least ``min_count`` numbers; raises `InputError`."""
        tokens = line.split()
        numbers = [whole(token, content, self.number, -LARGEST) for token in tokens]
        if count is not None and len(numbers) != count:
            noun = "number" if count == 1 else "numbers"
            expected = f"{count} {noun} ({content})"
            raise self.fault(f"must be {expected}", line.strip())
        if len(numbers) < min_count:
            raise self.fault(f"must be at least {min_count} numbers ({content})", line.strip())
        return numbers


def _numbered_lines(text: str, comment: str | tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor comments, with their numbers from 1."""
    for number, line in enumerate(text.splitlines(), 1):
        is_blank = not line or line.isspace()
        if not is_blank and not (comment and line.lstrip().startswith(comment)):
            yield number, line


#: ``(i, j): d`` means that activity j starts at least d ticks after activity i starts; d may be negative.
Distances = dict[tuple[int, int], int]


def tighten(distances: Distances, first: int, second: int, distance: int) -> None:
    """Add a distance; of two between the same activities the larger one counts."""
    previous = distances.get((first, second), distance)
    distances[first, second] = max(distance, previous)


def activity(task: str, name: object, duration: int, demands: Iterable[Demand], release: int = 0) -> Action:
    """Return an action that needs no agent, not even to be started."""
    mode = Mode(tuple(demands))
    name_of_action = f"{task}/{name}"
    return Action(name_of_action, task, duration, attended=0, modes=(mode,), agents=(), release=release)


def action_of_modes(task: str, name: object, modes: Sequence[Mode], release: int = 0) -> Action:
    """Return an action of modes that all have a duration; it needs no agent.

    The action has the duration of its first mode, which modes of that duration leave out. No mode is attended, also if
    the first one has duration 0.

    Examples
    --------
    >>> saw = action_of_modes("box", "saw", [Mode(name="hand", duration=9), Mode(name="machine", duration=2)])
    >>> saw.duration, [mode.duration for mode in saw.modes]
    (9, [None, 2])
    """
    duration = modes[0].duration or 0
    stored = []
    for mode in modes:
        stored_duration = None if mode.duration == duration else mode.duration
        stored.append(replace(mode, duration=stored_duration, attended=0))
    action_id = f"{task}/{name}"
    return Action(action_id, task, duration, attended=0, modes=tuple(stored), agents=(), release=release)


def lags_of(actions: Sequence[Action], distances: Mapping[tuple[int, int], int]) -> tuple[Lag, ...]:
    """Convert distances between starts of any sign to lags from finish to start.

    A distance d from i to j is a minimum lag of ``d - duration(i)`` from i to j, and equivalently a maximum lag of
    ``-d - duration(j)`` from j to i. Minimum lags order their actions, which many algorithms need; so they are
    preferred for d >= 0, except among actions in or after a cycle of precedences, which have no order. Two distances
    between the same actions become one lag, unless they contradict each other.

    Examples
    --------
    >>> fill, boil = (activity("tea", name, 5, ()) for name in ("fill", "boil"))
    >>> lags_of([fill, boil], {(0, 1): 7, (1, 0): -9})
    (Lag(before='tea/fill', after='tea/boil', minimum=2, maximum=4),)
    """
    size = [action.duration for action in actions]
    circular = _circular(size, distances)
    rows: list[tuple[int, int, Lag]] = []
    for (i, j), distance in distances.items():
        before = actions[i].id
        after = actions[j].id
        minimum = distance - size[i]
        maximum = -distance - size[j]
        back = distances.get((j, i))
        is_free = back is None and distance < 0
        if is_free or (i in circular and j in circular):
            rows.append((i, j, Lag(after, before, None, maximum)))
        elif back is None or distance + back > 0:  # two distances contradict each other
            rows.append((j, i, Lag(before, after, minimum)))
        elif (back, j) < (distance, i):
            maximum = -back - size[i]
            rows.append((j, i, Lag(before, after, minimum, maximum)))
    # By the later action, as in problem files.
    rows.sort(key=itemgetter(0, 1))
    return tuple(lag for _, _, lag in rows)


def _circular(size: Sequence[int], distances: Mapping[tuple[int, int], int]) -> set[int]:
    """Return the actions in or after a cycle of precedences (start no earlier than the finish)."""
    import networkx as nx

    arcs = [arc for arc, distance in distances.items() if distance >= size[arc[0]]]
    order = nx.DiGraph(arcs)
    cycles = [nodes for nodes in nx.strongly_connected_components(order) if len(nodes) > 1]
    after_cycles = [nx.descendants(order, min(nodes)) for nodes in cycles]
    return set().union(*cycles, *after_cycles)


def project(
    name: str,
    first: int,
    durations: Sequence[int],
    demands: Sequence[Sequence[int]],
    capacities: Sequence[int],
    distances: Distances,
) -> Instance:
    """Return the instance of a project whose first and last activities are its beginning and its end.

    A beginning or end without duration and demands is omitted if the model can express it otherwise: distances from the
    beginning are releases, and a distance from the end to the beginning is the time limit.

    If an activity needs more of a resource than its capacity, the excess is the demand of a second activity (``8+R4``)
    that has to run at the same time. So such a project is infeasible, instead of invalid.

    Parameters
    ----------
    first
        Number of the first activity; the others follow.
    durations, demands
        Duration of every activity, and its demand for every resource.
    capacities
        Capacities of the resources R1, R2, ...
    distances
        Distances between starts, by position.

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
    begins = not durations[0] and not any(demands[0])
    ends = not durations[last] and not any(demands[last])
    limit = None
    if begins and ends and distances.get((last, 0), 1) <= 0:
        limit = -distances.pop((last, 0))
    retained = set(range(last + 1))
    if ends and _can_omit_end(durations, distances):
        retained.discard(last)
    release = [0] * (last + 1)
    if begins and any(j == 0 for _, j in distances):  # deadlines count from the beginning
        for j in retained - {0}:
            tighten(distances, 0, j, 0)
    elif begins:
        retained.discard(0)
        for (i, j), distance in distances.items():
            if i == 0:
                release[j] = max(distance, 0)
    resources = []
    for k, capacity in enumerate(capacities, 1):
        resources.append(Resource(f"R{k}", max(capacity, 1)))
    used = {resource.name for resource, capacity in zip(resources, capacities, strict=True) if capacity}
    position = {k: place for place, k in enumerate(sorted(retained))}
    inside: Distances = {}
    for (i, j), distance in distances.items():
        if i in position and j in position:
            inside[position[i], position[j]] = distance
    actions: list[Action] = []
    excess: list[tuple[int, Action]] = []  # second activities, by the positions of the first ones
    for k, place in position.items():
        uses = []
        for resource, capacity, amount in zip(resources, capacities, demands[k], strict=True):
            if amount:
                used.add(resource.name)
                uses.append(Demand(resource.name, min(amount, resource.capacity)))
            if amount > capacity and durations[k]:
                demand = Demand(resource.name, min(amount - capacity, resource.capacity))
                name_of_excess = f"{first + k}+{resource.name}"
                action = activity("project", name_of_excess, durations[k], [demand])
                excess.append((place, action))
        action = activity("project", first + k, durations[k], uses, release[k])
        actions.append(action)
    for original, action in excess:
        inside[original, len(actions)] = inside[len(actions), original] = 0
        actions.append(action)
    used_resources = tuple(resource for resource in resources if resource.name in used)
    lags = lags_of(actions, inside)
    return Instance(name, tuple(actions), lags, used_resources, agents=(), time_limit=limit)


def _can_omit_end(durations: Sequence[int], distances: Distances) -> bool:
    """Return whether the model can express a project without its end, which has no duration or demand.

    No activity may come after an end with successors: such an end gets a distance from all other activities.
    """
    last = len(durations) - 1
    if any(i == last for i, _ in distances):
        for i in range(1, last):
            tighten(distances, i, last, durations[i])
        return False
    to_end = [(i, distance) for (i, j), distance in distances.items() if j == last]
    return all(distance <= durations[i] for i, distance in to_end)
