"""The rule profiles are those of the whole benchmark."""

from __future__ import annotations

from planoracle.instances.paracook.profile import CHOICES as CHOICES
from planoracle.instances.paracook.profile import PROFILES as PROFILES
