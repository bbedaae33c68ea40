"""A* search for plans with the fewest steps, over states up to symmetry, with proof of optimality."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from heapq import heappop, heappush
from itertools import chain
from operator import itemgetter
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from planoracle.instances.benchmarks.kitchens import language
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State, compiled
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen, KitchenRules
from planoracle.instances.errors import InputError, InternalError
from planoracle.instances.model.limits import Deadline, Limit, Status, TimeOverError, deadline_of
from planoracle.solver.kitchens.consistency import contradiction
from planoracle.solver.kitchens.heuristic import Groups, heuristic, ordinary
from planoracle.solver.kitchens.state_view import UNREACHABLE
from planoracle.solver.result import OnProgress, Result, versions

# Greedy searches: weights of the lower bound, and largest number of states.
_WEIGHTS, _GREEDY = (5, 2), 30_000
# States that A* expands before the search for transport plans, and the share of the time limit for it.
_FIRST, _TRANSPORT_SHARE = 60, 0.3
# States that A* expands before the lower bound by a schedule, which takes 0.1 to 2 s.
_BEFORE_SCHEDULE = 4_000
# Share of the time limit for greedy searches in a user's domain, where an estimate takes milliseconds.
_GREEDY_SHARE = 0.3
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


class _Node(NamedTuple):
    """State to expand: lower bound of its plans, steps, choices of objects for the goal, and path."""

    bound: int
    steps: int
    state: State
    groups: Groups
    path: _Path


#: Order of states with equal bounds. Its function of the steps to a state, its unstarted processes, its number, and
#: whether its parent came from the queue of this order, returns a key; the smallest key is first.
Order: TypeAlias = Callable[[int, int, int, bool], tuple[int, ...]]


def newest_first(steps: int, unstarted: int, number: int, is_parent_here: bool) -> tuple[int, ...]:
    """Return a key by which the children of this order's states are first, and others do not distract it."""
    return (-number if is_parent_here else number,)


def most_steps_first(steps: int, unstarted: int, number: int, is_parent_here: bool) -> tuple[int, ...]:
    """Return a key by which states after the most steps are first."""
    return -steps, unstarted


def started_processes_first(steps: int, unstarted: int, number: int, is_parent_here: bool) -> tuple[int, ...]:
    """Return a key by which states with the fewest unstarted processes are first."""
    return unstarted, -steps


#: Orders of the search.
ORDERS: Final = (newest_first, most_steps_first, started_processes_first)


class _OpenNodes:
    """Nodes to expand, in a queue for each order; the queues are asked in rotation."""

    def __init__(self, orders: Sequence[Order]) -> None:
        self._orders = orders
        self._queues: list[list[tuple[int, ...]]] = [[] for _ in orders]
        self._nodes: list[_Node | None] = []  # None: expanded
        self._next_queue = 0
        self._last_queue = 0

    def push(self, node: _Node, unstarted: int) -> None:
        """Add a child of the last node, which has so many unstarted processes."""
        number = len(self._nodes)
        self._nodes.append(node)
        for position, order in enumerate(self._orders):
            key = order(node.steps, unstarted, number, position == self._last_queue)
            heappush(self._queues[position], (node.bound, *key, -number))

    def pop(self) -> _Node | None:
        """Return the first node of the next queue, ``None`` if it is empty."""
        queue = self._queues[self._next_queue]
        while queue:
            number = -heappop(queue)[-1]
            node = self._nodes[number]
            if node is not None:
                self._nodes[number] = None
                self._last_queue = self._next_queue
                self._next_queue = (self._next_queue + 1) % len(self._queues)
                return node
        return None


def plan(
    kitchen: Kitchen,
    *,
    time_limit: Limit = 60.0,
    rules: KitchenRules = PROFILES["released"],
    after: Sequence[str] = (),
    greedy: bool = False,
    incumbent: Sequence[str] = (),
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
    incumbent
        Actions of a plan, from which the search begins.
    at_least
        Proved lower bound in steps.
    on_progress
        Callback for each improved incumbent or bound.

    Raises
    ------
    InputError
        If one of the executed actions, or of the incumbent, is not legal.
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
    search.incumbent = tuple(incumbent)
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
        self.incumbent: tuple[str, ...] = ()  # actions of a plan that is given
        self.stops_at_first = False  # at the first plan of a greedy search
        self.on_progress = on_progress

    def run(self) -> Result:
        self.start = start = self.execute(self.after, "after")[1]
        if self.incumbent:
            self.best = self.execute(self.incumbent, "incumbent")[0]
        # Goals are checked after a step; a user's domain may lack one without effects.
        if self.compiled.goal(start) and (self.after or self.wait(start) is not None):
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

    def execute(self, actions: Sequence[str], field: str) -> tuple[tuple[int, ...], State]:
        """Return the codes of actions from the start on, and the state after them."""
        codes = []
        state = self.start
        for i, text in enumerate(actions):
            code = self.compiled.find(state, text)
            if code is None:
                raise InputError("is not a legal action in this state", field=f"{field}[{i}]", value=text)
            codes.append(code)
            state = self.compiled.step(state, code)
        return tuple(codes), state

    def solve(self, start: State, groups: Groups) -> None:
        """Search until the optimum is proved, or for any plan until one is found."""
        plans_tasks = self.heuristic.familiar and not self.stops_at_first
        if plans_tasks and (self.search(start, groups, ORDERS, _FIRST) or self.try_transport_plans(start, groups)):
            return
        if self.best is None and self.greedy(start, groups, _GREEDY):
            return
        self.search(start, groups, ORDERS)

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
            self.on_progress(None if steps == UNREACHABLE else self.compiled.ticks(self.start, steps), bound)

    @property
    def max_steps(self) -> int:
        """Number of steps of the incumbent; `UNREACHABLE` without one."""
        return UNREACHABLE if self.best is None else len(self.best)

    def round_up(self, steps: int) -> int:
        """Return the least number of actions, ``steps`` or more, that a plan can have: it ends with a round."""
        ticks = self.compiled.ticks(self.start, steps)
        while self.compiled.ticks(self.start, steps + 1) == ticks:
            steps += 1
        return steps

    def kind(self, code: int) -> str:
        """Return the name of an action in the domain."""
        return self.kitchen.domain.actions[self.compiled.actions[code].position].name

    def wait(self, state: State) -> int | None:
        """Return the wait, which is always legal; ``None`` if the domain has none."""
        actions = self.compiled.actions
        codes = self.compiled.texts(state).values()
        return next((code for code in codes if actions[code].is_wait and not actions[code].arguments), None)

    def idle(self, state: State) -> Iterator[int]:
        """Yield steps in which no cook acts: with joint moves, one action of every cook."""
        while (code := self.wait(state)) is not None:
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
        deadline = self.deadline
        if not (self.kitchen.domain.is_standard or self.stops_at_first):
            deadline = deadline.sooner(_GREEDY_SHARE * deadline.remaining())
        for weight in _WEIGHTS:
            codes = self.weighted_search(start, groups, weight, max_states, deadline)
            if codes is not None and len(codes) < self.max_steps:
                self.best = codes
                self.report()
            if self.stops_at_first and self.best is not None:
                return True
        return self.best is not None and len(self.best) == self.limit

    def weighted_search(
        self, start: State, groups: Groups, weight: int, max_states: int, deadline: Deadline
    ) -> tuple[int, ...] | None:
        """Search greedily with a weighted lower bound; return a plan as codes of actions, or ``None``."""
        seen: set[Any] = {start}
        queue: list[Any] = [(0, 0, 0, 0, start, None)]
        while queue and len(seen) < max_states and not deadline.over(0.0):
            _, _, _, steps, state, path = heappop(queue)
            self.expanded += 1
            for child in self.children(state):
                if child.reached:
                    return unwind((child.codes, path))
                if child.state in seen:
                    continue
                seen.add(child.state)
                now = steps + child.cost
                estimate = self.heuristic.look(child.state, groups, now, UNREACHABLE)
                if estimate.key in seen or not estimate.groups:
                    continue
                seen.add(estimate.key)
                estimated = estimate.groups[0][0] + self.heuristic.distance(child.state, deadline)
                rank = weight * estimated - (weight - 1) * now
                child_path = (child.codes, path)
                heappush(queue, (rank, estimate.unstarted, -len(seen), now, child.state, child_path))
        return None

    def search(self, start: State, groups: Groups, orders: Sequence[Order], max_expansions: int | None = None) -> bool:
        """Expand states by the lower bound of plans through them (A*); return whether the search is complete.

        A state is expanded again if it is reached in fewer steps. The search ends when no plan can be shorter than the
        incumbent, or after so many expansions.

        Parameters
        ----------
        orders
            Orders of states with equal bounds, asked in rotation: one good order is enough to find a plan early.
        """
        max_expanded = None if max_expansions is None else self.expanded + max_expansions
        seen: dict[Any, int] = {start: 0}
        open_nodes = _OpenNodes(orders)
        open_nodes.push(_Node(self.limit, 0, start, groups, None), 0)
        while (node := open_nodes.pop()) is not None:
            if self.round_up(max(node.bound, self.limit)) >= self.max_steps:
                break
            if seen[node.state] < node.steps:
                continue
            if self.expanded == max_expanded:
                return False
            if node.bound > self.limit:
                self.limit = self.round_up(node.bound)
                self.report()
            self.expanded += 1
            if self.expanded == _BEFORE_SCHEDULE and self.best is not None:
                scheduled = self.heuristic.schedule_bound(start, groups, self.max_steps, self.deadline)
                self.limit = self.round_up(max(self.limit, scheduled))
                self.report()
            for child, unstarted in self.open_children(node, seen):
                open_nodes.push(child, unstarted)
        return True

    def open_children(self, node: _Node, seen: dict[Any, int]) -> list[tuple[_Node, int]]:
        """Return the successors of a node that may lead to a shorter plan, the best one last.

        Each has the number of its unstarted processes. Plans that end here become the incumbent.
        """
        ranked = []
        for child in self.children(node.state):
            now = node.steps + child.cost
            if now >= self.max_steps or seen.get(child.state, UNREACHABLE) <= now:
                continue
            if child.reached:
                self.best = unwind((child.codes, node.path))
                self.report()
                continue
            seen[child.state] = now
            estimate = self.heuristic.look(child.state, node.groups, now, self.max_steps)
            if not estimate.groups or seen.get(estimate.key, UNREACHABLE) <= now:
                continue
            seen[estimate.key] = now
            bound = max(node.bound, estimate.groups[0][0])
            child_node = _Node(bound, now, child.state, estimate.groups, (child.codes, node.path))
            ranked.append(((-bound, -estimate.unstarted, now), child_node, estimate.unstarted))
        ranked.sort(key=itemgetter(0))
        return [(child_node, unstarted) for _, child_node, unstarted in ranked]

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
