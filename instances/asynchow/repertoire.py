"""What there can be to do in a problem of AsyncHow: as by the general rules."""

from __future__ import annotations

from planoracle.instances.generic.repertoire import repertoire as repertoire
