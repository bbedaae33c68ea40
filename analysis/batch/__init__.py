"""Batch jobs: dask cluster, journal of a run directory, cache of optima."""
