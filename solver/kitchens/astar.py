"""Plans with the fewest steps, with proof: A* over states up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from time import perf_counter
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen
from planoracle.instances.benchmarks.kitchens.rules import PROFILES, Profile
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import Limit, Status, TimeOverError, deadline_of
from planoracle.solver.kitchens.consistency import contradiction
from planoracle.solver.kitchens.heuristic import Groups, heuristic, ordinary
from planoracle.solver.kitchens.state_view import NEVER
from planoracle.solver.result import OnProgress, Result, versions

# Of the greedy searches: how much what is left weighs, and states after which they give up.
_WEIGHTS, _GREEDY = (5, 2), 30_000
# States expanded by A* before plans are sought by way of schedules, and the share of the time limit for these.
_FIRST, _ERRANDS = 60, 0.3
# Of counted work: seconds to make a successor, see also `planoracle.solver.kitchens.heuristic`.
_STEP = 7e-6


class _Child(NamedTuple):
    cost: int
    deeds: tuple[int, ...]
    state: State
    reached: bool


#: Deeds so far, the last first.
_Path = tuple[tuple[int, ...], Any] | None


def plan(
    kitchen: Kitchen,
    *,
    time_limit: Limit = 60.0,
    rules: Profile = PROFILES["released"],
    after: Sequence[str] = (),
    greedy: bool = False,
    at_least: int = 0,
    on_progress: OnProgress | None = None,
) -> Result:
    """Find a plan of fewest steps and prove it.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. When they are over, the best plan and bound so far are returned.
    rules
        Profile by which the kitchen runs.
    after
        Actions that have been carried out already; the plan goes on from there, its steps are counted from there, also
        where they have been through a state of the goal on the way.
    greedy
        Stop at the first plan, found by always going on where least seems to be left.
    at_least
        Lower bound in steps that is proved already.
    on_progress
        Hears of every better plan and bound on the way.

    Raises
    ------
    InputError
        If one of the actions already carried out is not legal.
    InternalError
        If a plan found is not accepted by the rules; never returned as an answer.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> result = plan(kitchen("kitchens/synchronous/0_cheese_sandwich"))
    >>> result.status, result.makespan == len(result.actions)
    ('optimal', True)
    """
    search = _Search(kitchen, rules, time_limit, after, on_progress)
    search.first, search.limit = greedy, at_least
    return search.run()


class _Search:
    """The search on one kitchen."""

    def __init__(
        self,
        kitchen: Kitchen,
        rules: Profile,
        time_limit: Limit,
        after: Sequence[str] = (),
        on_progress: OnProgress | None = None,
    ) -> None:
        self.began = perf_counter()
        self.deadline = deadline_of(time_limit)
        self.kitchen = kitchen
        self.rules = rules
        self.compiled = CompiledKitchen(kitchen, rules)
        self.heuristic = heuristic(self.compiled, self.deadline)
        self.alone = len(kitchen.players) == 1 and self.heuristic.familiar
        self.expanded = 0
        self.limit = 0  # no plan has fewer steps
        self.best: tuple[int, ...] | None = None
        self.after = tuple(after)
        self.first = False
        self.on_progress = on_progress
        self._kinds: list[str] = []

    def run(self) -> Result:
        start = self.compiled.start()
        for i, text in enumerate(self.after):
            deed = self.compiled.find(start, text)
            if deed is None:
                raise InputError("is not legal here", field=f"after[{i}]", value=text)
            start = self.compiled.step(start, deed)
        if self.compiled.goal(start):  # it is looked at after a step
            deeds = () if self.after else tuple(self.idle(start))
            return self.result(Status.optimal, "the goal is reached at the start", deeds)
        if ordinary(self.kitchen) and (fault := contradiction(self.kitchen)):
            return self.result(Status.infeasible, fault)
        try:
            groups = self.heuristic.root(start)
            if not groups or not all(self.kitchen.candidates.values()):
                return self.result(Status.infeasible, "the goal asks for objects that there are not")
            self.limit = max(self.limit, groups[0][0])
            self.tell()
            self.solve(start, groups)
            if self.first and self.best is not None:
                return self.result(Status.feasible, "greedy search", self.best, self.limit)
        except TimeOverError:
            return self.result(self.sofar, "time limit", self.best, self.limit)
        if self.best is None:
            return self.result(Status.infeasible, "all states that can be reached")
        return self.result(Status.optimal, "A*", self.best)

    @property
    def sofar(self) -> Status:
        """What is known before the search is through."""
        return Status.unknown if self.best is None else Status.feasible

    def solve(self, start: State, groups: Groups) -> None:
        """Search until the best plan is known; if any plan is enough, until one is found."""
        familiar = self.heuristic.familiar and not self.first
        if familiar and (self.search(start, groups, _FIRST) or self.errands(start, groups)):
            return
        if self.best is None and self.greedy(start, groups, _GREEDY):
            return
        self.search(start, groups)

    def errands(self, start: State, groups: Groups) -> bool:
        """Look for plans by way of schedules; return whether one of them is proved to be the best."""
        part = self.deadline.sooner(_ERRANDS * self.deadline.remaining())
        with suppress(TimeOverError):  # of this part
            for found in self.heuristic.errand_plans(start, groups, self.most, part):
                self.best = found
                self.tell()
                if len(found) == self.limit:
                    return True
        return False

    def tell(self, most: int = NEVER, least: int = 0) -> None:
        """Say how far it has come, if anybody listens; ``most`` and ``least`` are what a part has found."""
        if self.on_progress is not None:
            most = min(most, NEVER if self.best is None else len(self.best))
            self.on_progress(None if most == NEVER else most, min(most, max(self.limit, least)))

    @property
    def most(self) -> int:
        """Number of steps of the incumbent; `NEVER` without one."""
        return NEVER if self.best is None else len(self.best)

    def kind(self, deed: int) -> str:
        """Return the name of a deed's action."""
        for known in range(len(self._kinds), deed + 1):
            self._kinds.append(self.kitchen.domain.actions[self.compiled.deeds[known].position].name)
        return self._kinds[deed]

    def idle(self, state: State) -> Iterator[int]:
        """Yield a step in which nobody does anything: with joint moves, one deed of everybody."""
        while True:
            deed = next(deed for deed in self.compiled.texts(state).values() if self.kind(deed) == "wait")
            yield deed
            state = self.compiled.step(state, deed)
            if self.compiled.goal(state):
                return

    def children(self, state: State) -> Iterator[_Child]:
        """Yield the successors of a state.

        A single cook walks in order to do something where it goes, and waits only before it walks: a tick does not
        ask where anybody stands. Of actions that are written alike only the first can be meant by a plan.
        """
        compiled = self.compiled
        for deed in compiled.texts(state).values():
            self.deadline.check(_STEP)  # with hundreds of objects a state has thousands of successors
            kind = self.kind(deed)
            after = compiled.step(state, deed)
            reached = compiled.goal(after)
            if kind == "wait" and after == state:
                continue
            if kind != "move" or not self.alone or reached:
                yield _Child(1, (deed,), after, reached)
                continue
            for then in compiled.texts(after).values():
                if self.kind(then) not in ("move", "wait"):
                    last = compiled.step(after, then)
                    yield _Child(2, (deed, then), last, compiled.goal(last))

    def greedy(self, start: State, groups: Groups, most: int) -> bool:
        """Look for some plan, meeting at most so many states; whether one is found that is proved, or enough."""
        for weight in _WEIGHTS:
            found = self.hasty(start, groups, weight, most)
            if found is not None and len(found) < self.most:
                self.best = found
                self.tell()
            if self.first and self.best is not None:
                return True
        return self.best is not None and len(self.best) == self.limit

    def hasty(self, start: State, groups: Groups, weight: int, most: int) -> tuple[int, ...] | None:
        """Look for some plan, what is left weighing more than what has been done."""
        seen: set[Any] = {start}
        queue: list[Any] = [(0, 0, 0, 0, start, None)]
        while queue and len(seen) < most:
            _, _, _, steps, state, path = heappop(queue)
            self.expanded += 1
            for child in self.children(state):
                if child.reached:
                    return unwind((child.deeds, path))
                if child.state in seen:
                    continue
                seen.add(child.state)
                now = steps + child.cost
                seeing = self.heuristic.look(child.state, groups, now, NEVER)
                if seeing.key in seen or not seeing.groups:
                    continue
                seen.add(seeing.key)
                rank = weight * seeing.groups[0][0] - (weight - 1) * now
                heappush(queue, (rank, seeing.unstarted, -len(seen), now, child.state, (child.deeds, path)))
        return None

    def search(self, start: State, groups: Groups, looks: int | None = None) -> bool:
        """Expand states in the order of the fewest steps that a plan through them may have (A*).

        Among equals three orders take turns: the newest first; those that have got furthest; those in which least
        is left to be started. So a plan is found soon if one of them finds it soon. A state is expanded again if it
        is met with fewer steps. Ends when no plan can be shorter than the best known, or after so many looks; whether
        it is through.
        """
        enough = None if looks is None else self.expanded + looks
        look = self.heuristic.look
        seen: dict[Any, int] = {start: 0}
        nodes: list[tuple[int, int, State, Groups, _Path] | None] = [(self.limit, 0, start, groups, None)]
        queues: tuple[list[tuple[int, ...]], ...] = tuple([(self.limit, 0, 0, 0)] for _ in range(3))
        turn = 0
        while queues[turn]:
            number = -heappop(queues[turn])[-1]
            node = nodes[number]
            if node is None:
                continue
            least, steps, state, left, path = node
            nodes[number] = None
            own = not turn
            turn = (turn + 1) % len(queues)
            if max(least, self.limit) >= self.most:
                break
            if seen[state] < steps:
                continue
            if self.expanded == enough:
                return False
            if least > self.limit:
                self.limit = least
                self.tell()
            self.expanded += 1
            found = []
            for child in self.children(state):
                now = steps + child.cost
                if now >= self.most or seen.get(child.state, NEVER) <= now:
                    continue
                if child.reached:
                    self.best = unwind((child.deeds, path))
                    self.tell()
                    continue
                seen[child.state] = now
                seeing = look(child.state, left, now, self.most)
                if not seeing.groups or seen.get(seeing.key, NEVER) <= now:
                    continue
                seen[seeing.key] = now
                found.append((-max(least, seeing.groups[0][0]), -seeing.unstarted, now, child, seeing.groups))
            found.sort(key=lambda entry: entry[:3])  # the best is the newest
            for rank, unstarted, now, child, kept in found:
                number = -len(nodes)
                nodes.append((-rank, now, child.state, kept, (child.deeds, path)))
                # The newest of its own line, lest the other orders lead it astray.
                heappush(queues[0], (-rank, number if own else -number, number))
                heappush(queues[1], (-rank, -now, -unstarted, number))
                heappush(queues[2], (-rank, -unstarted, -now, number))
        return True

    def result(
        self, status: Status, proof: str, deeds: tuple[int, ...] | None = None, bound: int | None = None
    ) -> Result:
        actions = None if deeds is None else tuple(self.compiled.deeds[deed].text for deed in deeds)
        if actions is not None and not self.is_accepted(actions):
            raise InternalError(f"{self.kitchen.name}: a plan of ours does not pass the rules")
        steps = None if actions is None else len(actions)
        return Result(
            instance=self.kitchen.name,
            status=status,
            makespan=steps,
            lower_bound=steps if status == Status.optimal else bound,
            plan=None if actions is None else language.render(actions),
            seconds=perf_counter() - self.began,
            proof=proof,
            versions=versions(),
            kind=self.kitchen.kind,
            unit=self.kitchen.unit,
            actions=actions or (),
            rounds=None if steps is None else -(-steps // len(self.kitchen.players)),
            expanded=self.expanded,
        )

    def is_accepted(self, actions: Sequence[str]) -> bool:
        """Whether the rules accept the actions after those already carried out, and the last one reaches the goal."""
        engine = compiled(self.kitchen, self.rules)
        state = engine.start()
        for text in (*self.after, *actions):
            deed = engine.find(state, text)
            if deed is None:
                return False
            state = engine.step(state, deed)
        return engine.goal(state)


def unwind(path: _Path) -> tuple[int, ...]:
    """Return the deeds of a path, the first first."""
    parts = []
    while path is not None:
        parts.append(path[0])
        path = path[1]
    return tuple(deed for part in reversed(parts) for deed in part)
