"""Batch jobs: worker pool, dask cluster, journal of a run directory, cache of optima."""
