"""Check a DRCP proof of a bound; needs Python, this file and ``checker.py`` beside it.

``python drcp_checker.py problem.json proof.json``: a problem as ``planoracle instances --export`` writes it, a proof as
``planoracle explain --out`` does. A DRCP proof refutes a horizon: no schedule ends at or before the tick ``supposed``.

`Statement` derives necessary conditions of all schedules within the horizon: domains of integer variables, linear
constraints and cumulative constraints. The README of this folder explains each of them. `Refutation` checks the lines
of the proof, which the solver Pumpkin has written:

- ``a 5 [v3 >= 7]`` names an atom: a bound or a value of a variable. ``-5`` is its negation.
- ``i 63 1 2 0 4 c:59 l:time_table``: atoms 1 and 2 imply atom 4 (none: are contradictory), by constraint 59 alone.
- ``n 68 1 2 0 67 66 63``: atoms 1 and 2 are contradictory (a *nogood*), by the steps 67, 66 and 63 in this order. Of
  a nogood among the steps all atoms but one are true then, so that this one is false.

A nogood without atoms ends the proof.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING or __package__:
    from planoracle.solver.proofs.checker import RefusedError, _Action, _Mode, _Problem, _read, check_schedule
else:  # a script beside checker.py, also with python -I
    sys.path.insert(0, str(Path(__file__).parent))
    from checker import RefusedError, _Action, _Mode, _Problem, _read, check_schedule

FORMAT, VERSION = "planoracle/drcp", 1
#: Limits: bytes of a file, seconds of processor time of a check.
MAX_BYTES, MAX_SECONDS = 32 * 2**20, 300.0
#: Largest horizon in ticks.
MAX_HORIZON = 10**8
#: Limits of the statement: ticks of interruptible actions, beyond which they hold nothing; off-times of calendars.
MAX_UNITS, MAX_OFF_TIMES = 1_000, 10_000

_ATOM = re.compile(r"a (\d{1,9}) \[v(\d{1,9}) (>=|<=|==|!=) (-?\d{1,10})\]", re.ASCII)
_INFERENCE = re.compile(r"i (\d{1,9})((?: -?\d{1,9})*) 0( -?\d{1,9})?(?: c:(\d{1,9}))? l:([a-z_]+)", re.ASCII)
NOGOOD = re.compile(r"n (\d{1,9})((?: -?\d{1,9})*) 0((?: \d{1,9})*)", re.ASCII)
_NEGATION = {"==": "!=", "!=": "=="}

#: Resource by name, agents as a set, or the windows of an action.
_Machine: TypeAlias = "str | frozenset[str] | tuple[str, str]"


class CheckTimeError(RefusedError):
    """The check takes too long."""


class Linear(NamedTuple):
    """Sum of products of variables and coefficients, which is at most ``limit``."""

    terms: tuple[tuple[int, int], ...]
    limit: int


class BusyInterval(NamedTuple):
    """Interval that begins at the value of a variable and takes an amount of a capacity."""

    variable: int
    duration: int
    amount: int


class Cumulative(NamedTuple):
    """Tasks whose amounts never exceed a capacity together."""

    tasks: tuple[BusyInterval, ...]
    capacity: int


class _Demand(NamedTuple):
    """Ticks from the start of an action in which it takes an amount of a machine."""

    machine: _Machine
    ticks: int
    amount: int


class _Times(NamedTuple):
    """Variables of an action: start, end, and a tick at most ``delay`` after the start of its last piece.

    The end is ``offset`` ticks after the variable ``finish``.
    """

    first: int
    finish: int
    offset: int
    last: int
    delay: int = 0


class _Variant(NamedTuple):
    """Mode of an action with one of its agents, as far as conditions tell it apart."""

    duration: int
    after: frozenset[str]
    demands: frozenset[_Demand]


def largest_makespan(problem: Any) -> int | None:
    """Return a makespan that some schedule does not exceed if there is one; ``None`` if unknown."""
    return _largest_makespan(_Problem(problem))


def _largest_makespan(problem: _Problem) -> int | None:
    """Return the time limit, the last deadline, or the sum of all times that can separate two events.

    Where nothing runs, no lag is under way and no release is pending, time can be cut out of a schedule, except the
    tick between two actions of no length, which may set and use a state. A maximum lag then still holds: only
    a negative one keeps two events apart, and is counted like a minimum lag. Calendars and windows forbid such cuts.
    """
    if problem.time_limit is not None:
        return problem.time_limit
    actions = problem.actions.values()
    begins = [0]
    ends = [0]
    for action in actions:
        begins += [begin for begin, _ in action.windows]
        ends += [end for _, end in action.windows]
    if max(ends) <= MAX_HORIZON:
        return max(ends)
    if problem.calendars.rows or any(len(action.windows) > 1 for action in actions):
        return None
    separation = dict.fromkeys(problem.actions, 0)
    for before, after, min_lag, max_lag in problem.lags:
        separation[before] = max(separation[before], min_lag or 0)
        separation[after] = max(separation[after], -(max_lag or 0))
    total = max(begins)
    for action in actions:
        total += max(action.longest, 1) + separation[action.id]
    return total


class Statement:
    """Necessary conditions of all schedules of a problem that end at or before a horizon.

    Attributes
    ----------
    lower, upper
        Domains of the variables, by number.
    constraints
        Linear and cumulative constraints over the variables.
    is_refuted
        True if the longest paths contradict the horizon, or an action has no mode: the domains are not used then.
    """

    def __init__(self, problem: _Problem, horizon: int) -> None:
        if horizon > MAX_HORIZON:
            raise RefusedError(f"the horizon of a DRCP proof must be at most {MAX_HORIZON} ticks (got {horizon})")
        self.problem, self.horizon = problem, horizon
        self.parking = horizon + 1
        self.lower: list[int] = []
        self.upper: list[int] = []
        self.constraints: list[Linear | Cumulative] = []
        self.is_refuted = False
        self._distances: list[tuple[int, int, int]] = []
        self._machines = defaultdict[_Machine, list[BusyInterval]](list)
        self._units: dict[str, list[int]] = {}  # variables of the unit pieces of interruptible actions
        actions = problem.actions.values()
        self._has_units = sum(action.longest for action in actions if action.interruptible) <= MAX_UNITS
        self._has_classes = _are_classes(actions)
        self._times = {action.id: self._state_times(action) for action in actions}
        self._state_lags()
        self._tighten()
        for action in actions:
            if not self.is_refuted:
                self._state_modes(action)
                self._state_windows(action)
        for machine, tasks in self._machines.items():
            self._state_machine(machine, tasks)

    def _variable(self, lower: int, upper: int) -> int:
        self.lower.append(lower)
        self.upper.append(upper)
        return len(self.lower) - 1

    def _separate(self, before: int, after: int, ticks: int) -> None:
        """State that a variable exceeds another by at least some ticks."""
        self._distances.append((before, after, ticks))
        self.constraints.append(Linear(((before, 1), (after, -1)), -ticks))

    def _state_times(self, action: _Action) -> _Times:
        latest = max((end for _, end in action.windows), default=-1)
        latest = min(latest, self.horizon)
        release, duration = action.release, action.duration
        if action.interruptible and self._has_units and 0 < duration == action.longest:
            pieces = [self._variable(release, latest - 1) for _ in range(duration)]
            for before, after in pairwise(pieces):
                self._separate(before, after, 1)
            self._units[action.id] = pieces
            # The last tick belongs to a piece that holds at most all ticks.
            return _Times(pieces[0], pieces[-1], 1, pieces[-1], duration - 1)
        start = self._variable(release, latest - duration)
        if not action.pausing and duration == action.longest:
            return _Times(start, start, duration, start)
        finish = self._variable(release + duration, latest)
        self._separate(start, finish, duration)
        if not action.pausing:
            self._separate(finish, start, -action.longest)
        return _Times(start, finish, 0, start)

    def _state_lags(self) -> None:
        for before, after, min_lag, max_lag in self.problem.lags:
            earlier, later = self._times[before], self._times[after]
            if min_lag is not None:
                self._separate(earlier.finish, later.first, earlier.offset + min_lag)
            if max_lag is not None:
                self._separate(later.last, earlier.finish, -max_lag - earlier.offset - later.delay)
        for action in self.problem.actions.values():
            for before in sorted(action.after):
                earlier = self._times[before]
                self._separate(earlier.finish, self._times[action.id].first, earlier.offset)

    def _tighten(self) -> None:
        """Reduce the domains by longest paths; refute the horizon if a domain is empty or paths form a cycle."""
        is_changed = True
        rounds = 0
        while is_changed and not self.is_refuted:
            self.problem.work(len(self._distances))
            is_changed = False
            for before, after, ticks in self._distances:
                earliest = self.lower[before] + ticks
                latest = self.upper[after] - ticks
                if earliest > self.lower[after] or latest < self.upper[before]:
                    is_changed = True
                    self.lower[after] = max(self.lower[after], earliest)
                    self.upper[before] = min(self.upper[before], latest)
            rounds += 1
            domains = zip(self.lower, self.upper, strict=True)
            has_empty_domain = any(lower > upper for lower, upper in domains)
            self.is_refuted = has_empty_domain or rounds > len(self.lower) + 1

    def _state_modes(self, action: _Action) -> None:
        """State the demands that all variants share, and a choice of the others."""
        variants = list(dict.fromkeys(self._variants(action)))
        if not variants:
            self.is_refuted = True
            return
        common = frozenset.intersection(*(variant.demands for variant in variants))
        for demand in _in_order(common):
            self._state_demand(action, demand)
        if len(variants) == 1 or action.pausing:
            return
        choices = [self._state_variant(action, variant, common) for variant in variants]
        self.constraints.append(Linear(tuple((choice, -1) for choice in choices), -1))

    def _variants(self, action: _Action) -> Iterator[_Variant]:
        for mode in action.modes:
            if any(use.amount > self.problem.capacity[name] for name, use in mode.uses.items()):
                continue
            after = frozenset(mode.after) - action.after
            demands = frozenset(self._demands(mode))
            if self._has_classes or action.pausing or not mode.attended:
                yield _Variant(mode.duration, after, demands)
                continue
            for agent in sorted(mode.agents):
                demand = _Demand(frozenset({agent}), mode.attended, 1)
                yield _Variant(mode.duration, after, demands | {demand})

    def _demands(self, mode: _Mode) -> Iterator[_Demand]:
        """Yield the demands of a mode; settings may share units with other uses, and do not count."""
        for name, use in mode.uses.items():
            if use.sets is None and use.amount and mode.duration:
                yield _Demand(name, mode.duration, use.amount)
        if mode.attended:
            yield _Demand(mode.agents if self._has_classes else self.problem.agents, mode.attended, 1)

    def _state_demand(self, action: _Action, demand: _Demand) -> None:
        tasks = self._machines[demand.machine]
        if action.id in self._units:
            tasks += [BusyInterval(piece, 1, demand.amount) for piece in self._units[action.id]]
        elif not action.interruptible and not (action.breaks and self._off_times(demand.machine)):
            tasks.append(BusyInterval(self._times[action.id].first, demand.ticks, demand.amount))

    def _state_variant(self, action: _Action, variant: _Variant, common: frozenset[_Demand]) -> int:
        """State what follows if a variant is chosen; return the variable of the choice, 0 or 1."""
        choice = self._variable(0, 1)
        times = self._times[action.id]
        for before in sorted(variant.after):
            earlier = self._times[before]
            self._imply(choice, earlier.finish, times.first, earlier.offset)
        if times.finish != times.first:
            self._imply(choice, times.first, times.finish, variant.duration)
            self._imply(choice, times.finish, times.first, -variant.duration)
        demands = _in_order(variant.demands - common)
        if demands:
            start = self._parked_start(choice, times.first, max(demand.ticks for demand in demands))
            for demand in demands:
                self._machines[demand.machine].append(BusyInterval(start, demand.ticks, demand.amount))
        return choice

    def _imply(self, choice: int, before: int, after: int, ticks: int) -> None:
        """State that a choice separates two variables; without it their domains allow any distance."""
        slack = max(1, self.upper[before] - self.lower[after] + ticks)  # Pumpkin accepts no coefficient 0
        self.constraints.append(Linear(((before, 1), (after, -1), (choice, slack)), slack - ticks))

    def _parked_start(self, choice: int, start: int, ticks: int) -> int:
        """Return a variable that equals a start if its variant is chosen, and else a place after the horizon.

        Every variant has its place, so that parked intervals do not overlap.
        """
        place = self.parking
        self.parking += ticks
        parked = self._variable(self.lower[start], place)
        width = place - self.lower[start]  # at least 1
        self.constraints.append(Linear(((start, 1), (parked, -1)), 0))
        self.constraints.append(Linear(((parked, 1), (start, -1), (choice, width)), width))
        self.constraints.append(Linear(((parked, -1), (choice, -width)), -place))
        return parked

    def _state_windows(self, action: _Action) -> None:
        """State that an action does not run between its windows."""
        if len(action.windows) > 1:
            demand = _Demand(("windows", action.id), action.duration, 1)
            self._state_demand(action, demand)

    def _state_machine(self, machine: _Machine, tasks: list[BusyInterval]) -> None:
        capacity = self._capacity(machine)
        tasks = [task for task in tasks if task.duration]
        amount = 1 if isinstance(machine, frozenset) else capacity
        for begin, end in self._off_times(machine):
            start = self._variable(begin, begin)
            tasks.append(BusyInterval(start, end - begin, amount))
        if sum(task.amount for task in tasks) > capacity:
            self.constraints.append(Cumulative(tuple(tasks), capacity))

    def _capacity(self, machine: _Machine) -> int:
        if isinstance(machine, frozenset):
            return len(machine)
        return self.problem.capacity[machine] if isinstance(machine, str) else 1

    def _off_times(self, machine: _Machine) -> list[tuple[int, int]]:
        """Return the times within the horizon at which a machine is off, those of each member apart."""
        if isinstance(machine, tuple):
            windows = _union(self.problem.actions[machine[1]].windows)
            gaps = [(end, begin) for (_, end), (begin, _) in pairwise(windows)]
            return [(begin, min(end, self.horizon + 1)) for begin, end in gaps if begin <= self.horizon]
        off_times = []
        for member in sorted(machine) if isinstance(machine, frozenset) else [machine]:
            off_times += _union(self._spans(member))
        return off_times

    def _spans(self, member: str) -> Iterator[tuple[int, int]]:
        tick = 0
        for _ in range(MAX_OFF_TIMES):
            self.problem.work(len(self.problem.calendars.rows))
            spans = [span for span in self.problem.calendars.next(member, tick) if span[0] <= self.horizon]
            if not spans:
                return
            begin, end = min(spans)
            yield max(begin, 0), min(end, self.horizon + 1)
            tick = end
        raise RefusedError(f"{member} must be off at most {MAX_OFF_TIMES} times within the horizon")


def _in_order(demands: Iterable[_Demand]) -> list[_Demand]:
    """Return demands in an order that does not depend on the hashes of texts."""
    return sorted(demands, key=_order_of)


def _order_of(demand: _Demand) -> tuple[bool, list[str], int, int]:
    is_resource = isinstance(demand.machine, str)
    names = [demand.machine] if isinstance(demand.machine, str) else sorted(demand.machine)
    return is_resource, names, demand.ticks, demand.amount


def _are_classes(actions: Iterable[_Action]) -> bool:
    """Return whether the sets of agents that are eligible for attended actions are equal or disjoint."""
    eligible: set[frozenset[str]] = set()
    for action in actions:
        eligible.update(mode.agents for mode in action.modes if mode.attended)
    counted = sum(map(len, eligible))
    return counted == len(frozenset[str]().union(*eligible))


def _union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of spans as disjoint spans in order."""
    union: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if union and begin <= union[-1][1]:
            union[-1] = union[-1][0], max(end, union[-1][1])
        else:
            union.append((begin, end))
    return union


class _Literal(NamedTuple):
    """Bound or value of a variable; the relation is ``>=``, ``<=``, ``==`` or ``!=``."""

    variable: int
    relation: str
    value: int

    def negation(self) -> _Literal:
        """Return the opposite literal."""
        if self.relation == ">=":
            return _Literal(self.variable, "<=", self.value - 1)
        if self.relation == "<=":
            return _Literal(self.variable, ">=", self.value + 1)
        return self._replace(relation=_NEGATION[self.relation])


class Domains:
    """Domains of the variables of a statement, reduced by literals."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.reduced: dict[int, tuple[int, int]] = {}
        self.is_empty = False
        self._holes: set[tuple[int, int]] = set()

    def bounds(self, variable: int) -> tuple[int, int]:
        """Return the least and the greatest value of a variable."""
        initial = self.statement.lower[variable], self.statement.upper[variable]
        return self.reduced.get(variable, initial)

    def assume(self, literal: _Literal) -> None:
        """Reduce the domain of a variable by a literal."""
        variable, relation, value = literal
        lower, upper = self.bounds(variable)
        if relation in (">=", "=="):
            lower = max(lower, value)
        if relation in ("<=", "=="):
            upper = min(upper, value)
        if relation == "!=":
            self._holes.add((variable, value))
        while (variable, lower) in self._holes:
            lower += 1
        while (variable, upper) in self._holes:
            upper -= 1
        self.reduced[variable] = lower, upper
        self.is_empty |= lower > upper

    def imply(self, literal: _Literal) -> bool:
        """Return whether a literal is true for all values."""
        variable, relation, value = literal
        lower, upper = self.bounds(variable)
        if relation == ">=":
            return lower >= value
        if relation == "<=":
            return upper <= value
        if relation == "==":
            return lower == upper == value
        return not lower <= value <= upper or (variable, value) in self._holes


class Refutation:
    """Check of the lines of a proof, each of which builds on those before it."""

    def __init__(self, statement: Statement, max_seconds: float = MAX_SECONDS) -> None:
        self.statement = statement
        self.is_complete = statement.is_refuted
        self._until = process_time() + max_seconds
        self._atoms: dict[int, _Literal] = {}
        self._inferences: dict[int, tuple[list[_Literal], _Literal | None]] = {}
        self._nogoods: dict[int, list[_Literal]] = {}
        #: By number of a cumulative constraint, its tasks by variable.
        self._tasks: dict[int, dict[int, list[BusyInterval]]] = {}
        self._fixed = defaultdict[int, list[BusyInterval]](list)  # those with a mandatory part at first

    def check(self, lines: list[str]) -> None:
        """Check all lines; raise `RefusedError` for the first that does not hold, or without a contradiction."""
        for number, line in enumerate(lines, 1):
            if process_time() > self._until:
                raise CheckTimeError(f"the check of line {number} of {len(lines)} exceeds the limit of processor time")
            try:
                is_valid = self._check_line(line)
            except (KeyError, IndexError):
                raise RefusedError(f"line {number} names an atom, a step or a constraint that does not exist") from None
            if not is_valid:
                raise RefusedError(f"line {number} does not hold: {line[:200]}")
        if not self.is_complete:
            raise RefusedError("the proof does not end in a contradiction")

    def _check_line(self, line: str) -> bool:
        if match := _ATOM.fullmatch(line):
            return self._add_atom(match)
        if match := _INFERENCE.fullmatch(line):
            return self._add_inference(match)
        match = NOGOOD.fullmatch(line)
        return match is not None and self._add_nogood(match)

    def _add_atom(self, match: re.Match[str]) -> bool:
        name, variable, relation, value = match.groups()
        literal = _Literal(int(variable), relation, int(value))
        self._atoms[int(name)] = literal
        return literal.variable < len(self.statement.lower)

    def _literal(self, number: str) -> _Literal:
        literal = self._atoms[abs(int(number))]
        return literal if int(number) > 0 else literal.negation()

    def _domains(self, literals: list[_Literal]) -> Domains:
        domains = Domains(self.statement)
        for literal in literals:
            domains.assume(literal)
        return domains

    def _add_inference(self, match: re.Match[str]) -> bool:
        """Check that premises imply a conclusion by one constraint: that they contradict its negation."""
        name, premise_numbers, conclusion_number, constraint, label = match.groups()
        premises = [self._literal(number) for number in premise_numbers.split()]
        conclusion = None if conclusion_number is None else self._literal(conclusion_number)
        self._inferences[int(name)] = premises, conclusion
        domains = self._domains(premises)
        if conclusion is not None:
            domains.assume(conclusion.negation())
        return domains.is_empty or self._contradicts(domains, label, int(constraint or 0))

    def _contradicts(self, domains: Domains, label: str, number: int) -> bool:
        """Return whether a constraint, or an earlier nogood, contradicts domains."""
        if label == "nogood":
            return all(map(domains.imply, self._nogoods[number]))
        if number < 1 or label not in ("linear_bounds", "time_table"):
            return False
        constraint = self.statement.constraints[number - 1]
        if label == "linear_bounds":
            return isinstance(constraint, Linear) and _exceeds_limit(constraint, domains)
        return isinstance(constraint, Cumulative) and self._exceeds_capacity(number, constraint, domains)

    def _exceeds_capacity(self, number: int, constraint: Cumulative, domains: Domains) -> bool:
        """Return whether mandatory parts exceed a capacity: times at which a task runs in any case."""
        if number not in self._tasks:
            self._index_tasks(number, constraint)
        tasks_by_variable = self._tasks[number]
        tasks = [task for task in self._fixed[number] if task.variable not in domains.reduced]
        for variable in domains.reduced:
            tasks += tasks_by_variable.get(variable, ())
        changes: list[tuple[int, int]] = []
        for task in tasks:
            earliest, latest = domains.bounds(task.variable)
            if latest < earliest + task.duration:
                changes += [(latest, task.amount), (earliest + task.duration, -task.amount)]
        load = 0
        for _, change in sorted(changes):  # ends before starts
            load += change
            if load > constraint.capacity:
                return True
        return False

    def _index_tasks(self, number: int, constraint: Cumulative) -> None:
        tasks = defaultdict[int, list[BusyInterval]](list)
        for task in constraint.tasks:
            tasks[task.variable].append(task)
        self._tasks[number] = dict(tasks)
        lower, upper = self.statement.lower, self.statement.upper
        for task in constraint.tasks:
            if upper[task.variable] < lower[task.variable] + task.duration:
                self._fixed[number].append(task)

    def _add_nogood(self, match: re.Match[str]) -> bool:
        """Check that steps, applied in their order, contradict a set of atoms."""
        name, numbers, steps = match.groups()
        nogood = [self._literal(number) for number in numbers.split()]
        domains = self._domains(nogood)
        for step in steps.split():
            if not self._apply(int(step), domains):
                return False
        self._nogoods[int(name)] = nogood
        self.is_complete |= domains.is_empty and not nogood
        return domains.is_empty

    def _apply(self, step: int, domains: Domains) -> bool:
        """Reduce domains by an inference or a nogood; return False if more than its conclusion is open."""
        if domains.is_empty:
            return True
        if step in self._nogoods:
            literals = [literal for literal in self._nogoods[step] if not domains.imply(literal)]
            conclusions = [literal.negation() for literal in literals]
        else:
            premises, conclusion = self._inferences[step]
            conclusions = [] if conclusion is None else [conclusion]
            if not all(map(domains.imply, premises)):
                return False
        for literal in conclusions:
            domains.assume(literal)
        domains.is_empty |= not conclusions
        return len(conclusions) <= 1


def _exceeds_limit(constraint: Linear, domains: Domains) -> bool:
    """Return whether the least value of a sum exceeds its limit."""
    total = 0
    for variable, coefficient in constraint.terms:
        lower, upper = domains.bounds(variable)
        total += coefficient * (lower if coefficient > 0 else upper)
    return total > constraint.limit


def check(problem: Any, proof: Any, *, max_seconds: float = MAX_SECONDS) -> int:
    """Check a DRCP proof; return its bound in ticks, which no schedule of the problem is below.

    Both are documents as parsed from JSON. A bound above `largest_makespan` proves that there is no schedule. Raises a
    `RefusedError` that names the first line that does not hold.
    """
    document = _read("proof", proof)
    checked_problem = _Problem(problem)
    if (document["format"], document["version"], document["instance"]) != (FORMAT, VERSION, checked_problem.name):
        raise RefusedError(f"the proof must be a {FORMAT} of version {VERSION} for {checked_problem.name}")
    bound, makespan = document["bound"], document["makespan"]
    is_claim_of_optimum = makespan == bound and document["schedule"] is not None and document["gap"] == 0
    is_claim_of_bound = makespan is document["schedule"] is document["gap"] is None
    if not (is_claim_of_optimum or is_claim_of_bound):
        raise RefusedError("the makespan must be the bound, with a schedule and no gap, or all of them null")
    if document["supposed"] != bound - 1:
        raise RefusedError(f"the supposed makespan must be {bound - 1}, the bound minus 1")
    lines = document["steps"]
    if any(type(line) is not str for line in lines):
        raise RefusedError("the steps must be texts")
    Refutation(Statement(checked_problem, bound - 1), max_seconds).check(lines)
    return int(bound)


if __name__ == "__main__":
    try:
        files = [json.loads(open(name, "rb").read(MAX_BYTES)) for name in sys.argv[1:]]  # noqa: SIM115
        bound = check(*files)
        makespan, largest = check_schedule(*files), largest_makespan(files[0])
        print(f"No schedule of {files[0]['name']} is shorter than {bound} ticks.")
        if makespan is not None:
            print(f"There is a schedule of {files[0]['name']} of {makespan} ticks.")
        if largest is not None and bound > largest:
            print(f"There is no schedule of {files[0]['name']}: if there were, one would end by tick {largest}.")
    except (RefusedError, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        sys.exit(f"refused: {error}\nusage: python drcp_checker.py problem.json proof.json")
