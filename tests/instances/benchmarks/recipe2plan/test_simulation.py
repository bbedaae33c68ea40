"""Random plans and logs of Recipe2Plan, compared with a separate model of the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import example, given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.rules import Profile
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.instance import Action, Instance
from tests.support.critiques import KITCHEN
from tests.support.recipe2plan import COMMANDS, UNKNOWN, submissions
from tests.support.replays import recipe_verdict
from tests.support.samples import examples

RULES = st.builds(
    Profile,
    reject_advances_clock=st.booleans(),
    zero_duration=st.sampled_from(["accepted", "rejected"]),
    window_on_resume=st.booleans(),
    fatal_time_constraint=st.booleans(),
    max_failures=st.integers(0, 4),
    max_identical_refusals=st.sampled_from([0, 2]),
    max_turns=st.sampled_from(["unlimited", "steps+10"]),
)


def overlaps(start: int, end: int, other: StepCommand) -> bool:
    """Return True if an interval overlaps a command; an empty one does strictly inside it."""
    other_end = other.start + other.duration
    return other.start < start < other_end if start == end else max(start, other.start) < min(end, other_end)


class Model:
    """Kitchen by the rules of the paper and its code: what commands break, and what they change."""

    def __init__(self, problem: Instance, rules: Profile) -> None:
        self.problem, self.rules = problem, rules
        self.clock = 0
        #: Commands that took place, in order.
        self.past: list[StepCommand] = []

    def action(self, command: StepCommand) -> Action | None:
        return self.problem.by_id.get(f"{command.recipe}/{command.step}")

    def runs(self, action: str) -> list[StepCommand]:
        return [command for command in self.past if f"{command.recipe}/{command.step}" == action]

    def end(self, action: str) -> int | None:
        """Return the end of the last run of an action, if it has begun."""
        runs = self.runs(action)
        return runs[-1].start + runs[-1].duration if runs else None

    def remaining(self, action: str) -> int:
        seconds = sum(command.duration for command in self.runs(action))
        return max(self.problem.by_id[action].duration - seconds, 0)

    def is_complete(self, action: str) -> bool:
        return bool(self.runs(action)) and not self.remaining(action)

    def faults(self, command: StepCommand) -> Iterator[str]:
        """Yield the kinds of the rules that a command breaks, in the order in which they are checked."""
        action = self.action(command)
        if action is None:
            yield "wrong_action" if command.recipe in self.problem.tasks else "wrong_recipe"
            return
        start, end = command.start, command.start + command.duration
        at_work = [other for other in self.past if overlaps(start, end, other)]
        if start < self.clock:
            yield "time_error"
        if action.attended and any(self.problem.by_id[f"{other.recipe}/{other.step}"].attended for other in at_work):
            yield "infeasible_multitask"
        yield from self.faults_of_objects(action, command, at_work)
        for lag in self.problem.lags:
            if lag.after == action.id and lag.maximum is not None and self.runs(lag.before):
                is_checked = self.rules.window_on_resume or not self.runs(action.id)
                if is_checked and start - (self.end(lag.before) or 0) > lag.maximum:
                    yield "time_constraint"
        yield from self.faults_of_duration(action, command)
        for lag in self.problem.lags:
            is_over = self.is_complete(lag.before) and (self.end(lag.before) or 0) <= start
            if lag.after == action.id and lag.minimum is not None and not is_over:
                yield "dependency"

    def faults_of_objects(self, action: Action, command: StepCommand, at_work: list[StepCommand]) -> Iterator[str]:
        for demand in action.modes[0].demands:
            degrees = None
            users = []
            for other in self.past:
                for used in self.problem.by_id[f"{other.recipe}/{other.step}"].modes[0].demands:
                    if used.resource == demand.resource:
                        users.append(other)
                        degrees = used.sets or degrees
            is_shared = demand.sets is not None and demand.sets == degrees
            interval = command[2:]
            conflicts = [other for other in at_work if other in users and not (is_shared and other[2:] == interval)]
            if conflicts:
                yield "object_occupancy"
            if demand.requires not in (None, degrees):
                yield "object_temperature"

    def faults_of_duration(self, action: Action, command: StepCommand) -> Iterator[str]:
        remaining = self.remaining(action.id)
        if not command.duration and self.rules.zero_duration == "rejected":
            yield "action_duration" if remaining else "repeated_action"
        elif command.duration > remaining:
            is_pause = 0 < (self.end(action.id) or 0) < command.start
            yield "repeated_action" if is_pause or not remaining else "action_duration"
        elif command.duration < remaining and not action.interruptible:
            yield "execution_interruptibility"

    def carry_out(self, command: StepCommand) -> None:
        action = self.action(command)
        assert action is not None
        self.past.append(command)
        self.clock = max(self.clock, command.start + (command.duration if action.attended else 0))

    def counted(self) -> set[str]:
        """Return the actions that are complete, or before a complete one."""
        complete = {action.id for action in self.problem.actions if self.is_complete(action.id)}
        before = [lag.before for lag in self.problem.lags if lag.after in complete and lag.minimum is not None]
        return complete.union(before)

    def goal_ratio(self) -> float:
        tasks = self.problem.tasks
        missing = {action.task for action in self.problem.actions if action.id not in self.counted()}
        return (len(tasks) - len(missing)) / len(tasks)

    def missing(self) -> list[tuple[None, str]]:
        """Return the violations of steps that are not complete."""
        open_steps = [action.id for action in self.problem.actions if not self.is_complete(action.id)]
        return [(None, "action_duration" if self.runs(action) else "missing_action") for action in open_steps]

    def result(self) -> tuple[object, ...]:
        """Return progress, share of complete recipes, makespan, and the seconds that remain."""
        ends = [command.start + command.duration for command in self.past]
        open_steps = [action.id for action in self.problem.actions if self.remaining(action.id)]
        remaining = {name: self.remaining(name) for name in open_steps}
        progress = len(self.counted()) / len(self.problem.actions)
        return progress, self.goal_ratio(), max(ends, default=0), remaining


@examples(500, is_shrunk=False)
@example(Answers((tuple(COMMANDS),)), Profile())
@example(Answers((tuple(COMMANDS), *[UNKNOWN[:1]] * 3), interactive=True), Profile())
@given(submissions(), RULES)
def test_commands_are_accepted_by_the_rules(submitted: Answers, rules: Profile) -> None:
    model = Model(KITCHEN, rules)
    verdict = recipe_verdict(KITCHEN, submitted, rules)
    kinds = [(violation.position, violation.kind) for violation in verdict.violations]
    accepted = [event.accepted for event in verdict.events]
    results = (verdict.progress, verdict.goal_ratio, verdict.makespan, verdict.remaining)
    fatal = verdict.fatal.kind if verdict.fatal else None
    if submitted.interactive:
        violations, acceptances, reason = play_log(model, submitted)
        result = model.result()
        is_success = model.goal_ratio() == 1
    else:
        violations, acceptances, reason, result = play_plan(model, submitted.commands)
        is_success = reason is None and result[1] == 1
    if not accepted:
        violations, reason = [(0, "no_action")], "no_action"
    assert (kinds, accepted) == ([*violations, *model.missing()], acceptances)
    assert (results, fatal, verdict.success) == (result, reason, is_success)
    assert verdict.executed == sum(acceptances)


def play_plan(model: Model, commands: tuple[StepCommand, ...]) -> tuple[list, list[bool], str | None, tuple]:
    """Return violations, acceptances, fatal kind and result; after a violation all commands take place."""
    violations = []
    acceptances: list[bool] = []
    reason = result = None
    for position, command in enumerate(commands):
        kinds = [*model.faults(command)]
        violations += [(position, kind) for kind in kinds]
        if reason is None:
            acceptances.append(not kinds)
        if kinds and reason is None:
            reason, result = kinds[0], model.result()
        if model.action(command) is not None:
            model.carry_out(command)
    return violations, acceptances, reason, result or model.result()


def play_log(model: Model, log: Answers) -> tuple[list, list[bool], str | None]:
    """Return violations, acceptances and fatal kind of a log; a refused command ends its answer."""
    rules = model.rules
    violations: list[tuple[int, str]] = []
    acceptances: list[bool] = []
    refusals: Counter[StepCommand] = Counter()
    refused = 0
    for turns, answer in enumerate(log.answers, 1):
        kinds = [] if answer else ["no_action"]
        position = len(acceptances)
        for command in answer:
            position = len(acceptances)
            kinds = [*model.faults(command)]
            acceptances.append(not kinds)
            if kinds:
                if rules.reject_advances_clock and model.action(command) is not None:
                    model.clock = max(model.clock, command.start)
                refusals[command] += 1
                break
            model.carry_out(command)
        violations += [(position, kind) for kind in kinds]
        refused += bool(kinds)
        reason = None
        if kinds and (refused > rules.max_failures or (kinds[0] == "time_constraint" and rules.fatal_time_constraint)):
            reason = kinds[0]
        elif kinds and answer and refusals[command] == rules.max_identical_refusals:
            reason = "identical_refusals"
            violations.append((position, reason))
        elif rules.max_turns == "steps+10" and turns >= len(KITCHEN.actions) + 10 and model.goal_ratio() < 1:
            reason = "too_many_turns"
            violations.append((len(acceptances) - 1, reason))
        if reason is not None:
            return violations, acceptances, reason
    return violations, acceptances, None
