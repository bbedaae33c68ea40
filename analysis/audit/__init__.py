"""Audit of published references: check them against the rules and proved bounds."""
