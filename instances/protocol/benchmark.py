"""Interface that every benchmark implements: problems, plan language, rules, metrics, feedback, live runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from planoracle.instances.errors import InputError
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.violations import Violation
from planoracle.instances.model_output.messages import is_cut
from planoracle.instances.protocol import bundled_optima
from planoracle.instances.protocol.bundled_optima import Entries
from planoracle.instances.protocol.capabilities import Catalog, SubmissionLimit
from planoracle.instances.protocol.environment import USUAL, RunConfig
from planoracle.instances.protocol.feedback import Examination, FeedbackItem, clock_of
from planoracle.instances.protocol.plan import (
    CUT_OFF,
    FAULTS,
    DroppedCommand,
    Plan,
    Reading,
    UnreadError,
    given_limit,
    given_plan,
)
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.protocol.run import MismatchEvidence, Run
from planoracle.instances.protocol.scoring import Average, Loophole, Reference, Row

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

    What it needs stands in its parts, each imported on first use: class attributes that `lazy` makes, or ``None``.
    A part is a module (or an object) with these functions; those in brackets are optional.

    - ``catalog``: the functions of `Catalog`; ``None`` if no problem has a name.
    - ``reader``: ``recognises(document)``, ``read(document, source)``, [``json_schema()``, ``file_of(name, folder)``].
    - ``language``: ``reading(problem, given, rules)``, which returns a `Reading`, or ``commands``, which returns the
      commands alone; for scheduling problems ``written(problem, schedule)`` and ``schedule(problem, plan)``;
      [``name_of(problem, action)``].
    - ``rules``: a `planoracle.instances.protocol.profiles.RuleSet`.
    - ``runs``: ``replay(problem, plan, rules)``, which returns a `planoracle.instances.protocol.run.Run`,
      [``under(problem, rules)``].
    - ``metrics``: ``COLUMNS``, ``averages(rules)``, ``measure(run, oracle)``, [``REFERENCES``].
    - ``feedback``: ``TOPICS``, ``examine(run)``, [``foreign(run)``].
    - ``live``: ``live(problem, rules, manner, reward)``, which returns a
      `planoracle.instances.protocol.environment.Environment`, [``repertoire(problem)``, ``SETTINGS``].
    - ``generator``: ``style()``, which returns a `Generator`.

    Attributes
    ----------
    name, title, citation
        As in names of problems, in headings, and in a bibliography.
    formerly
        What it was called in files and commands once, if it was.
    plan_fields
        Fields of a submission that may hold the plan, the one that counts first; the last is ``plan``.
    address_fields
        Fields of a submission, beside ``instance``, that say which problem it is for, see `addressed`.
    limit
        How a submission may limit its own run, if it may.
    first_moment
        What the first tick is called where ticks are counted one by one, as turns are; 0 or 1.
    slots
        Whether moments are units of time that are counted one by one: minutes, turns, steps.
    waits_are_commands
        Whether a plan must say that it waits.
    stepwise
        Whether the rules carry a plan out command by command; else they judge it as a whole.
    self_contained
        Whether an `Instance` alone says all that the rules need, so that it can stand in a file of our own format.
    foreign_share
        Of the commands of a failed plan, share that names what the problem lacks from which on it is thought to be
        for another problem: the smaller, the more names all problems have in common.
    hints
        Whether a critique may name commands that lead on: not where their parameters are a part of the solution.
    pricing
        Share of the usual work that is done to find out what best plans take, where graders ask for many problems.
    data
        What is in a copy of the authors' own data that names can mean, see `planoracle.instances.protocol.registry`;
        empty if
        they cannot. Where they mean files, `file_of` says which.
    heuristics
        The papers' own, by name: ``module:function`` as `planoracle.heuristics.registry` calls them.
    greedy
        The greedy ones among them; the agent `greedy` tries them before ours.
    """

    name: str
    title: str
    citation: str = ""
    formerly: str = ""
    plan_fields: tuple[str, ...] = ("plan",)
    address_fields: tuple[str, ...] = ()
    limit: SubmissionLimit | None = None
    first_moment: int = 0
    slots: bool = False
    waits_are_commands: bool = False
    stepwise: bool = True
    self_contained: bool = False
    hints: bool = True
    foreign_share: float = 0.25
    pricing: float = 1.0
    data: str = ""
    heuristics: Mapping[str, str] = {}
    greedy: tuple[str, ...] = ()

    catalog: Catalog | None = None
    reader: Any = None
    language: Any
    rules: RuleSet[_R]
    runs: Any
    metrics: Any
    feedback: Any
    live: Any = None
    generator: Any = None

    # Problems

    def note(self, name: str) -> str:
        """Return what is to be said of a problem that has a name of its but is not the authors', ``""`` for theirs."""
        return ""

    def recognises(self, document: object) -> bool:
        """Whether a JSON document holds problems of this benchmark."""
        return self.reader is not None and bool(self.reader.recognises(document))

    def read(self, document: object, source: str) -> list[_P]:
        """Return the problems of a document that is recognised.

        Raises
        ------
        InputError
            Naming field and value of a fault.
        """
        return list(self.reader.read(document, source))

    def read_data(self, data: bytes, path: str) -> list[_P]:
        """Return the problems of a file that is no JSON document, ``[]`` if it is none of this benchmark."""
        return []

    def file_of(self, name: str, folder: Path) -> str | None:
        """Return the file of the authors' `data` (or ``path#name`` in it) that a name means, ``None`` if there is none.

        ``name`` can be anything, and must not lead out of the folder.
        """
        found = getattr(self.reader, "file_of", None) if self.data else None
        return None if found is None else cast("str | None", found(name, folder))

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` that names what is missing if a folder is no copy of the authors' `data`."""

    def addressed(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name of the problem that a submission is for whose ``instance`` is a name of this benchmark.

        Here it is that name itself; elsewhere other fields of the record may say more. What this returns stays as it
        is if it is asked again. Raises `InputError` for a field that is not what it should be.
        """
        return name

    @abstractmethod
    def document(self, problem: _P) -> dict[str, Any]:
        """Return a problem as a document that can be read again."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what `document` returns; raises `InputError` if there is none."""
        found = getattr(self.reader, "json_schema", None)
        if found is None:
            raise InputError("has no JSON Schema", field="benchmark", value=self.name)
        return dict(found())

    @abstractmethod
    def with_agents(self, problem: _P, crew: str) -> Problem:
        """Return the same problem with other agents; ``crew`` is what stands behind its name, ``~3``.

        Raises
        ------
        InputError
            If it cannot have these.
        """

    def check(self, problem: _P) -> None:
        """Raise `InputError` if a valid problem asks for what the rules do not know or plans cannot say."""

    def environment(
        self, problem: _P, rules: _R | None = None, manner: RunConfig = USUAL, reward: Reward | None = None
    ) -> AnyEnvironment:
        """Return a live run of an agent by some rules (default: those of the problem).

        See `planoracle.instances.protocol.environment`; raises `InputError` if the benchmark has none.
        """
        if self.live is None:
            raise InputError("has no live environment", field="benchmark", value=self.name)
        return self.live.live(problem, self.rules_of(problem) if rules is None else rules, manner, reward)  # type: ignore[no-any-return]

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The ways in which its papers ask a model, by name, and the plain ones, see its module `live`."""
        from planoracle.instances.protocol.settings import PLAIN

        return {**PLAIN, **getattr(self.live, "SETTINGS", {})}

    def repertoire(self, problem: _P) -> ActionSpace | None:
        """Return what there can be to do in live runs of a problem, ``None`` where that is not known beforehand."""
        found = getattr(self.live, "repertoire", None)
        return None if found is None else cast("ActionSpace", found(problem))

    # Rules

    def rules_of(self, problem: _P) -> _R:
        """Return the rules by which a problem has been made, those of the paper unless it says otherwise."""
        return self.rules.profiles["paper"]

    def under(self, problem: _P, rules: _R) -> _P:
        """Return a problem as some rules leave it.

        Raises
        ------
        InputError
            If they leave no way to complete it.
        """
        under = getattr(self.runs, "under", None)
        return problem if under is None else cast(_P, under(problem, rules))

    # Plans

    def parse(self, problem: _P, submission: object, rules: _R | None = None) -> Plan[_C]:
        """Read a submission: a record with one of `plan_fields`, or a bare plan.

        Raises
        ------
        InputError, PlanError
            For what cannot be read.
        """
        given = given_plan(submission, self.plan_fields)
        limit = None if self.limit is None else given_limit(submission, *self.limit)
        chosen = self.rules_of(problem) if rules is None else rules
        cut = chosen.refuse_unread and is_cut(submission)
        found = self.reading(problem, [] if cut else given, chosen)
        fault = CUT_OFF if cut else found.fault
        if chosen.refuse_unread and found.doubtful and not fault:
            raise UnreadError.of(found)
        return Plan(given, found.commands, limit, found.read, found.read_from, found.ignored, fault)

    def reading(self, problem: _P, given: object, rules: _R) -> Reading[_C]:
        """Read a plan as it was handed in; raises `PlanError`.

        A module ``language`` with ``commands`` in place of ``reading`` does not tell what it left out.
        """
        language = self.language
        if hasattr(language, "reading"):
            return cast("Reading[_C]", language.reading(problem, given, rules))
        return Reading(cast(_C, language.commands(problem, given, rules)))

    def salvage(self, problem: _P, given: object) -> tuple[object, tuple[DroppedCommand, ...]]:
        """Return what is left of a plan without the parts that `reading` refuses, and these, where that is known."""
        return given, ()

    def replay(self, problem: _P, plan: Plan[_C], rules: _R | None = None) -> Run[_P, _C, _R]:
        """Replay a plan by the rules (default: those of the problem); never raises for what a plan holds."""
        chosen = self.rules_of(problem) if rules is None else rules
        run = cast("Run[_P, _C, _R]", self.runs.replay(problem, plan, chosen))
        if plan.fault:
            none = Violation(None, plan.fault, "answer")
            run.verdict = replace(run.verdict, success=False, fatal=none, violations=(none,))
        return run

    def run(self, problem: _P, submission: object, rules: _R | None = None) -> Run[_P, _C, _R]:
        """Read a submission and replay it, see `parse` and `replay`."""
        return self.replay(problem, self.parse(problem, submission, rules), rules)

    # Figures

    def is_held(self, run: Run[_P, _C, _R]) -> bool:
        """Whether a run cannot succeed in less than the optimum, as one may that gains by a guess."""
        return True

    @cached_property
    def _main(self) -> Average:
        averages: Sequence[Average] = self.metrics.averages(self.rules.profiles["paper"])
        return next(one for one in averages if "main" in one.role)

    def main_score(self, row: Row) -> float | None:
        """Return the main figure of a scored grade, from 0 to 1; ``None`` where it is not defined."""
        found = self._main.of(row)
        return found[0] / found[1] / self._main.full if found and found[1] else None

    @cached_property
    def optima(self) -> Entries:
        """The optima that ship, by the name of the problem, see `planoracle.instances.protocol.bundled_optima`."""
        return bundled_optima.read(type(self).__module__)

    def least(self, problem: _P) -> int | None:
        """Return the proved least makespan where a formula has it, in ticks."""
        return None

    @property
    def references(self) -> Sequence[Reference[_P]]:
        """What plans are compared with, beside the optimum and our own heuristics."""
        return getattr(self.metrics, "REFERENCES", ())

    @property
    def referenced(self) -> Sequence[str]:
        """Names of the problems whose published references an audit of the whole benchmark checks."""
        return () if self.catalog is None else self.catalog.names()

    @property
    def loopholes(self) -> Sequence[Loophole[_P]]:
        """Ways to pass the released grader by less than a problem asks for, which an audit shows."""
        return ()

    def summed(self, figures: Mapping[str, Any]) -> dict[str, float | None]:
        """Return more figures of a method over a set, under the paper's names.

        Parameters
        ----------
        figures
            A row of `planoracle.analysis.comparison.compare.summarize`.
        """
        return {}

    # Words

    def foreign(self, run: Run[_P, _C, _R]) -> MismatchEvidence:
        """Return what a plan names that the problem does not have at all; nothing where nobody looks for it."""
        found = getattr(self.feedback, "foreign", None)
        return MismatchEvidence() if found is None else cast(MismatchEvidence, found(run))

    def examine(self, run: Run[_P, _C, _R]) -> Examination:
        """Look closely at what is wrong with a run."""
        if run.plan.fault:
            faults = [FeedbackItem.of(one, FAULTS[one.kind]) for one in run.verdict.violations]
            return Examination(
                run.verdict, tuple(faults), clock_of(run.problem), lambda index: "your answer", whole=True
            )
        return cast(Examination, self.feedback.examine(run))

    def name_of(self, problem: _P, action: str) -> str:
        """Name an action in the benchmark's words."""
        name_of = getattr(self.language, "name_of", None)
        return action if name_of is None else str(name_of(problem, action))


#: Any benchmark, where its kind does not matter.
AnyBenchmark: TypeAlias = Benchmark[Any, Any, Any]
#: Any run, where its kind does not matter.
AnyRun: TypeAlias = Run[Any, Any, Any]
