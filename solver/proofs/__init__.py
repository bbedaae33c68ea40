"""Explanations that a person can check: proofs of optima, and constraints that contradict each other."""
