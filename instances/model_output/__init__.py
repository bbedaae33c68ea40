"""Extraction of plans from model output, for all benchmarks: the plan within a text, and its steps."""
