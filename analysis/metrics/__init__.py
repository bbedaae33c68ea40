"""Metrics, one module per paper."""
