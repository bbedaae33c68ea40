"""Scheduling model, interface of benchmarks, problem files, model output, and benchmark packages."""
