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
    from planoracle.analysis.compare import compare
    from planoracle.analysis.critique import critique
    from planoracle.analysis.explain import explain
    from planoracle.analysis.grade import Grade
    from planoracle.analysis.regret import regret
    from planoracle.analysis.repair import repair
    from planoracle.analysis.result import Result
    from planoracle.instances.build import Model
    from planoracle.instances.deadline import Status
    from planoracle.instances.model import Instance
    from planoracle.instances.plan import Plan
    from planoracle.instances.registry import register
    from planoracle.instances.run import Run
    from planoracle.instances.schedule import Schedule

#: The module of every public name.
_PLACES = {
    "Grade": "analysis.grade",
    "Instance": "instances.model",
    "Model": "instances.build",
    "Plan": "instances.plan",
    "Result": "analysis.result",
    "Run": "instances.run",
    "Schedule": "instances.schedule",
    "Status": "instances.deadline",
    "compare": "analysis.compare",
    "critique": "analysis.critique",
    "environment": "analysis.api",
    "explain": "analysis.explain",
    "grade": "analysis.api",
    "load": "analysis.api",
    "read": "analysis.api",
    "regret": "analysis.regret",
    "register": "instances.registry",
    "repair": "analysis.repair",
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
