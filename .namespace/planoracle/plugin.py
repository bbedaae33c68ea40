"""Public names for authors of benchmarks, provisional until the simulators stand.

Each name is imported on first use. ``planoracle benchmark new`` writes a package that uses them.

Benchmarks
----------
- `Benchmark`: base class of a benchmark whose problems are of any kind. Its method ``optimum(problem)`` may return
  what the benchmark itself claims to be optimal, or ``None`` if it has no optimum; by default the solvers prove it.
- `ScheduleBenchmark`: base class of a benchmark whose problems are scheduling problems.
- `GenericBenchmark`: base class of a benchmark whose plans are judged by the general scheduling rules.
- `lazy`: class attribute that imports a part of a benchmark on first use.
- `Catalog`: protocol of the part ``catalog``: named problems.
- `Generator`: value of the part ``generator``: random problems.
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
- `Lag`: least and greatest time between two actions.
- `Piece`: part of an action that runs without interruption.
- `Schedule`: pieces with their start times.
- `referee`: verdict of the general rules on a schedule.
- `load_json`: strict reader of JSON text.
- `read_bytes`: reader of a file within the size limit.
- `check_document`: check of a JSON value against a type; names field and value of a fault.

Plans
-----
- `Plan`: submitted plan in the form that the rules take.
- `Reading`: commands of a plan, and the lines that were not read.
- `Grammar`: base class for the steps of a plan language in text of a model.
- `StepMatch`: step in a line of text.
- `read_output`: reader of text, chats and JSON that a model wrote.
- `read_list`: reading of a plan that is a list of commands.

Runs
----
- `Run`: replay of one plan.
- `Trajectory`: replay of a plan for a scheduling problem, decision by decision.
- `GenericRun`: replay of a schedule by the general rules.
- `GenericSimulator`: the general rules as code.
- `Step`: effect of one command, a step of a run.
- `MismatchEvidence`: commands that name what the problem does not have.
- `Violation`: broken rule, with the required and the actual value.
- `Replay`: verdict on a run.

Metrics
-------
- `MetricSet`: all metrics of the benchmark.
- `Metric`: one metric of a run, with its average.
- `Measurement`: run and oracle, from which metrics are computed.
- `Optimum`: optimum that a grade reports.
- `Oracle`: protocol of the solver that metrics ask for optima.
- `Average`: aggregate of many grades: mean, ratio of sums, sum or counts.
- `generic_metrics`: module with the metrics of the general rules.
- `Reference`: plan or makespan that plans are compared with.
- `Claim`: makespan that a reference states.
- `Loophole`: way to pass the released grader with less work.

Feedback and live runs
----------------------
- `Topic`: section of a critique.
- `FeedbackItem`: sentence on a violation.
- `Examination`: findings about a run.
- `Simulator`: rules as code, in which commands change states.
- `Environment`: live run of an agent.
- `LiveText`: base class for the texts of live runs.
- `RunConfig`: options of a live run.
- `LegalCommand`: command that the rules allow.
- `Setting`: prompts and options by which a model is asked.

Contract
--------
- `check_benchmark`: results of the contract suite on a benchmark.

Errors
------
- `InputError`: error in a file or an argument, with field and value.
- `BenchmarkError`: contradiction between the rules, the plan language and a problem of a benchmark.
- `PlanError`: plan that cannot be read.
- `UnknownNameError`: name that does not exist.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing typing would take longer
if TYPE_CHECKING:
    from planoracle.analysis.contract.suite import check_benchmark
    from planoracle.instances.benchmarks.generic import Generic as GenericBenchmark
    from planoracle.instances.benchmarks.generic import metrics as generic_metrics
    from planoracle.instances.benchmarks.generic.rules import GenericSimulator
    from planoracle.instances.benchmarks.generic.run import GenericRun
    from planoracle.instances.errors import BenchmarkError, InputError, PlanError, UnknownNameError
    from planoracle.instances.files.instance_file import check as check_document
    from planoracle.instances.files.strict_json import load_json, read_bytes
    from planoracle.instances.model.instance import Action, Demand, Instance, Lag, Mode, Resource
    from planoracle.instances.model.problem import Problem
    from planoracle.instances.model.schedule import Piece, Schedule
    from planoracle.instances.model.schedule_rules import referee
    from planoracle.instances.model.violations import Replay, Violation
    from planoracle.instances.model_output.blocks import Grammar, StepMatch
    from planoracle.instances.model_output.reading import as_given as read_list
    from planoracle.instances.model_output.reading import read as read_output
    from planoracle.instances.protocol.benchmark import Benchmark, lazy
    from planoracle.instances.protocol.capabilities import Catalog, Generator, SubmissionLimit
    from planoracle.instances.protocol.environment import Environment, RunConfig
    from planoracle.instances.protocol.feedback import Examination, FeedbackItem, Topic
    from planoracle.instances.protocol.live import LiveText
    from planoracle.instances.protocol.plan import Plan, Reading
    from planoracle.instances.protocol.profiles import Rules, RuleSet
    from planoracle.instances.protocol.run import MismatchEvidence, Run
    from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark
    from planoracle.instances.protocol.scoring import (
        Average,
        Claim,
        Loophole,
        Measurement,
        Metric,
        MetricSet,
        Optimum,
        Oracle,
        Reference,
    )
    from planoracle.instances.protocol.settings import Setting
    from planoracle.instances.protocol.simulator import LegalCommand, Simulator, Step
    from planoracle.instances.protocol.trajectory import Trajectory

#: Module of every public name, or ``module:name``.
_PLACES = {
    "Action": "instances.model.instance:Action",
    "Average": "instances.protocol.scoring:Average",
    "Benchmark": "instances.protocol.benchmark:Benchmark",
    "BenchmarkError": "instances.errors:BenchmarkError",
    "Catalog": "instances.protocol.capabilities:Catalog",
    "Claim": "instances.protocol.scoring:Claim",
    "Demand": "instances.model.instance:Demand",
    "Environment": "instances.protocol.environment:Environment",
    "Examination": "instances.protocol.feedback:Examination",
    "FeedbackItem": "instances.protocol.feedback:FeedbackItem",
    "Generator": "instances.protocol.capabilities:Generator",
    "GenericBenchmark": "instances.benchmarks.generic:Generic",
    "GenericRun": "instances.benchmarks.generic.run:GenericRun",
    "GenericSimulator": "instances.benchmarks.generic.rules:GenericSimulator",
    "Grammar": "instances.model_output.blocks:Grammar",
    "InputError": "instances.errors:InputError",
    "Instance": "instances.model.instance:Instance",
    "Lag": "instances.model.instance:Lag",
    "LegalCommand": "instances.protocol.simulator:LegalCommand",
    "LiveText": "instances.protocol.live:LiveText",
    "Loophole": "instances.protocol.scoring:Loophole",
    "Measurement": "instances.protocol.scoring:Measurement",
    "Metric": "instances.protocol.scoring:Metric",
    "MetricSet": "instances.protocol.scoring:MetricSet",
    "MismatchEvidence": "instances.protocol.run:MismatchEvidence",
    "Mode": "instances.model.instance:Mode",
    "Optimum": "instances.protocol.scoring:Optimum",
    "Oracle": "instances.protocol.scoring:Oracle",
    "Piece": "instances.model.schedule:Piece",
    "Plan": "instances.protocol.plan:Plan",
    "PlanError": "instances.errors:PlanError",
    "Problem": "instances.model.problem:Problem",
    "Reading": "instances.protocol.plan:Reading",
    "Reference": "instances.protocol.scoring:Reference",
    "Replay": "instances.model.violations:Replay",
    "Resource": "instances.model.instance:Resource",
    "RuleSet": "instances.protocol.profiles:RuleSet",
    "Rules": "instances.protocol.profiles:Rules",
    "Run": "instances.protocol.run:Run",
    "RunConfig": "instances.protocol.environment:RunConfig",
    "Schedule": "instances.model.schedule:Schedule",
    "ScheduleBenchmark": "instances.protocol.schedule_benchmark:ScheduleBenchmark",
    "Setting": "instances.protocol.settings:Setting",
    "Simulator": "instances.protocol.simulator:Simulator",
    "Step": "instances.protocol.simulator:Step",
    "StepMatch": "instances.model_output.blocks:StepMatch",
    "SubmissionLimit": "instances.protocol.capabilities:SubmissionLimit",
    "Topic": "instances.protocol.feedback:Topic",
    "Trajectory": "instances.protocol.trajectory:Trajectory",
    "UnknownNameError": "instances.errors:UnknownNameError",
    "Violation": "instances.model.violations:Violation",
    "check_benchmark": "analysis.contract.suite:check_benchmark",
    "check_document": "instances.files.instance_file:check",
    "generic_metrics": "instances.benchmarks.generic.metrics",
    "lazy": "instances.protocol.benchmark:lazy",
    "load_json": "instances.files.strict_json:load_json",
    "read_bytes": "instances.files.strict_json:read_bytes",
    "read_list": "instances.model_output.reading:as_given",
    "read_output": "instances.model_output.reading:read",
    "referee": "instances.model.schedule_rules:referee",
}
__all__ = [
    "Action",
    "Average",
    "Benchmark",
    "BenchmarkError",
    "Catalog",
    "Claim",
    "Demand",
    "Environment",
    "Examination",
    "FeedbackItem",
    "Generator",
    "GenericBenchmark",
    "GenericRun",
    "GenericSimulator",
    "Grammar",
    "InputError",
    "Instance",
    "Lag",
    "LegalCommand",
    "LiveText",
    "Loophole",
    "Measurement",
    "Metric",
    "MetricSet",
    "MismatchEvidence",
    "Mode",
    "Optimum",
    "Oracle",
    "Piece",
    "Plan",
    "PlanError",
    "Problem",
    "Reading",
    "Reference",
    "Replay",
    "Resource",
    "RuleSet",
    "Rules",
    "Run",
    "RunConfig",
    "Schedule",
    "ScheduleBenchmark",
    "Setting",
    "Simulator",
    "Step",
    "StepMatch",
    "SubmissionLimit",
    "Topic",
    "Trajectory",
    "UnknownNameError",
    "Violation",
    "check_benchmark",
    "check_document",
    "generic_metrics",
    "lazy",
    "load_json",
    "read_bytes",
    "read_list",
    "read_output",
    "referee",
]

if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name and keep it."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, _, attribute = _PLACES[name].partition(":")
        value = import_module(f"planoracle.{module}")
        value = globals()[name] = getattr(value, attribute) if attribute else value
        return value


def __dir__() -> list[str]:
    return list(_PLACES)
