"""Public names for authors of benchmarks, provisional while the simulators are in development.

``planoracle benchmark new`` writes a package that uses them.

Benchmarks
----------
- `Benchmark`: base class of a benchmark whose problems are of any kind. Its method ``optimum(problem)`` may return
  what the benchmark itself claims to be optimal, or ``None`` if it has no optimum; by default the solvers prove it.
- `ScheduleBenchmark`: base class of a benchmark whose problems are scheduling problems.
- `GenericBenchmark`: base class of a benchmark whose plans are checked by the general scheduling rules.
- `lazy`: class attribute that imports a part of a benchmark on first use.
- `Catalog`: protocol of the part ``catalog``: named problems.
- `Generator`: value of the part ``generator``: random problems.
- `Parameters`: parameters of random problems.
- `random_precedences`: random partial order of a given strength.
- `below`: random whole number, the same on all platforms.
- `shuffled`: random permutation, the same on all platforms.
- `SubmissionLimit`: field by which a submission may limit its own run.
- `RuleSet`: part ``rules``: profiles, and the values of single rules.
- `Rules`: base class of a profile of rules.

Problems and schedules
----------------------
- `Problem`: protocol of a problem of any kind.
- `Instance`: scheduling problem.
- `Action`: step of a task, with its duration.
- `Mode`: way to carry out an action.
- `Demand`: use of a resource by a mode.
- `Resource`: object with a capacity, or with a state.
- `Calendar`: times at which agents and resources are off.
- `Transitions`: ways between places of agents, or set-up times between families of uses.
- `Feature`: feature of problems, such as optional tasks, that a benchmark declares.
- `Lag`: minimum and maximum time between two actions.
- `Piece`: part of an action that runs without interruption.
- `PartialSchedule`: started pieces of a run, and the current time.
- `Schedule`: pieces with their start times.
- `referee`: verdict of the general rules on a schedule.
- `Status`: status of a result: optimal, feasible, infeasible or unknown.
- `ProblemCache`: decorator that computes a function of a problem once.
- `CacheHolder`: base class of problems, which stores the values of these functions.
- `load_json`: strict reader of JSON text.
- `read_bytes`: reader of a file within the size limit.
- `check_document`: check of a JSON value against a type; names field and value of a fault.

Plans
-----
- `Plan`: submitted plan in the form that the rules take.
- `Reading`: commands of a plan, and the lines that were not read.
- `NO_PLAN`: fault of a reading that found no plan.
- `AMBIGUOUS`: fault of a reading that found several plans.
- `CUT_OFF`: fault of a reading of an unfinished answer.
- `Grammar`: base class for the steps of a plan language in text of a model.
- `StepMatch`: step in a line of text.
- `read_output`: reader of text, chats and JSON that a model wrote.
- `read_list`: reading of a plan that is a list of commands.
- `chat_in`: messages of a chat, if a value is one.
- `is_agents`: true for a message of the agent.
- `contents`: texts of a message, and the arguments of its tool calls.
- `whole_value`: JSON value that a text consists of.
- `Targets`: plan in terms of the scheduling model, from which repairs start.
- `Target`: command of a plan as a piece of an action.
- `DroppedCommand`: command that a repaired plan leaves out, with the reason.

Runs
----
- `Run`: replay of one plan.
- `ScheduleRun`: replay of a plan for a scheduling problem, decision by decision.
- `DecisionPath`: steps of a replay, and the decision points between them.
- `path_of`: path of steps from which the decision points follow.
- `DecisionPoint`: point of a run at which a decision is made.
- `waited`: point after a wait until a time.
- `wait_words`: text of a wait.
- `GenericRun`: replay of a schedule by the general rules.
- `GenericSimulator`: the general rules as code; its method `refusal` is for rules that no problem states.
- `ScheduleState`: state of a run by the general rules.
- `MAX_REFUSALS`: number of refused commands after which the next refusal ends a run.
- `Step`: effect of one command, a step of a run.
- `MismatchEvidence`: commands that name what the problem does not have.
- `Violation`: broken rule, with the required and the actual value.
- `Other`: another action in a violation, with its times.
- `Measure`: type of the required and the actual value.
- `Replay`: verdict on a run.
- `ReplayEvent`: accepted or rejected command of a verdict.

Metrics
-------
- `live_row_of_failure`: row of a live run without success; ``None`` for a success, which is graded.
- `MetricSet`: all metrics of the benchmark.
- `Declarations`: type of all metrics and averages, in their order.
- `Metric`: one metric of a run, with its average.
- `Measurement`: run and oracle, from which metrics are computed.
- `Optimum`: optimum that a grade reports.
- `Oracle`: protocol of the solver that metrics ask for optima.
- `Average`: aggregate of many grades: mean, ratio of sums, sum or counts.
- `Row`: type of a grade as a flat row.
- `generic_metrics`: module with the metrics of the general rules.
- `RECORDED`: metric with the verdict that another grader recorded with an answer.
- `RECORDED_FIELDS`: fields of a submission that may hold such a verdict.
- `Reference`: plan or makespan that plans are compared with.
- `Claim`: makespan that a reference states.

Feedback and live runs
----------------------
- `Topic`: section of a critique.
- `FeedbackItem`: sentence on a violation.
- `Examination`: findings about a run.
- `clean`: name from a submission, without markup and control characters.
- `quoted`: the same in quotes.
- `listed`: parts joined with commas and "and".
- `sentence`: text with a capital letter and a full stop.
- `clock_of`: texts for times of a problem.
- `ClockFormat`: text form of instants and durations.
- `brief`: description of a scheduling problem.
- `Simulator`: rules as code, in which commands change states.
- `ScheduleSimulator`: simulator of a scheduling problem, whose states are decision points.
- `fold`: state and steps after commands.
- `Unreadable`: message that holds no command, with the reason.
- `CLOSE`: command by which an agent ends the run.
- `Environment`: live run of an agent.
- `AnyEnvironment`: live run of an agent, of any kind of simulator.
- `LiveText`: base class for the texts of live runs.
- `text_of`: text of a message, without reasoning.
- `GenericText`: texts of live runs whose commands are pieces of a schedule.
- `generic_action_space`: action space of these runs.
- `RunConfig`: options of a live run.
- `LegalCommand`: command that the rules allow.
- `ActionSpace`: possible commands of the live runs of a problem.
- `Setting`: prompts and options by which a model is asked.

Kinds of problems
-----------------
- `Kind`: base class of a kind of problems: its solver, and what tables and figures show of it.
- `Timeline`: picture of a plan.
- `Result`: result of a solver.
- `SolveOptions`: options of a solver.

Heuristics
----------
- `register`: adds a benchmark, a heuristic, a kind of problems or a class of tools to this process.
- `Budget`: limits of a heuristic.
- `HeuristicOutcome`: schedule of a heuristic, or the reason why there is none.

Contract
--------
- `check_benchmark`: results of the contract suite on a benchmark.

Errors
------
- `InputError`: error in a file or an argument, with field and value.
- `BenchmarkError`: contradiction between the rules, the plan language and a problem of a benchmark.
- `NoSolverError`: problem or run for which there is no solver.
- `PlanError`: plan that cannot be read.
- `UnknownNameError`: name that does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planoracle.analysis.contract.suite import check_benchmark
from planoracle.heuristics.improve import Budget, HeuristicOutcome
from planoracle.instances.benchmarks.generic import Generic as GenericBenchmark
from planoracle.instances.benchmarks.generic import metrics as generic_metrics
from planoracle.instances.benchmarks.generic.live import GenericText
from planoracle.instances.benchmarks.generic.live import action_space as generic_action_space
from planoracle.instances.benchmarks.generic.rules import MAX_REFUSALS, GenericSimulator, ScheduleState
from planoracle.instances.benchmarks.generic.run import GenericRun
from planoracle.instances.errors import BenchmarkError, InputError, NoSolverError, PlanError, UnknownNameError
from planoracle.instances.files.strict_entries import check as check_document
from planoracle.instances.files.strict_json import load_json, read_bytes
from planoracle.instances.generate.parameters import Parameters, below, shuffled
from planoracle.instances.generate.random_network import random_precedences
from planoracle.instances.model.cache import CacheHolder, ProblemCache
from planoracle.instances.model.calendars import Calendar
from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
from planoracle.instances.model.limits import Status
from planoracle.instances.model.problem import Problem
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.model.schedule_rules import referee
from planoracle.instances.model.state import PartialSchedule
from planoracle.instances.model.transitions import Transitions
from planoracle.instances.model.violations import Measure, Other, Replay, ReplayEvent, Violation
from planoracle.instances.model_output.blocks import Grammar, StepMatch
from planoracle.instances.model_output.json_values import whole_value
from planoracle.instances.model_output.messages import chat_in, contents, is_agents
from planoracle.instances.model_output.reading import as_given as read_list
from planoracle.instances.model_output.reading import read as read_output
from planoracle.instances.protocol.benchmark import Benchmark, lazy
from planoracle.instances.protocol.capabilities import ActionSpace, Catalog, Generator, SubmissionLimit
from planoracle.instances.protocol.decision_points import DecisionPoint, wait_words, waited
from planoracle.instances.protocol.describe import brief
from planoracle.instances.protocol.environment import AnyEnvironment, Environment, RunConfig
from planoracle.instances.protocol.feedback import (
    ClockFormat,
    Examination,
    FeedbackItem,
    Topic,
    clean,
    listed,
    quoted,
    sentence,
)
from planoracle.instances.protocol.live import LiveText, text_of
from planoracle.instances.protocol.plan import (
    AMBIGUOUS,
    CUT_OFF,
    NO_PLAN,
    DroppedCommand,
    Plan,
    Reading,
    Target,
    Targets,
)
from planoracle.instances.protocol.profiles import Rules, RuleSet
from planoracle.instances.protocol.recorded_verdict import RECORDED, RECORDED_FIELDS
from planoracle.instances.protocol.registry import clock_of
from planoracle.instances.protocol.run import MismatchEvidence, Run
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
from planoracle.instances.protocol.schedule_run import DecisionPath, ScheduleRun, path_of
from planoracle.instances.protocol.scoring import (
    Average,
    Claim,
    Declarations,
    Measurement,
    Metric,
    MetricSet,
    Optimum,
    Oracle,
    Reference,
    Row,
    live_row_of_failure,
)
from planoracle.instances.protocol.settings import Setting
from planoracle.instances.protocol.simulator import (
    CLOSE,
    LegalCommand,
    ScheduleSimulator,
    Simulator,
    Step,
    Unreadable,
    fold,
)
from planoracle.solver.kinds.kind import Kind, Timeline
from planoracle.solver.register import register
from planoracle.solver.result import Result, SolveOptions

__all__ = [
    "AMBIGUOUS",
    "CLOSE",
    "CUT_OFF",
    "MAX_REFUSALS",
    "NO_PLAN",
    "RECORDED",
    "RECORDED_FIELDS",
    "Action",
    "ActionSpace",
    "AnyEnvironment",
    "Average",
    "Benchmark",
    "BenchmarkError",
    "Budget",
    "CacheHolder",
    "Calendar",
    "Catalog",
    "Claim",
    "ClockFormat",
    "DecisionPath",
    "DecisionPoint",
    "Declarations",
    "Demand",
    "DroppedCommand",
    "Environment",
    "Examination",
    "Feature",
    "FeedbackItem",
    "Generator",
    "GenericBenchmark",
    "GenericRun",
    "GenericSimulator",
    "GenericText",
    "Grammar",
    "HeuristicOutcome",
    "InputError",
    "Instance",
    "Kind",
    "Lag",
    "LegalCommand",
    "LiveText",
    "Measure",
    "Measurement",
    "Metric",
    "MetricSet",
    "MismatchEvidence",
    "Mode",
    "NoSolverError",
    "Optimum",
    "Oracle",
    "Other",
    "Parameters",
    "PartialSchedule",
    "Piece",
    "Plan",
    "PlanError",
    "Problem",
    "ProblemCache",
    "Reading",
    "Reference",
    "Replay",
    "ReplayEvent",
    "Resource",
    "Result",
    "Row",
    "RuleSet",
    "Rules",
    "Run",
    "RunConfig",
    "Schedule",
    "ScheduleBenchmark",
    "ScheduleRun",
    "ScheduleSimulator",
    "ScheduleState",
    "Setting",
    "Simulator",
    "SolveOptions",
    "Status",
    "Step",
    "StepMatch",
    "SubmissionLimit",
    "Target",
    "Targets",
    "Timeline",
    "Topic",
    "Transitions",
    "UnknownNameError",
    "Unreadable",
    "Violation",
    "below",
    "brief",
    "chat_in",
    "check_benchmark",
    "check_document",
    "clean",
    "clock_of",
    "contents",
    "fold",
    "generic_action_space",
    "generic_metrics",
    "is_agents",
    "lazy",
    "listed",
    "live_row_of_failure",
    "load_json",
    "path_of",
    "quoted",
    "random_precedences",
    "read_bytes",
    "read_list",
    "read_output",
    "referee",
    "register",
    "sentence",
    "shuffled",
    "text_of",
    "wait_words",
    "waited",
    "whole_value",
]

# Names of 0.11, with what replaces them.
_REPLACEMENTS = {
    "LegalAction": "LegalCommand, which has a piece and which ScheduleSimulator.choices yields",
    "Move": "Step, and ScheduleRun.points for the decision points",
    "Trajectory": "ScheduleRun with a ScheduleSimulator; its method compute_path returns a DecisionPath",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Raise an error, which names the replacement of a removed name."""
        if name in _REPLACEMENTS:
            raise BenchmarkError(f"was removed after 0.11; use {_REPLACEMENTS[name]}", field=f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
