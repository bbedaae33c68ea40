"""Grade submitted plans: replay by the rules, the paper's metrics, and the same against the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from planoracle.analysis.judges.common import Judge, OwnJudge
from planoracle.analysis.problems import Problems
from planoracle.analysis.submissions import checked, fault_of
from planoracle.instances import catalogue
from planoracle.instances.asynctool import profile as asynctool
from planoracle.instances.errors import InputError
from planoracle.instances.kitchens import profile as robotouille
from planoracle.instances.recipe2plan import profile as recipe2plan
from planoracle.instances.timearena import profile as timearena

__all__ = ["Grade", "Grader", "grade_all"]


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
        As in the paper, see :mod:`planoracle.instances.recipe2plan.metrics`. ``None``: undefined.
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
        `planoracle.instances.asynctool.metrics.measure`; Robotouille: see `RobotouilleJudge.judge`.
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

    @classmethod
    def of_row(cls, row: dict[str, Any], **changes: Any) -> Grade:
        """Return the grade of a `row`, with changes; ``line`` may be missing."""
        common = {name: row[name] for name in cls.__slots__ if name in row}
        details = {name: value for name, value in row.items() if name not in common}
        return cls(**{**common, "details": details, **changes})

    def without_details(self) -> Grade:
        """Return the grade without its list of violations and steps, which are most of its size."""
        kept = {name: value for name, value in self.details.items() if name != "steps"}
        return replace(self, violations=None, details=kept)


class Grader:
    """Grades submissions, each benchmark's under one profile; loads and solves every instance once.

    With ``price_waits`` the waits of TimeArena runs are split into costless and costly ones, which takes a
    solve for every minute next to a wait. ``limit`` says what the step limit of kitchens is taken from, with
    ``price_rest`` the steps left of failed runs are solved for. ``originals`` is a folder with the simulator's
    kitchens: ``robotouille/asynchronous/…`` and ``seeded/…`` then are its files, not ours; ``problems`` finds problems
    in another way.
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
        problems: Problems | None = None,
    ) -> None:
        self.rules = rules
        self.timearena_rules = timearena_rules
        self.asynctool_rules = asynctool_rules
        self.robotouille_rules = robotouille_rules
        self.price_waits = price_waits
        self.limit: Literal["optimum", "published"] = limit
        self.price_rest = price_rest
        self.problems = problems or Problems(originals)
        self._judges: dict[str, Judge] = {}

    def grade(self, submission: Any, line: int | None = None) -> Grade:
        """Grade one submission: ``{"id", "instance", "plan"}`` and optionally ``"model"``.

        Never raises for what a submission holds: one that cannot be judged, be it by a fault of ours, is
        unscored and says why.
        """
        try:
            return self._grade(submission, line)
        except Exception as error:
            submitted = submission if isinstance(submission, dict) else {}
            return Grade(
                id=_text(submitted.get("id")),
                instance=_text(submitted.get("instance")),
                benchmark=self._benchmark(submitted.get("instance")),
                scored=False,
                model=_text(submitted.get("model")),
                line=line,
                reason=fault_of(error),
            )

    def _grade(self, submission: Any, line: int | None) -> Grade:
        submission = checked(submission)
        instance = self.problems.find(submission["instance"])
        return Grade(
            id=submission["id"],
            instance=submission["instance"],
            benchmark=instance.benchmark,
            scored=True,
            model=submission.get("model"),
            line=line,
            **self._judge(instance.benchmark).judge(instance, submission),
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
        known = self.problems.known(name)
        return known.benchmark if known is not None else head if head in catalogue.BENCHMARKS else None


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None


def grade_all(entries: Iterable[tuple[int, Any | InputError]], grader: Grader) -> Iterator[Grade]:
    """Grade every entry of `read_submissions`; lines that are errors become unscored grades."""
    for number, entry in entries:
        if isinstance(entry, InputError):
            yield Grade(id=None, instance=None, scored=False, line=number, reason=str(entry))
        else:
            yield grader.grade(entry, number)
