"""Grading of submissions: problems, rules, optima, metrics and rows of grades."""
