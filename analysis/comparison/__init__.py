"""Comparison of methods, models and numbers of agents with the proved optimum."""
