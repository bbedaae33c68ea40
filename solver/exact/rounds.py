"""Many actions and agents: CP-SAT in settings that differ, round after round, each with more effort than the last.

On problems of hundreds of actions no setting is best: one finds in a tenth of a second what another does not in ten.
What is found cuts off all that is longer for those that follow. Orders are not stated, for models would be large,
and presolve does not probe, which takes seconds there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planoracle.instances.model import Instance
from planoracle.solver.exact.stages import Stage

_MANY = 50
_EFFORTS = 0.03, 0.12, 0.48
_SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("core search", {"light": True, "core": True, "energetic": False}),
    ("search by earliest starts", {"presolve": True, "fixed_search": True, "probing": False, "energetic": False}),
    ("branch and bound", {"light": True, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False, "energetic": False}),
    ("branch and bound with presolve", {"presolve": True, "probing": False}),
)


def of_many_actions(instance: Instance) -> bool:
    """Whether rounds are for an instance: many actions, and agents whose time is scarce."""
    return len(instance.actions) >= _MANY and any(a.attended and a.agents != () for a in instance.actions)


def rounds() -> Iterator[Stage]:
    """Yield all settings with ever more effort."""
    for effort in _EFFORTS:
        for name, options in _SETTINGS:
            yield name, options, effort
