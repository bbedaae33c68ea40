"""Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.

>>> from planoracle import load, solve
>>> result = solve(load("recipe2plan/timed/Cobbler_Pancakes"))
>>> result.status, result.makespan, result.unit
('optimal', 4080, 'second')

This module holds all public names. Each is imported at its first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers read it as true; importing typing would take longer than the rest
if TYPE_CHECKING:
    from planoracle.analysis.api import environment, gantt, load, read, solve
    from planoracle.analysis.comparison.compare import compare
    from planoracle.analysis.diagnosis.critique import critique
    from planoracle.analysis.diagnosis.explain import explain
    from planoracle.analysis.diagnosis.regret import regret
    from planoracle.analysis.diagnosis.repair import repair
    from planoracle.analysis.grading.grade_row import read_grades
    from planoracle.analysis.grading.grader import Grade
    from planoracle.analysis.grading.rewards import reward
    from planoracle.analysis.grading_api import grade
    from planoracle.analysis.scheduling_api import schedule
    from planoracle.analysis.statistics.pairs import pairs
    from planoracle.analysis.verification.verify import verify
    from planoracle.instances.errors import InputError
    from planoracle.instances.model.builder import Model
    from planoracle.instances.model.instance import Instance
    from planoracle.instances.model.limits import Status
    from planoracle.instances.model.schedule import Schedule
    from planoracle.instances.protocol.plan import Plan
    from planoracle.instances.protocol.run import Run
    from planoracle.solver.register import register
    from planoracle.solver.result import Result

#: Module of every public name.
_PLACES = {
    "Grade": "analysis.grading.grader",
    "InputError": "instances.errors",
    "Instance": "instances.model.instance",
    "Model": "instances.model.builder",
    "Plan": "instances.protocol.plan",
    "Result": "solver.result",
    "Run": "instances.protocol.run",
    "Schedule": "instances.model.schedule",
    "Status": "instances.model.limits",
    "compare": "analysis.comparison.compare",
    "critique": "analysis.diagnosis.critique",
    "environment": "analysis.api",
    "explain": "analysis.diagnosis.explain",
    "gantt": "analysis.api",
    "grade": "analysis.grading_api",
    "load": "analysis.api",
    "pairs": "analysis.statistics.pairs",
    "read": "analysis.api",
    "read_grades": "analysis.grading.grade_row",
    "regret": "analysis.diagnosis.regret",
    "register": "solver.register",
    "repair": "analysis.diagnosis.repair",
    "reward": "analysis.grading.rewards",
    "schedule": "analysis.scheduling_api",
    "solve": "analysis.api",
    "verify": "analysis.verification.verify",
}
__all__ = [
    "Grade",
    "InputError",
    "Instance",
    "Model",
    "Plan",
    "Result",
    "Run",
    "Schedule",
    "Status",
    "__version__",
    "compare",
    "critique",
    "environment",
    "explain",
    "gantt",
    "grade",
    "load",
    "pairs",
    "read",
    "read_grades",
    "register",
    "regret",
    "repair",
    "reward",
    "schedule",
    "solve",
    "verify",
]

__version__ = "0.11.0"  # a literal, since the build reads it without an import

if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> object:
        """Import a public name and store it."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
