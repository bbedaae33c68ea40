"""Exact scheduling: CP-SAT model, lower bounds, ordered search, and the stages of a solve."""
