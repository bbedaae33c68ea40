"""State values on one instance: bounds, CP-SAT models and the value of the start, shared by all runs.

Shared data does not depend on earlier queries, so that answers do not either.

"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.features import features_of
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.limits import Deadline, Limit, Status, WorkLimit, charge, counted_work, deadline_of
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.protocol import registry
from planoracle.solver.exact.bounds import common_tick, horizon, lower_bound, windows
from planoracle.solver.exact.cp_model import CpOutcome, negated, run
from planoracle.solver.exact.latest_end import latest_end
from planoracle.solver.exact.model_solutions import pieces_of_solution
from planoracle.solver.exact.schedule_model import ScheduleModel
from planoracle.solver.exact.segments import Segment, holds
from planoracle.solver.states.progress import FixedPiece, Key, Progress, Translator

# Lower bound of infeasible states: bounds of later states stay above all makespans.
_INFEASIBLE = 10**400
# Models kept for one instance and step.
_MODELS = 8


class StateModel:
    """A model with the domains that it has been made with, and those that are set for some state."""

    def __init__(self, model: ScheduleModel) -> None:
        self.model = model
        self.domains = model.model.domains()
        # The general rules check a schedule as a whole, those of benchmarks command by command.
        self.joins = model.joins if registry.of(model.instance).stepwise else []
        self.free = [(domain[0], domain[1]) for domain in self.domains]
        place = {}
        for i, segments in enumerate(model.segments):
            for k, segment in enumerate(segments):
                place[id(segment)] = (i, k)
        #: Literals that a segment continues the one before it, by action and number of the segment.
        self.goes_on: dict[tuple[int, int], list[int]] = {}
        for _, segment, literal in model.runs:
            self.goes_on.setdefault(place[id(segment)], []).append(literal)
        self._changed: dict[int, tuple[int, int]] = {}  # domains set that differ from the free ones

    def restrict(self, variable: int, domain: tuple[int, int]) -> None:
        """Set the domain of a variable."""
        values = self.domains[variable]
        values.clear()
        values.extend(domain)

    def become(self, domains: dict[int, tuple[int, int]]) -> None:
        """Set these domains, and make all others free."""
        for variable in self._changed.keys() - domains.keys():
            self.restrict(variable, self.free[variable])
            del self._changed[variable]
        for variable, domain in domains.items():
            if self._changed.get(variable) != domain:
                self.restrict(variable, domain)
                self._changed[variable] = domain


class Needs(NamedTuple):
    """Steps that an action takes, that it holds an agent, and that pass at least after it."""

    duration: int
    attended: int
    tail: int


def _is_starter(instance: Instance, action: Action) -> bool:
    """Return whether an action may need an agent at its start only."""
    return any(variant.agents and not variant.attended for variant in instance.variants[action.id])


class InstanceModel:
    """Bounds and models of an instance whose times are counted in steps of so many ticks."""

    def __init__(self, instance: Instance, step: int) -> None:
        self.instance = instance
        self.step = step
        self.translator = Translator(instance, step)
        self.windows = windows(instance)
        self.horizon = -(-(latest_end if features_of(instance) else horizon)(instance) // step)
        self.lower_bound = _INFEASIBLE
        if self.windows.consistent:
            self.lower_bound = -(-lower_bound(instance, self.windows) // step)
        self.starters = [i for i, action in enumerate(instance.actions) if _is_starter(instance, action)]
        # A start cannot cut pieces of these if the model states that they continue.
        self.limited = {instance.index[lag.after] for lag in instance.lags if lag.maximum is not None}
        self._models: dict[tuple[int, tuple[tuple[str, int], ...]], StateModel] = {}
        #: Values of the beginning with the work that they took, by the latest time of the model and the limit.
        self.roots: dict[tuple[int, Limit], tuple[Value, int]] = {}

    def needs(self, i: int, mode: int | None = None) -> Needs:
        """Return the needs of an action in a mode, or at least in each."""
        variants = self.instance.variants[self.instance.actions[i].id]
        if mode is not None:
            variants = (variants[mode],)
        duration = min(variant.duration for variant in variants) // self.step
        attended = min(variant.attended for variant in variants) // self.step
        return Needs(duration, attended, self.windows.tail[i] // self.step)

    def state_model(self, latest: int, room: Counter[str]) -> StateModel:
        """Return the model for times up to ``latest`` with so many fixed pieces of each crew."""
        key = latest, tuple(sorted(room.items()))
        if key not in self._models:
            if len(self._models) >= _MODELS:
                self._models.clear()
            max_makespan = (latest + self.horizon) * self.step
            model = ScheduleModel(
                self.instance, self.windows, self.step, 0, max_makespan, fixed_pieces=dict(sorted(room.items()))
            )
            self._models[key] = StateModel(model)
        return self._models[key]


@ProblemCache
def instance_model(instance: Instance, step: int) -> InstanceModel:
    """Return the shared model of an instance."""
    return InstanceModel(instance, step)


#: Default limit of work for one state.
_WORK = WorkLimit(10.0)
# A model made for times to come is at most so many horizons wide.
_WIDEST = 8
# Schedules kept, one of which may settle the next state.
_RECENT = 12
# States kept in which so long nothing has happened that they come again.
_MEMORY = 1_000
# Variables of models from which on work is dearer than CP-SAT's clock says, with the square of their number.
_FEW = 150
# CP-SAT's settings with their efforts in deterministic time: for a first look, and from cheap to dear.
_PROBE: tuple[Mapping[str, int], float] = ({"core": True, "lean": True}, 0.005)
_EFFORTS: tuple[tuple[Mapping[str, int], float | None], ...] = (
    ({"core": True, "lean": True}, 0.02),
    ({"core": True}, 0.05),
    ({}, 0.5),
    ({"presolve": True, "linearization": 1, "workers": 2}, None),
)


@dataclass(frozen=True, slots=True)
class Witness:
    """A schedule, as a solution of a model; ``cut`` ticks were taken out of the state that it completes."""

    model: ScheduleModel
    solution: list[int]
    cut: int

    @property
    def makespan(self) -> int:
        """In steps of the model, without what was cut out."""
        return self.solution[self.model.makespan]


@dataclass(frozen=True, slots=True)
class Value:
    """Bounds on the best makespan that a state leaves.

    Attributes
    ----------
    lower, upper
        Ticks; the best makespan lies between them. ``upper`` is ``None`` without a completion; ``lower`` exceeds all
        makespans if infeasibility is proved.
    witness
        A completion with makespan ``upper``, if one was found.
    """

    lower: int
    upper: int | None
    witness: Witness | None = field(default=None, repr=False, compare=False)

    @classmethod
    def infeasible(cls) -> Value:
        """Return the value of a state that is proved to have no completion."""
        return cls(_INFEASIBLE, None)

    def later(self, ticks: int) -> Value:
        """Return the value of the same state that is reached some ticks later."""
        if self.is_infeasible:
            return self
        return replace(self, lower=self.lower + ticks, upper=None if self.upper is None else self.upper + ticks)

    @property
    def is_infeasible(self) -> bool:
        """True if the state is proved to have no completion."""
        return self.lower >= _INFEASIBLE

    @property
    def status(self) -> Status:
        """Status of the best completion."""
        if self.is_infeasible:
            return Status.infeasible
        if self.upper is None:
            return Status.unknown
        return Status.optimal if self.lower == self.upper else Status.feasible

    @property
    def makespan(self) -> int | None:
        """Best makespan in ticks, if it is proved."""
        return self.upper if self.lower == self.upper else None


class StateSolver:
    """Values of the states of runs on one instance; its time limit is ignored.

    Parameters
    ----------
    step
        Ticks; times of states must be multiples of it. Statements hold for completions that pause interruptible actions
        at multiples of it, see ``solver/exact/README.md``. Default: `common_tick`.
    latest
        Ticks; latest time in the states to come, if known, so that the model is built only once.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.instances.model.schedule import Piece
    >>> states = StateSolver(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> states.value(PartialSchedule()).makespan
    4080
    >>> states.value(PartialSchedule((Piece("Cobbler/0", 300, 600, "agent"),), clock=300)).makespan
    4380
    """

    def __init__(self, instance: Instance, step: int | None = None, latest: int = 0) -> None:
        self.instance = instance
        self.step = step or common_tick(instance)
        self._ground = shared = instance_model(instance, self.step)
        self._translator = shared.translator
        # Long stretches in which nothing happens are cut out, so that far times seldom need a wider model.
        self._latest = max(shared.horizon, min(-(-latest // self.step), _WIDEST * shared.horizon))
        self._built: StateModel | None = None
        self._started = False
        self._recent: deque[Witness] = deque(maxlen=_RECENT)  # proved best schedules
        self._proved: dict[Key, Value] = {}  # less the time cut out
        self._lower_bound = shared.lower_bound  # in steps
        self._room: Counter[str] = Counter()  # for how many given pieces of each crew the model has room

    # --- the model ---------------------------------------------------------------------------------

    def _prepare(self, progress: Progress) -> StateModel:
        """Return the model, with the decisions of a state as its domains."""
        shared = self._ground
        cuttable: list[tuple[str, FixedPiece]] = []
        if shared.starters:
            cuttable = [pair for pair in progress.cuttable if pair[1].action not in shared.limited]
        needed = Counter(head for head, _ in cuttable)
        if self._built is None or progress.latest > self._latest or not needed <= self._room:
            self._build(progress.latest, needed)
        built = self._built
        assert built is not None
        model = built.model
        domains: dict[int, tuple[int, int]] = {}
        room = {head: iter(pairs) for head, pairs in model.fixed_pieces.items()}
        for head, piece in cuttable:
            begin, end = next(room[head])
            domains[begin], domains[end] = (piece.start, piece.start), (piece.end, piece.end)
        for i in range(len(model.segments)):
            self._fix_action(built, progress, i, domains)
        for use, setting, joined in built.joins:
            if setting in progress.starts and use not in progress.starts:
                _fix_literal(domains, joined, holds=False)  # a use can only be joined by what is set after it
        for (i, k), agent in progress.agents.items():
            fixed_head = model.head_of.get(agent or "")
            for head, chosen in model.segments[i][k].agents.items():
                if chosen is not None:
                    _fix_literal(domains, chosen, holds=head == fixed_head)
        built.become(domains)
        return built

    def _fix_action(self, built: StateModel, progress: Progress, i: int, domains: dict[int, tuple[int, int]]) -> None:
        """Set the domains of the starts and of the mode of an action."""
        model, clock = built.model, progress.clock
        starts = progress.starts.get(i, ())
        segments = _segments(model, progress, i)
        for segment, start in zip(segments, starts, strict=False):
            domains[segment.start] = (start, start)
        if len(starts) < len(segments):  # those after the first open one come later anyway
            first_open = segments[len(starts)].start
            earliest, latest = built.free[first_open]
            if earliest < clock:
                domains[first_open] = (clock, max(latest, clock))
        if not starts:
            return
        for k in range(progress.first[i] + 1, progress.next(i) + 1):
            for literal in built.goes_on.get((i, k), ()):
                _fix_literal(domains, literal, holds=progress.goes_on(i, k))
        for mode, choice in enumerate(model.modes[i]):
            if choice is not None:
                _fix_literal(domains, choice, holds=mode == progress.modes[i])

    def _build(self, latest: int, needed: Counter[str]) -> None:
        if latest > self._latest:
            self._latest = 2 * latest
        crews = Counter(self._translator.head_of.values())
        for head, count in needed.items():  # at once for all of a crew, so that the model is seldom built again
            self._room[head] = max(self._room[head], count, crews[head])
        self._built = self._ground.state_model(self._latest, self._room)

    def _bound(self, progress: Progress) -> int:
        """Lower bound in steps: what has been started, every action still to do, and all that needs an agent."""
        clock, bound = progress.clock, self._lower_bound
        work, shortest_tail = 0, _INFEASIBLE
        for i in range(len(self.instance.actions)):
            starts = progress.starts.get(i)
            needs = self._ground.needs(i, progress.modes.get(i))
            remaining, attended = needs.duration + needs.tail, needs.attended
            if starts is not None:
                size = self._translator.sizes[i][progress.modes[i]] // self.step
                done = size * len(starts)
                bound = max(bound, starts[-1] + size + remaining - done)
                if done >= needs.duration:
                    continue
                remaining, attended = remaining - done, max(0, attended - done)
            bound = max(bound, clock + remaining)
            if attended:
                work += attended
                shortest_tail = min(shortest_tail, remaining - attended)
        if not work:
            return bound
        work_end = clock - (-work // len(self.instance.agents))
        return max(bound, work_end + shortest_tail)

    # --- values ------------------------------------------------------------------------------------

    def value(
        self, state: PartialSchedule, at_least: int = 0, at_most: int | None = None, *, limit: Limit = _WORK
    ) -> Value:
        """Compute the best makespan that a state leaves.

        Parameters
        ----------
        at_least, at_most
            Known bounds in ticks. If no completion is shorter than ``at_most``, the value has no witness.
        limit
            Seconds of wall time, or counted work, at most.

        Raises
        ------
        InputError
            If the state's times are no multiples of the step.
        """
        if at_most is not None and at_least >= at_most:
            return Value(at_most, at_most)
        if not self._started:
            self._begin(limit)
        if self._lower_bound >= _INFEASIBLE:
            return Value.infeasible()
        progress = self._translator.progress(state)
        seen = self._proved.get(progress.key)
        if seen is not None:
            return _later(seen, progress.cut)
        min_steps = max(-(-(at_least - progress.cut) // self.step), self._bound(progress))
        lower = min_steps * self.step + progress.cut
        for witness in self._recent:
            if witness.makespan == min_steps and self._keeps(witness, progress):
                return Value(lower, lower, witness)
        deadline = deadline_of(limit)
        if deadline.remaining() <= 0:  # building the model would exceed it further
            return Value(lower if at_most is None else min(lower, at_most), at_most)
        built = self._prepare(progress)
        bounds = Value(at_least, at_most)
        max_steps = built.free[built.model.makespan][1]
        if at_most is not None:
            max_steps = min(max_steps, (at_most - progress.cut - 1) // self.step)
        if min_steps > max_steps:
            return Value(at_most, at_most) if at_most is not None else Value.infeasible()
        value = self._search(built, progress.cut, (min_steps, max_steps), bounds, deadline)
        is_proved = value.makespan is not None and value.witness is not None
        if value.witness is not None and is_proved:
            self._recent.appendleft(value.witness)
        is_settled = is_proved or value.status == Status.infeasible
        if progress.cut and is_settled and len(self._proved) < _MEMORY:
            self._proved[progress.key] = _later(value, -progress.cut)  # it comes again with every further wait
        return value

    def _begin(self, limit: Limit) -> None:
        """Solve the instance itself: states only add restrictions, so its optimum bounds all of them."""
        self._started = True
        roots, key = self._ground.roots, (self._latest, limit)
        if key in roots:
            root, work = roots[key]
            charge(work)
            if root.makespan is not None and root.witness is not None:
                self._build(0, Counter())
                self._recent.appendleft(root.witness)
        else:
            before = counted_work()
            root = self.value(PartialSchedule(), limit=limit)
            if isinstance(limit, WorkLimit):
                roots[key] = root, counted_work() - before
        if root.is_infeasible:
            self._lower_bound = _INFEASIBLE
        else:
            self._lower_bound = max(self._lower_bound, -(-root.lower // self.step))

    def _search(self, built: StateModel, cut: int, window: tuple[int, int], bounds: Value, deadline: Deadline) -> Value:
        """Search for the best makespan in a window of steps."""
        model = built.model
        lower, upper = window
        best: list[int] | None = None
        width = 0  # narrow windows for the makespan propagate well: look from below in ever wider ones first
        while lower + width < upper:
            built.restrict(model.makespan, (lower, lower + width))
            outcome = self._run(model, deadline, *_PROBE)
            if outcome.status == Status.optimal:
                ticks = outcome.solution[model.makespan] * self.step + cut
                return Value(ticks, ticks, Witness(model, outcome.solution, cut))
            if outcome.status != Status.infeasible:
                break
            lower, width = lower + width + 1, 2 * width + 1
        for options, effort in _EFFORTS:
            built.restrict(model.makespan, (lower, upper))
            outcome = self._run(model, deadline, options, effort)
            if outcome.solution:
                best, upper = outcome.solution, outcome.solution[model.makespan]
            if outcome.status == Status.infeasible and best is None:
                if bounds.upper is not None:  # no shorter completion: `solve` rests on the same proof
                    return Value(bounds.upper, bounds.upper)
                if self._confirm(model, options, deadline):
                    return Value.infeasible()
            elif outcome.status == Status.optimal:
                lower = upper
            elif outcome.bound > 0:
                lower = max(lower, ceil(outcome.bound - 1e-6))
            if (best is not None and lower >= upper) or deadline.remaining() <= 0:
                break
        lower_ticks = lower * self.step + cut
        if best is None:
            return Value(lower_ticks if bounds.upper is None else min(lower_ticks, bounds.upper), bounds.upper)
        return Value(lower_ticks, upper * self.step + cut, Witness(model, best, cut))

    def _run(
        self, model: ScheduleModel, deadline: Deadline, options: Mapping[str, int], effort: float | None
    ) -> CpOutcome:
        # CP-SAT's clock does not see that a conflict takes the longer, the more pieces there are.
        factor = max(1.0, (model.model.variables / _FEW) ** 2) if deadline.counted else 1.0
        part = deadline if factor == 1.0 else deadline.within(deadline.remaining() / factor)
        before = part.remaining()
        outcome = run(model.model, deadline=part, deterministic=effort, **options)  # type: ignore[arg-type]
        if part is not deadline:
            deadline.spend((before - part.remaining()) * (factor - 1))
        return outcome

    def _confirm(self, model: ScheduleModel, options: Mapping[str, int], deadline: Deadline) -> bool:
        """Return whether CP-SAT proves infeasibility with the other setting of presolve, too."""
        swapped = {"presolve": not options.get("presolve", False)}
        longer = deadline.within(max(1.0, deadline.remaining()))
        return self._run(model, longer, swapped, None).status == Status.infeasible

    # --- witnesses ---------------------------------------------------------------------------------

    def keeps(self, witness: Witness, state: PartialSchedule) -> bool:
        """Return whether the schedule of a witness certainly completes another state as well."""
        return self._keeps(witness, self._translator.progress(state))

    def _keeps(self, witness: Witness, progress: Progress) -> bool:
        built = self._built
        if built is None or progress.cut != witness.cut or witness.model is not built.model:
            return False
        solution = witness.solution
        if not all(_keeps_action(built, progress, i, solution) for i in range(len(witness.model.segments))):
            return False
        for (i, k), agent in progress.agents.items():
            head = witness.model.head_of.get(agent or "", "")
            chosen = witness.model.segments[i][k].agents.get(head)
            if chosen is not None and not holds(chosen, solution):
                return False
        if not progress.cuttable:
            return True
        return not any(_cuts(built, witness, i, progress) for i in self._ground.starters)

    def completion(self, witness: Witness, state: PartialSchedule) -> Schedule:
        """Return the pieces that a witness adds to a state which it completes."""
        progress = self._translator.progress(state)
        rows = pieces_of_solution(witness.model, witness.solution, progress.agents, progress.begins)
        pieces = (piece for i, k, piece in rows if not progress.is_fixed(i, k))
        return Schedule.of(self.instance, (piece._replace(start=piece.start + witness.cut) for piece in pieces))


def _segments(model: ScheduleModel, progress: Progress, i: int) -> list[Segment]:
    """Return the segments of an action: of the mode that it has been started in, or all if it has not."""
    if i not in progress.modes:
        return model.segments[i]
    mode = progress.modes[i]
    return next(version.segments for version in model.versions[i] if mode in version.modes)


def _fix_literal(domains: dict[int, tuple[int, int]], literal: int, *, holds: bool) -> None:
    if literal < 0:
        literal, holds = negated(literal), not holds
    domains[literal] = (int(holds), int(holds))


def _keeps_action(built: StateModel, progress: Progress, i: int, solution: list[int]) -> bool:
    """Return whether a solution keeps the starts, the pieces and the mode of an action."""
    starts = progress.starts.get(i, ())
    segments = _segments(built.model, progress, i)
    for segment, start in zip(segments, starts, strict=False):
        if solution[segment.start] != start:
            return False
    if len(starts) < len(segments) and solution[segments[len(starts)].start] < progress.clock:
        return False
    if not starts:
        return True
    for k in range(progress.first[i] + 1, progress.next(i) + 1):
        if not progress.goes_on(i, k) and _runs_on(built, i, k, solution):
            return False
    for use, setting, joined in built.joins:
        if setting == i and use not in progress.starts and holds(joined, solution):
            return False
    mode = built.model.modes[i][progress.modes[i]]
    return mode is None or holds(mode, solution)


def _runs_on(built: StateModel, i: int, k: int, solution: list[int]) -> bool:
    return any(holds(literal, solution) for literal in built.goes_on.get((i, k), ()))


def _cuts(built: StateModel, witness: Witness, i: int, progress: Progress) -> bool:
    """Return whether a witness starts an action inside a fixed piece of a crew that could do it."""
    for k, segment in enumerate(witness.model.segments[i]):
        is_absent = segment.present is not None and not holds(segment.present, witness.solution)
        if is_absent or progress.is_fixed(i, k):
            continue
        time = witness.solution[segment.start]
        for head, piece in progress.cuttable:
            is_inside = head in segment.agents and piece.start < time < piece.end
            if is_inside and not _runs_on(built, i, k, witness.solution):
                return True
    return False


def _later(value: Value, ticks: int) -> Value:
    if value.upper is None or value.witness is None:
        return value
    witness = replace(value.witness, cut=value.witness.cut + ticks)
    return Value(value.lower + ticks, value.upper + ticks, witness)
