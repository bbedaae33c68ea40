"""The rule profiles of Robotouille; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass, fields

from planoracle.instances.profiles import choose

__all__ = ["PROFILES", "RULES", "Profile", "profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How to run a kitchen where the paper and its released code differ.

    Attributes
    ----------
    skip_after_finish
        An effect that finishes is removed while the list of effects is walked, so that the next one in the list
        misses that tick.
    moves
        Players act in ``"turns"``, the kitchen ticks after every action; or ``"joint"``: one after the other in the
        same step, the kitchen ticks and the goal is looked at once all have acted.
    normalize
        Forgive case, spaces and decoration in submitted actions.
    """

    skip_after_finish: bool = False
    moves: str = "turns"
    normalize: bool = True


PROFILES = {"paper": Profile(), "released": Profile(skip_after_finish=True, normalize=False)}

_CHOICES = {"moves": ("turns", "joint")}

#: Names of the rules.
RULES = tuple(field.name for field in fields(Profile))


def profile(name: str = "released", **options: str | int | bool) -> Profile:
    """Return a named profile with single rules replaced, see `planoracle.instances.profiles.choose`.

    Examples
    --------
    >>> profile("released", moves="joint").moves
    'joint'
    """
    return choose(PROFILES, _CHOICES, name, options)
