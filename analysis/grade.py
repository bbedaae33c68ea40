"""Grade submitted plans: replay by the rules, the paper's metrics, and the same against the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO, Any

from planoracle.analysis.metrics import timearena as timearena_metrics
from planoracle.analysis.metrics.recipe2plan import Efficiency, measure
from planoracle.analysis.optimum import optimum
from planoracle.analysis.waits import waits
from planoracle.instances import catalogue
from planoracle.instances.benchmarks import language
from planoracle.instances.errors import InputError
from planoracle.instances.files import load_json
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import facts
from planoracle.instances.recipe2plan.language import Command, parse
from planoracle.instances.recipe2plan.profile import PROFILES, Profile
from planoracle.instances.recipe2plan.rules import replay
from planoracle.instances.replay import Replay
from planoracle.instances.timearena import encode
from planoracle.instances.timearena import profile as timearena
from planoracle.instances.timearena.language import parse as decisions
from planoracle.instances.timearena.rules import as_replay
from planoracle.instances.timearena.rules import replay as decide
from planoracle.instances.timearena.world import World, world

__all__ = ["Grade", "Grader", "grade_all", "read_submissions", "released_plan"]

#: Longest submission line that is read, in bytes; longer ones are skipped and reported.
MAX_LINE = 64 * 2**20
#: Largest time limit a submission may ask for, in minutes.
MAX_MINUTES = 20_000


@dataclass(frozen=True, slots=True)
class Grade:
    """Verdict on one submission, or the reason why there is none.

    Attributes
    ----------
    scored
        False if the submission could not be judged; all figures are then ``None``.
    violation, violation_index
        Kind and position (from 0, in order of execution) of the violation that ended the run.
    violations
        All violations of the whole plan, each with ``index``, ``kind``, ``subject``, ``message``.
    executed
        Commands carried out.
    progress, goal_ratio, efficiency, r_efficiency, multitasking_score
        As in the paper, see :mod:`planoracle.analysis.metrics.recipe2plan`. ``None``: undefined.
    r_efficiency_optimal
        ``r_efficiency`` with the optimal plan as reference; all of it if the run is a success.
    makespan, optimal_makespan
        Ticks; the latest end of a command carried out, and the proved optimum (``None`` if unproved).
    reference
        Which plan ``r_efficiency`` compares with: ``heuristic``, ``optimal`` or ``none``.
    reason
        Why the submission is not scored.
    details
        Fields of the benchmark's own; TimeArena: ``end, total_time, score, best_score, best_time, kinds,
        necessary_waits, unnecessary_waits, steps``.
    """

    id: str | None
    instance: str | None
    scored: bool
    success: bool | None = None
    violation: str | None = None
    violation_index: int | None = None
    violations: tuple[dict[str, Any], ...] | None = None
    executed: int | None = None
    progress: float | None = None
    goal_ratio: float | None = None
    efficiency: float | None = None
    r_efficiency: float | None = None
    r_efficiency_optimal: float | None = None
    multitasking_score: float | None = None
    makespan: int | None = None
    optimal_makespan: int | None = None
    reference: str | None = None
    model: str | None = None
    line: int | None = None
    reason: str | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def row(self, *, trace: bool = False) -> dict[str, Any]:
        """Return the grade as a flat row, the benchmark's own fields at the end; ``steps`` only with ``trace``."""
        common = {name: getattr(self, name) for name in self.__slots__ if name != "details"}
        return common | {name: value for name, value in self.details.items() if trace or name != "steps"}

    def without_details(self) -> Grade:
        """Return the grade without its list of violations and steps, which are most of its size."""
        kept = {name: value for name, value in self.details.items() if name != "steps"}
        return replace(self, violations=None, details=kept)


class Grader:
    """Grades submissions under one profile; loads and solves every instance once.

    With ``price_waits`` the waits of TimeArena runs are split into costless and costly ones, which takes a
    solve for every minute next to a wait.
    """

    def __init__(
        self,
        rules: Profile = PROFILES["paper"],
        timearena_rules: timearena.Profile = timearena.PROFILES["paper"],
        *,
        price_waits: bool = False,
    ) -> None:
        self.rules = rules
        self.price_waits = price_waits
        self.timearena_rules = timearena_rules
        self._instances: dict[str, Instance] = {}
        self._minutes: dict[str, int | None] = {}
        # By identity: instances from files may share a name. They are kept in self._instances.
        self._references: dict[int, tuple[str, tuple[Command, ...] | None]] = {}

    def grade(self, submission: Any, line: int | None = None) -> Grade:
        """Grade one submission: ``{"id", "instance", "plan"}`` and optionally ``"model"``.

        Never raises for what a submission holds: one that cannot be judged, be it by a fault of ours, is
        unscored and says why.
        """
        try:
            return self._grade(submission, line)
        except Exception as error:
            fault = "" if isinstance(error, InputError) else f"internal error: {type(error).__name__}: "
            submitted = submission if isinstance(submission, dict) else {}
            return Grade(
                id=_text(submitted.get("id")),
                instance=_text(submitted.get("instance")),
                scored=False,
                model=_text(submitted.get("model")),
                line=line,
                reason=f"{fault}{error}"[:1000],
            )

    def _grade(self, submission: Any, line: int | None) -> Grade:
        if not isinstance(submission, dict):
            raise InputError("must be an object with id, instance and plan", field="submission", value=submission)
        for name in ("id", "instance"):
            if not isinstance(submission.get(name), str):
                raise InputError("must be text", field=name, value=submission.get(name))
        if not isinstance(submission.get("model"), str | None):
            raise InputError("must be text", field="model", value=submission["model"])
        instance = self._instance(submission["instance"])
        given = "actions" if instance.benchmark == "timearena" and "actions" in submission else "plan"
        if given not in submission:
            raise InputError("is missing", field=given)
        if instance.benchmark == "timearena":
            return self._grade_decisions(submission, submission[given], instance, line)
        best = optimum(instance)
        if instance.benchmark == "recipe2plan":
            run = replay(instance, parse(submission["plan"], instance, self.rules), self.rules)
            reference, figures, against_optimum = self._measure(instance, run)
        else:
            run = language(instance.benchmark).replay(instance, submission["plan"])
            reference, figures, against_optimum = None, None, None
        fatal = run.fatal
        return Grade(
            id=submission["id"],
            instance=submission["instance"],
            scored=True,
            success=run.success,
            violation=fatal.kind if fatal else None,
            violation_index=fatal.position if fatal else None,
            violations=_listed(run),
            executed=run.executed,
            progress=run.progress,
            goal_ratio=run.goal_ratio,
            efficiency=figures.efficiency if figures else None,
            r_efficiency=figures.r_efficiency if figures else None,
            r_efficiency_optimal=against_optimum,
            multitasking_score=figures.multitasking_score if figures else None,
            makespan=run.makespan,
            optimal_makespan=best.makespan if best.status == "optimal" else None,
            reference=reference,
            model=submission.get("model"),
            line=line,
        )

    def _grade_decisions(self, submission: dict[str, Any], given: Any, instance: Instance, line: int | None) -> Grade:
        limit = submission.get("time_limit", instance.time_limit)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MAX_MINUTES:
            raise InputError(f"must be whole minutes, at most {MAX_MINUTES}", field="time_limit", value=limit)
        scene = world(instance.name)
        made = decisions(given, scene, self.timearena_rules)
        run = decide(scene, made, limit, self.timearena_rules)
        figures = timearena_metrics.measure(run)
        common = as_replay(run)
        return Grade(
            id=submission["id"],
            instance=submission["instance"],
            scored=True,
            success=run.completed,
            violation=common.fatal.kind if common.fatal else None,
            violation_index=common.fatal.position if common.fatal else None,
            violations=_listed(common),
            executed=common.executed,
            progress=common.progress,
            goal_ratio=common.goal_ratio,
            makespan=run.total_time,
            optimal_makespan=self._least_minutes(instance),
            model=submission.get("model"),
            line=line,
            details={
                "end": run.end,
                "total_time": run.total_time,
                "score": run.score,
                "best_score": figures.best_score,
                "best_time": figures.best_time,
                "kinds": figures.kinds,
                "necessary_waits": figures.necessary_waits,
                "unnecessary_waits": figures.unnecessary_waits,
                "steps": [list(step) for step in run.steps],
            }
            | (self._priced(scene, made, limit) if self.price_waits else {}),
        )

    def _least_minutes(self, instance: Instance) -> int | None:
        """Optimum under the rules that grade, ``None`` if they leave no way to complete the tasks."""
        if instance.name not in self._minutes:
            problem: Instance | None = instance
            if self.timearena_rules.reserved_objects != "task":
                try:
                    problem = encode.instance(world(instance.name), self.timearena_rules)
                except InputError:  # an action is left without any object to do it with
                    problem = None
            best = None if problem is None else optimum(problem)
            self._minutes[instance.name] = best.makespan if best is not None and best.status == "optimal" else None
        return self._minutes[instance.name]

    def _priced(self, scene: World, made: list[str], limit: int) -> dict[str, Any]:
        costs = [wait.cost for wait in waits(scene, made, limit, self.timearena_rules)]
        known = [cost for cost in costs if cost is not None]
        return {
            "costless_waits": known.count(0),
            "costly_waits": len(known) - known.count(0),
            "unpriced_waits": len(costs) - len(known),
            "wait_cost": sum(known),
        }

    def _measure(self, instance: Instance, run: Replay) -> tuple[str, Efficiency, float | None]:
        name, reference = self._reference(instance)
        figures = measure(instance, run, reference, self.rules, whole=name == "optimal")
        if name == "optimal":
            return name, figures, figures.r_efficiency
        best = measure(instance, run, _optimal_commands(instance), self.rules, whole=True)
        return name, figures, best.r_efficiency

    def _instance(self, name: str) -> Instance:
        found = self._instances.get(name)
        if found is None:
            instances = catalogue.read(name) if catalogue.is_file(name) else [catalogue.load(name)]
            if len(instances) != 1:
                raise InputError("must name a single problem", field="instance", value=name)
            found = self._instances[name] = instances[0]
        return found

    def _reference(self, instance: Instance) -> tuple[str, tuple[Command, ...] | None]:
        found = self._references.get(id(instance))
        if found is None:
            plan = released_plan(instance) if self.rules.reference == "heuristic" else None
            name = "heuristic"
            if plan is None and (self.rules.reference == "optimal" or self.rules.missing_ref == "optimum"):
                name, plan = "optimal", _optimal_commands(instance)
            found = self._references[id(instance)] = (name if plan else "none", plan)
        return found


def _listed(run: Replay) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"index": v.position, "kind": v.kind, "subject": v.subject, "message": v.message} for v in run.violations
    )


def released_plan(instance: Instance) -> tuple[Command, ...] | None:
    """Return the released reference plan of a bundled instance, if it has one."""
    bundled = instance.benchmark == "recipe2plan" and instance.name in catalogue.bundled()
    if not bundled or instance is not catalogue.load(instance.name):
        return None
    _, setting, pair = instance.name.split("/")
    return facts.reference_plan(setting, pair)


def _optimal_commands(instance: Instance) -> tuple[Command, ...] | None:
    commands = instance.cache.get("optimal commands")
    if commands is None:
        best = optimum(instance)
        commands = parse(best.plan, instance).commands if best.status == "optimal" else ()
        instance.cache["optimal commands"] = commands
    assert isinstance(commands, tuple)
    return commands or None


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None


def read_submissions(stream: IO[bytes], source: str) -> Iterator[tuple[int, Any | InputError]]:
    """Yield the line number and the content of every line, or the error that a line is.

    Empty lines are passed over. A line longer than `MAX_LINE` is skipped to its end.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE)
            yield number, InputError(f"is longer than {MAX_LINE} bytes", source=source, field=f"line {number}")
            continue
        if not line.strip():
            continue
        try:
            yield number, load_json(line, source)
        except InputError as error:
            yield number, error


def grade_all(entries: Iterable[tuple[int, Any | InputError]], grader: Grader) -> Iterator[Grade]:
    """Grade every entry of `read_submissions`; lines that are errors become unscored grades."""
    for number, entry in entries:
        if isinstance(entry, InputError):
            yield Grade(id=None, instance=None, scored=False, line=number, reason=str(entry))
        else:
            yield grader.grade(entry, number)
