"""Benchmark packages, one per benchmark."""
