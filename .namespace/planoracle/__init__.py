"""Proved optimal plans, replay and grading for time-aware multitasking benchmarks of language agents.

>>> from planoracle import load, solve
>>> result = solve(load("recipe2plan/timed/Cobbler_Pancakes"))
>>> result.status, result.makespan, result.unit
('optimal', 4080, 'second')

All public names are here, and each is imported when it is first asked for.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as type checkers know it; importing typing would take longer than all the rest
if TYPE_CHECKING:
    from planoracle.analysis.api import environment, grade, load, read, schedule, solve
    from planoracle.analysis.comparison.compare import compare
    from planoracle.analysis.diagnosis.critique import critique
    from planoracle.analysis.diagnosis.explain import explain
    from planoracle.analysis.diagnosis.regret import regret
    from planoracle.analysis.diagnosis.repair import repair
    from planoracle.analysis.grading.grader import Grade
    from planoracle.instances.model.builder import Model
    from planoracle.instances.model.instance import Instance
    from planoracle.instances.model.limits import Status
    from planoracle.instances.model.schedule import Schedule
    from planoracle.instances.protocol.plan import Plan
    from planoracle.instances.protocol.registry import register
    from planoracle.instances.protocol.run import Run
    from planoracle.solver.result import Result

#: The module of every public name.
_PLACES = {
    "Grade": "analysis.grading.grader",
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
    "grade": "analysis.api",
    "load": "analysis.api",
    "read": "analysis.api",
    "regret": "analysis.diagnosis.regret",
    "register": "instances.protocol.registry",
    "repair": "analysis.diagnosis.repair",
    "schedule": "analysis.api",
    "solve": "analysis.api",
}
__all__ = [
    "Grade",
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
    "grade",
    "load",
    "read",
    "register",
    "regret",
    "repair",
    "schedule",
    "solve",
]

__version__ = "0.10.0"  # written out, since the build reads it without importing anything

# A checkout without symbolic links (Windows): git has made plain files of them, and the folders are those of the root.
if not os.path.isdir(os.path.join(__path__[0], "solver")):
    __path__.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

if not TYPE_CHECKING:  # which would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Import a public name, and keep it."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
