"""Metrics of the general rules: success, and optimum divided by makespan."""

from __future__ import annotations

from planoracle.plugin import generic_metrics

METRICS = generic_metrics.METRICS
