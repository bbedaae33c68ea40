"""Exact methods: the CP-SAT model, bounds and proofs."""
