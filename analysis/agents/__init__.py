"""Agents of live runs: optimal, heuristic, random, replay, and models."""
