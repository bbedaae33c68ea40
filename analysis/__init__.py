"""Grading, statistics, comparison, diagnosis, figures, report, agents, adapters and the command line."""
