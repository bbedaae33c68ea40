"""A* search for plans with the fewest steps, over states up to symmetry, with proof of optimality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from heapq import heappop, heappush
from itertools import chain
from time import perf_counter
from typing import Any, NamedTuple

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import Limit, Status, TimeOverError, deadline_of
from planoracle.solver.kitchens.consistency import contradiction
from planoracle.solver.kitchens.heuristic import Groups, heuristic, ordinary
from planoracle.solver.kitchens.state_view import NEVER
from planoracle.solver.result import OnProgress, Result, versions

# Greedy searches: weights of the lower bound, and largest number of states.
_WEIGHTS, _GREEDY = (5, 2), 30_000
# States that A* expands before the search for transport plans, and the share of the time limit for it.
_FIRST, _TRANSPORT_SHARE = 60, 0.3
# Counted work (seconds) of a successor, see also `planoracle.solver.kitchens.heuristic`.
_STEP = 7e-6


class _Child(NamedTuple):
    """Successor of a state: its steps, the codes of their actions, and whether it is a goal state."""

    cost: int
    codes: tuple[int, ...]
    state: State
    reached: bool


#: Path to a state: codes of its last actions, and the path before.
_Path = tuple[tuple[int, ...], Any] | None


def plan(
    kitchen: Kitchen,
    *,
    time_limit: Limit = 60.0,
    rules: KitchenRules = PROFILES["released"],
    after: Sequence[str] = (),
    greedy: bool = False,
    at_least: int = 0,
    on_progress: OnProgress | None = None,
) -> Result:
    """Find a plan with the fewest steps and prove it.

    Parameters
    ----------
    time_limit
        Seconds of wall time, or counted work. At its end the incumbent and the lower bound are returned.
    rules
        Rule profile of the kitchen.
    after
        Executed actions. The plan continues after them, and steps count from there, even if they passed a goal state.
    greedy
        Stop at the first plan of a greedy search.
    at_least
        Proved lower bound in steps.
    on_progress
        Callback for each improved incumbent or bound.

    Raises
    ------
    InputError
        If one of the executed actions is not legal.
    InternalError
        If the rules reject the plan; it is never returned.

    Examples
    --------
    >>> from planoracle.instances.benchmarks.kitchens.problems import kitchen
    >>> result = plan(kitchen("kitchens/synchronous/0_cheese_sandwich"))
    >>> result.status, result.makespan == len(result.actions)
    ('optimal', True)
    """
    search = _Search(kitchen, rules, time_limit, after, on_progress)
    search.stops_at_first = greedy
    search.limit = at_least
    return search.run()


class _Search:
    """Search on one kitchen."""

    def __init__(
        self,
        kitchen: Kitchen,
        rules: KitchenRules,
        time_limit: Limit,
        after: Sequence[str] = (),
        on_progress: OnProgress | None = None,
    ) -> None:
        self.began = perf_counter()
        self.deadline = deadline_of(time_limit)
        self.rules = rules
        self.compiled = CompiledKitchen(kitchen, rules)
        self.kitchen = kitchen = self.compiled.kitchen
        self.start = self.compiled.start()
        self.heuristic = heuristic(self.compiled, self.deadline)
        self.alone = len(kitchen.players) == 1 and self.heuristic.familiar
        self.expanded = 0
        self.limit = 0  # lower bound
        self.best: tuple[int, ...] | None = None
        self.after = tuple(after)
        self.stops_at_first = False  # at the first plan of a greedy search
        self.on_progress = on_progress

    def run(self) -> Result:
        start = self.start
        for i, text in enumerate(self.after):
            code = self.compiled.find(start, text)
            if code is None:
                raise InputError("is not a legal action in this state", field=f"after[{i}]", value=text)
            self.start = start = self.compiled.step(start, code)
        if self.compiled.goal(start):  # goals are checked after a step
            codes = () if self.after else tuple(self.idle(start))
            return self.result(Status.optimal, "the goal is reached at the start", codes)
        if ordinary(self.kitchen) and (reason := contradiction(self.kitchen)):
            return self.result(Status.infeasible, reason)
        try:
            groups = self.heuristic.root(start)
            if not groups or not all(self.kitchen.candidates.values()):
                return self.result(Status.infeasible, "the goal requires objects that the kitchen does not have")
            self.limit = self.round_up(max(self.limit, groups[0][0]))
            self.report()
            self.solve(start, groups)
            if self.stops_at_first and self.best is not None:
                return self.result(Status.feasible, "greedy search", self.best, self.limit)
        except TimeOverError:
            status = Status.unknown if self.best is None else Status.feasible
            return self.result(status, "time limit", self.best, self.limit)
        if self.best is None:
            return self.result(Status.infeasible, "all reachable states explored")
        return self.result(Status.optimal, "A*", self.best)

    def solve(self, start: State, groups: Groups) -> None:
        """Search until the optimum is proved, or for any plan until one is found."""
        plans_tasks = self.heuristic.familiar and not self.stops_at_first
        if plans_tasks and (self.search(start, groups, _FIRST) or self.try_transport_plans(start, groups)):
            return
        if self.best is None and self.greedy(start, groups, _GREEDY):
            return
        self.search(start, groups)

    def try_transport_plans(self, start: State, groups: Groups) -> bool:
        """Try plans from schedules of transport tasks; return whether one is proved optimal."""
        part = self.deadline.sooner(_TRANSPORT_SHARE * self.deadline.remaining())
        with suppress(TimeOverError):  # of this part
            for codes in self.heuristic.transport_plans(start, groups, self.max_steps, part):
                self.best = codes
                self.report()
                if len(codes) == self.limit:
                    return True
        return False

    def report(self) -> None:
        """Call ``on_progress`` with the incumbent and bound."""
        if self.on_progress is not None:
            steps = self.max_steps
            bound = self.compiled.ticks(self.start, min(steps, self.limit))
            self.on_progress(None if steps == NEVER else self.compiled.ticks(self.start, steps), bound)

    @property
    def max_steps(self) -> int:
        """Number of steps of the incumbent; `NEVER` without one."""
        return NEVER if self.best is None else len(self.best)

    def round_up(self, steps: int) -> int:
        """Return the least number of actions, ``steps`` or more, that a plan can have: it ends with a round."""
        ticks = self.compiled.ticks(self.start, steps)
        while self.compiled.ticks(self.start, steps + 1) == ticks:
            steps += 1
        return steps

    def kind(self, code: int) -> str:
        """Return the name of an action in the domain."""
        return self.kitchen.domain.actions[self.compiled.actions[code].position].name

    def idle(self, state: State) -> Iterator[int]:
        """Yield steps in which no cook acts: with joint moves, one action of every cook."""
        while True:
            code = next(code for code in self.compiled.texts(state).values() if self.kind(code) == "wait")
            yield code
            state = self.compiled.step(state, code)
            if self.compiled.goal(state):
                return

    def children(self, state: State) -> Iterator[_Child]:
        """Yield the successors of a state.

        A single cook walks only to act at its destination, and waits only before it walks, because ticks do not depend
        on positions. Of actions with equal texts only the first can be meant by a plan.
        """
        compiled = self.compiled
        for code in compiled.texts(state).values():
            self.deadline.check(_STEP)  # with hundreds of objects a state has thousands of successors
            kind = self.kind(code)
            after = compiled.step(state, code)
            reached = compiled.goal(after)
            if kind == "wait" and after == state:
                continue
            if kind != "move" or not self.alone or reached:
                yield _Child(1, (code,), after, reached)
                continue
            for second in compiled.texts(after).values():
                if self.kind(second) not in ("move", "wait"):
                    last = compiled.step(after, second)
                    yield _Child(2, (code, second), last, compiled.goal(last))

    def greedy(self, start: State, groups: Groups, max_states: int) -> bool:
        """Search greedily over so many states at most; return whether a plan is proved or sufficient."""
        for weight in _WEIGHTS:
            codes = self.weighted_search(start, groups, weight, max_states)
            if codes is not None and len(codes) < self.max_steps:
                self.best = codes
                self.report()
            if self.stops_at_first and self.best is not None:
                return True
        return self.best is not None and len(self.best) == self.limit

    def weighted_search(self, start: State, groups: Groups, weight: int, max_states: int) -> tuple[int, ...] | None:
        """Search greedily with a weighted lower bound; return a plan as codes of actions, or ``None``."""
        seen: set[Any] = {start}
        queue: list[Any] = [(0, 0, 0, 0, start, None)]
        while queue and len(seen) < max_states:
            _, _, _, steps, state, path = heappop(queue)
            self.expanded += 1
            for child in self.children(state):
                if child.reached:
                    return unwind((child.codes, path))
                if child.state in seen:
                    continue
                seen.add(child.state)
                now = steps + child.cost
                estimate = self.heuristic.look(child.state, groups, now, NEVER)
                if estimate.key in seen or not estimate.groups:
                    continue
                seen.add(estimate.key)
                rank = weight * estimate.groups[0][0] - (weight - 1) * now
                child_path = (child.codes, path)
                heappush(queue, (rank, estimate.unstarted, -len(seen), now, child.state, child_path))
        return None

    def search(self, start: State, groups: Groups, looks: int | None = None) -> bool:
        """Expand states by the lower bound of plans through them (A*); return whether the search is complete.

        Ties are broken by three rules in rotation (newest; most steps done; fewest pending processes), so one good rule
        is enough to find a plan early. A state is expanded again if it is reached in fewer steps. The search ends when
        no plan can be shorter than the incumbent, or after ``looks`` expansions.
        """
        max_expanded = None if looks is None else self.expanded + looks
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
            bound, steps, state, remaining_groups, path = node
            nodes[number] = None
            is_newest_first = turn == 0
            turn = (turn + 1) % len(queues)
            if self.round_up(max(bound, self.limit)) >= self.max_steps:
                break
            if seen[state] < steps:
                continue
            if self.expanded == max_expanded:
                return False
            if bound > self.limit:
                self.limit = self.round_up(bound)
                self.report()
            self.expanded += 1
            entries = []
            for child in self.children(state):
                now = steps + child.cost
                if now >= self.max_steps or seen.get(child.state, NEVER) <= now:
                    continue
                if child.reached:
                    self.best = unwind((child.codes, path))
                    self.report()
                    continue
                seen[child.state] = now
                estimate = look(child.state, remaining_groups, now, self.max_steps)
                if not estimate.groups or seen.get(estimate.key, NEVER) <= now:
                    continue
                seen[estimate.key] = now
                child_bound = max(bound, estimate.groups[0][0])
                entries.append((-child_bound, -estimate.unstarted, now, child, estimate.groups))
            entries.sort(key=lambda entry: entry[:3])  # the best entry becomes the newest
            for negative_bound, unstarted, now, child, child_groups in entries:
                rank = -negative_bound
                number = -len(nodes)
                nodes.append((rank, now, child.state, child_groups, (child.codes, path)))
                # Newest of its own queue, so that the other orders do not distract it.
                heappush(queues[0], (rank, number if is_newest_first else -number, number))
                heappush(queues[1], (rank, -now, -unstarted, number))
                heappush(queues[2], (rank, -unstarted, -now, number))
        return True

    def result(
        self, status: Status, proof: str, codes: tuple[int, ...] | None = None, bound: int | None = None
    ) -> Result:
        if bound is not None:
            bound = self.compiled.ticks(self.start, bound)
        result = Result(
            instance=self.kitchen.name,
            status=status,
            lower_bound=None if status == Status.optimal else bound,
            proof=proof,
            versions=versions(),
            kind=self.kitchen.kind,
            unit=self.kitchen.unit,
            expanded=self.expanded,
        )
        if codes is None:
            return replace(result, seconds=perf_counter() - self.began)
        actions = tuple(self.compiled.actions[code].text for code in codes)
        if not self.is_accepted(actions):
            raise InternalError(f"{self.kitchen.name}: the rules reject a plan of the search")
        steps = self.compiled.ticks(self.start, len(actions))
        return replace(
            result,
            makespan=steps,
            lower_bound=steps if status == Status.optimal else bound,
            plan=language.render(actions),
            actions=actions,
            rounds=-(-len(actions) // len(self.kitchen.players)),
            seconds=perf_counter() - self.began,
        )

    def is_accepted(self, actions: Sequence[str]) -> bool:
        """Return whether the rules accept the executed actions and these, and the last one reaches the goal."""
        engine = compiled(self.kitchen, self.rules)
        state = engine.start()
        for text in (*self.after, *actions):
            code = engine.find(state, text)
            if code is None:
                return False
            state = engine.step(state, code)
        return engine.goal(state)


def unwind(path: _Path) -> tuple[int, ...]:
    """Return the codes of the actions of a path, the first first."""
    parts = []
    while path is not None:
        parts.append(path[0])
        path = path[1]
    return tuple(chain.from_iterable(reversed(parts)))
