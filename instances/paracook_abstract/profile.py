"""The rule profiles are those of the whole benchmark."""

from __future__ import annotations

from planoracle.instances.paracook.profile import CHOICES, PROFILES, Profile

__all__ = ["CHOICES", "PROFILES", "Profile"]
