"""Rule profiles of kitchens; every rule can also be set by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planoracle.instances.protocol.profiles import Rules


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Rules of kitchens where the paper and its released code differ.

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
    limit
        The step limit is 1.5 times the proved ``"optimum"``, or the ``"published"`` number.
    price_rest
        Work out what failed runs leave to be done, which takes a solve for each.
    """

    skip_after_finish: bool = False
    moves: str = "turns"
    normalize: bool = True
    limit: str = "optimum"
    price_rest: bool = False

    def deciding(self) -> Profile:
        """Return the profile as far as it decides which plans are best."""
        usual = Profile()
        return replace(
            self,
            refuse_unread=usual.refuse_unread,
            normalize=usual.normalize,
            limit=usual.limit,
            price_rest=usual.price_rest,
        )


PROFILES = {"paper": Profile(), "released": Profile(skip_after_finish=True, normalize=False, refuse_unread=False)}

#: Values of the rules that are text.
CHOICES = {"moves": ("turns", "joint"), "limit": ("optimum", "published")}
