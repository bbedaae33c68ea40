"""Rules of Recipe2Plan: profiles, and the state of the kitchen while commands are carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple, cast

from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.violations import MAX_OTHERS, Measure, Other, Violation
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.text import format_clock


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of Recipe2Plan where the paper and its released code differ.

    Attributes
    ----------
    ref_floor
        Minimum of the reference efficiency: r_efficiency is at most 5 times the raw efficiency.
    missing_ref
        For an instance without a reference plan: score ``"zero"``, or compare with the ``"optimum"``.
    undefined_ref
        For a reference prefix that saves no time: score ``"zero"``, or report ``"undefined"``.
    reference
        ``"heuristic"`` (the released plan) or ``"optimal"``.
    clip_saved
        Count negative saved time as 0.
    t_auto
        Autonomous time: ``"nominal"`` durations of complete steps, or time ``"executed"``.
    reject_advances_clock
        A refused command that starts later than now still moves the clock.
    step_shapes
        Steps are read in the ``"released"`` shapes to the letter, or in ``"lenient"`` ones.
    parse_scope
        Steps are read from ``"everywhere"`` in a text, or from the part that is the ``"plan"``, see
        `planoracle.instances.model_output.reading.read`.
    timestamp_repair
        Shift stamps out of the past before a whole plan runs, as the released option does.
    score_if
        The multitasking score counts a run that is a ``"success"``, or one that is ``"complete"``.
    fatal_time_constraint
        An interactive run ends at the first violated time constraint.
    max_failures
        An interactive run ends when this many refused answers are exceeded.
    missing
        Instances without a submission are ``"failed"`` or ``"skipped"`` in averages.
    zero_duration
        Commands of length zero are ``"accepted"`` or ``"rejected"``.
    window_on_resume
        Time constraints are checked again when an interrupted step is resumed.
    """

    ref_floor: bool = False
    missing_ref: str = "optimum"
    undefined_ref: str = "undefined"
    reference: str = "heuristic"
    clip_saved: bool = True
    t_auto: str = "executed"
    reject_advances_clock: bool = True
    step_shapes: str = "lenient"
    parse_scope: str = "plan"
    timestamp_repair: bool = False
    score_if: str = "success"
    fatal_time_constraint: bool = True
    max_failures: int = 10
    missing: str = "failed"
    zero_duration: str = "rejected"
    window_on_resume: bool = True


#: Values of the rules that are text.
CHOICES = {
    "missing_ref": ("zero", "optimum"),
    "undefined_ref": ("zero", "undefined"),
    "reference": ("heuristic", "optimal"),
    "t_auto": ("nominal", "executed"),
    "step_shapes": ("released", "lenient"),
    "parse_scope": ("everywhere", "plan"),
    "score_if": ("success", "complete"),
    "missing": ("failed", "skipped"),
    "zero_duration": ("accepted", "rejected"),
}

PROFILES = {
    "paper": Profile(),
    "released": Profile(
        refuse_unread=False,
        ref_floor=True,
        missing_ref="zero",
        undefined_ref="zero",
        t_auto="nominal",
        step_shapes="released",
        parse_scope="everywhere",
        score_if="complete",
        fatal_time_constraint=False,
        missing="skipped",
        zero_duration="accepted",
    ),
}


#: Profiles and single rules, set as ``recipe2plan.RULE``.
RULE_SET = RuleSet("recipe2plan", PROFILES, CHOICES)


#: Kinds of violation: those of Table 15, and the missing actions of Table 16.
KINDS = (
    "wrong_recipe",
    "wrong_action",
    "time_error",
    "infeasible_multitask",
    "object_occupancy",
    "object_temperature",
    "dependency",
    "repeated_action",
    "time_constraint",
    "action_duration",
    "execution_interruptibility",
    "no_action",
    "missing_action",
)


_MESSAGES: dict[str, Callable[[Violation], str]] = {
    "wrong_recipe": lambda v: f"the recipes are {v.names}",
    "wrong_action": lambda v: f"steps go from 0 to {v.required}",
    "time_error": lambda v: f"starts at {_clock(v.actual)}, but it is {_clock(v.required)}",
    "infeasible_multitask": lambda _: "two continuous steps cannot run at the same time",
    "object_occupancy": lambda v: f"{v.resource} is occupied",
    "object_temperature": lambda v: (
        f"needs {v.resource} at {v.required}, it is {'cold' if v.actual is None else f'at {v.actual}'}"
    ),
    "dependency": lambda v: f"{v.others[0].subject} is not complete",
    "unfinished": lambda v: f"{v.others[0].subject} is not finished until {_clock(v.required)}",
    "repeated_action": lambda _: "has been carried out already",
    "time_constraint": lambda v: (
        f"must start within {v.required} s of {v.others[0].subject}, starts after {v.actual} s"
    ),
    "action_duration": lambda v: f"takes {v.required} s, not {v.actual}",
    "no_duration": lambda _: "a command must last some time",
    "lack": lambda v: f"lacks {v.excess} s of {v.required}",
    "execution_interruptibility": lambda v: f"must be carried out in one go ({v.required} s)",
    "no_action": lambda _: "the plan holds no command that can be read",
    "empty_answer": lambda _: "the answer holds no command that can be read",
    "missing_action": lambda _: "is never carried out",
}


class Recipe2PlanViolation(Violation):
    """A violation of these rules; ``case`` selects another sentence than that of its kind.

    ``unfinished``: a prerequisite that is complete, but not in time. ``lack``: a step that the plan as a whole does
    not bring to an end.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """One sentence on the violation."""
        return _MESSAGES[self.case or self.kind](self)


def _clock(seconds: Measure) -> str:
    return format_clock(cast(int, seconds))


class RecipeStep(NamedTuple):
    """Static facts of a step, references as positions in the kitchen's list."""

    id: str
    recipe: int
    duration: int
    autonomous: bool
    interruptible: bool
    objects: tuple[tuple[str, str | None, str | None], ...]  # name, requires, sets
    prerequisites: tuple[int, ...]
    windows: tuple[tuple[int, int], ...]  # predecessor, limit


@dataclass(frozen=True, slots=True)
class RecipeBook:
    """Static facts of a problem; a step is found by its recipe and number."""

    steps: tuple[RecipeStep, ...]
    index: dict[tuple[str, int], int]
    recipes: dict[str, int]  # name -> number of steps
    grid: int  # greatest common divisor of all times


@ProblemCache
def kitchen_of(instance: Instance) -> RecipeBook:
    """Return the static facts of a problem."""
    recipes = {task: number for number, task in enumerate(instance.tasks)}
    windows: list[list[tuple[int, int]]] = [[] for _ in instance.actions]
    for lag in instance.lags:
        if lag.maximum is not None:
            windows[instance.index[lag.after]].append((instance.index[lag.before], lag.maximum))
    steps = tuple(
        RecipeStep(
            id=action.id,
            recipe=recipes[action.task],
            duration=action.duration,
            autonomous=not action.attended,
            interruptible=action.interruptible,
            objects=tuple([(d.resource, d.requires, d.sets) for d in action.modes[0].demands]),
            prerequisites=tuple([i for i, _ in instance.predecessors[position]]),
            windows=tuple(windows[position]),
        )
        for position, action in enumerate(instance.actions)
    )
    index = {(a.task, int(a.id.rpartition("/")[2])): i for i, a in enumerate(instance.actions)}
    limits = (limit for step in steps for _, limit in step.windows)
    grid = gcd(*(step.duration for step in steps), *limits) or 1
    return RecipeBook(steps, index, dict(Counter(action.task for action in instance.actions)), grid)


#: Start and end, the step, and the latest end of this interval and those before it; ordered by start.
Span = tuple[int, int, int, int]


class CookingState:
    """The kitchen while commands are carried out.

    ``plan`` is what is known to follow, of a plan that is handed in as a whole.
    """

    def __init__(self, kitchen: RecipeBook, rules: Profile, plan: Sequence[StepCommand] = ()) -> None:
        self.kitchen = kitchen
        self.rules = rules
        self.plan = plan
        self.planned: dict[tuple[str, int], int] | None = None  # the first start of every step in the whole plan
        self.clock = 0
        self.holder: tuple[str, int, int] | None = None  # what moved the clock to where it is
        self.remaining = [step.duration for step in kitchen.steps]
        self.begins: list[int | None] = [None] * len(kitchen.steps)
        self.finish: list[int | None] = [None] * len(kitchen.steps)
        self.done: set[int] = set()  # steps that count: complete, or prerequisite of a complete one
        self.objects: dict[str, list[Span]] = {}
        self.temperature: dict[str, tuple[str, tuple[str, int, int]]] = {}  # and what set it
        self.working: list[Span] = []

    def copy(self) -> CookingState:
        """Return a kitchen of its own that is in the same state."""
        other = CookingState.__new__(CookingState)
        other.__dict__.update(self.__dict__)
        other.remaining, other.begins, other.finish = self.remaining[:], self.begins[:], self.finish[:]
        other.done, other.working = self.done.copy(), self.working[:]
        other.objects = {name: spans[:] for name, spans in self.objects.items()}
        other.temperature = self.temperature.copy()
        return other

    def step_of(self, command: StepCommand) -> int | None:
        """Return the position of the step that a command names, if there is one."""
        return self.kitchen.index.get((command.recipe, command.step))

    def check(self, index: int, command: StepCommand, position: int | None) -> list[Recipe2PlanViolation]:
        """Return what forbids a command, in the order in which the environment looks."""
        if position is None:
            return [self._unknown(index, command)]
        step = self.kitchen.steps[position]
        _, _, duration, start = command
        end = start + duration
        violations: list[Recipe2PlanViolation] = []
        by: tuple[Other, ...]
        if start < self.clock:
            by = () if self.holder is None else (Other(*self.holder),)
            violations.append(
                Recipe2PlanViolation(index, "time_error", step.id, "", start, end, by, None, self.clock, start)
            )
        if not step.autonomous:
            spans = _overlaps(self.working, start, end)
            if spans:
                by, until = self._others(spans), max(span[1] for span in spans)
                violations.append(
                    Recipe2PlanViolation(index, "infeasible_multitask", step.id, "", start, end, by, None, until, start)
                )
        for name, requires, sets in step.objects:
            now, setter = self.temperature.get(name, (None, None))
            spans = _overlaps(self.objects.get(name, ()), start, end)
            if spans and sets is not None and sets == now:
                spans = [span for span in spans if span[:2] != (start, end)]
            if spans:
                by, until = self._others(spans), max(span[1] for span in spans)
                violations.append(
                    Recipe2PlanViolation(index, "object_occupancy", step.id, "", start, end, by, name, until, start)
                )
            if requires is not None and requires != now:
                by = () if setter is None else (Other(*setter),)
                violations.append(
                    Recipe2PlanViolation(index, "object_temperature", step.id, "", start, end, by, name, requires, now)
                )
        self._check_step(violations, index, step, position, start, end)
        return violations

    def _unknown(self, index: int, command: StepCommand) -> Recipe2PlanViolation:
        number, recipe, duration, start = command
        recipes, end = self.kitchen.recipes, start + duration
        if recipe not in recipes:
            return Recipe2PlanViolation(index, "wrong_recipe", recipe[:80], "", start, end, required=tuple(recipes))
        last = recipes[recipe] - 1
        return Recipe2PlanViolation(
            index, "wrong_action", f"{recipe}/{number}", "", start, end, required=last, actual=number
        )

    def _last(self, position: int) -> Other:
        """Return the last run of a step; of one that has not begun, when the plan foresees it."""
        step, start = self.kitchen.steps[position], self.begins[position]
        if start is None:
            if self.planned is None:
                self.planned = {(one.recipe, one.step): one.start for one in reversed(self.plan)}
            recipe, _, number = step.id.rpartition("/")
            start = self.planned.get((recipe, int(number)))
        return Other(step.id, start, self.finish[position])

    def _others(self, spans: list[Span]) -> tuple[Other, ...]:
        """Return the steps of some intervals, latest first; adjacent pieces of one step are joined."""
        joined: list[Other] = []
        for start, end, position, _ in reversed(spans):
            last, name = joined[-1] if joined else None, self.kitchen.steps[position].id
            if last is not None and last.subject == name and last.end == start:
                joined[-1] = Other(name, last.start, end)
            else:
                joined.append(Other(name, start, end))
        return tuple(joined)

    def _check_step(
        self, violations: list[Recipe2PlanViolation], index: int, step: RecipeStep, position: int, start: int, end: int
    ) -> None:
        remaining, finish, duration = self.remaining[position], self.finish[position], end - start
        resumed = finish is not None and not self.rules.window_on_resume
        for before, limit in step.windows:
            since = self.finish[before]
            if since is not None and start - since > limit and not resumed:
                by = (self._last(before),)
                violations.append(
                    Recipe2PlanViolation(
                        index, "time_constraint", step.id, "", start, end, by, None, limit, start - since
                    )
                )
        if duration > remaining:
            if remaining == 0 or (finish and finish < start):
                violations.append(self._repeated(index, position, start, end))
            else:
                violations.append(
                    Recipe2PlanViolation(
                        index, "action_duration", step.id, "", start, end, required=remaining, actual=duration
                    )
                )
        elif duration == 0 and self.rules.zero_duration == "rejected":
            if remaining:
                kind, case = "action_duration", "no_duration"
                violations.append(
                    Recipe2PlanViolation(index, kind, step.id, case, start, end, required=remaining, actual=0)
                )
            else:
                violations.append(self._repeated(index, position, start, end, "no_duration"))
        elif duration != remaining and not step.interruptible:
            kind = "execution_interruptibility"
            violations.append(
                Recipe2PlanViolation(index, kind, step.id, "", start, end, required=remaining, actual=duration)
            )
        for before in step.prerequisites:
            since = self.finish[before]
            if since is None or self.remaining[before]:
                needed = self.kitchen.steps[before].duration
                by, made = (self._last(before),), needed - self.remaining[before]
                violations.append(
                    Recipe2PlanViolation(index, "dependency", step.id, "", start, end, by, None, needed, made)
                )
            elif since > start:
                by = (self._last(before),)
                violations.append(
                    Recipe2PlanViolation(index, "dependency", step.id, "unfinished", start, end, by, None, since, start)
                )

    def _repeated(self, index: int, position: int, start: int, end: int, case: str = "") -> Recipe2PlanViolation:
        name = self.kitchen.steps[position].id
        by = () if self.finish[position] is None else (self._last(position),)
        return Recipe2PlanViolation(index, "repeated_action", name, case, start, end, by, actual=end - start)

    def carry_out(self, command: StepCommand, position: int) -> None:
        """Apply a command; one that breaks rules is applied as far as it makes sense."""
        step = self.kitchen.steps[position]
        _, _, duration, start = command
        end = start + duration
        remaining = self.remaining[position] - duration
        self.remaining[position] = remaining if remaining > 0 else 0
        if remaining <= 0:
            self.done.add(position)
            self.done.update(step.prerequisites)
        self.begins[position] = start
        self.finish[position] = end
        reached = start
        if not step.autonomous:
            _occupy(self.working, start, end, position)
            reached = end
        if reached > self.clock:
            self.clock, self.holder = reached, (step.id, start, end)
        for name, _, sets in step.objects:
            _occupy(self.objects.setdefault(name, []), start, end, position)
            if sets is not None:
                self.temperature[name] = (sets, (step.id, start, end))

    @property
    def progress(self) -> float:
        """Share of steps that count."""
        return len(self.done) / len(self.kitchen.steps)

    @property
    def goal_ratio(self) -> float:
        """Share of recipes all of whose steps count."""
        missing = {step.recipe for i, step in enumerate(self.kitchen.steps) if i not in self.done}
        return (len(self.kitchen.recipes) - len(missing)) / len(self.kitchen.recipes)


def _occupy(spans: list[Span], start: int, end: int, position: int) -> None:
    if start == end:  # no later command can lie around it, since starts only grow
        return
    reach = spans[-1][3] if spans else end
    spans.append((start, end, position, reach if reach > end else end))


def _overlaps(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """Return the intervals that overlap ``[start, end)``, latest first, at most `MAX_OTHERS`.

    An interval of length zero overlaps another only strictly inside it.
    """
    overlapping: list[Span] = []
    for i in range(len(spans) - 1, -1, -1):
        span = spans[i]
        if span[3] <= start or len(overlapping) == MAX_OTHERS:  # nothing up to here reaches this far
            break
        if (span[0] < start < span[1]) if start == end else (span[0] < end and start < span[1]):
            overlapping.append(span)
    return overlapping
