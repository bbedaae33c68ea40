"""Interface that every benchmark implements: problems, plan language, rules, metrics, feedback."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path
from types import NotImplementedType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.messages import is_cut
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.bundled_results import Entries, Proofs, data_of, read_optima, read_proofs
from planoracle.instances.protocol.capabilities import Catalog, SubmissionLimit
from planoracle.instances.protocol.environment import USUAL, Environment, RunConfig
from planoracle.instances.protocol.feedback import ClockFormat, Examination, FeedbackItem
from planoracle.instances.protocol.plan import (
    CUT_OFF,
    FAULTS,
    DroppedCommand,
    Plan,
    Reading,
    UnreadError,
    submitted_limit,
    submitted_plan,
)
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.protocol.run import MismatchEvidence, Run
from planoracle.instances.protocol.scoring import Average, Metric, MetricSet, Reference, Row
from planoracle.instances.protocol.setting_files import bundled_settings, with_live_texts
from planoracle.instances.protocol.settings import SHARED
from planoracle.instances.protocol.simulator import Simulator

if TYPE_CHECKING:
    from planoracle.instances.protocol.capabilities import ActionSpace
    from planoracle.instances.protocol.environment import AnyEnvironment, Reward
    from planoracle.instances.protocol.settings import Setting


_P = TypeVar("_P", bound=Problem)
_C = TypeVar("_C")
_R = TypeVar("_R", bound=Rules)


@cache
def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


class _LazyPart:
    """Class attribute that imports a part of a benchmark on first use."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, benchmark: object, owner: type | None = None) -> Any:
        return _load(self.path)


def lazy(path: str) -> Any:
    """Return a class attribute that imports a part of a benchmark on first use.

    Parameters
    ----------
    path
        Module, as in ``lazy("tea_time.problems")``, or ``module:object``, as in ``lazy("tea_time.rules:RULE_SET")``.
    """
    return _LazyPart(path)


class Benchmark(ABC, Generic[_P, _C, _R]):
    """One benchmark: its problems ``P``, the commands ``C`` of its plans, and its rules ``R``.

    Its parts are class attributes made by `lazy`, or ``None``. Each is a module or an object with the functions listed
    here; those in brackets are optional.

    - ``catalog``: the functions of `Catalog`; ``None`` if no problem has a name.
    - ``reader``: ``recognises(document)``, ``read(document, source)``, [``json_schema()``, ``file_of(name, folder)``].
    - ``language``: ``reading(problem, plan, rules)``, which returns a `Reading`; [``name_of(problem, action)``]; for
      scheduling problems ``written(problem, schedule)`` and ``schedule(problem, plan)``.
    - ``rules``: a `planoracle.instances.protocol.profiles.RuleSet`.
    - ``runs``: ``replay(problem, plan, rules)``, which returns a `planoracle.instances.protocol.run.Run` (a
      `planoracle.instances.protocol.schedule_run.ScheduleRun` for scheduling problems),
      ``simulator(problem, rules)``, which returns a `planoracle.instances.protocol.simulator.Simulator`,
      [``under(problem, rules)``].
    - ``metrics``: a `planoracle.instances.protocol.scoring.MetricSet`, which declares each metric once.
    - ``feedback``: ``TOPICS``, ``examine(run)``, [``foreign(run)``].
    - ``live``: ``TEXT``, a subclass of `planoracle.instances.protocol.live.LiveText`, [``action_space(problem)``,
      ``SETTINGS``, ``WORDS``, ``TASK_WORDS``, ``is_unrelated(example, problem)``].
    - ``generator``: ``style()``, which returns a `Generator`.

    Attributes
    ----------
    name, title, citation
        First component of names of problems; heading; reference to the paper.
    former_name
        Earlier name in files and commands, if any.
    plan_fields
        Fields of a submission that may hold the plan, in order of precedence; the last is ``plan``.
    address_fields
        Fields of a submission beside ``instance`` that identify the problem, see `addressed_name`.
    detail_fields
        Further fields of a submission that metrics use.
    submission_limit
        Field by which a submission may limit its own run, if any.
    tick_origin
        Number of the first tick in texts, 0 or 1.
    has_discrete_time
        True if ticks are counted one by one: minutes, turns, steps.
    waits_are_commands
        True if a plan must state its waits.
    stepwise
        True if the rules carry out a plan command by command; False if they check it as a whole.
    self_contained
        True if an `Instance` holds all that the rules need, so that a file in the format of planoracle can state it.
    allows_hints
        False where parameters of commands are part of the solution, so that legal commands are a selection.
    mismatch_share
        Share of the commands of a failed plan that name what the problem lacks, from which on the plan is suspected to
        be for another problem. Smaller for benchmarks whose problems have many names in common.
    step_reward
        Default reward of the steps of learners: ``regret``, or ``score`` where the regret of a step takes long.
    grading_effort
        Fraction of the default solver effort spent per problem when grading.
    original_data
        Description of the authors' data that names can refer to in the user's copy; empty if there is none.
    heuristics
        Heuristics of the paper by name: ``module:function``, see `planoracle.heuristics.registry`.
    greedy_heuristics
        Names of the greedy ones, which the agent ``greedy`` tries before those of planoracle.
    tool_families
        Names of bundled families of tools, which no class of tools of another package or a file may have.
    group_units
        Units of the values of `groups`, where they have one.
    bins
        Inner ends of the bins of histograms, by metric. A bin contains its upper end.
    """

    name: str
    title: str
    citation: str = ""
    former_name: str = ""
    plan_fields: tuple[str, ...] = ("plan",)
    address_fields: tuple[str, ...] = ()
    detail_fields: tuple[str, ...] = ()
    submission_limit: SubmissionLimit | None = None
    tick_origin: int = 0
    has_discrete_time: bool = False
    waits_are_commands: bool = False
    stepwise: bool = True
    self_contained: bool = False
    allows_hints: bool = True
    mismatch_share: float = 0.25
    step_reward: str = "regret"
    grading_effort: float = 1.0
    original_data: str = ""
    heuristics: Mapping[str, str] = {}
    greedy_heuristics: tuple[str, ...] = ()
    tool_families: Collection[str] = ()
    group_units: Mapping[str, str] = {}
    bins: Mapping[str, tuple[float, ...]] = {}

    catalog: Catalog | None = None
    reader: Any = None
    language: Any
    rules: RuleSet[_R]
    runs: Any
    metrics: MetricSet[Any, _R]
    feedback: Any
    live: Any = None
    generator: Any = None

    def __reduce__(self) -> tuple[Callable[[str], AnyBenchmark], tuple[str]]:
        """Pickle a benchmark by its name: runs and environments hold theirs."""
        return registry.get, (self.name,)

    # Problems

    def note(self, name: str) -> str:
        """Return a remark on a bundled problem that is not the authors', ``""`` for theirs."""
        return ""

    def recognises(self, document: object) -> bool:
        """Return True if a JSON document holds problems of this benchmark."""
        return self.reader is not None and bool(self.reader.recognises(document))

    def read(self, document: object, source: str) -> list[_P]:
        """Return the problems of a recognised document; raises `InputError` with field and value."""
        return list(self.reader.read(document, source))

    def read_data(self, data: bytes, path: str) -> list[_P]:
        """Return the problems of a file that is no JSON document, ``[]`` if it is none of this benchmark."""
        return []

    def file_of(self, name: str, folder: Path) -> str | None:
        """Return the file of the authors' data that a name refers to, ``None`` if there is none.

        Parameters
        ----------
        name
            Any text.
        folder
            The user's copy of `original_data`; the result is a file in it, perhaps with ``#name``.
        """
        file_of = getattr(self.reader, "file_of", None) if self.original_data else None
        return None if file_of is None else cast("str | None", file_of(name, folder))

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` with the missing file if a folder is no copy of `original_data`."""

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the values of a problem by group, such as ``task`` or ``size``, for ``grade --by``.

        ``name`` is any text. All names have the same groups; a group is empty if the name does not contain its value. A
        problem with several values, such as one that combines tasks, counts for each.
        """
        return {"task": [name]}

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name of the problem that a submission is for.

        Parameters
        ----------
        name
            Its ``instance``, a name of this benchmark. A result of this method is returned unchanged. An empty name is
            that of a submission without ``instance``; the result is then empty, too, unless the record identifies a
            problem.
        record
            The submission, whose `address_fields` may say more; raises `InputError` for a wrong one.
        """
        return name

    @abstractmethod
    def document(self, problem: _P) -> dict[str, Any]:
        """Return a problem as a document that `read` accepts."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the result of `document`; raises `InputError` if there is none."""
        json_schema = getattr(self.reader, "json_schema", None)
        if json_schema is None:
            raise InputError("has no JSON Schema", field="benchmark", value=self.name)
        return dict(json_schema())

    @abstractmethod
    def with_agents(self, problem: _P, crew: str) -> Problem:
        """Return the same problem with other agents; raises `InputError` if it cannot have them.

        Parameters
        ----------
        crew
            Suffix of the name, as in ``~3``.
        """

    def variant(self, problem: _P, label: str) -> Problem:
        """Return a variant of the problem of a file; raises `InputError` if it has none.

        Parameters
        ----------
        label
            Text after the ``@`` of the name, as in ``mine.json@42``.
        """
        raise InputError(f"problems of {self.name} have no variants", field="name", value=f"{problem.name}@{label}")

    def check(self, problem: _P) -> None:
        """Raise `InputError` if a valid problem needs what the rules or the plan language lack."""

    def environment(
        self, problem: _P, rules: _R | None = None, config: RunConfig = USUAL, reward: Reward | None = None
    ) -> AnyEnvironment:
        """Return a live run by some rules (default: the problem's); raises `InputError` if there is none."""
        if self.live is None:
            raise InputError("has no live environment", field="benchmark", value=self.name)
        rules_of_run = self.default_rules(problem) if rules is None else rules
        return Environment(self, problem, rules_of_run, config, reward)

    def simulator(self, problem: _P, rules: _R) -> Simulator[Any, Any]:
        """Return the rules as code, in which commands change states; raises `InputError` if there are none."""
        if not hasattr(self.runs, "simulator"):
            raise InputError("has no simulator, which live runs require", field="benchmark", value=self.name)
        return self.runs.simulator(problem, rules)  # type: ignore[no-any-return]

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Prompt settings by name: ``closed``, ``open`` and those of its papers, in their current versions."""
        return {name: setting for name, setting in self.setting_versions.items() if "@" not in name}

    @cached_property
    def setting_versions(self) -> Mapping[str, Setting]:
        """Prompt settings by name; earlier versions have names such as ``closed@1``."""
        files = dict(bundled_settings(SHARED))
        if self.prompt_package != SHARED:
            files |= bundled_settings(self.prompt_package)
        settings = {name: with_live_texts(setting, self.live) for name, setting in files.items()}
        return settings | dict(getattr(self.live, "SETTINGS", {}))

    @property
    def prompt_package(self) -> str:
        """Package with the folders ``settings`` and ``prompts`` of the benchmark."""
        return getattr(self.live, "__package__", None) or SHARED

    def action_space(self, problem: _P) -> ActionSpace | None:
        """Return the possible commands in live runs of a problem, ``None`` if they are not known in advance."""
        of_problem = getattr(self.live, "action_space", None)
        return None if of_problem is None else cast("ActionSpace", of_problem(problem))

    # Rules

    def default_rules(self, problem: _P) -> _R:
        """Return the rules by which a problem was made; by default those of the paper."""
        return self.rules.profiles["paper"]

    def under(self, problem: _P, rules: _R) -> _P:
        """Return a problem as some rules change it; raises `InputError` if none of its plans can succeed."""
        under = getattr(self.runs, "under", None)
        return problem if under is None else cast(_P, under(problem, rules))

    def by_text(self, problem: _P) -> tuple[_P, str] | None:
        """Return the problem by its words, and in words what it lacks itself; ``None`` for nothing."""
        return None

    # Plans

    def parse(self, problem: _P, submission: object, rules: _R | None = None) -> Plan[_C]:
        """Read a submission: a record with one of `plan_fields`, or a bare plan.

        Raises
        ------
        InputError, PlanError
            If it cannot be read.
        """
        submitted = submitted_plan(submission, self.plan_fields)
        limit = None if self.submission_limit is None else submitted_limit(submission, *self.submission_limit)
        rules = self.default_rules(problem) if rules is None else rules
        cut = rules.refuse_unread and is_cut(submission)
        reading = self.reading(problem, [] if cut else submitted, rules)
        fault = CUT_OFF if cut else reading.fault
        if rules.refuse_unread and reading.doubtful and not fault:
            raise UnreadError.of(reading, self.right_line(problem))
        return Plan(submitted, reading.commands, limit, reading.read, reading.read_from, reading.ignored, fault)

    def reading(self, problem: _P, submitted: object, rules: _R) -> Reading[_C]:
        """Read a plan as submitted; raises `PlanError`."""
        return cast("Reading[_C]", self.language.reading(problem, submitted, rules))

    def right_line(self, problem: _P) -> str:
        """Return a line of a plan as an example in errors; by default that of the plan language."""
        right_line = getattr(self.language, "right_line", None)
        return "" if right_line is None else str(right_line(problem))

    def salvage(self, problem: _P, submitted: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Return a plan without the commands that `reading` refuses, and these."""
        return submitted, ()

    def replay(self, problem: _P, plan: Plan[_C], rules: _R | None = None) -> Run[_P, _C, _R]:
        """Replay a plan by the rules (default: those of the problem); never raises for the content of a plan.

        Raises
        ------
        BenchmarkError
            If the verdict of the rules contradicts itself, such as a success with a fatal violation.
        """
        rules_of_run = self.default_rules(problem) if rules is None else rules
        run: Run[_P, _C, _R] = self.runs.replay(problem, plan, rules_of_run)
        run.benchmark = self
        registry.check_verdict(problem, run.verdict)
        if plan.fault:
            violation = Violation(None, plan.fault, "answer")
            run.verdict = replace(run.verdict, success=False, fatal=violation, violations=(violation,))
        return run

    def run(self, problem: _P, submission: object, rules: _R | None = None) -> Run[_P, _C, _R]:
        """Read a submission and replay it, see `parse` and `replay`."""
        run = self.replay(problem, self.parse(problem, submission, rules), rules)
        run.submission = submission
        return run

    # Metrics

    def is_bounded_by_optimum(self, run: Run[_P, _C, _R]) -> bool:
        """Return False if a run can succeed in less than the optimum, for instance by a guess."""
        return True

    @cached_property
    def _main(self) -> Average:
        averages = self.metrics.averages(self.rules.profile())
        return next(average for average in averages if "main" in average.role)

    @cached_property
    def columns(self) -> Sequence[Metric[Any]]:
        """Metrics of the benchmark that have a column in frames and tables."""
        return self.metrics.columns(self.rules.profile())

    def main_score(self, row: Row) -> float | None:
        """Return the main score of a scored grade, from 0 to 1; ``None`` where it is undefined."""
        terms = self._main.terms(row)
        if not terms or not terms[1]:
            return None
        score: float = terms[0] / terms[1] / self._main.full
        return score

    @cached_property
    def optima(self) -> Entries:
        """Bundled optima by the name of the problem."""
        return read_optima(self.bundled_data)

    @cached_property
    def proofs(self) -> Proofs:
        """Bundled certificates by key."""
        return read_proofs(self.bundled_data)

    @cached_property
    def bundled_data(self) -> Traversable | None:
        """Folder of the bundled data in the package of the class; ``None`` if it is in no package.

        It is ``data/NAME``, or ``data`` if the package has no such folder.
        """
        return data_of(type(self).__module__, self.name)

    def optimum(self, problem: _P) -> int | NotImplementedType | None:
        """Return the optimal makespan that the benchmark states itself, in ticks; ``None`` if it has none.

        By default `NotImplemented`: the solvers of planoracle prove it. A benchmark overrides this if its rules ask for
        more than its problems state. No solver is then used, so regret, next and explain have no answer, and the
        result is shown as ``claimed`` or ``unknown``, never as ``optimal``.
        """
        return NotImplemented  # type: ignore[no-any-return]

    def formula_optimum(self, problem: _P) -> int | None:
        """Return the optimal makespan in ticks where a formula proves it."""
        return None

    @property
    def references(self) -> Sequence[Reference[_P]]:
        """Plans and makespans that plans are compared with, beside the optimum and the heuristics."""
        return self.metrics.references

    def paper_averages(self, averages: Mapping[str, Any]) -> dict[str, float | None]:
        """Return further averages of a method over a set, under the names of the paper.

        Parameters
        ----------
        averages
            A row of `planoracle.analysis.comparison.method_tables.summarize`.
        """
        return {}

    # Feedback

    def foreign(self, run: Run[_P, _C, _R]) -> MismatchEvidence:
        """Return the commands of a plan that name what the problem does not have."""
        foreign = getattr(self.feedback, "foreign", None)
        return MismatchEvidence() if foreign is None else cast(MismatchEvidence, foreign(run))

    def examine(self, run: Run[_P, _C, _R]) -> Examination:
        """Return the findings about a run."""
        if run.plan.fault:
            violations = run.verdict.violations
            faults = tuple(FeedbackItem.of(violation, FAULTS[violation.kind]) for violation in violations)
            clock = self.clock(run.problem)
            return Examination(run.verdict, faults, clock, lambda index: "your answer", whole=True)
        return cast(Examination, self.feedback.examine(run))

    def clock(self, problem: Problem) -> ClockFormat:
        """Return the text form of times of a problem."""
        return ClockFormat.of(problem, self.tick_origin, is_discrete=self.has_discrete_time)

    def name_of(self, problem: _P, action: str) -> str:
        """Name an action in the benchmark's words."""
        name_of = getattr(self.language, "name_of", None)
        return action if name_of is None else str(name_of(problem, action))


#: Any benchmark, whatever its kind.
AnyBenchmark: TypeAlias = Benchmark[Any, Any, Any]
#: Any run, whatever its kind.
AnyRun: TypeAlias = Run[Any, Any, Any]
