"""The work on single plans, as every worker process does it; problems are loaded and solved once in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from planoracle.analysis.critics.common import Best, sections_of
from planoracle.analysis.critique import critic_of, critique
from planoracle.analysis.efficiency import efficiency
from planoracle.analysis.grade import Grade, Grader
from planoracle.analysis.judges.common import Judge
from planoracle.analysis.kitchens import kitchen_regret
from planoracle.analysis.profiles import profiles
from planoracle.analysis.regret import Regret, regret_of
from planoracle.analysis.repairs.common import Reader
from planoracle.analysis.report import details as sheets
from planoracle.analysis.report.charts import deeds, instance_chart, kitchen_chart
from planoracle.analysis.report.encode import packed, plain
from planoracle.analysis.submissions import fault_of
from planoracle.analysis.trajectories import trajectory_of
from planoracle.instances.errors import PlanoracleError
from planoracle.instances.kitchens.kitchen import Kitchen
from planoracle.instances.kitchens.language import parse
from planoracle.instances.kitchens.run import as_replay, replay
from planoracle.instances.model import Instance
from planoracle.instances.problem import of_kind
from planoracle.instances.status import Status
from planoracle.instances.trajectory import Trajectory
from planoracle.solver.kitchens.planner import KitchenResult, plan

__all__ = ["Bench", "Options", "Priced", "Shown", "bench"]

# Seconds for the best plan of a kitchen, as in grading, and for one situation of a run.
_KITCHEN, _SITUATION = 10.0, 10.0
# Runs of more commands are not priced.
_MAX_PRICED = 1_000


class Options(NamedTuple):
    """What decides how plans are judged: the name of the rule profile, and a folder of original kitchens."""

    profile: str = "paper"
    originals: Path | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan graded (without the lists that make grades large), and its sheet as JSON."""

    grade: Grade
    faults: int
    sheet: str


@dataclass(frozen=True, slots=True)
class Priced:
    """The decisions of a plan as JSON; what they cost in all, and the optimum (``None``: not proved)."""

    sheet: str
    total: int | None
    optimum: int | None


class _SharedGrader(Grader):
    """A grader that solves kitchens by a function it is given."""

    def __init__(self, solved: Any, options: Options) -> None:
        rules = profiles(options.profile)
        names = ("recipe2plan", "timearena", "asynctool", "robotouille")
        super().__init__(*(rules[name] for name in names), originals=options.originals)
        self._solved = solved

    def _new_judge(self, benchmark: str) -> Judge:
        if benchmark != "robotouille":
            return super()._new_judge(benchmark)
        from planoracle.analysis.judges.robotouille import RobotouilleJudge

        return RobotouilleJudge(self.robotouille_rules, optimum=self._solved)


class Bench:
    """Grades, explains and prices plans under one profile."""

    def __init__(self, options: Options) -> None:
        self.rules = profiles(options.profile)
        self.grader = _SharedGrader(self._best, options)
        self._kitchens: dict[Kitchen, KitchenResult] = {}
        self._judged: dict[str, Trajectory] = {}
        self._readers: dict[str, Reader] = {}

    def chart(self, name: str) -> str | None:
        """Return the chart of a problem as JSON, ``None`` if there is none that can be drawn."""
        try:
            problem = self.grader.problems.find(name)
            if isinstance(problem, Kitchen):
                return packed(kitchen_chart(problem, self._best(problem), self.rules["robotouille"]))
            course = self._course(name, of_kind(problem, Instance))
            return packed(instance_chart(course.instance, solvable=course.impossible is None))
        except PlanoracleError:  # every plan for it says why it is not graded
            return None

    def show(self, submission: dict[str, Any]) -> Shown:
        """Grade and explain a submission; like grading, this never raises for what it holds."""
        grade = self.grader.grade(submission)
        if not grade.scored:
            return Shown(grade, 0, packed({"plan": sheets.plan_text(submission)}))
        try:
            sheet = self._sheet(submission, grade)
        except Exception as error:  # the grade stands, whatever becomes of its explanation
            sheet = {"fault": plain(fault_of(error), 1000)}
        sheet |= {"metrics": sheets.metrics(grade), "plan": sheets.plan_text(submission)}
        return Shown(grade.without_details(), len(grade.violations or ()), packed(sheet))

    def price(self, submission: dict[str, Any], seconds: float) -> Priced | None:
        """Price the decisions of a submission that has been graded; ``None`` if there is no time or they cannot be."""
        if seconds <= 0:
            return None
        try:
            found = self._regret(submission, seconds)
        except Exception:  # the page says that the decisions are not priced
            return None
        return None if found is None else Priced(packed(sheets.regret_sheet(found)), found.total, found.optimum)

    def _regret(self, submission: dict[str, Any], left: float) -> Regret | None:
        """Price a submission within so many seconds; ``None`` if it is too long."""
        name = submission["instance"]
        problem = self.grader.problems.find(name)
        rules = self.rules[problem.benchmark]
        if isinstance(problem, Kitchen):
            count = len(parse(_actions(submission), problem.domain, rules))
            seconds = _each(left, count)
            return None if count > _MAX_PRICED else kitchen_regret(problem, submission, rules, seconds=seconds)
        run = trajectory_of(self._judging(name, of_kind(problem, Instance)), submission, rules)
        count = len(run.moves)
        return None if count > _MAX_PRICED else regret_of(run, seconds=_each(left, count))

    def _judging(self, name: str, problem: Instance) -> Instance:
        """Return the problem as the rules that judge see it, if they leave a way to complete it."""
        course = self._course(name, problem)
        return problem if course.impossible is not None else course.instance

    def _course(self, name: str, problem: Instance) -> Trajectory:
        """Return a run that has not begun, with the problem as the rules leave it."""
        if name not in self._judged:
            self._judged[name] = trajectory_of(problem, None, self.rules[problem.benchmark])
        return self._judged[name]

    def _sheet(self, submission: dict[str, Any], grade: Grade) -> dict[str, Any]:
        problem = self.grader.problems.find(submission["instance"])
        if isinstance(problem, Kitchen):
            return self._kitchen_sheet(problem, submission, grade)
        judged = self._judging(submission["instance"], of_kind(problem, Instance))
        rules = self.rules[problem.benchmark]
        report = critique(judged, submission, rules=rules, regret=False)
        run = trajectory_of(judged, submission, rules)
        reader = None if grade.success and not grade.violations else self._reader(problem.benchmark)
        return {
            "pieces": sheets.pieces_of(run, reader, submission),
            "faults": sheets.faults(report.sections),
            "critic": sheets.prose(report.prose()),
        }

    def _kitchen_sheet(self, kitchen: Kitchen, submission: dict[str, Any], grade: Grade) -> dict[str, Any]:
        rules = self.rules["robotouille"]
        critic = critic_of(kitchen, rules)
        examined = critic.examine(kitchen, submission)
        sections = sections_of(critic.topics, examined, critic.name(kitchen))
        best, idle = self._best(kitchen), None
        if best.status == Status.optimal:
            idle = as_replay(replay(kitchen, best.actions, rules)).idle
        steps = grade.optimal_makespan
        known = Best(best.status, steps, steps if steps is not None else best.lower_bound, idle)
        beside = efficiency(examined, known).text
        made = replay(kitchen, parse(_actions(submission), kitchen.domain, rules), rules, submission.get("limit"))
        told = sheets.kitchen_prose(grade, sections)
        return deeds(made) | {
            "faults": sheets.faults(sections),
            "critic": [*told, *([["Efficiency", beside]] if beside else [])],
        }

    def _best(self, kitchen: Kitchen) -> KitchenResult:
        if kitchen not in self._kitchens:
            self._kitchens[kitchen] = plan(kitchen, time_limit=_KITCHEN, rules=self.rules["robotouille"])
        return self._kitchens[kitchen]

    def _reader(self, benchmark: str) -> Reader:
        if benchmark not in self._readers:
            self._readers[benchmark] = _new_reader(benchmark, self.rules[benchmark])
        return self._readers[benchmark]


def _actions(submission: dict[str, Any]) -> Any:
    return submission.get("actions", submission.get("plan"))


def _each(left: float, count: int) -> float:
    """Return the seconds for one of so many situations."""
    return min(_SITUATION, max(0.01, left / (count + 1)))


def _new_reader(benchmark: str, rules: Any) -> Reader:
    # Imported when needed: a reader brings its benchmark's rules.
    if benchmark == "recipe2plan":
        from planoracle.analysis.repairs.recipe2plan import Recipe2PlanReader

        return Recipe2PlanReader(rules)
    if benchmark == "timearena":
        from planoracle.analysis.repairs.timearena import TimeArenaReader

        return TimeArenaReader(rules)
    if benchmark == "asynctool":
        from planoracle.analysis.repairs.asynctool import AsyncToolReader

        return AsyncToolReader(rules)
    from planoracle.analysis.repairs.own import OwnReader

    return OwnReader()


@lru_cache(maxsize=1)
def bench(options: Options) -> Bench:
    """Return the bench of this process."""
    return Bench(options)
