"""Agents of live runs: optimal, heuristic, random, human, and models."""
