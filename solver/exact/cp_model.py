"""Minimal interface to CP-SAT's protocol messages.

Import and model building through ``ortools.sat.python.cp_model`` take 200 ms and a third of the time of a small solve;
the messages themselves are nearly free. Variables are numbered; literal ``-v - 1`` is the negation of ``v``.

"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from planoracle.instances.model.limits import NO_LIMIT, Deadline, Status

# Imported late in functions: the import takes longer than many problems, and some importers of this module never solve.
if TYPE_CHECKING:
    from ortools.sat.python import cp_model_helper as cmh

# Number of constraints between two looks at the clock.
_CLOCK = 256
# Counted work: seconds to build a constraint and to pass it to CP-SAT.
_MAKING, _PER_CONSTRAINT = 2e-6, 1e-6
# Counted work: deterministic units per second of search.
_UNITS = 0.2
# Conflicts after which binary search gives up a value of the objective.
_CONFLICTS_EACH = 300
# Effort and number of constraints from which on a call may take long.
_LONG_EFFORT, _MANY_CONSTRAINTS = 0.1, 10_000
# Seconds between two reports of the progress of a long call.
_REPORT = 0.1
#: Beyond all times, and far from where CP-SAT's sums overflow.
FAR = 2**60

#: Workers of a run without presolve: with ten or more of them OR-Tools 9.15 can call a feasible model infeasible
#: (https://github.com/google/or-tools/issues/5295).
MOST_WITHOUT_PRESOLVE = 8


def negated(literal: int) -> int:
    """Return the negation of a literal."""
    return -literal - 1


class CpModel:
    """Variables and constraints of one CP-SAT model.

    They are written as text of CP-SAT's messages and parsed at once when the model is needed: each call into the
    messages takes as long as parsing a constraint. Building a model raises `TimeOverError` soon after the ``deadline``.

    Examples
    --------
    >>> model = CpModel()
    >>> early, late = model.integer(0, 9), model.integer(0, 9)
    >>> model.difference(late, early, 3)
    >>> model.minimize(late)
    >>> run(model, deadline=NO_LIMIT).solution
    [0, 3]
    """

    def __init__(self, deadline: Deadline = NO_LIMIT) -> None:
        from ortools.sat.python import cp_model_helper as cmh

        self.deadline = deadline
        self._proto = cmh.CpModelProto()
        self._text: list[str] = []  # constraints and variables not yet in the messages
        self.variables = 0
        self.constraints = 0
        #: Titles of the constraints, each by the number of the first one that it is about.
        self.topics: dict[int, str] = {}
        self._intervals: dict[tuple[str, tuple[int, ...]], int] = {}
        #: Use energetic reasoning, which refutes makespans of several agents within milliseconds.
        self.energetic = False

    @property
    def proto(self) -> cmh.CpModelProto:
        """CP-SAT's messages."""
        self.parse()
        return self._proto

    def parse(self) -> None:
        """Parse the text that is not yet in the messages."""
        if self._text:
            if not self._proto.merge_text_format("".join(self._text)):
                raise RuntimeError("CP-SAT cannot parse the text of the model")
            self._text.clear()

    def integer(self, lower: int, upper: int) -> int:
        """Add an integer variable."""
        self._text.append(f"variables{{domain:[{lower},{upper}]}}")
        self.variables += 1
        return self.variables - 1

    def domains(self) -> list[Any]:
        """Return the domains of all variables, to be changed in place: their least and greatest values."""
        return [variable.domain for variable in self.proto.variables]

    def restrict(self, variable: int, lower: int, upper: int) -> None:
        """Give a variable another domain."""
        domain = self.proto.variables[variable].domain
        domain.clear()
        domain.extend((lower, upper))

    def boolean(self) -> int:
        """Add a Boolean variable."""
        return self.integer(0, 1)

    def _add(self, text: str, enforced: Sequence[int] = ()) -> None:
        if not self.constraints % _CLOCK:
            self.deadline.check(_CLOCK * _MAKING)
        if enforced:
            self._text.append(f"constraints{{enforcement_literal:{[*enforced]}{text}}}")
        else:
            self._text.append(f"constraints{{{text}}}")
        self.constraints += 1

    def difference(self, later: int, earlier: int, distance: int, *enforced: int) -> None:
        """State ``later >= earlier + distance`` (if all literals in ``enforced`` hold)."""
        self._add(f"linear{{vars:[{later},{earlier}]coeffs:[1,-1]domain:[{distance},{FAR}]}}", enforced)

    def at_most_sum(self, literals: Sequence[int], maximum: int) -> None:
        """Let at most ``maximum`` of the positive literals hold."""
        self.linear([(literal, 1) for literal in literals], 0, maximum)

    def clause(self, *literals: int) -> None:
        """Let at least one literal hold."""
        self._add(f"bool_or{{literals:{[*literals]}}}")

    def exactly_one(self, literals: Iterable[int]) -> None:
        """Let exactly one literal hold."""
        self._add(f"exactly_one{{literals:{[*literals]}}}")

    def interval(self, start: int, size: int, *present: int, after: int = 0) -> int:
        """Return the interval of ``size`` ticks from ``start + after``, present if all literals hold."""
        first = f"{{vars:{start} coeffs:1 offset:{after}}}"
        last = f"{{vars:{start} coeffs:1 offset:{after + size}}}"
        return self._interval(f"start{first}end{last}size{{offset:{size}}}", present)

    def stretch(self, start: int, after: int, end: int, beyond: int, max_size: int) -> int:
        """Return the interval from ``start + after`` to ``end + beyond``, of at most ``max_size`` ticks."""
        size = self.integer(0, max_size)
        offset = after - beyond
        self.linear([(end, 1), (start, -1), (size, -1)], offset, offset)
        first = f"{{vars:{start} coeffs:1 offset:{after}}}"
        last = f"{{vars:{end} coeffs:1 offset:{beyond}}}"
        return self._interval(f"start{first}end{last}size{{vars:{size} coeffs:1}}", ())

    def span(self, start: int, end: int, length: int, *present: int) -> int:
        """Return the interval between two variables of a variable length, present if all literals hold."""
        first = f"{{vars:{start} coeffs:1}}"
        last = f"{{vars:{end} coeffs:1}}"
        return self._interval(f"start{first}end{last}size{{vars:{length} coeffs:1}}", present)

    def _interval(self, text: str, present: tuple[int, ...]) -> int:
        """Return the interval of this text and these literals, which is added only once."""
        number = self._intervals.get((text, present))
        if number is None:
            number = self._intervals[text, present] = self.constraints
            self._add(f"interval{{{text}}}", present)
        return number

    def in_ranges(self, variable: int, ranges: Sequence[tuple[int, int]], *enforced: int) -> None:
        """Let a variable have a value in one of some sorted ranges ``(first, last)``."""
        if not ranges:
            self.clause(*map(negated, enforced))
            return
        bounds = [*ranges[0]]
        for first, last in ranges[1:]:
            if first == bounds[-1] + 1:  # CP-SAT accepts no ranges that touch
                bounds[-1] = last
            else:
                bounds += (first, last)
        self._add(f"linear{{vars:[{variable}]coeffs:[1]domain:{bounds}}}", enforced)

    def circuit(self, arcs: Sequence[tuple[int, int, int]]) -> None:
        """Let the arcs (tail, head, literal) whose literals hold form one circuit.

        It visits every node but those with an arc to themselves that holds.
        """
        tails = [tail for tail, _, _ in arcs]
        heads = [head for _, head, _ in arcs]
        literals = [literal for _, _, literal in arcs]
        self._add(f"circuit{{tails:{tails}heads:{heads}literals:{literals}}}")

    def capacity(self, intervals: Sequence[tuple[int, int]], capacity: int) -> None:
        """Let the (interval, demand) pairs never exceed a capacity at the same time."""
        if sum(demand for _, demand in intervals) <= capacity:
            return
        numbers = [interval for interval, _ in intervals]
        if all(2 * demand > capacity for _, demand in intervals):
            self._add(f"no_overlap{{intervals:{numbers}}}")
            return
        demands = "".join(f"demands{{offset:{demand}}}" for _, demand in intervals)
        self._add(f"cumulative{{capacity{{offset:{capacity}}}intervals:{numbers}{demands}}}")

    def minimize(self, variable: int) -> None:
        """Make a variable the objective, in place of any other."""
        self.minimize_sum([(variable, 1)])

    def drop_objective(self) -> None:
        """Remove the objective: any solution will do."""
        self._proto.clear_objective()

    def search_in_order(self, variables: Iterable[int]) -> None:
        """Branch on variables in this order, smallest value first, in place of any other order."""
        from ortools.sat.python import cp_model_helper as cmh

        self._proto.search_strategy.clear()
        strategy = self._proto.search_strategy.add()
        strategy.variables.extend(variables)
        strategy.variable_selection_strategy = cmh.DecisionStrategyProto.VariableSelectionStrategy.CHOOSE_FIRST
        strategy.domain_reduction_strategy = cmh.DecisionStrategyProto.DomainReductionStrategy.SELECT_MIN_VALUE

    def search_by_time(self, variables: Iterable[int]) -> None:
        """Branch on the variable that can be smallest, on that value first, in place of any other order."""
        from ortools.sat.python import cp_model_helper as cmh

        self.search_in_order(variables)
        first = cmh.DecisionStrategyProto.VariableSelectionStrategy.CHOOSE_LOWEST_MIN
        self._proto.search_strategy[0].variable_selection_strategy = first

    def search_freely(self) -> None:
        """Remove the order of `search_in_order`."""
        self._proto.search_strategy.clear()

    def linear(self, terms: Iterable[tuple[int, int]], lower: int, upper: int, *enforced: int) -> None:
        """State ``lower <= sum of coefficient * variable <= upper`` for (variable, coefficient) pairs."""
        pairs = list(terms)
        variables = [variable for variable, _ in pairs]
        factors = [factor for _, factor in pairs]
        self._add(f"linear{{vars:{variables}coeffs:{factors}domain:[{lower},{upper}]}}", enforced)

    def minimize_sum(self, terms: Iterable[tuple[int, int]]) -> None:
        """Make a sum of (variable, coefficient) pairs the objective, in place of any other."""
        self.drop_objective()
        for variable, coefficient in terms:
            self._proto.objective.vars.append(variable)
            self._proto.objective.coeffs.append(coefficient)

    def hint(self, values: Mapping[int, int]) -> None:
        """Start the search near these values of variables, in place of any other hint."""
        self._proto.clear_solution_hint()
        self._proto.solution_hint.vars.extend(values.keys())
        self._proto.solution_hint.values.extend(values.values())

    def copy(self) -> CpModel:
        """Return a copy, which can be changed independently."""
        copy = CpModel(self.deadline)
        copy._proto.copy_from(self.proto)
        copy.variables = self.variables
        copy.constraints = self.constraints
        copy.energetic = self.energetic
        return copy


class CpOutcome:
    """Status, solution, bound and effort of one CP-SAT call."""

    __slots__ = ("bound", "branches", "conflicts", "effort", "seconds", "solution", "status")

    def __init__(self, response: cmh.CpSolverResponse) -> None:
        from ortools.sat.python import cp_model_helper as cmh

        codes = cmh.CpSolverStatus
        statuses = {
            codes.OPTIMAL: Status.optimal,
            codes.FEASIBLE: Status.feasible,
            codes.INFEASIBLE: Status.infeasible,
            codes.UNKNOWN: Status.unknown,
        }
        if response.status not in statuses:
            raise RuntimeError(f"CP-SAT rejected the model: {response.solution_info}")
        self.status = statuses[response.status]
        self.solution: list[int] = list(response.solution)
        self.bound = response.best_objective_bound
        self.effort = response.deterministic_time
        self.branches = response.num_branches
        self.conflicts = response.num_conflicts
        self.seconds = response.wall_time


def run(
    model: CpModel,
    *,
    deadline: Deadline,
    seed: int = 0,
    presolve: bool = False,
    core: bool = False,
    workers: int = 1,
    fixed_search: bool = False,
    linearization: int = 0,
    deterministic: float | None = None,
    light: bool = False,
    lean: bool = False,
    probing: bool = True,
    energetic: bool = True,
    halving: bool = False,
    dynamic: bool = False,
    bound_tree: bool = False,
    on_progress: Callable[[float | None, float | None], None] | None = None,
) -> CpOutcome:
    """Run CP-SAT once, until the deadline or for ``deterministic`` units of its own clock.

    Counted work uses one worker, because several workers are not deterministic.

    Parameters
    ----------
    workers
        Threads; without presolve no more than `MOST_WITHOUT_PRESOLVE` of them.
    light, lean
        Switch off techniques that do not pay in proofs of a millisecond (measured on RCPSP/max); ``lean`` switches off
        more (measured on states of Recipe2Plan runs).
    probing
        Let presolve probe values, which takes seconds on models of hundreds of actions.
    energetic
        Use energetic reasoning if the model asks for it.
    halving
        Let branch and bound first try the middle of the objective's domain for some conflicts (measured on job shops).
    dynamic
        Explain conflicts by precedences instead of times: slower per conflict, but some job shops are proved in
        hundredths of a second instead of seconds. Not with optional intervals, on some of which it ends the process
        (OR-Tools 9.15).
    bound_tree
        Explore the node of least lower bound first: good bounds where the linear relaxation is, and no schedule until
        the end.
    on_progress
        Called several times per second of a long search with objective value and bound, ``None`` if there is none yet.
    """
    from ortools.sat.python import cp_model_helper as cmh

    parameters = cmh.SatParameters()
    workers = max(1, workers)  # 0 would be all cores
    if deadline.counted:
        workers = 1
        remaining = max(1e-6, deadline.remaining() * _UNITS)
        deterministic = remaining if deterministic is None else min(deterministic, remaining)
    parameters.max_time_in_seconds = max(0.001, deadline.wall_seconds())
    if deterministic is not None:
        parameters.max_deterministic_time = deterministic
    parameters.num_workers = workers if presolve else min(workers, MOST_WITHOUT_PRESOLVE)
    parameters.catch_sigint_signal = False  # Ctrl-C is for the program, not a time limit
    parameters.random_seed = seed
    parameters.cp_model_presolve = presolve
    # Presolve that looks for constraints inside each other can call a solution optimal that is not
    # (OR-Tools 9.15, https://github.com/google/or-tools/issues/5293).
    parameters.presolve_inclusion_work_limit = 0
    parameters.linearization_level = linearization
    parameters.optimize_with_core = core
    parameters.optimize_with_lb_tree_search = bound_tree
    if not probing:
        parameters.cp_model_probing_level = 0
    if model.energetic and energetic:
        parameters.use_overload_checker_in_cumulative = True
        parameters.use_timetable_edge_finding_in_cumulative = True
    # Never with new_linear_propagation=False, which ends the process now and then (OR-Tools 9.15.6755: "Check failed:
    # presence_literals.empty()", or a segmentation fault): orders are created in the middle of the search.
    parameters.use_dynamic_precedence_in_disjunctive = dynamic
    if halving:
        parameters.binary_search_num_conflicts = _CONFLICTS_EACH
        parameters.use_sat_inprocessing = False
    if light or lean:
        parameters.use_sat_inprocessing = False
        parameters.symmetry_level = parameters.cp_model_probing_level = 0
        parameters.minimization_algorithm = cmh.SatParameters.ConflictMinimizationAlgorithm.NONE
        parameters.use_precedences_in_disjunctive_constraint = not lean
        parameters.use_erwa_heuristic = True
    if fixed_search:
        parameters.search_branching = cmh.SatParameters.SearchBranching.FIXED_SEARCH
    wrapper = cmh.SolveWrapper()
    wrapper.set_parameters(parameters)
    is_long = deterministic is None or deterministic >= _LONG_EFFORT or model.constraints >= _MANY_CONSTRAINTS
    if is_long:
        response = _solve(wrapper, model.proto, deadline, on_progress)
    else:
        response = wrapper.solve(model.proto)  # type: ignore[no-untyped-call]  # the stub lacks types
    outcome = CpOutcome(response)
    deadline.spend(outcome.effort / _UNITS + _PER_CONSTRAINT * model.constraints)
    return outcome


def _solve(
    wrapper: cmh.SolveWrapper,
    proto: Any,
    deadline: Deadline,
    on_progress: Callable[[float | None, float | None], None] | None,
) -> Any:
    """Run CP-SAT in another thread: this one handles signals, such as Ctrl-C, and stops the search."""
    from ortools.sat.python import cp_model_helper as cmh

    values: list[float] = []
    bounds: list[float] = []

    class Incumbent(cmh.SolutionCallback):
        """Callback that stores the objective value of each better solution."""

        def OnSolutionCallback(self) -> None:  # noqa: N802  # the name is that of CP-SAT
            values.append(self.ObjectiveValue())

    incumbent = Incumbent()  # CP-SAT does not keep it alive
    if on_progress is not None:
        wrapper.add_solution_callback(incumbent)
        wrapper.add_best_bound_callback(bounds.append)
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(wrapper.solve, proto)
        try:
            while not wait([future], _REPORT).done:
                if deadline.stopped.is_set():
                    wrapper.stop_search()
                if on_progress is not None:
                    on_progress(values[-1] if values else None, bounds[-1] if bounds else None)
        except BaseException:
            wrapper.stop_search()
            raise
    return future.result()
