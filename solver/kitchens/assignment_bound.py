"""Who plays which role: the assignment of items to roles that costs least."""

from __future__ import annotations

from itertools import permutations, product

from planoracle.solver.kitchens.context import NEVER, Context, Scene

__all__ = ["AssignmentBound"]


class AssignmentBound:
    """Assignments of items to roles."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rank = {item: rank for rank, item in enumerate(context.items)}
        self._least: dict[tuple[int, tuple[tuple[int, ...], ...]], tuple[int, tuple[int, ...]]] = {}

    def least(self, scene: Scene, rows: dict[str, tuple[int, ...]]) -> int:
        """Return the least cost of an assignment of items to roles."""
        total = 0
        kinds: dict[str, list[str]] = {}
        for item, row in rows.items():
            if len(row) == 1:
                total += row[0]
            else:
                kinds.setdefault(self._context.kinds[item], []).append(item)
        chosen: dict[str, int] = {}
        least: dict[str, int] = {}
        for kind, items in kinds.items():
            items.sort(key=self._rank.__getitem__)
            cost, picks = self._match(tuple(rows[item] for item in items))
            least[kind] = cost
            total += cost
            for role, pick in enumerate(picks):
                chosen[items[pick]] = scene.options[items[pick]][role]
        for kind, listed in self._context.roles.kinds.items():
            if kind not in kinds and any(
                not role.bottom for role in map(self._context.roles.roles.__getitem__, listed)
            ):
                return NEVER
        if not self._context.alone or not scene.direct or total >= NEVER:
            return total
        return total + self._detours(scene, rows, kinds, least, chosen)

    def _match(self, rows: tuple[tuple[int, ...], ...]) -> tuple[int, tuple[int, ...]]:
        """Return the least cost of giving every role (column but the last) another row, and the row of every role."""
        roles = len(rows[0]) - 1
        key = (roles, rows)
        found = self._least.get(key)
        if found is None:
            base = sum(row[-1] for row in rows)
            ways = (
                (base + sum(rows[row][role] - rows[row][-1] for role, row in enumerate(picks)), picks)
                for picks in permutations(range(len(rows)), roles)
            )
            found = min(ways, default=(NEVER, ()))
            if len(self._least) > 100_000:
                self._least.clear()
            self._least[key] = found
        return found

    def _detours(
        self,
        scene: Scene,
        rows: dict[str, tuple[int, ...]],
        kinds: dict[str, list[str]],
        least: dict[str, int],
        chosen: dict[str, int],
    ) -> int:
        """Return the steps that are added because of items each of which waits for the place of the next."""
        if not (looped := _cycles(self._straight(scene, chosen))):
            return 0
        involved = sorted({self._context.kinds[item] for item in looped} & kinds.keys())
        ways = [list(permutations(kinds[kind], len(rows[kinds[kind][0]]) - 1)) for kind in involved]
        best = NEVER
        for way in product(*ways):
            cost = sum(rows[item][-1] for kind in involved for item in kinds[kind])
            cast = {item: scene.options[item][role] for row in way for role, item in enumerate(row)}
            cost += sum(rows[item][role] - rows[item][-1] for row in way for role, item in enumerate(row))
            if cost < best:
                best = min(best, cost + 4 * len(set(_cycles(self._straight(scene, cast)).values())))
        return best - sum(least[kind] for kind in involved)

    def _straight(self, scene: Scene, cast: dict[str, int]) -> dict[str, tuple[str, str]]:
        """Return station and goal of the items that are carried straight to the dish of their role."""
        found = {}
        for item in sorted(cast, key=self._rank.__getitem__):
            place = cast[item]
            station = scene.direct.get((item, place))
            goal = scene.tables[self._context.roles.roles[place].dish] if place >= 0 else ""
            if station is not None and goal:
                found[item] = (station, goal)
        return found


def _cycles(straight: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the items in disjoint cycles, each with one item that stands for its cycle.

    An item that is carried straight to its place leaves after those that lie there and have to leave; in a cycle of
    such items one cannot.

    >>> _cycles({"a": ("table1", "table2"), "b": ("table2", "table1"), "c": ("table3", "table1")})
    {'a': 'a', 'b': 'a'}
    """
    there: dict[str, list[str]] = {}
    for item, (station, _) in straight.items():
        there.setdefault(station, []).append(item)
    found: dict[str, str] = {}
    done: set[str] = set()
    for start in straight:
        path: list[str] = []
        item = start
        while item and item not in done and item not in path:
            path.append(item)
            item = next((each for each in there.get(straight[item][1], ()) if each not in found), "")
        if item in path:
            found.update(dict.fromkeys(path[path.index(item) :], item))
        done.update(path)
    return found
