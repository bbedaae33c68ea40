"""Base class of benchmarks whose problems are scheduling problems; certification of schedules."""

from __future__ import annotations

import json
from typing import Any, TypeVar, cast

from planoracle.instances.errors import BenchmarkError, InputError, RefusedPlanError
from planoracle.instances.model.agents import apply_agent_suffix
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.features import Component, Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.problem import GENERAL, Problem, of_kind
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.state import STATES, PartialSchedule, residual_instance
from planoracle.instances.model.violations import Violation
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyRun, Benchmark
from planoracle.instances.protocol.environment import USUAL, AnyEnvironment, Reward, RunConfig
from planoracle.instances.protocol.plan import Plan
from planoracle.instances.protocol.profiles import Rules

#: Features of which no problem is run live.
LIVE_RUNS = Component("live runs", STATES.refused)

_C = TypeVar("_C")
_R = TypeVar("_R", bound=Rules)


class ScheduleBenchmark(Benchmark[Instance, _C, _R]):
    """Benchmark of scheduling problems, whose plans and schedules are converted into each other.

    Attributes
    ----------
    kind
        Name of the kind of its problems.
    untimed
        True if plans state orders and no times. The rules start every action as early as possible, perhaps earlier than
        in the schedule.
    has_simulator_states
        True if its simulator has states of its own. Live runs then have all features, also those of which partial
        schedules have no states.
    features
        Features of problems that its rules and plans can express; `check_instance` refuses the others by name.
    """

    kind: str = "schedule"
    untimed: bool = False
    has_simulator_states: bool = False
    features: frozenset[Feature] = frozenset()

    def parse(self, problem: Instance, submission: object, rules: _R | None = None) -> Plan[_C]:
        """Read a submission, see `Benchmark.parse`; raises `InputError` as `check_instance` does, too."""
        check_instance(of_kind(problem, Instance))
        return super().parse(problem, submission, rules)

    def environment(
        self, problem: Instance, rules: _R | None = None, config: RunConfig = USUAL, reward: Reward | None = None
    ) -> AnyEnvironment:
        """Return a live run, see `Benchmark.environment`; refuse features that have no states."""
        if not self.has_simulator_states:
            LIVE_RUNS.check(problem)
        return super().environment(problem, rules, config, reward)

    def document(self, problem: Instance) -> dict[str, Any]:
        """Return a problem in our own format, see `planoracle.instances.files.instance_file`."""
        return dict(registry.get(GENERAL).reader.to_document(of_kind(problem, Instance)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the result of `document`: that of the reader or of `Instance`."""
        general_schema = registry.get(GENERAL).reader.json_schema
        return dict(getattr(self.reader, "json_schema", general_schema)())

    def with_agents(self, problem: Instance, crew: str) -> Instance:
        """Return the problem by the general rules, see `planoracle.instances.model.agents`."""
        return apply_agent_suffix(problem, crew)

    def written(self, problem: Instance, schedule: Schedule) -> object:
        """Write a schedule as a plan, in the form that submissions have."""
        return self.language.written(problem, schedule)

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write a schedule as text that `reading` accepts: a text per line, or JSON."""
        plan = self.written(problem, schedule)
        if isinstance(plan, list) and all(isinstance(line, str) for line in plan):
            return "\n".join(plan)
        return plan if isinstance(plan, str) else json.dumps(plan)

    def right_line(self, problem: Instance) -> str:
        """Return the first action of a problem as a line of a plan, as an example in errors."""
        if hasattr(self.language, "right_line"):
            return super().right_line(problem)
        action = problem.actions[0]
        variant = problem.variants[action.id][0]
        agents = variant.agents or (None,)
        piece = Piece(action.id, action.release, variant.duration, agents[0])
        schedule = Schedule.of(problem, (piece,))
        return self.render(problem, schedule).partition("\n")[0]

    def schedule(self, problem: Instance, plan: Plan[_C]) -> Schedule:
        """Convert a plan into a schedule in normal form; raises `PlanError` for a command that is no action."""
        return cast(Schedule, self.language.schedule(problem, plan))


@ProblemCache
def check_instance(instance: Instance) -> None:
    """Raise `InputError` if an instance asks for what its benchmark's rules or plans cannot express.

    Constructing an `Instance` checks the scheduling model only. Readers, `solve` and the parser of plans call this.
    """
    benchmark = registry.of(instance)
    expressible: frozenset[Feature] = getattr(benchmark, "features", frozenset())
    Component(f"the benchmark {benchmark.name}", frozenset(Feature) - expressible).check(instance)
    benchmark.check(instance)


def remaining_problem(instance: Instance, state: PartialSchedule) -> Instance:
    """Return the residual instance of a partial schedule, by the rules of its benchmark.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> from planoracle.instances.model.schedule import Piece
    >>> from planoracle.solver.exact.search import solve
    >>> problem = load("recipe2plan/timed/Cobbler_Pancakes")
    >>> late = PartialSchedule((Piece("Cobbler/0", 300, 600, "agent"),), clock=300)
    >>> solve(problem).makespan, solve(remaining_problem(problem, late)).makespan
    (4080, 4380)
    """
    return residual_instance(instance, state, stepwise=registry.of(instance).stepwise)


def language(instance: Instance) -> ScheduleBenchmark[Any, Any]:
    """Return the benchmark of a scheduling problem."""
    return cast("ScheduleBenchmark[Any, Any]", registry.of(instance))


def action_name(instance: Instance, action: str) -> str:
    """Name an action as its benchmark does.

    Examples
    --------
    >>> from planoracle.instances.files.catalog import load
    >>> action_name(load("recipe2plan/timed/Cobbler_Pancakes"), "Cobbler/2")
    'step 2 of Cobbler'
    >>> action_name(load("timearena/household1"), "household1/pour kettle into")
    'pour kettle into ...'
    >>> action_name(load("asynctool/files_1"), "files_1/2 make_folder")
    'call 2 of files_1 (make_folder)'
    """
    original = instance.rest_of or instance
    return language(original).name_of(original, action)


def moment(instance: Instance, tick: int) -> str:
    """Write an instant as the benchmark of an instance does."""
    original = instance.rest_of or instance
    return language(original).clock(instance).moment(tick)


def settled(instance: Instance, schedule: Schedule) -> Schedule:
    """Return a schedule as the rules carry out its plan: perhaps earlier, where plans state no times."""
    benchmark = language(instance)
    if not benchmark.untimed:
        return schedule
    return benchmark.schedule(instance, benchmark.parse(instance, benchmark.written(instance, schedule)))


def agrees(instance: Instance, makespan: int | None, claimed: int | None) -> bool:
    """Return True if the replayed makespan is the claimed one, or less where plans state no times."""
    if makespan is None or claimed is None:
        return makespan == claimed
    return makespan == claimed or (language(instance).untimed and makespan < claimed)


def replay_rules(problem: Problem, rules: Rules | None) -> Rules | None:
    """Return the rules by which plans of solvers are replayed; ``None`` if problems state them.

    The scheduling problems of this package do. Benchmarks of other packages may have further rules in their simulators.
    """
    states_rules = registry.is_bundled(problem.benchmark) and isinstance(registry.of(problem), ScheduleBenchmark)
    return None if states_rules else rules


def certify(instance: Instance, schedule: Schedule, makespan: int | None = None, *, rules: Rules | None = None) -> str:
    """Render a schedule, read the text back and replay it by the rules; return the text.

    Parameters
    ----------
    instance
        Problem as the rules change it.
    schedule, makespan
        Schedule, and its claimed makespan in ticks; by default that of the pieces.
    rules
        Rules of the replay; by default those of the problem.

    Raises
    ------
    RefusedPlanError
        If a rule of another package's benchmark refuses the plan although the problem allows it.
    InternalError, BenchmarkError
        If the plan cannot be read, breaks a rule, does not finish, or its makespan is not the one claimed. The error
        is the benchmark's own if it belongs to another package.
    InputError
        For an instance that its benchmark refuses.
    """
    check_instance(instance)
    benchmark = language(instance)
    claimed = schedule.makespan if makespan is None else makespan
    text = benchmark.render(instance, schedule)
    try:
        run = benchmark.run(instance, text, rules)
    except BenchmarkError:
        raise
    except InputError as error:
        fault = f"its plan language cannot read the plan that it wrote for a schedule: {error}"
        raise registry.contradiction(instance, fault) from None
    verdict = run.verdict
    if verdict.violations:
        refusal, details = _refusal(run)
        raise registry.contradiction(instance, refusal, details=details, kind=RefusedPlanError)
    if not verdict.success:
        raise registry.contradiction(instance, "its rules reject the plan of a complete schedule")
    if not agrees(instance, verdict.makespan, claimed):
        stated = f"the plan of a schedule of {claimed} {instance.unit}s"
        fault = f"{stated} takes {verdict.makespan} by its rules"
        raise registry.contradiction(instance, fault)
    return text


def _refusal(run: AnyRun) -> tuple[str, str]:
    """Return the rule and the piece that refuse a valid schedule, and the step with a sentence."""
    violation = run.verdict.fatal or run.verdict.violations[0]
    subject = violation.subject
    piece = subject if violation.start is None else f"{subject} at {violation.start}"
    values = ""
    if violation.required is not None:
        values = f"; required {violation.names}, actual {violation.actual}"
    reason = f"({violation.message}{values})"
    refusal = f"its rule {violation.kind!r} rejects {piece} {reason} although the problem allows the schedule"
    findings = registry.of(run.problem).examine(run).findings
    texts = (finding.text for finding in findings if finding.violation == violation)
    sentence = next(texts, violation.message)
    return refusal, f"{_refused_step(run, violation)}: {sentence}"


def _refused_step(run: AnyRun, violation: Violation) -> str:
    """Return the number and the command of the step that a violation refuses."""
    if violation.position is None:
        return "the plan"
    number = f"step {violation.position + 1} of the plan"
    for step in run.steps:
        if step.position == violation.position and step.kind != "wait":
            return f"{number} ({step.command})"
    return number
