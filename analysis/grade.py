"""Grade submitted plans: replay by the rules, the paper's metrics, and the same against the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal

from planoracle.analysis.judges.common import Judge, OwnJudge
from planoracle.instances import catalogue
from planoracle.instances.asynctool import profile as asynctool
from planoracle.instances.catalogue import Problem
from planoracle.instances.errors import InputError
from planoracle.instances.files import load_json
from planoracle.instances.model import Instance
from planoracle.instances.recipe2plan import profile as recipe2plan
from planoracle.instances.robotouille import profile as robotouille
from planoracle.instances.timearena import profile as timearena

__all__ = ["Grade", "Grader", "grade_all", "read_submissions"]

#: Longest submission line that is read, in bytes; longer ones are skipped and reported.
MAX_LINE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Grade:
    """Verdict on one submission, or the reason why there is none.

    Attributes
    ----------
    benchmark
        Whose rules and metrics apply; ``None`` if the instance is unknown.
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
        necessary_waits, unnecessary_waits, steps``; AsyncTool: see
        `planoracle.analysis.metrics.asynctool.measure`; Robotouille: see `RobotouilleJudge.judge`.
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
    benchmark: str | None = None
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
    """Grades submissions, each benchmark's under one profile; loads and solves every instance once.

    With ``price_waits`` the waits of TimeArena runs are split into costless and costly ones, which takes a
    solve for every minute next to a wait. ``limit`` says what the step limit of kitchens is taken from, with
    ``price_rest`` the steps left of failed runs are solved for. ``originals`` is a folder with the simulator's
    kitchens: ``robotouille/asynchronous/…`` and ``seeded/…`` then are its files, not ours.
    """

    def __init__(
        self,
        rules: recipe2plan.Profile = recipe2plan.PROFILES["paper"],
        timearena_rules: timearena.Profile = timearena.PROFILES["paper"],
        asynctool_rules: asynctool.Profile = asynctool.PROFILES["paper"],
        robotouille_rules: robotouille.Profile = robotouille.PROFILES["paper"],
        *,
        price_waits: bool = False,
        limit: Literal["optimum", "published"] = "optimum",
        price_rest: bool = False,
        originals: Path | None = None,
    ) -> None:
        self.rules = rules
        self.timearena_rules = timearena_rules
        self.asynctool_rules = asynctool_rules
        self.robotouille_rules = robotouille_rules
        self.price_waits = price_waits
        self.limit: Literal["optimum", "published"] = limit
        self.price_rest = price_rest
        self.originals = originals
        self._instances: dict[str, Problem] = {}
        self._judges: dict[str, Judge] = {}

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
                benchmark=self._benchmark(submitted.get("instance")),
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
        return Grade(
            id=submission["id"],
            instance=submission["instance"],
            benchmark=_benchmark(instance),
            scored=True,
            model=submission.get("model"),
            line=line,
            **self._judge(_benchmark(instance)).judge(instance, submission),
        )

    def _judge(self, benchmark: str) -> Judge:
        if benchmark not in self._judges:
            self._judges[benchmark] = self._new_judge(benchmark)
        return self._judges[benchmark]

    def _new_judge(self, benchmark: str) -> Judge:
        # Imported when needed: a judge brings its benchmark's rules and metrics.
        if benchmark == "recipe2plan":
            from planoracle.analysis.judges.recipe2plan import Recipe2PlanJudge

            return Recipe2PlanJudge(self.rules)
        if benchmark == "timearena":
            from planoracle.analysis.judges.timearena import TimeArenaJudge

            return TimeArenaJudge(self.timearena_rules, price_waits=self.price_waits)
        if benchmark == "asynctool":
            from planoracle.analysis.judges.asynctool import AsyncToolJudge

            return AsyncToolJudge(self.asynctool_rules)
        if benchmark == "robotouille":
            from planoracle.analysis.judges.robotouille import RobotouilleJudge

            return RobotouilleJudge(self.robotouille_rules, limit=self.limit, price_rest=self.price_rest)
        return OwnJudge()

    def _benchmark(self, name: Any) -> str | None:
        """Return the benchmark of a name, also of one that does not exist."""
        if not isinstance(name, str):
            return None
        head = name.partition("/")[0]
        known = self._instances.get(name)
        return _benchmark(known) if known is not None else head if head in catalogue.BENCHMARKS else None

    def _instance(self, name: str) -> Problem:
        found = self._instances.get(name)
        if found is None:
            original = self._original(name)
            name_or_path = name if original is None else str(original)
            known = catalogue.is_file(name_or_path)
            instances = catalogue.read_problems(name_or_path) if known else [catalogue.problem(name)]
            if len(instances) != 1:
                raise InputError("must name a single problem", field="instance", value=name)
            found = self._instances[name] = instances[0]
        return found

    def _original(self, name: str) -> Path | None:
        """Return the file of a kitchen's name in the folder of originals, if there is one."""
        inner = Path(name.removeprefix("robotouille/"))
        if self.originals is None or len(name) > 300 or "\0" in name or inner.is_absolute() or ".." in inner.parts:
            return None
        candidates = (self.originals / inner.parent / f"{inner.name}{ending}" for ending in ("", ".json"))
        return next((path for path in candidates if path.is_file()), None)


def _benchmark(problem: Problem) -> str:
    return problem.benchmark if isinstance(problem, Instance) else "robotouille"


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
