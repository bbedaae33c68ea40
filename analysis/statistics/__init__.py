"""Averages, intervals and paired comparisons over grades."""
