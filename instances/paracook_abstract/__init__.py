"""The abstract part of ParaCook (2025): whose task comes when, for agents who are all alike, in a kitchen without ways."""

from __future__ import annotations
