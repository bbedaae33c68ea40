"""Kinds of problems: one class for each, and their registry."""
